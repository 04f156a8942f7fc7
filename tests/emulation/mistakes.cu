/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the emulation notice? Kernels with one mistake each, run in processes of their own, and what must be said; and
 * launches in all the forms transform.py has to understand, without one. */
#include "races.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

constexpr int THREADS = 64;

/* MISTAKE 0: none. Sums 0 .. 63 and more in ways that meet everywhere. */
template <int MISTAKE, int FACTOR>
__global__ void
__launch_bounds__ (MISTAKE == 1 ? 32 : THREADS) sum_kernel (const __grid_constant__ dim3 unused, unsigned *result)
{
  extern __shared__ unsigned scratch[];
  __shared__ unsigned values[THREADS], /* one a thread */
      total;
  const unsigned t = threadIdx.x;
  if (MISTAKE != 2 || blockIdx.x == 0)
    cudaGridDependencySynchronize ();
  if (MISTAKE == 3 && t % 32 == 7)
    __syncwarp (); /* "<<<" and __shared__ in a comment are none */
  if (t == 0)
    total = 0;
  values[t] = t * FACTOR;
  scratch[MISTAKE == 4 ? t + 1 : t] = 0;
  if (MISTAKE == 5 && t >= 32)
    __syncthreads ();
  else if (MISTAKE != 6)
    __syncthreads ();
  unsigned sum = values[t ^ 1];
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync (MISTAKE == 7 ? 0xffffu : ~0u, sum, d);
  if (MISTAKE == 8 && t % 32 < 5)
    __syncwarp (0x1f);
  else if (MISTAKE == 8 || __any_sync (~0u, t == 40))
    __syncwarp ();
  if (t % 32 == 0)
    atomicAdd (&total, sum);
  __syncthreads ();
  if (t == 0)
    atomicAdd (&result[MISTAKE == 9 ? 2 : 0], total);
}

/* Three CTAs, in each order in which they may start: one writes, the second one has seen that it did, and the third one reads after it
 * has seen the second one. IS_MISTAKE: it reads at once. */
