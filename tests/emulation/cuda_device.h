/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA C++ in device code, as far as the project uses it: qualifiers, meetings of threads, atomics, intrinsics. */
#ifndef CTR_EMULATION_CUDA_DEVICE_H
#define CTR_EMULATION_CUDA_DEVICE_H

#include "emulation.h"

#include <cmath>
#include <cstring>

/* --- The language --- */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__ ((aligned (n)))

#define threadIdx (::emulation::here->thread)
#define blockIdx (::emulation::here->block)

struct alignas (8) uint2 {
  unsigned x, y;
};

struct alignas (16) uint4 {
  unsigned x, y, z, w;
};

static inline uint2
make_uint2 (unsigned x, unsigned y)
{
  return {x, y};
}

static inline uint4
make_uint4 (unsigned x, unsigned y, unsigned z, unsigned w)
{
  return {x, y, z, w};
}

/* Integers of different types meet in their common one, as with CUDA's overloads. */
template <typename A, typename B>
static inline constexpr std::common_type_t<A, B>
min (A a, B b)
{
  using T = std::common_type_t<A, B>;
  return (T) a < (T) b ? (T) a : (T) b;
}

template <typename A, typename B>
static inline constexpr std::common_type_t<A, B>
max (A a, B b)
{
  using T = std::common_type_t<A, B>;
  return (T) a > (T) b ? (T) a : (T) b;
}

/* --- Meetings of threads --- */

#define EMULATION_CALLER const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

static inline void
__syncthreads (EMULATION_CALLER)
{
  ::emulation::meet_cta (::emulation::PLAIN, false, file, line);
}

static inline int
__syncthreads_count (int predicate, EMULATION_CALLER)
{
  return ::emulation::meet_cta (::emulation::COUNT, predicate, file, line);
}

static inline int
__syncthreads_or (int predicate, EMULATION_CALLER)
{
  return ::emulation::meet_cta (::emulation::BARRIER_OR, predicate, file, line);
}

static inline int
__syncthreads_and (int predicate, EMULATION_CALLER)
{
  return ::emulation::meet_cta (::emulation::BARRIER_AND, predicate, file, line);
}

static inline void
__syncwarp (unsigned mask = ~0u, EMULATION_CALLER)
{
  ::emulation::meet_warp (::emulation::SYNC, mask, 0, 0, file, line);
}

static inline unsigned
__ballot_sync (unsigned mask, int predicate, EMULATION_CALLER)
{
  return (unsigned) ::emulation::meet_warp (::emulation::BALLOT, mask, predicate != 0, 0, file, line);
}

static inline int
__any_sync (unsigned mask, int predicate, EMULATION_CALLER)
{
  return (int) ::emulation::meet_warp (::emulation::ANY, mask, predicate != 0, 0, file, line);
}

static inline int
__all_sync (unsigned mask, int predicate, EMULATION_CALLER)
{
  return (int) ::emulation::meet_warp (::emulation::ALL, mask, predicate != 0, 0, file, line);
}

template <typename T>
static inline unsigned
__match_any_sync (unsigned mask, T value, EMULATION_CALLER)
{
  return (unsigned) ::emulation::meet_warp (::emulation::MATCH_ANY, mask, ::emulation::to_bits (value), 0, file, line);
}

template <typename T>
static inline T
__shfl_sync (unsigned mask, T value, int source, int width = 32, EMULATION_CALLER)
{
  const unsigned first = ::emulation::here->lane & ~(unsigned) (width - 1);
  return ::emulation::from_bits<T> (::emulation::meet_warp (
      ::emulation::SHUFFLE, mask, ::emulation::to_bits (value), first | ((unsigned) source & (width - 1)), file, line));
}

template <typename T>
static inline T
__shfl_up_sync (unsigned mask, T value, unsigned delta, int width = 32, EMULATION_CALLER)
{
  const unsigned lane = ::emulation::here->lane;
  return ::emulation::from_bits<T> (::emulation::meet_warp (::emulation::SHUFFLE, mask, ::emulation::to_bits (value),
      lane % width >= delta ? lane - delta : lane, file, line));
}

