/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams and what is queued in them: shared by runtime.cc and memory.cc. */
#ifndef CTR_EMULATION_RUNTIME_H
#define CTR_EMULATION_RUNTIME_H

#include "cuda_runtime.h"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace emulation
{

typedef std::function<void ()> Work;

enum NodeKind { KERNEL, COPY_UP, COPY_DOWN, COPY, FILL, MARK }; /* MARK: of an event */

struct Node {
  NodeKind kind;
  Work work;
};

typedef std::vector<Node> Nodes;

} // namespace emulation

struct CUgraph_st {
  emulation::Nodes nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<const emulation::Nodes> nodes;
};

/* A place in a stream. The stream goes on to it where somebody waits for it. */
struct Mark {
  CUstream_st *stream;
  bool reached;
  int queries;         /* that have not found it reached */
  unsigned long steps; /* that had been done then */
  CUstream_st *within; /* the stream whose capture it is recorded in, or nullptr */
  unsigned branched;   /* nodes of its own stream's branch before it */
};

struct CUevent_st {
  std::shared_ptr<Mark> mark; /* of the last time it was recorded */
  bool is_timed;
};

struct CUstream_st {
  std::deque<emulation::Work> pending;
  std::unique_ptr<CUgraph_st> captured; /* while it is being captured */
  bool broken;                          /* what was done during the capture cannot be captured */
  bool follows_default;                 /* and is followed by the default stream */
  CUstream_st *branch_of;               /* the stream that is being captured and this one along with it, or nullptr */
  unsigned branched;                    /* nodes of its branch, */
  bool loose;                           /* the last of which the other stream does not wait for */
};

/* The calls so far that have queued something in a stream. */
extern "C" unsigned long emulation_calls ();

namespace emulation
{

/* Held in every call of the API. */
extern std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> Locked;

/* Keeps ERROR for cudaGetLastError() and returns it. */
cudaError_t failed (cudaError_t error);

/* May this call not be made because the thread captures? Then the capture fails, too. */
bool breaks_capture ();

CUstream_st *stream_of (cudaStream_t stream);
void queue (cudaStream_t handle, NodeKind kind, Work work);
void drain (CUstream_st *stream);
void drain_all ();

/* Drops what is queued in all streams. */
void forget_work ();

/* Complains where something was written behind an allocation. WHEN: in the message. */
void check_guards (const char *when);

/* The bytes that are allocated now, and the number of allocations so far. */
void count_memory (size_t *bytes, uint64_t *allocations);

} // namespace emulation

#endif
