/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A storm: a random chain of elements, and random steps that three threads take on it at the same time. Everything is a
 * function of a seed. Each element and each step has random numbers of its own, so that leaving one out changes no other:
 * this is how a failure is shrunk.
 *
 *   storm.c            options; batches of storms in processes of their own, until the time is over
 *   stormshrink.c      leaves out steps and elements of a storm that fails, as long as it fails
 *   stormrun.c         one storm: the threads, the watchdog, what is checked
 *   stormchain.c       the chain: elements, links, insertion and removal while it runs
 *   stormsource.c      the source, which takes the steps that are frames, events and caps
 *   stormframes.c      frames, right and wrong ones
 *   stormcuda.c        frames in CUDA memory
 *   stormcaps.c        caps
 *   stormproperties.c  values of properties
 */
#ifndef STORM_H
#define STORM_H

#include <gst/gst.h>

/* Random numbers by SplitMix64. */
typedef struct {
  guint64 state;
} StormRandom;

StormRandom storm_random (guint32 seed, guint purpose, guint index);
guint64 storm_next (StormRandom *random);
/* 0 to N - 1. */
guint storm_below (StormRandom *random, guint n);
gboolean storm_chance (StormRandom *random, guint percent);
/* FROM to TO, both included: the ends and what is near the lower one more often than the rest. */
gint64 storm_between (StormRandom *random, gint64 from, gint64 to);

/* What random numbers are for. */
enum { STORM_FOR_PLAN, STORM_FOR_ELEMENTS, STORM_FOR_STEPS };

/* Who takes a step. */
typedef enum { STORM_FRAMES, STORM_PROPERTIES, STORM_CONTROL, STORM_N_ROLES } StormRole;

#define STORM_MAX_STEPS 160
#define STORM_MAX_ELEMENTS 8

/* Steps and elements of a storm that take part. */
typedef struct {
  gboolean steps[STORM_MAX_STEPS];
  gboolean elements[STORM_MAX_ELEMENTS];
} StormSelection;

typedef struct {
  guint32 seed;
  guint n_steps, n_elements;
  StormSelection kept;

  GMutex lock;
  GMutex changing; /* of who changes the state of the pipeline, or its elements */
  GCond moved;
  guint at[STORM_N_ROLES]; /* step of each thread */

  GstElement *pipeline, *source, *sink;
  /* By number, those that steps have inserted behind those of the plan; NULL if it is not there. Under the lock. */
  GstElement *elements[STORM_MAX_ELEMENTS + STORM_MAX_STEPS];
  /* The elements between source and sink, in their order. Under the lock. */
  GPtrArray *chain;
  gboolean trusts_frames; /* an element of others believes what a GstVideoMeta says */
  gboolean may_block;     /* an element waits for a reader that does not come */
  gint caps_refused;      /* somebody downstream did not take caps */
  gint end_wanted;        /* the source ends the stream at its next step */
  gint alive;             /* elements of ours that are not finalized */
} Storm;

/* stormrun.c */
/* Sets SEED, the sizes, and keeps everything. */
void storm_plan (Storm *storm, guint32 seed);
StormRole storm_role (const Storm *storm, guint step);
/* Waits for a short time, until the other threads are about as far. */
void storm_pace (Storm *storm, StormRole role, guint step);
/* Runs the storm. Returns an exit status; complaints go to the standard error output. */
gint storm_run (Storm *storm);

/* stormchain.c */
void storm_build (Storm *storm);
void storm_insert (Storm *storm, StormRandom *random, guint step);
void storm_remove (Storm *storm, StormRandom *random);
/* A reference to element NUMBER, or NULL. */
GstElement *storm_get_element (Storm *storm, guint number);
gboolean storm_is_ours (GstElement *element);

/* stormsource.c */
GType storm_source_get_type (void);
GstElement *storm_source_new (Storm *storm);

/* stormcaps.c */
GstCaps *storm_caps (const Storm *storm, StormRandom *random, gboolean first);

/* stormframes.c */
/* Fills BUFFER with one of many kinds of pictures. */
void storm_paint (StormRandom *random, GstBuffer *buffer);
GstBuffer *storm_frame (
    const Storm *storm, StormRandom *random, const GstCaps *caps, GstBufferPool *pool, guint64 number);

/* stormcuda.c */
/* Whether frames are in CUDA memory between the elements: with CTR_TEST_MEMORY=cuda in the environment. */
gboolean storm_in_cuda_memory (void);
/* Whether there is a GPU for that; if not, says so. */
gboolean storm_has_gpu (void);
/* Makes CAPS such as CUDA memory can have, mostly. */
void storm_make_cuda_caps (StormRandom *random, GstCaps *caps);
gboolean storm_are_cuda_caps (const GstCaps *caps);
/* A frame from POOL, or from another one. NULL if there is none for CAPS. */
GstBuffer *storm_cuda_frame (StormRandom *random, const GstCaps *caps, GstBufferPool *pool);
/* Lets ELEMENT, which has random properties, work on the GPU, mostly. */
void storm_prefer_gpu (StormRandom *random, GstElement *element);

/* stormproperties.c */
/* Sets one random property of ELEMENT. */
void storm_set_property (StormRandom *random, GstElement *element);
/* Writes the files that properties name, into the working directory, and opens their descriptors. */
void storm_prepare_files (void);

/* storm.c */
#define STORM_PASSED 0
#define STORM_FOUND 3 /* complaints, no crash */
#define STORM_HUNG 124

typedef struct {
  gint status;   /* as of waitpid(), or -1 if it was killed for its time */
  guint32 last;  /* the seed that it was at */
  gchar *errors; /* what it said */
} StormVerdict;

/* Runs COUNT storms from SEED on in a process of their own, with SELECTION of each, unless NULL. WHOLE: whole stacks of leaks. */
StormVerdict storm_in_process (
    guint32 seed, guint count, guint seconds, const StormSelection *selection, gboolean whole);
gboolean storm_verdict_is_failure (const StormVerdict *verdict);
gchar *storm_verdict_name (const StormVerdict *verdict);

/* stormshrink.c */
/* Prints the shortest line found that reproduces VERDICT of SEED, within SECONDS. */
void storm_shrink (guint32 seed, const StormVerdict *verdict, guint seconds);

#endif
