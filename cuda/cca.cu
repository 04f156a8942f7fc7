/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis on the GPU, host side: memory, the frame's graph of kernels, the way back. cca_layout.cuh has the
 * design. */
#include "cuda/cca_layout.cuh"
#include "cuda/foreground.h"

#include <stdlib.h>
#include <string.h>

namespace
{

constexpr size_t HEADER_SIZE = 256;     /* bytes before the table, so that both come back in one copy */
constexpr uint32_t MIN_CAPACITY = 1024; /* rows */

/* What one frame's work depends on. While it stays the same, the graph is launched again as it is. */
struct Job {
  CtrImage image;
  CtrCcaParams params;
};

struct Cca {
  CtrForegroundState foreground;
  CtrBuffer fixed;  /* counters and everything sized by the tiles */
  CtrBuffer closed; /* records of closed components */
  CtrBuffer result; /* header and table */
  CtrBuffer runs;   /* tile_bits, run_roots, node_label: for labels, moments, grey */
  CtrBuffer labels;
  CtrBuffer moments;
  CtrBuffer grey;
  CtrBuffer host;                        /* pinned: where the result comes back */
  uint32_t fixed_tiles_x, fixed_tiles_y; /* that fixed and runs are laid out for */
  uint32_t closed_capacity, capacity;

  Job job;
  bool job_valid; /* frame, graph belong to job */
  CcaFrame frame;
  cudaGraphExec_t graph;
  cudaStream_t own_stream; /* for callers without one */
  cudaStream_t stream;     /* of the pending image */
  uint32_t last_count;     /* rows of the last result: how many to fetch before the count is known */
};

/* Hands out pieces of one allocation; a first run with base NULL measures it. */
struct Carver {
  uint8_t *base;
  size_t used;

  template <typename T>
  T *
  take (size_t count)
  {
    T *piece = (T *) (base + used);
    used += (count * sizeof (T) + 255) / 256 * 256;
    return base ? piece : NULL;
  }
};

size_t
carve_fixed (CcaFrame *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  Carver c = {base, 0};
  f->counters = c.take<CcaCounters> (1);
  f->headers = c.take<TileHeader> (tiles);
  f->rims = c.take<TileRim> (tiles);
  f->roots = c.take<unsigned long long> (tiles * TILE_H);
  f->parents = c.take<NodeKey> (tiles * MAX_NODES);
  f->nodes = c.take<Node> (tiles * MAX_NODES);
  f->row_base = c.take<uint32_t> (tiles * TILE_H);
  f->band_state = c.take<unsigned long long> (f->tiles_y);
  return c.used;
}

size_t
carve_runs (CcaFrame *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  Carver c = {base, 0};
  f->tile_bits = c.take<uint32_t> (tiles * TILE_THREADS);
  f->run_roots = c.take<uint16_t> (tiles * TILE_SLOTS);
  f->node_label = c.take<uint32_t> (tiles * MAX_NODES);
  return c.used;
}

void *
cca_create (CtrError *error)
{
  Cca *cca = (Cca *) calloc (1, sizeof (Cca));
  if (!cca) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a component analyser");
    return NULL;
  }
  ctr_foreground_init (&cca->foreground);
  cca->host.pinned = true;
  cudaError_t status = cudaStreamCreateWithFlags (&cca->own_stream, cudaStreamNonBlocking);
  if (status != cudaSuccess) {
    ctr_cuda_fail (error, status, "cudaStreamCreateWithFlags");
    free (cca);
    return NULL;
  }
  return cca;
}

/* Gives all memory back; the next frame starts afresh. Nothing may be under way. */
void
release_memory (Cca *cca)
{
  ctr_foreground_free (&cca->foreground);
  CtrBuffer *const buffers[] = {
      &cca->fixed, &cca->closed, &cca->result, &cca->runs, &cca->labels, &cca->moments, &cca->grey, &cca->host};
  for (CtrBuffer *buffer : buffers)
    ctr_buffer_free (buffer);
  cca->fixed_tiles_x = cca->fixed_tiles_y = 0;
  cca->capacity = cca->closed_capacity = 0;
}

void
cca_destroy (void *state)
{
  Cca *cca = (Cca *) state;
  if (cca->stream)
    cudaStreamSynchronize (cca->stream);
  if (cca->graph)
    cudaGraphExecDestroy (cca->graph);
  cudaStreamDestroy (cca->own_stream);
  release_memory (cca);
  free (cca);
}

