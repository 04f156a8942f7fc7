/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers make frames of known pixels in any format, layout and memory for the tests of elements. They are static
 * inline, so that a test may leave some unused. */
#ifndef FRAMES_H
#define FRAMES_H

#include <contours/contours.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/contours/gstcontours.h>
#include <gst/video/video.h>

#ifdef HAVE_GST_CUDA
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcudastream.h>
#endif
#endif

/* Every format that the elements accept, with the samples that they read. This table is independent of the elements'
 * own. */
typedef struct {
  GstVideoFormat video;
  CtrFormat samples;
  gboolean in_cuda_memory;
} TestFormat;

static const TestFormat test_formats[] = {
    {GST_VIDEO_FORMAT_GRAY8, CTR_FORMAT_GRAY8, FALSE},
    {GST_VIDEO_FORMAT_GRAY16_LE, CTR_FORMAT_GRAY16, FALSE},
    {GST_VIDEO_FORMAT_NV12, CTR_FORMAT_GRAY8, TRUE},
    {GST_VIDEO_FORMAT_NV21, CTR_FORMAT_GRAY8, TRUE},
    {GST_VIDEO_FORMAT_I420, CTR_FORMAT_GRAY8, TRUE},
    {GST_VIDEO_FORMAT_YV12, CTR_FORMAT_GRAY8, TRUE},
    {GST_VIDEO_FORMAT_Y42B, CTR_FORMAT_GRAY8, TRUE},
    {GST_VIDEO_FORMAT_Y444, CTR_FORMAT_GRAY8, TRUE},
    {GST_VIDEO_FORMAT_P010_10LE, CTR_FORMAT_GRAY16, TRUE},
    {GST_VIDEO_FORMAT_P016_LE, CTR_FORMAT_GRAY16, TRUE},
    {GST_VIDEO_FORMAT_NV16, CTR_FORMAT_GRAY8, FALSE},
    {GST_VIDEO_FORMAT_NV61, CTR_FORMAT_GRAY8, FALSE},
    {GST_VIDEO_FORMAT_NV24, CTR_FORMAT_GRAY8, FALSE},
    {GST_VIDEO_FORMAT_Y41B, CTR_FORMAT_GRAY8, FALSE},
    {GST_VIDEO_FORMAT_I420_10LE, CTR_FORMAT_GRAY16, TRUE},
    {GST_VIDEO_FORMAT_I422_10LE, CTR_FORMAT_GRAY16, TRUE},
    {GST_VIDEO_FORMAT_I422_12LE, CTR_FORMAT_GRAY16, TRUE},
    {GST_VIDEO_FORMAT_Y444_16LE, CTR_FORMAT_GRAY16, TRUE},
    {GST_VIDEO_FORMAT_P012_LE, CTR_FORMAT_GRAY16, GST_CHECK_VERSION (1, 24, 0)},
    {GST_VIDEO_FORMAT_I420_12LE, CTR_FORMAT_GRAY16, GST_CHECK_VERSION (1, 24, 0)},
    {GST_VIDEO_FORMAT_Y444_10LE, CTR_FORMAT_GRAY16, GST_CHECK_VERSION (1, 24, 0)},
    {GST_VIDEO_FORMAT_Y444_12LE, CTR_FORMAT_GRAY16, GST_CHECK_VERSION (1, 24, 0)},
    {GST_VIDEO_FORMAT_YUY2, CTR_FORMAT_YUYV, TRUE},
    {GST_VIDEO_FORMAT_UYVY, CTR_FORMAT_UYVY, TRUE},
    {GST_VIDEO_FORMAT_YVYU, CTR_FORMAT_YVYU, FALSE},
    {GST_VIDEO_FORMAT_VYUY, CTR_FORMAT_VYUY, FALSE},
    {GST_VIDEO_FORMAT_RGBA, CTR_FORMAT_RGBX, TRUE},
    {GST_VIDEO_FORMAT_BGRA, CTR_FORMAT_BGRX, TRUE},
    {GST_VIDEO_FORMAT_RGBx, CTR_FORMAT_RGBX, TRUE},
    {GST_VIDEO_FORMAT_BGRx, CTR_FORMAT_BGRX, TRUE},
    {GST_VIDEO_FORMAT_ARGB, CTR_FORMAT_XRGB, TRUE},
    {GST_VIDEO_FORMAT_ABGR, CTR_FORMAT_XBGR, TRUE},
    {GST_VIDEO_FORMAT_RGB, CTR_FORMAT_RGB, TRUE},
    {GST_VIDEO_FORMAT_BGR, CTR_FORMAT_BGR, TRUE},
};

