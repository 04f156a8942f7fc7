/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs CUDA kernels on the host, bit for bit: the layer between the emulated cuda_runtime.h and the scheduler.
 *
 * Every thread of a CTA is a fiber. A fiber runs until it meets others (a barrier, a warp collective), and the next one
 * goes on; one kernel runs at a time in the process. A mistake of a kernel ends the process with a message that names
 * the kernel, the block and the threads.
 *
 * CTR_EMULATION_SEED=N: the runnable threads go on in random order, CTAs start in random order, and several of them run
 * interleaved. Without it one CTA runs after the other, threads in order. */
#ifndef CTR_EMULATION_H
#define CTR_EMULATION_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3 (unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x (x_), y (y_), z (z_)
  {
  }
};

/* Of the kernel that runs. */
extern dim3 blockDim, gridDim;

struct CUstream_st;
typedef CUstream_st *cudaStream_t;

namespace emulation
{

/* Bytes behind each piece of memory that nobody may touch: the address sanitizer has its own. */
#ifdef __SANITIZE_ADDRESS__
constexpr size_t GUARD_SIZE = 0;
#else
constexpr size_t GUARD_SIZE = 256;
#endif
constexpr int GARBAGE = 0xa5; /* every byte of new memory */

/* What a running thread sees of itself. */
struct Place {
  uint3 thread, block;
  unsigned lane;
};
extern Place *here;

/* A launch, complete with its arguments. */
struct Grid {
  dim3 grid, block;
  size_t dynamic_shared;
  size_t shared_limit; /* static and dynamic, bytes */
  bool overlapped;     /* each CTA must wait for the previous kernel */
  unsigned cluster;    /* CTAs in a row that run at once and may meet */
  std::function<void ()> thread;
};
void run_grid (const Grid &grid);

/* Ends the process; says where the running thread, if any, is. */
[[noreturn]] void complain (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* First in every kernel: its name and __launch_bounds__ (0: none). */
void enter (const char *name, unsigned max_threads, unsigned = 0, unsigned = 0);

/* __shared__ variables. One block of memory each, so that reading or writing beyond them is noticed; new CTAs find
 * garbage in it. */
void *shared_memory (size_t *index, size_t size, const char *name); /* *INDEX: at first 0 */
void *dynamic_shared ();
/* What is at OWN's place, in the caller's CTA, in another CTA of its cluster. */
void *shared_of_rank (const void *own, unsigned rank);

template <typename T>
T *
shared (const char *name)
{
  static_assert (std::is_trivially_default_constructible_v<T>, "__shared__ variables have no constructor");
  static size_t index;
  return (T *) shared_memory (&index, sizeof (T), name);
}

/* Meetings of threads. FILE and LINE: of the call. */
enum Collective { SYNC, SHUFFLE, BALLOT, ANY, ALL, MATCH_ANY, ADD, MIN_U, MIN_S, MAX_U, MAX_S, AND, OR, XOR };
uint64_t meet_warp (
    Collective what, uint32_t mask, uint64_t value, unsigned source_lane, const char *file, unsigned line);

enum Barrier { PLAIN, COUNT, BARRIER_OR, BARRIER_AND };
int meet_cta (Barrier what, bool predicate, const char *file, unsigned line);

/* All threads of the CTA's cluster. */
void meet_cluster (const char *file, unsigned line);

/* Lets other threads go on. */
void yield ();
/* Before each atomic operation: every few of them. */
void may_yield ();

void wait_for_previous_kernel ();

template <typename T>
uint64_t
to_bits (T value)
{
  static_assert (sizeof (T) <= 8);
  uint64_t bits = 0;
  memcpy (&bits, &value, sizeof value);
  return bits;
}

template <typename T>
T
from_bits (uint64_t bits)
{
  T value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Queues a grid in a stream, or records it where the stream is being captured. */
void queue_kernel (const void *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, bool overlapped,
    unsigned cluster, std::function<void ()> thread);

/* kernel<<<grid, block, shared, stream>>> (arguments) */
struct Launch {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  bool overlapped;
  unsigned cluster;

  Launch (dim3 grid_, dim3 block_, size_t shared_ = 0, cudaStream_t stream_ = nullptr, bool overlapped_ = false,
      unsigned cluster_ = 1)
      : grid (grid_), block (block_), shared (shared_), stream (stream_), overlapped (overlapped_), cluster (cluster_)
  {
  }

  template <typename... Parameters, typename... Arguments>
  void
  run (void (*kernel) (Parameters...), Arguments &&...arguments) const
  {
    std::tuple<Parameters...> values (std::forward<Arguments> (arguments)...);
    queue_kernel ((const void *) kernel, grid, block, shared, stream, overlapped, cluster,
        [kernel, values] { std::apply (kernel, values); });
  }
};

/* Queues what a library's kernels would do. */
void queue_call (struct CUstream_st *stream, std::function<void ()> call);

} // namespace emulation

#endif
