/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_limits   what bounds short kernels on this GPU, one JSON record a line: graphs of empty kernels, reading an image once, and steps that
 *                wait for one another
 *
 * The times of the analysers' frames are compared with these in docs/benchmarks/findings.md. */
#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"
#include "tests/bench/common/kernels.h"
#include "tests/bench/limits/limits.h"

#include <stdio.h>

enum { LARGEST = 8192 * 8192, MEMORY_SIZE = 256, FEW_STEPS = 100, MANY_STEPS = 1100 };

typedef struct {
  BenchDevice device;
  cudaGraphExec_t graph;
  LimitsStep step;
  uint32_t steps;
  uint32_t *memory, *of_host; /* MEMORY_SIZE bytes each */
} Bench;

static bool
enqueue_graph (void *user, uint32_t copy)
{
  Bench *bench = user;
  (void) copy;
  return BENCH_CHECK (cudaGraphLaunch (bench->graph, bench->device.stream));
}

static bool
enqueue_steps (void *user, uint32_t copy)
{
  Bench *bench = user;
  (void) copy;
  uint32_t *memory = bench->step == LIMITS_FENCE ? bench->of_host : bench->memory;
  return BENCH_CHECK (limits_enqueue_steps (bench->step, bench->steps, memory, bench->device.stream));
}

/* The median of what ENQUEUE queues. */
static bool
measure (Bench *bench, BenchEnqueue *enqueue, double *median)
{
  double us[BENCH_RUNS];
  if (!bench_device_time (&bench->device, enqueue, bench, BENCH_WARM, us))
    return false;
  *median = bench_times (us, BENCH_RUNS).median;
  return true;
}

static bool
record (bool ok, const char *name, double value, const char *unit)
{
  if (ok)
    printf ("{\"type\": \"limit\", \"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\"}\n", name, value, unit);
  fflush (stdout);
  return ok;
}

/* Ends the capture of bench->device.stream, measures the graph and frees it. */
static bool
measure_captured (Bench *bench, bool ok, const char *name)
{
  double us = 0;
  cudaGraph_t graph = NULL;
  ok = BENCH_CHECK (cudaStreamEndCapture (bench->device.stream, &graph)) && ok;
  ok = ok && BENCH_CHECK (cudaGraphInstantiate (&bench->graph, graph, 0));
  ok = ok && measure (bench, enqueue_graph, &us);
  if (bench->graph)
    cudaGraphExecDestroy (bench->graph);
  bench->graph = NULL;
  if (graph)
    cudaGraphDestroy (graph);
  return record (ok, name, us, "us");
}

static bool
begin_capture (Bench *bench)
{
  return BENCH_CHECK (cudaStreamBeginCapture (bench->device.stream, cudaStreamCaptureModeThreadLocal));
}

static bool
measure_launches (Bench *bench)
{
  static const struct {
    uint32_t ctas, threads;
  } sizes[] = {{1, 32}, {264, 256}, {2048, 256}};
  bool ok = true;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (uint32_t kernels = 1; kernels <= 8; kernels++) {
      char name[128];
      snprintf (name, sizeof name, "graph of %u empty kernels, %u CTAs of %u threads", kernels, sizes[i].ctas,
          sizes[i].threads);
      ok = ok && begin_capture (bench);
      ok = ok
           && measure_captured (bench,
               BENCH_CHECK (
                   limits_enqueue_kernels (kernels, sizes[i].ctas, sizes[i].threads, true, bench->device.stream)),
               name);
    }
  return ok;
}

static bool
measure_reading (Bench *bench)
{
  static const struct {
    uint32_t width, height;
  } sizes[] = {{640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}, {8192, 8192}};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
    char name[128];
    const size_t size = (size_t) sizes[i].width * sizes[i].height;
    snprintf (name, sizeof name, "graph that reads %u x %u bytes", sizes[i].width, sizes[i].height);
    bench_device_set_size (&bench->device, size);
    ok = begin_capture (bench);
    ok = ok
         && measure_captured (
             bench, BENCH_CHECK (read_memory_enqueue (bench->device.images, size, bench->device.stream)), name);
  }
  return ok;
}

static bool
measure_steps (Bench *bench)
{
  static const char *const names[] = {"load from the second cache", "atomic minimum in the second cache",
      "barrier of a CTA of 1024 threads", "barrier of a cluster of 16 CTAs", "store to the host and fence"};
  bool ok = true;
  for (int step = LIMITS_LOAD; ok && step <= LIMITS_FENCE; step++) {
    double few = 0, many = 0;
    bench->step = (LimitsStep) step;
    bench->steps = FEW_STEPS;
    ok = measure (bench, enqueue_steps, &few);
    bench->steps = MANY_STEPS;
    ok = ok && measure (bench, enqueue_steps, &many);
    ok = record (ok, names[step], (many - few) * 1e3 / (MANY_STEPS - FEW_STEPS), "ns");
  }
  return ok;
}

int
main (void)
{
  Bench bench = {0};
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount (&devices);
  if (status != cudaSuccess || devices == 0) {
    fprintf (stderr, "no GPU to measure (%s)\n", cudaGetErrorString (status));
    return 77;
  }
  bool ok = bench_device_open (&bench.device, LARGEST)
            && BENCH_CHECK (cudaMalloc ((void **) &bench.memory, MEMORY_SIZE))
            && BENCH_CHECK (cudaMemsetAsync (bench.memory, 0, MEMORY_SIZE, bench.device.stream))
            && BENCH_CHECK (cudaHostAlloc ((void **) &bench.of_host, MEMORY_SIZE, cudaHostAllocMapped));
  if (ok)
    bench_device_set_size (&bench.device, LARGEST);
  ok = ok && measure_launches (&bench) && measure_reading (&bench) && measure_steps (&bench);
  cudaFree (bench.memory);
  cudaFreeHost (bench.of_host);
  bench_device_close (&bench.device);
  return ok ? 0 : 1;
}
