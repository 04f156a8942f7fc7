/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the simulated GPU share its contexts, the objects that belong to them, and the queue of work. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <contours/contours.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int device;
} Context;

/* An object that belongs to a context: memory, a stream, or an object of the core. */
typedef struct {
  void *pointer;
  size_t size;
  Context *context;
  bool follows; /* of a stream: it waits for the default stream, and that one for it */
} Object;

/* Side and Copy have the layout of CUDA_MEMCPY2D: x is in bytes, and kind 1 means host memory. */
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

typedef enum { DRAWING, EDGES, CORRECTION, COPY, WAIT } Kind;

/* A place in STREAM (NULL: the default stream): behind the work there whose number is smaller. */
typedef struct {
  void *stream;
  bool follows; /* as of the stream's Object */
  unsigned number;
  Context *context;
} Place;

/* Queued work. The caller keeps the data that it reads. */
typedef struct {
  Kind kind;
  Place place;
  CtrPainter *painter; /* DRAWING */
  CtrPaintPicture picture;
  const CtrPaintLayer *layers;
  uint32_t count;
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  CtrCanny *canny; /* EDGES: this, or a mask */
  CtrMask *mask;
  CtrImage image;
  CtrCannyParams params;
  CtrForeground foreground;
  CtrEdgePicture edges;
  CtrBackground *background; /* CORRECTION, of IMAGE, too */
  CtrBackgroundParams background_params;
  CtrCorrectedPicture corrected;
  Copy copy;     /* COPY */
  Place awaited; /* WAIT: for an event */
} Work;

/* The core's own function, which the one of the same name in this library hides. */
#define HOST_BACKGROUND(name) ((__typeof__ (&ctr_background_##name)) dlsym (RTLD_NEXT, "ctr_background_" #name))
#define HOST_CANNY(name) ((__typeof__ (&ctr_canny_##name)) dlsym (RTLD_NEXT, "ctr_canny_" #name))
#define HOST_MASK(name) ((__typeof__ (&ctr_mask_##name)) dlsym (RTLD_NEXT, "ctr_mask_" #name))
#define HOST_PAINTER(name) ((__typeof__ (&ctr_painter_##name)) dlsym (RTLD_NEXT, "ctr_painter_" #name))

/* Each thread has a stack of contexts. push_context() fails if it is full, and pop_context() if it is empty. */
bool push_context (Context *context);
bool pop_context (void);
int context_depth (void);
Context *current_context (void);

bool add_object (void *pointer, size_t size, Context *context);
/* Returns the object that contains POINTER, or one whose pointer is NULL if there is none. REMOVE also forgets it. */
Object find_object (const void *pointer, bool remove);

/* Ends the program. */
void give_up (const char *why);

void carry_out_copy (const Copy *copy);

/* Says that STREAM waits for the default stream, and that one for it. */
void set_following (const void *stream);

/* The place behind all work that is queued in STREAM of the current context so far. */
Place place_in (void *stream);

/* Queues WORK in STREAM of the current context. */
void queue_work (Work *work, void *stream);
/* Makes all later work in STREAM wait for PLACE. */
void queue_wait (const Place *place, void *stream);
/* Carries out the work of OBJECT, a painter or an edge detector, and what it waits for. */
void finish_work (const void *object);
/* Carries out what new work in STREAM (NULL: the default stream) of the current context would wait for. Returns whether
 * there was any. */
bool catch_up (void *stream);
bool catch_up_with (const Place *place);

/* Whether work is queued that new work in STREAM (NULL: the default stream) of the current context would wait for. */
bool is_idle (void *stream);

/* The host has waited for the GPU. */
void note_host_wait (void);

/* Fills in ERROR, which may be NULL, and returns false. */
bool fail (CtrError *error, CtrStatus status, const char *message);

/* May an object for BACKEND be made now? */
bool can_make (CtrBackend backend, CtrError *error);
/* Makes OBJECT one of the current context if BACKEND is the CUDA backend. */
void *keep_object (void *object, CtrBackend backend);
/* Returns what the core's FUNCTION makes; for the CUDA backend, an object of the current context. */
void *new_object (const char *function, CtrBackend backend, CtrError *error);
void free_object (const char *function, void *object);

/* Whether calls fail as behind an error that sticks. */
bool device_is_lost (void);

/* Drops all queued work. */
void forget_work (void);

/* The GPU has done something, which is timed if the thread has a clock. */
void note_time (void);

/* All times arrive. */
void end_times (void);

/* May OBJECT, of the CUDA backend, work on STREAM now? */
bool check_call (const Object *object, void *stream, CtrError *error);

/* Sets VIEW to IMAGE as the host backend sees it. False if OBJECT cannot work on IMAGE and STREAM now. */
bool view_image (const void *object, const CtrImage *image, CtrImage *view, void *stream, CtrError *error);

/* Ends the program if queued work needs this memory or stream. */
void check_unused (const void *pointer, size_t size);

#endif
