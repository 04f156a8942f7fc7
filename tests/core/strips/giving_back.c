/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intricate strips of a web between empty ones: the memory that they took is given back after a while, and results stay
 * what they are. Compiled with a period of a few strips. */
#include "core/common/room.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/allocations.h"

#include <contours/contourstrips.h>

#include <stdio.h>
#include <stdlib.h>

#ifndef HAVE_ALLOCATIONS

int
main (void)
{
  skip ("needs glibc's allocator to itself");
}

#else

enum { W = 3000, H = 8, INTRICATE = 3 };

/* An analyser of strips, of one of three kinds. */
typedef struct {
  const char *name;
  CtrComponentStrips *components;
  CtrBorderStrips *borders;
  CtrCrackStrips *cracks;
} Analyser;

static uint8_t *columns;
static uint8_t empty[W * H];

/* The number of components or contours that the strip closes. */
static uint32_t
run_strip (const Analyser *analyser, const uint8_t *samples)
{
  const CtrImage strip = {.data = samples, .stride = W, .width = W, .height = H, .format = CTR_FORMAT_GRAY8};
  CtrError error;
  uint32_t count;
  if (analyser->components) {
    const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
    CtrComponents *found = ctr_component_strips_run (analyser->components, &strip, &params, NULL, &error);
    CHECK (found);
    count = found->count;
    ctr_components_unref (found);
    return count;
  }
  CtrBordersParams border_params;
  CtrCracksParams crack_params;
  ctr_borders_params_init (&border_params);
  ctr_cracks_params_init (&crack_params);
  crack_params.minimum = crack_params.maximum = 1;
  border_params.foreground.threshold = 1;
  CtrContours *found = analyser->borders
                           ? ctr_border_strips_run (analyser->borders, &strip, &border_params, NULL, &error)
                           : ctr_crack_strips_run (analyser->cracks, &strip, &crack_params, NULL, &error);
  CHECK (found);
  count = found->count;
  ctr_contours_unref (found);
  return count;
}

/* Columns that cross seams, and end. */
static uint32_t
run_columns (const Analyser *analyser)
{
  uint32_t count = 0;
  for (int i = 0; i < INTRICATE; i++)
    count += run_strip (analyser, columns);
  return count + run_strip (analyser, empty);
}

static void
run_empty (const Analyser *analyser, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    CHECK (run_strip (analyser, empty) == 0);
}

static void
check (const Analyser *analyser)
{
  describe ("%s", analyser->name);
  run_empty (analyser, 4);
  const size_t before = allocated_bytes;
  CHECK (run_columns (analyser) == W / 2);
  const size_t peak = allocated_bytes - before;
  run_empty (analyser, 3 * CTR_ROOM_FRAMES);
  const size_t end = allocated_bytes - before;
  printf ("%s: %zu bytes after intricate strips, %zu after empty ones\n", analyser->name, peak, end);
  CHECK (peak > 100000 && end < peak / 20);
  const unsigned long calls = allocation_calls;
  run_strip (analyser, empty);
  const unsigned long usual = allocation_calls - calls;
  for (uint32_t i = 0; i < 4 * CTR_ROOM_FRAMES; i++) {
    const unsigned long now = allocation_calls;
    run_strip (analyser, empty);
    CHECK (allocation_calls - now == usual);
  }
  CHECK (run_columns (analyser) == W / 2 && run_columns (analyser) == W / 2);
}

int
main (void)
{
  columns = shape_new (SHAPE_COLUMNS, W, H);
  Analyser analysers[] = {{.name = "components", .components = ctr_component_strips_new (CTR_BACKEND_CPU, 1000, NULL)},
      {.name = "borders", .borders = ctr_border_strips_new (CTR_BACKEND_CPU, 1000, NULL)},
      {.name = "level contours", .cracks = ctr_crack_strips_new (CTR_BACKEND_CPU, 1000, NULL)}};
  for (size_t i = 0; i < LENGTH (analysers); i++)
    check (&analysers[i]);
  ctr_component_strips_free (analysers[0].components);
  ctr_border_strips_free (analysers[1].borders);
  ctr_crack_strips_free (analysers[2].cracks);
  free (columns);
  return 0;
}

#endif
