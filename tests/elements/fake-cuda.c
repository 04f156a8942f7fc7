/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GPU for machines without one: a stand-in for the CUDA driver whose device memory is host memory, and for the core's
 * CUDA backend, which runs the host backend on it. Preloaded, so that the elements' handling of CUDA memory, contexts
 * and errors runs for real.
 *
 * Drawing is done as late as a driver may do it: when somebody waits for it, or for a stream that has to come after it.
 *
 * Stricter than a driver: the core's functions fail unless called in the context they belong to, with nothing but that
 * context on the thread's stack, a stream of it, and device memory of it.
 *
 * The program under test has to be linked with the core; it reaches fake_cuda_fail() and its like through dlsym(). */
#include <contours/contours.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_DEVICES 2
#define MAX_OBJECTS 4096
#define PITCH 512

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201 };

typedef struct {
  int device;
} Context;

/* What lives in a context: memory, streams, analysers, border followers, edge detectors, painters. */
typedef struct {
  void *pointer;
  size_t size;
  Context *context;
} Object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object objects[MAX_OBJECTS];
static CtrStatus fail_next, fail_later;
static bool full;

/* A drawing that is queued. What it reads stays with whoever queued it. */
typedef struct {
  CtrPainter *painter;
  CtrPaintPicture picture;
  const CtrPaintLayer *layers;
  uint32_t count;
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  void *stream;
  Context *context;
  bool leads_default; /* the default stream comes after it */
} Drawing;

static Drawing drawings[4]; /* in the order in which they were queued */
static int n_drawings;

static __thread Context *stack[16];
static __thread int depth;

static Context *
current (void)
{
  return depth > 0 ? stack[depth - 1] : NULL;
}

static bool
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

/* The object that contains POINTER, its pointer NULL when there is none; forgotten if REMOVE. */
static Object
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

static void
give_up (const char *why)
{
  fprintf (stderr, "%s\n", why);
  abort ();
}

/* The host's function behind the one of the same name below. */
#define HOST_PAINTER(name) ((__typeof__ (&ctr_painter_##name)) dlsym (RTLD_NEXT, "ctr_painter_" #name))

/* Does the first COUNT drawings. */
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

/* Does what work in STREAM (NULL: the default one) of the current context has to come after. All streams here follow
 * the default stream, and it follows them. */
static void
catch_up (void *stream)
{
  int count = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    if (drawings[i].context == current () && (!stream || drawings[i].stream == stream || drawings[i].leads_default))
      count = i + 1;
  draw_first (count);
  pthread_mutex_unlock (&lock);
}

/* Memory or a stream that queued work needs must not go. */
static void
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

/* The driver's functions, under the names libgstcuda looks up. */
#define DRIVER(name, ...)         \
  CTR_API int name (__VA_ARGS__); \
  int name (__VA_ARGS__)

/* Looked up, never called here. */
#define UNUSED(name)      \
  DRIVER (name, void)     \
  {                       \
    return INVALID_VALUE; \
  }

DRIVER (cuInit, unsigned flags)
{
  return SUCCESS;
}

DRIVER (cuDriverGetVersion, int *version)
{
  *version = 13000;
  return SUCCESS;
}

DRIVER (cuGetErrorName, int error, const char **name)
{
  *name = "FAKE_CUDA_ERROR";
  return SUCCESS;
}

DRIVER (cuGetErrorString, int error, const char **text)
{
  *text = "an error of the stand-in driver";
  return SUCCESS;
}

DRIVER (cuDeviceGetCount, int *count)
{
  *count = N_DEVICES;
  return SUCCESS;
}

DRIVER (cuDeviceGet, int *device, int ordinal)
{
  *device = ordinal;
  return ordinal >= 0 && ordinal < N_DEVICES ? SUCCESS : INVALID_DEVICE;
}

DRIVER (cuDeviceGetName, char *name, int length, int device)
{
  snprintf (name, length, "stand-in");
  return SUCCESS;
}

DRIVER (cuDeviceGetAttribute, int *value, int attribute, int device)
{
  *value = PITCH;
  return SUCCESS;
}

DRIVER (cuDeviceCanAccessPeer, int *can, int device, int peer)
{
  *can = 0;
  return SUCCESS;
}

