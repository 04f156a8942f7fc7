/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps and allocation: the formats that the contours filter accepts, and its buffer pools. */
#include "gst/base/gstcontoursfilter-private.h"

#include "gst/base/allocation.h"
#include "gst/base/pinnedpool.h"

/* The core reads 16-bit samples in native order. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#if GST_CHECK_VERSION(1, 25, 1)
#define GRAY_16 "GRAY16_LE, GRAY10_LE16, "
#else
#define GRAY_16 "GRAY16_LE, "
#endif
#define LUMA_16_CUDA_1_22 "P010_10LE, P016_LE, I420_10LE, I422_10LE, I422_12LE, Y444_16LE, "
#define LUMA_16_CUDA_1_24 "P012_LE, I420_12LE, Y444_10LE, Y444_12LE, "
#else
#define GRAY_16 ""
#define LUMA_16_CUDA_1_22 ""
#define LUMA_16_CUDA_1_24 ""
#endif
#if GST_CHECK_VERSION(1, 24, 0)
#define LUMA_16_CUDA LUMA_16_CUDA_1_22 LUMA_16_CUDA_1_24
#define LUMA_16_SYSTEM ""
#else
#define LUMA_16_CUDA LUMA_16_CUDA_1_22
#define LUMA_16_SYSTEM LUMA_16_CUDA_1_24
#endif

/* Formats that libgstcuda supports since 1.22, or where it says so since 1.24, and that the core reads. libgstcuda has no
 * GRAY format. */
#define CUDA_FORMATS "NV12, NV21, I420, YV12, Y42B, Y444, " LUMA_16_CUDA "RGBA, BGRA, RGBx, BGRx, ARGB, ABGR, RGB, BGR"
#define SYSTEM_FORMATS "GRAY8, " GRAY_16 "NV16, NV61, NV24, Y41B, " LUMA_16_SYSTEM CUDA_FORMATS
#define CUDA_YUV "YUY2, UYVY"
#define SYSTEM_YUV "YUY2, UYVY, YVYU, VYUY"

#define SYSTEM_CAPS(yuv) GST_VIDEO_CAPS_MAKE ("{ " SYSTEM_FORMATS yuv " }")
#ifdef HAVE_GST_CUDA
#define CUDA_CAPS(formats) GST_VIDEO_CAPS_MAKE_WITH_FEATURES (GST_CONTOURS_CUDA_FEATURE, "{ " formats " }") "; "
#else
#define CUDA_CAPS(formats) ""
#endif
#define CAPS CUDA_CAPS (CUDA_FORMATS ", " CUDA_YUV) SYSTEM_CAPS (", " SYSTEM_YUV)
#define CAPS_WITHOUT_YUV CUDA_CAPS (CUDA_FORMATS) SYSTEM_CAPS ("")
/* Packed YUV in whole pairs of pixels. */
#define EVEN_YUV(features, formats)                                \
  "video/x-raw" features ", format = (string) { " formats          \
  " }, width = (int) [ 2, 65534, 2 ], height = (int) [ 1, max ], " \
  "framerate = (fraction) [ 0, max ]"
#ifdef HAVE_GST_CUDA
#define EVEN_CUDA_YUV EVEN_YUV ("(" GST_CONTOURS_CUDA_FEATURE ")", CUDA_YUV) "; "
#else
#define EVEN_CUDA_YUV ""
#endif
#define CAPS_WITH_EVEN_YUV CAPS_WITHOUT_YUV "; " EVEN_CUDA_YUV EVEN_YUV ("", SYSTEM_YUV)

#define PAD_TEMPLATES(name, caps)                                                             \
  static GstStaticPadTemplate name##_sink =                                                   \
      GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (caps)); \
  static GstStaticPadTemplate name##_src =                                                    \
      GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (caps));

PAD_TEMPLATES (all, CAPS)
PAD_TEMPLATES (even_yuv, CAPS_WITH_EVEN_YUV)
PAD_TEMPLATES (no_yuv, CAPS_WITHOUT_YUV)

#define RENDERED_FRAMES 3 /* in the pool: one downstream, one in work, one between */

static GstBaseTransformClass *parent_class;

static gboolean
is_cuda_caps (GstCaps *caps)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CONTOURS_CUDA_FEATURE);
}

static gboolean
drop_cuda (GstCapsFeatures *features, GstStructure *structure, gpointer user_data)
{
  return !gst_caps_features_contains (features, GST_CONTOURS_CUDA_FEATURE);
}

/* Both pads have the same caps. The CPU backend accepts no CUDA memory. */
static GstCaps *
gst_contours_filter_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  gint in_use = g_atomic_int_get (&priv->in_use);
  GstCaps *result = gst_caps_copy (caps);
  gboolean host;

  GST_OBJECT_LOCK (trans);
  host = in_use < 0 ? priv->backend == BACKEND_CPU : in_use == CTR_BACKEND_CPU;
  GST_OBJECT_UNLOCK (trans);
  if (host)
    gst_caps_filter_and_map_in_place (result, drop_cuda, NULL);
  if (filter) {
    GstCaps *intersection = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (result);
    result = intersection;
  }
  return result;
}

/* The frame size is checked with each frame: an error here would be posted again for every buffer that follows. */
static gboolean
gst_contours_filter_set_caps (GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));

  priv->cuda_caps = is_cuda_caps (incaps);
  priv->warned_interlaced = FALSE;
  contours_filter_drop_copies (GST_CONTOURS_FILTER (trans));
  if (priv->cuda_caps && g_atomic_int_get (&priv->in_use) != CTR_BACKEND_CUDA)
    return FALSE;
  return gst_video_info_from_caps (&priv->info, incaps);
}

