/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This library simulates a GPU on machines without one, so that the tests run the elements' handling of CUDA memory,
 * contexts and errors. It is preloaded, and replaces the CUDA driver, whose device memory is host memory here
 * (fake-cuda-driver.c), and the core's CUDA backend, by the host backend (fake-cuda-core.c). This file holds the
 * contexts, the objects that belong to them, and the queue of drawings.
 *
 * It draws as late as a driver may: when somebody waits for the drawing, or for a stream that has to wait for it.
 *
 * It is stricter than a driver: the core's functions fail unless their object's context is the only one on the thread's
 * stack, and stream and device memory belong to that context.
 *
 * The program under test must be linked with the core. It finds fake_cuda_fail() and its like with dlsym(). */
#include "fake-cuda.h"

#include <pthread.h>
#include <stdio.h>

#define MAX_OBJECTS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object objects[MAX_OBJECTS];
static Drawing drawings[4]; /* in the order of queueing */
static int n_drawings;

static __thread Context *stack[16];
static __thread int depth;

bool
push_context (Context *context)
{
  if (depth == sizeof stack / sizeof *stack)
    return false;
  stack[depth++] = context;
  return true;
}

bool
pop_context (void)
{
  if (depth == 0)
    return false;
  depth--;
  return true;
}

int
context_depth (void)
{
  return depth;
}

Context *
current_context (void)
{
  return depth > 0 ? stack[depth - 1] : NULL;
}

bool
add_object (void *pointer, size_t size, Context *context)
{
  bool added = false;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < MAX_OBJECTS && !added; i++)
    if (!objects[i].pointer) {
      objects[i] = (Object){pointer, size, context};
      added = true;
    }
  pthread_mutex_unlock (&lock);
  return added;
}

Object
find_object (const void *pointer, bool remove)
{
  Object found = {0};

  pthread_mutex_lock (&lock);
  for (int i = 0; i < MAX_OBJECTS && !found.pointer; i++)
    if (objects[i].pointer && (const char *) pointer >= (char *) objects[i].pointer
        && (const char *) pointer < (char *) objects[i].pointer + objects[i].size) {
      found = objects[i];
      if (remove)
        objects[i] = (Object){0};
    }
  pthread_mutex_unlock (&lock);
  return found;
}

/* The number of streams, objects of the core and pieces of device memory that nobody has freed. */
CTR_API int fake_cuda_count (void);
int
fake_cuda_count (void)
{
  int count = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < MAX_OBJECTS; i++)
    count += objects[i].pointer != NULL;
  pthread_mutex_unlock (&lock);
  return count;
}

void
give_up (const char *why)
{
  fprintf (stderr, "%s\n", why);
  abort ();
}

/* Carries out the first COUNT drawings. */
static void
draw_first (int count)
{
  CtrError error;

  for (int i = 0; i < count; i++) {
    const Drawing *d = &drawings[i];
    if (!HOST_PAINTER (enqueue) (d->painter, &d->picture, d->layers, d->count, d->colours, NULL, &error)
        || !HOST_PAINTER (finish) (d->painter, &error))
      give_up (error.message);
  }
  n_drawings -= count;
  memmove (drawings, drawings + count, n_drawings * sizeof *drawings);
}

void
queue_drawing (const Drawing *drawing)
{
  pthread_mutex_lock (&lock);
  if (n_drawings == sizeof drawings / sizeof *drawings)
    give_up ("more drawings are queued than anyone should have");
  drawings[n_drawings++] = *drawing;
  pthread_mutex_unlock (&lock);
}

void
lead_default (const CtrPainter *painter)
{
  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    drawings[i].leads_default = drawings[i].leads_default || drawings[i].painter == painter;
  pthread_mutex_unlock (&lock);
}

void
finish_drawings (const CtrPainter *painter)
{
  int count = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    if (drawings[i].painter == painter)
      count = i + 1;
  draw_first (count);
  pthread_mutex_unlock (&lock);
}

void
catch_up (const void *stream)
{
  int count = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    if (drawings[i].context == current_context ()
        && (!stream || drawings[i].stream == stream || drawings[i].leads_default))
      count = i + 1;
  draw_first (count);
  pthread_mutex_unlock (&lock);
}

void
check_unused (const void *pointer, size_t size)
{
  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++) {
    const char *picture = drawings[i].picture.planes[0].data;
    if (drawings[i].stream == pointer || (picture >= (char *) pointer && picture < (char *) pointer + size))
      give_up ("memory or a stream is freed while drawing is queued there");
  }
  pthread_mutex_unlock (&lock);
}

/* The number of queued drawings. */
CTR_API int fake_cuda_queued (void);
int
fake_cuda_queued (void)
{
  return n_drawings;
}