DRIVER (cuCtxPushCurrent_v2, Context *context)
{
  if (!context || depth == sizeof stack / sizeof *stack)
    return INVALID_CONTEXT;
  stack[depth++] = context;
  return SUCCESS;
}

DRIVER (cuCtxPopCurrent_v2, Context **context)
{
  if (depth == 0)
    return INVALID_CONTEXT;
  depth--;
  if (context)
    *context = stack[depth];
  return SUCCESS;
}

DRIVER (cuCtxCreate_v2, Context **context, unsigned flags, int device)
{
  *context = calloc (1, sizeof **context);
  (*context)->device = device;
  return cuCtxPushCurrent_v2 (*context);
}

DRIVER (cuCtxDestroy_v2, Context *context)
{
  if (current () == context)
    depth--;
  free (context);
  return SUCCESS;
}

/* Without a limit set, that of a driver. */
DRIVER (cuCtxGetLimit, size_t *value, int limit)
{
  if (!current ())
    return INVALID_CONTEXT;
  *value = 1024;
  return SUCCESS;
}

DRIVER (cuCtxSynchronize, void)
{
  catch_up (NULL);
  return SUCCESS;
}

DRIVER (cuMemAllocPitch_v2, void **memory, size_t *pitch, size_t width, size_t height, unsigned element)
{
  if (!current ())
    return INVALID_CONTEXT;
  if (full)
    return OUT_OF_MEMORY;
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  *memory = malloc (*pitch * height);
  return *memory && add_object (*memory, *pitch * height, current ()) ? SUCCESS : OUT_OF_MEMORY;
}

DRIVER (cuMemFree_v2, void *memory)
{
  Object object = find_object (memory, true);

  if (object.context != current ())
    return INVALID_VALUE;
  check_unused (memory, object.size);
  free (memory);
  return SUCCESS;
}

DRIVER (cuMemAllocHost_v2, void **memory, size_t size)
{
  *memory = malloc (size);
  return *memory ? SUCCESS : OUT_OF_MEMORY;
}

DRIVER (cuMemFreeHost, void *memory)
{
  free (memory);
  return SUCCESS;
}

/* CUDA_MEMCPY2D: for each side x in bytes, y, kind (1 = host), host, device, array, pitch. */
typedef struct {
  size_t x, y;
  unsigned kind;
  char *host, *device;
  void *array;
  size_t pitch;
} Side;

typedef struct {
  Side source, target;
  size_t width, height;
} Copy;

static char *
row_of (const Side *side, size_t row)
{
  return (side->kind == 1 ? side->host : side->device) + (side->y + row) * side->pitch + side->x;
}

DRIVER (cuMemcpy2DAsync_v2, const Copy *copy, void *stream)
{
  if (!current ())
    return INVALID_CONTEXT;
  catch_up (stream);
  for (size_t row = 0; row < copy->height; row++)
    memcpy (row_of (&copy->target, row), row_of (&copy->source, row), copy->width);
  return SUCCESS;
}

DRIVER (cuMemcpy2D_v2, const Copy *copy)
{
  return cuMemcpy2DAsync_v2 (copy, NULL);
}

DRIVER (cuStreamCreate, void **stream, unsigned flags)
{
  if (!current ())
    return INVALID_CONTEXT;
  if (flags != 0)
    return INVALID_VALUE;
  *stream = malloc (1);
  return add_object (*stream, 1, current ()) ? SUCCESS : OUT_OF_MEMORY;
}

DRIVER (cuStreamDestroy, void *stream)
{
  if (find_object (stream, true).context != current ())
    return INVALID_VALUE;
  check_unused (stream, 1);
  free (stream);
  return SUCCESS;
}

/* The name that libgstcuda looks up since 1.24. */
DRIVER (cuStreamDestroy_v2, void *stream)
{
  return cuStreamDestroy (stream);
}

DRIVER (cuStreamSynchronize, void *stream)
{
  catch_up (stream);
  return SUCCESS;
}

