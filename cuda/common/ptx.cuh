/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PTX instructions without a CUDA C++ intrinsic: arithmetic on two half-precision numbers in a word, the tensor core's
 * product of bytes, products of signed and unsigned bytes, prefix sums and the greatest value of a warp, asynchronous copies, prefetches, accesses of 16
 * bytes, a fence, arrivals. The emulator has its own versions in tests/emulation/ptx-emulated.h. */
#ifndef CTR_CUDA_COMMON_PTX_CUH
#define CTR_CUDA_COMMON_PTX_CUH

#include "cuda/common/launch.cuh"

/* Two half-precision numbers. Integers up to 2048 are exact. */
typedef uint32_t Half2;

/* What logic() computes is an expression of these. */
constexpr uint32_t LOGIC_A = 0xf0, LOGIC_B = 0xcc, LOGIC_C = 0xaa;

/* The number of the warp in its CTA. The compiler sees that this is the same in all lanes, so that they stay together without checks
 * at each shuffle. All lanes call it. */
__device__ inline uint32_t
warp_index ()
{
  return __shfl_sync (~0u, threadIdx.x / 32, 0);
}

#ifdef __NVCC__

/* Does nvcc know registers of 128 bits? Only they guarantee that an access is one of 16 bytes. An older nvcc takes vectors of four words,
 * for which the GPUs have the same instruction. */
#define CTR_HAVE_128_BITS (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 3))

