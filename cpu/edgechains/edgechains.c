/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge linking on the host. Bands of rows find the links of their pixels. Then one thread follows the chains in the order of
 * their first pixels: first the open ones from their ends, then the closed ones through the pixels that are left. */
#include "core/edgechains/edgechains.h"
#include "core/edgechains/links.h"

#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "cpu/common/bands.h"
#include "cpu/common/host_buffer.h"
#include "cpu/contours/contour_subpixel.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_PIXELS = 1 << 16, BANDS_PER_THREAD = 2 };

/* What is known of a pixel: its links that no chain has passed yet, by direction, and what it is. */
enum {
  LINKS = 255,
  END = 256,       /* It does not have two links. */
  JUNCTION = 512,  /* It has more. */
  ISOLATED = 1024, /* It has none. */
};

/* Chains as they are found, one after the other. */
typedef struct {
  CtrHostBuffer rows;   /* CtrContour; first counts the points of this list */
  CtrHostBuffer points; /* CtrPoint */
  uint32_t row_count;
  uint64_t point_count;
} List;

typedef struct {
  CtrHostBuffer mask;  /* that the caller writes */
  CtrHostBuffer links; /* uint16_t by pixel */
  CtrHostBuffer luma;  /* for subpixels, of a packed RGB image */
  List open, closed;
  CtrRoomPeriod period;
  CtrContours *result;
} State;

typedef struct {
  State *state;
  const CtrImage *mask;
  const CtrEdgeChainsPlan *plan;
  uint16_t *links;
  uint32_t bands;
  bool cancelled;     /* atomic */
  bool out_of_memory; /* also with more chains than a table has rows */
  uint64_t work;      /* since the last poll */
} Frame;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new edge linker");
  return state;
}

static void
release_buffers (State *state)
{
  CtrHostBuffer *const buffers[] = {&state->mask, &state->links, &state->luma, &state->open.rows, &state->open.points,
      &state->closed.rows, &state->closed.points};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    ctr_host_buffer_release (buffers[i]);
}

static void
give_back (State *state)
{
  CtrHostBuffer *const buffers[] = {&state->mask, &state->links, &state->luma, &state->open.rows, &state->open.points,
      &state->closed.rows, &state->closed.points};
  if (ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers))
    ctr_room_period_double (&state->period);
}

static void
destroy (void *data)
{
  State *state = data;
  ctr_contours_unref (state->result);
  release_buffers (state);
  free (state);
}