typedef struct {
  GstVideoFormat format;
  gint width;
  gint height;
  gint padding; /* bytes added to each row */
  gsize offset; /* bytes before the first plane */
  gint fill;    /* of offset and padding: a byte, or -1 for random bytes */
  guint seed;   /* of the pixels */
} TestFrame;

/* The backend of this run; meson.build sets it. */
static inline const gchar *
test_backend (void)
{
  const gchar *backend = g_getenv ("CTR_TEST_BACKEND");

  return backend ? backend : "cpu";
}

static inline gboolean
test_on_gpu (void)
{
  return g_str_equal (test_backend (), "cuda");
}

/* Does this run use frames in CUDA memory? */
static inline gboolean
test_in_cuda_memory (void)
{
  return g_strcmp0 (g_getenv ("CTR_TEST_MEMORY"), "cuda") == 0;
}

/* Ends the program with Meson's exit status for a skipped test if this run needs a GPU and there is none. */
static inline void
skip_without_gpu (void)
{
  CtrError error;

  if ((test_on_gpu () || test_in_cuda_memory ()) && !ctr_cuda_available (&error)) {
    g_print ("skipped: %s\n", error.message);
    exit (77);
  }
#ifndef HAVE_GST_CUDA
  if (test_on_gpu () || test_in_cuda_memory ()) {
    g_print ("skipped: built without gstreamer-cuda-1.0\n");
    exit (77);
  }
#endif
}

static inline guint
hash (guint a, guint b, guint c, guint d)
{
  guint h = a * 0x9e3779b1u + b * 0x85ebca6bu + c * 0xc2b2ae35u + d * 0x27d4eb2fu;

  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

/* Returns a byte of a pattern of blocks of 6 x 4 bytes with noise, which has components of many sizes, some of them
 * nearly touching. */
static inline guint8
frame_byte (guint seed, guint plane, guint column, guint row)
{
  guint noise = hash (seed + 1, plane, column, row);

  return noise % 16 == 0 ? noise >> 8 : hash (seed, plane, column / 6, row / 4) >> 16;
}

static inline guint
plane_rows (const GstVideoInfo *info, guint plane)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];

  gst_video_format_info_component (info->finfo, plane, components);
  return GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
}

static inline gboolean
is_packed_yuv (GstVideoFormat video)
{
  return video == GST_VIDEO_FORMAT_YUY2 || video == GST_VIDEO_FORMAT_UYVY || video == GST_VIDEO_FORMAT_YVYU
         || video == GST_VIDEO_FORMAT_VYUY;
}

/* The significant bits of the samples of VIDEO, those below its own included, by a table that is independent of the elements'
 * own. */
static inline guint
format_bits (GstVideoFormat video)
{
  switch (video) {
    case GST_VIDEO_FORMAT_I420_10LE:
    case GST_VIDEO_FORMAT_I422_10LE:
    case GST_VIDEO_FORMAT_Y444_10LE:
      return 10;
    case GST_VIDEO_FORMAT_I420_12LE:
    case GST_VIDEO_FORMAT_I422_12LE:
    case GST_VIDEO_FORMAT_Y444_12LE:
      return 12;
    default:
      return 16;
  }
}

static inline guint
plane_row_bytes (const GstVideoInfo *info, guint plane)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];

  if (is_packed_yuv (GST_VIDEO_INFO_FORMAT (info)))
    return (GST_VIDEO_INFO_WIDTH (info) + 1) / 2 * 4;
  gst_video_format_info_component (info->finfo, plane, components);
  return GST_VIDEO_INFO_COMP_WIDTH (info, components[0]) * GST_VIDEO_INFO_COMP_PSTRIDE (info, components[0]);
}

static inline GstCaps *
frame_caps (const TestFrame *frame)
{
  GstCaps *caps =
      gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (frame->format), "width",
          G_TYPE_INT, frame->width, "height", G_TYPE_INT, frame->height, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);

  if (test_in_cuda_memory ())
    gst_caps_set_features_simple (caps, gst_caps_features_new_single ("memory:CUDAMemory"));
  return caps;
}

static inline void
fill_pixels (const TestFrame *frame, const GstVideoInfo *info, guint8 *data, const gsize *offsets, const gint *strides)
{
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (info); plane++)
    for (guint row = 0; row < plane_rows (info, plane); row++)
      for (guint column = 0; column < plane_row_bytes (info, plane); column++)
        data[offsets[plane] + (gsize) row * strides[plane] + column] = frame_byte (frame->seed, plane, column, row);
}

/* An element that draws needs something to draw, or it ignores the frame. */
static const GstVideoRectangle test_region = {5, 3, 20, 14};

