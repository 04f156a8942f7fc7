/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evolution of polygons: one kernel from the start to the pruned polygon. device_state.cuh has the design. */
#include "cuda/snake/moves.cuh"
#include "cuda/snake/prune.cuh"
#include "cuda/snake/split.cuh"
#include "cuda/snake/start.cuh"

namespace
{

/* Moves and splits from STEP on, then prunes. Each of the large functions is inlined in one place only, to fit the
 * instruction caches. */
template <bool WIDE, bool HISTORY>
__device__ inline void
cluster_fit (const SnakeKernelArgs &f, Snake &s, uint32_t step)
{
  bool changed = true, prunes = false, removed = false;
  CtrSnakeChangeKind kind = CTR_SNAKE_STARTED;
  for (;;) {
    if (changed) {
      if (!prunes)
        cluster_sum_polygon<WIDE> (f, s);
      cta_record<HISTORY> (f, s, prunes ? CTR_SNAKE_PRUNED : kind, step);
      kind = CTR_SNAKE_SPLIT;
    }
    if (prunes) {
      changed = cluster_prune<WIDE> (f, s, !removed);
      removed = removed || changed;
      if (changed)
        continue;
      if (!removed || s.exhausted)
        return;
      removed = false;
      s.criterion = warp_criterion (f, s, s.inside);
    }
    cluster_move<WIDE, HISTORY> (f, s, step);
    if (s.exhausted)
      return;
    if (prunes) {
      changed = false;
      continue;
    }
    changed = cluster_split<WIDE> (f, s);
    if (s.needed_capacity || (step == 1 && !changed && !f.prune))
      return;
    prunes = step == 1 && !changed;
    step = step > 1 ? step / 2 : 1;
  }
}

/* Makes the task's start the polygon; or an automatic one, which may lower *STEP. False: there is none. */
__device__ inline bool
cluster_begin (const SnakeKernelArgs &f, Snake &s, uint32_t number, bool automatic, uint4 *memory, uint32_t *step)
{
  const CtrSnakeTask &task = f.tasks[number];
  if (automatic)
    return cluster_start (f, s, number, (SnakeCells *) memory, (SnakeCorners *) memory, step);
  if (task.point_count > f.capacity) {
    s.needed_capacity = task.point_count;
    return false;
  }
  if (task.point_count > 0)
    cta_take_points (s, f.start_points + task.first_point, task.point_count);
  return task.point_count > 0;
}

/* Evolves the polygon, once more from an automatic start if needed. True: the target was found. */
template <bool WIDE, bool HISTORY>
__device__ inline bool
cluster_find_target (const SnakeKernelArgs &f, Snake &s, uint32_t number, uint4 *memory, bool *restarted)
{
  const CtrSnakeTask &task = f.tasks[number];
  bool automatic = task.automatic;
  *restarted = false;
  for (;;) {
    uint32_t step = *restarted ? task.max_step : task.first_step;
    s.from_outline = false;
    if (cluster_begin (f, s, number, automatic, memory, &step)) {
      s.exhausted = false;
      cluster_fit<WIDE, HISTORY> (f, s, step);
      const CtrSnakeLengths lengths = cta_lengths (s);
      if (!s.needed_capacity
          && warp_description (f, s, s.inside, s.count, lengths) < ctr_snake_description_without (&f.cost, s.window))
        return true;
    }
    if (s.needed_capacity || *restarted || !task.retry)
      return false;
    *restarted = automatic = true;
    cluster_barrier (s);
  }
}

/* Lays out the dynamic shared memory of a CTA. Returns its size in bytes: that of the arrays, or of the cells or the
 * corners, which use the same memory before there is a polygon. For SNAKE_MIN_CAPACITY it fits GPUs with 64 KB a CTA. EXCHANGES: with
 * the changes that CTAs send each other. */
__host__ __device__ inline size_t
shared_size (uint32_t capacity, uint32_t threads, bool exchanges, SnakeArrays *arrays, uint8_t *base)
{
  const size_t points = (capacity + 3) / 4 * 4;
  arrays->points = (CtrPoint *) base;
  arrays->offsets = (uint32_t *) (arrays->points + points);
  arrays->list = (uint16_t *) (arrays->offsets + points + 4);
  arrays->stale = (uint8_t *) (arrays->list + points);
  arrays->chosen = arrays->stale + points;
  size_t size = (size_t) (arrays->chosen + points - base);
  arrays->exchanged = NULL;
  if (exchanges) {
    arrays->exchanged = (SnakeChange *) (base + size);
    size += 2 * SNAKE_EXCHANGED * sizeof (SnakeChange);
  }
  const size_t start = max (snake_cells_size (threads), sizeof (SnakeCorners));
  return size > start ? size : start;
}

/* For up to THREADS threads and CTAS CTAs on a multiprocessor, which limit the registers. */
template <bool WIDE, bool HISTORY, uint32_t THREADS, uint32_t CTAS>
__global__ void
__launch_bounds__ (THREADS, CTAS)
    evolve_kernel (const __grid_constant__ SnakeKernelArgs f, uint32_t first, uint32_t ctas)
{
  ctr_wait_for_previous ();
  extern __shared__ uint4 memory[];
  __shared__ SnakeScratch scratch;
  const uint32_t number = f.by_cluster.tasks[first + blockIdx.x / ctas];
  const CtrSnakeTask &task = f.tasks[number];
  Snake s;
  shared_size (f.capacity, blockDim.x, f.exchanges && ctas > 1, &s.arrays, (uint8_t *) memory);
  s.scratch = &scratch;
  snake_workspace (f, number, &s.workspace);
  s.cta = blockIdx.x % ctas;
  s.ctas = ctas;
  s.limits = task.window;
  s.min_segment = task.min_segment;
  s.iterations = 0;
  s.exhausted = false;
  s.needed_capacity = 0;
  s.count = s.most = 0;
  s.list_count = s.candidates = s.asks = s.sum_count = s.exchanges = 0;
  s.task = number;
  s.moments = s.history_points = 0;
  if (threadIdx.x < 2) {
    scratch.counters[threadIdx.x] = scratch.candidates[threadIdx.x] = scratch.move_counts[threadIdx.x] = 0;
    sent_bytes_init (&scratch.sent[threadIdx.x]);
  }
  s.window = cta_sum_cells (f, s, number, (SnakeCells *) memory);
  if (threadIdx.x == 0)
    scratch.log_pixels = ctr_snake_log ((double) s.window.n);
  cluster_barrier (s); /* before anything is sent */
  bool restarted;
  const bool found = cluster_find_target<WIDE, HISTORY> (f, s, number, memory, &restarted);
  if (s.cta > 0)
    return;
  CtrPoint *polygon = f.by_task.polygons + (size_t) number * f.capacity;
  if (found)
    for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
      polygon[i] = s.arrays.points[i];
  __syncthreads (); /* all threads have written their points */
  if (threadIdx.x > 0)
    return;
  SnakeResult r = {};
  r.outcome.first_point = (uint64_t) number * f.capacity;
  r.outcome.point_count = found ? s.count : 0;
  if (HISTORY) {
    r.outcome.first_moment = f.by_task.rooms[number].first_moment;
    r.outcome.moment_count = s.moments;
    r.history_points = s.history_points;
  }
  r.outcome.flags = (s.exhausted ? 0 : CTR_SNAKE_CONVERGED) | (restarted ? CTR_SNAKE_RESTARTED : 0);
  r.outcome.iterations = s.iterations;
  r.outcome.inside = s.inside;
  r.outcome.window = s.window;
  r.needed_capacity = s.needed_capacity;
  r.used_capacity = s.most;
  f.by_task.results[number] = r;
  fence_system (); /* The host has this result before it is counted, */
  if (f.task_count > 1) {
    if (count_arrival (f.finished) + 1 < f.task_count)
      return;
    fence_system (); /* and all that were counted before the flag. */
  }
  *(volatile uint32_t *) f.flag = 1;
}

/* Configuration for COUNT clusters of CTAS CTAs of THREADS threads. EXCHANGES: see shared_size(). OVERLAP: they start as
 * the kernel before ends. It refers to ATTRIBUTES. */
cudaLaunchConfig_t
config_of (uint32_t capacity, bool exchanges, uint32_t count, uint32_t ctas, uint32_t threads, bool overlap,
    cudaLaunchAttribute attributes[2])
{
  SnakeArrays arrays;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3 (count * ctas);
  config.blockDim = dim3 (threads);
  config.dynamicSmemBytes = shared_size (capacity, threads, exchanges && ctas > 1, &arrays, NULL);
  config.attrs = attributes;
  if (overlap) {
    cudaLaunchAttribute *attribute = &attributes[config.numAttrs++];
    attribute->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute->val.programmaticStreamSerializationAllowed = 1;
  }
  if (ctas > 1) {
    cudaLaunchAttribute *attribute = &attributes[config.numAttrs++];
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = ctas;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
  }
  return config;
}

template <bool WIDE, bool HISTORY, uint32_t THREADS, uint32_t CTAS>
bool
supports_max_ctas ()
{
  cudaLaunchAttribute attributes[2] = {};
  const cudaLaunchConfig_t config =
      config_of (CTR_SNAKE_MAX_POINTS, false, 1, SNAKE_MAX_CTAS, THREADS, false, attributes);
  int clusters = 0;
  return cudaFuncSetAttribute (
             evolve_kernel<WIDE, HISTORY, THREADS, CTAS>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)
             == cudaSuccess
         && cudaFuncSetAttribute (evolve_kernel<WIDE, HISTORY, THREADS, CTAS>,
                cudaFuncAttributeMaxDynamicSharedMemorySize, (int) config.dynamicSmemBytes)
                == cudaSuccess
         && cudaOccupancyMaxActiveClusters (&clusters, evolve_kernel<WIDE, HISTORY, THREADS, CTAS>, &config)
                == cudaSuccess
         && clusters > 0;
}

template <bool WIDE, bool HISTORY, uint32_t THREADS, uint32_t CTAS>
bool
launch (const SnakeKernelArgs &f, uint32_t first, uint32_t count, uint32_t ctas, uint32_t threads, bool overlap,
    cudaStream_t stream, CtrError *error)
{
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = config_of (f.capacity, f.exchanges, count, ctas, threads, overlap, attributes);
  config.stream = stream;
  const cudaError_t status = cudaFuncSetAttribute (evolve_kernel<WIDE, HISTORY, THREADS, CTAS>,
      cudaFuncAttributeMaxDynamicSharedMemorySize, (int) config.dynamicSmemBytes);
  if (status == cudaErrorInvalidValue) {
    cudaGetLastError ();
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "room for a polygon of %u points takes %zu bytes of shared memory, more than this GPU has: "
        "take a greater min_segment or the CPU backend",
        f.capacity, config.dynamicSmemBytes);
  }
  CTR_CUDA (status);
  ctr_launch_configured (config, evolve_kernel<WIDE, HISTORY, THREADS, CTAS>, f, first, ctas);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

template <uint32_t THREADS, uint32_t CTAS>
bool
all_support_max_ctas ()
{
  return supports_max_ctas<false, false, THREADS, CTAS> () && supports_max_ctas<true, false, THREADS, CTAS> ()
         && supports_max_ctas<false, true, THREADS, CTAS> () && supports_max_ctas<true, true, THREADS, CTAS> ();
}

template <uint32_t THREADS, uint32_t CTAS>
bool
launch_any (const SnakeKernelArgs &f, uint32_t first, uint32_t count, uint32_t ctas, uint32_t threads, bool wide,
    bool history, bool overlap, cudaStream_t stream, CtrError *error)
{
  const auto launch_kernel = history
                                 ? (wide ? launch<true, true, THREADS, CTAS> : launch<false, true, THREADS, CTAS>)
                                 : (wide ? launch<true, false, THREADS, CTAS> : launch<false, false, THREADS, CTAS>);
  return launch_kernel (f, first, count, ctas, threads, overlap, stream, error);
}

} // namespace

