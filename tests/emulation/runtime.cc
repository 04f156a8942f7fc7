/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime API: launches, streams, events and graphs. What is queued in a stream is done as late as CUDA may do it,
 * when something waits for it: who forgets to wait sees it.
 *
 * More than 500 lines: streams, events and graphs are made of the same queues, which have no other user. */
#include "runtime.h"

#include "faults.h"

#include <map>

using namespace emulation;

namespace
{

constexpr int MOST_QUERIES = 3;
constexpr size_t SHARED_DEFAULT = 48 * 1024;

std::vector<CUstream_st *> streams;
unsigned long calls;                           /* that have queued something; captured calls do not count */
std::map<const void *, size_t> dynamic_limits; /* of kernels that asked for more */
CUstream_st default_stream;
thread_local cudaError_t last_error = cudaSuccess;
thread_local CUstream_st *capturing; /* by this thread */
long objects;                        /* streams, events and graphs that there are */
unsigned long steps;                 /* kernels, copies and fills that have been done: time stamps are of them */

void
do_first (CUstream_st *stream)
{
  Work work = std::move (stream->pending.front ());
  stream->pending.pop_front ();
  work ();
}

/* A stream is drained before it goes: what is not reached is still there. */
void
reach (const std::shared_ptr<Mark> &mark)
{
  while (mark && !mark->reached && !device_is_lost ())
    do_first (mark->stream);
}

} // namespace

namespace emulation
{

std::recursive_mutex lock;

cudaError_t
failed (cudaError_t error)
{
  last_error = error;
  return error;
}

bool
breaks_capture ()
{
  if (capturing)
    capturing->broken = true;
  return capturing != nullptr;
}

void
drain (CUstream_st *stream)
{
  while (!stream->pending.empty ())
    do_first (stream);
}

void
drain_all ()
{
  drain (&default_stream);
  for (CUstream_st *stream : streams)
    drain (stream);
}

void
forget_work ()
{
  default_stream.pending.clear ();
  for (CUstream_st *stream : streams)
    stream->pending.clear ();
}

CUstream_st *
stream_of (cudaStream_t stream)
{
  return stream && stream != cudaStreamLegacy ? stream : &default_stream;
}

void
queue (cudaStream_t handle, NodeKind kind, Work work)
{
  CUstream_st *stream = stream_of (handle), *origin = stream->branch_of ? stream->branch_of : stream;
  if (kind != MARK)
    work = [work = std::move (work)] {
      steps++;
      work ();
    };
  if (origin->captured) {
    stream->loose = stream != origin;
    stream->branched++;
    origin->captured->nodes.push_back ({kind, std::move (work)});
    return;
  }
  calls++;
  stream->pending.push_back (std::move (work));
}

cudaError_t
find_kernel ()
{
  Locked locked (lock);
  return fault (CALL_LOADS);
}

/* Bytes of shared memory that a kernel may ask for: those of sm_90, unless the environment says so. */
size_t
most_shared ()
{
  static const char *const text = getenv ("CTR_EMULATION_SHARED");
  return text ? strtoul (text, NULL, 10) : 227 * 1024;
}

/* Compute capability: that of sm_90, unless the environment says so. From 9 on kernels overlap, and there are clusters. */
int
compute_capability ()
{
  static const char *const text = getenv ("CTR_EMULATION_MAJOR");
  return text ? atoi (text) : __CUDA_ARCH__ / 100;
}

bool
has_clusters ()
{
  return compute_capability () >= 9;
}

cudaError_t
allow_shared (const void *kernel, size_t dynamic_size)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  if (dynamic_size > most_shared ())
    return failed (cudaErrorInvalidValue);
  dynamic_limits[kernel] = dynamic_size;
  return cudaSuccess;
}

