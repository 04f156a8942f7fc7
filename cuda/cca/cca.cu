/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis on the GPU, host side: memory, the frame's graph of kernels, the way back. device_state.cuh has
 * the design. */
#include "cuda/cca/device_state.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include <stdlib.h>
#include <string.h>

namespace
{

constexpr size_t HEADER_SIZE = 256;             /* bytes before the table, so that both come back in one copy */
constexpr uint32_t MOST_ROWS_AT_ONCE = 1 << 18; /* fetched with the header: pinned memory is dear */
constexpr uint32_t MIN_CAPACITY = 1024;         /* rows */

/* What one frame's work depends on. */
struct Job {
  CtrImage image;
  CtrCcaParams params;
};

/* The work for a job, ready to launch: as long as the job and our memory stay the same. */
struct Plan {
  Job job;
  CcaFrame frame;
  cudaGraphExec_t graph; /* NULL: the plan was never made */
  uint64_t generation;   /* of our memory, when it was made */
  uint64_t used;         /* when it was last launched */
};

constexpr int PLANS = 8; /* pools upstream hand out a few buffers in turn */

struct Cca {
  InputStage input;
  CtrDeviceBuffer fixed;  /* counters and everything sized by the tiles */
  CtrDeviceBuffer closed; /* records of closed components */
  CtrDeviceBuffer result; /* header and table */
  CtrDeviceBuffer runs;   /* tile_bits, run_roots, node_label: for labels, moments, grey */
  CtrDeviceBuffer labels;
  CtrDeviceBuffer moments;
  CtrDeviceBuffer grey;
  CtrDeviceBuffer host; /* pinned: where the result comes back */
  uint64_t generation;  /* counts the changes of the above */
  uint32_t closed_capacity, capacity;

