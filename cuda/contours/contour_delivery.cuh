/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last kernel of a frame of contours. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_DELIVERY_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_DELIVERY_CUH

#include "cuda/contours/contour_args.cuh"

/* Leaves the numbers on the GPU, writes the header TO host memory, and sets FLAG there. COMPLETE (header): did all of the
 * result fit? */
template <typename Header, typename Complete>
__global__ void
__launch_bounds__ (DELIVERY_THREADS) deliver_contours_kernel (
    const Header *header, Header *to, uint32_t *flag, const ContourOutput *output, Complete complete)
{
  static_assert (sizeof (Header) % 4 == 0 && sizeof (Header) / 4 <= DELIVERY_THREADS, "a thread a word");
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const bool is_complete = complete (*header);
  if (blockIdx.x == 0) {
    if (threadIdx.x < sizeof (Header) / 4)
      ((uint32_t *) to)[threadIdx.x] = ((const uint32_t *) header)[threadIdx.x];
    if (threadIdx.x == 0)
      *output->numbers = {is_complete, header->contours, header->points};
    __threadfence_system ();
    __syncthreads ();
    if (threadIdx.x == 0)
      *(volatile uint32_t *) flag = 1;
  }
  if (output->copy.from && !is_complete)
    delivery_keep (output->copy);
}

/* Queues the kernel. The host has set the flag to 0. OUTPUT is in device memory; MAY_COPY: the picture may have to be
 * copied. */
template <typename Header, typename Complete>
static inline void
deliver_contours (const Delivery *delivery, const Header *header, const ContourOutput *output, bool may_copy,
    Complete complete, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, deliver_contours_kernel<Header, Complete>, may_copy ? DELIVERY_COPY_CTAS : 1,
      DELIVERY_THREADS, 0, stream, header, (Header *) delivery_header (delivery), delivery_flag (delivery), output,
      complete);
}

#endif
