/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/snake/tracks.h"

#include "gst/snake/matching.h"

#include <math.h>

/* First step when a search starts from the last outline, as contours/snake.h recommends. */
#define FIRST_STEP 8

/* Time constant, in frames, of the appearance of an object: a passing occlusion does not change it, a cloud does. */
#define TIME_CONSTANT 32

static const CtrSnakeRect outside_frame = {-1, -1, 1, 1};

/* First and second moment of the samples of a region. */
typedef struct {
  gdouble mean;
  gdouble square;
} Appearance;

typedef struct {
  GArray *points;      /* of CtrPoint: outline in the last frame; empty while the object is lost */
  CtrSnakeRect bounds; /* of the points */
  CtrSnakeRect box;    /* of the target in that frame */
  Appearance inside;   /* running mean over the frames that it was found in */
  Appearance outside;
  gboolean present; /* a target of the current frame */
} Track;

struct _SnakeTracks {
  GHashTable *tracks; /* from the guint64 key of a target to Track */
  guint width;        /* of the frame */
  guint height;
};

static void
track_free (gpointer data)
{
  Track *track = data;

  g_array_unref (track->points);
  g_free (track);
}

SnakeTracks *
snake_tracks_new (void)
{
  SnakeTracks *tracks = g_new0 (SnakeTracks, 1);

  tracks->tracks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, track_free);
  return tracks;
}

void
snake_tracks_free (SnakeTracks *tracks)
{
  g_hash_table_unref (tracks->tracks);
  g_free (tracks);
}

void
snake_tracks_clear (SnakeTracks *tracks)
{
  g_hash_table_remove_all (tracks->tracks);
}

/* The start of a window of SIZE around the centre of FROM, LENGTH, inside a frame of size FRAME if it fits. */
static gint32
start_window (gint64 from, gint64 length, gint64 size, gint64 frame)
{
  const gint64 start = from + length / 2 - size / 2;

  return CLAMP (start, MIN (0, frame - size), MAX (0, frame - size));
}

/* The window HOME, moved to the outline with these BOUNDS. */
static CtrSnakeRect
follow_window (const SnakeTracks *tracks, const CtrSnakeRect *home, const CtrSnakeRect *bounds)
{
  return (CtrSnakeRect){start_window (bounds->x, bounds->width, home->width, tracks->width),
      start_window (bounds->y, bounds->height, home->height, tracks->height), home->width, home->height};
}

/* Moves the outline as far as its box has moved. Returns FALSE if it would leave WINDOW or the frame. */
static gboolean
move_outline (const SnakeTracks *tracks, Track *track, const CtrSnakeRect *box, const CtrSnakeRect *window)
{
  const gint64 dx = ((2 * (gint64) box->x + box->width) - (2 * (gint64) track->box.x + track->box.width)) / 2;
  const gint64 dy = ((2 * (gint64) box->y + box->height) - (2 * (gint64) track->box.y + track->box.height)) / 2;
  const gint64 left = track->bounds.x + dx, right = left + track->bounds.width;
  const gint64 top = track->bounds.y + dy, bottom = top + track->bounds.height;

  if (left < MAX (0, window->x) || right > MIN (tracks->width, (gint64) window->x + window->width)
      || top < MAX (0, window->y) || bottom > MIN (tracks->height, (gint64) window->y + window->height))
    return FALSE;
  for (guint i = 0; i < track->points->len; i++) {
    CtrPoint *point = &g_array_index (track->points, CtrPoint, i);

    *point = (CtrPoint){point->x + dx, point->y + dy};
  }
  return TRUE;
}

static void
add_event (GArray *events, guint object, SnakeTrackChange change)
{
  const SnakeTrackEvent event = {object, change};

  g_array_append_val (events, event);
}

/* The number of a component without a track is the lowest one that no other object has. It is the key of its track. */
typedef struct {
  GArray *boxes;   /* of CtrSnakeRect: of the tracks' outlines */
  GArray *numbers; /* of guint: of the tracks, by box, ascending */
} Outlines;

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const guint p = *(const guint *) a, q = *(const guint *) b;

  return p < q ? -1 : p > q;
}

static Track *
find_track (const SnakeTracks *tracks, guint64 key)
{
  return g_hash_table_lookup (tracks->tracks, &key);
}

/* The outlines of the last frame, in the order of their objects. */
static Outlines
list_outlines (const SnakeTracks *tracks)
{
  const Outlines all = {g_array_new (FALSE, FALSE, sizeof (CtrSnakeRect)), g_array_new (FALSE, FALSE, sizeof (guint))};
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, tracks->tracks);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const guint number = *(const guint64 *) key;

    g_array_append_val (all.numbers, number);
  }
  g_array_sort (all.numbers, compare_numbers);
  for (guint i = 0; i < all.numbers->len; i++)
    g_array_append_val (all.boxes, find_track (tracks, g_array_index (all.numbers, guint, i))->bounds);
  return all;
}