template <typename T>
static inline T
__shfl_down_sync (unsigned mask, T value, unsigned delta, int width = 32, EMULATION_CALLER)
{
  const unsigned lane = ::emulation::here->lane;
  return ::emulation::from_bits<T> (::emulation::meet_warp (::emulation::SHUFFLE, mask, ::emulation::to_bits (value),
      lane % width + delta < (unsigned) width ? lane + delta : lane, file, line));
}

template <typename T>
static inline T
__shfl_xor_sync (unsigned mask, T value, int lanes, int width = 32, EMULATION_CALLER)
{
  const unsigned lane = ::emulation::here->lane, source = lane ^ (unsigned) lanes;
  return ::emulation::from_bits<T> (::emulation::meet_warp (::emulation::SHUFFLE, mask, ::emulation::to_bits (value),
      source / width <= lane / width ? source : lane, file, line));
}

#define EMULATION_REDUCE(name, type, what)                                                          \
  static inline type name (unsigned mask, type value, EMULATION_CALLER)                             \
  {                                                                                                 \
    return (type)::emulation::meet_warp (::emulation::what, mask, (unsigned) value, 0, file, line); \
  }
EMULATION_REDUCE (__reduce_add_sync, unsigned, ADD)
EMULATION_REDUCE (__reduce_add_sync, int, ADD)
EMULATION_REDUCE (__reduce_min_sync, unsigned, MIN_U)
EMULATION_REDUCE (__reduce_min_sync, int, MIN_S)
EMULATION_REDUCE (__reduce_max_sync, unsigned, MAX_U)
EMULATION_REDUCE (__reduce_max_sync, int, MAX_S)
EMULATION_REDUCE (__reduce_and_sync, unsigned, AND)
EMULATION_REDUCE (__reduce_or_sync, unsigned, OR)
EMULATION_REDUCE (__reduce_xor_sync, unsigned, XOR)
#undef EMULATION_REDUCE

/* --- Memory --- */

/* One thread runs at a time and only changes at a call, so plain operations are atomic. */
#define EMULATION_ATOMIC(name, expression)                                             \
  template <typename T> static inline T name (T *address, std::common_type_t<T> value) \
  {                                                                                    \
    ::emulation::may_yield ();                                                         \
    const T old = *(volatile T *) address;                                             \
    *(volatile T *) address = expression;                                              \
    return old;                                                                        \
  }
EMULATION_ATOMIC (atomicAdd, old + value)
EMULATION_ATOMIC (atomicSub, old - value)
EMULATION_ATOMIC (atomicMin, old < value ? old : value)
EMULATION_ATOMIC (atomicMax, old > value ? old : value)
EMULATION_ATOMIC (atomicAnd, old &value)
EMULATION_ATOMIC (atomicOr, old | value)
EMULATION_ATOMIC (atomicXor, old ^ value)
EMULATION_ATOMIC (atomicExch, value)
#undef EMULATION_ATOMIC

template <typename T>
static inline T
atomicCAS (T *address, std::common_type_t<T> expected, std::common_type_t<T> value)
{
  ::emulation::may_yield ();
  const T old = *(volatile T *) address;
  if (old == expected)
    *(volatile T *) address = value;
  return old;
}

static inline void
__threadfence ()
{
}

static inline void
__threadfence_block ()
{
}

static inline void
__threadfence_system ()
{
}

static inline void
__nanosleep (unsigned)
{
  ::emulation::yield ();
}

template <typename T>
static inline T
__ldcs (const T *address)
{
  return *address;
}

template <typename T>
static inline T
__ldcg (const T *address)
{
  return *(const volatile T *) address;
}

template <typename T>
static inline void
__stcg (T *address, T value)
{
  *(volatile T *) address = value;
}

template <typename T>
static inline T
__ldg (const T *address)
{
  return *address;
}

/* --- Arithmetic --- */

static inline int
__popc (unsigned v)
{
  return __builtin_popcount (v);
}

static inline int
__popcll (unsigned long long v)
{
  return __builtin_popcountll (v);
}

static inline int
__ffs (int v)
{
  return __builtin_ffs (v);
}

static inline int
__ffsll (long long v)
{
  return __builtin_ffsll (v);
}

static inline int
__clz (int v)
{
  return v ? __builtin_clz ((unsigned) v) : 32;
}

