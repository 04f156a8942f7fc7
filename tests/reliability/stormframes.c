/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storm.h"

#include <gst/video/video.h>
#include <string.h>

/* Pictures of all kinds: nothing, everything, noise, few values, blocks, rows. */
static void
paint (StormRandom *random, guint8 *data, gsize size)
{
  const guint kind = storm_below (random, 6), step = 1 + storm_below (random, 64);
  const guint8 low = storm_next (random), high = storm_next (random);

  if (kind == 0)
    memset (data, storm_chance (random, 50) ? 0 : 255, size);
  else if (kind == 1)
    for (gsize i = 0; i < size; i++)
      data[i] = storm_next (random);
  else if (kind == 2)
    for (gsize i = 0; i < size; i++)
      data[i] = storm_chance (random, 10) ? high : low;
  else
    for (gsize i = 0; i < size; i++)
      data[i] = (i / step + (kind == 3 ? 0 : i / (step * 37))) & 1 ? high : low;
}

void
storm_paint (StormRandom *random, GstBuffer *buffer)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    return;
  paint (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

static GstBuffer *
new_buffer (StormRandom *random, gsize size)
{
  guint8 *data = g_malloc (MAX (size, 1));

  paint (random, data, size);
  return gst_buffer_new_wrapped (data, size);
}

/* A frame whose rows and planes are farther apart than they need be, as its GstVideoMeta says. */
static GstBuffer *
padded_frame (StormRandom *random, const GstVideoInfo *info)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = {0}, size = storm_between (random, 0, 64);
  gint strides[GST_VIDEO_MAX_PLANES] = {0};
  GstBuffer *buffer;

  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (info); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (info->finfo, plane, components);
    strides[plane] = GST_VIDEO_INFO_PLANE_STRIDE (info, plane) + (gint) storm_between (random, 0, 64);
    offsets[plane] = size;
    size += (gsize) strides[plane] * GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
    size += storm_between (random, 0, 64);
  }
  buffer = new_buffer (random, size);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (info),
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info), offsets, strides);
  return buffer;
}

/* The upper left part of a larger frame, as its GstVideoMeta says. */
static GstBuffer *
part_of_larger (StormRandom *random, const GstVideoInfo *info)
{
  GstVideoInfo larger;

  gst_video_info_set_format (&larger, GST_VIDEO_INFO_FORMAT (info),
      GST_VIDEO_INFO_WIDTH (info) + storm_below (random, 40), GST_VIDEO_INFO_HEIGHT (info) + storm_below (random, 40));
  return padded_frame (random, &larger);
}

/* A number that is wrong in some way. */
static gint64
wrong (StormRandom *random, gint64 value, gsize size)
{
  switch (storm_below (random, 7)) {
    case 0:
      return 0;
    case 1:
      return -value;
    case 2:
      return value - 1 - (gint64) storm_below (random, 8);
    case 3:
      return value + 1 + storm_below (random, 64);
    case 4:
      return size - storm_below (random, 16);
    case 5:
      return G_MAXINT - (gint64) storm_below (random, 3);
    default:
      return storm_next (random);
  }
}

/* The GstVideoMeta of BUFFER does not describe it. */
static void
lie (StormRandom *random, GstBuffer *buffer, const GstVideoInfo *info)
{
  const gsize size = gst_buffer_get_size (buffer);
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const guint plane = storm_below (random, GST_VIDEO_MAX_PLANES);

  if (!meta)
    meta = gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (info),
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
  switch (storm_below (random, 6)) {
    case 0:
    case 1:
      meta->stride[plane] = wrong (random, meta->stride[plane], size);
      break;
    case 2:
      meta->offset[plane] = wrong (random, meta->offset[plane], size);
      break;
    case 3:
      meta->width = storm_chance (random, 50) ? meta->width * 2 : wrong (random, meta->width, 65536);
      break;
    case 4:
      meta->height = storm_chance (random, 50) ? meta->height * 2 : wrong (random, meta->height, 65536);
      break;
    default:
      if (storm_chance (random, 50))
        meta->n_planes = storm_below (random, GST_VIDEO_MAX_PLANES + 1);
      else
        meta->format = storm_below (random, 80);
      break;
  }
}

/* The bytes of BUFFER in several memories. */
static GstBuffer *
in_parts (StormRandom *random, GstBuffer *buffer)
{
  const gsize size = gst_buffer_get_size (buffer);
  GstBuffer *parts = gst_buffer_new ();

  gst_buffer_copy_into (parts, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  for (gsize at = 0; at < size;) {
    const gsize wanted = storm_between (random, 1, MAX (size / 2, 2)), part = MIN (wanted, size - at);

    gst_buffer_copy_into (parts, buffer, GST_BUFFER_COPY_MEMORY, at, part);
    at += part;
    if (gst_buffer_n_memory (parts) > 12 && at < size) {
      gst_buffer_copy_into (parts, buffer, GST_BUFFER_COPY_MEMORY, at, size - at);
      break;
    }
  }
  gst_buffer_unref (buffer);
  return parts;
}

static GstBuffer *
read_only (GstBuffer *buffer)
{
  gpointer bytes;
  gsize size;
  GstBuffer *copy;

  gst_buffer_extract_dup (buffer, 0, -1, &bytes, &size);
  copy = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, bytes, size, 0, size, bytes, g_free);
  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_unref (buffer);
  return copy;
}

