/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the list ranking with walks along the rings: rings of all sizes, segments in any order, with and without keys and elements,
 * more room than segments, and more segments than threads. CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/contours/list_ranking.cuh"

extern "C" {
#include "tests/core/common/shapes.h"
#include "tests/core/common/testing.h"
}

#include <algorithm>
#include <stdlib.h>
#include <vector>

namespace
{

Random rng = {43};
cudaStream_t stream;
bool quick;

void
copy (void *to, const void *from, size_t size, cudaMemcpyKind kind)
{
  CHECK (cudaMemcpyAsync (to, from, size, kind, stream) == cudaSuccess);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
}

std::vector<uint32_t>
shuffled (uint32_t count)
{
  std::vector<uint32_t> order (count);
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  for (uint32_t i = count; i > 1; i--)
    std::swap (order[i - 1], order[random_below (&rng, i)]);
  return order;
}

/* A ring of the segments ORDER[0] .. ORDER[size - 1]. One in KEYS of them has a key, and at least the first. */
void
make_ring (const uint32_t *order, uint32_t size, uint32_t keys, const std::vector<uint32_t> &all_keys,
    std::vector<ListSegment> *segments)
{
  for (uint32_t i = 0; i < size; i++) {
    ListSegment *s = &(*segments)[order[i]];
    const bool has_key = i == 0 || random_below (&rng, keys) == 0;
    s->next = order[(i + 1) % size];
    s->length = random_below (&rng, 4) + has_key;
    s->key = has_key ? all_keys[order[i]] : NO_KEY;
    s->maker_data = has_key ? random_below (&rng, s->length) : 0; /* elements before the key */
  }
}

/* What the segments of a ring know in the end. */
void
walk_ring (const uint32_t *order, uint32_t size, const std::vector<ListSegment> &segments, std::vector<ListView> *views)
{
  uint32_t start = 0;
  for (uint32_t i = 1; i < size; i++)
    start = segments[order[i]].key < segments[order[start]].key ? i : start;
  const ListSegment *first = &segments[order[start]];
  uint32_t distance = first->maker_data;
  for (uint32_t i = 0; i < size; i++) { /* backwards */
    const uint32_t at = order[(start + size - i) % size];
    (*views)[at].key = first->key;
    (*views)[at].distance = distance;
    distance += segments[order[(start + size - i - 1) % size]].length;
  }
}

/* COUNT segments in rings of up to LARGEST, or in one ring, in room for CAPACITY. */
void
check_ranking (uint32_t count, uint32_t capacity, uint32_t largest, uint32_t keys)
{
  describe ("%u segments in rings of up to %u, in room for %u, a key in one of %u", count, largest, capacity, keys);
  const std::vector<uint32_t> order = shuffled (count), all_keys = shuffled (count);
  std::vector<ListSegment> segments (capacity);
  std::vector<ListView> views (capacity), expected (capacity);
  for (uint32_t from = 0, size; from < count; from += size) {
    size = largest >= count ? count : std::min (count - from, 1 + random_below (&rng, largest));
    make_ring (&order[from], size, keys, all_keys, &segments);
    walk_ring (&order[from], size, segments, &expected);
  }
  for (uint32_t i = 0; i < count; i++)
    views[i] = {segments[i].next, segments[i].length, segments[i].key, segments[i].maker_data};
  ListRanking r = {};
  uint32_t *device_count;
  r.capacity = capacity;
  CHECK (cudaMalloc ((void **) &r.views, capacity * sizeof (ListView)) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &r.segments, capacity * sizeof (ListSegment)) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &device_count, sizeof count) == cudaSuccess);
  r.count = device_count;
  copy (r.views, views.data (), capacity * sizeof (ListView), cudaMemcpyHostToDevice);
  copy (r.segments, segments.data (), capacity * sizeof (ListSegment), cudaMemcpyHostToDevice);
  copy (device_count, &count, sizeof count, cudaMemcpyHostToDevice);
  list_ranking_launch (r, false, stream);
  copy (views.data (), r.views, capacity * sizeof (ListView), cudaMemcpyDeviceToHost);
  for (uint32_t i = 0; i < count; i++)
    CHECK (views[i].key == expected[i].key && views[i].distance == expected[i].distance);
  for (uint32_t i = count; i < capacity; i++)
    CHECK (views[i].next == 0 && views[i].key == 0);
  cudaFree (r.views);
  cudaFree (r.segments);
  cudaFree (device_count);
}

void
test_sizes ()
{
  static const uint32_t counts[] = {0, 1, 2, 3, 31, 33, 255, 256, 257, 2048, 2049, 5000};
  for (uint32_t count : counts)
    for (uint32_t largest : {1u, 2u, 17u, 1000u, 5000u})
      check_ranking (count, count + 1 + random_below (&rng, 2) * 3000, largest, 1 + random_below (&rng, 3) * 20);
}

/* One ring, so that chains are as long as they can be. */
void
test_one_ring ()
{
  for (uint32_t i = 0; i < (quick ? 2 : 8); i++) {
    const uint32_t count = 20000 + random_below (&rng, 20000);
    check_ranking (count, count, count, i % 2 ? 3 : count);
  }
}

/* More segments than threads, of which each has several. */
void
test_many ()
{
  check_ranking (300000, 300001, 200, 10);
}

} // namespace

int
main ()
{
  static const Test tests[] = {
      {"sizes", test_sizes}, {"one ring", test_one_ring}, {"more segments than threads", test_many}};
  quick = getenv ("CTR_TEST_QUICK");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
