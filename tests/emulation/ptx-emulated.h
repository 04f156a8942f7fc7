/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cuda/common/ptx.cuh has in PTX. */
#ifndef PTX_EMULATED_H
#define PTX_EMULATED_H

#include <algorithm>
#include <cmath>
#include <cstring>

static inline double
half_to_double (uint32_t half)
{
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double value = exponent ? std::ldexp (1024 + fraction, exponent - 25) : std::ldexp (fraction, -24);
  return half & 0x8000 ? -value : value;
}

/* Rounded to nearest, ties to even. VALUE is exact: no sum or product of halves needs more than a double has. */
static inline uint32_t
half_from_double (double value)
{
  const uint32_t sign = std::signbit (value) ? 0x8000 : 0;
  int exponent;
  std::frexp (value, &exponent);
  const int unit = value == 0 || exponent - 11 < -24 ? -24 : exponent - 11;
  const double units = std::nearbyint (std::ldexp (std::fabs (value), -unit)); /* up to 2048 */
  const uint32_t bits = (uint32_t) units + ((uint32_t) (unit + 24) << 10);
  return sign | (bits > 0x7c00 ? 0x7c00 : bits);
}

template <typename Operation>
static inline Half2
for_both_halves (Half2 a, Half2 b, Half2 c, Operation operation)
{
  const uint32_t low = half_from_double (operation (half_to_double (a), half_to_double (b), half_to_double (c)));
  return half_from_double (operation (half_to_double (a >> 16), half_to_double (b >> 16), half_to_double (c >> 16)))
             << 16
         | low;
}

static inline Half2
h2_add (Half2 a, Half2 b)
{
  return for_both_halves (a, b, 0, [] (double x, double y, double) { return x + y; });
}

static inline Half2
h2_sub (Half2 a, Half2 b)
{
  return for_both_halves (a, b, 0, [] (double x, double y, double) { return x - y; });
}

static inline Half2
h2_fma (Half2 a, Half2 b, Half2 c)
{
  return for_both_halves (a, b, c, [] (double x, double y, double z) { return x * y + z; });
}

static inline Half2
h2_abs (Half2 a)
{
  return a & 0x7fff7fff;
}

static inline Half2
h2_max_abs (Half2 a, Half2 b)
{
  return for_both_halves (a, b, 0, [] (double x, double y, double) { return std::fmax (x, std::fabs (y)); });
}

static inline uint32_t
h2_less (Half2 a, Half2 b)
{
  return (half_to_double (a) < half_to_double (b) ? 0xffffu : 0)
         | (half_to_double (a >> 16) < half_to_double (b >> 16) ? 0xffff0000u : 0);
}

template <typename Value>
static inline Value
any_value ()
{
  Value value;
  memset (&value, 0xa5, sizeof value);
  return value;
}

template <uint32_t TABLE>
static inline uint32_t
logic (uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t d = 0;
  for (int i = 0; i < 8; i++)
    if (TABLE >> i & 1)
      d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return d;
}

static inline uint32_t
keep_in_register (uint32_t value)
{
  return value;
}

static inline uint32_t
h2_signs (Half2 a, Half2 b)
{
  return (a >> 15 & 1) * 0xffu | (a >> 31) * 0xff00u | (b >> 15 & 1) * 0xff0000u | (b >> 31) * 0xff000000u;
}

static inline uint32_t
h2_of_signs (uint32_t a)
{
  return (a >> 7 & 1) * 0xffffu | (a >> 15 & 1) * 0xffff0000u;
}

static inline uint32_t
signs_of_bytes (uint32_t a)
{
  return (a >> 7 & 0x01010101u) * 255;
}

