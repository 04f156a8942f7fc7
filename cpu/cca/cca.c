/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: one pass over the rows as runs of foreground, with a union-find of labels.
 *
 * A run that touches no run of the previous row opens a label, so labels ascend in raster order of their first pixels.
 * A union keeps the lower label. The root of a component is therefore the label of its first pixel, and numbering the
 * roots in order gives OpenCV's labels. Sums are accumulated per label, and added to those of the roots at the end.
 *
 * Several threads label bands of rows. The roots on both sides of the seams between bands become nodes of a second
 * union-find. It keeps the node of the upper band, or of the lower label, so that its roots, too, are the labels of first
 * pixels.
 *
 * Longer than 500 lines: all functions share the state of an analyser. */
#include "core/cca/cca.h"

#include "core/common/poll.h"
#include "core/results/components.h"
#include "cpu/cca/background.h"
#include "cpu/cca/contrast.h"
#include "cpu/cca/inscribed.h"
#include "cpu/cca/nodes.h"
#include "cpu/cca/percentiles.h"
#include "cpu/cca/select.h"
#include "cpu/cca/skeleton.h"
#include "cpu/common/bands.h"

#include <stdlib.h>
#include <string.h>

enum {
  MIN_PIXELS = 1 << 17, /* of a band */
  BANDS_PER_THREAD = 2,
  MIN_LABELS = 1 << 14 /* that are worth the start of several threads */
};

typedef struct {
  CtrCcaBand **bands;
  uint32_t band_room; /* all of these exist */

  CtrHostBuffer nodes; /* Node */
  uint32_t node_count;

  CtrHostBuffer labels; /* uint32_t; by pixel, where the result has no label image and its features need one */
  CtrCcaPercentiles percentiles;
  CtrCcaInscribedWork inscribed;
  CtrCcaContrastWork contrast;
  CtrCcaSkeletonWork skeleton;
  CtrRoomPeriod period;
  CtrComponents *result; /* until finish() takes it */
} State;

/* What the threads share of an image. */
typedef struct {
  State *state;
  const CtrImage *image; /* its samples */
  const CtrCcaParams *params;
  CtrForegroundRows foreground; /* with CTR_COMPONENTS_FOREGROUND */
  CtrAtlas atlas;               /* with regions */
  uint32_t bands;
  CtrComponents *result;
  uint32_t *labels; /* those of the result, or others that only the analysis needs */
} Frame;

static void
release_buffers (State *state)
{
  for (uint32_t i = 0; i < state->band_room; i++)
    ctr_cca_band_release (state->bands[i]);
  ctr_host_buffer_release (&state->nodes);
  ctr_host_buffer_release (&state->labels);
  ctr_cca_percentiles_release (&state->percentiles);
  ctr_cca_inscribed_release (&state->inscribed);
  ctr_cca_contrast_release (&state->contrast);
  ctr_cca_skeleton_release (&state->skeleton);
}

/* At the end of a period: gives back what an intricate image took. */
static void
give_back (State *state)
{
  bool some = ctr_host_buffer_give_back (&state->nodes);
  some |= ctr_host_buffer_give_back (&state->labels);
  some |= ctr_cca_percentiles_give_back (&state->percentiles);
  some |= ctr_cca_inscribed_give_back (&state->inscribed);
  some |= ctr_cca_contrast_give_back (&state->contrast);
  some |= ctr_cca_skeleton_give_back (&state->skeleton);
  for (uint32_t i = 0; i < state->band_room; i++)
    some |= ctr_cca_band_give_back (state->bands[i]);
  if (some)
    ctr_room_period_double (&state->period);
}

static void
destroy (void *data)
{
  State *state = data;
  release_buffers (state);
  for (uint32_t i = 0; i < state->band_room; i++) {
    ctr_samples_release (&state->bands[i]->samples);
    free (state->bands[i]);
  }
  free (state->bands);
  ctr_components_unref (state->result);
  free (state);
}

