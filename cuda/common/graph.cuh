/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that come again frame after frame with the same arguments, as a CUDA graph: one call queues them all.
 *
 * The arguments must hold nothing that changes with every frame. What does change, a kernel outside the graph leaves in
 * device memory. */
#ifndef CTR_CUDA_COMMON_GRAPH_CUH
#define CTR_CUDA_COMMON_GRAPH_CUH

#include "cuda/common/session.cuh"

#include <string.h>

/* An executable graph; zero: none. */
struct CudaGraph {
  cudaGraphExec_t exec;
  size_t nodes;
};

/* Can graphs capture programmatic dependent launches? */
bool cuda_graph_takes_overlap ();

/* What is queued in the session's own stream between these two calls becomes GRAPH. A former graph of as many nodes is
 * updated, which is several times faster than instantiating a new one. QUEUED: nothing has failed in between.
 *
 * The capture takes place in the session's own stream. The caller's stream may be one that the default stream waits
 * for, and while such a stream is captured, no thread may use the default stream. */
bool cuda_graph_begin (const CudaSession *session, CtrError *error);
bool cuda_graph_end (CudaGraph *graph, const CudaSession *session, bool queued, CtrError *error);

void cuda_graph_free (CudaGraph *graph);

/* The graphs of an analyser; zero: none. KEY is all that a graph depends on. Its bytes are compared, so that padding
 * must be zero, too. */
template <typename Key> struct CudaGraphCache {
  static constexpr int GRAPHS = 4;
  struct {
    Key key;
    CudaGraph graph;
    uint64_t last_used; /* number of the frame */
  } cached[GRAPHS];
  Key former; /* of the frame before this one */
  uint64_t frames;
  bool off; /* A graph could not be built: kernels are launched one by one. */
};

template <typename Key>
void
cuda_graph_cache_free (CudaGraphCache<Key> *cache)
{
  for (auto &cached : cache->cached)
    cuda_graph_free (&cached.graph);
}

/* Queues what QUEUE (stream, overlap) queues, which returns whether that worked, and which KEY determines. With a new
 * key it is called as it is: keys that change with every frame build no graphs. With the key of the frame before, a
 * graph is built. */
template <typename Key, typename Queue>
bool
cuda_graph_cache_queue (
    CudaGraphCache<Key> *cache, const Key &key, const CudaSession *session, Queue queue, CtrError *error)
{
  auto *chosen = &cache->cached[0];
  for (auto &cached : cache->cached) {
    if (cached.graph.exec && memcmp (&cached.key, &key, sizeof key) == 0) {
      cached.last_used = ++cache->frames;
      CTR_CUDA (cudaGraphLaunch (cached.graph.exec, session->stream));
      return true;
    }
    if (cached.last_used < chosen->last_used)
      chosen = &cached;
  }
  const bool again = cache->frames++ > 0 && memcmp (&cache->former, &key, sizeof key) == 0;
  memcpy (&cache->former, &key, sizeof key);
  if (!again || cache->off)
    return queue (session->stream, session->overlap);
  if (!cuda_graph_begin (session, NULL)
      || !cuda_graph_end (&chosen->graph, session,
          queue (session->own_stream, session->overlap && cuda_graph_takes_overlap ()), NULL)) {
    cache->off = true;
    return queue (session->stream, session->overlap);
  }
  memcpy (&chosen->key, &key, sizeof key);
  chosen->last_used = cache->frames;
  CTR_CUDA (cudaGraphLaunch (chosen->graph.exec, session->stream));
  return true;
}

#endif
