/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analyser's device memory, and the CUDA graphs that use it. A graph holds the addresses of the image and of all
 * buffers: it is reused while both stay the same. Longer than 500 lines: what a frame asks for decides its memory, its kernels and
 * whether a graph fits, and has to be the same in all three. */
#include "cuda/cca/analyser.cuh"

#include <string.h>

namespace
{

constexpr uint32_t MIN_CAPACITY = 1024; /* rows */
static_assert (MIN_CAPACITY >= EARLY_ROWS, "the host has room for the rows that the emit kernel writes there");
constexpr uint32_t MOST_WHOLE_TILES = 2048; /* of a frame of strips */
/* Of so many frames in bands each has a number of its own. Emulated tests have another number. */
#ifndef CTR_CCA_BAND_FRAMES
#define CTR_CCA_BAND_FRAMES (1u << 31)
#endif
constexpr uint32_t MOST_BAND_FRAMES = CTR_CCA_BAND_FRAMES;

size_t
lay_out_tiles (CcaKernelArgs *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->counters = c.take<CcaCounters> (1);
  f->by_overflow_slot.taken = c.take<uint32_t> (OVERFLOW_SLOTS);
  f->by_overflow_slot.labels = c.take<uint32_t> ((size_t) OVERFLOW_SLOTS * 4 * (OVERFLOW_LABELS + 1));
  f->by_tile.headers = c.take<TileHeader> (tiles);
  f->by_tile.borders = c.take<TileBorder> (tiles);
  f->by_tile.lone = c.take<TileLoneRuns> (tiles);
  f->by_tile_row.starts = c.take<unsigned long long> (tiles * TILE_H);
  f->by_open_component.parents = c.take<OpenKey> (tiles * MAX_OPEN_COMPONENTS);
  f->by_open_component.sums = c.take<OpenSums> (tiles * MAX_OPEN_COMPONENTS);
  f->by_tile_row.table_rows = c.take<uint32_t> (tiles * TILE_H);
  f->by_image_row.counts = c.take<uint8_t> (tiles * TILE_H);
  f->by_band.counts = c.take<unsigned long long> (f->tiles_y);
  return c.used;
}

size_t
lay_out_runs (CcaKernelArgs *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->by_word.foreground = c.take<uint32_t> (tiles * TILE_THREADS);
  f->by_run_slot.refs = c.take<uint16_t> (tiles * TILE_SLOTS);
  f->by_open_root.labels = c.take<uint32_t> (tiles * MAX_OPEN_COMPONENTS);
  return c.used;
}

/* Before memory moves: all cached graphs become invalid. Queued work may still use it. */
bool
invalidate (CcaAnalyser *cca, CtrError *error)
{
  cca->generation++;
  CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
  return true;
}

/* Makes BUFFER at least SIZE bytes large. */
bool
grow (CcaAnalyser *cca, CtrDeviceBuffer *buffer, size_t size, CtrError *error)
{
  return (size <= buffer->size || invalidate (cca, error)) && ctr_device_buffer_reserve (buffer, size, error);
}

/* As grow(); clears new memory: so what is loaded early, such as rows of a result before their number is known, has been written. */
bool
grow_cleared (CcaAnalyser *cca, CtrDeviceBuffer *buffer, size_t size, CtrError *error)
{
  return (size <= buffer->size || invalidate (cca, error))
         && ctr_device_buffer_reserve_clear (buffer, size, cca->session.stream, error);
}

bool
is_equal (const CcaFrameKey *key)
{
  return key->params.mode == CTR_COMPONENTS_EQUAL;
}

/* Will the feature kernel follow? */
bool
keeps_runs (const CcaFrameKey *key)
{
  return !is_equal (key)
         && key->params.features
                & (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_EDGES
                    | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON);
}

/* Is the table all that is asked for? */
bool
is_plain (const CcaFrameKey *key)
{
  return !is_equal (key) && !key->params.features && !key->params.select.count
         && !input_has_regions (cca_need (&key->params));
}

/* Sets all arguments that do not point to memory. */
void
describe_frame (const CcaAnalyser *cca, const CcaFrameKey *key, CcaKernelArgs *f)
{
  *f = CcaKernelArgs ();
  f->width = f->regions.width = key->image.width;
  f->height = f->regions.height = key->image.height;
  input_regions_describe (&cca->input, cca_need (&key->params), f);
  f->tiles_x = ctr_div_up (f->width, TILE_W);
  f->tiles_y = ctr_div_up (f->height, TILE_H);
  f->threshold = ctr_foreground_given_threshold (&key->params.foreground);
  f->min_area = key->params.min_area;
  f->max_area = key->params.max_area;
  f->by_pixel.labels = key->labels;
}

bool
reserve_tiles (CcaAnalyser *cca, CcaKernelArgs *f, CtrError *error)
{
  /* The arrays that come first in the layout start at zero, and each frame resets them for the next one. Of borders and starts more is
   * loaded than a tile may have written: before it is known whether that is needed. */
  if (!grow_cleared (cca, &cca->tiles, lay_out_tiles (f, NULL), error))
    return false;
  lay_out_tiles (f, (uint8_t *) cca->tiles.data);
  return true;
}

bool
reserve_components (CcaAnalyser *cca, CcaKernelArgs *f, CtrError *error)
{
  const size_t pixels = (size_t) f->width * f->height;
  const uint32_t rows = (uint32_t) (pixels / 64 > MIN_CAPACITY ? pixels / 64 : MIN_CAPACITY);
  cca->least_capacity = max (cca->least_capacity, rows);
  if (cca->capacity < rows)
    cca->capacity = rows;
  /* Without area limits every closed component is a row: a table with room for all rows needs as many records. */
  if (cca->closed_capacity < cca->capacity)
    cca->closed_capacity = cca->capacity;
  if (!grow (cca, &cca->closed, cca->closed_capacity * sizeof (uint4), error)
      || !grow_cleared (cca, &cca->result, CCA_HEADER_SIZE + cca->capacity * sizeof (CtrComponent), error))
    return false;
  f->closed.records = (uint4 *) cca->closed.data;
  f->closed.capacity = cca->closed_capacity;
  f->header = (CcaHeader *) cca->result.data;
  f->numbers = (CtrDeviceNumbers *) ((uint8_t *) cca->result.data + CCA_HEADER_SIZE / 2);
  f->table.components = (CtrComponent *) ((uint8_t *) cca->result.data + CCA_HEADER_SIZE);
  f->table.capacity = cca->capacity;
  return true;
}

bool
reserve_features (CcaAnalyser *cca, CcaKernelArgs *f, uint32_t features, bool keep_runs, CtrError *error)
{
  if (keep_runs) {
    if (!grow (cca, &cca->runs, lay_out_runs (f, NULL), error))
      return false;
    lay_out_runs (f, (uint8_t *) cca->runs.data);
  }
  if (features & CTR_FEATURE_EDGES) {
    if (!grow (cca, &cca->edges, 2 * (size_t) f->width * sizeof (uint32_t), error))
      return false;
    f->by_edge_pixel.labels = (uint32_t *) cca->edges.data;
  }
  if (features & CTR_FEATURE_MOMENTS) {
    if (!grow_cleared (cca, &cca->moments, cca->capacity * sizeof (CtrComponentMoments), error))
      return false;
    f->by_table_row.moments = (CtrComponentMoments *) cca->moments.data;
  }
  if (features & CTR_FEATURE_GREY) {
    if (!grow_cleared (cca, &cca->grey, cca->capacity * sizeof (CtrComponentGrey), error))
      return false;
    f->by_table_row.grey = (CtrComponentGrey *) cca->grey.data;
  }
  if (features & CTR_FEATURE_CONTRAST) {
    if (!grow_cleared (cca, &cca->contrast, cca->capacity * sizeof (CtrComponentContrast), error))
      return false;
    f->by_table_row.contrast = (CtrComponentContrast *) cca->contrast.data;
  }
  if (features & CTR_FEATURE_BACKGROUND)
    f->background = (BackgroundSums *) ((uint8_t *) cca->result.data + CCA_HEADER_BACKGROUND);
  return true;
}

/* A label image that is not the result's. */
bool
reserve_own_labels (CcaAnalyser *cca, CcaKernelArgs *f, CtrError *error)
{
  if (!grow (cca, &cca->parents, (size_t) f->width * f->height * sizeof (uint32_t), error))
    return false;
  f->by_pixel.labels = (uint32_t *) cca->parents.data;
  return true;
}

/* The memory of percentiles. They need none to sort samples in where those of a component are equal. */
bool
reserve_percentiles (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  CcaKernelArgs *f = &cached->args;
  PercentileArgs *p = &cached->percentiles;
  *p = PercentileArgs ();
  if (!(cached->key.params.features & CTR_FEATURE_PERCENTILES))
    return true;
  if (!grow_cleared (cca, &cca->percentiles, cca->capacity * sizeof (CtrComponentPercentiles), error))
    return false;
  f->by_table_row.percentiles = (CtrComponentPercentiles *) cca->percentiles.data;
  if (is_equal (&cached->key))
    return true;
  if (!grow (cca, &cca->sorted, cca_lay_out_percentiles (f, p, NULL), error))
    return false;
  cca_lay_out_percentiles (f, p, (uint8_t *) cca->sorted.data);
  return true;
}

/* The memory of distances within columns. */
bool
reserve_columns (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  cached->columns = ColumnArgs ();
  if (!(cached->key.params.features & (CTR_FEATURE_INSCRIBED | CTR_FEATURE_SKELETON)))
    return true;
  if (!grow (cca, &cca->columns, cca_lay_out_columns (&cached->args, &cached->columns, NULL), error))
    return false;
  cca_lay_out_columns (&cached->args, &cached->columns, (uint8_t *) cca->columns.data);
  return true;
}

/* The memory of inscribed circles. The label image is there before, of the atlas with regions. */
bool
reserve_inscribed (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  CcaKernelArgs *f = &cached->args;
  InscribedArgs *p = &cached->inscribed;
  *p = InscribedArgs ();
  if (!(cached->key.params.features & CTR_FEATURE_INSCRIBED))
    return true;
  if (!grow_cleared (cca, &cca->inscribed, cca->capacity * sizeof (CtrComponentInscribed), error)
      || !grow (cca, &cca->inscribing, cca_lay_out_inscribed (f, p, NULL), error))
    return false;
  f->by_table_row.inscribed = (CtrComponentInscribed *) cca->inscribed.data;
  cca_lay_out_inscribed (f, p, (uint8_t *) cca->inscribing.data);
  return true;
}

/* The memory of skeletons. The label image is there before. */
bool
reserve_skeletons (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  CcaKernelArgs *f = &cached->args;
  ThinningArgs *t = &cached->thinning;
  *t = ThinningArgs ();
  if (!(cached->key.params.features & CTR_FEATURE_SKELETON))
    return true;
  if (!grow_cleared (cca, &cca->skeleton, cca->capacity * sizeof (CtrComponentSkeleton), error)
      || !grow (cca, &cca->thinning, cca_lay_out_thinning (f, t, NULL), error))
    return false;
  f->by_table_row.skeleton = (CtrComponentSkeleton *) cca->skeleton.data;
  cca_lay_out_thinning (f, t, (uint8_t *) cca->thinning.data);
  return true;
}

/* For limits on numbers. The states come first: they stay where they are cleared. They get a byte a row, which is more than they
 * need, rounded up to whole states: so there is room for one at least, and the labels behind them are aligned. */
bool
reserve_select (CcaAnalyser *cca, CcaKernelArgs *f, CtrError *error)
{
  const size_t states = ((size_t) cca->capacity / sizeof (unsigned long long) + 1) * sizeof (unsigned long long);
  if (!grow_cleared (cca, &cca->select, states + cca->capacity * sizeof (uint32_t), error))
    return false;
  f->select.states = (unsigned long long *) cca->select.data;
  f->select.labels = (uint32_t *) ((uint8_t *) cca->select.data + states);
  return true;
}

/* What components of equal samples need in the place of tiles and runs. */
bool
reserve_values (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  CcaKernelArgs *f = &cached->args;
  ValueArgs *v = &cached->values;
  const bool moments = cached->key.params.features & CTR_FEATURE_MOMENTS;
  uint32_t *labels = cached->key.labels;
  if (!grow (cca, &cca->values, cca_lay_out_values (f, moments, v, NULL), error)
      || (!labels && !grow (cca, &cca->parents, (size_t) f->width * f->height * sizeof (uint32_t), error))
      || !grow_cleared (cca, &cca->counters, sizeof (CcaCounters), error))
    return false;
  cca_lay_out_values (f, moments, v, (uint8_t *) cca->values.data);
  v->background = cached->key.params.background;
  v->parents = labels ? labels : (uint32_t *) cca->parents.data;
  f->counters = (CcaCounters *) cca->counters.data;
  return true;
}

bool
reserve_delivery (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  CcaKernelArgs *f = &cached->args;
  if (cca->delivered_rows < MIN_CAPACITY)
    cca->delivered_rows = MIN_CAPACITY;
  const CcaDelivered at = cca_delivered (f, cca->delivered_rows);
  const InputNeed need = cca_need (&cached->key.params);
  const CtrImage *read = input_needs_samples (need) && !input_has_regions (need) ? &cached->key.image : NULL;
  if (!delivery_has_room (&cca->delivery, read, at.end) && !invalidate (cca, error))
    return false;
  if (!delivery_reserve (&cca->delivery, read, at.end, error))
    return false;
  /* The feature kernel comes after the emit kernel. */
  if (is_plain (&cached->key)) {
    uint8_t *header = (uint8_t *) delivery_header (&cca->delivery);
    static_assert (CTR_MOST_CLUSTER_CTAS * sizeof (uint32_t) <= DELIVERY_HEADER, "a flag a CTA");
    f->host = {delivery_flag (&cca->delivery), (CcaHeader *) header, (CtrComponent *) (header + at.table), at.rows};
  }
  return true;
}

/* The atlas of regions has labels of its own, which move into those of the image. */
bool
reserve_regions (CcaAnalyser *cca, CcaKernelArgs *f, CtrError *error)
{
  f->regions.labels = f->by_pixel.labels;
  return !f->by_pixel.labels || reserve_own_labels (cca, f, error);
}

/* The memory of bands. */
bool
reserve_bands (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  if (!cached->strips.bands)
    return true;
  if (!grow_cleared (cca, &cca->bands, cca_lay_out_bands (&cached->args, NULL), error))
    return false;
  cca_lay_out_bands (&cached->args, (uint8_t *) cca->bands.data);
  return true;
}

/* Memory for CACHED's frame, with at least the capacities so far. Sets all arguments but those of the image. */
bool
reserve (CcaAnalyser *cca, CcaCachedGraph *cached, CtrError *error)
{
  const CcaFrameKey *key = &cached->key;
  const InputNeed need = cca_need (&key->params);
  bool fresh;
  describe_frame (cca, key, &cached->args);
  if (!input_stage_has_room (&cca->input, &key->image, need) && !invalidate (cca, error))
    return false;
  if (!input_stage_reserve (&cca->input, &key->image, need, cca->session.stream, &fresh, error))
    return false;
  const bool equal = is_equal (key);
  cached->strips = StripPlan ();
  if (key->whole && is_plain (key) && cached->args.tiles_x * cached->args.tiles_y <= MOST_WHOLE_TILES)
    cca_plan_whole (cached->args.width, cached->args.height, cca->whole_ctas, key->direct, &cached->strips);
  return (equal || reserve_tiles (cca, &cached->args, error)) && reserve_bands (cca, cached, error)
         && reserve_components (cca, &cached->args, error) && (!equal || reserve_values (cca, cached, error))
         && (!input_has_regions (need) || reserve_regions (cca, &cached->args, error))
         && reserve_features (cca, &cached->args, key->params.features, keeps_runs (key), error)
         && (cached->args.by_pixel.labels || !ctr_cca_needs_labels (&key->params)
             || reserve_own_labels (cca, &cached->args, error))
         && reserve_percentiles (cca, cached, error) && reserve_columns (cca, cached, error)
         && reserve_inscribed (cca, cached, error) && reserve_skeletons (cca, cached, error)
         && (!key->params.select.count || reserve_select (cca, &cached->args, error))
         && reserve_delivery (cca, cached, error);
}

void
queue_select (CcaAnalyser *cca, const CcaCachedGraph *cached, cudaStream_t stream)
{
  const CcaFrameKey *key = &cached->key;
  CtrSelectPlan plan;
  if (!key->params.select.count)
    return;
  ctr_component_select_plan (&key->params.select, &plan);
  cca_launch_select (
      cached->args, plan, key->labels, (uint64_t) key->image.width * key->image.height, cca->session.overlap, stream);
}

bool
queue_kernels (CcaAnalyser *cca, CcaCachedGraph *cached, cudaStream_t stream, CtrError *error)
{
  CcaKernelArgs *f = &cached->args;
  const CtrCcaParams *params = &cached->key.params;
  const CtrImage *plane = &cached->view.plane;
  if (!input_stage_foreground (&cca->input, &cached->key.image, cca_need (params), &cached->view, stream, error))
    return false;
  input_view_describe (cached->view, &params->foreground, f);
  f->samples = {(const uint8_t *) plane->data, plane->stride, plane->format == CTR_FORMAT_GRAY16};
  /* The kernel before may be any other where it is not the histogram. */
  const bool overlap = cca->session.overlap && cca->input.counted;
  const bool has_regions = f->regions.places;
  cached->copy = has_regions ? PictureCopy () : delivery_copy_of (&cca->delivery, &cached->key.image, plane);
  if (f->background)
    cca_launch_background (*f, is_equal (&cached->key), params->background, stream);
  cached->flags = 1;
  if (cached->strips.ctas) {
    cached->flags = cached->strips.ctas;
    cca_launch_whole (*f, cached->strips, params->connectivity, cached->copy, overlap, stream);
    CTR_CUDA (cudaGetLastError ());
    return true;
  }
  const bool equal = is_equal (&cached->key), keep_runs = keeps_runs (&cached->key);
  const bool finishes =
      is_plain (&cached->key) && f->tiles_x * f->tiles_y <= cca_most_tiles_to_finish (cca->finish_ctas);
  StripPlan plan;
  f->counts_runs = is_plain (&cached->key) && cca_plan_whole (f->width, f->height, cca->whole_ctas, false, &plan);
  f->counts_tiles = finishes && cca_has_run_kernel (*f);
  f->emits_last = is_plain (&cached->key) && !finishes && f->tiles_x * f->tiles_y > SMALL_FRAME;
  if (equal)
    cca_launch_values (*f, cached->values, params->connectivity, stream);
  else
    cca_launch_tiles (*f, params->connectivity, keep_runs, cached->key.crowded, overlap && !f->background, stream);
  if (finishes) {
    cached->flags = cca->finish_ctas;
    cca_launch_finish (*f, params->connectivity, cca->finish_ctas, cached->copy, stream);
  } else {
    if (!equal) {
      cca_launch_merge (*f, params->connectivity, cached->key.few, cca->session.overlap, stream);
      cca_launch_emit (*f, cached->key.few, cached->key.crowded, cached->copy, cca->session.overlap, stream);
    }
    if (keep_runs)
      cca_launch_features (*f, stream);
    cca_queue_columns (*f, cached->columns, stream);
    if (!cca_queue_percentiles (*f, cached->percentiles, stream, error)
        || !cca_queue_inscribed (*f, cached->columns, cached->inscribed, stream, error)
        || !cca_queue_skeletons (*f, cached->columns, cached->thinning, stream, error)
        || !cca_queue_contrast (*f, params->ring_width, stream, error)
        || (has_regions && !cca_queue_moves (*f, stream, error)))
      return false;
    queue_select (cca, cached, stream);
    if (!f->emits_last)
      cca_launch_delivery (*f, &cca->delivery, cca->delivered_rows, cached->copy, cca->session.overlap, stream);
  }
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Builds the graph for CACHED's key, unless that is done, or cannot be done: then its kernels are launched. */
void
build_graph (CcaAnalyser *cca, CcaCachedGraph *cached)
{
  if (cached->is_built || cca->without_graphs)
    return;
  cached->is_built = cuda_graph_begin (&cca->session, NULL)
                     && cuda_graph_end (&cached->graph, &cca->session,
                         queue_kernels (cca, cached, cca->session.own_stream, NULL), NULL);
  cca->without_graphs = !cached->is_built;
}

/* Is the chroma of both images in the same place on the device? That of a host image is uploaded. */
bool
has_same_chroma (const CtrImage *image_a, const CtrImage *image_b)
{
  const CtrChroma &a = image_a->chroma, &b = image_b->chroma;
  return a.step == b.step && a.shift_x == b.shift_x && a.shift_y == b.shift_y && a.stride == b.stride
         && a.cr - a.cb == b.cr - b.cb && (image_a->memory == CTR_MEMORY_HOST || a.cb == b.cb);
}

bool
is_same_key (const CcaFrameKey *a, const CcaFrameKey *b)
{
  return a->image.stride == b->image.stride && a->image.width == b->image.width && a->image.height == b->image.height
         && a->image.format == b->image.format
         && a->image.memory == b->image.memory
         /* A host image is uploaded to the same place, whatever its own address. */
         && (a->image.data == b->image.data || a->image.memory == CTR_MEMORY_HOST)
         && ctr_foreground_is_equal (&a->params.foreground, &b->params.foreground)
         && (!ctr_foreground_uses_colour (&a->params.foreground) || has_same_chroma (&a->image, &b->image))
         && a->params.connectivity == b->params.connectivity && a->params.min_area == b->params.min_area
         && a->params.max_area == b->params.max_area && a->params.features == b->params.features
         && memcmp (&a->params.select, &b->params.select, sizeof a->params.select) == 0
         && a->params.mode == b->params.mode && a->params.background == b->params.background
         && a->params.ring_width == b->params.ring_width && a->threshold == b->threshold && a->mask == b->mask
         && a->labels == b->labels && a->crowded == b->crowded && a->few == b->few && a->whole == b->whole
         && a->direct == b->direct;
}

} // namespace

void
cca_set_key (CcaCachedGraph *cached, const CcaFrameKey *key)
{
  CtrRegions *regions = key ? key->params.foreground.regions : NULL, *former = cached->key.params.foreground.regions;
  if (regions)
    ctr_regions_ref (regions);
  ctr_regions_unref (former);
  cached->key = key ? *key : CcaFrameKey ();
}

void
cca_release_memory (CcaAnalyser *cca)
{
  input_stage_free (&cca->input);
  CtrDeviceBuffer *const buffers[] = {&cca->tiles, &cca->closed, &cca->result, &cca->runs, &cca->parents, &cca->edges,
      &cca->bands, &cca->moments, &cca->grey, &cca->percentiles, &cca->sorted, &cca->columns, &cca->inscribed,
      &cca->inscribing, &cca->contrast, &cca->skeleton, &cca->thinning, &cca->select, &cca->host, &cca->values,
      &cca->counters};
  for (CtrDeviceBuffer *buffer : buffers)
    ctr_device_buffer_free (buffer);
  delivery_free (&cca->delivery);
  if (cca->label_slot)
    ctr_device_buffer_free (&cca->label_slot->memory);
  if (cca->label_pool)
    label_pool_trim (cca->label_pool);
  cca->generation++;
  cca->current = NULL;
  cca->capacity = cca->closed_capacity = cca->delivered_rows = 0;
}

static bool
give_back_rows (CcaAnalyser *cca, bool *some, CtrError *error)
{
  const uint32_t capacity = min (cca->capacity, ctr_with_spare (cca->used)),
                 closed = min (cca->closed_capacity, ctr_with_spare (cca->used_closed));
  const size_t row = sizeof (CtrComponent) + (cca->moments.size ? sizeof (CtrComponentMoments) : 0)
                     + (cca->grey.size ? sizeof (CtrComponentGrey) : 0)
                     + (cca->percentiles.size ? sizeof (CtrComponentPercentiles) : 0)
                     + (cca->inscribed.size ? sizeof (CtrComponentInscribed) : 0)
                     + (cca->contrast.size ? sizeof (CtrComponentContrast) : 0)
                     + (cca->skeleton.size ? sizeof (CtrComponentSkeleton) : 0);
  const size_t size = cca->closed.size + cca->result.size + cca->moments.size + cca->grey.size + cca->percentiles.size
                      + cca->inscribed.size + cca->contrast.size + cca->skeleton.size;
  /* A frame has room for so many rows in any case: see reserve_components(). */
  const size_t least = max (capacity, cca->least_capacity);
  if (!ctr_room_is_excess (size, least * row + max ((size_t) closed, least) * sizeof (uint4)))
    return true;
  if (!invalidate (cca, error))
    return false;
  for (CtrDeviceBuffer *buffer : {&cca->closed, &cca->result, &cca->moments, &cca->grey, &cca->percentiles,
           &cca->sorted, &cca->columns, &cca->inscribed, &cca->inscribing, &cca->contrast, &cca->skeleton,
           &cca->thinning, &cca->select, &cca->values})
    ctr_device_buffer_free (buffer);
  delivery_free (&cca->delivery);
  delivery_init (&cca->delivery);
  cca->current = NULL;
  cca->capacity = capacity;
  cca->closed_capacity = closed;
  cca->delivered_rows = min (cca->delivered_rows, capacity);
  *some = true;
  return true;
}

/* The label image of a queued frame that was not finished may lie in the analyser's own slot. */
static bool
give_back_labels (CcaAnalyser *cca, bool *some, CtrError *error)
{
  if (cca->label_slot && ctr_room_is_excess (cca->label_slot->memory.size, cca->used_labels)) {
    if (!invalidate (cca, error))
      return false;
    ctr_device_buffer_free (&cca->label_slot->memory);
    *some = true;
  }
  if (cca->label_pool)
    *some |= label_pool_give_back (cca->label_pool, cca->used_labels);
  return true;
}

bool
cca_give_back_memory (CcaAnalyser *cca, CtrError *error)
{
  bool some = false, moved = false;
  if (!input_stage_give_back (&cca->input, cca->session.stream, &moved, error) || (moved && !invalidate (cca, error))
      || !give_back_rows (cca, &some, error) || !give_back_labels (cca, &some, error))
    return false;
  if (some || moved)
    ctr_room_period_double (&cca->period);
  cca->used = cca->used_closed = 0;
  cca->used_labels = 0;
  cca->period_ended = false;
  return true;
}

bool
cca_select_graph (CcaAnalyser *cca, const CcaFrameKey *key, CtrError *error)
{
  CcaCachedGraph *oldest = &cca->graphs[0];
  for (CcaCachedGraph &cached : cca->graphs) {
    if (cached.generation == cca->generation && is_same_key (&cached.key, key)) {
      cca->current = &cached;
      build_graph (cca, &cached);
      return true;
    }
    if (cached.last_used < oldest->last_used)
      oldest = &cached;
  }
  cca_set_key (oldest, key);
  oldest->generation = 0;
  oldest->is_built = false;
  if (!reserve (cca, oldest, error)) {
    cudaStreamSynchronize (cca->session.stream);
    cca_release_memory (cca); /* so that a smaller frame, which may fit, starts without these sizes */
    return false;
  }
  oldest->generation = cca->generation;
  cca->current = oldest;
  return true;
}

/* Before a frame in bands: clears what such frames have left, before their numbers come again, or if one has failed. */
static bool
renew_bands (CcaAnalyser *cca, CtrError *error)
{
  if (cca->band_frames++ < MOST_BAND_FRAMES)
    return true;
  CTR_CUDA (cudaMemsetAsync (cca->bands.data, 0, cca->bands.size, cca->session.stream));
  cca->band_frames = 1;
  return true;
}

bool
cca_launch_graph (CcaAnalyser *cca, CtrError *error)
{
  cca->current->last_used = ++cca->frames;
  memset (delivery_flag (&cca->delivery), 0, CTR_MOST_CLUSTER_CTAS * sizeof (uint32_t));
  if (cca->current->strips.bands && !renew_bands (cca, error))
    return false;
  if (cca->current->is_built)
    CTR_CUDA (cudaGraphLaunch (cca->current->graph.exec, cca->session.stream));
  else if (!queue_kernels (cca, cca->current, cca->session.stream, error)) {
    cca->band_frames = MOST_BAND_FRAMES; /* No kernel may have followed that of bands. */
    return false;
  }
  return cuda_session_mark (&cca->session, error);
}