UNUSED (cuCtxDisablePeerAccess)
UNUSED (cuCtxEnablePeerAccess)
UNUSED (cuCtxSetLimit)
UNUSED (cuDeviceGetUuid)
UNUSED (cuEventCreate)
UNUSED (cuEventDestroy_v2)
UNUSED (cuEventRecord)
UNUSED (cuEventSynchronize)
UNUSED (cuGLGetDevices_v2)
UNUSED (cuGraphicsGLRegisterBuffer)
UNUSED (cuGraphicsGLRegisterImage)
UNUSED (cuGraphicsMapResources)
UNUSED (cuGraphicsResourceGetMappedPointer_v2)
UNUSED (cuGraphicsResourceSetMapFlags_v2)
UNUSED (cuGraphicsSubResourceGetMappedArray)
UNUSED (cuGraphicsUnmapResources)
UNUSED (cuGraphicsUnregisterResource)
UNUSED (cuIpcCloseMemHandle)
UNUSED (cuIpcGetEventHandle)
UNUSED (cuIpcGetMemHandle)
UNUSED (cuIpcOpenEventHandle)
UNUSED (cuIpcOpenMemHandle)
UNUSED (cuLaunchKernel)
UNUSED (cuMemAlloc_v2)
UNUSED (cuMemcpyDtoDAsync_v2)
UNUSED (cuMemcpyDtoD_v2)
UNUSED (cuMemcpyDtoHAsync_v2)
UNUSED (cuMemcpyDtoH_v2)
UNUSED (cuMemcpyHtoDAsync_v2)
UNUSED (cuMemcpyHtoD_v2)
UNUSED (cuMemsetD2D16Async)
UNUSED (cuMemsetD2D16_v2)
UNUSED (cuMemsetD2D32Async)
UNUSED (cuMemsetD2D32_v2)
UNUSED (cuMemsetD2D8Async)
UNUSED (cuMemsetD2D8_v2)
UNUSED (cuModuleGetFunction)
UNUSED (cuModuleLoadData)
UNUSED (cuModuleUnload)
UNUSED (cuTexObjectCreate)
UNUSED (cuTexObjectDestroy)

/* The core's CUDA backend. */
static bool
fail (CtrError *error, CtrStatus status, const char *message)
{
  if (error) {
    error->status = status;
    snprintf (error->message, sizeof error->message, "%s", message);
  }
  return false;
}

/* The next image of any object of the core fails with STATUS. */
CTR_API void fake_cuda_fail (CtrStatus status);
void
fake_cuda_fail (CtrStatus status)
{
  fail_next = status;
}

/* The next drawing that is waited for turns out to have failed with STATUS. */
CTR_API void fake_cuda_fail_later (CtrStatus status);
void
fake_cuda_fail_later (CtrStatus status)
{
  fail_later = status;
}

/* Drawings that are queued. */
CTR_API int fake_cuda_queued (void);
int
fake_cuda_queued (void)
{
  return n_drawings;
}

/* From now on there is no more device memory, or is again. */
CTR_API void fake_cuda_set_full (bool is_full);
void
fake_cuda_set_full (bool is_full)
{
  full = is_full;
}

/* Streams, objects of the core and pieces of device memory that have not been freed. */
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

bool
ctr_cuda_available (CtrError *error)
{
  return true;
}

/* What the core's FUNCTION makes; on the GPU, in the context that is current. */
static void *
new_object (const char *function, CtrBackend backend, CtrError *error)
{
  void *(*host_new) (CtrBackend, CtrError *) = dlsym (RTLD_NEXT, function);
  void *object;

  if (backend == CTR_BACKEND_CUDA && depth != 1) {
    fail (error, CTR_ERROR_CUDA, "made without a context, or with more than one pushed");
    return NULL;
  }
  object = host_new (CTR_BACKEND_CPU, error);
  if (object && backend == CTR_BACKEND_CUDA)
    add_object (object, 1, current ());
  return object;
}

static void
free_object (const char *function, void *pointer)
{
  void (*host_free) (void *) = dlsym (RTLD_NEXT, function);
  Object object = find_object (pointer, true);

  if (object.pointer && object.context != current ())
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
  if (depth != 1 || current () != object->context)
    return fail (error, CTR_ERROR_CUDA, "another context than the object's is current, or more than one is pushed");
  if (!stream || find_object (stream, false).context != object->context)
    return fail (error, CTR_ERROR_CUDA, "the stream is not one of the object's context");
  return true;
}