/* Memory for the job's image, and for at least the capacities so far. Sets all of frame but the plane. */
bool
reserve (Cca *cca, CtrError *error)
{
  const CtrImage *image = &cca->job.image;
  const CtrCcaParams *params = &cca->job.params;
  CcaFrame *f = &cca->frame;
  *f = CcaFrame ();
  f->width = image->width;
  f->height = image->height;
  f->tiles_x = ctr_div_up (image->width, TILE_W);
  f->tiles_y = ctr_div_up (image->height, TILE_H);
  f->threshold = params->foreground.threshold;
  f->invert = params->foreground.invert;
  f->min_area = params->min_area;
  f->max_area = params->max_area;

  const size_t pixels = (size_t) image->width * image->height;
  const uint32_t rows = (uint32_t) (pixels / 64 > MIN_CAPACITY ? pixels / 64 : MIN_CAPACITY);
  if (cca->capacity < rows)
    cca->capacity = rows;
  if (cca->closed_capacity < rows)
    cca->closed_capacity = rows;
  if (!ctr_foreground_reserve (&cca->foreground, image, params->foreground.mode, error))
    return false;

  const bool relaid = cca->fixed_tiles_x != f->tiles_x || cca->fixed_tiles_y != f->tiles_y;
  cca->fixed_tiles_x = cca->fixed_tiles_y = 0; /* until all of it is there */
  if (!ctr_buffer_reserve (&cca->fixed, carve_fixed (f, NULL), error))
    return false;
  carve_fixed (f, (uint8_t *) cca->fixed.data);
  /* The kernels leave the counters at zero for the next frame; a new layout starts them. */
  if (relaid)
    CTR_CUDA (cudaMemsetAsync (f->counters, 0, sizeof *f->counters, cca->stream));
  cca->fixed_tiles_x = f->tiles_x;
  cca->fixed_tiles_y = f->tiles_y;

  if (!ctr_buffer_reserve (&cca->closed, cca->closed_capacity * sizeof (uint4), error)
      || !ctr_buffer_reserve (&cca->result, HEADER_SIZE + cca->capacity * sizeof (CtrComponent), error))
    return false;
  f->closed = (uint4 *) cca->closed.data;
  f->closed_capacity = cca->closed_capacity;
  f->header = (CcaHeader *) cca->result.data;
  f->table = (CtrComponent *) ((uint8_t *) cca->result.data + HEADER_SIZE);
  f->capacity = cca->capacity;

  if (params->features) {
    if (!ctr_buffer_reserve (&cca->runs, carve_runs (f, NULL), error))
      return false;
    carve_runs (f, (uint8_t *) cca->runs.data);
  }
  if (params->features & CTR_FEATURE_LABELS) {
    if (!ctr_buffer_reserve (&cca->labels, pixels * sizeof (uint32_t), error))
      return false;
    f->labels = (uint32_t *) cca->labels.data;
  }
  if (params->features & CTR_FEATURE_MOMENTS) {
    if (!ctr_buffer_reserve (&cca->moments, cca->capacity * sizeof (CtrComponentMoments), error))
      return false;
    f->moments = (CtrComponentMoments *) cca->moments.data;
  }
  if (params->features & CTR_FEATURE_GREY) {
    if (!ctr_buffer_reserve (&cca->grey, cca->capacity * sizeof (CtrComponentGrey), error))
      return false;
    f->grey = (CtrComponentGrey *) cca->grey.data;
  }
  return true;
}