void
queue_kernel (const void *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, bool overlapped,
    unsigned cluster, std::function<void ()> thread)
{
  Locked locked (lock);
  if (fault (CALL_LOADS) != cudaSuccess || fault (CALL_QUEUES) != cudaSuccess)
    return;
  const auto asked = dynamic_limits.find (kernel);
  const bool large = asked != dynamic_limits.end () && asked->second > SHARED_DEFAULT / 2;
  const size_t dynamic_limit = asked == dynamic_limits.end () ? SHARED_DEFAULT : asked->second;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535
      || grid.x % cluster || block.x == 0 || block.y == 0 || block.z == 0 || block.z > 64
      || (unsigned long long) block.x * block.y * block.z > 1024) {
    last_error = cudaErrorInvalidConfiguration;
    return;
  }
  if ((overlapped || cluster > 1) && !has_clusters ()) {
    last_error = cudaErrorNotSupported;
    return;
  }
  if (shared > dynamic_limit && shared > SHARED_DEFAULT) {
    last_error = cudaErrorInvalidValue;
    return;
  }
  auto work = [g = Grid{grid, block, shared, large ? most_shared () : SHARED_DEFAULT, overlapped, cluster,
                   std::move (thread)}] {
    run_grid (g);
    check_guards ("after a kernel");
  };
  queue (stream, KERNEL, std::move (work));
}

} // namespace emulation

long
emulation_objects ()
{
  Locked locked (lock);
  return objects;
}

unsigned long
emulation_calls ()
{
  Locked locked (lock);
  return calls;
}

cudaError_t
cudaGetLastError ()
{
  const cudaError_t error = cudaPeekAtLastError ();
  last_error = cudaSuccess;
  return error;
}

cudaError_t
cudaPeekAtLastError ()
{
  Locked locked (lock);
  return device_is_lost () ? cudaErrorIllegalAddress : last_error;
}

const char *
cudaGetErrorString (cudaError_t error)
{
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorUnsupportedPtxVersion:
      return "the provided PTX was compiled with an unsupported toolchain.";
    case cudaErrorNoKernelImageForDevice:
      return "no kernel image is available for execution on the device";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorNotSupported:
      return "operation not supported";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorGraphExecUpdateFailure:
      return "the graph update was not performed because it included changes which violated constraints specific to "
             "instantiated graph update";
  }
  return "unrecognized error code";
}

cudaError_t
cudaGetDeviceCount (int *count)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  *count = 1;
  return cudaSuccess;
}

cudaError_t
cudaGetDevice (int *device)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  *device = 0;
  return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion (int *version)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute (int *value, cudaDeviceAttr attribute, int)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = 4;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = compute_capability ();
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = __CUDA_ARCH__ / 10 % 10;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = (int) most_shared ();
      return cudaSuccess;
  }
  return failed (cudaErrorInvalidValue);
}

void
emulation::queue_call (CUstream_st *stream, std::function<void ()> call)
{
  Locked locked (lock);
  queue (stream, KERNEL, std::move (call));
}

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t *stream, unsigned flags)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_ALLOCATES))
    return error;
  *stream = new CUstream_st ();
  (*stream)->follows_default = flags != cudaStreamNonBlocking;
  streams.push_back (*stream);
  objects++;
  return cudaSuccess;
}

cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  Locked locked (lock);
  drain (stream);
  for (size_t i = 0; i < streams.size (); i++)
    if (streams[i] == stream)
      streams.erase (streams.begin () + (ptrdiff_t) i);
  delete stream;
  objects--;
  return fault (CALL_OTHER);
}

cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  if (stream_of (stream)->captured) {
    stream_of (stream)->broken = true;
    return failed (cudaErrorStreamCaptureUnsupported);
  }
  drain (stream_of (stream));
  return cudaSuccess;
}

/* STREAM waits for MARK, which is within a capture: STREAM becomes a branch of it, or a branch ends in STREAM. The nodes of all
 * branches are in one order, that in which they were queued. */
