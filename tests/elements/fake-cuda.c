/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This library simulates a GPU on machines without one, so that the tests run the elements' handling of CUDA memory,
 * contexts and errors. It is preloaded, and replaces the CUDA driver, whose device memory is host memory here
 * (fake-cuda-driver.c), and the core's CUDA backend, by the host backend (fake-cuda-core.c, fake-cuda-analysers.c). This
 * file holds the contexts, the objects that belong to them, and the queue of work: drawings, edges, copies inside device
 * memory.
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
#define MAX_WORK 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object objects[MAX_OBJECTS];
static Work queue[MAX_WORK]; /* in the order of queueing */
static int n_queued, host_waits;
static unsigned next_number;

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
      objects[i] = (Object){.pointer = pointer, .size = size, .context = context};
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

void
set_following (const void *stream)
{
  pthread_mutex_lock (&lock);
  for (int i = 0; i < MAX_OBJECTS; i++)
    objects[i].follows = objects[i].follows || objects[i].pointer == stream;
  pthread_mutex_unlock (&lock);
}

void
note_host_wait (void)
{
  __atomic_add_fetch (&host_waits, 1, __ATOMIC_RELAXED);
}

/* How often the host has waited for queued work. */
CTR_API int fake_cuda_host_waits (void);
int
fake_cuda_host_waits (void)
{
  return __atomic_load_n (&host_waits, __ATOMIC_RELAXED);
}

static void
carry_out (const Work *w)
{
  CtrError error;

  if (w->kind == COPY)
    carry_out_copy (&w->copy);
  else if (w->kind == DRAWING
           && (!HOST_PAINTER (enqueue) (w->painter, &w->picture, w->layers, w->count, w->colours, NULL, &error)
               || !HOST_PAINTER (finish) (w->painter, &error)))
    give_up (error.message);
  else if (w->kind == CORRECTION
           && !HOST_BACKGROUND (enqueue) (w->background, &w->image, &w->background_params, &w->corrected, NULL, &error))
    give_up (error.message);
  else if (w->kind == EDGES && w->canny
           && !HOST_CANNY (enqueue) (w->canny, &w->image, &w->params, &w->edges, NULL, &error))
    give_up (error.message);
  else if (w->kind == EDGES && w->mask) {
    if (!HOST_MASK (enqueue) (w->mask, &w->image, &w->foreground, &w->edges, NULL, &error))
      give_up (error.message);
    ctr_regions_unref (w->foreground.regions);
  }
}

/* A GPU knows neither the cancellation nor the shared input of the thread that happens to wait for it. */
static void
carry_out_undisturbed (const Work *w)
{
  const CtrCancel *cancel = ctr_cancel_set_current (NULL);
  CtrInput *input = ctr_input_set_current (NULL);

  carry_out (w);
  ctr_input_set_current (input);
  ctr_cancel_set_current (cancel);
}

/* Does work at PLACE wait for EARLIER, by the rules of streams alone? */
static bool
follows (const Place *place, const Place *earlier)
{
  return place->context == earlier->context && earlier->number < place->number
         && (place->stream == earlier->stream || (!place->stream && earlier->follows)
             || (place->follows && !earlier->stream));
}

static bool
waits_for (const Work *work, const Work *earlier)
{
  return follows (&work->place, &earlier->place) || (work->kind == WAIT && follows (&work->awaited, &earlier->place));
}

/* Carries out what is WANTED, after the work that it waits for, and nothing else. */
static void
carry_out_wanted (bool *wanted)
{
  int left = 0;

  for (int i = n_queued - 1; i >= 0; i--)
    for (int k = i + 1; k < n_queued; k++)
      wanted[i] = wanted[i] || (wanted[k] && waits_for (&queue[k], &queue[i]));
  for (int i = 0; i < n_queued; i++)
    if (wanted[i])
      carry_out_undisturbed (&queue[i]);
    else
      queue[left++] = queue[i];
  n_queued = left;
}

Place
place_in (void *stream)
{
  Place place = {stream, stream && find_object (stream, false).follows, .context = current_context ()};

  pthread_mutex_lock (&lock);
  place.number = next_number;
  pthread_mutex_unlock (&lock);
  return place;
}

