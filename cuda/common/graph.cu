/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/graph.cuh"

namespace
{

cudaError_t
update (cudaGraphExec_t exec, cudaGraph_t captured)
{
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info;
  return cudaGraphExecUpdate (exec, captured, &info);
#else
  cudaGraphExecUpdateResult result;
  return cudaGraphExecUpdate (exec, captured, NULL, &result);
#endif
}

cudaError_t
instantiate (cudaGraphExec_t *exec, cudaGraph_t captured)
{
#if CUDART_VERSION >= 12000
  return cudaGraphInstantiate (exec, captured, 0);
#else
  return cudaGraphInstantiate (exec, captured, NULL, NULL, 0);
#endif
}

/* Makes GRAPH run what CAPTURED has. */
cudaError_t
take_over (CudaGraph *graph, cudaGraph_t captured)
{
  size_t nodes = 0;
  cudaError_t status = cudaGraphGetNodes (captured, NULL, &nodes);
  if (status != cudaSuccess)
    return status;
  if (graph->exec && graph->nodes == nodes && update (graph->exec, captured) == cudaSuccess)
    return cudaSuccess;
  cuda_graph_free (graph);
  status = instantiate (&graph->exec, captured);
  if (status != cudaSuccess)
    graph->exec = NULL;
  graph->nodes = nodes;
  return status;
}

} // namespace

bool
cuda_graph_takes_overlap ()
{
  int driver = 0;
  return CUDART_VERSION >= 12030 && cudaDriverGetVersion (&driver) == cudaSuccess && driver >= 12030;
}

bool
cuda_graph_begin (const CudaSession *session, CtrError *error)
{
  CTR_CUDA (cudaStreamBeginCapture (session->own_stream, cudaStreamCaptureModeThreadLocal));
  return true;
}

bool
cuda_graph_end (CudaGraph *graph, const CudaSession *session, bool queued, CtrError *error)
{
  cudaGraph_t captured = NULL;
  cudaError_t status = cudaStreamEndCapture (session->own_stream, &captured);
  if (queued && status == cudaSuccess)
    status = take_over (graph, captured);
  if (captured)
    cudaGraphDestroy (captured);
  if (status != cudaSuccess)
    return ctr_cuda_fail (queued ? error : NULL, status, "building a CUDA graph of a frame's kernels");
  return queued;
}

void
cuda_graph_free (CudaGraph *graph)
{
  if (graph->exec)
    cudaGraphExecDestroy (graph->exec);
  cudaGetLastError (); /* The context may be gone, and the graph with it. */
  *graph = {};
}