static inline int
__clzll (long long v)
{
  return v ? __builtin_clzll ((unsigned long long) v) : 64;
}

static inline double
__longlong_as_double (long long v)
{
  double bits;
  memcpy (&bits, &v, sizeof bits);
  return bits;
}

static inline long long
__double_as_longlong (double v)
{
  long long bits;
  memcpy (&bits, &v, sizeof bits);
  return bits;
}

static inline unsigned long long
__brevll (unsigned long long v)
{
  v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
  v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
  v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64 (v);
}

static inline unsigned
__brev (unsigned v)
{
  return (unsigned) (__brevll (v) >> 32);
}

static inline unsigned
__funnelshift_r (unsigned low, unsigned high, unsigned shift)
{
  return (unsigned) (((unsigned long long) high << 32 | low) >> (shift & 31));
}

static inline unsigned
__funnelshift_l (unsigned low, unsigned high, unsigned shift)
{
  return (unsigned) (((unsigned long long) high << 32 | low) << (shift & 31) >> 32);
}

static inline unsigned
__funnelshift_lc (unsigned low, unsigned high, unsigned shift)
{
  return shift < 32 ? (unsigned) (((unsigned long long) high << 32 | low) << shift >> 32) : low;
}

static inline unsigned
__byte_perm (unsigned low, unsigned high, unsigned selector)
{
  const unsigned long long bytes = (unsigned long long) high << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= (unsigned) (bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  return result;
}

#define __logf logf /* glibc has one of that name */

static inline float
__frcp_rn (float x)
{
  return 1 / x;
}

static inline float
__fdividef (float x, float y)
{
  return x / y;
}

static inline unsigned
__dp4a (unsigned a, unsigned b, unsigned c)
{
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 255) * (b >> i & 255);
  return c;
}

static inline unsigned
__dp2a_lo (unsigned a, unsigned b, unsigned c)
{
  return c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}

static inline unsigned
__dp2a_hi (unsigned a, unsigned b, unsigned c)
{
  return __dp2a_lo (a, b >> 16, c);
}

static inline unsigned
__vmaxu4 (unsigned a, unsigned b)
{
  unsigned result = 0;
  for (int i = 0; i < 32; i += 8)
    result |= max (a >> i & 255, b >> i & 255) << i;
  return result;
}

static inline unsigned
__vminu4 (unsigned a, unsigned b)
{
  return ~__vmaxu4 (~a, ~b);
}

static inline unsigned
__vmaxu2 (unsigned a, unsigned b)
{
  return max (a & 0xffff, b & 0xffff) | max (a >> 16, b >> 16) << 16;
}

static inline unsigned
__vminu2 (unsigned a, unsigned b)
{
  return ~__vmaxu2 (~a, ~b);
}

/* Rounded to nearest, each by itself: compile with -ffp-contract=off. */
static inline float
__fadd_rn (float a, float b)
{
  return a + b;
}

static inline float
__fmul_rn (float a, float b)
{
  return a * b;
}

static inline float
__fsqrt_rn (float a)
{
  return sqrtf (a);
}

static inline double
__dadd_rn (double a, double b)
{
  return a + b;
}

static inline double
__dsub_rn (double a, double b)
{
  return a - b;
}

static inline double
__dmul_rn (double a, double b)
{
  return a * b;
}

static inline double
__ddiv_rn (double a, double b)
{
  return a / b;
}

static inline double
__fma_rn (double a, double b, double c)
{
  return std::fma (a, b, c);
}

static inline float
__fmaf_rn (float a, float b, float c)
{
  return std::fma (a, b, c);
}

static inline float
__int_as_float (int i)
{
  float f;
  std::memcpy (&f, &i, sizeof f);
  return f;
}

static inline int
__float_as_int (float f)
{
  int i;
  std::memcpy (&i, &f, sizeof i);
  return i;
}

/* --- Overlapped launches: a kernel starts when the one before it is complete --- */

static inline void
cudaTriggerProgrammaticLaunchCompletion ()
{
}

static inline void
cudaGridDependencySynchronize ()
{
  ::emulation::wait_for_previous_kernel ();
}

#endif