/* False if there is no memory. */
static bool
reserve_bands (State *state, uint32_t count)
{
  if (state->band_room >= count)
    return true;
  CtrCcaBand **bands = realloc (state->bands, count * sizeof (CtrCcaBand *));
  if (!bands)
    return false;
  state->bands = bands;
  while (state->band_room < count && (bands[state->band_room] = calloc (1, sizeof (CtrCcaBand))))
    state->band_room++;
  return state->band_room == count;
}

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (state && reserve_bands (state, 1))
    return state;
  if (state)
    destroy (state);
  ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new component analyser");
  return NULL;
}

static bool
prepare_bands (Frame *frame, CtrError *error)
{
  const uint32_t height = frame->image->height;
  State *state = frame->state;
  if (!reserve_bands (state, frame->bands))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u bands of rows", frame->bands);
  for (uint32_t i = 0; i < frame->bands; i++) {
    state->bands[i]->first_y = ctr_band_first (height, frame->bands, i);
    state->bands[i]->end_y = ctr_band_first (height, frame->bands, i + 1);
  }
  return true;
}

/* Calls BODY for all bands. Those that have to be few: a thread is not worth its start for fewer than MIN_LABELS. */
static void
for_each_band (Frame *frame, uint64_t labels, void (*body) (void *frame, uint32_t band))
{
  ctr_parallel_for (labels < MIN_LABELS ? 1 : ctr_threads_current (), frame->bands, body, frame);
}

/* Has a band failed? */
static bool
check_bands (const Frame *frame, CtrError *error)
{
  for (uint32_t i = 0; i < frame->bands; i++) {
    const CtrCcaBand *band = frame->state->bands[i];
    if (band->status == CTR_ERROR_CANCELLED)
      return ctr_fail_cancelled (error);
    if (band->status != CTR_OK)
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "no host memory for the components of a %u x %u image: %u labels in the rows from %u on", frame->image->width,
          frame->image->height, band->label_count, band->first_y);
  }
  return true;
}

static void
label_band (void *data, uint32_t i)
{
  const Frame *frame = data;
  ctr_cca_band_label (frame->state->bands[i], frame->image, frame->params, &frame->foreground);
}

/* Returns the node of LABEL's root. */
static uint32_t
take_node (State *state, uint32_t band, uint32_t label)
{
  uint32_t *parent = state->bands[band]->parent.data;
  Node *nodes = state->nodes.data;
  if (parent[label] & NODE_MARK)
    return parent[label] & ~NODE_MARK; /* the label is a root */
  const uint32_t root = parent[label];
  if (parent[root] & NODE_MARK)
    return parent[root] & ~NODE_MARK;
  const uint32_t node = state->node_count++;
  nodes[node] = (Node){.parent = node, .band = band, .label = root};
  parent[root] = NODE_MARK | node;
  return node;
}

