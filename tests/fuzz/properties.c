/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties that are text: limits, regions, ranges of colours, levels, windows, rectangles and polygons. The first byte
 * chooses which. Invalid text gives one message of valid UTF-8 and changes nothing. */
#include "tests/fuzz/fuzz.h"

#include "gst/base/colorrange.h"
#include "gst/base/regionlist.h"
#include "gst/base/selectlist.h"
#include "gst/cracks/levels.h"
#include "gst/snake/lists.h"

#include <contours/contours.h>
#include <string.h>

/* Takes over PROBLEM. */
static void
check_problem (gboolean valid, gchar *problem)
{
  FUZZ_CHECK (valid == !problem);
  FUZZ_CHECK (!problem || (*problem && g_utf8_validate (problem, -1, NULL)));
  g_free (problem);
}

static void
try_select (const gchar *text, SelectNames names)
{
  CtrSelect select = {.count = 77};
  gchar *problem;
  const gboolean valid = select_parse (text, names, &select, &problem);
  FUZZ_CHECK (valid ? select.count <= CTR_SELECT_MAX : select.count == 77);
  for (uint32_t i = 0; valid && i < select.count; i++)
    FUZZ_CHECK (names (select.limits[i].feature) && select.limits[i].min <= select.limits[i].max);
  check_problem (valid, problem);
}

static void
try_regions (const gchar *text)
{
  RegionList *list;
  gchar *problem;
  const gboolean valid = region_list_parse (text, &list, &problem);
  CtrError error;
  FUZZ_CHECK (valid || !list);
  if (list) {
    CtrRegions *regions = ctr_regions_new (list->regions, list->count, NULL, &error);
    FUZZ_CHECK (regions);
    ctr_regions_unref (regions);
  }
  region_list_unref (list);
  check_problem (valid, problem);
}

static void
try_colours (const gchar *text)
{
  CtrForeground foreground = {.ranges = 1, .lower = {3}, .upper = {9}}, before = foreground;
  gchar *problem;
  const gboolean valid = color_range_parse (text, &foreground, &problem);
  FUZZ_CHECK (valid || memcmp (&foreground, &before, sizeof before) == 0);
  check_problem (valid, problem);
}

static void
try_levels (const gchar *text)
{
  CrackLevels levels = {0};
  crack_levels_set (&levels, text);
  for (guint i = 0; levels.list && i < levels.list->len; i++) {
    const guint32 level = g_array_index (levels.list, guint32, i);
    FUZZ_CHECK (level <= CRACK_LEVELS_MAX && (i == 0 || g_array_index (levels.list, guint32, i - 1) < level));
  }
  if (levels.error) {
    gchar *warning = crack_levels_describe_error (&levels);
    FUZZ_CHECK (!levels.list && g_utf8_validate (warning, -1, NULL));
    g_free (warning);
  }
  crack_levels_clear (&levels);
}

static void
try_objects (SnakeListKind kind, const gchar *text)
{
  SnakeLists lists;
  SnakeSelection selection = {0};
  gchar *problem = NULL;
  snake_lists_init (&lists);
  snake_lists_set (&lists, kind, text);
  if (snake_lists_fill (&lists, &selection, &problem))
    snake_selection_clear (&selection);
  else
    FUZZ_CHECK (problem && g_utf8_validate (problem, -1, NULL));
  g_free (problem);
  snake_lists_clear (&lists);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  FuzzInput input = {bytes, size};
  const uint8_t kind = fuzz_take_byte (&input);
  gchar *text = fuzz_rest_as_text (&input);
  switch (kind % 8) {
    case 0:
      try_select (text, ctr_contour_number_name);
      break;
    case 1:
      try_select (text, ctr_component_number_name);
      break;
    case 2:
      try_regions (text);
      break;
    case 3:
      try_colours (text);
      break;
    case 4:
      try_levels (text);
      break;
    default:
      try_objects ((SnakeListKind) (kind % 8 - 5), text);
      break;
  }
  g_free (text);
  return 0;
}
