/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the functions that launch: arguments are converted as in a call, and no kernel is launched behind one that could not be. */
#include "cuda/common/launch.cuh"

#include "tests/core/common/testing.h"

namespace
{

cudaStream_t stream;

struct Large {
  uint32_t values[64];
};

struct Seen {
  unsigned ctas, threads; /* two decimal digits a dimension */
  uint32_t number, last;
  double real;
  bool null;
};

/* Needs no predecessor, and can be launched in each way. */
template <typename T>
__global__ void
see_kernel (const __grid_constant__ Large large, uint32_t number, T real, const void *pointer, Seen *seen)
{
  ctr_wait_for_previous ();
  if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x + threadIdx.y == 0) {
    seen->ctas = 10000 * gridDim.x + 100 * gridDim.y + gridDim.z;
    seen->threads = 100 * blockDim.x + blockDim.y;
    seen->number = number;
    seen->last = large.values[63];
    seen->real = real;
    seen->null = !pointer;
  }
}

enum Way { PLAIN, OVERLAPPED, CONFIGURED, WAYS };

/* The arguments are of other types than the kernel's parameters. */
void
launch (int way, dim3 grid, dim3 block, Seen *device)
{
  Large large = {};
  large.values[63] = 63;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  if (way == PLAIN)
    ctr_launch (see_kernel<double>, grid, block, 0, stream, large, way, 3, NULL, device);
  else if (way == OVERLAPPED)
    ctr_launch_overlapped (true, see_kernel<double>, grid, block, 0, stream, large, way, 3, NULL, device);
  else
    ctr_launch_configured (config, see_kernel<double>, large, way, 3, NULL, device);
}

/* What the launches so far have left. */
Seen
fetch (const Seen *device)
{
  Seen seen;
  CHECK (cudaMemcpyAsync (&seen, device, sizeof seen, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
  return seen;
}

void
test_arguments ()
{
  Seen *device;
  CHECK (cudaMalloc ((void **) &device, sizeof *device) == cudaSuccess);
  for (int way = 0; way < WAYS; way++) {
    describe ("way %d", way);
    CHECK (cudaMemsetAsync (device, 0, sizeof *device, stream) == cudaSuccess);
    launch (way, dim3 (3, 2), dim3 (32, 4), device);
    CHECK (cudaGetLastError () == cudaSuccess);
    const Seen seen = fetch (device);
    CHECK (seen.ctas == 30201 && seen.threads == 3204);
    CHECK (seen.number == (uint32_t) way && seen.real == 3 && seen.null && seen.last == 63);
  }
  cudaFree (device);
}

void
test_behind_a_failure ()
{
  Seen *device;
  CHECK (cudaMalloc ((void **) &device, sizeof *device) == cudaSuccess);
  for (int first = 0; first < WAYS; first++)
    for (int second = 0; second < WAYS; second++) {
      describe ("way %d behind way %d", second, first);
      CHECK (cudaMemsetAsync (device, 0, sizeof *device, stream) == cudaSuccess);
      launch (first, 1, 2048, device); /* more threads than a CTA can have */
      launch (second, 1, 32, device);
      CHECK (fetch (device).ctas == 0);
      CHECK (cudaGetLastError () == cudaErrorInvalidConfiguration);
      launch (second, 1, 32, device); /* The error has been asked for. */
      CHECK (fetch (device).ctas == 10101);
      CHECK (cudaGetLastError () == cudaSuccess);
    }
  cudaFree (device);
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"arguments", test_arguments}, {"behind a failure", test_behind_a_failure}};
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
