/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the snake on the objects of a frame, again where tracking asks for it. */
#include "gst/snake/search.h"

/* Outlines TARGETS. Their number is COUNT, but TARGETS may be empty where COUNT exceeds the limit. Targets that the
 * image cannot have, such as a polygon outside it, have no outline, and *PROBLEM says why. */
static CtrContours *
run_snake (const SnakeSearch *search, const GArray *targets, guint count, gchar **problem, CtrError *error)
{
  CtrSnakeObject *objects = g_new (CtrSnakeObject, MAX (targets->len, 1));
  CtrContours *contours;

  for (guint i = 0; i < targets->len; i++)
    objects[i] = g_array_index (targets, SnakeTarget, i).object;
  contours = ctr_snake_run (search->snake, search->image, search->params, objects, count, search->stream, error);
  if (!contours && error->status == CTR_ERROR_INVALID_ARGUMENT) {
    *problem = g_strdup (error->message);
    contours = ctr_snake_run (search->snake, search->image, search->params, NULL, 0, search->stream, error);
  }
  g_free (objects);
  return contours;
}

/* The number of targets without those that only keep a place. */
static guint
count_searched (const GArray *targets)
{
  guint count = 0;

  for (guint i = 0; i < targets->len; i++)
    count += g_array_index (targets, SnakeTarget, i).key != SNAKE_NO_TARGET;
  return count;
}

/* Outlines TARGETS from where they were in the last frame. A frame that exceeds a limit leaves the tracks as they are.
 */
static CtrContours *
follow_outlines (
    const SnakeSearch *search, GArray *targets, guint *count, GArray *events, gchar **problem, CtrError *error)
{
  CtrContours *contours = NULL;
  gboolean again;

  /* More components than the limit allows are not listed, and invalid properties describe nothing. */
  if (!*problem && targets->len >= *count) {
    snake_tracks_start (
        search->tracks, search->selection, targets, search->image->width, search->image->height, events);
    *count = count_searched (targets);
  }
  do {
    g_clear_pointer (&contours, ctr_contours_unref);
    contours = run_snake (search, targets, MAX (*count, targets->len), problem, error);
    if (contours && contours->exceeded != CTR_LIMIT_NONE)
      break;
    if (contours && !snake_tracks_check (search->tracks, search->selection, targets, contours, &again, error))
      g_clear_pointer (&contours, ctr_contours_unref);
  } while (contours && again);
  if (contours && contours->exceeded == CTR_LIMIT_NONE
      && !snake_tracks_update (search->tracks, search->selection, targets, contours, events, error))
    g_clear_pointer (&contours, ctr_contours_unref);
  return contours;
}

CtrContours *
snake_search_run (const SnakeSearch *search, guint *count, GArray *events, gchar **problem, CtrError *error)
{
  GArray *targets = snake_objects_find (search->selection, search->buffer, search->params->max_objects, count, problem);
  CtrContours *contours = search->tracks ? follow_outlines (search, targets, count, events, problem, error)
                                         : run_snake (search, targets, *count, problem, error);

  g_array_unref (targets);
  return contours;
}
