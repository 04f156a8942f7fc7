/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seam far down the web, where rows need more than 32 bits: results are those of its beginning. The parts of the
 * components come from the reference. */
#include "core/strips/seam.h"
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"

#include <stdlib.h>
#include <string.h>

enum { W = 70, H = 13, STRIPS = 12, OPEN_ROWS = 100 };

static Random rng = {31};

/* The components of a strip as a backend delivers them to the seam: with the labels of the first and the last row. */
static CtrComponents *
parts_of (const CtrImage *strip, const CtrCcaParams *params)
{
  CtrCcaParams whole = *params;
  whole.features |= CTR_FEATURE_LABELS;
  CtrComponents *found = reference_cca (strip, &whole);
  memmove ((void *) (found->labels + W), found->labels + (H - 1) * W, W * sizeof *found->labels);
  return found;
}

static CtrSeamStrip
place (uint64_t first_row, const CtrCcaParams *params)
{
  return (CtrSeamStrip){.first_row = first_row,
      .end_row = first_row + H,
      .origin_row = first_row > OPEN_ROWS ? first_row - OPEN_ROWS : 0,
      .max_open_rows = OPEN_ROWS,
      .features = params->features,
      .connectivity = params->connectivity};
}

/* NEAR and FAR may have different origins: Y rows lie between them. */
static void
check_same (const CtrComponents *near, const CtrComponents *far, uint64_t y)
{
  CHECK (near->count == far->count && near->unfinished == far->unfinished);
  for (uint32_t i = 0; i < near->count; i++) {
    CtrComponent row = near->table[i];
    CtrComponentMoments moments = near->moments[i];
    moments.sum_yy += 2 * y * row.sum_y + y * y * row.area;
    moments.sum_xy += y * row.sum_x;
    row.sum_y += y * row.area;
    row.top = (uint16_t) (row.top + y);
    CHECK (memcmp (&row, &far->table[i], sizeof row) == 0);
    CHECK (memcmp (&moments, &far->moments[i], sizeof moments) == 0);
    CHECK (memcmp (&near->grey[i], &far->grey[i], sizeof *near->grey) == 0);
  }
}

static void
check_web (uint64_t start, CtrConnectivity connectivity, uint32_t density)
{
  uint8_t *mask = noise_new (&rng, W, H * STRIPS, density, 3);
  const CtrCcaParams params = params_of (connectivity, 1, false, CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY);
  CtrSeam near = {0}, far = {0};
  uint32_t count = 0;
  describe ("row %llu, %d-connected, %u %% noise", (unsigned long long) start, connectivity, density);
  for (uint64_t i = 0; i <= STRIPS; i++) {
    const CtrImage strip = {.data = mask + i * W * H, .stride = W, .width = W, .height = H, .format = CTR_FORMAT_GRAY8};
    CtrSeamStrip here = place (i * H, &params), there = place (start + i * H, &params);
    CtrComponents *a, *b;
    if (i < STRIPS) {
      CtrComponents *found = parts_of (&strip, &params);
      a = ctr_seam_join (&near, found, &here, NULL);
      b = ctr_seam_join (&far, found, &there, NULL);
      reference_components_free (found);
    } else {
      here.end_row = here.first_row;
      there.end_row = there.first_row;
      CHECK (ctr_seam_close (&near, W, &here, &a, NULL) && ctr_seam_close (&far, W, &there, &b, NULL));
    }
    CHECK (!a == !b);
    if (!a)
      continue;
    CHECK (a->origin_row == here.origin_row && b->origin_row == there.origin_row);
    check_same (
        a, b, here.first_row - here.origin_row < OPEN_ROWS ? OPEN_ROWS - (here.first_row - here.origin_row) : 0);
    count += a->count;
    ctr_components_unref (a);
    ctr_components_unref (b);
  }
  CHECK (count > 0);
  ctr_seam_release (&near);
  ctr_seam_release (&far);
  free (mask);
}

int
main (void)
{
  static const uint64_t starts[] = {OPEN_ROWS, UINT32_MAX - 50, UINT64_C (1) << 40, UINT64_MAX / 2};
  for (size_t i = 0; i < LENGTH (starts); i++)
    FOR_BOTH_CONNECTIVITIES (c)
  for (uint32_t density = 40; density <= 80; density += 20)
    check_web (starts[i], c, density);
  return 0;
}
