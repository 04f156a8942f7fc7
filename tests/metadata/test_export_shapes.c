/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: documents of shapes: SVG, GeoJSON, COCO and LabelMe. */
#include "core/results/contourlist.h"
#include "decimalcomma.h"
#include "exporting.h"

/* Sends BUFFER through the element; returns the text of the file. Both transfer full. */
static gchar *
export_one (guint format, GstBuffer *buffer)
{
  GstBus *bus;
  gchar *path = in_folder ("part.out"), *text;
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", format, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  finish (h, element, bus);
  g_free (path);
  return text;
}

static void
assert_export (guint format, GstBuffer *buffer, const gchar *expected)
{
  gchar *text = export_one (format, buffer);
  assert_equals_string (text, expected);
  g_free (text);
}

/* Contours and components, in the order of their analysers. */
static GstBuffer *
both (SampleGpu *gpu)
{
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = 40;
  sample_attach_contours (buffer, gpu, CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_PIXELS, "follower");
  sample_attach (buffer, 0, "finder");
  return buffer;
}

static const gchar *const pictures_expected[FORMATS] = {
    [SVG] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"6\" viewBox=\"0 0 8 6\" data-schema=\"gst-"
            "cuda-contours/1\" data-frame=\"0\" data-pts=\"40\" data-timestamp=\"40\">\n"
            "<g data-source=\"follower\" fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n"
            "<path data-id=\"0\" d=\"M7 1V5H1V1zM3 3V4H4V3z\"/>\n"
            "<path data-id=\"2\" d=\"M8 1H7V0H8z\"/>\n"
            "</g>\n"
            "<g data-source=\"finder\" fill=\"none\" stroke=\"#f00\">\n"
            "<rect data-label=\"1\" x=\"1\" y=\"0\" width=\"2\" height=\"2\"/>\n"
            "<rect data-label=\"2\" x=\"6\" y=\"1\" width=\"2\" height=\"3\"/>\n"
            "<rect data-label=\"3\" x=\"0\" y=\"5\" width=\"1\" height=\"1\"/>\n"
            "</g>\n"
            "</svg>\n",
    [GEOJSON] =
        "{\"type\":\"FeatureCollection\",\"schema\":\"gst-cuda-contours/1\",\"frame\":0,\"pts\":40,\"timestamp\":4"
        "0,\"running_time\":40,\"resolution\":{\"width\":8,\"height\":6},\"features\":[\n"
        "{\"type\":\"Feature\",\"properties\":{\"source\":\"follower\",\"threshold\":77,\"id\":0,\"hole\":false,\""
        "parent\":null,\"area\":15,\"perimeter\":16,\"x\":1,\"y\":1,\"w\":6,\"h\":4,\"cx\":3.5,\"cy\":2.5},\"geome"
        "try\":{\"type\":\"Polygon\",\"coordinates\":[[[7,1],[7,5],[1,5],[1,1],[7,1]],[[3,3],[3,4],[4,4],[4,3],[3,"
        "3]]]}},\n"
        "{\"type\":\"Feature\",\"properties\":{\"source\":\"follower\",\"threshold\":77,\"id\":2,\"hole\":false,\""
        "parent\":null,\"area\":0,\"perimeter\":0,\"x\":7,\"y\":0,\"w\":1,\"h\":1,\"cx\":null,\"cy\":null},\"geome"
        "try\":{\"type\":\"Polygon\",\"coordinates\":[[[8,1],[7,1],[7,0],[8,0],[8,1]]]}},\n"
        "{\"type\":\"Feature\",\"properties\":{\"source\":\"finder\",\"threshold\":128,\"label\":1,\"area\":3,\"x"
        "\":1,\"y\":0,\"w\":2,\"h\":2,\"cx\":1.3333333333333333,\"cy\":0.3333333333333333},\"geometry\":{\"type\":"
        "\"Polygon\",\"coordinates\":[[[1,0],[3,0],[3,2],[1,2],[1,0]]]}},\n"
        "{\"type\":\"Feature\",\"properties\":{\"source\":\"finder\",\"threshold\":128,\"label\":2,\"area\":4,\"x"
        "\":6,\"y\":1,\"w\":2,\"h\":3,\"cx\":6.5,\"cy\":1.75},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":["
        "[[6,1],[8,1],[8,4],[6,4],[6,1]]]}},\n"
        "{\"type\":\"Feature\",\"properties\":{\"source\":\"finder\",\"threshold\":128,\"label\":3,\"area\":1,\"x"
        "\":0,\"y\":5,\"w\":1,\"h\":1,\"cx\":0,\"cy\":5},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,5"
        "],[1,5],[1,6],[0,6],[0,5]]]}}\n"
        "]}\n",
    [COCO] = "{\"info\":{\"description\":\"gst-cuda-contours/1\"},\"licenses\":[],\n"
             "\"annotations\":[\n"
             "{\"id\":1,\"image_id\":0,\"category_id\":1,\"iscrowd\":0,\"area\":23,\"bbox\":[1,1,6,4],\"attributes\":{"
             "\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":16,\"x\":1,\"y\":1,\"w\":6,\"h\":4,\"cx"
             "\":3.5,\"cy\":2.5},\"segmentation\":{\"size\":[6,8],\"counts\":[7,4,2,4,2,2,1,1,2,4,2,4,2,4,7]}},\n"
             "{\"id\":2,\"image_id\":0,\"category_id\":1,\"iscrowd\":0,\"area\":1,\"bbox\":[7,0,1,1],\"attributes\":{\""
             "id\":2,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":7,\"y\":0,\"w\":1,\"h\":1,\"cx\":n"
             "ull,\"cy\":null},\"segmentation\":[[8,1,7,1,7,0,8,0]]},\n"
             "{\"id\":3,\"image_id\":0,\"category_id\":2,\"iscrowd\":0,\"area\":3,\"bbox\":[1,0,2,2],\"attributes\":{\""
             "label\":1,\"area\":3,\"x\":1,\"y\":0,\"w\":2,\"h\":2,\"cx\":1.3333333333333333,\"cy\":0.3333333333333333}"
             ",\"segmentation\":[]},\n"
             "{\"id\":4,\"image_id\":0,\"category_id\":2,\"iscrowd\":0,\"area\":4,\"bbox\":[6,1,2,3],\"attributes\":{\""
             "label\":2,\"area\":4,\"x\":6,\"y\":1,\"w\":2,\"h\":3,\"cx\":6.5,\"cy\":1.75},\"segmentation\":[]},\n"
             "{\"id\":5,\"image_id\":0,\"category_id\":2,\"iscrowd\":0,\"area\":1,\"bbox\":[0,5,1,1],\"attributes\":{\""
             "label\":3,\"area\":1,\"x\":0,\"y\":5,\"w\":1,\"h\":1,\"cx\":0,\"cy\":5},\"segmentation\":[]}\n"
             "],\n"
             "\"images\":[\n"
             "{\"id\":0,\"width\":8,\"height\":6,\"file_name\":\"000000000000.png\",\"frame\":0,\"pts\":40,\"timestamp"
             "\":40,\"running_time\":40}\n"
             "],\n"
             "\"categories\":[\n"
             "{\"id\":1,\"name\":\"follower\"},\n"
             "{\"id\":2,\"name\":\"finder\"}\n"
             "]}\n",
    [LABELME] =
        "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[\n"
        "{\"label\":\"follower\",\"shape_type\":\"polygon\",\"flags\":{},\"group_id\":0,\"points\":[[1.1,1.1],[3.5"
        ",1.1],[3.5,2.9],[2.9,2.9],[2.9,4.1],[4.1,4.1],[4.1,2.9],[3.5,2.9],[3.5,1.1],[6.9,1.1],[6.9,4.9],[1.1,4.9]"
        "],\"attributes\":{\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":16,\"x\":1,\"y\":1,\""
        "w\":6,\"h\":4,\"cx\":3.5,\"cy\":2.5}},\n"
        "{\"label\":\"follower\",\"shape_type\":\"polygon\",\"flags\":{},\"group_id\":2,\"points\":[[7.1,0.1],[7.9"
        ",0.1],[7.9,0.9],[7.1,0.9]],\"attributes\":{\"id\":2,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter"
        "\":0,\"x\":7,\"y\":0,\"w\":1,\"h\":1,\"cx\":null,\"cy\":null}},\n"
        "{\"label\":\"finder\",\"shape_type\":\"rectangle\",\"flags\":{},\"group_id\":1,\"points\":[[1.1,0.1],[2.9"
        ",1.9]],\"attributes\":{\"label\":1,\"area\":3,\"x\":1,\"y\":0,\"w\":2,\"h\":2,\"cx\":1.3333333333333333,"
        "\"cy\":0.3333333333333333}},\n"
        "{\"label\":\"finder\",\"shape_type\":\"rectangle\",\"flags\":{},\"group_id\":2,\"points\":[[6.1,1.1],[7.9"
        ",3.9]],\"attributes\":{\"label\":2,\"area\":4,\"x\":6,\"y\":1,\"w\":2,\"h\":3,\"cx\":6.5,\"cy\":1.75}},\n"
        "{\"label\":\"finder\",\"shape_type\":\"rectangle\",\"flags\":{},\"group_id\":3,\"points\":[[0.1,5.1],[0.9"
        ",5.9]],\"attributes\":{\"label\":3,\"area\":1,\"x\":0,\"y\":5,\"w\":1,\"h\":1,\"cx\":0,\"cy\":5}}\n"
        "],\"imagePath\":\"part.png\",\"imageData\":null,\"imageHeight\":6,\"imageWidth\":8,\"schema\":\"gst-cuda-"
        "contours/1\",\"frame\":0,\"pts\":40,\"timestamp\":40,\"running_time\":40}\n",
};

GST_START_TEST (pictures)
{
  SampleGpu gpu;
  assert_export (__i__, both (&gpu), pictures_expected[__i__]);
}
GST_END_TEST;

/* A comma in the locale is none here. */
GST_START_TEST (decimal_comma)
{
  SampleGpu gpu;
  gchar *folder_of_locale;
  if (use_decimal_comma (&folder_of_locale))
    for (guint format = SVG; format < FORMATS; format++)
      assert_export (format, both (&gpu), pictures_expected[format]);
  else
    GST_WARNING ("no locale with a decimal comma, and localedef cannot make one");
  stop_decimal_comma (folder_of_locale);
}
GST_END_TEST;

/* Nobody analysed the frame, or found anything: a document all the same. */
GST_START_TEST (nothing)
{
  static const gchar *const expected[FORMATS] = {
      [SVG] =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"6\" viewBox=\"0 0 8 6\" data-schema=\"gst-"
          "cuda-contours/1\" data-frame=\"0\">\n"
          "</svg>\n",
      [GEOJSON] =
          "{\"type\":\"FeatureCollection\",\"schema\":\"gst-cuda-contours/1\",\"frame\":0,\"pts\":null,\"timestamp\""
          ":null,\"running_time\":null,\"resolution\":{\"width\":8,\"height\":6},\"features\":[\n"
          "]}\n",
      [COCO] =
          "{\"info\":{\"description\":\"gst-cuda-contours/1\"},\"licenses\":[],\n"
          "\"annotations\":[\n"
          "],\n"
          "\"images\":[\n"
          "{\"id\":0,\"width\":8,\"height\":6,\"file_name\":\"000000000000.png\",\"frame\":0,\"pts\":null,\"timestam"
          "p\":null,\"running_time\":null}\n"
          "],\n"
          "\"categories\":[\n"
          "]}\n",
      [LABELME] =
          "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[\n"
          "],\"imagePath\":\"part.png\",\"imageData\":null,\"imageHeight\":6,\"imageWidth\":8,\"schema\":\"gst-cuda-"
          "contours/1\",\"frame\":0,\"pts\":null,\"timestamp\":null,\"running_time\":null}\n",
  };
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  assert_export (__i__, buffer, expected[__i__]);
}
GST_END_TEST;

/* One pixel each at three levels; transfer full. */
static GstBuffer *
levels (const guint values[3])
{
  const CtrContours info = {
      .width = 8, .height = 6, .count = 3, .point_count = 12, .coordinates = CTR_COORDINATES_CORNERS};
  CtrContourArrays arrays;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  for (guint i = 0; i < 3; i++) {
    const gint x = 2 * (gint) i;
    arrays.table[i] = (CtrContour){.first = 4 * i,
        .area2 = -2,
        .length = 4 << 23,
        .count = 4,
        .next = -1,
        .previous = -1,
        .child = -1,
        .parent = -1,
        .level = values[i],
        .left = (guint16) x,
        .width = 1,
        .height = 1};
    const CtrPoint points[4] = {{x, 0}, {x, 1}, {x + 1, 1}, {x + 1, 0}};
    memcpy (arrays.points + 4 * i, points, sizeof points);
  }
  GstBuffer *buffer = sample_buffer ();
  gst_buffer_add_contours_contour_meta (buffer, contours, "levels");
  ctr_contours_unref (contours);
  return buffer;
}

/* Greys of 8 bits; where a level needs 16, the upper 8 of them. */
GST_START_TEST (greys)
{
  static const struct {
    guint levels[3], greys[3];
  } cases[] = {
      {{1, 128, 255}, {1, 128, 255}},
      {{255, 256, 16000}, {0, 1, 62}},
      {{40000, 511, 65535}, {156, 1, 255}},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *text = export_one (SVG, levels (cases[i].levels));
    for (guint k = 0; k < 3; k++) {
      guint grey = cases[i].greys[k];
      gchar *path = g_strdup_printf ("data-level=\"%u\" fill=\"rgb(%u,%u,%u)\"", cases[i].levels[k], grey, grey, grey);
      fail_unless (strstr (text, path) != NULL, "%s", text);
      g_free (path);
    }
    g_free (text);
  }
}
GST_END_TEST;

/* A line that is no border, as after simplification, is written as it is; so is its hole. The frame was scaled since.
 */
GST_START_TEST (simplified)
{
  static const gchar *const expected[FORMATS] = {
      [SVG] =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"3\" viewBox=\"0 0 16 3\" data-schema=\"gs"
          "t-cuda-contours/1\" data-frame=\"0\" data-pts=\"0\" data-timestamp=\"0\">\n"
          "<g fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n"
          "<path data-id=\"0\" d=\"M12 0.5V2H2V0.5zM4 1.5L6 2L8 1.5L6 1z\"/>\n"
          "</g>\n"
          "</svg>\n",
      [GEOJSON] =
          "{\"type\":\"FeatureCollection\",\"schema\":\"gst-cuda-contours/"
          "1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0,"
          "\"resolution\":{\"width\":16,\"height\":3},\"features\":[\n"
          "{\"type\":\"Feature\",\"properties\":{\"source\":null,\"threshold\":77,\"id\":0,\"hole\":false,\"parent\""
          ":null,\"area\":15,\"perimeter\":23,\"x\":2,\"y\":0.5,\"w\":10,\"h\":1.5},\"geometry\":{\"type\":\"Polygon"
          "\",\"coordinates\":[[[12,0.5],[12,2],[2,2],[2,0.5],[12,0.5]],[[4,1.5],[6,2],[8,1.5],[6,1],[4,1.5]]]}}\n"
          "]}\n",
      [COCO] =
          "{\"info\":{\"description\":\"gst-cuda-contours/1\"},\"licenses\":[],\n"
          "\"annotations\":[\n"
          "{\"id\":1,\"image_id\":0,\"category_id\":1,\"iscrowd\":0,\"area\":13,\"bbox\":[2,0.5,10,1.5],\"attributes"
          "\":{\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":23,\"x\":2,\"y\":0.5,\"w\":10,\"h\""
          ":1.5},\"segmentation\":{\"size\":[3,16],\"counts\":[6,2,1,2,1,1,2,1,2,1,2,1,2,2,1,2,1,2,1,2,13]}}\n"
          "],\n"
          "\"images\":[\n"
          "{\"id\":0,\"width\":16,\"height\":3,\"file_name\":\"000000000000.png\",\"frame\":0,\"pts\":0,\"timestamp"
          "\":0,\"running_time\":0}\n"
          "],\n"
          "\"categories\":[\n"
          "{\"id\":1,\"name\":\"unnamed\"}\n"
          "]}\n",
      [LABELME] =
          "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[\n"
          "{\"label\":\"unnamed\",\"shape_type\":\"polygon\",\"flags\":{},\"group_id\":0,\"points\":[[12,0.5],[12,2]"
          ",[2,2],[2,0.5],[12,0.5],[4,1.5],[6,2],[8,1.5],[6,1],[4,1.5],[12,0.5]],\"attributes\":{\"id\":0,\"hole\":f"
          "alse,\"parent\":null,\"area\":15,\"perimeter\":23,\"x\":2,\"y\":0.5,\"w\":10,\"h\":1.5}}\n"
          "],\"imagePath\":\"part.png\",\"imageData\":null,\"imageHeight\":3,\"imageWidth\":16,\"schema\":\"gst-cuda"
          "-contours/1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0}\n",
  };
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpu, 0, CTR_COORDINATES_CORNERS, NULL);
  assert_export (__i__, sample_send ("videoscale ! video/x-raw,width=16,height=3", buffer), expected[__i__]);
}
GST_END_TEST;

