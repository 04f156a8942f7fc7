/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contourset.h"

#include "core/common/error.h"

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <string.h>

static gsize
row_size (CtrContoursArray array)
{
  return array == CTR_CONTOURS_NESTING ? sizeof (CtrContourNesting) : sizeof (CtrSnakeRegion);
}

CtrContours *
contour_set_new (const ContourSet *set, CtrContourArrays *arrays)
{
  CtrContourArrays own;
  CtrContours *contours = ctr_contours_alloc (&set->info, arrays ? arrays : &own, NULL);
  if (!arrays)
    arrays = &own;
  memcpy (arrays->table, set->table, set->info.count * sizeof *set->table);
  memcpy (arrays->points, set->points, set->info.point_count * sizeof *set->points);
  memcpy (set->array == CTR_CONTOURS_NESTING ? (void *) arrays->nesting : (void *) arrays->regions, set->rows,
      set->info.count * row_size (set->array));
  return contours;
}

GstBuffer *
attach_contours (CtrContours *contours, const gchar *source)
{
  GstBuffer *buffer = sample_buffer ();
  gst_buffer_add_contours_contour_meta (buffer, contours, source);
  ctr_contours_unref (contours);
  return buffer;
}

void
check_frames (GstBuffer *buffer, void (*check) (GstContoursContourMeta *meta))
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer);
  check (gst_buffer_get_contours_contour_meta (buffer));
  check (gst_buffer_get_contours_contour_meta (copy));
  gst_buffer_unref (copy);
  buffer = sample_send ("videoscale ! video/x-raw,width=16,height=12", buffer);
  check (gst_buffer_get_contours_contour_meta (buffer));
  gst_buffer_unref (buffer);
}

static bool
fetch (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  ContourSet *set = source;
  set->fetched[array]++;
  if (array == set->array && set->broken)
    return ctr_fail (error, CTR_ERROR_CUDA, "the GPU is gone");
  memcpy (to,
      array == CTR_CONTOURS_TABLE    ? set->table
      : array == CTR_CONTOURS_POINTS ? (const void *) set->points
                                     : set->rows,
      size);
  return true;
}

static bool
get_device (void *source, CtrDeviceContours *device)
{
  return false;
}

static void
destroy (void *source)
{
}

void
check_borders (const ArrayChecks *checks)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta =
      sample_attach_contours (buffer, &gpu, CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_PIXELS, "follower");
  fail_if (checks->has (meta));
  checks->check_missing (meta);
  fail_unless (gst_contours_contour_meta_fetch (meta, NULL));
  gst_buffer_unref (buffer);
}

void
check_fetching (const ContourSet *set, const ArrayChecks *checks)
{
  static const CtrContoursSource ops = {.fetch = fetch, .get_device = get_device, .destroy = destroy};
  ContourSet remote = *set;
  GstBuffer *buffer = attach_contours (ctr_contours_new_remote (&set->info, &ops, &remote, NULL), "remote");
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  GError *error = NULL;

  remote.broken = TRUE;
  fail_unless (checks->has (meta));
  checks->check_missing (meta);
  fail_if (gst_contours_contour_meta_fetch (meta, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ));
  fail_unless (strstr (error->message, "the GPU is gone") != NULL);
  g_clear_error (&error);

  remote = *set;
  checks->check (meta);
  assert_equals_int (remote.fetched[set->array], 1);
  assert_equals_int (remote.fetched[CTR_CONTOURS_TABLE], 0);
  fail_unless (gst_contours_contour_meta_fetch (meta, NULL));
  assert_equals_int (remote.fetched[set->array], 1);
  gst_buffer_unref (buffer);
}

gchar *
export_text (const gchar *options, GstBuffer *buffer)
{
  gchar *folder = g_dir_make_tmp ("contours-XXXXXX", NULL), *path = g_build_filename (folder, "out", NULL);
  gchar *line = g_strdup_printf ("contourexport location=%s %s", path, options), *text;

  gst_buffer_unref (sample_send (line, buffer));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  g_unlink (path);
  g_rmdir (folder);
  g_free (line);
  g_free (path);
  g_free (folder);
  return text;
}
