/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components and contours of several regions: their numbers in the metadata, and in what contourexport writes. */
#include <contours/contours.h>
#include <gst/check/gstcheck.h>

#include "asserting.h"
#include "contourset.h"
#include "expected.h"

/* A square in each of two regions, of which the second one is to the left of the first one. */
static const guint8 pixels[] = {
    0, 9, 9, 0, 0, 0, 0, 0, /* */
    0, 9, 9, 0, 0, 9, 9, 0, /* */
    0, 0, 0, 0, 0, 9, 9, 0, /* */
};
static const CtrRegion regions[] = {{.x = 4, .width = 4, .height = 3}, {.width = 4, .height = 2}};
static const CtrImage image = {.data = pixels, .stride = 8, .width = 8, .height = 3, .format = CTR_FORMAT_GRAY8};

static CtrComponents *
find_components (guint count)
{
  CtrCcaParams params;
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  ctr_cca_params_init (&params);
  params.foreground.threshold = 9;
  params.foreground.regions = count ? ctr_regions_new (regions, count, NULL, NULL) : NULL;
  CtrComponents *components = ctr_cca_run (cca, &image, &params, NULL, NULL);
  fail_unless (components != NULL);
  ctr_regions_unref (params.foreground.regions);
  ctr_cca_free (cca);
  return components;
}

static CtrContours *
find_contours (guint count)
{
  CtrBordersParams params;
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, NULL);
  ctr_borders_params_init (&params);
  params.foreground.threshold = 9;
  params.foreground.regions = count ? ctr_regions_new (regions, count, NULL, NULL) : NULL;
  CtrContours *contours = ctr_borders_run (borders, &image, &params, NULL, NULL);
  fail_unless (contours != NULL);
  ctr_regions_unref (params.foreground.regions);
  ctr_borders_free (borders);
  return contours;
}

static GstBuffer *
attach_components (CtrComponents *components)
{
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_add_contours_component_meta (buffer, components, "cca");
  ctr_components_unref (components);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

GST_START_TEST (numbers)
{
  static const guint order[3][2] = {{0, 0}, {0, 0}, {0, 1}};
  for (guint count = 0; count <= 2; count++) {
    GstBuffer *buffer = attach_components (find_components (count));
    CtrContours *contours = find_contours (count);
    gst_buffer_add_contours_contour_meta (buffer, contours, "borders");
    ctr_contours_unref (contours);
    GstContoursComponentMeta *cca = gst_buffer_get_contours_component_meta (buffer);
    GstContoursContourMeta *borders = gst_buffer_get_contours_contour_meta (buffer);
    fail_unless_equals_int (gst_contours_component_meta_get_region_count (cca), count);
    fail_unless_equals_int (gst_contours_contour_meta_get_region_count (borders), count);
    fail_unless_equals_int (gst_contours_component_meta_get_count (cca), count == 1 ? 1 : 2);
    fail_unless_equals_int (gst_contours_contour_meta_get_count (borders), count == 1 ? 1 : 2);
    for (guint i = 0; i < gst_contours_component_meta_get_count (cca); i++) {
      GstContoursComponent component;
      GstContoursContour contour;
      fail_unless (gst_contours_component_meta_get_component (cca, i, &component));
      fail_unless (gst_contours_contour_meta_get_contour (borders, i, &contour));
      fail_unless_equals_int (component.region_number, order[count][i]);
      fail_unless_equals_int (component.value, 0);
      fail_unless_equals_int (contour.region_number, order[count][i]);
      if (count == 2) {
        fail_unless_equals_float (component.x, i == 0 ? 5 : 1);
        fail_unless_equals_float (contour.y, i == 0 ? 1 : 0);
      }
    }
    gst_buffer_unref (buffer);
  }
}
GST_END_TEST;

/* How many times PIECE is in TEXT. */
static guint
count_pieces (const gchar *text, const gchar *piece)
{
  guint count = 0;
  while ((text = strstr (text, piece))) {
    text += strlen (piece);
    count++;
  }
  return count;
}

/* Each of the two rows has its number; without regions none has. */
GST_START_TEST (exported)
{
  static const struct {
    const gchar *options, *member, *first, *second;
  } formats[] = {
      {"format=ndjson", "\"region\":", "\"region\":0", "\"region\":1"},
      {"format=geojson", "\"region\":", "\"region\":0", "\"region\":1"},
      {"format=coco", "\"region\":", "\"region\":0", "\"region\":1"},
      {"format=labelme", "\"region\":", "\"region\":0", "\"region\":1"},
      {"format=svg", " data-region=", " data-region=\"0\"", " data-region=\"1\""},
      {"format=csv", ",,0" NO_SHAPE CLOCK_0, ",,0" NO_SHAPE CLOCK_0, ",,1" NO_SHAPE CLOCK_0},
  };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint contours = 0; contours < 2; contours++) {
      gchar *text = export_text (formats[i].options,
          contours ? attach_contours (find_contours (2), "borders") : attach_components (find_components (2)));
      fail_unless_equals_int (count_pieces (text, formats[i].first), 1);
      fail_unless_equals_int (count_pieces (text, formats[i].second), 1);
      fail_unless (strstr (text, formats[i].first) < strstr (text, formats[i].second), "%s", text);
      g_free (text);
      text = export_text (formats[i].options,
          contours ? attach_contours (find_contours (0), "borders") : attach_components (find_components (0)));
      fail_unless (strstr (text, formats[i].member) == NULL, "%s", text);
      g_free (text);
    }
}
GST_END_TEST;

static Suite *
region_numbers_suite (void)
{
  Suite *suite = suite_create ("region_numbers");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, numbers);
  tcase_add_test (tcase, exported);
  return suite;
}

GST_CHECK_MAIN (region_numbers)
