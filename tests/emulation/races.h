/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds races: accesses of two threads to the same byte, of which one at least writes, that no barrier orders.
 *
 * The kernels are compiled with -fsanitize=thread, whose calls for each access races.cc takes itself. Ordered are: what
 * a thread does itself; threads of a warp by __syncwarp() (vote and shuffle order no memory), of a CTA by
 * __syncthreads(), kernels one after the other; and CTAs where one has seen what the other, a later one, or one that has
 * seen either, has written by an atomic or volatile access, for such are flags. Atomic and volatile accesses may race
 * with each other, and those of different CTAs with any. */
#ifndef CTR_EMULATION_RACES_H
#define CTR_EMULATION_RACES_H

#include <cstddef>
#include <cstdint>

namespace emulation
{

/* The running thread's place in time. */
struct Moment {
  uint32_t cta;        /* numbered through all kernels, from 1 */
  uint32_t kernel_cta; /* the first of this kernel */
  uint32_t thread;     /* of the CTA */
  uint32_t barriers;   /* that its CTA has passed */
  uint32_t syncs;      /* that its warp has passed */
  uint32_t *seen;      /* the last CTA that its CTA has seen anything from */
  const char *stack, *stack_end;
};
/* False outside of kernels. */
bool get_moment (Moment *moment);

/* Is this program compiled for it? */
extern bool watching;

/* The memory begins a new life. */
void forget_accesses (const void *memory, size_t size);

} // namespace emulation

#endif
