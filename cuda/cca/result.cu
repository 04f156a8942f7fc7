/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Brings results to the host, and repeats frames whose results outgrew their memory. */
#include "cuda/cca/analyser.cuh"

#include "core/results/components.h"
#include "cuda/common/ptx.cuh"

#include <string.h>

namespace
{

constexpr const char *WORK = "analysing components";
/* Rows. More are fetched when they are asked for: nobody may do so, and they take as long on the bus as the analysis. */
constexpr uint32_t MOST_DELIVERED = 1 << 14;
constexpr int DELIVERY_CTAS = 64;
constexpr uint32_t BACKGROUND_WORDS = sizeof (BackgroundSums) / 4;

template <typename Word>
__device__ inline void
write_rows (uint8_t *to, const void *from, uint32_t rows, size_t row_size)
{
  const size_t words = rows * (row_size / sizeof (Word));
  for (size_t i = (size_t) blockIdx.x * DELIVERY_THREADS + threadIdx.x; i < words;
       i += (size_t) DELIVERY_CTAS * DELIVERY_THREADS)
    ((Word *) to)[i] = ((const Word *) from)[i];
}

/* Writes header and rows to HOST, and sets FLAG behind them, unless the emit kernel has done so. */
__global__ void
__launch_bounds__ (DELIVERY_THREADS) delivery_kernel (const __grid_constant__ CcaKernelArgs f, uint8_t *host,
    const CcaDelivered at, uint32_t *flag, const PictureCopy copy)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const CcaHeader header = *f.header;
  if (is_early (f, header))
    return;
  const uint32_t rows = header.rows_complete && header.count <= at.rows ? header.count : 0;
  /* Without rows one CTA writes the header, and waits for no other. */
  const uint32_t ctas = rows || f.by_edge_pixel.labels ? DELIVERY_CTAS : 1;
  if (blockIdx.x < ctas) {
    write_rows<uint4> (host + at.table, f.table.components, rows, sizeof (CtrComponent));
    if (f.by_table_row.moments)
      write_rows<uint2> (host + at.moments, f.by_table_row.moments, rows, sizeof (CtrComponentMoments));
    if (f.by_table_row.grey)
      write_rows<uint2> (host + at.grey, f.by_table_row.grey, rows, sizeof (CtrComponentGrey));
    if (f.by_table_row.percentiles)
      write_rows<uint4> (host + at.percentiles, f.by_table_row.percentiles, rows, sizeof (CtrComponentPercentiles));
    if (f.by_table_row.inscribed)
      write_rows<uint2> (host + at.inscribed, f.by_table_row.inscribed, rows, sizeof (CtrComponentInscribed));
    if (f.by_table_row.contrast)
      write_rows<uint4> (host + at.contrast, f.by_table_row.contrast, rows, sizeof (CtrComponentContrast));
    if (f.by_table_row.skeleton)
      write_rows<uint4> (host + at.skeleton, f.by_table_row.skeleton, rows, sizeof (CtrComponentSkeleton));
    if (f.by_edge_pixel.labels && header.rows_complete)
      write_rows<uint2> (host + at.edges, f.by_edge_pixel.labels, f.width, 2 * sizeof (uint32_t));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *(CcaHeader *) host = header;
      for (uint32_t i = 0; f.background && i < BACKGROUND_WORDS; i++)
        ((uint32_t *) (host + CCA_HEADER_BACKGROUND))[i] = ((const volatile uint32_t *) f.background)[i];
    }
    __syncthreads ();
    if (threadIdx.x == 0) {
      fence_system ();
      if (ctas == 1 || atomicAdd (&f.counters->delivered, 1) == ctas - 1) {
        f.counters->delivered = 0;
        for (uint32_t i = 0; f.background && i < BACKGROUND_WORDS; i++)
          ((volatile uint32_t *) f.background)[i] = 0; /* The CTA that reads it has counted itself as well. */
        if (ctas > 1)
          fence_system ();
        *(volatile uint32_t *) flag = 1;
      }
    }
  }
  if (copy.from && !header.rows_complete)
    delivery_keep (copy);
}

/* Makes room for the queued frame, or takes it away from the kernel that has none, and queues it again. Its picture may have changed. */
bool
queue_again (CcaAnalyser *cca, const CcaHeader &header, CtrError *error)
{
  cca->session.was_incomplete = true;
  if (!cuda_session_wait_for_mark (&cca->session, WORK, error) || !cuda_session_wait_for_readers (&cca->session, error))
    return false;
  CcaFrameKey key = cca->current->key;
  if (header.too_many == TOO_MANY_FOR_DIRECT)
    key.direct = false;
  else if (header.too_many)
    key.whole = key.direct = false;
  else if (header.count > cca->capacity)
    cca->capacity = ctr_with_spare (header.count);
  if (header.closed > cca->closed_capacity)
    cca->closed_capacity = ctr_with_spare (header.closed);
  /* Nothing of an image with regions is read again. */
  if (!key.params.foreground.regions)
    key.image = delivery_image (cca->current->copy, &cca->current->view.plane);
  input_stage_reuse (&cca->input, cca->current->view);
  cca_know_mask (cca, &key);
  cca->generation++; /* the cached graphs use too little memory */
  return cca_select_graph (cca, &key, error) && cuda_session_start_clock (&cca->session, error)
         && cca_launch_graph (cca, error);
}