/* Whether frames in system memory are brought to the GPU: the CPU draws on them. */
static gboolean
uploads (GstContoursFilter *self)
{
  return !GST_CONTOURS_FILTER_GET_CLASS (self)->draw && g_atomic_int_get (&PRIVATE (self)->in_use) == CTR_BACKEND_CUDA;
}

/* An in-place element pushes the frames that it receives, so it accepts what downstream accepts (pools, metas such as
 * GstVideoMeta): the parent class forwards the query. Crop and transformation metas are the exception, because frames
 * are analysed whole. Frames that are only read may have any layout.
 * Frames in CUDA memory always carry a GstVideoMeta and should come from a pool of the context that we work in. Frames
 * in system memory that go to the GPU should come from page-locked memory, if downstream has no wishes of its own. */
static gboolean
gst_contours_filter_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  gboolean answered = parent_class->propose_allocation (trans, decide_query, query);
  GstCaps *caps = NULL;

  allocation_drop_placement_metas (query);
  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps)
    return answered;
  if ((is_cuda_caps (caps) || contours_filter_renders (trans))
      && !gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (is_cuda_caps (caps))
    return gst_contours_gpu_provide_pool (&priv->gpu, query);
  if (uploads (GST_CONTOURS_FILTER (trans)) && pinned_pool_offer (&priv->gpu, query))
    return TRUE;
  return answered || contours_filter_renders (trans);
}

/* Frames in CUDA memory without a stream: a frame is rendered in a memory that has been in the pool for a while, and so
 * need not wait for the drawing on the frame before. */
static void
enlarge_pool (GstContoursFilterPrivate *priv, GstQuery *query)
{
  GstBufferPool *pool = NULL;
  guint size = 0, min = 0, max = 0;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  if (max == 0 || max >= RENDERED_FRAMES) {
    gst_query_set_nth_allocation_pool (query, 0, pool, size, MAX (min, RENDERED_FRAMES), max);
    priv->unfilled = RENDERED_FRAMES;
  }
  gst_clear_object (&pool);
}

/* In newer versions of GStreamer, pools of CUDA memory do not make their least number of buffers when they start. */
void
contours_filter_fill_pool (GstContoursFilter *self, GstBufferPool *pool)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstBufferPoolAcquireParams params = {.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT};
  GstBuffer *buffers[RENDERED_FRAMES];
  guint count = 0;

  while (count + 1 < priv->unfilled && gst_buffer_pool_acquire_buffer (pool, &buffers[count], &params) == GST_FLOW_OK)
    count++;
  for (guint i = 0; i < count; i++)
    gst_buffer_unref (buffers[i]);
  priv->unfilled = 0;
}

/* Rendered frames use downstream's pool if there is one, otherwise a pool of our own. */
static gboolean
gst_contours_filter_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  GstBufferPool *pool = NULL;
  GstStructure *config;
  GstCaps *caps = NULL;
  guint size = 0, min = 0, max = 0;

  priv->unfilled = 0;
  /* The pool that this one replaces frees its memory. */
  if (!contours_filter_finish_drawing (GST_CONTOURS_FILTER (trans)))
    return FALSE;
  gst_query_parse_allocation (query, &caps, NULL);
  if (is_cuda_caps (caps)) {
    /* Without a pool, prepare_output_buffer() posts one error. */
    if (!gst_contours_gpu_provide_pool (&priv->gpu, query))
      while (gst_query_get_n_allocation_pools (query) > 0)
        gst_query_remove_nth_allocation_pool (query, 0);
    if (contours_filter_renders (trans) && gst_query_get_n_allocation_pools (query) > 0)
      enlarge_pool (priv, query);
  } else {
    if (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    else
      gst_query_add_allocation_pool (query, NULL, size, min, max);
    if (!pool)
      pool = gst_video_buffer_pool_new ();
    size = MAX (size, GST_VIDEO_INFO_SIZE (&priv->info));
    /* The pool may choose strides that suit downstream. */
    config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
    gst_buffer_pool_config_set_params (config, caps, size, min, max);
    gst_buffer_pool_set_config (pool, config);
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
    gst_object_unref (pool);
  }
  return parent_class->decide_allocation (trans, query);
}

/* A rendered frame has the size and geometry of its input: metas that describe these are kept, metas that describe the
 * buffer's memory are not. */
static gboolean
gst_contours_filter_transform_meta (GstBaseTransform *trans, GstBuffer *outbuf, GstMeta *meta, GstBuffer *inbuf)
{
  static const gchar *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
      GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_COLORSPACE_STR, NULL};

  for (const gchar *const *tag = gst_meta_api_type_get_tags (meta->info->api); tag && *tag; tag++)
    if (!g_strv_contains (kept, *tag))
      return FALSE;
  return TRUE;
}

void
gst_contours_filter_class_limit_packed_yuv (GstContoursFilterClass *klass, gboolean even_widths)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  /* A template replaces one of the same name. */
  gst_element_class_add_static_pad_template (element_class, even_widths ? &even_yuv_sink : &no_yuv_sink);
  gst_element_class_add_static_pad_template (element_class, even_widths ? &even_yuv_src : &no_yuv_src);
}

void
contours_filter_class_init_negotiation (GstContoursFilterClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  parent_class = g_type_class_peek_parent (klass);
  gst_element_class_add_static_pad_template (element_class, &all_sink);
  gst_element_class_add_static_pad_template (element_class, &all_src);
  trans_class->transform_caps = GST_DEBUG_FUNCPTR (gst_contours_filter_transform_caps);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_contours_filter_set_caps);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (gst_contours_filter_propose_allocation);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR (gst_contours_filter_decide_allocation);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (gst_contours_filter_transform_meta);
}