bool
snake_may_exchange (uint32_t capacity, size_t shared)
{
  SnakeArrays arrays;
  return shared_size (capacity, SNAKE_LARGE_THREADS, true, &arrays, NULL) + sizeof (SnakeScratch) <= shared;
}

uint32_t
snake_max_ctas (bool clusters)
{
  if (!clusters)
    return 1;
  const bool most = all_support_max_ctas<SNAKE_SMALL_THREADS, 1> () && all_support_max_ctas<SNAKE_SMALL_THREADS, 2> ()
                    && all_support_max_ctas<SNAKE_LARGE_THREADS, 1> ();
  cudaGetLastError (); /* a GPU that does not support them is no error */
  return most ? SNAKE_MAX_CTAS : 8;
}

bool
snake_launch_evolution (const SnakeKernelArgs &f, uint32_t first, uint32_t count, uint32_t ctas, uint32_t threads,
    bool exclusive, bool wide, bool history, bool overlap, cudaStream_t stream, CtrError *error)
{
  const auto launch_kernels = !exclusive                       ? launch_any<SNAKE_SMALL_THREADS, 2>
                              : threads <= SNAKE_SMALL_THREADS ? launch_any<SNAKE_SMALL_THREADS, 1>
                                                               : launch_any<SNAKE_LARGE_THREADS, 1>;
  return launch_kernels (f, first, count, ctas, threads, wide, history, overlap, stream, error);
}
