/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing of the input (contours/input.h) by analysers that are linked directly: of one frame, the first one uploads,
 * converts, finds Otsu's threshold and makes the foreground's mask, and the others find this. An element that renders may
 * be the last one: those behind it get other pixels.
 *
 * Nothing is attached to buffers. An analyser offers its input while it pushes the frame: its chain function ends when
 * all that follow in the same thread have had the frame, and then takes the offer back. An analyser asks the one at the
 * other end of its sink pad. So an offer is of the frame at hand, whose pixels have not changed:
 *   - the pads are linked to each other, and no element is in between;
 *   - no probe is on either of them, and none has come and gone since the analysis: probes may write;
 *   - the thread is inside the other's chain function, and the frame has the memory and the caps of the offer.
 * The core also compares address, size and stride. */
#include "gst/base/gstcontoursfilter-private.h"

#define MOST_FOLLOWERS 16

static gboolean
takes_part (GstContoursFilter *self)
{
  return GST_CONTOURS_FILTER_GET_CLASS (self)->needs_foreground != NULL;
}

/* Returns the analyser at the other end of PAD's link (transfer full), if it takes part, otherwise NULL. */
static GstContoursFilter *
find_analyser (GstPad *pad, ContoursLink *link)
{
  GstContoursFilter *analyser = contours_filter_find_linked (pad, link);

  if (analyser && !takes_part (analyser))
    gst_clear_object (&analyser);
  return analyser;
}

static gpointer
get_context (GstContoursFilter *self)
{
  GstContoursGpu *gpu = &PRIVATE (self)->gpu;
  gpointer context;

  g_rec_mutex_lock (&gpu->lock);
  context = gpu->context;
  g_rec_mutex_unlock (&gpu->lock);
  return context;
}

/* Whether both use the same backend, and the same CUDA context. */
static gboolean
work_alike (GstContoursFilter *a, GstContoursFilter *b)
{
  const gint backend = g_atomic_int_get (&PRIVATE (a)->in_use);

  return backend >= 0 && backend == g_atomic_int_get (&PRIVATE (b)->in_use)
         && (backend == CTR_BACKEND_CPU || get_context (a) == get_context (b));
}

/* Returns the analyser that gets the frames of SELF as they are (transfer full), or NULL. */
static GstContoursFilter *
find_follower (GstContoursFilter *self, ContoursLink *link)
{
  GstContoursFilter *follower = find_analyser (GST_BASE_TRANSFORM_SRC_PAD (self), link);

  if (follower
      && (contours_filter_renders (GST_BASE_TRANSFORM_CAST (self)) || link->is_probed || !work_alike (self, follower)))
    gst_clear_object (&follower);
  return follower;
}

static gboolean
needs_pixels (GstContoursFilter *self)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  return !klass->needs_pixels || klass->needs_pixels (self);
}

static gboolean
get_foreground (GstContoursFilter *self, CtrForeground *foreground)
{
  return GST_CONTOURS_FILTER_GET_CLASS (self)->needs_foreground (self, foreground);
}

/* Whether the analyses of both foregrounds have a threshold or a mask in common. */
static gboolean
have_common_work (const CtrForeground *a, const CtrForeground *b)
{
  const gboolean otsu = a->mode == CTR_THRESHOLD_OTSU && b->mode == CTR_THRESHOLD_OTSU;

  if (otsu && !a->ranges && !b->ranges && a->channel == CTR_CHANNEL_LUMA && b->channel == CTR_CHANNEL_LUMA)
    return TRUE;
  return !ctr_foreground_is_plain (a) && ctr_foreground_is_equal (a, b);
}

/* Whether there is a plane of samples only after the luma has been taken from the pixels. */
static gboolean
has_packed_pixels (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_IS_RGB (info) || (GST_VIDEO_INFO_IS_YUV (info) && GST_VIDEO_INFO_N_PLANES (info) == 1);
}

/* Whether SELF makes something of its next frame that a follower needs, too. */
static gboolean
is_worth_sharing (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  const gboolean has_plane = needs_pixels (self)
                             && (has_packed_pixels (&priv->info)
                                 || (!priv->cuda_caps && g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CUDA));
  CtrForeground own, other;
  const gboolean has_foreground =
      get_foreground (self, &own) && !(ctr_foreground_is_plain (&own) && own.mode == CTR_THRESHOLD_FIXED);
  GstContoursFilter *last = gst_object_ref (self), *follower;
  gboolean worth = FALSE;
  ContoursLink link;

  for (guint i = 0;
       i < MOST_FOLLOWERS && !worth && (has_plane || has_foreground) && (follower = find_follower (last, &link)); i++) {
    worth = (has_plane && needs_pixels (follower))
            || (has_foreground && get_foreground (follower, &other) && have_common_work (&own, &other));
    gst_object_unref (last);
    last = follower;
  }
  gst_object_unref (last);
  return worth;
}

/* Returns what the analyser upstream offers for BUFFER, or NULL. It stays valid until SELF has pushed the frame. */
static CtrInput *
find_offer (GstContoursFilter *self, GstBuffer *buffer)
{
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);
  ContoursLink link;
  GstContoursFilter *upstream = find_analyser (sink, &link);
  ContoursOffer offer = {0};

  if (upstream) {
    GST_OBJECT_LOCK (upstream);
    offer = PRIVATE (upstream)->offer;
    GST_OBJECT_UNLOCK (upstream);
    if (offer.thread != g_thread_self () || offer.sink != sink || offer.memory != contours_filter_first_memory (buffer)
        || link.is_probed || link.probes != offer.probes || !work_alike (self, upstream)
        || !gst_video_info_is_equal (&PRIVATE (upstream)->info, &PRIVATE (self)->info))
      offer.input = NULL;
    gst_object_unref (upstream);
  }
  return offer.input;
}

/* Offers INPUT to the follower, if there is one. */
static void
make_offer (GstContoursFilter *self, CtrInput *input, GstBuffer *buffer)
{
  ContoursLink link;
  GstContoursFilter *follower = find_follower (self, &link);
  const ContoursOffer offer = {input, g_thread_self (), contours_filter_first_memory (buffer), link.pad, link.probes};

  if (!follower)
    return;
  GST_OBJECT_LOCK (self);
  PRIVATE (self)->offer = offer;
  GST_OBJECT_UNLOCK (self);
  gst_object_unref (follower);
}

CtrInput *
contours_filter_get_input (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  CtrInput *input;

  if (!priv->in_chain)
    return NULL;
  input = find_offer (self, buffer);
  if (!input && is_worth_sharing (self)) {
    if (!priv->input)
      priv->input = ctr_input_new (NULL);
    input = priv->input;
  }
  if (input)
    make_offer (self, input, buffer);
  return input;
}

static GstFlowReturn
gst_contours_filter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (parent));
  GstFlowReturn ret;

  contours_filter_expect_strip (GST_CONTOURS_FILTER (parent));
  priv->in_chain = TRUE;
  ret = priv->parent_chain (pad, parent, buffer);
  priv->in_chain = FALSE;
  GST_OBJECT_LOCK (parent);
  priv->offer = (ContoursOffer){0};
  GST_OBJECT_UNLOCK (parent);
  if (priv->input)
    ctr_input_clear (priv->input);
  return ret;
}

void
contours_filter_init_sharing (GstContoursFilter *self)
{
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);

  if (!takes_part (self))
    return;
  PRIVATE (self)->parent_chain = GST_PAD_CHAINFUNC (sink);
  gst_pad_set_chain_function (sink, GST_DEBUG_FUNCPTR (gst_contours_filter_chain));
}