static inline void
add_something_to_draw (GstBuffer *buffer)
{
  if (g_strcmp0 (g_getenv ("CTR_TEST_ELEMENT"), "cudacontouroverlay") == 0)
    gst_buffer_add_video_region_of_interest_meta (
        buffer, "test", test_region.x, test_region.y, test_region.w, test_region.h);
}

/* Makes the frame in system memory, with a GstVideoMeta if its layout is not the default. */
static inline GstBuffer *
make_system_frame (const TestFrame *frame)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = {0}, size = frame->offset;
  gint strides[GST_VIDEO_MAX_PLANES] = {0};
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (&info); plane++) {
    strides[plane] = GST_VIDEO_INFO_PLANE_STRIDE (&info, plane) + frame->padding;
    offsets[plane] = size;
    size += (gsize) strides[plane] * plane_rows (&info, plane);
  }
  if (frame->padding == 0 && frame->offset == 0) {
    size = GST_VIDEO_INFO_SIZE (&info);
    memcpy (offsets, info.offset, sizeof offsets);
  }

  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++)
    map.data[i] = frame->fill < 0 ? hash (7, i, 0, 0) : (guint) frame->fill;
  fill_pixels (frame, &info, map.data, offsets, strides);
  gst_buffer_unmap (buffer, &map);
  if (frame->padding || frame->offset)
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, frame->format, frame->width, frame->height,
        GST_VIDEO_INFO_N_PLANES (&info), offsets, strides);
  add_something_to_draw (buffer);
  return buffer;
}

#ifdef HAVE_GST_CUDA
/* Returns the test program's own context, as an application or a decoder has one. */
GstCudaContext *test_cuda_context (void);

/* Does CUDA memory have its own stream in this run? That of GStreamer's elements does since 1.24. */
gboolean test_with_streams (void);

/* Adds a stream to a pool's CONFIG if this run uses streams. Returns CONFIG. */
GstStructure *with_stream (GstStructure *config, GstCudaContext *context);

/* Makes the frame in CUDA memory, with the layout that libgstcuda chooses. */
GstBuffer *make_cuda_frame (const TestFrame *frame, GstCudaContext *context);
#endif

/* Makes the frame in the memory of this run. */
static inline GstBuffer *
make_frame (const TestFrame *frame)
{
#ifdef HAVE_GST_CUDA
  if (test_in_cuda_memory ())
    return make_cuda_frame (frame, test_cuda_context ());
#endif
  return make_system_frame (frame);
}

static inline CtrFormat
samples_of (GstVideoFormat video)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    if (test_formats[i].video == video)
      return test_formats[i].samples;
  g_assert_not_reached ();
}

/* Returns a view of the samples that the elements read, in rows without padding; free PIXELS with g_free(). */
static inline CtrImage
first_plane (const TestFrame *frame, guint8 **pixels)
{
  CtrFormat samples = samples_of (frame->format);
  gsize row_bytes = ctr_format_row_size (samples, frame->width);

  *pixels = g_malloc (row_bytes * frame->height);
  for (gint row = 0; row < frame->height; row++)
    for (gsize column = 0; column < row_bytes; column++)
      (*pixels)[row * row_bytes + column] = frame_byte (frame->seed, 0, column, row);
  return (CtrImage){*pixels, row_bytes, frame->width, frame->height, samples, CTR_MEMORY_HOST, {0}};
}

/* Where the chroma samples of a format are, by a table that is independent of the elements' own. */
typedef struct {
  GstVideoFormat video;
  guint x_shift, y_shift, step;
  guint u_plane, u_byte, v_plane, v_byte;
} ChromaFormat;

static const ChromaFormat chroma_formats[] = {
    {GST_VIDEO_FORMAT_NV12, 1, 1, 2, 1, 0, 1, 1},
    {GST_VIDEO_FORMAT_NV21, 1, 1, 2, 1, 1, 1, 0},
    {GST_VIDEO_FORMAT_I420, 1, 1, 1, 1, 0, 2, 0},
    {GST_VIDEO_FORMAT_YV12, 1, 1, 1, 2, 0, 1, 0},
    {GST_VIDEO_FORMAT_Y42B, 1, 0, 1, 1, 0, 2, 0},
    {GST_VIDEO_FORMAT_Y444, 0, 0, 1, 1, 0, 2, 0},
    {GST_VIDEO_FORMAT_NV16, 1, 0, 2, 1, 0, 1, 1},
    {GST_VIDEO_FORMAT_NV61, 1, 0, 2, 1, 1, 1, 0},
    {GST_VIDEO_FORMAT_NV24, 0, 0, 2, 1, 0, 1, 1},
    {GST_VIDEO_FORMAT_Y41B, 2, 0, 1, 1, 0, 2, 0},
};