/* Puts TARGET in place NUMBER of TARGETS. Places between that stay empty are targets that are not searched for. */
static void
place (GArray *targets, guint number, SnakeTarget target)
{
  const SnakeTarget none = {.key = SNAKE_NO_TARGET, .object = {.window = outside_frame}};

  while (targets->len <= number)
    g_array_append_val (targets, none);
  target.key = number;
  g_array_index (targets, SnakeTarget, number) = target;
}

/* Whether NUMBER is that of one of OUTLINES. *AT is an index for calls with rising numbers. */
static gboolean
is_taken (const Outlines *outlines, guint number, guint *at)
{
  while (*at < outlines->numbers->len && g_array_index (outlines->numbers, guint, *at) < number)
    (*at)++;
  return *at < outlines->numbers->len && g_array_index (outlines->numbers, guint, *at) == number;
}

/* Places the objects that were found in the last frame: in the component that continues them; where there is none,
 * around their last outline. An outline whose component continues another one has merged with that. */
static void
place_tracked (SnakeTracks *tracks, const SnakeSelection *selection, const Outlines *outlines,
    const SnakeMatch *matches, const GArray *components, GArray *targets, GArray *events)
{
  for (guint i = 0; i < outlines->numbers->len; i++) {
    const guint number = g_array_index (outlines->numbers, guint, i);
    const guint64 key = number;

    if (matches[i].partner >= 0) {
      place (targets, number, g_array_index (components, SnakeTarget, matches[i].partner));
    } else if (matches[i].touched) {
      add_event (events, number, SNAKE_TRACK_LOST);
      g_hash_table_remove (tracks->tracks, &key);
    } else {
      SnakeTarget target = snake_objects_around (selection, key, &g_array_index (outlines->boxes, CtrSnakeRect, i));

      target.alone = TRUE;
      /* The outline stays where it was. */
      find_track (tracks, key)->box = target.box;
      place (targets, number, target);
    }
  }
}

/* Gives the components in TARGETS the numbers of the objects that they continue, and adds objects that have no
 * component in this frame. */
static void
match_components (SnakeTracks *tracks, const SnakeSelection *selection, GArray *targets, GArray *events)
{
  const Outlines outlines = list_outlines (tracks);
  GArray *components = g_array_copy (targets), *boxes = g_array_new (FALSE, FALSE, sizeof (CtrSnakeRect));
  SnakeMatch *old_matches = g_new (SnakeMatch, outlines.numbers->len + 1);
  SnakeMatch *new_matches = g_new (SnakeMatch, components->len + 1);
  guint number = 0, at = 0;

  for (guint i = 0; i < components->len; i++)
    g_array_append_val (boxes, g_array_index (components, SnakeTarget, i).box);
  snake_match_boxes ((const CtrSnakeRect *) outlines.boxes->data, outlines.boxes->len,
      (const CtrSnakeRect *) boxes->data, boxes->len, old_matches, new_matches);
  g_array_set_size (targets, 0);
  place_tracked (tracks, selection, &outlines, old_matches, components, targets, events);
  for (guint i = 0; i < components->len; i++) {
    if (new_matches[i].partner >= 0)
      continue;
    while (is_taken (&outlines, number, &at))
      number++;
    place (targets, number++, g_array_index (components, SnakeTarget, i));
  }
  g_free (old_matches);
  g_free (new_matches);
  g_array_unref (boxes);
  g_array_unref (components);
  g_array_unref (outlines.boxes);
  g_array_unref (outlines.numbers);
}

void
snake_tracks_start (
    SnakeTracks *tracks, const SnakeSelection *selection, GArray *targets, guint width, guint height, GArray *events)
{
  if (tracks->width != width || tracks->height != height)
    snake_tracks_clear (tracks);
  tracks->width = width;
  tracks->height = height;
  if (selection->source == SNAKE_OBJECTS_COMPONENTS)
    match_components (tracks, selection, targets, events);
  for (guint i = 0; i < targets->len; i++) {
    SnakeTarget *target = &g_array_index (targets, SnakeTarget, i);
    CtrSnakeObject *object = &target->object;
    Track *track = g_hash_table_lookup (tracks->tracks, &target->key);

    if (!track || track->points->len == 0)
      continue;
    if (selection->source == SNAKE_OBJECTS_PROPERTIES) {
      if (object->window.width > 0)
        object->window = follow_window (tracks, &object->window, &track->bounds);
    } else if (!move_outline (tracks, track, &target->box, &object->window)) {
      continue;
    }
    object->start = CTR_SNAKE_START_POLYGON;
    object->points = (const CtrPoint *) track->points->data;
    object->point_count = track->points->len;
    object->first_step = FIRST_STEP;
    object->retry = true;
  }
}

static Appearance
get_appearance (const CtrSnakeRegion *region, gboolean inside)
{
  const gdouble mean = ctr_snake_region_mean (region, inside);

  return (Appearance){mean, ctr_snake_region_variance (region, inside) + mean * mean};
}

static Appearance
blend (Appearance before, Appearance now)
{
  return (Appearance){before.mean + (now.mean - before.mean) / TIME_CONSTANT,
      before.square + (now.square - before.square) / TIME_CONSTANT};
}

