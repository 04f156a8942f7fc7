/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This file replaces the core's CUDA backend: it checks each call strictly, and has the host backend do the work. */
#include "fake-cuda.h"

#include <contours/event.h>
#include <stdio.h>

static CtrStatus fail_next, fail_later;

static bool
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

bool
ctr_cuda_available (CtrError *error)
{
  return true;
}

/* Returns what the core's FUNCTION makes; for the CUDA backend, an object of the current context. */
static void *
new_object (const char *function, CtrBackend backend, CtrError *error)
{
  void *(*host_new) (CtrBackend, CtrError *) = dlsym (RTLD_NEXT, function);
  void *object;

  if (backend == CTR_BACKEND_CUDA && context_depth () != 1) {
    fail (error, CTR_ERROR_CUDA, "made without a context, or with more than one pushed");
    return NULL;
  }
  object = host_new (CTR_BACKEND_CPU, error);
  if (object && backend == CTR_BACKEND_CUDA)
    add_object (object, 1, current_context ());
  return object;
}

static void
free_object (const char *function, void *pointer)
{
  void (*host_free) (void *) = dlsym (RTLD_NEXT, function);
  Object object = find_object (pointer, true);

  if (object.pointer && object.context != current_context ())
    give_up ("an object of the core is freed outside its context");
  host_free (pointer);
}

static bool
lies_in (const void *data, CtrMemory memory, Context *context)
{
  return (find_object (data, false).context == context) == (memory == CTR_MEMORY_DEVICE);
}

/* May OBJECT work on STREAM now? */
static bool
check_call (const Object *object, void *stream, CtrError *error)
{
  CtrStatus status = fail_next;

  fail_next = CTR_OK;
  if (status != CTR_OK)
    return fail (error, status, "as the test asked");
  if (context_depth () != 1 || current_context () != object->context)
    return fail (error, CTR_ERROR_CUDA, "another context than the object's is current, or more than one is pushed");
  if (!stream || find_object (stream, false).context != object->context)
    return fail (error, CTR_ERROR_CUDA, "the stream is not one of the object's context");
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

CtrCca *
ctr_cca_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_cca_new", backend, error);
}

void
ctr_cca_free (CtrCca *cca)
{
  free_object ("ctr_cca_free", cca);
}

/* Runs the core's FUNCTION on the host. */
static CtrComponents *
call_cca (
    const char *function, CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponents *(*host_call) (CtrCca *, const CtrImage *, const CtrCcaParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, function);
  Object object = find_object (cca, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_call (cca, &view, params, NULL, error);
}

CtrComponents *
ctr_cca_run (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  return call_cca ("ctr_cca_run", cca, image, params, stream, error);
}

CtrComponents *
ctr_cca_submit (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  return call_cca ("ctr_cca_submit", cca, image, params, stream, error);
}

/* As new_object(), for strips. */
static void *
new_strips (const char *function, CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  void *(*host_new) (CtrBackend, uint32_t, CtrError *) = dlsym (RTLD_NEXT, function);
  void *strips;

  if (backend == CTR_BACKEND_CUDA && context_depth () != 1) {
    fail (error, CTR_ERROR_CUDA, "made without a context, or with more than one pushed");
    return NULL;
  }
  strips = host_new (CTR_BACKEND_CPU, max_open_rows, error);
  if (strips && backend == CTR_BACKEND_CUDA)
    add_object (strips, 1, current_context ());
  return strips;
}

CtrComponentStrips *
ctr_component_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return new_strips ("ctr_component_strips_new", backend, max_open_rows, error);
}

void
ctr_component_strips_free (CtrComponentStrips *strips)
{
  free_object ("ctr_component_strips_free", strips);
}

/* IMAGE as the host sees it. */
static bool
view_strip (void *strips, const CtrImage *image, CtrImage *view, void *stream, CtrError *error)
{
  Object object = find_object (strips, false);

  *view = *image;
  if (!object.pointer)
    return true;
  view->memory = CTR_MEMORY_HOST;
  return check_run (&object, image, stream, error);
}

CtrComponents *
ctr_component_strips_submit (
    CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponents *(*host_submit) (CtrComponentStrips *, const CtrImage *, const CtrCcaParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_component_strips_submit");
  CtrImage view;

  return view_strip (strips, image, &view, stream, error) ? host_submit (strips, &view, params, NULL, error) : NULL;
}

CtrBorderStrips *
ctr_border_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return new_strips ("ctr_border_strips_new", backend, max_open_rows, error);
}

void
ctr_border_strips_free (CtrBorderStrips *strips)
{
  free_object ("ctr_border_strips_free", strips);
}