static bool
get_mask (void *data, CtrImage *mask, CtrError *error)
{
  State *state = data;
  if (!ctr_host_buffer_reserve (&state->mask, mask->height, mask->width))
    return ctr_fail (
        error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for an edge mask of %u x %u pixels", mask->width, mask->height);
  mask->data = state->mask.data;
  mask->stride = mask->width;
  return true;
}

/* The neighbours of the edge pixel at X in the row HERE that are edge pixels. ABOVE and BELOW: NULL outside the mask. */
static uint32_t
neighbours_of (const uint8_t *above, const uint8_t *here, const uint8_t *below, uint32_t x, uint32_t width)
{
  const bool left = x > 0, right = x + 1 < width;
  uint32_t neighbours = 0;
  if (right && here[x + 1])
    neighbours |= 1;
  if (left && here[x - 1])
    neighbours |= 1 << 4;
  if (below)
    neighbours |= (right && below[x + 1] ? 1 << 1 : 0) | (below[x] ? 1 << 2 : 0) | (left && below[x - 1] ? 1 << 3 : 0);
  if (above)
    neighbours |= (left && above[x - 1] ? 1 << 5 : 0) | (above[x] ? 1 << 6 : 0) | (right && above[x + 1] ? 1 << 7 : 0);
  return neighbours;
}

static uint16_t
describe (uint32_t links)
{
  const int count = __builtin_popcount (links);
  return (uint16_t) (links | (count != 2 ? END : 0) | (count > 2 ? JUNCTION : 0) | (count == 0 ? ISOLATED : 0));
}

static void
link_band (void *data, uint32_t band)
{
  Frame *frame = data;
  const CtrImage *mask = frame->mask;
  const uint32_t width = mask->width, height = mask->height;
  const uint32_t end = ctr_band_first (height, frame->bands, band + 1);
  uint64_t work = 0;
  for (uint32_t y = ctr_band_first (height, frame->bands, band); y < end; y++) {
    const uint8_t *here = (const uint8_t *) mask->data + (size_t) y * mask->stride;
    const uint8_t *above = y > 0 ? here - mask->stride : NULL, *below = y + 1 < height ? here + mask->stride : NULL;
    uint16_t *to = frame->links + (size_t) y * width;
    memset (to, 0, width * sizeof *to);
    for (uint32_t x = 0; x < width; x++)
      if (here[x])
        to[x] = describe (ctr_links_of (neighbours_of (above, here, below, x, width)));
    if (ctr_poll (&work, width)) {
      __atomic_store_n (&frame->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
  }
}

/* A chain that is being followed: the last row of its list. */
typedef struct {
  List *list;
  CtrContour row;
  CtrPoint at;
  uint16_t right, bottom;
} Chain;

static bool
append_point (Chain *chain)
{
  List *list = chain->list;
  CtrContour *row = &chain->row;
  if (row->count == UINT32_MAX || !ctr_host_buffer_reserve (&list->points, list->point_count + 1, sizeof (CtrPoint)))
    return false;
  ((CtrPoint *) list->points.data)[list->point_count++] = chain->at;
  row->count++;
  row->left = chain->at.x < row->left ? chain->at.x : row->left;
  row->top = chain->at.y < row->top ? chain->at.y : row->top;
  chain->right = chain->at.x > chain->right ? chain->at.x : chain->right;
  chain->bottom = chain->at.y > chain->bottom ? chain->at.y : chain->bottom;
  return true;
}

static bool
begin_chain (Frame *frame, Chain *chain, List *list, uint32_t x, uint32_t y)
{
  *chain =
      (Chain){.list = list, .row = {.first = list->point_count, .left = UINT16_MAX, .top = UINT16_MAX}, .at = {x, y}};
  const uint16_t pixel = frame->links[(size_t) y * frame->mask->width + x];
  if (pixel & END)
    chain->row.flags = CTR_CONTOUR_OPEN | (pixel & JUNCTION ? CTR_CONTOUR_START_JUNCTION : 0);
  return append_point (chain);
}

/* Keeps or drops a chain that has been followed to its end. */
static bool
end_chain (const Frame *frame, Chain *chain)
{
  List *list = chain->list;
  CtrContour *row = &chain->row;
  if (row->length < frame->plan->min_length) {
    list->point_count = row->first;
    return true;
  }
  row->width = chain->right - row->left + 1;
  row->height = chain->bottom - row->top + 1;
  if (row->flags & CTR_CONTOUR_OPEN)
    row->area2 = 0;
  if (list->row_count >= INT32_MAX / 2
      || !ctr_host_buffer_reserve (&list->rows, (size_t) list->row_count + 1, sizeof *row))
    return false;
  ((CtrContour *) list->rows.data)[list->row_count++] = *row;
  return true;
}

/* Follows a chain in DIRECTION until it ends, or comes back to its first point. */
static bool
follow (Frame *frame, Chain *chain, uint32_t direction)
{
  const size_t width = frame->mask->width;
  CtrContour *row = &chain->row;
  const CtrPoint first = chain->at;
  size_t i = chain->at.y * width + chain->at.x;
  for (;;) {
    const CtrPoint from = chain->at;
    frame->links[i] &= (uint16_t) ~(1u << direction);
    chain->at.x = (uint16_t) (from.x + ctr_link_x (direction));
    chain->at.y = (uint16_t) (from.y + ctr_link_y (direction));
    row->area2 += (int64_t) from.x * chain->at.y - (int64_t) chain->at.x * from.y;
    row->length += ctr_link_length (direction);
    i = chain->at.y * width + chain->at.x;
    frame->links[i] &= (uint16_t) ~(1u << ctr_link_back (direction));
    const uint16_t pixel = frame->links[i];
    if (!(row->flags & CTR_CONTOUR_OPEN) && chain->at.x == first.x && chain->at.y == first.y)
      return true;
    if (!append_point (chain))
      return false;
    if (pixel & END) {
      row->flags |= pixel & JUNCTION ? CTR_CONTOUR_END_JUNCTION : 0;
      return true;
    }
    direction = (uint32_t) __builtin_ctz (pixel & LINKS);
    if (ctr_poll (&frame->work, 4)) {
      frame->cancelled = true;
      return false;
    }
  }
}

static bool
find_chain (Frame *frame, List *list, uint32_t x, uint32_t y, uint32_t links)
{
  Chain chain;
  if (begin_chain (frame, &chain, list, x, y)
      && (links == 0 || follow (frame, &chain, (uint32_t) __builtin_ctz (links))) && end_chain (frame, &chain))
    return true;
  frame->out_of_memory = !frame->cancelled;
  return false;
}

/* Follows the chains that begin at a pixel: the open ones if OPEN, otherwise a closed one. */
static bool
find_chains_at (Frame *frame, uint32_t x, uint32_t y, bool open)
{
  uint16_t *pixel = &frame->links[(size_t) y * frame->mask->width + x];
  if (!open)
    return !(*pixel & LINKS) || find_chain (frame, &frame->state->closed, x, y, *pixel & LINKS);
  if (*pixel & ISOLATED)
    return find_chain (frame, &frame->state->open, x, y, 0);
  while (*pixel & END && *pixel & LINKS)
    if (!find_chain (frame, &frame->state->open, x, y, *pixel & LINKS))
      return false;
  return true;
}

static bool
find_chains (Frame *frame, bool open)
{
  const uint32_t width = frame->mask->width, height = frame->mask->height;
  for (uint32_t y = 0; y < height; y++) {
    const uint16_t *row = frame->links + (size_t) y * width;
    for (uint32_t x = 0; x < width; x++)
      if (row[x] && !find_chains_at (frame, x, y, open))
        return false;
    if (ctr_poll (&frame->work, width)) {
      frame->cancelled = true;
      return false;
    }
  }
  return true;
}

static bool
comes_before (CtrPoint a, CtrPoint b)
{
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

/* Merges both lists, by the first pixels of their chains, which differ. */
static bool
merge (Frame *frame, const CtrContours *info, const CtrContourArrays *arrays)
{
  const List *lists[] = {&frame->state->open, &frame->state->closed};
  uint32_t next[2] = {0};
  uint64_t first = 0;
  for (uint32_t i = 0; i < info->count; i++) {
    const CtrContour *rows[2];
    const CtrPoint *points[2];
    for (int k = 0; k < 2; k++) {
      const bool some = next[k] < lists[k]->row_count;
      rows[k] = some ? (const CtrContour *) lists[k]->rows.data + next[k] : NULL;
      points[k] = some ? (const CtrPoint *) lists[k]->points.data + rows[k]->first : NULL;
    }
    const int k = !rows[0] || (rows[1] && comes_before (*points[1], *points[0]));
    CtrContour *row = &arrays->table[i];
    next[k]++;
    *row = *rows[k];
    row->first = first;
    row->next = i + 1 < info->count ? (int32_t) i + 1 : -1;
    row->previous = (int32_t) i - 1;
    row->child = row->parent = -1;
    memcpy (arrays->points + first, points[k], row->count * sizeof (CtrPoint));
    first += row->count;
    if (ctr_poll (&frame->work, 8 + row->count / 4)) {
      frame->cancelled = true;
      return false;
    }
  }
  return true;
}

static bool
prepare (Frame *frame)
{
  const uint32_t width = frame->mask->width, height = frame->mask->height;
  State *state = frame->state;
  state->open.row_count = state->closed.row_count = 0;
  state->open.point_count = state->closed.point_count = 0;
  if (!ctr_host_buffer_reserve (&state->links, (size_t) width * height, sizeof (uint16_t)))
    return false;
  frame->links = state->links.data;
  return true;
}

/* The subpixels of RESULT, whose arrays are ARRAYS. */
static bool
find_subpixels (Frame *frame, const CtrContours *result, const CtrContourArrays *arrays, CtrError *error)
{
  const CtrEdgeChainsPlan *plan = frame->plan;
  const unsigned threads = ctr_threads_current ();
  CtrSubpixelPlane plane;
  if (result->point_count == 0)
    return true;
  return ctr_contour_subpixel_plane (&frame->state->luma, &plan->image, CTR_CHANNEL_LUMA, threads, &plane, error)
         && (ctr_edge_pixels_subpixel (
                 arrays->points, result->point_count, &plan->subpixel, &plane, threads, arrays->subpixel)
             || ctr_fail_cancelled (error));
}

static CtrContours *
link_edges (Frame *frame, CtrError *error)
{
  const unsigned threads = ctr_threads_current ();
  const CtrImage *mask = frame->mask;
  const List *open = &frame->state->open, *closed = &frame->state->closed;
  frame->out_of_memory = !prepare (frame);
  if (!frame->out_of_memory) {
    frame->bands = ctr_band_count (mask->width, mask->height, threads, BANDS_PER_THREAD, MIN_PIXELS);
    ctr_parallel_for (threads, frame->bands, link_band, frame);
  }
  if (frame->out_of_memory || frame->cancelled || !find_chains (frame, true) || !find_chains (frame, false)) {
    if (ctr_go_on (error))
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the edge chains of a %u x %u mask", mask->width,
          mask->height);
    return NULL;
  }
  const CtrContours info = {.width = mask->width,
      .height = mask->height,
      .count = open->row_count + closed->row_count,
      .point_count = open->point_count + closed->point_count,
      .coordinates = CTR_COORDINATES_PIXELS,
      .features = ctr_edge_chains_features (frame->plan),
      .vertices = CTR_VERTICES_STEPS,
      .connectivity = CTR_CONNECTIVITY_8};
  CtrContourArrays arrays;
  CtrContours *result = ctr_contours_alloc (&info, &arrays, error);
  if (!result)
    return NULL;
  const bool merged = merge (frame, &info, &arrays);
  if (!merged)
    ctr_fail_cancelled (error);
  if (merged && (!ctr_edge_chains_refines (frame->plan) || find_subpixels (frame, result, &arrays, error)))
    return result;
  ctr_contours_unref (result);
  return NULL;
}

static bool
enqueue (void *data, const CtrImage *mask, const CtrEdgeChainsPlan *plan, void *stream, CtrError *error)
{
  State *state = data;
  Frame frame = {.state = state, .mask = mask, .plan = plan};
  ctr_contours_unref (state->result);
  state->result = link_edges (&frame, error);
  /* A smaller mask may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled () && mask->data != state->mask.data)
    release_buffers (state);
  if (state->result && ctr_room_period_ends (&state->period))
    give_back (state);
  return state->result;
}

static CtrContours *
finish (void *data, CtrError *error)
{
  State *state = data;
  CtrContours *result = state->result;
  state->result = NULL;
  return result;
}

const CtrEdgeChainsOps ctr_edge_chains_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .get_mask = get_mask,
    .enqueue = enqueue,
    .finish = finish,
};
