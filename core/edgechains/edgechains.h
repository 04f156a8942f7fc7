/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge linking (include/contours/edgechains.h): its plan, and where its stages are. Internal.
 *
 *   stage                           core                    cpu                       cuda
 *   arguments, plan, backend        edgechains/edgechains.c
 *   links of a pixel                edgechains/links.h      edgechains/edgechains.c   edgechains/links.cu
 *   order of a chain's points       -                       edgechains/edgechains.c   contours/list_ranking.cu
 *   chains, points, table           -                       edgechains/edgechains.c   edgechains/assemble.cu
 *   subpixels                       results/edge_subpixel.h contours/contour_subpixel.c
 *                                   results/subpixel.c      -                         edgechains/subpixel.cu
 *   result                          results/contourlist.c   -                         contours/contour_pool.cu
 *   host side of the GPU            -                       -                         edgechains/edgechains.cu */
#ifndef CTR_CORE_EDGECHAINS_EDGECHAINS_H
#define CTR_CORE_EDGECHAINS_EDGECHAINS_H

#include "core/common/backend.h"
#include "core/results/subpixel.h"

#include <contours/edgechains.h>

CTR_BEGIN_DECLS

/* Valid parameters, limits as integers. */
typedef struct {
  uint64_t min_length;      /* CTR_LENGTH_UNIT */
  CtrSubpixelRule subpixel; /* of edge pixels, or NONE */
  CtrImage image;           /* unless NONE */
} CtrEdgeChainsPlan;

/* The core has checked the arguments. enqueue() may be called again before finish(): the older result is then dropped. */
typedef struct {
  CtrBackendOps base;
  /* Sets all of *MASK but its memory, which is the one that it has. */
  bool (*get_mask) (void *state, CtrImage *mask, CtrError *error);
  bool (*enqueue) (void *state, const CtrImage *mask, const CtrEdgeChainsPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrEdgeChainsOps;

static inline bool
ctr_edge_chains_refines (const CtrEdgeChainsPlan *plan)
{
  return plan->subpixel.method != CTR_SUBPIXEL_NONE;
}

/* CtrContours.features of the result. */
static inline uint32_t
ctr_edge_chains_features (const CtrEdgeChainsPlan *plan)
{
  return CTR_CONTOUR_FEATURE_CHAINS | (ctr_edge_chains_refines (plan) ? CTR_CONTOUR_FEATURE_SUBPIXEL : 0);
}

extern const CtrEdgeChainsOps ctr_edge_chains_ops_cpu;
extern const CtrEdgeChainsOps ctr_edge_chains_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
