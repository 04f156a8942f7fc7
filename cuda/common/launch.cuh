/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launching kernels: grid sizes, and programmatic dependent launch.
 *
 * All kernels are launched with the functions here. A kernel may read what the one before it has written, so they launch none
 * behind one that could not be launched: the first launch of a kernel loads it, for which a full GPU has no memory. The
 * caller reads the error with CTR_CUDA (cudaGetLastError ()).
 *
 * With programmatic dependent launch (sm_90 and up) a kernel lets its successor's CTAs start as its own run out. Each
 * CTA of the successor waits, before it touches any memory, until the predecessor is complete. Every CTA must wait,
 * also one with nothing to do: otherwise the kernel after it would not be ordered behind the one before it. */
#ifndef CTR_CUDA_COMMON_LAUNCH_CUH
#define CTR_CUDA_COMMON_LAUNCH_CUH

#include "cuda/common/error.cuh"

#include <type_traits>

__host__ __device__ inline unsigned
ctr_div_up (unsigned a, unsigned b)
{
  return (a + b - 1) / b;
}

/* For __launch_bounds__: how many CTAs of THREADS threads share a multiprocessor: WANTED, if it has room for so many threads. */
constexpr int
ctr_shared_by (int threads, int wanted)
{
#ifndef __CUDA_ARCH__
  constexpr int room = 2048;
#elif __CUDA_ARCH__ == 750
  constexpr int room = 1024;
#elif __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
  constexpr int room = 2048;
#else
  constexpr int room = 1536;
#endif
  return wanted * threads <= room ? wanted : room / threads;
}

__device__ inline void
ctr_let_next_start ()
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
#endif
}

__device__ inline void
ctr_wait_for_previous ()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize ();
#endif
}

/* Have all launches of this thread succeeded since an error was last read? For the functions below alone. */
static inline bool
ctr_may_launch ()
{
  return cudaPeekAtLastError () == cudaSuccess;
}

/* Launches KERNEL. The arguments are converted to its parameters, as in any call: std::common_type_t keeps the compiler from
 * deducing types from the arguments. */
template <typename... Parameters>
static inline void
ctr_launch (void (*kernel) (Parameters...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
    const std::common_type_t<Parameters> &...arguments)
{
  if (ctr_may_launch ())
    kernel<<<grid, block, shared, stream>>> (arguments...);
}

/* One cluster of CTAS CTAs of THREADS threads, which overlaps with the kernel before. Refers to ATTRIBUTES. */
static inline cudaLaunchConfig_t
ctr_cluster_config (unsigned ctas, unsigned threads, cudaStream_t stream, cudaLaunchAttribute attributes[2])
{
  cudaLaunchConfig_t config = {};
  config.gridDim = ctas;
  config.blockDim = threads;
  config.stream = stream;
  attributes[0] = attributes[1] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = ctas;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  return config;
}

/* Of how many CTAs a cluster may consist. Where a GPU takes no more than are portable, it is half as many. */
constexpr unsigned CTR_MOST_CLUSTER_CTAS = 16;

/* Can this GPU run KERNEL as a cluster of CTAS CTAs of THREADS threads? An error of CUDA that says no stays to be read. */
template <typename... Parameters>
static inline bool
ctr_supports_cluster (void (*kernel) (Parameters...), unsigned ctas, unsigned threads)
{
  cudaLaunchAttribute attributes[2];
  const cudaLaunchConfig_t config = ctr_cluster_config (ctas, threads, NULL, attributes);
  int clusters = 0;
  return (ctas < CTR_MOST_CLUSTER_CTAS
             || cudaFuncSetAttribute (kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess)
         && cudaOccupancyMaxActiveClusters (&clusters, kernel, &config) == cudaSuccess && clusters > 0;
}

/* The same of CTAs of THREADS threads, for all of KERNELS; 0: this GPU has no clusters. */
template <size_t COUNT, typename... Parameters>
static inline unsigned
ctr_cluster_ctas (void (*const (&kernels)[COUNT]) (Parameters...), unsigned threads)
{
  unsigned ctas = CTR_MOST_CLUSTER_CTAS;
  for (const auto kernel : kernels)
    while (ctas && !ctr_supports_cluster (kernel, ctas, threads))
      ctas = ctas == CTR_MOST_CLUSTER_CTAS ? CTR_MOST_CLUSTER_CTAS / 2 : 0;
  cudaGetLastError (); /* a GPU that does not support them is no error */
  return ctas;
}

/* Launches KERNEL with the attributes of CONFIG. */
template <typename... Parameters>
static inline void
ctr_launch_configured (const cudaLaunchConfig_t &config, void (*kernel) (Parameters...),
    const std::common_type_t<Parameters> &...arguments)
{
  if (ctr_may_launch ())
    cudaLaunchKernelEx (&config, kernel, arguments...);
}

/* Launches KERNEL behind one that calls ctr_let_next_start(). KERNEL must call ctr_wait_for_previous(). OVERLAP: the
 * GPU has programmatic dependent launch. */
template <typename... Parameters>
static inline void
ctr_launch_overlapped (bool overlap, void (*kernel) (Parameters...), dim3 grid, dim3 block, size_t shared,
    cudaStream_t stream, const std::common_type_t<Parameters> &...arguments)
{
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = overlap ? 1 : 0;
  ctr_launch_configured (config, kernel, arguments...);
}

#endif