bool
queue_kernels (Cca *cca, CtrError *error)
{
  CcaFrame *f = &cca->frame;
  const CtrCcaParams *params = &cca->job.params;
  CtrImage plane;
  if (!ctr_foreground_plane (&cca->foreground, &cca->job.image, &plane, cca->stream, error))
    return false;
  f->pixels = (const uint8_t *) plane.data;
  f->stride = plane.stride;
  f->depth = plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  f->threshold_device = NULL;
  if (params->foreground.mode == CTR_THRESHOLD_OTSU
      && !ctr_foreground_otsu (&cca->foreground, &plane, &f->threshold_device, cca->stream, error))
    return false;
  cca_launch_tiles (*f, params->connectivity, params->features != 0, cca->stream);
  cca_launch_merge (*f, params->connectivity, cca->stream);
  if (params->features)
    cca_launch_features (*f, cca->stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Captures the frame's work; an existing graph takes over new pointers and sizes where its shape allows. */
bool
build_graph (Cca *cca, CtrError *error)
{
  CTR_CUDA (cudaStreamBeginCapture (cca->stream, cudaStreamCaptureModeThreadLocal));
  bool queued = queue_kernels (cca, error);
  cudaGraph_t captured = NULL;
  cudaError_t status = cudaStreamEndCapture (cca->stream, &captured);
  if (queued && status == cudaSuccess && cca->graph) {
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    bool updated = cudaGraphExecUpdate (cca->graph, captured, &info) == cudaSuccess;
#else
    cudaGraphExecUpdateResult result;
    bool updated = cudaGraphExecUpdate (cca->graph, captured, NULL, &result) == cudaSuccess;
#endif
    if (!updated) {
      cudaGetLastError ();
      cudaGraphExecDestroy (cca->graph);
      cca->graph = NULL;
    }
  }
  if (queued && status == cudaSuccess && !cca->graph)
#if CUDART_VERSION >= 12000
    status = cudaGraphInstantiate (&cca->graph, captured, 0);
#else
    status = cudaGraphInstantiate (&cca->graph, captured, NULL, NULL, 0);
#endif
  if (captured)
    cudaGraphDestroy (captured);
  if (!queued)
    return false;
  if (status != cudaSuccess) {
    cca->graph = NULL;
    return ctr_cuda_fail (error, status, "building the frame's graph of kernels");
  }
  return true;
}

bool
prepare (Cca *cca, CtrError *error)
{
  cca->job_valid = false;
  /* Memory may move: nothing may be under way that uses it. */
  CTR_CUDA (cudaStreamSynchronize (cca->stream));
  if (!reserve (cca, error) || !build_graph (cca, error)) {
    release_memory (cca); /* a smaller frame may fit, and must not ask for as much again */
    return false;
  }
  cca->job_valid = true;
  return true;
}

bool
same_job (const Job *a, const Job *b)
{
  return a->image.stride == b->image.stride && a->image.width == b->image.width && a->image.height == b->image.height
         && a->image.format == b->image.format
         && a->image.memory == b->image.memory
         /* A host image is read from our own staging memory, wherever it lies. */
         && (a->image.data == b->image.data || a->image.memory == CTR_MEMORY_HOST)
         && a->params.foreground.mode == b->params.foreground.mode
         && a->params.foreground.threshold == b->params.foreground.threshold
         && a->params.foreground.invert == b->params.foreground.invert
         && a->params.connectivity == b->params.connectivity && a->params.min_area == b->params.min_area
         && a->params.max_area == b->params.max_area && a->params.features == b->params.features;
}

bool
cca_enqueue (void *state, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  Cca *cca = (Cca *) state;
  const Job job = {*image, *params};
  cudaStream_t wanted = stream ? (cudaStream_t) stream : cca->own_stream;
  if (cca->stream && cca->stream != wanted)
    CTR_CUDA (cudaStreamSynchronize (cca->stream)); /* the memory is shared by all our frames */
  cca->stream = wanted;
  if (!cca->job_valid || !same_job (&job, &cca->job)) {
    cca->job = job;
    if (!prepare (cca, error))
      return false;
  }
  if (image->memory == CTR_MEMORY_HOST) {
    /* The last frame may still be on its way up from the same memory. */
    CTR_CUDA (cudaStreamSynchronize (cca->stream));
    ctr_foreground_stage (&cca->foreground, image);
  }
  CTR_CUDA (cudaGraphLaunch (cca->graph, cca->stream));
  return true;
}

uint32_t
rows_to_guess (const Cca *cca)
{
  uint32_t rows = cca->last_count + cca->last_count / 8;
  rows = rows < 256 ? 256 : rows;
  return rows < cca->capacity ? rows : cca->capacity;
}

/* Fetches the header and the rows it probably has, waits, and grows and redoes the frame until all fits. On return the
 * pinned memory holds the header and *ROWS rows. */
bool
fetch_header (Cca *cca, uint32_t *rows, CtrError *error)
{
  for (;;) {
    *rows = rows_to_guess (cca);
    const size_t size = HEADER_SIZE + *rows * sizeof (CtrComponent);
    if (!ctr_buffer_reserve (&cca->host, size, error))
      return false;
    CTR_CUDA (cudaMemcpyAsync (cca->host.data, cca->frame.header, size, cudaMemcpyDeviceToHost, cca->stream));
    CTR_CUDA (cudaStreamSynchronize (cca->stream));
    const CcaHeader header = *(const CcaHeader *) cca->host.data;
    cca->last_count = header.count;
    if (header.count <= cca->capacity && header.closed <= cca->closed_capacity)
      return true;
    const uint32_t grown_count = header.count + header.count / 4, grown_closed = header.closed + header.closed / 4;
    if (header.count > cca->capacity)
      cca->capacity = grown_count;
    if (header.closed > cca->closed_capacity)
      cca->closed_capacity = grown_closed;
    if (!prepare (cca, error))
      return false;
    CTR_CUDA (cudaGraphLaunch (cca->graph, cca->stream));
  }
}

/* SIZE bytes from the device to ordinary host memory, through the pinned buffer in pieces. */
bool
fetch (Cca *cca, const void *to, const void *from, size_t size, CtrError *error)
{
  const size_t piece = (size_t) 8 << 20;
  if (!ctr_buffer_reserve (&cca->host, size < piece ? size : piece, error))
    return false;
  for (size_t done = 0; done < size;) {
    size_t n = size - done < cca->host.size ? size - done : cca->host.size;
    CTR_CUDA (cudaMemcpyAsync (cca->host.data, (const uint8_t *) from + done, n, cudaMemcpyDeviceToHost, cca->stream));
    CTR_CUDA (cudaStreamSynchronize (cca->stream));
    memcpy ((uint8_t *) to + done, cca->host.data, n);
    done += n;
  }
  return true;
}

CtrComponents *
cca_finish (void *state, CtrError *error)
{
  Cca *cca = (Cca *) state;
  const CtrCcaParams *params = &cca->job.params;
  uint32_t rows;
  if (!fetch_header (cca, &rows, error))
    return NULL;
  const CcaHeader header = *(const CcaHeader *) cca->host.data;
  CtrComponents *result =
      ctr_components_alloc (cca->frame.width, cca->frame.height, header.count, params->features, error);
  if (!result)
    return NULL;
  result->threshold = header.threshold;
  result->connectivity = params->connectivity;
  const uint32_t have = header.count < rows ? header.count : rows;
  memcpy ((void *) result->table, (const uint8_t *) cca->host.data + HEADER_SIZE, have * sizeof (CtrComponent));
  bool ok =
      fetch (cca, result->table + have, cca->frame.table + have, (header.count - have) * sizeof (CtrComponent), error);
  if (result->moments)
    ok = ok && fetch (cca, result->moments, cca->frame.moments, header.count * sizeof *result->moments, error);
  if (result->grey)
    ok = ok && fetch (cca, result->grey, cca->frame.grey, header.count * sizeof *result->grey, error);
  if (result->labels)
    ok = ok
         && fetch (cca, result->labels, cca->frame.labels, (size_t) result->width * result->height * sizeof (uint32_t),
             error);
  if (ok)
    return result;
  ctr_components_unref (result);
  return NULL;
}

bool
cca_get_device_result (void *state, CtrDeviceComponents *result, CtrError *error)
{
  Cca *cca = (Cca *) state;
  if (!cca->job_valid)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image was queued: call ctr_cca_enqueue() first");
  *result = {cca->frame.table, &cca->frame.header->count, cca->frame.labels, cca->frame.capacity};
  return true;
}

} // namespace

extern "C" const CtrCcaOps ctr_cca_ops_cuda = {cca_create, cca_destroy, cca_enqueue, cca_finish, cca_get_device_result};

extern "C" bool
ctr_cuda_available (CtrError *error)
{
  int devices = 0;
  cudaError_t status = cudaGetDeviceCount (&devices);
  if (status == cudaSuccess && devices > 0)
    return true;
  cudaGetLastError ();
  return ctr_fail (error, CTR_ERROR_NO_CUDA, "no usable CUDA device (%s): check the NVIDIA driver with nvidia-smi",
      status == cudaSuccess ? "none found" : cudaGetErrorString (status));
}