/* Unites the runs that touch over the seam above band I, as label_row() does in a band. */
static bool
join_seam (State *state, uint32_t i, const CtrCcaParams *params, CtrError *error)
{
  const uint32_t reach = params->connectivity == CTR_CONNECTIVITY_8;
  const bool equal = params->mode == CTR_COMPONENTS_EQUAL;
  const CtrCcaRow *above = state->bands[i - 1]->last_row, *below = &state->bands[i]->first_row;
  const uint32_t *up = above->edges;
  if (!ctr_host_buffer_reserve (&state->nodes, (size_t) state->node_count + above->count + below->count, sizeof (Node)))
    return ctr_fail (
        error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the %u runs at a seam", above->count + below->count);
  for (uint32_t k = 0; k < below->count; k++) {
    const uint32_t start = below->edges[2 * k], end = below->edges[2 * k + 1];
    while (up[1] + reach <= start)
      up += 2;
    for (const uint32_t *run = up; run[0] < end + reach; run += 2) {
      const size_t at = (run - above->edges) / 2;
      if (!equal || above->value[at] == below->value[k])
        unite (state->nodes.data, take_node (state, i - 1, above->label[at]), take_node (state, i, below->label[k]));
    }
  }
  return true;
}

/* Joins the bands, and adds the sums of all other nodes to those of their roots. */
static bool
join_bands (Frame *frame, CtrError *error)
{
  State *state = frame->state;
  state->node_count = 0;
  for (uint32_t i = 1; i < frame->bands; i++)
    if (!ctr_go_on (error) || !join_seam (state, i, frame->params, error))
      return false;
  Node *nodes = state->nodes.data;
  for (uint32_t i = 0; i < state->node_count; i++) {
    const Node *from = nodes + i, *to = nodes + find_root (nodes, i);
    if (to != from)
      ctr_cca_band_add (
          state->bands[to->band], to->label, state->bands[from->band], from->label, frame->params->features);
  }
  return true;
}

static inline bool
is_kept (const CtrComponent *component, const CtrCcaParams *params)
{
  return component->area >= params->min_area && (params->max_area == 0 || component->area <= params->max_area);
}

/* Is label I, with this PARENT, the root of a component? */
static inline bool
is_root (const State *state, uint32_t i, uint32_t parent)
{
  const Node *nodes = state->nodes.data;
  return parent == i || (parent & NODE_MARK && nodes[parent & ~NODE_MARK].parent == (parent & ~NODE_MARK));
}

/* A root's parent is itself or has the mark; for this question a parent is what it was before. */
static void
count_band (void *data, uint32_t b)
{
  const Frame *frame = data;
  CtrCcaBand *band = frame->state->bands[b];
  const uint32_t *parent = band->parent.data;
  const CtrComponent *table = band->table.data;
  uint64_t work = 0;
  band->kept = 0;
  for (uint32_t i = 0; i < band->label_count; i++) {
    if (ctr_poll (&work, 1)) {
      band->status = CTR_ERROR_CANCELLED;
      return;
    }
    band->kept += is_root (frame->state, i, parent[i]) && is_kept (table + i, frame->params);
  }
}

/* Copies the rows of roots within the area limits to the result. The parents become labels of the result, 0 outside the
 * limits, or keep their mark: then the root of the node has the label. */
static void
emit_band (void *data, uint32_t b)
{
  const Frame *frame = data;
  CtrCcaBand *band = frame->state->bands[b];
  CtrComponents *result = frame->result;
  uint32_t *parent = band->parent.data;
  const CtrComponent *table = band->table.data;
  Node *nodes = frame->state->nodes.data;
  uint32_t row = 0;
  uint64_t work = 0;
  for (uint32_t i = 0; i < b; i++)
    row += frame->state->bands[i]->kept;
  for (uint32_t i = 0; i < band->label_count; i++) {
    if (ctr_poll (&work, 4)) {
      band->status = CTR_ERROR_CANCELLED;
      return;
    }
    if (!is_root (frame->state, i, parent[i])) {
      if (!(parent[i] & NODE_MARK))
        parent[i] = parent[parent[i]];
      continue;
    }
    uint32_t *number = parent[i] & NODE_MARK ? &nodes[parent[i] & ~NODE_MARK].number : &parent[i];
    if (!is_kept (table + i, frame->params)) {
      *number = 0;
      continue;
    }
    CtrComponent *c = (CtrComponent *) result->table + row;
    *c = table[i];
    c->width = (uint16_t) (c->width - c->left);
    c->height = (uint16_t) (c->height - c->top);
    if (result->moments)
      ((CtrComponentMoments *) result->moments)[row] = ((CtrComponentMoments *) band->moments.data)[i];
    if (result->grey)
      ((CtrComponentGrey *) result->grey)[row] = ((CtrComponentGrey *) band->grey.data)[i];
    *number = ++row;
  }
}

static void
write_band (void *data, uint32_t b)
{
  const Frame *frame = data;
  CtrCcaBand *band = frame->state->bands[b];
  const uint32_t *parent = band->parent.data, width = frame->result->width;
  const CtrCcaRun *run = band->runs.data;
  uint32_t *labels = frame->labels + (size_t) band->first_y * width;
  for (uint32_t y = band->first_y; y < band->end_y; y++, labels += width) {
    uint32_t x = 0;
    if (ctr_cancelled ()) {
      band->status = CTR_ERROR_CANCELLED;
      return;
    }
    for (const CtrCcaRun *end = run + ((uint32_t *) band->runs_in_row.data)[y - band->first_y]; run < end; run++) {
      const uint32_t label = number_of (frame->state->nodes.data, parent[run->label]);
      while (x < run->start)
        labels[x++] = 0;
      while (x <= run->last)
        labels[x++] = label;
    }
    while (x < width)
      labels[x++] = 0;
  }
}

/* Writes the labels of ROW, a row of band B. */
static void
write_row (const Frame *frame, uint32_t b, const CtrCcaRow *row, uint32_t *labels)
{
  const uint32_t *parent = frame->state->bands[b]->parent.data;
  memset (labels, 0, frame->result->width * sizeof *labels);
  for (uint32_t i = 0; i < row->count; i++) {
    const uint32_t label = number_of (frame->state->nodes.data, parent[row->label[i]]);
    for (uint32_t x = row->edges[2 * i]; x < row->edges[2 * i + 1]; x++)
      labels[x] = label;
  }
}

static void
write_edges (const Frame *frame)
{
  CtrCcaBand **bands = frame->state->bands;
  uint32_t *labels = (uint32_t *) frame->result->labels;
  write_row (frame, 0, &bands[0]->first_row, labels);
  write_row (frame, frame->bands - 1, bands[frame->bands - 1]->last_row, labels + frame->result->width);
}

static void
join_backgrounds (Frame *frame)
{
  CtrComponent *first = &frame->state->bands[0]->background;
  for (uint32_t i = 1; i < frame->bands; i++)
    ctr_cca_join_background (first, &frame->state->bands[i]->background);
  frame->result->background = ctr_cca_finish_background (first, frame->params);
}

/* The samples of percentiles and rings: its rows are read by one thread a band. */
static const void *
read_row (void *data, uint32_t b, uint32_t y)
{
  const Frame *frame = data;
  return ctr_samples_row (&frame->state->bands[b]->samples, frame->image, y);
}

/* Writes the label image, into memory of its own if the result has none. */
static bool
write_labels (Frame *frame, CtrError *error)
{
  const CtrComponents *result = frame->result;
  CtrHostBuffer *own = &frame->state->labels;
  frame->labels = (uint32_t *) result->labels;
  if (!(frame->params->features & CTR_FEATURE_LABELS)) {
    if (!ctr_host_buffer_reserve (own, (size_t) result->width * result->height, sizeof (uint32_t)))
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the labels of a %u x %u image",
          result->width, result->height);
    frame->labels = own->data;
  }
  for_each_band (frame, MIN_LABELS, write_band);
  return check_bands (frame, error);
}

