/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/snake/objects.h"

#include "gst/base/detections.h"

#include <gst/contours/gstcontours.h>
#include <gst/video/video.h>
#include <math.h>

/* Limit of positions in metadata, which may have any value: positions beyond it are outside every frame, with every
 * margin. */
#define FAR (1 << 28)

gint64
snake_objects_margin (gdouble margin, gint64 width, gint64 height)
{
  return (gint64) ceil (margin * (gdouble) (width + height) / 2);
}

static gint32
limit (gint64 position)
{
  return CLAMP (position, -FAR, FAR);
}

SnakeTarget
snake_objects_around (const SnakeSelection *selection, guint64 key, const CtrSnakeRect *box)
{
  const gint64 x = box->x, y = box->y, w = box->width, h = box->height;
  const gint64 margin = snake_objects_margin (selection->margin, w, h);

  return (SnakeTarget){
      .key = key,
      .box = *box,
      .object = {.window = {limit (x - margin), limit (y - margin), limit (w + 2 * margin), limit (h + 2 * margin)},
          .start = selection->start,
          .rectangle = *box},
  };
}

/* Adds an object for a box from upstream. */
static void
add_box (GArray *targets, const SnakeSelection *selection, guint64 key, gint64 x, gint64 y, gint64 width, gint64 height)
{
  const CtrSnakeRect box = {limit (x), limit (y), CLAMP (width, 1, FAR), CLAMP (height, 1, FAR)};
  const SnakeTarget target = snake_objects_around (selection, key, &box);

  g_array_append_val (targets, target);
}

/* Returns the number of components. Noise has millions, so more than MAX_COUNT are only counted. */
static guint
find_components (const SnakeSelection *selection, GstBuffer *buffer, guint max_count, GArray *targets, gchar **problem)
{
  GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (buffer);
  GstContoursComponent c;
  guint count = 0;

  if (!meta) {
    *problem = g_strdup ("the frame has no components. Put cudacca before this element");
    return 0;
  }
  for (guint i = 0; gst_contours_component_meta_get_component (meta, i, &c); i++)
    count += c.area >= selection->min_area;
  if (max_count > 0 && count > max_count)
    return count;
  for (guint i = 0; gst_contours_component_meta_get_component (meta, i, &c); i++)
    if (c.area >= selection->min_area)
      add_box (targets, selection, i, floor (c.x), floor (c.y), ceil (c.x + c.w) - floor (c.x),
          ceil (c.y + c.h) - floor (c.y));
  return count;
}

/* Regions of interest are matched across frames by their ids if these are distinct, otherwise by order. */
static void
find_regions (const SnakeSelection *selection, GstBuffer *buffer, GArray *targets)
{
  GHashTable *ids = g_hash_table_new (NULL, NULL);
  gpointer state = NULL;
  gboolean distinct = TRUE;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    distinct &= g_hash_table_add (ids, GINT_TO_POINTER (((GstVideoRegionOfInterestMeta *) meta)->id));
  g_hash_table_unref (ids);

  state = NULL;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;
    const guint64 key = distinct ? G_GUINT64_CONSTANT (1) << 32 | (guint32) roi->id : targets->len;

    add_box (targets, selection, key, roi->x, roi->y, roi->w, roi->h);
  }
}

/* Detections are matched across frames by order. */
static void
find_detections (const SnakeSelection *selection, GstBuffer *buffer, GArray *targets, gchar **problem)
{
  GArray *detections;

  if (!detections_are_supported ()) {
    *problem = g_strdup ("objects=detections needs " DETECTIONS_NEED ". Set objects=regions");
    return;
  }
  detections = detections_find (buffer);
  for (guint i = 0; i < detections->len; i++) {
    const Detection *d = &g_array_index (detections, Detection, i);

    add_box (targets, selection, targets->len, d->x, d->y, d->width, d->height);
  }
  g_array_unref (detections);
}

/* The number of objects that the properties describe; 0 if they are invalid. */
static guint
count_described (const SnakeSelection *selection, gchar **problem)
{
  const guint windows = selection->windows->len;
  const gchar *name = selection->start == CTR_SNAKE_START_RECTANGLE ? "rectangle" : "polygon";
  guint starts;

  if (selection->start == CTR_SNAKE_START_AUTO)
    return MAX (windows, 1);
  starts = selection->start == CTR_SNAKE_START_RECTANGLE ? selection->rectangles->len : selection->polygons->len;
  if (starts == 0) {
    *problem = g_strdup_printf ("start=%s needs the property %s. Set it, or set start=auto", name, name);
  } else if (windows > 1 && windows != starts) {
    *problem =
        g_strdup_printf ("%s and window have different numbers of entries (%u and %u). Set one window for all, or one "
                         "for each",
            name, starts, windows);
    starts = 0;
  }
  return starts;
}

static void
find_described (const SnakeSelection *selection, GArray *targets, gchar **problem)
{
  const guint count = count_described (selection, problem), windows = selection->windows->len;

  for (guint i = 0; i < count; i++) {
    SnakeTarget target = {.key = i, .object = {.start = selection->start}};

    if (windows > 0)
      target.object.window = g_array_index (selection->windows, CtrSnakeRect, windows > 1 ? i : 0);
    if (selection->start == CTR_SNAKE_START_RECTANGLE) {
      target.object.rectangle = g_array_index (selection->rectangles, CtrSnakeRect, i);
    } else if (selection->start == CTR_SNAKE_START_POLYGON) {
      const GArray *points = selection->polygons->pdata[i];

      target.object.points = (const CtrPoint *) points->data;
      target.object.point_count = points->len;
    }
    g_array_append_val (targets, target);
  }
}

GArray *
snake_objects_find (const SnakeSelection *selection, GstBuffer *buffer, guint max_count, guint *count, gchar **problem)
{
  GArray *targets = g_array_new (FALSE, FALSE, sizeof (SnakeTarget));
  guint components = 0;

  *problem = NULL;
  if (selection->source == SNAKE_OBJECTS_PROPERTIES)
    find_described (selection, targets, problem);
  else if (selection->start == CTR_SNAKE_START_POLYGON)
    *problem =
        g_strdup ("start=polygon requires objects=properties. Set start=auto, or start=rectangle to start from the "
                  "boxes of the regions, components or detections");
  else if (selection->source == SNAKE_OBJECTS_REGIONS)
    find_regions (selection, buffer, targets);
  else if (selection->source == SNAKE_OBJECTS_DETECTIONS)
    find_detections (selection, buffer, targets, problem);
  else
    components = find_components (selection, buffer, max_count, targets, problem);
  *count = MAX (components, targets->len);
  return targets;
}