template <bool IS_MISTAKE>
__global__ void
chain_kernel (unsigned *result, unsigned *flag, unsigned order)
{
  const unsigned roles[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const unsigned role = roles[order][blockIdx.x];
  if (role == 0)
    *result = 2 * 63 * 32;
  else
    while (!IS_MISTAKE && atomicAdd (flag, 0) < role)
      __nanosleep (100);
  if (role < 2)
    atomicAdd (flag, 1);
  else
    result[1] = *result;
}

template <bool IS_MISTAKE>
void
run_chains (unsigned *device, cudaStream_t stream)
{
  setenv ("CTR_EMULATION_SEED", "1", 0); /* CTAs at once */
  for (unsigned order = 0; order < 6; order++) {
    cudaMemsetAsync (device, 0, 3 * sizeof *device, stream);
    chain_kernel<IS_MISTAKE><<<3, 1, 0, stream>>> (device, device + 2, order);
  }
}

/* And frees so much that the emulation looks after it. */
void
write_to_freed (cudaStream_t stream)
{
  const size_t sizes[] = {256, (size_t) 64 << 20};
  unsigned *memory[2];
  for (int i = 0; i < 2; i++)
    if (cudaMalloc ((void **) &memory[i], sizes[i]))
      _exit (0);
  cudaFree (memory[0]);
  chain_kernel<true><<<1, 1, 0, stream>>> (memory[0], memory[0] + 1, 0);
  cudaStreamSynchronize (stream);
  cudaFree (memory[1]);
}

const char *const expected[] = {NULL, "__launch_bounds__", "has not waited", "wait for each other",
    "behind a __shared__ variable|AddressSanitizer", "different barriers", "race:", "leaves out the calling lane",
    "wait for each other|different places", "behind an allocation|AddressSanitizer", "race:", NULL,
    "had been freed|AddressSanitizer"};

int
run (int mistake)
{
  cudaStream_t stream;
  unsigned *device, *host;
  const dim3 none;
  cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking);
  if (cudaMalloc ((void **) &device, (mistake < 10 ? 2 : 3) * sizeof *device)
      || cudaHostAlloc ((void **) &host, sizeof *host, 0))
    return 1;
  cudaMemsetAsync (device, 0, 2 * sizeof *device, stream);
  const size_t shared = THREADS * sizeof (unsigned);
  cudaLaunchAttribute attribute = {cudaLaunchAttributeProgrammaticStreamSerialization, {1}};
  const cudaLaunchConfig_t config = {dim3 (2), dim3 (THREADS), shared, stream, &attribute, 1};
  switch (mistake) {
    case 0:
      mistake ? sum_kernel<0, 3><<<1, THREADS, shared, stream>>> (none, device)
              : sum_kernel<0, (2 > 1)><<<dim3 (2, 1), THREADS, shared, stream>>> (none, device);
      break;
    case 2:
      cudaLaunchKernelEx (&config, sum_kernel<2, 1>, none, device);
      break;
#define CASE(n)                                                                          \
  case n:                                                                                \
    emulation::Launch (2, THREADS, shared, stream).run (sum_kernel<n, 1>, none, device); \
    break
      CASE (1);
      CASE (3);
      CASE (4);
      CASE (5);
      CASE (6);
      CASE (7);
      CASE (8);
      CASE (9);
    case 10:
      run_chains<true> (device, stream);
      break;
    case 11:
      run_chains<false> (device, stream);
      break;
    case 12:
      write_to_freed (stream);
      break;
  }
  cudaMemcpyAsync (host, device, sizeof *host, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize (stream);
  const bool right = *host == 2 * 63 * 32;
  cudaFree (device);
  cudaFreeHost (host);
  cudaStreamDestroy (stream);
  return right ? 0 : 1;
}

/* In a process of its own; TEXT: what it says. */
int
run_apart (int mistake, char *text, size_t size)
{
  int ends[2], status;
  if (pipe (ends) != 0)
    exit (1);
  const pid_t child = fork ();
  if (child == 0) {
    dup2 (ends[1], STDERR_FILENO);
    _exit (run (mistake));
  }
  close (ends[1]);
  size_t used = 0;
  for (ssize_t n; used < size - 1 && (n = read (ends[0], text + used, size - 1 - used)) > 0;)
    used += (size_t) n;
  text[used] = 0;
  close (ends[0]);
  waitpid (child, &status, 0);
  return status;
}

/* A capture with a branch in another stream. JOINED: the first stream waits for the branch; LATER: which goes on after that event.
 * Returns the sum that the graph gives, and 0 if the capture fails. */
unsigned
sum_of_branches (bool joined, bool later)
{
  cudaStream_t streams[2];
  cudaEvent_t events[2];
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  unsigned *device, *host, sum = 0;
  const dim3 none;
  for (int i = 0; i < 2; i++) {
    cudaStreamCreateWithFlags (&streams[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags (&events[i], cudaEventDisableTiming);
  }
  cudaMalloc ((void **) &device, 2 * sizeof *device);
  cudaHostAlloc ((void **) &host, sizeof *host, 0);
  cudaMemsetAsync (device, 0, 2 * sizeof *device, streams[0]);
  cudaStreamBeginCapture (streams[0], cudaStreamCaptureModeThreadLocal);
  cudaEventRecord (events[0], streams[0]);
  cudaStreamWaitEvent (streams[1], events[0], 0);
  sum_kernel<0, 1><<<2, THREADS, THREADS * sizeof (unsigned), streams[1]>>> (none, device);
  cudaEventRecord (events[1], streams[1]);
  if (later)
    cudaMemsetAsync (device, 0, sizeof *device, streams[1]);
  if (joined)
    cudaStreamWaitEvent (streams[0], events[1], 0);
  if (cudaStreamEndCapture (streams[0], &graph) == cudaSuccess) {
    cudaGraphInstantiate (&exec, graph, 0);
    cudaGraphDestroy (graph);
    cudaGraphLaunch (exec, streams[0]);
    cudaMemcpyAsync (host, device, sizeof *host, cudaMemcpyDeviceToHost, streams[0]);
    cudaStreamSynchronize (streams[0]);
    cudaGraphExecDestroy (exec);
    sum = *host;
  }
  cudaFree (device);
  cudaFreeHost (host);
  for (int i = 0; i < 2; i++) {
    cudaStreamDestroy (streams[i]);
    cudaEventDestroy (events[i]);
  }
  return sum;
}

} // namespace

int
main ()
{
  static char text[1 << 20];
  if (run_apart (0, text, sizeof text) != 0) {
    fprintf (stderr, "a kernel without a mistake gives a wrong sum\n");
    return 1;
  }
  if (run_apart (11, text, sizeof text) != 0) {
    fprintf (stderr, "CTAs that have seen one another by a third one are not ordered:\n%s", text);
    return 1;
  }
  for (int mistake = 1; mistake < 13; mistake++) {
    if (mistake == 11 || ((mistake == 6 || mistake == 10) && !emulation::watching))
      continue;
    char phrases[96];
    strcpy (phrases, expected[mistake]);
    const int status = run_apart (mistake, text, sizeof text);
    bool said = false;
    for (const char *phrase = strtok (phrases, "|"); phrase; phrase = strtok (NULL, "|"))
      said = said || strstr (text, phrase);
    if (status == 0 || !said) {
      fprintf (stderr, "mistake %d must be told with \"%s\"; it was:\n%s", mistake, expected[mistake], text);
      return 1;
    }
  }
  /* Last, as what the environment says of the emulation is read once in a process. */
  if (sum_of_branches (true, false) != 2 * 63 * 32 || sum_of_branches (false, false) || sum_of_branches (true, true)) {
    fprintf (stderr, "a capture needs all branches to end in its first stream, and nothing else\n");
    return 1;
  }
  return 0;
}