/* Fills in what is measured in the label image. */
static bool
measure_labels (Frame *frame, CtrError *error)
{
  State *state = frame->state;
  const uint32_t features = frame->params->features;
  const CtrCcaSampleRows rows = {
      frame->result, frame->bands, frame->image->format == CTR_FORMAT_GRAY16, read_row, frame};
  return (!ctr_cca_needs_labels (frame->params) || write_labels (frame, error))
         && (!(features & CTR_FEATURE_PERCENTILES)
             || ctr_cca_find_percentiles (&state->percentiles, &rows, frame->labels, error))
         && (!(features & CTR_FEATURE_INSCRIBED)
             || ctr_cca_find_inscribed (&state->inscribed, frame->result, frame->labels, frame->bands, error))
         && (!(features & CTR_FEATURE_CONTRAST)
             || ctr_cca_find_contrast (&state->contrast, &rows, frame->labels,
                 frame->params->foreground.regions ? &frame->atlas : NULL, frame->params->ring_width, error))
         && (!(features & CTR_FEATURE_SKELETON)
             || ctr_cca_find_skeletons (&state->skeleton, frame->result, frame->labels, frame->bands, error));
}

/* Sets the result's size from the bands. False if there is no memory or the work is cancelled. */
static bool
make_result (Frame *frame, CtrError *error)
{
  uint64_t labels = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < frame->bands; i++)
    labels += frame->state->bands[i]->label_count;
  for_each_band (frame, labels, count_band);
  if (!check_bands (frame, error))
    return false;
  for (uint32_t i = 0; i < frame->bands; i++)
    count += frame->state->bands[i]->kept;
  frame->result =
      ctr_components_alloc (frame->image->width, frame->image->height, count, ctr_cca_features (frame->params), error);
  if (!frame->result)
    return false;
  frame->result->threshold = frame->foreground.threshold;
  frame->result->connectivity = frame->params->connectivity;
  if (frame->params->features & CTR_FEATURE_BACKGROUND)
    join_backgrounds (frame);
  for_each_band (frame, labels, emit_band);
  if (!check_bands (frame, error) || !measure_labels (frame, error))
    return false;
  if (frame->params->features & CTR_FEATURE_EDGES)
    write_edges (frame);
  return check_bands (frame, error);
}

