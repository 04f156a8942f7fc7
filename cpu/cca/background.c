/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cca/background.h"

static void
add_gap (CtrComponent *background, uint32_t start, uint32_t end, uint32_t y)
{
  const uint32_t area = end - start;
  if (area == 0)
    return;
  if (background->area == 0) {
    background->top = (uint16_t) y;
    background->start_x = (uint16_t) start;
  }
  background->area += area;
  background->sum_x += (uint64_t) (start + end - 1) * area / 2;
  background->sum_y += (uint64_t) y * area;
  background->left = (uint16_t) (start < background->left ? start : background->left);
  background->width = (uint16_t) (end > background->width ? end : background->width);
  background->height = (uint16_t) (y + 1);
}

void
ctr_cca_add_background (CtrComponent *background, const CtrCcaRow *row, uint32_t width, uint32_t y)
{
  uint32_t x = 0;
  for (uint32_t i = 0; i < row->count; i++) {
    add_gap (background, x, row->edges[2 * i], y);
    x = row->edges[2 * i + 1];
  }
  add_gap (background, x, width, y);
}

void
ctr_cca_join_background (CtrComponent *background, const CtrComponent *from)
{
  if (from->area == 0)
    return;
  if (background->area == 0) {
    *background = *from;
    return;
  }
  background->area += from->area;
  background->sum_x += from->sum_x;
  background->sum_y += from->sum_y;
  background->left = from->left < background->left ? from->left : background->left;
  background->width = from->width > background->width ? from->width : background->width;
  background->height = from->height;
}

CtrComponent
ctr_cca_finish_background (const CtrComponent *background, const CtrCcaParams *params)
{
  CtrComponent result = {0};
  if (background->area) {
    result = *background;
    result.width = (uint16_t) (result.width - result.left);
    result.height = (uint16_t) (result.height - result.top);
  }
  if (params->mode == CTR_COMPONENTS_EQUAL && params->background >= 0)
    result.value = (uint16_t) params->background;
  return result;
}
