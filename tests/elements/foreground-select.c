/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the property select of cudacca and cudaborders: its text, and that each change applies from the next frame on. */
#include "foreground.h"
#include "parts.h"

#include "../metadata/decimalcomma.h"

/* The count of the frame's result, which must be that of the core with SELECT. */
static guint
count_with (GstHarness *h, const TestFrame *frame, const CtrSelect *select)
{
  GstBuffer *buffer = pass_frame (h, frame);
  CtrBordersParams borders;
  CtrCcaParams cca;
  guint count;

  ctr_borders_params_init (&borders);
  borders.mode = CTR_RETRIEVE_TREE;
  borders.select = *select;
  ctr_cca_params_init (&cca);
  cca.features = CTR_FEATURE_LABELS;
  cca.select = *select;
  if (subject_follows_borders ()) {
    assert_contours (buffer, NULL, frame, &borders);
    count = gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer));
  } else {
    assert_components (buffer, NULL, frame, &cca);
    count = gst_contours_component_meta_get_count (gst_buffer_get_contours_component_meta (buffer));
  }
  gst_buffer_unref (buffer);
  return count;
}

static GstHarness *
new_selecting (void)
{
  return new_harness (subject_follows_borders () ? "cudaborders mode=tree" : "cudacca labels=true");
}

#define LIMITS(name, low, high)                                                                                  \
  {                                                                                                              \
    .feature = subject_follows_borders () ? CTR_CONTOUR_NUMBER_##name : CTR_COMPONENT_NUMBER_##name, .min = low, \
    .max = high                                                                                                  \
  }

/* Each of these texts leaves another number of rows. */
GST_START_TEST (test_select)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 21};
  const CtrSelect none = {0}, area = {.count = 1, .limits = {LIMITS (AREA, 4, 30)}},
                  place = {.count = 2, .limits = {LIMITS (AREA, 4, 30), LIMITS (Y, -INFINITY, 60)}},
                  shape = {.count = 1,
                      .limits = {{.feature = subject_follows_borders () ? (guint) CTR_CONTOUR_NUMBER_FERET_MAX
                                                                        : (guint) CTR_COMPONENT_NUMBER_ECCENTRICITY,
                          .min = 0.625,
                          .max = INFINITY}}};
  const struct {
    const gchar *text;
    const CtrSelect *select;
  } texts[] = {{"", &none}, {"area:4:30", &area}, {" AREA : 4e0 : 30.0 ,y::60,", &place},
      {subject_follows_borders () ? "feret-max:.625:" : "eccentricity:.625:", &shape}, {NULL, &none}};
  GstHarness *h = new_selecting ();
  guint before = 0;

  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    gchar *text;
    guint count;

    gst_harness_set (h, subject (), "select", texts[i].text, NULL);
    gst_harness_get (h, subject (), "select", &text, NULL);
    fail_unless_equals_string (text, texts[i].text ? texts[i].text : "");
    g_free (text);
    count = count_with (h, &frame, texts[i].select);
    fail_unless (count != before, "'%s' changes nothing", texts[i].text);
    before = count;
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Wrong text gives one warning and leaves the limits that there are. */
GST_START_TEST (test_wrong_select)
{
  static const gchar *many = "x::9,y::9,width::9,height::9,circularity::9,hull-area::9,hull-perimeter::9,solidity::9,"
                             "defect-depth::9,defect-x::9,defect-y::9,hu1::9,hu2::9,hu3::9,hu4::9,hu5::9,hu6::9";
  static const struct {
    const gchar *text, *problem;
  } wrong[] = {
      {"size:1:2", "'size:1:2' names no number: area, "},
      {"area", "'area' is not name:minimum:maximum"},
      {"area:1", "'area:1' is not name:minimum:maximum"},
      {"area::", "'area::' is not name:minimum:maximum"},
      {"area:1:2:3", "'area:1:2:3' is not name:minimum:maximum"},
      {"area:1,5:2", "'area:1' is not name:minimum:maximum"},
      {"area:one:2", "'area:one:2' has a limit that is no number"},
      {"area:1:inf", "'area:1:inf' has a limit that is no number"},
      {"area:nan:", "'area:nan:' has a limit that is no number"},
      {"area:3:2", "'area:3:2' has a minimum above the maximum"},
      {"area:1:2, area:3:", "'area:3:' is a second limit on its number"},
  };
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 22};
  const CtrSelect area = {.count = 1, .limits = {LIMITS (AREA, 2.5, INFINITY)}};
  GstHarness *h = new_selecting ();
  GstBus *bus = gst_bus_new ();
  gchar *text, *folder;

  gst_element_set_bus (h->element, bus);
  gst_harness_set (h, subject (), "select", "area:2.5:", NULL);
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gst_harness_set (h, subject (), "select", wrong[i].text, NULL);
    count_with (h, &frame, &area);
    assert_warning (bus, wrong[i].problem, "It stays \"area:2.5:\"");
    gst_harness_get (h, subject (), "select", &text, NULL);
    fail_unless_equals_string (text, "area:2.5:");
    g_free (text);
  }
  if (subject_follows_borders ()) {
    gst_harness_set (h, subject (), "select", many, NULL);
    count_with (h, &frame, &area);
    assert_warning (bus, "'hu6::9' is one too many: there can be 16", "It stays");
  }
  if (use_decimal_comma (&folder)) {
    gst_harness_set (h, subject (), "select", "", "select", "area:2.5:", NULL);
    count_with (h, &frame, &area);
  }
  stop_decimal_comma (folder);
  fail_unless (pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Strips have no such limits: one error, which says so. */
GST_START_TEST (test_select_of_strips)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 23};
  gchar *line = g_strdup_printf ("%s strip-mode=true select=area:3:", subject ());
  GstHarness *h = new_harness (line);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  g_free (line);
  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "leave select empty"), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_foreground_select_tests (TCase *tc)
{
  tcase_add_test (tc, test_select);
  tcase_add_test (tc, test_wrong_select);
  tcase_add_test (tc, test_select_of_strips);
}
