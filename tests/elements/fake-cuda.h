/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the simulated GPU share its contexts, the objects that belong to them, and the queue of drawings. */
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

/* Queued work: a drawing, whose caller keeps the data that it reads, or, where PAINTER is NULL, a copy. */
typedef struct {
  CtrPainter *painter;
  CtrPaintPicture picture;
  const CtrPaintLayer *layers;
  uint32_t count;
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  void *stream;
  Context *context;
  bool leads_default; /* the default stream waits for it */
  Copy copy;
} Drawing;

/* The core's own function, which the one of the same name in this library hides. */
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

void queue_drawing (const Drawing *drawing);
/* Makes the default stream of the context wait for PAINTER's drawings. */
void lead_default (const CtrPainter *painter);
/* Carries out PAINTER's drawings, and what was queued before them in their streams. */
void finish_drawings (const CtrPainter *painter);
/* Carries out the drawings and copies for which work in STREAM (NULL: the default stream) of the current context must wait. All
 * streams here wait for the default stream, and it waits for them. */
void catch_up (const void *stream);
/* Ends the program if queued work needs this memory or stream. */
void check_unused (const void *pointer, size_t size);

#endif
