/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours on the GPU: the memory of a frame. */
#include "cuda/cracks/tracer.cuh"

#include <string.h>

namespace
{

size_t
lay_out_planes (CracksKernelArgs *f, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->found = arena.take<CracksFound> (1);
  f->output = arena.take<ContourOutput> (1);
  f->counters = arena.take<CracksCounters> (1);
  const size_t before = arena.used;
  f->scan_states[SCAN_ROWS] = arena.take<unsigned long long> (cracks_row_sums (*f) / SCAN_SHARE + 1);
  f->zeroed[0] = {f->scan_states[SCAN_ROWS], (uint32_t) ((arena.used - before) / sizeof (unsigned long long))};
  if (f->labels)
    f->label_by_pixel = arena.take<uint32_t> ((size_t) f->by_pixel.stride * f->height);
  else
    f->by_pixel.level_index = arena.take<uint16_t> ((size_t) f->by_pixel.stride * f->height);
  if (f->labels)
    f->by_block.label_range = arena.take<uint2> ((size_t) f->by_block.stride * f->height);
  else
    f->by_block.range = arena.take<uint32_t> ((size_t) f->by_block.stride * f->height);
  f->by_vertex.first_corner = arena.take<uint32_t> ((size_t) f->by_vertex.stride * f->tiles_y * VERTEX_TILE);
  f->by_vertex.passage = arena.take<uint32_t> ((size_t) f->by_vertex.stride * f->tiles_y);
  f->row_sums = arena.take<uint32_t> (cracks_row_sums (*f));
  f->by_tile.left = arena.take<uint32_t> ((size_t) f->tiles_x * f->tiles_y);
  f->by_tile.top = arena.take<uint32_t> ((size_t) f->tiles_x * f->tiles_y);
  f->by_tile.is_early = arena.take<uint8_t> ((size_t) f->tiles_x * f->tiles_y);
  f->early_tiles = arena.take<uint32_t> (EARLY_TILES);
  return arena.used;
}

/* The sorts: of contours by levels; then of siblings, whose keys are levels, or first contours of labels, then parents. */
void
lay_out_sorts (CracksKernelArgs *f, ArenaLayout *arena)
{
  const uint64_t top_level = f->labels ? f->contour_capacity : f->level_count;
  radix_lay_out (&f->levels, arena, f->contour_capacity, f->level_count);
  f->by_contour.starts = f->levels.values[radix_sorted (f->levels)];
  radix_lay_out (&f->siblings, arena, f->contour_capacity, (f->nested ? 1 : top_level) + f->contour_capacity + 1);
}

size_t
lay_out_contents (CracksKernelArgs *f, uint8_t *base)
{
  const size_t corners = f->by_corner.capacity, contours = f->contour_capacity;
  ArenaLayout arena = {base, 0};
  f->scan_states[SCAN_CONTOURS] = arena.take<unsigned long long> (corners / CORNER_SCAN_SHARE + 1);
  for (int i = SCAN_MEASURED; i < CRACKS_SCANS; i++)
    f->scan_states[i] = arena.take<unsigned long long> (contours / SCAN_SHARE + 1);
  f->zeroed[1] = {f->scan_states[SCAN_CONTOURS], (uint32_t) (arena.used / sizeof (unsigned long long))};
  f->ranking.views = arena.take<ListView> (f->ranking.capacity);
  lay_out_sorts (f, &arena);
  for (uint32_t **array : {&f->by_corner.place, &f->by_corner.level_index, &f->by_corner.exit, &f->contour_by_start,
           &f->neighbour_by_start})
    *array = arena.take<uint32_t> (corners);
  if (!f->limited && !f->nested) {
    f->points_by_start = arena.take<ContourPoints> (corners);
    f->long_rows = arena.take<LongRow> (corners / LONG_POINTS + 1);
  }
  f->by_corner.steps = arena.take<uint16_t> (corners);
  f->by_corner.kind =
      arena.take<uint8_t> (corners); /* read 8 at a time: the arena has room for multiples of 256 bytes */
  for (uint32_t **array : {&f->by_contour.lengths, &f->hierarchy.parents, &f->by_row.firsts})
    *array = arena.take<uint32_t> (contours);
  f->by_row.lengths = f->by_contour.lengths;
  f->by_row.accumulators = arena.take<ContourAccumulator> (contours);
  if (f->limited) {
    for (uint32_t **array : {&f->by_contour.rows, &f->by_row.contours, &f->by_row.lengths})
      *array = arena.take<uint32_t> (contours);
    f->all_points = arena.take<CtrPoint> (corners);
  }
  if (f->nested) {
    for (uint32_t **array :
        {&f->nesting.links, &f->nesting.jumps[0], &f->nesting.jumps[1], &f->nesting.extremes, &f->nesting.ends})
      *array = arena.take<uint32_t> (contours);
    f->nesting.depths = arena.take<unsigned long long> (contours);
  }
  return arena.used;
}

/* A quarter more than a tile has on average where all the room for corners is used: dense frames have more in each tile, not
 * in a few. With fewer, more tiles run at once. */
uint32_t
choose_tile_nodes (const Cracks *c, const CracksKernelArgs &f)
{
  const uint64_t mean = c->corner_capacity / ((uint64_t) f.tiles_x * f.tiles_y);
  const uint64_t wanted = (mean + mean / 4 + TILE_NODES_STEP - 1) / TILE_NODES_STEP * TILE_NODES_STEP;
  return (uint32_t) max ((uint64_t) LEAST_TILE_NODES, min (wanted, (uint64_t) c->most_tile_nodes));
}

void
set_capacities (const Cracks *c, CracksKernelArgs *f)
{
  f->by_corner.capacity = c->corner_capacity;
  f->ranking.capacity = c->segment_capacity;
  f->contour_capacity = c->contour_capacity;
}

/* After the last frame of a period: gives back what its frames have not used, if that is most of the memory. No queued work
 * may use it. */
void
give_back (Cracks *c, CracksKernelArgs *f)
{
  const uint32_t corners = c->corner_capacity, segments = c->segment_capacity, contours = c->contour_capacity;
  bool some = c->gave_back;
  c->corner_capacity = min (corners, ctr_with_spare (c->used_corners));
  c->segment_capacity = min (segments, ctr_with_spare (c->used_segments));
  c->contour_capacity = min (contours, contour_capacity_of (c->corner_capacity));
  set_capacities (c, f);
  if (ctr_room_is_excess (c->contents.size, lay_out_contents (f, NULL))) {
    ctr_device_buffer_free (&c->contents);
    some = true;
  } else {
    c->corner_capacity = corners;
    c->segment_capacity = segments;
    c->contour_capacity = contours;
    set_capacities (c, f);
  }
  for (CtrDeviceBuffer *buffer : {&c->planes, &c->delivery.picture})
    some |= ctr_device_buffer_give_back (buffer);
  some |= contour_pool_give_back_memory (c->pool, c->slot, c->contour_capacity, c->corner_capacity);
  if (some)
    ctr_room_period_double (&c->period);
  c->used_corners = c->used_segments = 0;
  c->period_ended = c->gave_back = false;
}

} // namespace

