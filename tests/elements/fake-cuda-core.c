/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This file replaces the core's CUDA backend: it checks each call strictly, and has the host backend do the work. Here are
 * the checks, edges, drawing and events; fake-cuda-analysers.c has the analysers.
 *
 * Longer than 500 lines: all functions share the state that is checked. */
#include "fake-cuda.h"

#include <contours/event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LOST "CUDA error 700, an illegal memory access was encountered: as the test asked"

static CtrStatus fail_next, fail_later;

bool
fail (CtrError *error, CtrStatus status, const char *message)
{
  if (error) {
    error->status = status;
    snprintf (error->message, sizeof error->message, "%s", message);
  }
  return false;
}

/* The next call that takes an image or a picture fails with STATUS, whatever the object. */
CTR_API void fake_cuda_fail (CtrStatus status);
void
fake_cuda_fail (CtrStatus status)
{
  fail_next = status;
}

/* The next drawing that somebody waits for fails with STATUS. */
CTR_API void fake_cuda_fail_later (CtrStatus status);
void
fake_cuda_fail_later (CtrStatus status)
{
  fail_later = status;
}

static bool without_kernels;

/* While IS_WITHOUT, no object of the CUDA backend can be made, as by a build without kernels for the GPU. */
CTR_API void fake_cuda_set_without_kernels (bool is_without);
void
fake_cuda_set_without_kernels (bool is_without)
{
  without_kernels = is_without;
}

bool
ctr_cuda_available (CtrError *error)
{
  return true;
}