/* A kernel had no room for the frame, or was slow: others take the next ones. */
void
rest (CcaRest *r)
{
  constexpr uint32_t shortest = 16, longest = 512;
  r->length = r->fitted >= r->length ? shortest : min (2 * r->length, longest);
  r->left = r->length;
  r->fitted = 0;
}

/* Copies SIZE bytes from the device to pageable host memory, in pieces through pinned memory. */
bool
fetch (CcaAnalyser *cca, const void *to, const void *from, size_t size, CtrError *error)
{
  const size_t piece = (size_t) 8 << 20;
  /* The emit kernel may tell the host of rows before it has written them, and in another stream. */
  CTR_CUDA (cudaStreamWaitEvent (cca->session.stream, cca->session.done, 0));
  if (!ctr_device_buffer_reserve (&cca->host, size < piece ? size : piece, error))
    return false;
  for (size_t done = 0; done < size;) {
    size_t n = size - done < cca->host.size ? size - done : cca->host.size;
    CTR_CUDA (cudaMemcpyAsync (
        cca->host.data, (const uint8_t *) from + done, n, cudaMemcpyDeviceToHost, cca->session.stream));
    if (!cuda_session_wait (&cca->session, WORK, error))
      return false;
    memcpy ((uint8_t *) to + done, cca->host.data, n);
    done += n;
  }
  return true;
}

/* Copies COUNT rows: from where they have been delivered, or else from the device. */
template <typename Row>
bool
take_rows (CcaAnalyser *cca, const Row *to, const Row *device, size_t at, uint32_t count, CtrError *error)
{
  if (!to || !count)
    return true;
  const CcaCachedGraph *frame = cca->current;
  if (count > cca->delivered_rows || (frame->args.emits_last && !cca_emits_by_bands (frame->args, frame->key.few)))
    return fetch (cca, to, device, count * sizeof *to, error);
  memcpy ((void *) to, (const uint8_t *) delivery_header (&cca->delivery) + at, count * sizeof *to);
  return true;
}

CtrComponent
take_background (const CcaAnalyser *cca, const CtrCcaParams *params)
{
  const BackgroundSums s =
      *(const BackgroundSums *) ((const uint8_t *) delivery_header (&cca->delivery) + CCA_HEADER_BACKGROUND);
  CtrComponent c = {};
  if (s.area) {
    const uint32_t width = cca->current->args.width, first = ~s.not_first, left = ~s.not_left;
    c.sum_x = s.sum_x;
    c.sum_y = s.sum_y;
    c.area = s.area;
    c.left = (uint16_t) left;
    c.top = (uint16_t) (first / width);
    c.width = (uint16_t) (s.right - left + 1);
    c.height = (uint16_t) (s.bottom - first / width + 1);
    c.start_x = (uint16_t) (first % width);
  }
  if (params->mode == CTR_COMPONENTS_EQUAL && params->background >= 0)
    c.value = (uint16_t) params->background;
  return c;
}

} // namespace

CcaDelivered
cca_delivered (const CcaKernelArgs *f, uint32_t rows)
{
  auto after = [] (size_t at, size_t bytes) { return (at + bytes + 255) / 256 * 256; };
  CcaDelivered at = {};
  at.rows = rows;
  at.table = after (0, sizeof (CcaHeader));
  at.moments = after (at.table, rows * sizeof (CtrComponent));
  at.grey = after (at.moments, f->by_table_row.moments ? rows * sizeof (CtrComponentMoments) : 0);
  at.percentiles = after (at.grey, f->by_table_row.grey ? rows * sizeof (CtrComponentGrey) : 0);
  at.inscribed = after (at.percentiles, f->by_table_row.percentiles ? rows * sizeof (CtrComponentPercentiles) : 0);
  at.contrast = after (at.inscribed, f->by_table_row.inscribed ? rows * sizeof (CtrComponentInscribed) : 0);
  at.skeleton = after (at.contrast, f->by_table_row.contrast ? rows * sizeof (CtrComponentContrast) : 0);
  at.edges = after (at.skeleton, f->by_table_row.skeleton ? rows * sizeof (CtrComponentSkeleton) : 0);
  at.end = after (at.edges, f->by_edge_pixel.labels ? 2 * (size_t) f->width * sizeof (uint32_t) : 0);
  return at;
}

