/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the stand-in GPU have in common: its contexts, the objects that live in them, the drawings that are
 * queued. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <contours/contours.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int device;
} Context;

/* What lives in a context: memory, streams, analysers, border followers, edge detectors, painters. */
typedef struct {
  void *pointer;
  size_t size;
  Context *context;
} Object;

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

/* The host's function behind the one of the same name in the core. */
#define HOST_PAINTER(name) ((__typeof__ (&ctr_painter_##name)) dlsym (RTLD_NEXT, "ctr_painter_" #name))

/* The stack of contexts of this thread. push_context() and pop_context() fail where the stack is full, or empty. */
bool push_context (Context *context);
bool pop_context (void);
int context_depth (void);
Context *current_context (void);

bool add_object (void *pointer, size_t size, Context *context);
/* The object that contains POINTER, its pointer NULL when there is none; forgotten if REMOVE. */
Object find_object (const void *pointer, bool remove);

/* Ends the program. */
void give_up (const char *why);

void queue_drawing (const Drawing *drawing);
/* The default stream of the context comes after PAINTER's drawings. */
void lead_default (const CtrPainter *painter);
/* Does PAINTER's drawings, and those that were queued before them. */
void finish_drawings (const CtrPainter *painter);
/* Does what work in STREAM (NULL: the default one) of the current context has to come after. All streams here follow
 * the default stream, and it follows them. */
void catch_up (const void *stream);
/* Memory or a stream that queued work needs must not go. */
void check_unused (const void *pointer, size_t size);

#endif