bool
cracks_reserve (Cracks *c, CracksKernelArgs *f, CtrError *error)
{
  memset (f, 0, sizeof *f); /* with the padding, for comparisons */
  f->width = c->image.width;
  f->height = c->image.height;
  f->by_pixel.stride = ctr_div_up (f->width, BLOCK) * BLOCK;
  f->tiles_x = f->width / VERTEX_TILE + 1; /* of width + 1 vertices */
  f->tiles_y = f->height / VERTEX_TILE + 1;
  f->by_block.stride = ctr_div_up (f->tiles_x, BLOCKS_AT_ONCE) * BLOCKS_AT_ONCE;
  f->by_vertex.stride = f->tiles_x * VERTEX_TILE;
  f->level_index_by_sample = (const uint16_t *) c->tables.data;
  f->level_by_index = (const uint16_t *) ((uint8_t *) c->tables.data + TABLE_SIZE);
  f->labels = c->plan.labels;
  f->level_count = c->plan.level_count;
  f->equal = c->plan.mode == CTR_LEVELS_EQUAL;
  f->four_connected = c->plan.connectivity == CTR_CONNECTIVITY_4;
  f->zero_frame = c->plan.frame == CTR_IMAGE_BORDER_ZERO;
  f->limited = c->plan.limited;
  f->measuring = !f->limited;
  f->final = true;
  f->min_area2 = c->plan.min_area2;
  f->max_area2 = c->plan.max_area2;
  f->min_length = c->plan.min_length;
  f->nested = c->plan.nested;
  f->min_persistence = c->plan.min_persistence;
  f->max_depth = c->plan.max_depth;
  set_capacities (c, f);
  if (c->period_ended)
    give_back (c, f);
  f->tile_nodes = choose_tile_nodes (c, *f);
  /* Twice as many as a tile has on average where all the room is used. */
  f->early_corners = max (LEAST_EARLY_CORNERS, 2 * (c->corner_capacity / (f->tiles_x * f->tiles_y)));
  const bool with_sums = c->plan.features & CTR_CONTOUR_FEATURE_MOMENTS;
  const cudaStream_t stream = c->session.stream;
  const CtrImage no_picture = {}; /* The components keep the labels. */
  bool fresh;
  /* The list ranking loads its views before it knows how many there are, so new memory is cleared. */
  if ((!f->labels && !input_stage_reserve (&c->input, &c->image, INPUT_NEEDS_SAMPLES, stream, &fresh, error))
      || !delivery_reserve (&c->delivery, f->labels ? &no_picture : &c->image, sizeof (CracksHeader), error)
      || !ctr_device_buffer_reserve_clear (&c->planes, lay_out_planes (f, NULL), stream, error)
      || !ctr_device_buffer_reserve_clear (&c->contents, lay_out_contents (f, NULL), stream, error)
      || !contour_slot_reserve (c->slot, f->contour_capacity, f->by_corner.capacity, with_sums, error)
      || !contour_slot_reserve_nesting (c->slot, f->nested ? f->contour_capacity : 0, error))
    return false;
  lay_out_planes (f, (uint8_t *) c->planes.data);
  lay_out_contents (f, (uint8_t *) c->contents.data);
  f->ranking.count = &f->counters->ranked_segments;
  f->levels.count = &f->counters->header.all_contours;
  f->levels.counters = &f->counters->levels;
  f->siblings.count = &f->counters->header.contours;
  f->siblings.counters = &f->counters->siblings;
  f->frame_output = {(CtrContour *) c->slot->table.data, (CtrPoint *) c->slot->points.data,
      with_sums ? (CtrContourSums *) c->slot->sums.data : NULL, (CtrDeviceNumbers *) c->slot->numbers.data};
  f->frame_output.nesting = f->nested ? (CtrContourNesting *) c->slot->nesting.data : NULL;
  f->summing = with_sums ? SUMMING_MOMENTS : 0;
  return true;
}
