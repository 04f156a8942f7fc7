/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of CUB's sort that is in use, on the host. */
#ifndef CTR_EMULATION_DEVICE_RADIX_SORT_CUH
#define CTR_EMULATION_DEVICE_RADIX_SORT_CUH

#include "cuda_runtime.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace cub
{

struct DeviceRadixSort {
  template <typename Key, typename Value>
  static cudaError_t
  SortPairs (void *temporary, size_t &size, const Key *keys, Key *keys_out, const Value *values, Value *values_out,
      unsigned count, int begin_bit, int end_bit, cudaStream_t stream)
  {
    if (!temporary) {
      size = count;
      return cudaSuccess;
    }
    if (size < count)
      return cudaErrorInvalidValue;
    ::emulation::queue_call (stream, [=] {
      const Key mask = (Key) ((1ull << end_bit) - (1ull << begin_bit));
      std::vector<unsigned> order (count);
      for (unsigned i = 0; i < count; i++)
        order[i] = i;
      /* Stable without std::stable_sort(), for which newer Clang warns in libstdc++ 12. */
      std::sort (order.begin (), order.end (), [&] (unsigned a, unsigned b) {
        const Key key_a = keys[a] & mask, key_b = keys[b] & mask;
        return key_a != key_b ? key_a < key_b : a < b;
      });
      memset (temporary, 0xa5, count);
      for (unsigned i = 0; i < count; i++) {
        keys_out[i] = keys[order[i]];
        values_out[i] = values[order[i]];
      }
    });
    return cudaSuccess;
  }
};

} // namespace cub

#endif