void
cca_launch_delivery (const CcaKernelArgs &f, const Delivery *delivery, uint32_t rows, const PictureCopy &copy,
    bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, delivery_kernel, DELIVERY_CTAS, DELIVERY_THREADS, 0, stream, f,
      (uint8_t *) delivery_header (delivery), cca_delivered (&f, rows), delivery_flag (delivery), copy);
}

bool
cca_wait_for_result (CcaAnalyser *cca, CcaHeader *header, CtrError *error)
{
  for (;;) {
    if (!(cca->overtakes ? cuda_session_wait_for_mark (&cca->session, WORK, error)
                         : cuda_session_wait_for_flags (
                             &cca->session, delivery_flag (&cca->delivery), cca->current->flags, WORK, error)))
      return false;
    *header = *(const CcaHeader *) delivery_header (&cca->delivery);
    if (header->too_many)
      rest (header->too_many == TOO_MANY_FOR_DIRECT ? &cca->direct_rest : &cca->rest);
    else if (header->count <= cca->capacity && header->closed <= cca->closed_capacity)
      return true;
    if (!queue_again (cca, *header, error))
      return false;
  }
}

CtrComponents *
cca_take_result (CcaAnalyser *cca, CtrError *error)
{
  CcaHeader header;
  if (!cca_wait_for_result (cca, &header, error))
    return NULL;
  const CtrCcaParams *params = &cca->current->key.params;
  const CcaKernelArgs *f = &cca->current->args;
  CtrComponents *result = ctr_components_alloc (
      f->regions.width, f->regions.height, header.count, ctr_cca_features (params) & ~CTR_FEATURE_LABELS, error);
  if (!result)
    return NULL;
  cca->likely_count = header.count;
  const uint32_t tiles = f->tiles_x * f->tiles_y;
  cca->run_count = header.runs;
  const bool direct = cca->current->strips.direct;
  cca->was_crowded = !direct && header.crowded > tiles / 2;
  cca->had_few = tiles > SMALL_FRAME && max (header.count, header.all_rows) <= FEW_COMPONENTS * tiles;
  if (cca->current->strips.ctas)
    cca->rest.fitted++;
  else if (cca->rest.left)
    cca->rest.left--;
  if (direct && header.crowded > CCA_MOST_PAIRS)
    rest (&cca->direct_rest);
  else if (direct)
    cca->direct_rest.fitted++;
  else if (cca->direct_rest.left)
    cca->direct_rest.left--;
  cca->used = max (cca->used, max (header.count, header.all_rows));
  cca->used_closed = max (cca->used_closed, header.closed);
  cca->period_ended |= ctr_room_period_ends (&cca->period);
  result->threshold = header.threshold;
  result->connectivity = params->connectivity;
  if (f->background)
    result->background = take_background (cca, params);
  const CcaDelivered at = cca_delivered (f, cca->delivered_rows);
  const bool ok =
      take_rows (cca, result->table, (const CtrComponent *) f->table.components, at.table, header.count, error)
      && take_rows (
          cca, result->moments, (const CtrComponentMoments *) f->by_table_row.moments, at.moments, header.count, error)
      && take_rows (cca, result->grey, (const CtrComponentGrey *) f->by_table_row.grey, at.grey, header.count, error)
      && take_rows (cca, result->percentiles, (const CtrComponentPercentiles *) f->by_table_row.percentiles,
          at.percentiles, header.count, error)
      && take_rows (cca, result->inscribed, (const CtrComponentInscribed *) f->by_table_row.inscribed, at.inscribed,
          header.count, error)
      && take_rows (cca, result->contrast, (const CtrComponentContrast *) f->by_table_row.contrast, at.contrast,
          header.count, error)
      && take_rows (cca, result->skeleton, (const CtrComponentSkeleton *) f->by_table_row.skeleton, at.skeleton,
          header.count, error);
  if (f->by_edge_pixel.labels)
    memcpy ((void *) result->labels, (const uint8_t *) delivery_header (&cca->delivery) + at.edges,
        2 * (size_t) f->width * sizeof *result->labels);
  if (header.count > cca->delivered_rows && header.count <= MOST_DELIVERED) {
    cca->delivered_rows = min (ctr_with_spare (header.count), MOST_DELIVERED);
    cca->generation++; /* The cached graphs deliver fewer rows. */
  }
  if (ok && params->features & CTR_FEATURE_LABELS) {
    label_slot_publish (cca->label_slot, result);
    cca->label_slot = NULL;
  }
  if (ok)
    return result;
  ctr_components_unref (result);
  return NULL;
}