/* Twice the negative log-likelihood, per pixel and without constant terms, of samples with the moments A under a
 * Gaussian with the moments B. */
static gdouble
distance (Appearance a, Appearance b)
{
  const gdouble variance = MAX (b.square - b.mean * b.mean, 1.0 / 12);

  return log (variance) + (a.square - 2 * a.mean * b.mean + b.mean * b.mean) / variance;
}

static gboolean
resembles_background (const Track *track, const CtrSnakeRegion *region)
{
  const Appearance appearance = get_appearance (region, TRUE);

  return distance (appearance, track->outside) < distance (appearance, track->inside);
}

gboolean
snake_tracks_check (SnakeTracks *tracks, const SnakeSelection *selection, GArray *targets, CtrContours *contours,
    gboolean *again, CtrError *error)
{
  const CtrSnakeRegion *regions = ctr_contours_map_regions (contours, error);

  *again = FALSE;
  for (guint row = 0; regions && row < contours->count; row++) {
    const CtrSnakeRegion *region = &regions[row];
    SnakeTarget *target = &g_array_index (targets, SnakeTarget, region->object);
    const Track *track = g_hash_table_lookup (tracks->tracks, &target->key);
    CtrSnakeObject *object = &target->object;

    if (!track || !resembles_background (track, region))
      continue;
    if (object->retry && !(region->flags & CTR_SNAKE_RESTARTED)) {
      object->start = CTR_SNAKE_START_RECTANGLE;
      object->rectangle = outside_frame; /* fails at once, so that the search restarts in the window */
      *again = TRUE;
    } else if (selection->source == SNAKE_OBJECTS_PROPERTIES || target->alone) {
      object->window = outside_frame;
      object->start = CTR_SNAKE_START_AUTO;
      *again = TRUE;
    }
  }
  return regions != NULL;
}

static void
note_found (SnakeTracks *tracks, const SnakeTarget *target, const CtrContour *row, const CtrPoint *points,
    const CtrSnakeRegion *region, GArray *events)
{
  Track *track = g_hash_table_lookup (tracks->tracks, &target->key);
  const Appearance inside = get_appearance (region, TRUE), outside = get_appearance (region, FALSE);

  if (!track) {
    track = g_new0 (Track, 1);
    track->inside = inside;
    track->outside = outside;
    track->points = g_array_new (FALSE, FALSE, sizeof (CtrPoint));
    g_hash_table_insert (tracks->tracks, g_memdup2 (&target->key, sizeof target->key), track);
  } else if (track->points->len == 0) {
    add_event (events, region->object, SNAKE_TRACK_FOUND);
  } else if (region->flags & CTR_SNAKE_RESTARTED) {
    add_event (events, region->object, SNAKE_TRACK_RESTARTED);
  }
  g_array_set_size (track->points, 0);
  g_array_append_vals (track->points, points + row->first, row->count);
  track->bounds = (CtrSnakeRect){row->left, row->top, row->width, row->height};
  track->box = target->alone ? track->bounds : target->box;
  track->inside = blend (track->inside, inside);
  track->outside = blend (track->outside, outside);
  track->present = TRUE;
}

static void
note_lost (SnakeTracks *tracks, const SnakeTarget *target, guint number, GArray *events)
{
  Track *track = g_hash_table_lookup (tracks->tracks, &target->key);

  if (!track)
    return;
  if (track->points->len > 0)
    add_event (events, number, SNAKE_TRACK_LOST);
  g_array_set_size (track->points, 0);
  track->present = TRUE;
}

/* A track is removed if its object is no longer a target, or is lost and has no identity to be found again by. The flags of the others are reset for the next frame. */
static gboolean
is_gone (gpointer key, gpointer value, gpointer user_data)
{
  Track *track = value;
  const gboolean gone = !track->present || (GPOINTER_TO_INT (user_data) && track->points->len == 0);

  track->present = FALSE;
  return gone;
}

gboolean
snake_tracks_update (SnakeTracks *tracks, const SnakeSelection *selection, const GArray *targets, CtrContours *contours,
    GArray *events, CtrError *error)
{
  const CtrContour *table = ctr_contours_map_table (contours, error);
  const CtrPoint *points = table ? ctr_contours_map_points (contours, error) : NULL;
  const CtrSnakeRegion *regions = points ? ctr_contours_map_regions (contours, error) : NULL;
  guint row = 0;

  if (!regions)
    return FALSE;
  for (guint i = 0; i < targets->len; i++) {
    const SnakeTarget *target = &g_array_index (targets, SnakeTarget, i);

    if (row < contours->count && regions[row].object == i) {
      note_found (tracks, target, &table[row], points, &regions[row], events);
      row++;
    } else {
      note_lost (tracks, target, i, events);
    }
  }
  g_hash_table_foreach_remove (
      tracks->tracks, is_gone, GINT_TO_POINTER (selection->source == SNAKE_OBJECTS_COMPONENTS));
  return TRUE;
}