bool
can_make (CtrBackend backend, CtrError *error)
{
  if (backend == CTR_BACKEND_CUDA && device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  if (backend == CTR_BACKEND_CUDA && without_kernels)
    return fail (error, CTR_ERROR_NO_CUDA, "this build has no kernels for the GPU: as the test asked");
  return backend != CTR_BACKEND_CUDA || context_depth () == 1
         || fail (error, CTR_ERROR_CUDA, "made without a context, or with more than one pushed");
}

void *
keep_object (void *object, CtrBackend backend)
{
  if (object && backend == CTR_BACKEND_CUDA)
    add_object (object, 1, current_context ());
  return object;
}

void *
new_object (const char *function, CtrBackend backend, CtrError *error)
{
  void *(*host_new) (CtrBackend, CtrError *) = dlsym (RTLD_NEXT, function);

  return can_make (backend, error) ? keep_object (host_new (CTR_BACKEND_CPU, error), backend) : NULL;
}

void
free_object (const char *function, void *pointer)
{
  void (*host_free) (void *) = dlsym (RTLD_NEXT, function);
  Object object = find_object (pointer, true);

  if (object.pointer && object.context != current_context ())
    give_up ("an object of the core is freed outside its context");
  if (object.pointer)
    end_times ();
  host_free (pointer);
}

static bool
lies_in (const void *data, CtrMemory memory, Context *context)
{
  return (find_object (data, false).context == context) == (memory == CTR_MEMORY_DEVICE);
}

bool
check_call (const Object *object, void *stream, CtrError *error)
{
  CtrStatus status = fail_next;

  fail_next = CTR_OK;
  if (device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  if (status != CTR_OK)
    return fail (error, status, "as the test asked");
  if (context_depth () != 1 || current_context () != object->context)
    return fail (error, CTR_ERROR_CUDA, "another context than the object's is current, or more than one is pushed");
  if (!stream || find_object (stream, false).context != object->context)
    return fail (error, CTR_ERROR_CUDA, "the stream is not one of the object's context");
  note_time ();
  return true;
}

/* May OBJECT work on IMAGE and STREAM now? It does so at once, after the work that is queued in STREAM. */
static bool
check_run (const Object *object, const CtrImage *image, void *stream, CtrError *error)
{
  if (!check_call (object, stream, error))
    return false;
  if (!lies_in (image->data, image->memory, object->context))
    return fail (error, CTR_ERROR_CUDA, "the image does not lie in the memory it is said to lie in");
  catch_up (stream);
  return true;
}

bool
view_image (const void *pointer, const CtrImage *image, CtrImage *view, void *stream, CtrError *error)
{
  Object object = find_object (pointer, false);

  *view = *image;
  if (!object.pointer)
    return true;
  view->memory = CTR_MEMORY_HOST;
  return check_run (&object, image, stream, error);
}

/* What an edge detector has in device memory. */
typedef struct {
  CtrCanny *canny; /* NULL: the entry is free */
  CtrImage image;  /* that was queued last */
  CtrCannyParams params;
  void *stream;
  uint8_t *upload, *mask; /* objects, or NULL */
} Views;

static Views views[16];
static pthread_mutex_t claiming = PTHREAD_MUTEX_INITIALIZER;

static Views *
views_of (const CtrCanny *canny)
{
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (views[i].canny == canny)
      return &views[i];
  give_up ("more edge detectors than anyone should have");
  return NULL;
}

static void
drop_views (Views *v)
{
  uint8_t *const memory[] = {v->upload, v->mask};

  for (int i = 0; i < 2; i++) {
    if (memory[i])
      find_object (memory[i], true);
    free (memory[i]);
  }
  v->upload = v->mask = NULL;
}

CtrCanny *
ctr_canny_new (CtrBackend backend, CtrError *error)
{
  CtrCanny *canny = new_object ("ctr_canny_new", backend, error);

  if (find_object (canny, false).pointer) {
    pthread_mutex_lock (&claiming);
    views_of (NULL)->canny = canny;
    pthread_mutex_unlock (&claiming);
  }
  return canny;
}

void
ctr_canny_free (CtrCanny *canny)
{
  if (find_object (canny, false).pointer) {
    Views *v = views_of (canny);

    drop_views (v);
    v->canny = NULL;
  }
  free_object ("ctr_canny_free", canny);
}

bool
ctr_canny_get_device_views (const CtrCanny *canny, CtrImage *samples, CtrImage *edges, CtrError *error)
{
  Object object = find_object (canny, false);
  CtrEdgePicture picture;

  if (!object.pointer)
    return HOST_CANNY (get_device_views) (canny, samples, edges, error);
  Views *v = views_of (canny);
  const size_t pixels = (size_t) v->image.width * v->image.height;
  drop_views (v);
  catch_up (v->stream);
  *samples = v->image;
  samples->memory = CTR_MEMORY_DEVICE;
  if (v->image.memory == CTR_MEMORY_HOST) {
    const size_t bytes = v->image.stride * v->image.height;
    v->upload = malloc (bytes);
    /* The last row may end with its last pixel, of up to 4 bytes, but frames have whole rows. */
    memcpy (v->upload, v->image.data, bytes);
    samples->data = v->upload;
    add_object (v->upload, bytes, object.context);
  }
  v->mask = malloc (pixels);
  add_object (v->mask, pixels, object.context);
  ctr_edge_picture_init_mask (&picture, v->mask, v->image.width, CTR_MEMORY_HOST);
  *edges =
      (CtrImage){v->mask, v->image.width, v->image.width, v->image.height, CTR_FORMAT_GRAY8, CTR_MEMORY_DEVICE, {0}};
  CtrImage image = v->image;
  image.memory = CTR_MEMORY_HOST;
  return HOST_CANNY (enqueue) (v->canny, &image, &v->params, &picture, NULL, error);
}

/* Do IMAGE and the planes of PICTURE lie where they are said to? */
static bool
check_places (const Object *object, const CtrImage *image, const CtrEdgePicture *picture, CtrError *error)
{
  if (!lies_in (image->data, image->memory, object->context)
      || (image->chroma.cb && !lies_in (image->chroma.cb, image->memory, object->context)))
    return fail (error, CTR_ERROR_CUDA, "the image does not lie in the memory it is said to lie in");
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    if (!lies_in (plane->data, picture->memory, object->context)
        || (plane->source && !lies_in (plane->source, picture->memory, object->context)))
      return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
  }
  return true;
}

/* Edges in device memory stay queued. */
bool
ctr_canny_enqueue (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  Object object = find_object (canny, false);
  Work work = {.kind = EDGES, .canny = canny, .image = *image, .params = *params, .edges = *picture};

  if (!object.pointer)
    return HOST_CANNY (enqueue) (canny, image, params, picture, stream, error);
  if (!check_call (&object, stream, error) || !check_places (&object, image, picture, error))
    return false;
  Views *v = views_of (canny);
  v->image = *image;
  v->params = *params;
  v->stream = stream;
  work.image.memory = work.edges.memory = CTR_MEMORY_HOST;
  if (picture->memory == CTR_MEMORY_HOST)
    return HOST_CANNY (enqueue) (canny, &work.image, params, &work.edges, NULL, error);
  queue_work (&work, stream);
  return true;
}

bool
ctr_canny_finish (CtrCanny *canny, CtrError *error)
{
  if (find_object (canny, false).pointer && device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  finish_work (canny);
  return HOST_CANNY (finish) (canny, error);
}

CtrMask *
ctr_mask_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_mask_new", backend, error);
}

void
ctr_mask_free (CtrMask *mask)
{
  free_object ("ctr_mask_free", mask);
}

/* What is wrong with the arguments the core says at once, not when queued work is carried out. */
static bool
check_alignment (const void *data, size_t stride, bool wide, CtrError *error)
{
  return !wide || !(((uintptr_t) data | stride) & 1)
         || fail (error, CTR_ERROR_INVALID_ARGUMENT, "16-bit samples must be 2-byte aligned, in every row");
}

/* Likewise. */
static bool
check_foreground (CtrMask *mask, const CtrImage *image, const CtrForeground *foreground, CtrError *error)
{
  uint8_t *bytes = malloc ((size_t) image->width * image->height);
  CtrEdgePicture picture;
  bool ok;

  ctr_edge_picture_init_mask (&picture, bytes, image->width, CTR_MEMORY_HOST);
  ok = HOST_MASK (enqueue) (mask, image, foreground, &picture, NULL, error) && HOST_MASK (finish) (mask, error);
  free (bytes);
  return ok;
}

/* Likewise masks. */
bool
ctr_mask_enqueue (CtrMask *mask, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  Object object = find_object (mask, false);
  Work work = {.kind = EDGES, .mask = mask, .image = *image, .foreground = *foreground, .edges = *picture};

  if (!object.pointer)
    return HOST_MASK (enqueue) (mask, image, foreground, picture, stream, error);
  if (!check_call (&object, stream, error) || !check_places (&object, image, picture, error))
    return false;
  work.image.memory = work.edges.memory = CTR_MEMORY_HOST;
  if (picture->memory == CTR_MEMORY_HOST)
    return HOST_MASK (enqueue) (mask, &work.image, foreground, &work.edges, NULL, error);
  if (!check_foreground (mask, &work.image, foreground, error))
    return false;
  if (foreground->regions)
    ctr_regions_ref (foreground->regions);
  queue_work (&work, stream);
  return true;
}

bool
ctr_mask_finish (CtrMask *mask, CtrError *error)
{
  if (find_object (mask, false).pointer && device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  finish_work (mask);
  return HOST_MASK (finish) (mask, error);
}

CtrBackground *
ctr_background_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_background_new", backend, error);
}

void
ctr_background_free (CtrBackground *background)
{
  free_object ("ctr_background_free", background);
}

/* A picture in device memory stays queued. */
bool
ctr_background_enqueue (CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params,
    const CtrCorrectedPicture *corrected, void *stream, CtrError *error)
{
  Object object = find_object (background, false);
  Work work = {.kind = CORRECTION, .background = background, .image = *image, .corrected = *corrected};

  if (!object.pointer)
    return HOST_BACKGROUND (enqueue) (background, image, params, corrected, stream, error);
  if (!check_call (&object, stream, error))
    return false;
  if (!lies_in (image->data, image->memory, object.context))
    return fail (error, CTR_ERROR_CUDA, "the image does not lie in the memory it is said to lie in");
  if (!lies_in (corrected->data, corrected->memory, object.context))
    return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
  for (uint32_t i = 0; i < corrected->kept_count; i++)
    if (!lies_in (corrected->kept[i].data, corrected->memory, object.context)
        || !lies_in (corrected->kept[i].source, corrected->memory, object.context))
      return fail (error, CTR_ERROR_CUDA, "a kept plane does not lie in the memory it is said to lie in");
  if (!check_alignment (image->data, image->stride, image->format == CTR_FORMAT_GRAY16, error)
      || !check_alignment (corrected->data, corrected->stride, image->format == CTR_FORMAT_GRAY16, error))
    return false;
  work.background_params = *params;
  work.image.memory = work.corrected.memory = CTR_MEMORY_HOST;
  if (corrected->memory == CTR_MEMORY_HOST)
    return HOST_BACKGROUND (enqueue) (background, &work.image, params, &work.corrected, NULL, error);
  queue_work (&work, stream);
  return true;
}

bool
ctr_background_finish (CtrBackground *background, CtrError *error)
{
  if (find_object (background, false).pointer && device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  finish_work (background);
  return HOST_BACKGROUND (finish) (background, error);
}

CtrPainter *
ctr_painter_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_painter_new", backend, error);
}

void
ctr_painter_free (CtrPainter *painter)
{
  free_object ("ctr_painter_free", painter);
}

bool
ctr_painter_enqueue (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  Object object = find_object (painter, false);
  Work drawing = {.kind = DRAWING, .painter = painter, .picture = *picture, .layers = layers, .count = count};

  if (!object.pointer)
    return HOST_PAINTER (enqueue) (painter, picture, layers, count, colours, stream, error);
  if (!check_call (&object, stream, error))
    return false;
  if (picture->memory != CTR_MEMORY_DEVICE)
    return fail (error, CTR_ERROR_INVALID_ARGUMENT, "the CUDA backend draws in device memory");
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrPaintPlane *plane = &picture->planes[i];

    if (!lies_in (plane->data, picture->memory, object.context))
      return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
    if (!check_alignment (plane->data, plane->stride, picture->sample_size == 2, error))
      return false;
  }
  drawing.picture.memory = CTR_MEMORY_HOST;
  memcpy (drawing.colours, colours, sizeof drawing.colours);
  queue_work (&drawing, stream);
  return true;
}