static inline const ChromaFormat *
chroma_format (GstVideoFormat video)
{
  for (guint i = 0; i < G_N_ELEMENTS (chroma_formats); i++)
    if (chroma_formats[i].video == video)
      return &chroma_formats[i];
  return NULL;
}

/* As first_plane(), with a chroma sample for each pixel if the format has chroma. */
static inline CtrImage
all_planes (const TestFrame *frame, guint8 **pixels)
{
  const ChromaFormat *format = chroma_format (frame->format);
  CtrImage image = first_plane (frame, pixels);
  const gsize size = (gsize) frame->width * frame->height;
  guint8 *cb, *cr;

  if (!format)
    return image;
  *pixels = g_realloc (*pixels, 3 * size);
  cb = *pixels + size;
  cr = cb + size;
  for (gint y = 0; y < frame->height; y++)
    for (gint x = 0; x < frame->width; x++) {
      const guint column = (x >> format->x_shift) * format->step, row = y >> format->y_shift;

      cb[(gsize) y * frame->width + x] = frame_byte (frame->seed, format->u_plane, column + format->u_byte, row);
      cr[(gsize) y * frame->width + x] = frame_byte (frame->seed, format->v_plane, column + format->v_byte, row);
    }
  image.data = *pixels;
  image.chroma = (CtrChroma){.cb = cb, .cr = cr, .stride = frame->width, .step = 1};
  return image;
}

/* Returns a description of FRAME for messages; free with g_free(). */
static inline gchar *
describe_frame (const TestFrame *frame)
{
  return g_strdup_printf ("%s %d x %d, padding %d, offset %" G_GSIZE_FORMAT, gst_video_format_to_string (frame->format),
      frame->width, frame->height, frame->padding, frame->offset);
}

static inline guint8 *
buffer_bytes (GstBuffer *buffer, gsize *size)
{
  gpointer bytes = NULL;

  gst_buffer_extract_dup (buffer, 0, -1, &bytes, size);
  return bytes;
}

/* Sends FRAME through H, which must not change the picture. Returns the buffer that comes out. */
static inline GstBuffer *
pass_frame (GstHarness *h, const TestFrame *frame)
{
  GstBuffer *buffer = make_frame (frame);
  gsize size_before, size_after;
  guint8 *before = buffer_bytes (buffer, &size_before), *after;

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  after = buffer_bytes (buffer, &size_after);
  fail_unless (size_before == size_after && memcmp (before, after, size_after) == 0, "%s: the picture changed",
      gst_video_format_to_string (frame->format));
  g_free (before);
  g_free (after);
  return buffer;
}

/* Sends FRAME through H in a shared buffer, which must stay unchanged. Returns the buffer that comes out, a new one. */
static inline GstBuffer *
render_frame (GstHarness *h, const TestFrame *frame)
{
  GstBuffer *in = make_frame (frame), *out;
  gsize size_before, size_after;
  guint8 *before = buffer_bytes (in, &size_before), *after;

  fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (in)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless (gst_buffer_peek_memory (in, 0) != gst_buffer_peek_memory (out, 0));
  after = buffer_bytes (in, &size_after);
  fail_unless (size_before == size_after && memcmp (before, after, size_after) == 0, "%s: the input changed",
      gst_video_format_to_string (frame->format));
  g_free (before);
  g_free (after);
  gst_buffer_unref (in);
  return out;
}

static inline void
set_frame_caps (GstHarness *h, const TestFrame *frame)
{
  gst_harness_set_src_caps (h, frame_caps (frame));
}

static inline gboolean
format_runs (const TestFormat *format)
{
  return format->in_cuda_memory || !test_in_cuda_memory ();
}

/* Stops H's element, starts it again, and begins a new stream of frames like FRAME. */
static inline void
restart (GstHarness *h, const TestFrame *frame)
{
  GstSegment segment;

  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_element_set_state (h->element, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("again")));
  set_frame_caps (h, frame);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* Returns the first message of one of TYPES, or NULL. gst_bus_pop_filtered() would free the other messages while it
 * holds the lock of the bus: a message with the last reference to a linked pad would post to the bus then, and
 * deadlock. */
static inline GstMessage *
pop_message (GstBus *bus, GstMessageType types)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus)) && !(GST_MESSAGE_TYPE (message) & types))
    gst_message_unref (message);
  return message;
}

/* BUS must have exactly one error, of DOMAIN and CODE, with a text. */
static inline void
assert_one_error (GstBus *bus, GQuark domain, gint code)
{
  GstMessage *message = pop_message (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no error was posted");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, domain, code), "wrong error: %s", error->message);
  fail_unless (strlen (error->message) > 20);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL, "more than one error");
}

#include "harness.h"

#endif