static inline void
mma_bytes (int32_t d[4], const uint32_t a[4], uint32_t b0, uint32_t b1, const int32_t c[4])
{
  const uint32_t lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, b[2] = {b0, b1};
  int32_t sums[4] = {c[0], c[1], c[2], c[3]};
  for (uint32_t k = 0; k < 8; k++) { /* four of the 32 at a time */
    const uint32_t rows[2] = {
        __shfl_sync (~0u, a[k / 4 * 2], g * 4 + k % 4), __shfl_sync (~0u, a[k / 4 * 2 + 1], g * 4 + k % 4)};
    for (uint32_t column = 0; column < 2; column++) {
      const uint32_t bytes = __shfl_sync (~0u, b[k / 4], (2 * t + column) * 4 + k % 4);
      for (uint32_t row = 0; row < 2; row++)
        sums[2 * row + column] = __dp4a (rows[row], bytes, (uint32_t) sums[2 * row + column]);
    }
  }
  for (int i = 0; i < 4; i++)
    d[i] = sums[i];
}

static inline int32_t
dot_bytes (uint32_t a, uint32_t b, int32_t sum)
{
  for (int i = 0; i < 32; i += 8)
    sum += (int32_t) (a >> i & 255) * (int8_t) (b >> i);
  return sum;
}

static inline uint32_t
sum_of_lanes (uint32_t value)
{
  for (unsigned d = 1; d < 32; d *= 2) {
    const uint32_t other = __shfl_up_sync (~0u, value, d);
    value += ::emulation::here->lane >= d ? other : 0;
  }
  return value;
}

static inline uint32_t
total_of_lanes (uint32_t value)
{
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync (~0u, value, distance);
  return value;
}

static inline uint32_t
of_lane_before (uint32_t value, uint32_t otherwise)
{
  const uint32_t other = __shfl_up_sync (~0u, value, 1);
  return ::emulation::here->lane > 0 ? other : otherwise;
}

static inline uint32_t
of_lane_behind (uint32_t value, uint32_t otherwise)
{
  const uint32_t other = __shfl_down_sync (~0u, value, 1);
  return ::emulation::here->lane < 31 ? other : otherwise;
}

static inline uint32_t
greatest_of_lanes (uint32_t value)
{
  for (int distance = 16; distance > 0; distance /= 2)
    value = std::max (value, __shfl_xor_sync (~0u, value, distance));
  return value;
}

static inline void
copy_16 (void *to, const void *from)
{
  *(uint4 *) to = *(const uint4 *) from;
}

static inline void
prefetch (const void *)
{
}

static inline uint32_t
multiprocessors ()
{
  return 1;
}

static inline void
end_part_of_copies ()
{
}

static inline void
first_copies_done ()
{
}

static inline void
copies_done ()
{
}

/* One thread runs at a time, so these are one access, which may race with others. */
static inline uint4
load_16 (const void *from)
{
  const volatile uint64_t *halves = (const volatile uint64_t *) from;
  const uint64_t low = halves[0], high = halves[1];
  return make_uint4 ((uint32_t) low, (uint32_t) (low >> 32), (uint32_t) high, (uint32_t) (high >> 32));
}

static inline void
store_16 (void *to, const uint4 &value)
{
  volatile uint64_t *halves = (volatile uint64_t *) to;
  halves[0] = (uint64_t) value.y << 32 | value.x;
  halves[1] = (uint64_t) value.w << 32 | value.z;
}

static inline uint32_t
count_arrival (uint32_t *counter)
{
  __threadfence ();
  const uint32_t before = atomicAdd (counter, 1u);
  __threadfence ();
  return before;
}

static inline void
wait_for_arrivals (const uint32_t *counter, uint32_t count)
{
  while (*(const volatile uint32_t *) counter < count)
    ::emulation::yield ();
}

static inline unsigned long long
poll (const unsigned long long *state)
{
  ::emulation::yield ();
  return *(const volatile unsigned long long *) state;
}

static inline float
rough_inverse (float x)
{
  return std::nextafter (1 / x, std::fmod (x, 2) < 1 ? 0.f : 2.f);
}

static inline void
fence_system ()
{
}

static inline void
pause_warp (uint32_t)
{
  ::emulation::yield ();
}

static inline void
pause_for_cycles (uint32_t)
{
  ::emulation::yield ();
}

#endif
