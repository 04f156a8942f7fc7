/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Open contours of a web that arrives in strips: lines of points whose ends lie at the seam to rows that are not known
 * yet. Internal.
 *
 * The rows of a web are those of its vertices: pixels of borders, corners of level contours. A step is the way from one
 * vertex to the next. A step across a seam is unique by its level, place, direction and sense, so that it names the two
 * ends that it connects. */
#ifndef CTR_CORE_STRIPS_CHAINS_H
#define CTR_CORE_STRIPS_CHAINS_H

#include "cpu/common/host_buffer.h"

#include <contours/types.h>

/* A vertex of the web; y is its row modulo 2^32. Open contours are shorter than that by far. */
typedef struct {
  uint32_t x;
  uint32_t y;
} CtrWebPoint;

/* The step across a seam: of LEVEL, from or to (x, the row above the seam), to or from (x + side, the row below). */
typedef struct {
  uint32_t level;
  uint32_t x;
  int32_t side;
  bool down;
} CtrSeamStep;

enum { CTR_NO_CHAIN = UINT32_MAX };

typedef struct {
  uint32_t first_block; /* points, in order */
  uint32_t last_block;
  uint32_t into; /* the chain that it has become part of; its own index: none */
  uint32_t level;
  uint32_t top;   /* its smallest row */
  bool head_lost; /* What comes before its first point was reported already, or never seen. */
  bool tail_lost;
} CtrChain;

/* Chains by the steps that lead from their last point or to their first one: a hash table. */
typedef struct {
  uint64_t *keys; /* 0: free */
  uint32_t *chains;
  uint32_t capacity; /* a power of two, or 0 */
  uint32_t count;
} CtrSeamEnds;

enum { CTR_BLOCK_POINTS = 15 };

typedef struct {
  uint32_t next;
  uint32_t count;
  CtrWebPoint points[CTR_BLOCK_POINTS];
} CtrPointBlock;

/* Zeroed before first use, then ctr_chains_clear(). */
typedef struct {
  CtrHostBuffer chains; /* CtrChain */
  CtrHostBuffer blocks; /* CtrPointBlock */
  uint32_t chain_count, block_count;
  uint32_t free_chain, free_block; /* linked by into and next */
  uint32_t absorbed;               /* chains that became part of others since the last seam, linked by last_block */
  CtrSeamEnds seam;                /* ends at the seam above the rows that are being added */
  CtrSeamEnds next_seam;           /* ends at the seam below */
} CtrChains;

void ctr_chains_release (CtrChains *chains);

/* Ends a period (core/common/room.h): gives back memory that is far more than was needed, unless chains are open. Was there
 * so much? */
bool ctr_chains_give_back (CtrChains *chains);

/* Forgets all chains. */
void ctr_chains_clear (CtrChains *chains);

static inline CtrChain *
ctr_chain_at (const CtrChains *chains, uint32_t index)
{
  return (CtrChain *) chains->chains.data + index;
}

static inline CtrPointBlock *
ctr_block_at (const CtrChains *chains, uint32_t index)
{
  return (CtrPointBlock *) chains->blocks.data + index;
}

/* An empty chain. CTR_NO_CHAIN if there is no memory. */
uint32_t ctr_chain_new (CtrChains *chains, uint32_t level);
void ctr_chain_free (CtrChains *chains, uint32_t index);

/* Appends a point. False if there is no memory. */
bool ctr_chain_push (CtrChains *chains, uint32_t index, CtrWebPoint point);

/* The chain that goes on across the seam above by STEP, which is then no longer there; CTR_NO_CHAIN: none does. */
uint32_t ctr_chains_take (CtrChains *chains, const CtrSeamStep *step);

/* Notes that the chain goes on across the seam below by STEP. False if there is no memory. */
bool ctr_chains_leave (CtrChains *chains, uint32_t index, const CtrSeamStep *step);

/* MORE, another chain, becomes the end of chain INDEX. */
void ctr_chains_join (CtrChains *chains, uint32_t index, uint32_t more);

/* Moves on to the next seam. LOST is called for chains of which both ends are lost, because nothing took their ends at
 * the old seam. It frees the chain. False if LOST returns false. */
bool ctr_chains_next_seam (CtrChains *chains, bool (*lost) (void *context, uint32_t index), void *context);

/* Calls LOST for each chain that goes on at the current seam and began before row TOP. Their ends there are forgotten:
 * what continues them is a new chain. */
bool ctr_chains_drop_old (CtrChains *chains, uint32_t top, bool (*lost) (void *context, uint32_t index), void *context);

#endif
