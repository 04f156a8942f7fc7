/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/strips/chains.h"

#include <string.h>

enum { FIRST_CAPACITY = 256 };

static void
free_ends (CtrSeamEnds *ends)
{
  free (ends->keys);
  free (ends->chains);
  *ends = (CtrSeamEnds){0};
}

void
ctr_chains_release (CtrChains *chains)
{
  ctr_host_buffer_release (&chains->chains);
  ctr_host_buffer_release (&chains->blocks);
  free_ends (&chains->seam);
  free_ends (&chains->next_seam);
  *chains = (CtrChains){0};
}

static void
clear_ends (CtrSeamEnds *ends)
{
  if (ends->count > 0)
    memset (ends->keys, 0, ends->capacity * sizeof *ends->keys);
  ends->count = 0;
}

void
ctr_chains_clear (CtrChains *chains)
{
  chains->chain_count = chains->block_count = 0;
  chains->free_chain = chains->free_block = chains->absorbed = CTR_NO_CHAIN;
  clear_ends (&chains->seam);
  clear_ends (&chains->next_seam);
}

bool
ctr_chains_give_back (CtrChains *chains)
{
  CtrHostBuffer *const buffers[] = {&chains->chains, &chains->blocks};
  if (chains->seam.count > 0 || chains->next_seam.count > 0)
    return false;
  /* The counts are the most at a time since all were forgotten. */
  ctr_host_buffer_reserve (&chains->chains, chains->chain_count, sizeof (CtrChain));
  ctr_host_buffer_reserve (&chains->blocks, chains->block_count, sizeof (CtrPointBlock));
  ctr_chains_clear (chains);
  if (!ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers))
    return false;
  free_ends (&chains->seam);
  free_ends (&chains->next_seam);
  return true;
}

uint32_t
ctr_chain_new (CtrChains *chains, uint32_t level)
{
  uint32_t index = chains->free_chain;
  if (index != CTR_NO_CHAIN) {
    chains->free_chain = ctr_chain_at (chains, index)->into;
  } else {
    if (chains->chain_count == CTR_NO_CHAIN - 1
        || !ctr_host_buffer_reserve (&chains->chains, (size_t) chains->chain_count + 1, sizeof (CtrChain)))
      return CTR_NO_CHAIN;
    index = chains->chain_count++;
  }
  *ctr_chain_at (chains, index) =
      (CtrChain){.first_block = CTR_NO_CHAIN, .last_block = CTR_NO_CHAIN, .into = index, .level = level};
  return index;
}

static void
free_record (CtrChains *chains, uint32_t index)
{
  ctr_chain_at (chains, index)->into = chains->free_chain;
  chains->free_chain = index;
}

void
ctr_chain_free (CtrChains *chains, uint32_t index)
{
  const CtrChain *chain = ctr_chain_at (chains, index);
  if (chain->first_block != CTR_NO_CHAIN) {
    ctr_block_at (chains, chain->last_block)->next = chains->free_block;
    chains->free_block = chain->first_block;
  }
  free_record (chains, index);
}

static bool
add_block (CtrChains *chains, CtrChain *chain)
{
  uint32_t block = chains->free_block;
  if (block != CTR_NO_CHAIN) {
    chains->free_block = ctr_block_at (chains, block)->next;
  } else {
    if (chains->block_count == CTR_NO_CHAIN - 1
        || !ctr_host_buffer_reserve (&chains->blocks, (size_t) chains->block_count + 1, sizeof (CtrPointBlock)))
      return false;
    block = chains->block_count++;
  }
  ctr_block_at (chains, block)->next = CTR_NO_CHAIN;
  ctr_block_at (chains, block)->count = 0;
  if (chain->first_block == CTR_NO_CHAIN)
    chain->first_block = block;
  else
    ctr_block_at (chains, chain->last_block)->next = block;
  chain->last_block = block;
  return true;
}

/* Rows are compared as the shortest way around 2^32 says. */
static inline bool
is_above (uint32_t a, uint32_t b)
{
  return (int32_t) (a - b) < 0;
}

bool
ctr_chain_push (CtrChains *chains, uint32_t index, CtrWebPoint point)
{
  CtrChain *chain = ctr_chain_at (chains, index);
  const bool first = chain->first_block == CTR_NO_CHAIN;
  if ((first || ctr_block_at (chains, chain->last_block)->count == CTR_BLOCK_POINTS) && !add_block (chains, chain))
    return false;
  CtrPointBlock *block = ctr_block_at (chains, chain->last_block);
  block->points[block->count++] = point;
  if (first || is_above (point.y, chain->top))
    chain->top = point.y;
  return true;
}

static inline uint64_t
key_of (const CtrSeamStep *step)
{
  /* Not 0, as side is -1, 0 or 1. */
  return (uint64_t) step->level << 32 | (uint64_t) step->x << 3 | (uint64_t) (step->side + 2) << 1 | step->down;
}

/* The place of KEY, or the free one where it belongs. */
static uint32_t
place_of (const CtrSeamEnds *ends, uint64_t key)
{
  const uint32_t mask = ends->capacity - 1;
  uint32_t place = (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 32) & mask;
  while (ends->keys[place] != 0 && ends->keys[place] != key)
    place = (place + 1) & mask;
  return place;
}