/* Attaches one contour to BUFFER. */
static GstContoursContourMeta *
attach_one (GstBuffer *buffer, CtrContour row, const CtrPoint *points, const gchar *source)
{
  const CtrContours info = {.width = 8, .height = 6, .count = 1, .point_count = row.count};
  CtrContourArrays arrays;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  row.next = row.previous = row.child = row.parent = -1;
  arrays.table[0] = row;
  memcpy (arrays.points, points, row.count * sizeof *points);
  GstContoursContourMeta *meta = gst_buffer_add_contours_contour_meta (buffer, contours, source);
  ctr_contours_unref (contours);
  return meta;
}

/* What is left of an outline larger than a limit: its hole, an area of its own. The frame was mirrored since. */
GST_START_TEST (hole_alone)
{
  static const gchar *const expected[FORMATS] = {
      [SVG] =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"6\" viewBox=\"0 0 8 6\" data-schema=\"gst-"
          "cuda-contours/1\" data-frame=\"0\" data-pts=\"0\" data-timestamp=\"0\">\n"
          "<g data-source=\"drill\" fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n"
          "<path data-id=\"0\" class=\"hole\" d=\"M4 3V5H5V3z\"/>\n"
          "</g>\n"
          "</svg>\n",
      [GEOJSON] =
          "{\"type\":\"FeatureCollection\",\"schema\":\"gst-cuda-contours/"
          "1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0,"
          "\"resolution\":{\"width\":8,\"height\":6},\"features\":[\n"
          "{\"type\":\"Feature\",\"properties\":{\"source\":\"drill\",\"threshold\":0,\"id\":0,\"hole\":true,\"paren"
          "t\":null,\"area\":4,\"perimeter\":0,\"x\":3,\"y\":2,\"w\":3,\"h\":4},\"geometry\":{\"type\":\"Polygon\","
          "\"coordinates\":[[[5,3],[5,5],[4,5],[4,3],[5,3]]]}}\n"
          "]}\n",
      [COCO] =
          "{\"info\":{\"description\":\"gst-cuda-contours/1\"},\"licenses\":[],\n"
          "\"annotations\":[\n"
          "{\"id\":1,\"image_id\":0,\"category_id\":1,\"iscrowd\":0,\"area\":2,\"bbox\":[4,3,1,2],\"attributes\":{\""
          "id\":0,\"hole\":true,\"parent\":null,\"area\":4,\"perimeter\":0,\"x\":3,\"y\":2,\"w\":3,\"h\":4},\"segmen"
          "tation\":[[4,3,4,5,5,5,5,3]]}\n"
          "],\n"
          "\"images\":[\n"
          "{\"id\":0,\"width\":8,\"height\":6,\"file_name\":\"000000000000.png\",\"frame\":0,\"pts\":0,\"timestamp\""
          ":0,\"running_time\":0}\n"
          "],\n"
          "\"categories\":[\n"
          "{\"id\":1,\"name\":\"drill hole\"}\n"
          "]}\n",
      [LABELME] =
          "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[\n"
          "{\"label\":\"drill hole\",\"shape_type\":\"polygon\",\"flags\":{},\"group_id\":0,\"points\":[[4.9,3.1],[4"
          ".1,3.1],[4.1,4.9],[4.9,4.9]],\"attributes\":{\"id\":0,\"hole\":true,\"parent\":null,\"area\":4,\"perimete"
          "r\":0,\"x\":3,\"y\":2,\"w\":3,\"h\":4}}\n"
          "],\"imagePath\":\"part.png\",\"imageData\":null,\"imageHeight\":6,\"imageWidth\":8,\"schema\":\"gst-cuda-"
          "contours/1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0}\n",
  };
  static const CtrPoint points[] = {{3, 2}, {4, 3}, {4, 4}, {3, 5}, {2, 4}, {2, 3}};
  const CtrContour row = {
      .area2 = 8, .count = 6, .flags = CTR_CONTOUR_HOLE, .left = 2, .top = 2, .width = 3, .height = 4};
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = attach_one (buffer, row, points, "drill");
  GstContoursMapping *mapping = (GstContoursMapping *) gst_contours_contour_meta_get_mapping (meta);
  mapping->xx = -1;
  mapping->x0 = 8;
  assert_export (__i__, buffer, expected[__i__]);
}
GST_END_TEST;