/* On IMAGE, too? */
static bool
check_run (const Object *object, const CtrImage *image, void *stream, CtrError *error)
{
  if (!check_call (object, stream, error))
    return false;
  if (!lies_in (image->data, image->memory, object->context))
    return fail (error, CTR_ERROR_CUDA, "the image does not lie in the memory it is said to lie in");
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

CtrComponents *
ctr_cca_run (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponents *(*host_run) (CtrCca *, const CtrImage *, const CtrCcaParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_cca_run");
  Object object = find_object (cca, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_run (cca, &view, params, NULL, error);
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

CtrContours *
ctr_borders_run (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_run) (CtrBorders *, const CtrImage *, const CtrBordersParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_borders_run");
  Object object = find_object (borders, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_run (borders, &view, params, NULL, error);
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

CtrContours *
ctr_cracks_run (CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_run) (CtrCracks *, const CtrImage *, const CtrCracksParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_cracks_run");
  Object object = find_object (cracks, false);
  CtrImage view = *image;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return NULL;
    view.memory = CTR_MEMORY_HOST;
  }
  return host_run (cracks, &view, params, NULL, error);
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

bool
ctr_canny_run (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  bool (*host_run) (CtrCanny *, const CtrImage *, const CtrCannyParams *, const CtrEdgePicture *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_canny_run");
  Object object = find_object (canny, false);
  CtrImage view = *image;
  CtrEdgePicture host_picture = *picture;

  if (object.pointer) {
    if (!check_run (&object, image, stream, error))
      return false;
    for (uint32_t i = 0; i < picture->plane_count; i++) {
      const CtrEdgePlane *plane = &picture->planes[i];
      if (!lies_in (plane->data, picture->memory, object.context)
          || (plane->source && !lies_in (plane->source, picture->memory, object.context)))
        return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
    }
    view.memory = host_picture.memory = CTR_MEMORY_HOST;
  }
  return host_run (canny, &view, params, &host_picture, NULL, error);
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
  Drawing *drawing = &drawings[n_drawings];

  if (!object.pointer)
    return HOST_PAINTER (enqueue) (painter, picture, layers, count, colours, stream, error);
  if (!check_call (&object, stream, error))
    return false;
  if (picture->memory != CTR_MEMORY_DEVICE)
    return fail (error, CTR_ERROR_INVALID_ARGUMENT, "the CUDA backend draws in device memory");
  for (uint32_t i = 0; i < picture->plane_count; i++)
    if (!lies_in (picture->planes[i].data, picture->memory, object.context))
      return fail (error, CTR_ERROR_CUDA, "the picture does not lie in the memory it is said to lie in");
  pthread_mutex_lock (&lock);
  if (n_drawings == sizeof drawings / sizeof *drawings)
    give_up ("more drawings are queued than anyone should have");
  *drawing = (Drawing){painter, *picture, layers, count, .stream = stream, .context = object.context};
  drawing->picture.memory = CTR_MEMORY_HOST;
  memcpy (drawing->colours, colours, sizeof drawing->colours);
  n_drawings++;
  pthread_mutex_unlock (&lock);
  return true;
}

bool
ctr_painter_lead_default (CtrPainter *painter, CtrError *error)
{
  Object object = find_object (painter, false);

  if (!object.pointer)
    return HOST_PAINTER (lead_default) (painter, error);
  if (depth != 1 || current () != object.context)
    return fail (error, CTR_ERROR_CUDA, "another context than the painter's is current, or more than one is pushed");
  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    drawings[i].leads_default = drawings[i].leads_default || drawings[i].painter == painter;
  pthread_mutex_unlock (&lock);
  return true;
}

bool
ctr_painter_finish (CtrPainter *painter, CtrError *error)
{
  Object object = find_object (painter, false);
  CtrStatus status = fail_later;
  int count = 0;

  if (!object.pointer)
    return HOST_PAINTER (finish) (painter, error);
  fail_later = CTR_OK;
  if (depth != 1 || current () != object.context)
    return fail (error, CTR_ERROR_CUDA, "another context than the painter's is current, or more than one is pushed");
  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_drawings; i++)
    if (drawings[i].painter == painter)
      count = i + 1;
  draw_first (count);
  pthread_mutex_unlock (&lock);
  return status == CTR_OK || fail (error, status, "as the test asked");
}
