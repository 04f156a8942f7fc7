/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strips on their way: two lanes, so that the next strip can be uploaded and analysed while the last one is joined. */
#include "core/strips/contourstrips.h"

#include "core/borders/simplify.h"

#include "core/common/error.h"
#include "core/results/contourlist.h"

#include <string.h>

static bool
open_lane (CtrStrips *strips, CtrStripLane *lane, CtrError *error)
{
  lane->strips = strips;
  lane->analyser = strips->kind->open (strips->backend, error);
  if (!lane->analyser)
    return false;
#ifdef CTR_HAVE_CUDA
  if (strips->backend == CTR_BACKEND_CUDA) {
    lane->edge_reader = ctr_edge_rows_ops_cuda.create (error);
    return lane->edge_reader;
  }
#endif
  return true;
}

static void
close_lane (CtrStrips *strips, CtrStripLane *lane)
{
  ctr_analyser_free (lane->analyser);
#ifdef CTR_HAVE_CUDA
  if (lane->edge_reader)
    ctr_edge_rows_ops_cuda.destroy (lane->edge_reader);
#endif
  ctr_host_buffer_release (&lane->edges);
  ctr_host_buffer_release (&lane->levels);
}

CtrStrips *
ctr_strips_new (const CtrStripsKind *kind, CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  CtrWeb web;
  if (!ctr_web_init (&web, max_open_rows, error))
    return NULL;
  CtrStrips *strips = calloc (1, sizeof *strips);
  if (!strips) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for strips");
    return NULL;
  }
  strips->kind = kind;
  strips->backend = backend;
  strips->web = web;
  const CtrLineKind line = {kind->coordinates, CTR_APPROXIMATION_SIMPLE};
  ctr_stitcher_begin (&strips->stitcher, &line);
  strips->seam_analyser = kind->open (CTR_BACKEND_CPU, error);
  if (strips->seam_analyser && open_lane (strips, &strips->lanes[0], error)
      && (backend == CTR_BACKEND_CPU || open_lane (strips, &strips->lanes[1], error)))
    return strips;
  ctr_strips_free (strips);
  return NULL;
}

void
ctr_strips_free (CtrStrips *strips)
{
  if (!strips)
    return;
  ctr_strips_settle (strips, NULL);
  close_lane (strips, &strips->lanes[0]);
  close_lane (strips, &strips->lanes[1]);
  ctr_analyser_free (strips->seam_analyser);
  ctr_stitcher_release (&strips->stitcher);
  ctr_host_buffer_release (&strips->rows.samples);
  ctr_host_buffer_release (&strips->rows.row);
  free (strips);
}

static bool
settle_lane (CtrStripLane *lane, CtrError *error)
{
  CtrContours *result = lane->handed_out;
  if (!result)
    return true;
  const bool ok = ctr_contours_wait (result, error);
  lane->handed_out = NULL;
  ctr_contours_unref (result);
  return ok;
}

/* Both, the older one first. */
bool
ctr_strips_settle (CtrStrips *strips, CtrError *error)
{
  const bool older = settle_lane (&strips->lanes[strips->next_lane], error);
  return settle_lane (&strips->lanes[strips->next_lane ^ 1], older ? error : NULL) && older;
}

/* A new web, or what is left of one after a failure. */
static void
forget_open (CtrStrips *strips, uint64_t row)
{
  const CtrLineKind kind = strips->stitcher.kind;
  ctr_stitcher_begin (&strips->stitcher, &kind);
  strips->stitcher.seam = row;
  strips->rows.count = 0;
}

static void
restart (CtrStrips *strips)
{
  ctr_web_restart (&strips->web);
  strips->cut = false;
  forget_open (strips, 0);
}

void
ctr_strips_drop (CtrStrips *strips)
{
  ctr_strips_settle (strips, NULL);
  restart (strips);
}

void
ctr_strips_cut (CtrStrips *strips)
{
  strips->cut = true;
}

static bool
check_strip (const CtrStrips *strips, const CtrImage *strip, CtrError *error)
{
  if (!ctr_image_check (strip, error) || !ctr_web_check (&strips->web, strip, error))
    return false;
  if (strips->web.width > 0 && strip->format != strips->format)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the strip has format %d, and those before it %d: end the web before the format changes", (int) strip->format,
        (int) strips->format);
  return strips->backend != CTR_BACKEND_CPU || strip->memory == CTR_MEMORY_HOST
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "the strip is in device memory: the CPU backend needs it in host memory");
}

bool
ctr_strips_require (
    const char *parameter, int value, int required, const char *name, const char *reason, CtrError *error)
{
  return value == required
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the %s of strips is %d: it must be %d (%s), as %s", parameter,
             value, required, name, reason);
}

/* The lane for the next strip, when its last one is settled. NULL and error if STRIP cannot be the next one, or the
 * analysis of an earlier one has failed. */
static CtrStripLane *
begin (CtrStrips *strips, const CtrImage *strip, CtrError *error)
{
  CtrStripLane *lane = &strips->lanes[strips->next_lane];
  if (!settle_lane (lane, error) || !check_strip (strips, strip, error))
    return NULL;
  const uint32_t most = strips->kind->seam_rows;
  lane->image = *strip;
  lane->row = strips->web.end_row;
  lane->origin_row = ctr_web_origin (&strips->web, lane->row);
  lane->cut = strips->cut;
  lane->edge_count = strip->height < most ? strip->height : most;
  return lane;
}