/* Two points and a slope: no area, so its box. A hole like that is none. Nor is one whose border, around two pixels that touch at
 * a corner, has its inside on the wrong side, as other programs may write it. */
GST_START_TEST (no_area)
{
  static const gchar *const expected[FORMATS] = {
      [SVG] =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"6\" viewBox=\"0 0 8 6\" data-schema=\"gst-"
          "cuda-contours/1\" data-frame=\"0\" data-pts=\"0\" data-timestamp=\"0\">\n"
          "<g data-source=\"follower\" fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n"
          "<path data-id=\"0\" d=\"M1 1H5V3H1z\"/>\n"
          "</g>\n"
          "<g data-source=\"follower\" fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n"
          "</g>\n"
          "<g data-source=\"follower\" fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n"
          "</g>\n"
          "</svg>\n",
      [GEOJSON] =
          "{\"type\":\"FeatureCollection\",\"schema\":\"gst-cuda-contours/"
          "1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0,"
          "\"resolution\":{\"width\":8,\"height\":6},\"features\":[\n"
          "{\"type\":\"Feature\",\"properties\":{\"source\":\"follower\",\"threshold\":0,\"id\":0,\"hole\":false,\"p"
          "arent\":null,\"area\":0,\"perimeter\":0,\"x\":1,\"y\":1,\"w\":4,\"h\":2},\"geometry\":{\"type\":\"Polygon"
          "\",\"coordinates\":[[[1,1],[5,1],[5,3],[1,3],[1,1]]]}}\n"
          "]}\n",
      [COCO] =
          "{\"info\":{\"description\":\"gst-cuda-contours/1\"},\"licenses\":[],\n"
          "\"annotations\":[\n"
          "{\"id\":1,\"image_id\":0,\"category_id\":1,\"iscrowd\":0,\"area\":8,\"bbox\":[1,1,4,2],\"attributes\":{\""
          "id\":0,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":1,\"y\":1,\"w\":4,\"h\":2},\"segme"
          "ntation\":[[1,1,5,1,5,3,1,3]]}\n"
          "],\n"
          "\"images\":[\n"
          "{\"id\":0,\"width\":8,\"height\":6,\"file_name\":\"000000000000.png\",\"frame\":0,\"pts\":0,\"timestamp\""
          ":0,\"running_time\":0}\n"
          "],\n"
          "\"categories\":[\n"
          "{\"id\":1,\"name\":\"follower\"}\n"
          "]}\n",
      [LABELME] =
          "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[\n"
          "{\"label\":\"follower\",\"shape_type\":\"polygon\",\"flags\":{},\"group_id\":0,\"points\":[[1.1,1.1],[4.9"
          ",1.1],[4.9,2.9],[1.1,2.9]],\"attributes\":{\"id\":0,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter"
          "\":0,\"x\":1,\"y\":1,\"w\":4,\"h\":2}}\n"
          "],\"imagePath\":\"part.png\",\"imageData\":null,\"imageHeight\":6,\"imageWidth\":8,\"schema\":\"gst-cuda-"
          "contours/1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0}\n",
  };
  static const CtrPoint points[] = {{1, 1}, {4, 2}}, corner[] = {{1, 1}, {2, 2}};
  const CtrContour row = {.count = 2, .left = 1, .top = 1, .width = 4, .height = 2};
  CtrContour hole = row, inverted;
  hole.flags = CTR_CONTOUR_HOLE;
  inverted = hole;
  inverted.width = 2;
  GstBuffer *buffer = sample_buffer ();
  attach_one (buffer, row, points, "follower");
  attach_one (buffer, hole, points, "follower");
  attach_one (buffer, inverted, corner, "follower");
  assert_export (__i__, buffer, expected[__i__]);
}
GST_END_TEST;

