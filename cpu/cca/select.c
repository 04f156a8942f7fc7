/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows that stay move up in their arrays, and labels become those of the new rows. */
#include "cpu/cca/select.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/select.h"

#include <stdlib.h>

/* Fills LABELS, of the old labels, with the new ones; 0: dropped. False if the work is cancelled. */
static bool
move_rows (CtrComponents *c, const CtrSelectPlan *plan, uint32_t *labels)
{
  CtrComponent *table = (CtrComponent *) c->table;
  CtrComponentMoments *moments = (CtrComponentMoments *) c->moments;
  CtrComponentGrey *grey = (CtrComponentGrey *) c->grey;
  CtrComponentPercentiles *percentiles = (CtrComponentPercentiles *) c->percentiles;
  CtrComponentInscribed *inscribed = (CtrComponentInscribed *) c->inscribed;
  CtrComponentContrast *contrast = (CtrComponentContrast *) c->contrast;
  CtrComponentSkeleton *skeleton = (CtrComponentSkeleton *) c->skeleton;
  uint64_t operations = 0;
  uint32_t rows = 0;
  labels[0] = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    labels[i + 1] = 0;
    if (ctr_poll (&operations, 32))
      return false;
    if (!ctr_select_keeps_component (plan, table + i, moments ? moments + i : NULL, grey ? grey + i : NULL,
            percentiles ? percentiles + i : NULL, inscribed ? inscribed + i : NULL, contrast ? contrast + i : NULL,
            skeleton ? skeleton + i : NULL))
      continue;
    table[rows] = table[i];
    if (moments)
      moments[rows] = moments[i];
    if (grey)
      grey[rows] = grey[i];
    if (percentiles)
      percentiles[rows] = percentiles[i];
    if (inscribed)
      inscribed[rows] = inscribed[i];
    if (contrast)
      contrast[rows] = contrast[i];
    if (skeleton)
      skeleton[rows] = skeleton[i];
    labels[i + 1] = ++rows;
  }
  c->count = rows;
  return true;
}

static bool
move_labels (const CtrComponents *c, const uint32_t *labels)
{
  uint32_t *pixel = (uint32_t *) c->labels;
  for (uint32_t y = 0; y < c->height; y++) {
    if (ctr_cancelled ())
      return false;
    for (const uint32_t *end = pixel + c->width; pixel < end; pixel++)
      *pixel = labels[*pixel];
  }
  return true;
}

bool
ctr_components_select (CtrComponents *components, const CtrSelect *select, CtrError *error)
{
  CtrSelectPlan plan;
  uint32_t *labels = ctr_alloc_array ((size_t) components->count + 1, sizeof *labels);
  if (!labels)
    return ctr_fail (
        error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the labels of %u components", components->count);
  ctr_component_select_plan (select, &plan);
  const bool ok = move_rows (components, &plan, labels)
                  && (!(components->features & CTR_FEATURE_LABELS) || move_labels (components, labels));
  free (labels);
  return ok || ctr_fail_cancelled (error);
}
