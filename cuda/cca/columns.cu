/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: the distance of each pixel to the nearest one of its column with another label.
 *
 *   changes kernel   Finds where the label changes within each column, as bits.
 *   columns kernel   Finds each pixel's distance within its column. */
#include "cuda/cca/columns.cuh"

namespace
{

constexpr int THREADS = 256;

/* A thread a column of a band. Below the last row there is a change. */
__global__ void
__launch_bounds__ (THREADS) changes_kernel (const __grid_constant__ CcaKernelArgs f, uint32_t *changes)
{
  const uint32_t x = blockIdx.x * THREADS + threadIdx.x, first = blockIdx.y * COLUMN_BAND;
  if (!f.header->rows_complete || x >= f.width)
    return;
  const uint32_t *labels = f.by_pixel.labels + (size_t) first * f.width + x;
  uint32_t above = first > 0 ? labels[-(ptrdiff_t) f.width] : 0, word = first == 0;
#pragma unroll 8
  for (uint32_t row = 0; row < COLUMN_BAND; row++) {
    const bool inside = first + row < f.height;
    const uint32_t label = inside ? labels[(size_t) row * f.width] : 0;
    word |= (uint32_t) (!inside || label != above) << row;
    above = label;
  }
  changes[(size_t) blockIdx.y * f.width + x] = word;
}

/* A thread a column of a band. */
__global__ void
__launch_bounds__ (THREADS)
    columns_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ColumnArgs c)
{
  const uint32_t x = blockIdx.x * THREADS + threadIdx.x, band = blockIdx.y, first = band * COLUMN_BAND;
  if (!f.header->rows_complete || x >= f.width)
    return;
  const uint32_t *changes = c.changes + x;
  const uint32_t word = changes[(size_t) band * f.width], rows = min (COLUMN_BAND, f.height - first);
  uint32_t above = 0, below = 0; /* rows from the band to the changes beside it, if its own do not come first */
  if (!(word & 1)) {
    uint32_t there = 0;
    for (uint32_t i = band; !there; i--) {
      there = changes[(size_t) (i - 1) * f.width];
      above += there ? __clz (there) + 1 : COLUMN_BAND;
    }
  }
  if (rows == COLUMN_BAND) {
    uint32_t there = 0;
    for (uint32_t i = band + 1; !there; i++) {
      there = changes[(size_t) i * f.width];
      below += there ? __ffs (there) - 1 : COLUMN_BAND;
    }
  }
  uint16_t *to = c.columns + (size_t) first * f.width + x;
#pragma unroll 8
  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t upwards = word << (31 - row), downwards = word >> row >> 1;
    const uint32_t up = upwards ? __clz (upwards) + 1 : above + row + 1,
                   down = downwards ? __ffs (downwards) : below + COLUMN_BAND - row;
    to[(size_t) row * f.width] = (uint16_t) min (up, down);
  }
}

} // namespace

size_t
cca_lay_out_columns (const CcaKernelArgs *f, ColumnArgs *c, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  c->changes = arena.take<uint32_t> ((size_t) (f->height / COLUMN_BAND + 1) * f->width);
  c->columns = arena.take<uint16_t> ((size_t) f->width * f->height);
  return arena.used;
}

void
cca_queue_columns (const CcaKernelArgs &f, const ColumnArgs &c, cudaStream_t stream)
{
  if (!c.columns)
    return;
  const uint32_t across = ctr_div_up (f.width, THREADS), bands = ctr_div_up (f.height, COLUMN_BAND);
  ctr_launch (changes_kernel, dim3 (across, f.height / COLUMN_BAND + 1), THREADS, 0, stream, f, c.changes);
  ctr_launch (columns_kernel, dim3 (across, bands), THREADS, 0, stream, f, c);
}