/* Brings the strip's first and last rows to the host, or queues that. */
static bool
read_edges (CtrStripLane *lane, const CtrImage *strip, void *stream, CtrError *error)
{
  lane->edges_on_device = strip->memory == CTR_MEMORY_DEVICE;
#ifdef CTR_HAVE_CUDA
  if (lane->edges_on_device)
    return ctr_edge_rows_ops_cuda.read (lane->edge_reader, strip, lane->edge_count, stream, error);
#endif
  const size_t bytes = strip->width * ctr_format_pixel_size (strip->format);
  if (!ctr_host_buffer_reserve (&lane->edges, 2 * (size_t) lane->edge_count, bytes))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the rows at the ends of a strip");
  uint8_t *to = lane->edges.data;
  for (uint32_t i = 0; i < 2 * lane->edge_count; i++) {
    const size_t y = i < lane->edge_count ? i : strip->height - 2 * lane->edge_count + i;
    memcpy (to + i * bytes, (const uint8_t *) strip->data + y * strip->stride, bytes);
  }
  return true;
}

/* Takes the reference to CONTOURS. */
static CtrContours *
simplified (CtrContours *contours, double epsilon, CtrError *error)
{
  if (epsilon == 0)
    return contours;
  CtrContours *result = ctr_borders_simplify (contours, epsilon, error);
  ctr_contours_unref (contours);
  return result;
}

/* Completes the strip of LANE; those before it are complete. */
static CtrContours *
join (CtrStripLane *lane, CtrError *error)
{
  CtrStrips *strips = lane->strips;
  CtrContours *inside = strips->kind->finish (lane->analyser, error);
  CtrContours *result = inside ? ctr_strips_join (strips, lane, inside, error) : NULL;
  if (inside)
    ctr_contours_unref (inside);
  if (!result) {
    forget_open (strips, lane->row + lane->image.height);
    return NULL;
  }
  return simplified (result, lane->epsilon, error);
}

/* A strip before that has failed is reported by its own result. */
static bool
settle (void *data, void *result, CtrError *error)
{
  CtrStripLane *lane = data;
  if (lane->before) {
    ctr_contours_wait (lane->before, NULL);
    ctr_contours_unref (lane->before);
    lane->before = NULL;
  }
  CtrContours *complete = join (lane, error);
  if (complete)
    ctr_contours_settle (result, complete);
  return complete;
}

static bool
lead (void *data, void *stream, CtrError *error)
{
  CtrStripLane *lane = data;
#ifdef CTR_HAVE_CUDA
  if (lane->edges_on_device && !ctr_edge_rows_ops_cuda.lead (lane->edge_reader, stream, error))
    return false;
#endif
  return ctr_analyser_lead (lane->analyser, stream, error);
}

static const CtrPendingOps pending_ops = {.settle = settle, .lead = lead};

static CtrContours *
hand_out (CtrStrips *strips, CtrStripLane *lane, CtrError *error)
{
  const CtrContours info = {
      .width = lane->image.width,
      .height = (uint32_t) (lane->row + lane->image.height - lane->origin_row),
      .coordinates = strips->kind->coordinates,
      .features = lane->plan.features,
      .connectivity = lane->plan.connectivity,
      .origin_row = lane->origin_row,
  };
  CtrContours *before = strips->lanes[strips->next_lane ^ 1].handed_out;
  CtrContours *result = ctr_contours_new_pending (&info, &pending_ops, lane, error);
  if (!result)
    return NULL;
  lane->before = before ? ctr_contours_ref (before) : NULL;
  lane->handed_out = ctr_contours_ref (result);
  return result;
}

CtrContours *
ctr_strips_queue (
    CtrStrips *strips, const CtrImage *strip, const void *params, bool wait, void *stream, CtrError *error)
{
  CtrStripLane *lane = strips->kind->check_params (params, error) ? begin (strips, strip, error) : NULL;
  if (!lane || !strips->kind->set_params (lane, params, error))
    return NULL;
  if (!read_edges (lane, strip, stream, error) || !strips->kind->enqueue (lane, strip, stream, error))
    return NULL;
  strips->format = strip->format;
  strips->cut = false;
  ctr_web_append (&strips->web, strip);
  CtrContours *result;
  /* The host simplifies contours: the caller's thread is the one to be cancelled. */
  if (wait || lane->epsilon > 0 || strips->backend == CTR_BACKEND_CPU)
    result = ctr_strips_settle (strips, error) ? join (lane, error) : NULL;
  else
    result = hand_out (strips, lane, error);
  if (result && strips->backend == CTR_BACKEND_CUDA)
    strips->next_lane ^= 1;
  return result;
}

/* The end is like a strip without rows, of the parameters of the last one. */
static CtrContours *
join_end (CtrStrips *strips, CtrError *error)
{
  CtrStripLane end = strips->lanes[strips->backend == CTR_BACKEND_CUDA ? strips->next_lane ^ 1 : 0];
  end.row = strips->web.end_row;
  end.origin_row = ctr_web_origin (&strips->web, end.row);
  CtrContours *result = ctr_strips_join_end (strips, &end, error);
  return result ? simplified (result, end.epsilon, error) : NULL;
}

bool
ctr_strips_finish (CtrStrips *strips, CtrContours **rest, CtrError *error)
{
  *rest = NULL;
  const bool ok = ctr_strips_settle (strips, error) && (strips->web.width == 0 || (*rest = join_end (strips, error)));
  if (*rest && (*rest)->count == 0) {
    ctr_contours_unref (*rest);
    *rest = NULL;
  }
  restart (strips);
  return ok;
}
