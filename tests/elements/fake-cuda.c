/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This library simulates a GPU on machines without one, so that the tests run the elements' handling of CUDA memory,
 * contexts and errors. It is preloaded, and replaces the CUDA driver, whose device memory is host memory here
 * (fake-cuda-driver.c), and the core's CUDA backend, by the host backend (fake-cuda-core.c). This file holds the
 * contexts, the objects that belong to them, and the queue of drawings and of copies inside device memory.
 *
 * It works as late as a driver may: when somebody waits for the work, or for a stream that has to wait for it.
 *
 * It is stricter than a driver: the core's functions fail unless their object's context is the only one on the thread's
 * stack, and stream and device memory belong to that context.
 *
 * The program under test must be linked with the core. It finds fake_cuda_fail() and its like with dlsym(). */
#include "fake-cuda.h"

#include <pthread.h>
#include <stdio.h>

#define MAX_OBJECTS 4096
#define MAX_DRAWINGS 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object objects[MAX_OBJECTS];
static Drawing drawings[MAX_DRAWINGS]; /* and copies, in the order of queueing */
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

static void
carry_out (const Drawing *d)
{
  CtrError error;

  if (!d->painter)
    carry_out_copy (&d->copy);
  else if (!HOST_PAINTER (enqueue) (d->painter, &d->picture, d->layers, d->count, d->colours, NULL, &error)
           || !HOST_PAINTER (finish) (d->painter, &error))
    give_up (error.message);
}

/* Carries out the work that is WANTED, after the work before it in the same stream, and nothing else. */
static void
carry_out_wanted (bool *wanted)
{
  int left = 0;

  for (int i = n_drawings - 1; i >= 0; i--)
    for (int k = i + 1; k < n_drawings; k++)
      wanted[i] = wanted[i] || (wanted[k] && drawings[k].stream == drawings[i].stream);
  for (int i = 0; i < n_drawings; i++)
    if (wanted[i])
      carry_out (&drawings[i]);
    else
      drawings[left++] = drawings[i];
  n_drawings = left;
}

void
queue_drawing (const Drawing *drawing)
{
  pthread_mutex_lock (&lock);
  if (n_drawings == MAX_DRAWINGS)
    give_up ("more work is queued than anyone should have");
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
  bool wanted[MAX_DRAWINGS];

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    wanted[i] = drawings[i].painter == painter;
  carry_out_wanted (wanted);
  pthread_mutex_unlock (&lock);
}

void
catch_up (const void *stream)
{
  bool wanted[MAX_DRAWINGS];

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    wanted[i] = drawings[i].context == current_context ()
                && (!stream || drawings[i].stream == stream || drawings[i].leads_default);
  carry_out_wanted (wanted);
  pthread_mutex_unlock (&lock);
}

void
check_unused (const void *pointer, size_t size)
{
  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++) {
    const Drawing *d = &drawings[i];
    const char *needed[] = {d->picture.planes[0].data, d->copy.source.device, d->copy.target.device};
    for (int k = 0; k < 3; k++)
      if (d->stream == pointer || (needed[k] >= (char *) pointer && needed[k] < (char *) pointer + size))
        give_up ("memory or a stream is freed while work is queued there");
  }
  pthread_mutex_unlock (&lock);
}

/* The number of queued drawings. */
CTR_API int fake_cuda_queued (void);
int
fake_cuda_queued (void)
{
  int count = 0;

  for (int i = 0; i < n_drawings; i++)
    count += drawings[i].painter != NULL;
  return count;
}