static cudaError_t
follow_captured (CUstream_st *stream, const Mark &mark)
{
  CUstream_st *const origin = mark.within;
  if (!origin->captured || (stream->captured && stream != origin) || (stream->branch_of && stream->branch_of != origin))
    return failed (cudaErrorStreamCaptureUnsupported);
  if (mark.stream != origin && mark.branched == mark.stream->branched)
    mark.stream->loose = false;
  if (stream != origin) {
    stream->branch_of = origin;
    stream->loose = true;
  }
  return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  if (event->mark && event->mark->within)
    return follow_captured (stream_of (stream), *event->mark);
  queue (stream, MARK, [mark = event->mark] { reach (mark); });
  return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t *event, unsigned flags)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_ALLOCATES))
    return error;
  *event = new CUevent_st ();
  (*event)->is_timed = !(flags & cudaEventDisableTiming);
  objects++;
  return cudaSuccess;
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  Locked locked (lock);
  delete event;
  objects--;
  return fault (CALL_OTHER);
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  CUstream_st *const within = stream_of (stream)->branch_of  ? stream_of (stream)->branch_of
                              : stream_of (stream)->captured ? stream_of (stream)
                                                             : nullptr;
  auto mark = std::make_shared<Mark> (Mark{stream_of (stream), false, 0, 0, within, stream_of (stream)->branched});
  event->mark = mark;
  if (within)
    return cudaSuccess;
  queue (stream, MARK, [mark] {
    mark->reached = true;
    mark->steps = steps;
  });
  return cudaSuccess;
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  reach (event->mark);
  return cudaSuccess;
}

/* Work is done as late as possible, but a thread that asks again and again must see it done. */
cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  if (event->mark && !event->mark->reached && ++event->mark->queries > MOST_QUERIES)
    reach (event->mark);
  return event->mark && !event->mark->reached ? cudaErrorNotReady : cudaSuccess;
}

/* Each kernel, copy or fill takes a millisecond, whatever stream it is in. */
cudaError_t
cudaEventElapsedTime (float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  if (!start->is_timed || !end->is_timed || !start->mark || !end->mark)
    return failed (cudaErrorInvalidResourceHandle);
  if (!start->mark->reached || !end->mark->reached)
    return cudaErrorNotReady;
  *milliseconds = (float) (end->mark->steps - start->mark->steps);
  return cudaSuccess;
}

cudaError_t
cudaStreamQuery (cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  return stream_of (stream)->pending.empty () ? cudaSuccess : cudaErrorNotReady;
}

/* CUDA captures streams that follow the default one, too. But then nobody may use that one meanwhile, in any thread. */
cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, cudaStreamCaptureMode)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  if (!stream || stream->follows_default || stream->captured || capturing)
    return failed (cudaErrorStreamCaptureUnsupported);
  stream->captured = std::make_unique<CUgraph_st> ();
  stream->broken = false;
  capturing = stream;
  return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *graph)
{
  Locked locked (lock);
  *graph = nullptr;
  if (!stream || !stream->captured || capturing != stream)
    return failed (cudaErrorInvalidValue);
  capturing = nullptr;
  std::unique_ptr<CUgraph_st> captured = std::move (stream->captured);
  for (CUstream_st *branch : streams)
    if (branch->branch_of == stream) {
      stream->broken = stream->broken || branch->loose;
      branch->branch_of = nullptr;
    }
  if (stream->broken)
    return failed (cudaErrorStreamCaptureUnsupported);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  *graph = captured.release ();
  objects++;
  return cudaSuccess;
}

cudaError_t
cudaGraphGetNodes (cudaGraph_t graph, void *, size_t *count)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  *count = graph->nodes.size ();
  return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_ALLOCATES))
    return error;
  if (getenv ("CTR_EMULATION_WITHOUT_GRAPHS"))
    return failed (cudaErrorMemoryAllocation);
  *exec = new CUgraphExec_st{std::make_shared<const Nodes> (graph->nodes)};
  objects++;
  return cudaSuccess;
}

/* Kernels may change, also to another function; what kind of work follows what may not. */
cudaError_t
cudaGraphExecUpdate (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  const Nodes &former = *exec->nodes;
  bool same = former.size () == graph->nodes.size ();
  for (size_t i = 0; same && i < former.size (); i++)
    same = former[i].kind == graph->nodes[i].kind;
  if (!same)
    return failed (cudaErrorGraphExecUpdateFailure);
  exec->nodes = std::make_shared<const Nodes> (graph->nodes);
  return cudaSuccess;
}

cudaError_t
cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  calls++;
  stream_of (stream)->pending.push_back ([nodes = exec->nodes] {
    for (const Node &node : *nodes)
      node.work ();
  });
  return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t exec)
{
  Locked locked (lock);
  delete exec;
  objects--;
  return fault (CALL_OTHER);
}

cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  Locked locked (lock);
  delete graph;
  objects--;
  return fault (CALL_OTHER);
}
