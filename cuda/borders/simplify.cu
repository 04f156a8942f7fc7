/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplification of borders: the result's rows and points, once they are complete. */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/simplify_begin.cuh"

namespace
{

__global__ void
__launch_bounds__ (CONTOUR_THREADS) begin_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_table (f) || (f.selecting && !f.counters->select.done))
    return;
  BordersHeader &h = f.counters->header;
  simplify_begin (f.simplify, f.output->simplified.table, h.contours, h.points, first_index (), index_step ());
  if (first_index () == 0) {
    h.rows = max (h.rows, h.contours);
    h.row_points = max (h.row_points, h.points);
  }
}

} // namespace

void
borders_launch_simplify (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  launch_over (begin_kernel, f.contour_capacity, f, overlap, stream);
  simplify_launch (f.simplify, f.output, overlap, stream);
}
