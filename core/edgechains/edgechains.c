/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge linking: the public functions. */
#include "core/edgechains/edgechains.h"

#include "core/common/contour_limits.h"
#include "core/common/error.h"

struct CtrEdgeChains {
  CtrAnalyser base;
};

static inline const CtrEdgeChainsOps *
ops_of (const CtrEdgeChains *chains)
{
  return (const CtrEdgeChainsOps *) chains->base.ops;
}

void
ctr_edge_chains_params_init (CtrEdgeChainsParams *params)
{
  *params = (CtrEdgeChainsParams){.subpixel_sigma = CTR_SUBPIXEL_SIGMA};
}

/* The contours of the queued mask. */
static CtrContours *
finish (CtrEdgeChains *chains, CtrError *error)
{
  CtrContours *contours = ops_of (chains)->finish (chains->base.state, error);
  ctr_analyser_note (&chains->base, contours);
  return contours;
}

static void
discard (CtrAnalyser *analyser)
{
  ctr_contours_unref (finish ((CtrEdgeChains *) analyser, NULL));
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrEdgeChains),
    .name = "edge linker",
    .input = "edge mask",
    .enqueue = "ctr_edge_chains_enqueue()",
    .discard = discard,
};

CtrEdgeChains *
ctr_edge_chains_new (CtrBackend backend, CtrError *error)
{
  const CtrEdgeChainsOps *ops = CTR_BACKEND_OPS (edge_chains, backend);
  return (CtrEdgeChains *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_edge_chains_free (CtrEdgeChains *chains)
{
  ctr_analyser_free ((CtrAnalyser *) chains);
}

bool
ctr_edge_chains_get_mask (
    CtrEdgeChains *chains, CtrMemory memory, uint32_t width, uint32_t height, CtrImage *mask, CtrError *error)
{
  ctr_analyser_discard (&chains->base);
  if (width == 0 || height == 0)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the edge mask is %u x %u pixels: it must have some", width, height);
  if (width > CTR_MAX_SIDE || height > CTR_MAX_SIDE)
    return ctr_fail (error, CTR_ERROR_TOO_LARGE, "the edge mask is %u x %u pixels: at most %u x %u are supported",
        width, height, CTR_MAX_SIDE, CTR_MAX_SIDE);
  if (memory != CTR_MEMORY_HOST && memory != CTR_MEMORY_DEVICE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown memory %d for an edge mask", (int) memory);
  *mask = (CtrImage){.width = width, .height = height, .format = CTR_FORMAT_GRAY8, .memory = memory};
  return ctr_analyser_check_memory (&chains->base, "edge mask", memory, error)
         && ctr_analyser_renew (&chains->base, error) && ops_of (chains)->get_mask (chains->base.state, mask, error);
}

static bool
check_subpixel (const CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, CtrError *error)
{
  const CtrImage *image = params->image;
  if (!ctr_subpixel_check (params->subpixel, params->subpixel_sigma, NULL, error))
    return false;
  if (params->subpixel == CTR_SUBPIXEL_NONE)
    return true;
  if (!image)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the image of the edges is NULL: subpixels need it; pass it in the parameters");
  if (!ctr_image_check (image, error))
    return false;
  if (image->width != mask->width || image->height != mask->height)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the image of the edges is %u x %u pixels, the edge mask %u x %u: they must be equal", image->width,
        image->height, mask->width, mask->height);
  return ctr_analyser_check_memory (&chains->base, "image of the edges", image->memory, error);
}

static bool
check_arguments (const CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, CtrError *error)
{
  if (!ctr_image_check (mask, error))
    return false;
  if (!params)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the parameters are NULL: ctr_edge_chains_params_init() fills in the defaults");
  if (mask->format != CTR_FORMAT_GRAY8)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the edge mask has the format %d: it must be CTR_FORMAT_GRAY8, with 0 where there is no edge",
        (int) mask->format);
  return ctr_contour_limit_check ("the minimum length", params->min_length, error)
         && ctr_analyser_check_memory (&chains->base, "edge mask", mask->memory, error)
         && check_subpixel (chains, mask, params, error);
}

bool
ctr_edge_chains_enqueue (
    CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, void *stream, CtrError *error)
{
  if (!ctr_analyser_accept (&chains->base, check_arguments (chains, mask, params, error), error))
    return false;
  CtrEdgeChainsPlan plan = {.min_length = ctr_contour_limit_min (params->min_length, CTR_LENGTH_UNIT)};
  ctr_subpixel_rule_init (&plan.subpixel, params->subpixel, params->subpixel_sigma, NULL);
  if (ctr_edge_chains_refines (&plan))
    plan.image = *params->image;
  chains->base.pending =
      ctr_analyser_note (&chains->base, ops_of (chains)->enqueue (chains->base.state, mask, &plan, stream, error));
  return chains->base.pending;
}

CtrContours *
ctr_edge_chains_finish (CtrEdgeChains *chains, CtrError *error)
{
  return ctr_analyser_take_pending (&chains->base, error) ? finish (chains, error) : NULL;
}

CtrContours *
ctr_edge_chains_run (
    CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, void *stream, CtrError *error)
{
  return ctr_edge_chains_enqueue (chains, mask, params, stream, error) ? ctr_edge_chains_finish (chains, error) : NULL;
}