CtrContours *
ctr_border_strips_submit (
    CtrBorderStrips *strips, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_submit) (CtrBorderStrips *, const CtrImage *, const CtrBordersParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_border_strips_submit");
  CtrImage view;

  return view_strip (strips, image, &view, stream, error) ? host_submit (strips, &view, params, NULL, error) : NULL;
}

CtrCrackStrips *
ctr_crack_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return new_strips ("ctr_crack_strips_new", backend, max_open_rows, error);
}

void
ctr_crack_strips_free (CtrCrackStrips *strips)
{
  free_object ("ctr_crack_strips_free", strips);
}

CtrContours *
ctr_crack_strips_submit (
    CtrCrackStrips *strips, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_submit) (CtrCrackStrips *, const CtrImage *, const CtrCracksParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_crack_strips_submit");
  CtrImage view;

  return view_strip (strips, image, &view, stream, error) ? host_submit (strips, &view, params, NULL, error) : NULL;
}

CtrBorders *
ctr_borders_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_borders_new", backend, error);
}

void
ctr_borders_free (CtrBorders *borders)
{
  free_object ("ctr_borders_free", borders);
}

/* Runs the core's FUNCTION on the host. */
static CtrContours *
call_borders (const char *function, CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params,
    void *stream, CtrError *error)
{
  CtrContours *(*host_call) (CtrBorders *, const CtrImage *, const CtrBordersParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, function);
  Object object = find_object (borders, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_call (borders, &view, params, NULL, error);
}

CtrContours *
ctr_borders_run (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return call_borders ("ctr_borders_run", borders, image, params, stream, error);
}

CtrContours *
ctr_borders_submit (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return call_borders ("ctr_borders_submit", borders, image, params, stream, error);
}

CtrCracks *
ctr_cracks_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_cracks_new", backend, error);
}

void
ctr_cracks_free (CtrCracks *cracks)
{
  free_object ("ctr_cracks_free", cracks);
}

/* Runs the core's FUNCTION on the host. */
static CtrContours *
call_cracks (const char *function, CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params,
    void *stream, CtrError *error)
{
  CtrContours *(*host_call) (CtrCracks *, const CtrImage *, const CtrCracksParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, function);
  Object object = find_object (cracks, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_call (cracks, &view, params, NULL, error);
}

CtrContours *
ctr_cracks_run (CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return call_cracks ("ctr_cracks_run", cracks, image, params, stream, error);
}

CtrContours *
ctr_cracks_submit (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return call_cracks ("ctr_cracks_submit", cracks, image, params, stream, error);
}

CtrSnake *
ctr_snake_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_snake_new", backend, error);
}

void
ctr_snake_free (CtrSnake *snake)
{
  free_object ("ctr_snake_free", snake);
}

CtrContours *
ctr_snake_run (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  CtrContours *(*host_run) (CtrSnake *, const CtrImage *, const CtrSnakeParams *, const CtrSnakeObject *, uint32_t,
      void *, CtrError *) = dlsym (RTLD_NEXT, "ctr_snake_run");
  Object object = find_object (snake, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_run (snake, &view, params, objects, count, NULL, error);
}

CtrCanny *
ctr_canny_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_canny_new", backend, error);
}

void
ctr_canny_free (CtrCanny *canny)
{
  free_object ("ctr_canny_free", canny);
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
  if (!check_call (&object, stream, error))
    return false;
  if (!lies_in (image->data, image->memory, object.context))
    return fail (error, CTR_ERROR_CUDA, "the image does not lie in the memory it is said to lie in");
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    if (!lies_in (plane->data, picture->memory, object.context)
        || (plane->source && !lies_in (plane->source, picture->memory, object.context)))
      return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
  }
  work.image.memory = work.edges.memory = CTR_MEMORY_HOST;
  if (picture->memory == CTR_MEMORY_HOST)
    return HOST_CANNY (enqueue) (canny, &work.image, params, &work.edges, NULL, error);
  queue_work (&work, stream);
  return true;
}

bool
ctr_canny_finish (CtrCanny *canny, CtrError *error)
{
  finish_work (canny);
  return HOST_CANNY (finish) (canny, error);
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
  for (uint32_t i = 0; i < picture->plane_count; i++)
    if (!lies_in (picture->planes[i].data, picture->memory, object.context))
      return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
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
  check_event (event);
  event->place = place_in (stream);
  return true;
}

bool
ctr_event_lead (CtrEvent *event, void *stream, CtrError *error)
{
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
  check_event (event);
  if (catch_up_with (&event->place))
    note_host_wait ();
  return true;
}