void
queue_work (Work *work, void *stream)
{
  if (device_is_lost ())
    return;
  work->place = place_in (stream);
  pthread_mutex_lock (&lock);
  if (n_queued == MAX_WORK)
    give_up ("more work is queued than anyone should have");
  work->place.number = next_number++;
  queue[n_queued++] = *work;
  pthread_mutex_unlock (&lock);
}

void
queue_wait (const Place *place, void *stream)
{
  Work wait = {.kind = WAIT, .awaited = *place};
  bool pending = false;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_queued; i++)
    pending = pending || follows (place, &queue[i].place);
  pthread_mutex_unlock (&lock);
  if (pending)
    queue_work (&wait, stream);
}

void
finish_work (const void *object)
{
  bool wanted[MAX_WORK], any = false;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_queued; i++) {
    wanted[i] = (queue[i].kind == DRAWING && queue[i].painter == object)
                || (queue[i].kind == EDGES && (queue[i].canny == object || queue[i].mask == object))
                || (queue[i].kind == CORRECTION && queue[i].background == object);
    any = any || wanted[i];
  }
  carry_out_wanted (wanted);
  pthread_mutex_unlock (&lock);
  if (any)
    note_host_wait ();
}

bool
catch_up_with (const Place *place)
{
  bool wanted[MAX_WORK], any = false;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_queued; i++) {
    wanted[i] = follows (place, &queue[i].place);
    any = any || wanted[i];
  }
  carry_out_wanted (wanted);
  pthread_mutex_unlock (&lock);
  return any;
}

bool
is_idle (void *stream)
{
  const Place place = place_in (stream);
  bool idle = true;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_queued; i++)
    idle = idle && !follows (&place, &queue[i].place);
  pthread_mutex_unlock (&lock);
  return idle;
}

bool
catch_up (void *stream)
{
  const Place place = place_in (stream);

  return catch_up_with (&place);
}

static bool
lies_in (const void *data, const void *memory, size_t size)
{
  return (const char *) data >= (const char *) memory && (const char *) data < (const char *) memory + size;
}

static bool
needs (const Work *w, const void *memory, size_t size)
{
  bool needed = w->kind == EDGES && lies_in (w->image.data, memory, size);

  if (w->kind == COPY)
    return lies_in (w->copy.source.device, memory, size) || lies_in (w->copy.target.device, memory, size);
  for (uint32_t i = 0; w->kind == EDGES && i < w->edges.plane_count; i++)
    needed = needed || lies_in (w->edges.planes[i].data, memory, size);
  return needed || (w->kind == DRAWING && lies_in (w->picture.planes[0].data, memory, size));
}

/* What waits in a stream that is destroyed has no work behind it. The default stream has copies of libgstcuda only, of which that
 * frees the memory at once: a driver waits for them then. */
void
check_unused (const void *pointer, size_t size)
{
  bool wanted[MAX_WORK];
  int left = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_queued; i++)
    wanted[i] = queue[i].kind == COPY && !queue[i].place.stream && needs (&queue[i], pointer, size);
  carry_out_wanted (wanted);
  for (int i = 0; i < n_queued; i++) {
    if (needs (&queue[i], pointer, size) || (queue[i].kind != WAIT && queue[i].place.stream == pointer))
      give_up ("memory or a stream is freed while work is queued there");
    if (queue[i].kind != WAIT || queue[i].place.stream != pointer)
      queue[left++] = queue[i];
  }
  n_queued = left;
  pthread_mutex_unlock (&lock);
}

void
forget_work (void)
{
  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_queued; i++)
    if (queue[i].kind == EDGES && queue[i].mask)
      ctr_regions_unref (queue[i].foreground.regions);
  n_queued = 0;
  pthread_mutex_unlock (&lock);
}

/* The number of queued drawings, or pictures of edges. */
CTR_API int fake_cuda_queued (void);
int
fake_cuda_queued (void)
{
  int count = 0;

  for (int i = 0; i < n_queued; i++)
    count += queue[i].kind == DRAWING || queue[i].kind == EDGES;
  return count;
}