/* Names with all that breaks a document. */
GST_START_TEST (names)
{
  static const gchar *const expected[FORMATS] = {
      [SVG] =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"6\" viewBox=\"0 0 8 6\" data-schema=\"gst-"
          "cuda-contours/1\" data-frame=\"0\" data-pts=\"0\" data-timestamp=\"0\">\n"
          "<g data-source=\"&#60;a b=&#34;c\\d&#34;>&#38;&#10;&#9;��é%s\" fill-rule=\"evenodd\" shape-rendering=\"cr"
          "ispEdges\">\n"
          "<path data-id=\"0\" d=\"M3 4H2V3H3z\"/>\n"
          "</g>\n"
          "</svg>\n",
      [GEOJSON] =
          "{\"type\":\"FeatureCollection\",\"schema\":\"gst-cuda-contours/"
          "1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0,"
          "\"resolution\":{\"width\":8,\"height\":6},\"features\":[\n"
          "{\"type\":\"Feature\",\"properties\":{\"source\":\"<a b=\\\"c\\\\d\\\">&\\u000a\\u0009\\u0001�é%s\",\"thr"
          "eshold\":0,\"id\":0,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":2,\"y\":3,\"w\":1,\"h"
          "\":1},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[3,4],[2,4],[2,3],[3,3],[3,4]]]}}\n"
          "]}\n",
      [COCO] =
          "{\"info\":{\"description\":\"gst-cuda-contours/1\"},\"licenses\":[],\n"
          "\"annotations\":[\n"
          "{\"id\":1,\"image_id\":0,\"category_id\":1,\"iscrowd\":0,\"area\":1,\"bbox\":[2,3,1,1],\"attributes\":{\""
          "id\":0,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":2,\"y\":3,\"w\":1,\"h\":1},\"segme"
          "ntation\":[[3,4,2,4,2,3,3,3]]}\n"
          "],\n"
          "\"images\":[\n"
          "{\"id\":0,\"width\":8,\"height\":6,\"file_name\":\"000000000000.png\",\"frame\":0,\"pts\":0,\"timestamp\""
          ":0,\"running_time\":0}\n"
          "],\n"
          "\"categories\":[\n"
          "{\"id\":1,\"name\":\"<a b=\\\"c\\\\d\\\">&\\u000a\\u0009\\u0001�é%s\"}\n"
          "]}\n",
      [LABELME] =
          "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[\n"
          "{\"label\":\"<a b=\\\"c\\\\d\\\">&\\u000a\\u0009\\u0001�é%s\",\"shape_type\":\"polygon\",\"flags\":{},\"g"
          "roup_id\":0,\"points\":[[2.1,3.1],[2.9,3.1],[2.9,3.9],[2.1,3.9]],\"attributes\":{\"id\":0,\"hole\":false,"
          "\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":2,\"y\":3,\"w\":1,\"h\":1}}\n"
          "],\"imagePath\":\"part.png\",\"imageData\":null,\"imageHeight\":6,\"imageWidth\":8,\"schema\":\"gst-cuda-"
          "contours/1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0}\n",
  };
  static const CtrPoint point = {2, 3};
  const CtrContour row = {.count = 1, .left = 2, .top = 3, .width = 1, .height = 1};
  GstBuffer *buffer = sample_buffer ();
  attach_one (buffer, row, &point, "<a b=\"c\\d\">&\n\t\001\xff\u00e9%s");
  assert_export (__i__, buffer, expected[__i__]);
}
GST_END_TEST;

static Suite *
export_shapes_suite (void)
{
  Suite *suite = suite_create ("contourexport's shapes");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, pictures, SVG, FORMATS);
  tcase_add_test (tcase, decimal_comma);
  tcase_add_loop_test (tcase, nothing, SVG, FORMATS);
  tcase_add_test (tcase, greys);
  tcase_add_loop_test (tcase, simplified, SVG, FORMATS);
  tcase_add_loop_test (tcase, hole_alone, SVG, FORMATS);
  tcase_add_loop_test (tcase, no_area, SVG, FORMATS);
  tcase_add_loop_test (tcase, names, SVG, FORMATS);
  return suite;
}

GST_CHECK_MAIN (export_shapes);