static GstBuffer *
pooled (StormRandom *random, GstBufferPool *pool, gsize size)
{
  GstBufferPoolAcquireParams params = {.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT};
  GstBuffer *buffer = NULL;

  if (!pool || gst_buffer_pool_acquire_buffer (pool, &buffer, &params) != GST_FLOW_OK)
    return new_buffer (random, size);
  storm_paint (random, buffer);
  return buffer;
}

static GstBuffer *
random_memory (const Storm *storm, StormRandom *random, const GstVideoInfo *info, GstBufferPool *pool)
{
  const gsize size = GST_VIDEO_INFO_SIZE (info);
  GstBuffer *buffer;

  switch (storm_below (random, 20)) {
    case 0:
      return gst_buffer_new ();
    case 1:
      return new_buffer (random, storm_between (random, 0, size));
    case 2:
      return new_buffer (random, size + storm_between (random, 1, 4096));
    case 3:
    case 4:
      return padded_frame (random, info);
    case 5:
      return storm->trusts_frames ? padded_frame (random, info) : part_of_larger (random, info);
    case 6:
      return in_parts (random, padded_frame (random, info));
    case 7:
      return in_parts (random, new_buffer (random, size));
    case 8:
      return read_only (storm_chance (random, 50) ? padded_frame (random, info) : new_buffer (random, size));
    case 9:
    case 10:
      return pooled (random, storm->trusts_frames ? NULL : pool, size);
    case 11:
    case 12:
      buffer = storm_chance (random, 50) ? padded_frame (random, info) : new_buffer (random, size);
      if (storm_chance (random, 20))
        buffer = in_parts (random, buffer);
      if (!storm->trusts_frames)
        lie (random, buffer, info);
      return buffer;
    default:
      return new_buffer (random, size);
  }
}

/* Some frames are in system memory, though the caps say CUDA memory. */
static GstBuffer *
cuda_memory (StormRandom *random, const GstVideoInfo *info, const GstCaps *caps, GstBufferPool *pool)
{
  const gboolean in_system_memory = storm_chance (random, 2), lies = storm_chance (random, 5);
  GstBuffer *buffer = in_system_memory ? NULL : storm_cuda_frame (random, caps, pool);

  if (!buffer)
    return new_buffer (random, GST_VIDEO_INFO_SIZE (info));
  storm_paint (random, buffer);
  if (lies)
    lie (random, buffer, info);
  return buffer;
}

static GstClockTime
random_time (StormRandom *random, guint64 number)
{
  switch (storm_below (random, 24)) {
    case 0:
      return GST_CLOCK_TIME_NONE;
    case 1:
      return 0;
    case 2:
      return storm_next (random);
    default:
      return number * GST_MSECOND;
  }
}

static void
add_metas (StormRandom *random, GstBuffer *buffer)
{
  guint n = storm_chance (random, 25) ? storm_below (random, 6) : 0;

  while (n-- > 0) {
    const gboolean any = storm_chance (random, 30);

    gst_buffer_add_video_region_of_interest_meta (buffer, storm_chance (random, 50) ? "part" : "",
        any ? (guint) storm_next (random) : storm_below (random, 100),
        any ? (guint) storm_next (random) : storm_below (random, 100),
        any ? (guint) storm_next (random) : storm_below (random, 100),
        any ? (guint) storm_next (random) : storm_below (random, 100));
  }
  if (storm_chance (random, 4)) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->x = storm_below (random, 100);
    crop->y = storm_below (random, 100);
    crop->width = storm_below (random, 100);
    crop->height = storm_below (random, 100);
  }
}

GstBuffer *
storm_frame (const Storm *storm, StormRandom *random, const GstCaps *caps, GstBufferPool *pool, guint64 number)
{
  static const GstBufferFlags flags[] = {GST_BUFFER_FLAG_DISCONT, GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_CORRUPTED,
      GST_BUFFER_FLAG_DROPPABLE, GST_BUFFER_FLAG_HEADER, GST_BUFFER_FLAG_DELTA_UNIT,
      (GstBufferFlags) GST_VIDEO_BUFFER_FLAG_INTERLACED, (GstBufferFlags) GST_VIDEO_BUFFER_FLAG_TFF,
      (GstBufferFlags) GST_VIDEO_BUFFER_FLAG_ONEFIELD};
  GstVideoInfo info;
  GstBuffer *buffer;

  if (gst_video_info_from_caps (&info, caps) && GST_VIDEO_INFO_SIZE (&info) > 0)
    buffer = storm_are_cuda_caps (caps) ? cuda_memory (random, &info, caps, pool)
                                        : random_memory (storm, random, &info, pool);
  else
    buffer = new_buffer (random, storm_below (random, 10000));
  GST_BUFFER_PTS (buffer) = random_time (random, number);
  GST_BUFFER_DTS (buffer) = storm_chance (random, 20) ? random_time (random, number) : GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = storm_chance (random, 20) ? random_time (random, number) : GST_MSECOND;
  if (storm_chance (random, 10))
    GST_BUFFER_OFFSET (buffer) = storm_next (random);
  if (storm_chance (random, 15))
    GST_BUFFER_FLAG_SET (buffer, flags[storm_below (random, G_N_ELEMENTS (flags))]);
  add_metas (random, buffer);
  return buffer;
}