__device__ inline Half2
h2_add (Half2 a, Half2 b)
{
  Half2 d;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

__device__ inline Half2
h2_sub (Half2 a, Half2 b)
{
  Half2 d;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

/* a * b + c, rounded once, so the sign of the result is exact. */
__device__ inline Half2
h2_fma (Half2 a, Half2 b, Half2 c)
{
  Half2 d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

__device__ inline Half2
h2_abs (Half2 a)
{
  Half2 d;
  asm("abs.f16x2 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}

/* The greater of A, which is not negative, and |B|. */
__device__ inline Half2
h2_max_abs (Half2 a, Half2 b)
{
#if __CUDA_ARCH__ >= 800
  Half2 d;
  asm("{ .reg .b32 t; abs.f16x2 t, %2; max.f16x2 %0, %1, t; }" : "=r"(d) : "r"(a), "r"(b));
  return d;
#else
  return __vmaxu2 (a, b & 0x7fff7fffu); /* The order of such numbers is that of their bits. */
#endif
}

/* All bits of the halves where A < B. */
__device__ inline uint32_t
h2_less (Half2 a, Half2 b)
{
  uint32_t d;
  asm("set.lt.u32.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

/* VALUE, which is then kept in a register: the compiler cannot compute it again wherever it is used. */
__device__ inline uint32_t
keep_in_register (uint32_t value)
{
  asm volatile("" : "+r"(value));
  return value;
}

/* Any value, where none is used: unlike zeros it costs no instruction, and unlike a missing initializer no warning. */
template <typename Value>
__device__ inline Value
any_value ()
{
  struct Holder {
    Value value;
    __device__
    Holder ()
    {
    }
  };
  return Holder ().value;
}

/* A bitwise expression of A, B and C in one instruction. TABLE: the same of LOGIC_A, LOGIC_B and LOGIC_C. The compiler finds most of
 * these itself. */
template <uint32_t TABLE>
__device__ inline uint32_t
logic (uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE & 0xff));
  return d;
}

/* The signs of the halves of A, in the lower two bytes, and of B: 255 where one is set, else 0. */
__device__ inline uint32_t
h2_signs (Half2 a, Half2 b)
{
  uint32_t d;
  asm("prmt.b32 %0, %1, %2, 0xfdb9;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

/* The signs of the lower two bytes of A, one in all bits of each half. */
__device__ inline uint32_t
h2_of_signs (uint32_t a)
{
  uint32_t d;
  asm("prmt.b32 %0, %1, 0, 0x9988;" : "=r"(d) : "r"(a));
  return d;
}

/* The signs of the bytes of A: 255 where one is set, else 0. */
__device__ inline uint32_t
signs_of_bytes (uint32_t a)
{
  uint32_t d;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(d) : "r"(a));
  return d;
}

/* d = a b + c on unsigned bytes, 16 x 32 by 32 x 8 to 16 x 8, by a warp. Lane 4 g + t holds, of a, rows g (a[0],
 * a[2]) and g + 8 (a[1], a[3]), columns 4 t .. 4 t + 3 (a[0], a[1]) and 16 more (a[2], a[3]); of b, column g, the same
 * rows as a's columns; of c and d, rows g (0, 1) and g + 8 (2, 3), columns 2 t and 2 t + 1. */
__device__ inline void
mma_bytes (int32_t d[4], const uint32_t a[4], uint32_t b0, uint32_t b1, const int32_t c[4])
{
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, "
      "%13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#else
#pragma unroll
  for (int i = 0; i < 2; i++) {
    int32_t x, y;
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=r"(x), "=r"(y)
        : "r"(a[i]), "r"(b0), "r"(c[2 * i]), "r"(c[2 * i + 1]));
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=r"(d[2 * i]), "=r"(d[2 * i + 1])
        : "r"(a[2 + i]), "r"(b1), "r"(x), "r"(y));
  }
#endif
}

/* SUM and the products of the four unsigned bytes of A with the four signed ones of B. */
__device__ inline int32_t
dot_bytes (uint32_t a, uint32_t b, int32_t sum)
{
  int32_t d;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(sum));
  return d;
}

/* The sum of VALUE over this lane and those before it. All lanes call it. A shuffle tells whether there is such a lane. */
__device__ inline uint32_t
sum_of_lanes (uint32_t value)
{
#pragma unroll
  for (int d = 1; d < 32; d *= 2)
    asm volatile("{ .reg .u32 other; .reg .pred has; shfl.sync.up.b32 other|has, %0, %1, 0, 0xffffffff; @has add.u32 "
                 "%0, %0, other; }"
                 : "+r"(value)
                 : "r"(d));
  return value;
}

/* The sum of all VALUES of the warp, in all lanes, which all call it. */
__device__ inline uint32_t
total_of_lanes (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (~0u, value);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync (~0u, value, distance);
  return value;
#endif
}

/* The VALUE of the lane before this one; of the first lane: OTHERWISE. All lanes call it. A shuffle tells whether there is such
 * a lane. */
__device__ inline uint32_t
of_lane_before (uint32_t value, uint32_t otherwise)
{
  uint32_t d;
  asm volatile("{ .reg .pred has; shfl.sync.up.b32 %0|has, %1, 1, 0, 0xffffffff; @!has mov.b32 %0, %2; }"
               : "=&r"(d)
               : "r"(value), "r"(otherwise));
  return d;
}

/* Likewise behind it, and of the last lane. */
__device__ inline uint32_t
of_lane_behind (uint32_t value, uint32_t otherwise)
{
  uint32_t d;
  asm volatile("{ .reg .pred has; shfl.sync.down.b32 %0|has, %1, 1, 31, 0xffffffff; @!has mov.b32 %0, %2; }"
               : "=&r"(d)
               : "r"(value), "r"(otherwise));
  return d;
}

/* The greatest VALUE of the warp, in all lanes, which all call it. */
__device__ inline uint32_t
greatest_of_lanes (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (~0u, value);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = max (value, __shfl_xor_sync (~0u, value, distance));
  return value;
#endif
}

/* Copies 16 bytes from global to shared memory, both aligned to 16 bytes. The copy is complete after copies_done(). */
__device__ inline void
copy_16 (void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t) __cvta_generic_to_shared (to)), "l"(from)
               : "memory");
#else
  *(uint4 *) to = *(const uint4 *) from;
#endif
}

