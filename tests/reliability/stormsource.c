/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source of a storm: it takes the steps that are frames, caps and events in the streaming thread, and can be sought.
 * After the last step comes the end of the stream. */
#include "storm.h"

#include <gst/base/gstpushsrc.h>

typedef struct {
  GstPushSrc parent;
  Storm *storm;
  GstCaps *caps;
  guint next; /* step */
} StormSource;

typedef struct {
  GstPushSrcClass parent_class;
} StormSourceClass;

static GstStaticPadTemplate any_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE (StormSource, storm_source, GST_TYPE_PUSH_SRC)

static void
set_caps (StormSource *self, StormRandom *random, gboolean first)
{
  gst_caps_replace (&self->caps, NULL);
  self->caps = storm_caps (self->storm, random, first);
}

static gboolean
storm_source_start (GstBaseSrc *base)
{
  StormSource *self = (StormSource *) base;
  StormRandom random = storm_random (self->storm->seed, STORM_FOR_PLAN, 1);

  if (!self->caps)
    set_caps (self, &random, TRUE);
  return TRUE;
}

static gboolean
storm_source_negotiate (GstBaseSrc *base)
{
  StormSource *self = (StormSource *) base;

  if (gst_base_src_set_caps (base, self->caps))
    return TRUE;
  g_atomic_int_set (&self->storm->caps_refused, TRUE);
  return FALSE;
}

static gboolean
storm_source_is_seekable (GstBaseSrc *base)
{
  return TRUE;
}

/* Every position is as good as any other: the steps go on. */
static gboolean
storm_source_do_seek (GstBaseSrc *base, GstSegment *segment)
{
  return TRUE;
}

static void
push_segment (StormSource *self, StormRandom *random)
{
  GstSegment segment;

  gst_segment_init (&segment, storm_chance (random, 90) ? GST_FORMAT_TIME : GST_FORMAT_BYTES);
  segment.rate = storm_chance (random, 80) ? 1 : 0.25;
  segment.base = storm_chance (random, 50) ? 0 : storm_below (random, 1000) * GST_MSECOND;
  segment.start = storm_chance (random, 70) ? 0 : storm_below (random, 60) * GST_MSECOND;
  segment.time = storm_chance (random, 70) ? segment.start : storm_next (random) >> 20;
  segment.stop =
      storm_chance (random, 70) ? GST_CLOCK_TIME_NONE : segment.start + storm_below (random, 60) * GST_MSECOND;
  gst_pad_push_event (GST_BASE_SRC_PAD (self), gst_event_new_segment (&segment));
}

static void
push_event (StormSource *self, StormRandom *random, guint step)
{
  GstPad *pad = GST_BASE_SRC_PAD (self);

  switch (storm_below (random, 7)) {
    case 0:
    case 1:
      gst_pad_push_event (
          pad, gst_event_new_gap (step * GST_MSECOND, storm_chance (random, 50) ? GST_MSECOND : GST_CLOCK_TIME_NONE));
      break;
    case 2:
      gst_pad_push_event (pad, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "storm", NULL)));
      break;
    case 3:
      gst_pad_push_event (
          pad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, gst_structure_new_empty ("storm")));
      break;
    case 4:
      gst_pad_push_event (pad, gst_event_new_segment_done (GST_FORMAT_TIME, step * GST_MSECOND));
      break;
    case 5: {
      GstEvent *start = gst_event_new_stream_start (storm_chance (random, 50) ? "storm" : "another");

      gst_event_set_group_id (start, gst_util_group_id_next ());
      gst_pad_push_event (pad, start);
      gst_pad_push_event (pad, gst_event_new_caps (self->caps));
      push_segment (self, random);
      break;
    }
    default:
      push_segment (self, random);
      break;
  }
}

static void
push_queries (StormSource *self, StormRandom *random)
{
  GstQuery *query;

  switch (storm_below (random, 4)) {
    case 0:
      query = gst_query_new_drain ();
      break;
    case 1:
      query = gst_query_new_allocation (self->caps, storm_chance (random, 50));
      break;
    case 2:
      query = gst_query_new_accept_caps (self->caps);
      break;
    default:
      query = gst_query_new_caps (storm_chance (random, 50) ? self->caps : NULL);
      break;
  }
  gst_pad_peer_query (GST_BASE_SRC_PAD (self), query);
  gst_query_unref (query);
}

static GstBuffer *
next_frame (StormSource *self, StormRandom *random, guint step)
{
  GstBufferPool *pool = gst_base_src_get_buffer_pool (GST_BASE_SRC (self));
  GstBuffer *frame = storm_frame (self->storm, random, self->caps, pool, step);

  gst_clear_object (&pool);
  return frame;
}

static GstFlowReturn
storm_source_create (GstPushSrc *push, GstBuffer **buffer)
{
  StormSource *self = (StormSource *) push;
  Storm *storm = self->storm;

  while (self->next < storm->n_steps) {
    const guint step = self->next++;
    StormRandom random = storm_random (storm->seed, STORM_FOR_STEPS, step);

    if (!storm->kept.steps[step] || storm_role (storm, step) != STORM_FRAMES)
      continue;
    storm_pace (storm, STORM_FRAMES, step);
    if (g_atomic_int_compare_and_exchange (&storm->end_wanted, TRUE, FALSE))
      return GST_FLOW_EOS;
    switch (storm_below (&random, 16)) {
      case 0:
      case 1:
        set_caps (self, &random, FALSE);
        /* Some sources push frames of caps that were refused. */
        if (!gst_base_src_negotiate (GST_BASE_SRC (self))) {
          g_atomic_int_set (&storm->caps_refused, TRUE);
          if (storm->trusts_frames || storm_chance (&random, 70))
            return GST_FLOW_NOT_NEGOTIATED;
        }
        break;
      case 2:
        push_event (self, &random, step);
        continue;
      case 3:
        push_queries (self, &random);
        continue;
      case 4: {
        GstBufferList *list = gst_buffer_list_new ();

        for (guint n = 1 + storm_below (&random, 3); n > 0; n--)
          gst_buffer_list_add (list, next_frame (self, &random, step));
        gst_base_src_submit_buffer_list (GST_BASE_SRC (self), list);
        return GST_FLOW_OK;
      }
      default:
        break;
    }
    *buffer = next_frame (self, &random, step);
    return GST_FLOW_OK;
  }
  storm_pace (storm, STORM_FRAMES, G_MAXUINT);
  return GST_FLOW_EOS;
}

static void
storm_source_finalize (GObject *object)
{
  gst_caps_replace (&((StormSource *) object)->caps, NULL);
  G_OBJECT_CLASS (storm_source_parent_class)->finalize (object);
}

static void
storm_source_class_init (StormSourceClass *klass)
{
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = storm_source_finalize;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &any_template);
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "Storm", "Source/Video", "Random frames", "The gst-cuda-contours authors");
  base_class->start = storm_source_start;
  base_class->negotiate = storm_source_negotiate;
  base_class->is_seekable = storm_source_is_seekable;
  base_class->do_seek = storm_source_do_seek;
  GST_PUSH_SRC_CLASS (klass)->create = storm_source_create;
}

static void
storm_source_init (StormSource *self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

GstElement *
storm_source_new (Storm *storm)
{
  StormSource *self = g_object_new (storm_source_get_type (), NULL);

  self->storm = storm;
  return GST_ELEMENT (self);
}