static bool
grow (CtrSeamEnds *ends)
{
  CtrSeamEnds larger = {.capacity = ends->capacity ? 2 * ends->capacity : FIRST_CAPACITY, .count = ends->count};
  larger.keys = calloc (larger.capacity, sizeof *larger.keys);
  larger.chains = calloc (larger.capacity, sizeof *larger.chains);
  if (!larger.keys || !larger.chains || larger.capacity > UINT32_MAX / 4) {
    free (larger.keys);
    free (larger.chains);
    return false;
  }
  for (uint32_t i = 0; i < ends->capacity; i++) {
    if (ends->keys[i] == 0)
      continue;
    const uint32_t place = place_of (&larger, ends->keys[i]);
    larger.keys[place] = ends->keys[i];
    larger.chains[place] = ends->chains[i];
  }
  free (ends->keys);
  free (ends->chains);
  *ends = larger;
  return true;
}

/* The chain that has taken in chain INDEX. */
static uint32_t
whole_of (CtrChains *chains, uint32_t index)
{
  while (ctr_chain_at (chains, index)->into != index) {
    CtrChain *chain = ctr_chain_at (chains, index);
    chain->into = ctr_chain_at (chains, chain->into)->into;
    index = chain->into;
  }
  return index;
}

uint32_t
ctr_chains_take (CtrChains *chains, const CtrSeamStep *step)
{
  if (chains->seam.count == 0)
    return CTR_NO_CHAIN;
  const uint32_t place = place_of (&chains->seam, key_of (step));
  if (chains->seam.keys[place] == 0 || chains->seam.chains[place] == CTR_NO_CHAIN)
    return CTR_NO_CHAIN;
  const uint32_t index = whole_of (chains, chains->seam.chains[place]);
  chains->seam.chains[place] = CTR_NO_CHAIN;
  return index;
}

bool
ctr_chains_leave (CtrChains *chains, uint32_t index, const CtrSeamStep *step)
{
  CtrSeamEnds *ends = &chains->next_seam;
  if (2 * ends->count >= ends->capacity && !grow (ends))
    return false;
  const uint32_t place = place_of (ends, key_of (step));
  ends->count += ends->keys[place] == 0;
  ends->keys[place] = key_of (step);
  ends->chains[place] = index;
  return true;
}

void
ctr_chains_join (CtrChains *chains, uint32_t index, uint32_t more)
{
  CtrChain *chain = ctr_chain_at (chains, index), *end = ctr_chain_at (chains, more);
  ctr_block_at (chains, chain->last_block)->next = end->first_block;
  chain->last_block = end->last_block;
  chain->tail_lost = end->tail_lost;
  if (is_above (end->top, chain->top))
    chain->top = end->top;
  end->into = index;
  end->last_block = chains->absorbed;
  chains->absorbed = more;
}

/* Nothing continues this end of a chain. */
static bool
lose_end (CtrChains *chains, uint32_t place, bool (*lost) (void *context, uint32_t index), void *context)
{
  const uint32_t index = whole_of (chains, chains->seam.chains[place]);
  CtrChain *chain = ctr_chain_at (chains, index);
  const bool is_tail = chains->seam.keys[place] & 1;
  chain->tail_lost |= is_tail;
  chain->head_lost |= !is_tail;
  return !(chain->head_lost && chain->tail_lost) || lost (context, index);
}

bool
ctr_chains_next_seam (CtrChains *chains, bool (*lost) (void *context, uint32_t index), void *context)
{
  CtrSeamEnds *old = &chains->seam, *next = &chains->next_seam;
  for (uint32_t i = 0; old->count > 0 && i < old->capacity; i++)
    if (old->keys[i] != 0 && old->chains[i] != CTR_NO_CHAIN && !lose_end (chains, i, lost, context))
      return false;
  for (uint32_t i = 0; next->count > 0 && i < next->capacity; i++)
    if (next->keys[i] != 0)
      next->chains[i] = whole_of (chains, next->chains[i]);
  while (chains->absorbed != CTR_NO_CHAIN) {
    const uint32_t index = chains->absorbed;
    chains->absorbed = ctr_chain_at (chains, index)->last_block;
    free_record (chains, index);
  }
  clear_ends (old);
  const CtrSeamEnds swapped = *old;
  *old = *next;
  *next = swapped;
  return true;
}

bool
ctr_chains_drop_old (CtrChains *chains, uint32_t top, bool (*lost) (void *context, uint32_t index), void *context)
{
  CtrSeamEnds *ends = &chains->seam;
  for (uint32_t i = 0; ends->count > 0 && i < ends->capacity; i++) {
    const uint32_t index = ends->keys[i] != 0 ? ends->chains[i] : CTR_NO_CHAIN;
    if (index == CTR_NO_CHAIN || !is_above (ctr_chain_at (chains, index)->top, top))
      continue;
    /* Its other end, if any, finds its chain marked. */
    CtrChain *chain = ctr_chain_at (chains, index);
    const bool is_tail = ends->keys[i] & 1, other_is_here = is_tail ? !chain->head_lost : !chain->tail_lost;
    chain->head_lost |= !is_tail;
    chain->tail_lost |= is_tail;
    ends->chains[i] = CTR_NO_CHAIN;
    if (!other_is_here && !lost (context, index))
      return false;
  }
  return true;
}