  Plan plans[PLANS];
  Plan *current;       /* of the last image queued */
  uint64_t frames;     /* launched so far */
  CudaSession session; /* its own stream is also the one to capture in */
  uint32_t last_count; /* rows of the last result: how many to fetch before the count is known */
};

size_t
carve_fixed (CcaFrame *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->counters = c.take<CcaCounters> (1);
  f->hard_taken = c.take<uint32_t> (HARD_PLACES);
  f->hard_labels = c.take<uint32_t> ((size_t) HARD_PLACES * 4 * (HARD_LABELS + 1));
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
  ArenaLayout c = {base, 0};
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
  input_stage_init (&cca->input);
  cca->host.pinned = true;
  if (!cuda_session_open (&cca->session, "preparing a component analyser", error)) {
    free (cca);
    return NULL;
  }
  /* Before CUDA 12.3, graphs cannot capture programmatic dependent launches. */
  cca->session.overlap = cca->session.overlap && CUDART_VERSION >= 12030;
  return cca;
}

/* Gives all memory back; the next frame starts afresh. Nothing may be under way. */
void
release_memory (Cca *cca)
{
  input_stage_free (&cca->input);
  CtrDeviceBuffer *const buffers[] = {
      &cca->fixed, &cca->closed, &cca->result, &cca->runs, &cca->labels, &cca->moments, &cca->grey, &cca->host};
  for (CtrDeviceBuffer *buffer : buffers)
    ctr_device_buffer_free (buffer);
  cca->generation++;
  cca->current = NULL;
  cca->capacity = cca->closed_capacity = 0;
}

void
cca_destroy (void *state)
{
  Cca *cca = (Cca *) state;
  if (cca->session.stream)
    cudaStreamSynchronize (cca->session.stream);
  for (Plan &plan : cca->plans)
    if (plan.graph)
      cudaGraphExecDestroy (plan.graph);
  cuda_session_close (&cca->session);
  release_memory (cca);
  free (cca);
}

/* At least SIZE bytes; a change makes all plans invalid. *FRESH (may be NULL): the memory is new. That of the result
 * then has to be cleared, as rows are fetched before their number is known. */
bool
grow (Cca *cca, CtrDeviceBuffer *buffer, size_t size, bool *fresh, CtrError *error)
{
  const bool grows = size > buffer->size;
  if (fresh)
    *fresh = grows;
  if (!grows)
    return true;
  cca->generation++;
  return ctr_device_buffer_reserve (buffer, size, error);
}

/* Memory for the plan's image, and for at least the capacities so far. Sets all of the plan's frame but the plane. */
bool
reserve (Cca *cca, Plan *plan, CtrError *error)
{
  const CtrImage *image = &plan->job.image;
  const CtrCcaParams *params = &plan->job.params;
  CcaFrame *f = &plan->frame;
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
  /* Without area limits a closed component is a row: then a table that is large enough is also complete. */
  if (cca->closed_capacity < cca->capacity)
    cca->closed_capacity = cca->capacity;
  bool fresh;
  if (!input_stage_reserve (&cca->input, image, params->foreground.mode, &fresh, error))
    return false;
  cca->generation += fresh;

  if (!grow (cca, &cca->fixed, carve_fixed (f, NULL), &fresh, error))
    return false;
  carve_fixed (f, (uint8_t *) cca->fixed.data);
  /* First in every layout; each frame leaves them at zero for the next. */
  if (fresh)
    CTR_CUDA (
        cudaMemsetAsync (f->counters, 0, (uint8_t *) f->hard_labels - (uint8_t *) f->counters, cca->session.stream));

  if (!grow (cca, &cca->closed, cca->closed_capacity * sizeof (uint4), NULL, error)
      || !grow (cca, &cca->result, HEADER_SIZE + cca->capacity * sizeof (CtrComponent), &fresh, error))
    return false;
  if (fresh)
    CTR_CUDA (cudaMemsetAsync (cca->result.data, 0, cca->result.size, cca->session.stream));
  f->closed = (uint4 *) cca->closed.data;
  f->closed_capacity = cca->closed_capacity;
  f->header = (CcaHeader *) cca->result.data;
  f->table = (CtrComponent *) ((uint8_t *) cca->result.data + HEADER_SIZE);
  f->capacity = cca->capacity;

  if (params->features) {
    if (!grow (cca, &cca->runs, carve_runs (f, NULL), NULL, error))
      return false;
    carve_runs (f, (uint8_t *) cca->runs.data);
  }
  if (params->features & CTR_FEATURE_LABELS) {
    if (!grow (cca, &cca->labels, pixels * sizeof (uint32_t), NULL, error))
      return false;
    f->labels = (uint32_t *) cca->labels.data;
  }
  if (params->features & CTR_FEATURE_MOMENTS) {
    if (!grow (cca, &cca->moments, cca->capacity * sizeof (CtrComponentMoments), &fresh, error))
      return false;
    if (fresh)
      CTR_CUDA (cudaMemsetAsync (cca->moments.data, 0, cca->moments.size, cca->session.stream));
    f->moments = (CtrComponentMoments *) cca->moments.data;
  }
  if (params->features & CTR_FEATURE_GREY) {
    if (!grow (cca, &cca->grey, cca->capacity * sizeof (CtrComponentGrey), &fresh, error))
      return false;
    if (fresh)
      CTR_CUDA (cudaMemsetAsync (cca->grey.data, 0, cca->grey.size, cca->session.stream));
    f->grey = (CtrComponentGrey *) cca->grey.data;
  }
  return true;
}

bool
queue_kernels (Cca *cca, Plan *plan, cudaStream_t stream, CtrError *error)
{
  CcaFrame *f = &plan->frame;
  const CtrCcaParams *params = &plan->job.params;
  CtrImage plane;
  if (!input_stage_plane (&cca->input, &plan->job.image, &plane, stream, error))
    return false;
  f->pixels = (const uint8_t *) plane.data;
  f->stride = plane.stride;
  f->depth = plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  f->threshold_device = NULL;
  if (params->foreground.mode == CTR_THRESHOLD_OTSU
      && !input_stage_otsu (&cca->input, &plane, &f->threshold_device, stream, error))
    return false;
  cca_launch_tiles (*f, params->connectivity, params->features != 0, stream);
  cca_launch_merge (*f, params->connectivity, cca->session.overlap, stream);
  if (params->features)
    cca_launch_features (*f, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

bool
limits_area (const CtrCcaParams *params)
{
  return params->min_area > 1 || params->max_area;
}

/* Jobs of one shape have the same kernels, in the same order. */
bool
same_shape (const Job *a, const Job *b)
{
  return a->image.format == b->image.format && a->image.memory == b->image.memory
         && a->params.foreground.mode == b->params.foreground.mode && a->params.connectivity == b->params.connectivity
         && !a->params.features == !b->params.features && limits_area (&a->params) == limits_area (&b->params);
}

/* Captures the plan's work, in our own stream: while a stream that the default one waits for is captured, as the
 * caller's may be, the default one must not be used by any thread. FORMER (may be NULL): the job its graph was built
 * for; a graph of the same shape takes over new pointers and sizes, which is several times faster than a new one. */
bool
build_graph (Cca *cca, Plan *plan, const Job *former, CtrError *error)
{
  CTR_CUDA (cudaStreamBeginCapture (cca->session.own_stream, cudaStreamCaptureModeThreadLocal));
  bool queued = queue_kernels (cca, plan, cca->session.own_stream, error);
  cudaGraph_t captured = NULL;
  cudaError_t status = cudaStreamEndCapture (cca->session.own_stream, &captured);
  if (queued && status == cudaSuccess) {
    bool updated = false;
    if (plan->graph && former && same_shape (&plan->job, former)) {
#if CUDART_VERSION >= 12000
      cudaGraphExecUpdateResultInfo info;
      updated = cudaGraphExecUpdate (plan->graph, captured, &info) == cudaSuccess;
#else
      cudaGraphExecUpdateResult result;
      updated = cudaGraphExecUpdate (plan->graph, captured, NULL, &result) == cudaSuccess;
#endif
    }
    if (!updated) {
      cudaGetLastError ();
      if (plan->graph)
        cudaGraphExecDestroy (plan->graph);
      plan->graph = NULL;
#if CUDART_VERSION >= 12000
      status = cudaGraphInstantiate (&plan->graph, captured, 0);
#else
      status = cudaGraphInstantiate (&plan->graph, captured, NULL, NULL, 0);
#endif
    }
  }
  if (captured)
    cudaGraphDestroy (captured);
  if (!queued)
    return false;
  return status == cudaSuccess || ctr_cuda_fail (error, status, "building the frame's graph of kernels");
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

/* Makes the plan for JOB current: one that is there, or the one longest unused, made anew. */
bool
make_current (Cca *cca, const Job *job, CtrError *error)
{
  Plan *oldest = &cca->plans[0];
  for (Plan &plan : cca->plans) {
    if (plan.graph && plan.generation == cca->generation && same_job (&plan.job, job)) {
      cca->current = &plan;
      return true;
    }
    if (plan.used < oldest->used)
      oldest = &plan;
  }
  /* Memory may move: nothing may be under way that uses it. */
  CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
  const Job former = oldest->job;
  oldest->job = *job;
  oldest->generation = 0;
  if (!reserve (cca, oldest, error) || !build_graph (cca, oldest, &former, error)) {
    release_memory (cca); /* a smaller frame may fit, and must not ask for as much again */
    return false;
  }
  oldest->generation = cca->generation;
  cca->current = oldest;
  return true;
}

bool
launch (Cca *cca, CtrError *error)
{
  cca->current->used = ++cca->frames;
  CTR_CUDA (cudaGraphLaunch (cca->current->graph, cca->session.stream));
  return true;
}

bool
queue_job (Cca *cca, const Job *job, CtrError *error)
{
  if (!make_current (cca, job, error))
    return false;
  if (job->image.memory == CTR_MEMORY_HOST) {
    /* The last frame may still be on its way up from the same memory. */
    CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
    input_stage_stage (&cca->input, &job->image);
  }
  return launch (cca, error);
}

bool
cca_enqueue (void *state, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  Cca *cca = (Cca *) state;
  const Job job = {*image, *params};
  if (!cuda_session_begin_in_order (&cca->session, stream, error))
    return false;
  if (queue_job (cca, &job, error))
    return true;
  cuda_session_end (&cca->session, false);
  return false;
}

uint32_t
rows_to_guess (const Cca *cca)
{
  uint32_t rows = cca->last_count + cca->last_count / 8;
  rows = rows < 256 ? 256 : rows > MOST_ROWS_AT_ONCE ? MOST_ROWS_AT_ONCE : rows;
  return rows < cca->capacity ? rows : cca->capacity;
}

/* The pinned memory a result comes back to, ROWS of each array and all labels. */
struct Arrival {
  size_t moments, grey, labels, end; /* bytes from the start; header and table come first */
};

Arrival
plan_arrival (const CcaFrame *f, uint32_t rows)
{
  auto after = [] (size_t at, size_t bytes) { return (at + bytes + 255) / 256 * 256; };
  Arrival a;
  a.moments = after (HEADER_SIZE, rows * sizeof (CtrComponent));
  a.grey = after (a.moments, f->moments ? rows * sizeof (CtrComponentMoments) : 0);
  a.labels = after (a.grey, f->grey ? rows * sizeof (CtrComponentGrey) : 0);
  a.end = after (a.labels, f->labels ? (size_t) f->width * f->height * sizeof (uint32_t) : 0);
  return a;
}

/* Fetches the result with as many rows as it probably has, waits (once, as a rule), and grows and redoes the frame
 * until all fits. On return the pinned memory holds *ROWS rows. */
bool
fetch_result (Cca *cca, uint32_t *rows, CtrError *error)
{
  for (;;) {
    const CcaFrame *f = &cca->current->frame;
    *rows = rows_to_guess (cca);
    const Arrival at = plan_arrival (f, *rows);
    if (!ctr_device_buffer_reserve (&cca->host, at.end, error))
      return false;
    uint8_t *host = (uint8_t *) cca->host.data;
    CTR_CUDA (cudaMemcpyAsync (
        host, f->header, HEADER_SIZE + *rows * sizeof (CtrComponent), cudaMemcpyDeviceToHost, cca->session.stream));
    if (f->moments)
      CTR_CUDA (cudaMemcpyAsync (
          host + at.moments, f->moments, *rows * sizeof *f->moments, cudaMemcpyDeviceToHost, cca->session.stream));
    if (f->grey)
      CTR_CUDA (cudaMemcpyAsync (
          host + at.grey, f->grey, *rows * sizeof *f->grey, cudaMemcpyDeviceToHost, cca->session.stream));
    if (f->labels)
      CTR_CUDA (cudaMemcpyAsync (host + at.labels, f->labels, (size_t) f->width * f->height * sizeof *f->labels,
          cudaMemcpyDeviceToHost, cca->session.stream));
    CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
    const CcaHeader header = *(const CcaHeader *) host;
    cca->last_count = header.count;
    if (header.count <= cca->capacity && header.closed <= cca->closed_capacity)
      return true;
    if (header.count > cca->capacity)
      cca->capacity = header.count + header.count / 4;
    if (header.closed > cca->closed_capacity)
      cca->closed_capacity = header.closed + header.closed / 4;
    const Job job = cca->current->job;
    cca->generation++; /* no plan has this much room */
    if (!make_current (cca, &job, error) || !launch (cca, error))
      return false;
  }
}

/* SIZE bytes from the device to ordinary host memory, through the pinned memory in pieces; what was there is lost. */
bool
fetch (Cca *cca, const void *to, const void *from, size_t size, CtrError *error)
{
  const size_t piece = (size_t) 8 << 20;
  if (!ctr_device_buffer_reserve (&cca->host, size < piece ? size : piece, error))
    return false;
  for (size_t done = 0; done < size;) {
    size_t n = size - done < cca->host.size ? size - done : cca->host.size;
    CTR_CUDA (cudaMemcpyAsync (
        cca->host.data, (const uint8_t *) from + done, n, cudaMemcpyDeviceToHost, cca->session.stream));
    CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
    memcpy ((uint8_t *) to + done, cca->host.data, n);
    done += n;
  }
  return true;
}

/* The pending image's result, from the device. */
CtrComponents *
take_result (Cca *cca, CtrError *error)
{
  uint32_t rows;
  if (!fetch_result (cca, &rows, error))
    return NULL;
  const CtrCcaParams *params = &cca->current->job.params;
  const CcaFrame *f = &cca->current->frame;
  const uint8_t *host = (const uint8_t *) cca->host.data;
  const CcaHeader header = *(const CcaHeader *) host;
  CtrComponents *result = ctr_components_alloc (f->width, f->height, header.count, params->features, error);
  if (!result)
    return NULL;
  result->threshold = header.threshold;
  result->connectivity = params->connectivity;
  const Arrival at = plan_arrival (f, rows);
  const uint32_t have = header.count < rows ? header.count : rows, missing = header.count - have;
  memcpy ((void *) result->table, host + HEADER_SIZE, have * sizeof *result->table);
  if (result->moments)
    memcpy ((void *) result->moments, host + at.moments, have * sizeof *result->moments);
  if (result->grey)
    memcpy ((void *) result->grey, host + at.grey, have * sizeof *result->grey);
  if (result->labels)
    memcpy ((void *) result->labels, host + at.labels, (size_t) f->width * f->height * sizeof *result->labels);
  /* Many more than in the frame before: the rest, now that their number is known. */
  bool ok = fetch (cca, result->table + have, f->table + have, missing * sizeof *result->table, error);
  if (result->moments)
    ok = ok && fetch (cca, result->moments + have, f->moments + have, missing * sizeof *result->moments, error);
  if (result->grey)
    ok = ok && fetch (cca, result->grey + have, f->grey + have, missing * sizeof *result->grey, error);
  if (ok)
    return result;
  ctr_components_unref (result);
  return NULL;
}

CtrComponents *
cca_finish (void *state, CtrError *error)
{
  Cca *cca = (Cca *) state;
  CtrComponents *result = take_result (cca, error);
  cuda_session_end (&cca->session, result);
  return result;
}

bool
cca_get_device_result (void *state, CtrDeviceComponents *result, CtrError *error)
{
  Cca *cca = (Cca *) state;
  if (!cca->current)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image was queued: call ctr_cca_enqueue() first");
  const CcaFrame *frame = &cca->current->frame;
  *result = {frame->table, &frame->header->count, frame->labels, frame->capacity};
  return true;
}

} // namespace

extern "C" const CtrCcaOps ctr_cca_ops_cuda = {cca_create, cca_destroy, cca_enqueue, cca_finish, cca_get_device_result};