/* Finds the foreground of IMAGE. With regions the atlas is analysed in its place. */
static bool
find_foreground (Frame *frame, const CtrImage *image, CtrError *error)
{
  const CtrForeground *foreground = &frame->params->foreground;
  CtrSamples *samples = &frame->state->bands[0]->samples;
  if (frame->params->mode != CTR_COMPONENTS_FOREGROUND)
    return true;
  if (!foreground->regions)
    return ctr_samples_foreground (samples, image, frame->image, foreground, &frame->foreground, error);
  if (!ctr_samples_regions (samples, image, foreground, false,
          frame->params->features & (CTR_FEATURE_GREY | CTR_FEATURE_PERCENTILES), &frame->atlas, &frame->foreground,
          error))
    return false;
  frame->image = &frame->atlas.image;
  return true;
}

static CtrComponents *
analyse (Frame *frame, const CtrImage *image, CtrError *error)
{
  const bool has_regions = frame->params->foreground.regions;
  if (has_regions && !find_foreground (frame, image, error))
    return NULL;
  const uint32_t width = frame->image->width, height = frame->image->height;
  frame->bands = ctr_band_count (width, height, ctr_threads_current (), BANDS_PER_THREAD, MIN_PIXELS);
  if (!prepare_bands (frame, error) || (!has_regions && !find_foreground (frame, image, error)))
    return NULL;
  ctr_parallel_for (ctr_threads_current (), frame->bands, label_band, frame);
  if (check_bands (frame, error) && join_bands (frame, error) && make_result (frame, error)
      && (!has_regions || ctr_atlas_move_components (&frame->atlas, frame->result, image, error))
      && (frame->params->select.count == 0 || ctr_components_select (frame->result, &frame->params->select, error)))
    return frame->result;
  ctr_components_unref (frame->result);
  return NULL;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  State *state = data;
  CtrImage luma;
  Frame frame = {.state = state, .image = ctr_samples_share (image, &luma), .params = params};
  ctr_components_unref (state->result);
  state->result = analyse (&frame, image, error);
  /* A smaller image may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled ())
    release_buffers (state);
  if (state->result && ctr_room_period_ends (&state->period))
    give_back (state);
  return state->result;
}

static CtrComponents *
finish (void *data, CtrError *error)
{
  State *state = data;
  CtrComponents *result = state->result;
  state->result = NULL;
  return result;
}

const CtrCcaOps ctr_cca_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};