bool
ctr_painter_finish (CtrPainter *painter, CtrError *error)
{
  Object object = find_object (painter, false);
  CtrStatus status = fail_later;

  if (!object.pointer)
    return HOST_PAINTER (finish) (painter, error);
  fail_later = CTR_OK;
  if (device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  if (context_depth () != 1 || current_context () != object.context)
    return fail (error, CTR_ERROR_CUDA, "another context than the painter's is current, or more than one is pushed");
  finish_work (painter);
  return status == CTR_OK || fail (error, status, "as the test asked");
}

/* How often the default stream has been made to wait. */
static int leads;

CTR_API int fake_cuda_leads (void);
int
fake_cuda_leads (void)
{
  return __atomic_load_n (&leads, __ATOMIC_RELAXED);
}

struct CtrEvent {
  Place place;
};

CtrEvent *
ctr_event_new (CtrError *error)
{
  CtrEvent *event = calloc (1, sizeof *event);

  if (!current_context () || !add_object (event, sizeof *event, current_context ()))
    give_up ("an event is made without a context");
  return event;
}

static void
check_event (const CtrEvent *event)
{
  if (find_object (event, false).context != current_context ())
    give_up ("an event is used outside its context");
}

void
ctr_event_free (CtrEvent *event)
{
  check_event (event);
  find_object (event, true);
  free (event);
}

bool
ctr_event_record (CtrEvent *event, void *stream, CtrError *error)
{
  if (device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  check_event (event);
  event->place = place_in (stream);
  return true;
}

bool
ctr_event_lead (CtrEvent *event, void *stream, CtrError *error)
{
  if (device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  check_event (event);
  __atomic_add_fetch (&leads, !stream, __ATOMIC_RELAXED);
  queue_wait (&event->place, stream);
  return true;
}

bool
ctr_event_is_default_stream_idle (void)
{
  return is_idle (NULL);
}

bool
ctr_event_wait (CtrEvent *event, CtrError *error)
{
  if (device_is_lost ())
    return fail (error, CTR_ERROR_CUDA, LOST);
  check_event (event);
  if (catch_up_with (&event->place))
    note_host_wait ();
  return true;
}
