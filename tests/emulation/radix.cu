/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the radix sort with a stable sort on the host: numbers of words around the size of a tile, words with many digits and
 * with few, fewer digits than the sort has room for, and more room than words. CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/contours/radix_sort.cuh"

extern "C" {
#include "tests/core/common/shapes.h"
#include "tests/core/common/testing.h"
}

#include <algorithm>
#include <stdlib.h>
#include <vector>

namespace
{

Random rng = {41};
cudaStream_t stream;
bool quick;

constexpr int THREADS = 256;

__global__ void
__launch_bounds__ (THREADS) count_kernel (const __grid_constant__ RadixSort s, bool by_warp)
{
  __shared__ RadixHistograms histograms;
  const uint32_t count = *s.count;
  if (count > s.capacity || blockIdx.x * THREADS >= count)
    return;
  radix_begin_count (histograms);
  radix_clear_states (s, count, min (gridDim.x, ctr_div_up (count, THREADS)));
  for (uint32_t base = blockIdx.x * THREADS; base < count; base += gridDim.x * THREADS) {
    const uint32_t i = base + threadIdx.x;
    if (by_warp)
      radix_count_by_warp (s, histograms, i < count ? s.keys[0][i] : 0, i < count);
    else if (i < count)
      radix_count (s, histograms, s.keys[0][i]);
  }
  radix_end_count (s, histograms);
}

__global__ void
__launch_bounds__ (RADIX_THREADS) pass_kernel (const __grid_constant__ RadixSort s, uint32_t pass)
{
  __shared__ RadixShared shared;
  if (pass < s.passes)
    radix_pass (s, shared, pass, Ctas::all ());
}

void
copy (void *to, const void *from, size_t size, cudaMemcpyKind kind)
{
  CHECK (cudaMemcpyAsync (to, from, size, kind, stream) == cudaSuccess);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
}

/* COUNT words below KEY_COUNT, in room for CAPACITY below ROOM_COUNT, by so many CTAs. BY_WARP: they are counted so. */
void
check_sort (uint32_t count, uint32_t capacity, uint64_t key_count, uint64_t room_count, uint32_t ctas, bool by_warp)
{
  describe ("%u words below %llu in room for %u below %llu, by %u CTAs%s", count, (unsigned long long) key_count,
      capacity, (unsigned long long) room_count, ctas, by_warp ? ", counted by warps" : "");
  std::vector<uint32_t> keys (capacity), order (count), sorted (capacity), values (capacity);
  for (uint32_t i = 0; i < capacity; i++) {
    const uint64_t key = (uint64_t) random_below (&rng, 1u << 16) << 16 | random_below (&rng, 1u << 16);
    keys[i] = (uint32_t) (key % key_count);
  }
  RadixSort s = {};
  ArenaLayout arena = {NULL, 0};
  radix_lay_out (&s, &arena, capacity, room_count);
  CHECK (cudaMalloc ((void **) &arena.base, arena.used) == cudaSuccess);
  arena.used = 0;
  radix_lay_out (&s, &arena, capacity, room_count);
  uint32_t *device_count;
  CHECK (cudaMalloc ((void **) &device_count, sizeof count) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &s.counters, sizeof *s.counters) == cudaSuccess);
  CHECK (cudaMemsetAsync (s.counters, 0, sizeof *s.counters, stream) == cudaSuccess);
  s.count = device_count;
  copy (device_count, &count, sizeof count, cudaMemcpyHostToDevice);
  for (uint32_t i = 0; i < capacity; i++)
    values[i] = ~i;
  copy (s.keys[0], keys.data (), capacity * sizeof (uint32_t), cudaMemcpyHostToDevice);
  copy (s.values[0], values.data (), capacity * sizeof (uint32_t), cudaMemcpyHostToDevice);
  const uint32_t most_passes = s.passes;
  radix_set_digits (&s, key_count);
  ctr_launch (count_kernel, ctas, THREADS, 0, stream, s, by_warp);
  for (uint32_t pass = 0; pass < most_passes; pass++)
    ctr_launch (pass_kernel, radix_ctas (s), RADIX_THREADS, 0, stream, s, pass);
  copy (sorted.data (), s.keys[radix_sorted (s)], capacity * sizeof (uint32_t), cudaMemcpyDeviceToHost);
  copy (values.data (), s.values[radix_sorted (s)], capacity * sizeof (uint32_t), cudaMemcpyDeviceToHost);
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  std::sort (order.begin (), order.end (),
      [&] (uint32_t a, uint32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  for (uint32_t i = 0; i < count; i++)
    CHECK (sorted[i] == keys[order[i]] && values[i] == ~order[i]);
  cudaFree (arena.base);
  cudaFree (device_count);
  cudaFree (s.counters);
}

constexpr uint64_t KEY_COUNTS[] = {1, 2, 127, 512, 513, 70000, 1 << 18, 1ull << 32};

void
test_tiles ()
{
  static const uint32_t counts[] = {
      0, 1, 2, 31, 33, RADIX_THREADS - 1, RADIX_THREADS, RADIX_THREADS + 1, RADIX_TILE + 1, 3 * RADIX_TILE};
  for (uint32_t count : counts)
    for (uint64_t key_count : KEY_COUNTS)
      check_sort (
          count, count + 1 + random_below (&rng, 2) * 3000, key_count, key_count, 1 + random_below (&rng, 30), false);
}

/* As the sort of families, whose number is only known on the GPU */
void
test_fewer_digits ()
{
  static const uint32_t counts[] = {0, 1, 33, RADIX_TILE + 1, 3 * RADIX_TILE};
  static const uint64_t key_counts[] = {1, 2, 32, 33, 512, 513, 70000};
  for (uint32_t count : counts)
    for (uint64_t key_count : key_counts)
      check_sort (
          count, count + 1 + random_below (&rng, 2) * 3000, key_count, 70000, 1 + random_below (&rng, 30), true);
}

void
test_many ()
{
  static const uint32_t sizes[] = {15, 25, 40}; /* in RADIX_TILE: tiles of each size */
  for (int i = 0; i < (quick ? 3 : 21); i++)
    check_sort (sizes[i % 3] * RADIX_TILE + random_below (&rng, 1000), 50 * RADIX_TILE,
        KEY_COUNTS[i % 2 ? 6 : 2 + i / 2 % 3], 1 << 18, 1 + random_below (&rng, 300), i % 3 == 0);
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"tiles", test_tiles}, {"fewer digits", test_fewer_digits}, {"many tiles", test_many}};
  quick = getenv ("CTR_TEST_QUICK");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
