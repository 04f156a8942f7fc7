/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the arrays of border following lie in device memory. */
#include "cuda/borders/device_state.cuh"

size_t
borders_lay_out_planes (BordersKernelArgs *f, uint8_t *base)
{
  const size_t words = (size_t) f->by_word.per_row * f->height;
  ArenaLayout arena = {base, 0};
  f->found = arena.take<BordersFound> (1);
  f->output = arena.take<ContourOutput> (1);
  f->applied_threshold = arena.take<uint32_t> (1);
  f->counters = arena.take<BordersCounters> (1);
  if (f->simplifying && f->counters) {
    f->simplify.counters = &f->counters->simplify;
    f->simplify.remaining = &f->counters->header.points;
  }
  f->by_word.foreground = arena.take<uint32_t> (words);
  f->by_word.starts = arena.take<uint32_t> (words);
  f->by_word.starts_before = arena.take<uint32_t> (words);
  f->by_word.first_passage = arena.take<uint32_t> (words);
  f->count_states = arena.take<unsigned long long> (f->count_ctas);
  return arena.used;
}

size_t
borders_lay_out_contents (BordersKernelArgs *f, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->by_passage.place = arena.take<uint32_t> (f->by_passage.capacity);
  f->by_passage.segment = arena.take<uint32_t> (f->by_passage.capacity);
  f->by_passage.position = (uint16_t *) arena.take<uint32_t> (f->by_passage.capacity); /* for shapes */
  f->ranking.segments = arena.take<ListSegment> (f->ranking.capacity);
  f->ranking.views = arena.take<ListView> (f->ranking.capacity);
  f->by_segment.closed_key_length = arena.take<uint2> (f->by_segment.closed_capacity);
  f->by_segment.open_contour = arena.take<uint2> (f->ranking.capacity);
  f->by_segment.closed_contour = arena.take<uint2> (f->by_segment.closed_capacity);
  const uint32_t contours = f->contour_capacity;
  f->by_contour.lengths = f->by_row.lengths = arena.take<uint32_t> (contours);
  f->by_contour.keys = f->by_row.keys = arena.take<uint32_t> (contours);
  if (!borders_reorders (*f) || borders_places_rows (*f))
    f->by_contour.spans = arena.take<uint2> (contours);
  f->by_row.firsts = arena.take<uint32_t> (contours);
  f->by_row.accumulators = arena.take<ContourAccumulator> (contours);
  f->by_row.long_parts = arena.take<uint32_t> (f->point_capacity / LONG_POINTS + 1);
  for (auto &states : f->scan_states)
    states = arena.take<unsigned long long> (contours / SCAN_SHARE + 1);
  if (f->limited)
    f->all_points = arena.take<CtrPoint> (f->by_passage.capacity);
  if (f->selecting) {
    auto &all = f->unselected;
    all.table = f->selects_rows ? NULL : arena.take<CtrContour> (contours);
    all.points = arena.take<CtrPoint> (f->point_capacity);
    all.sums = f->summing & SUMMING_MOMENTS ? arena.take<CtrContourSums> (contours) : NULL;
    all.fits = f->summing & SUMMING_FITS ? arena.take<CtrContourFits> (contours) : NULL;
    all.shapes = f->shape_features ? arena.take<CtrContourShape> (contours) : NULL;
    for (uint32_t **by_row : {&all.ranks, &all.firsts})
      *by_row = arena.take<uint32_t> (contours);
    for (uint32_t **by_row : {&all.parents, &all.rows})
      *by_row = f->selects_rows ? NULL : arena.take<uint32_t> (contours);
  }
  if (f->simplifying) {
    f->simplify.contour_capacity = contours;
    f->simplify.point_capacity = f->point_capacity;
    simplify_lay_out (&f->simplify, &arena);
  }
  if (!borders_reorders (*f))
    return arena.used;
  f->by_contour.rows = arena.take<uint32_t> (contours);
  f->by_row.contours = arena.take<uint32_t> (contours);
  f->by_row.lengths = arena.take<uint32_t> (contours);
  f->by_row.keys = arena.take<uint32_t> (contours);
  f->hierarchy.parents = arena.take<uint32_t> (contours);
  if (!borders_nests (*f))
    return arena.used;
  f->sibling_counters = f->siblings.counters = arena.take<RadixCounters> (2);
  f->siblings.count = f->counters ? &f->counters->header.contours : NULL;
  radix_lay_out (&f->siblings, &arena, contours, (uint64_t) contours + 1);
  f->family_of_children = arena.take<uint32_t> (contours);
  f->traversal = arena.take<uint32_t> (contours);
  f->hierarchy.next = arena.take<uint32_t> (contours);
  f->hierarchy.previous = arena.take<uint32_t> (contours);
  f->hierarchy.child = arena.take<uint32_t> (contours);
  f->in_tree.inside = arena.take<unsigned long long> (contours);
  if (f->deep) {
    f->traversal_ranking.views = arena.take<ListView> (contours);
    f->traversal_ranking.segments = arena.take<ListSegment> (contours);
    return arena.used;
  }
  f->in_tree.before = arena.take<uint4> (contours);
  f->in_tree.before_family = arena.take<uint2> (contours);
  if (borders_places_rows (*f))
    f->in_tree.links = arena.take<uint4> (contours);
  return arena.used;
}