/* Brings what is at this address of global memory to the second cache. */
__device__ inline void
prefetch (const void *from)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

/* The number of the GPU's multiprocessors, or a few more. */
__device__ inline uint32_t
multiprocessors ()
{
  uint32_t d;
  asm("mov.u32 %0, %%nsmid;" : "=r"(d));
  return d;
}

/* The copies of this thread up to here are a part. */
__device__ inline void
end_part_of_copies ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until those that have been made parts are complete. */
__device__ inline void
first_copies_done ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}

/* Waits until this thread's copies are complete. */
__device__ inline void
copies_done ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Loads 16 aligned bytes of global memory, which other threads of the GPU may be storing by store_16(): as they were before, or are
 * afterwards, and never a part of each. Likewise words that atomics change, each for itself. */
__device__ inline uint4
load_16 (const void *from)
{
  uint4 d;
#if CTR_HAVE_128_BITS
  unsigned long long low, high;
  asm volatile("{ .reg .b128 all; ld.relaxed.gpu.global.b128 all, [%2]; mov.b128 {%0, %1}, all; }"
               : "=l"(low), "=l"(high)
               : "l"(from)
               : "memory");
  d = make_uint4 ((uint32_t) low, (uint32_t) (low >> 32), (uint32_t) high, (uint32_t) (high >> 32));
#else
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w)
               : "l"(from)
               : "memory");
#endif
  return d;
}

/* Stores 16 aligned bytes of global memory, for load_16(). */
__device__ inline void
store_16 (void *to, const uint4 &value)
{
#if CTR_HAVE_128_BITS
  const unsigned long long low = (unsigned long long) value.y << 32 | value.x,
                           high = (unsigned long long) value.w << 32 | value.z;
  asm volatile(
      "{ .reg .b128 all; mov.b128 all, {%1, %2}; st.relaxed.gpu.global.b128 [%0], all; }" ::"l"(to), "l"(low), "l"(high)
      : "memory");
#else
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.x), "r"(value.y),
               "r"(value.z), "r"(value.w)
               : "memory");
#endif
}

/* Orders all that this thread has written or learnt of before what it writes later, in the eyes of the host, too. Lighter
 * than __threadfence_system(), which also orders itself among all other such fences. */
__device__ inline void
fence_system ()
{
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* Counts an arrival at *COUNTER and returns how many came before. In the eyes of the GPU, what this thread has written or learnt of
 * comes before it, and behind a barrier of the CTA also what other threads have; what those before have written comes after it. It is
 * lighter than two fences around an atomic addition. */
__device__ inline uint32_t
count_arrival (uint32_t *counter)
{
  uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
}

/* Waits until COUNT arrivals have been counted, of CTAs that have started before this one. What came before them comes before what this
 * thread, and behind a barrier what its CTA, reads afterwards. */
__device__ inline void
wait_for_arrivals (const uint32_t *counter, uint32_t count)
{
  uint32_t arrived;
  do /* Each load acquires: then none has to follow the last one. */
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(counter) : "memory");
  while (arrived < count);
}

/* Loads what a thread waits for, again and again. */
__device__ inline unsigned long long
poll (const unsigned long long *state)
{
  return *(const volatile unsigned long long *) state;
}

/* Leaves the multiprocessor to other warps for some NANOSECONDS. */
__device__ inline void
pause_warp (uint32_t nanoseconds)
{
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

/* Likewise for so many CYCLES, or a few more. A pause in nanoseconds may be twice as long as asked for, or none. */
__device__ inline void
pause_for_cycles (uint32_t cycles)
{
  uint32_t begin, now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin));
  do {
    pause_warp (50);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  } while (now - begin < cycles);
}

/* 1 / X but for a unit of the last place, where both are normal numbers. */
__device__ inline float
rough_inverse (float x)
{
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
}

#else
#include "ptx-emulated.h"
#endif

#endif
