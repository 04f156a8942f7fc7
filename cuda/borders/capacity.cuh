/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On the host: how much room frames have, and which kernels are queued for them, by what the frames before needed. */
#ifndef CTR_CUDA_BORDERS_CAPACITY_CUH
#define CTR_CUDA_BORDERS_CAPACITY_CUH

#include "cuda/borders/device_state.cuh"

#include "core/common/room.h"

namespace
{

constexpr uint32_t MANY_FRAMES = 16; /* frames for which kernels stay queued after a frame needed them */

/* Room for the most that the latest frames have needed. A frame that needs more is done again. */
struct Capacity {
  uint32_t passages, open, closed; /* passages; open and closed segments */
  uint32_t contours, points;
  uint32_t many_segments, many_points, many_contours; /* further frames for which these kernels are queued */
  uint32_t clustered;                                 /* likewise a cluster, in place of one CTA for few segments */
  uint32_t deep;                                      /* likewise those for any number of contours around one */
  uint32_t unfinished;                                /* further frames for which the finish kernel is not queued */
};

/* Adapts C to a frame with the header H. True: the frame is complete. HAS_CLUSTER: the GPU can run that for few segments. MAY_FINISH: the
 * finish kernel can take such frames, of up to MOST_TO_FINISH passages. */
inline bool
adapt_capacity (Capacity *c, const BordersHeader &h, bool has_cluster, bool may_finish, uint32_t most_to_finish)
{
  bool all = true;
  auto grow = [&] (uint32_t need, uint32_t *room) {
    if (need <= *room)
      return;
    *room = ctr_with_spare (need);
    all = false;
  };
  const bool counted_passages = h.passages <= c->passages && h.open <= c->open && h.closed <= c->closed;
  const bool counted = counted_passages && !(h.incomplete & LACKS_MANY_SEGMENTS);
  grow (h.passages, &c->passages);
  grow (h.open, &c->open);
  grow (h.closed, &c->closed);
  /* Every contour starts with a segment; every point is a passage. */
  grow (counted ? h.all_contours : h.open + h.closed, &c->contours);
  grow (counted && h.all_contours <= c->contours && all ? h.points : h.passages, &c->points);
  if (h.incomplete || h.unmeasured || h.too_deep || h.unfinished)
    all = false;
  /* Kernels that are NEEDED stay queued for FRAMES further frames; fewer by one behind a frame without need, if it MAY tell. */
  auto queue = [] (bool needed, bool may, uint32_t *frames) {
    *frames = needed ? MANY_FRAMES : *frames - (may && *frames > 0);
  };
  const bool has_few_contours = h.closed <= FEW_CONTOURS && h.all_contours <= FEW_CONTOURS;
  const bool suits_cluster = has_cluster && has_few_contours && h.open > LIST_SMALL && h.open <= CLUSTER_SEGMENTS;
  const bool suits_finish = may_finish && h.open <= LIST_SMALL && h.closed <= FINISH_CONTOURS
                            && h.all_contours <= FINISH_CONTOURS && h.passages <= most_to_finish;
  if (!suits_cluster && (!has_few_contours || h.open > CLUSTER_SEGMENTS))
    c->clustered = 0;
  queue (suits_cluster, all, &c->clustered);
  queue (!suits_cluster && (h.open > LIST_SMALL || !has_few_contours || h.incomplete & LACKS_MANY_SEGMENTS), all,
      &c->many_segments);
  queue (h.all_contours > FEW_CONTOURS, all, &c->many_contours);
  queue (h.too_deep, all, &c->deep);
  queue (h.unfinished, all && suits_finish, &c->unfinished);
  queue (h.unmeasured || (all && !suits_finish && (h.points > FEW_POINTS || h.contours > FEW_CONTOURS)), all,
      &c->many_points);
  return all;
}

} // namespace

#endif
