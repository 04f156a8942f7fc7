/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: thinning, by the rules of core/cca/skeleton.h.
 *
 *   links kernel      Finds which neighbours of a pixel have its label, as bits.
 *   thinning kernel   Removes pixels in rounds. In a round a CTA has a tile and what is around it in shared memory, and goes through
 *                     as many passes as the margin has pixels: what it does not know of comes one pixel nearer with each of them.
 *
 * The rounds are those of one kernel, so that their number need not be known before. The CTAs take tiles by tickets, round by round, and
 * wait until all tiles of the round before are complete. These have been taken by CTAs that have started, and that wait for none but
 * still older ones: so it does not matter how many CTAs run at once. A tile is passed over if the round before has changed neither it
 * nor a tile at it, and thinning ends with a round that has changed none. */
#include "cuda/cca/thinning.cuh"

namespace
{

constexpr int LINK_THREADS = 256;
constexpr uint32_t TILE_COLUMNS = 8, TILE_ROWS = 96; /* words, and pixels */
constexpr uint32_t PASSES = THINNING_WORD;           /* of a round: an even number */
constexpr uint32_t COLUMNS = TILE_COLUMNS + 2, ROWS = TILE_ROWS + 2 * PASSES;
constexpr uint32_t SHARE = 5; /* rows of a thread, in one column */
constexpr uint32_t THREADS = COLUMNS * (ROWS / SHARE);
constexpr unsigned MOST_CTAS = 132 * 2;
static_assert (ROWS % SHARE == 0 && PASSES % 2 == 0, "threads have whole shares, and rounds begin with the first pass");

/* The pixels before and after a pass, with zeros around them. */
struct Tile {
  uint32_t pixels[2][ROWS + 2][COLUMNS + 2];
  unsigned long long ticket;
  bool ends, is_active;
};

__device__ inline uint32_t
label_at (const CcaKernelArgs &f, uint32_t x, uint32_t y)
{
  return x < f.width && y < f.height ? f.by_pixel.labels[(size_t) y * f.width + x] : 0; /* also before the first ones */
}

/* A warp a word. */
__global__ void
__launch_bounds__ (LINK_THREADS)
    links_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ThinningArgs t)
{
  const uint32_t lane = threadIdx.x % 32, number = (blockIdx.x * LINK_THREADS + threadIdx.x) / 32;
  const uint32_t x = number % t.words * THINNING_WORD + lane, y = number / t.words;
  if (!f.header->rows_complete || y >= f.height)
    return;
  const uint32_t label = label_at (f, x, y);
  const auto link = [&] (uint32_t dx, uint32_t dy) {
    return __ballot_sync (~0u, label && label_at (f, x + dx, y + dy) == label);
  };
  const uint32_t pixels = __ballot_sync (~0u, label != 0);
  ThinningLinks links = {};
  if (pixels)
    links = {make_uint4 (link (0, -1u), link (1, -1u), link (1, 0), link (1, 1)),
        make_uint4 (link (0, 1), link (-1u, 1), link (-1u, 0), link (-1u, -1u))};
  if (lane)
    return;
  t.pixels[0][number] = pixels;
  t.links[number] = links;
}

/* In this order, the last one first, neighbours decide with the fewest operations. */
constexpr int ORDER[2][CTR_NEIGHBOURS] = {{0, 3, 4, 7, 1, 2, 5, 6}, {2, 3, 6, 1, 7, 0, 4, 5}};

/* The pixels that PASS removes, as a tree of decisions: those of its neighbours that are not among the first COUNT of the order are as
 * in the neighbourhood KNOWN. The compiler drops decisions that make no difference, and takes equal ones together. */
template <int PASS, int KNOWN, int COUNT>
__device__ __forceinline__ uint32_t
find_removed (const uint32_t *around)
{
  if constexpr (COUNT == 0) {
    constexpr bool is_removed = ctr_skeleton_removes[PASS][KNOWN / 32] >> KNOWN % 32 & 1;
    return is_removed ? ~0u : 0;
  } else {
    constexpr int next = ORDER[PASS][COUNT - 1];
    const uint32_t with = find_removed<PASS, KNOWN | 1 << next, COUNT - 1> (around),
                   without = find_removed<PASS, KNOWN, COUNT - 1> (around);
    return (with & around[next]) | (without & ~around[next]);
  }
}

/* A thread's words. */
struct Share {
  uint32_t column, row; /* in the tile with its margin */
  ThinningLinks links[SHARE];
  uint32_t pixels[SHARE];
  uint32_t changed; /* bit: this word */

  /* Loads the words of the tile at X, Y, in words and rows, also beyond the image. */
  __device__ void
  load (const CcaKernelArgs &f, const ThinningArgs &t, const uint32_t *from, uint32_t x, uint32_t y)
  {
    column = threadIdx.x % COLUMNS;
    row = threadIdx.x / COLUMNS * SHARE;
    changed = 0;
#pragma unroll
    for (uint32_t i = 0; i < SHARE; i++) {
      /* Those before the first ones wrap around. */
      const uint32_t at_x = x + column - 1, at_y = y + row + i - PASSES;
      const size_t number = (size_t) at_y * t.words + at_x;
      pixels[i] = 0;
      links[i] = {};
      if (at_x >= t.words || at_y >= f.height)
        continue;
      pixels[i] = __ldcg (&from[number]); /* other CTAs have written it */
      if (pixels[i])
        links[i] = t.links[number];
    }
  }

  __device__ bool
  is_empty () const
  {
    uint32_t all = 0;
#pragma unroll
    for (uint32_t i = 0; i < SHARE; i++)
      all |= pixels[i];
    return !all;
  }

  __device__ void
  store (uint32_t (*to)[COLUMNS + 2]) const
  {
#pragma unroll
    for (uint32_t i = 0; i < SHARE; i++)
      to[row + i + 1][column + 1] = pixels[i];
  }

  /* Removes what PASS does. FROM: all pixels before it. Has it removed any? */
  template <int PASS>
  __device__ bool
  thin (const uint32_t (*from)[COLUMNS + 2])
  {
    uint32_t before[SHARE + 2], west[SHARE + 2], east[SHARE + 2], removed_any = 0;
#pragma unroll
    for (uint32_t i = 0; i < SHARE + 2; i++) {
      const uint32_t *words = &from[row + i][column];
      before[i] = i == 0 || i > SHARE ? words[1] : pixels[i - 1];
      west[i] = __funnelshift_l (words[0], before[i], 1);
      east[i] = __funnelshift_r (before[i], words[2], 1);
    }
#pragma unroll
    for (uint32_t i = 0; i < SHARE; i++) {
      const uint32_t around[CTR_NEIGHBOURS] = {before[i] & links[i].to_north.x, east[i] & links[i].to_north.y,
          east[i + 1] & links[i].to_north.z, east[i + 2] & links[i].to_north.w, before[i + 2] & links[i].to_south.x,
          west[i + 2] & links[i].to_south.y, west[i + 1] & links[i].to_south.z, west[i] & links[i].to_south.w};
      const uint32_t removed = pixels[i] & find_removed<PASS, 0, CTR_NEIGHBOURS> (around);
      pixels[i] &= ~removed;
      changed |= removed ? 1u << i : 0;
      removed_any |= removed;
    }
    return removed_any;
  }

  /* Writes the words of the tile at X, Y that are not its margin. Has one of them changed? */
  __device__ bool
  write (const CcaKernelArgs &f, const ThinningArgs &t, uint32_t *to, uint32_t x, uint32_t y) const
  {
    bool some = false;
    const uint32_t at_x = x + column - 1;
    if (column == 0 || column > TILE_COLUMNS || at_x >= t.words)
      return false;
#pragma unroll
    for (uint32_t i = 0; i < SHARE; i++) {
      const uint32_t at_y = y + row + i - PASSES;
      if (row + i < PASSES || row + i >= PASSES + TILE_ROWS || at_y >= f.height)
        continue;
      to[(size_t) at_y * t.words + at_x] = pixels[i];
      some |= changed >> i & 1;
    }
    return some;
  }
};

/* Waits until the rounds before ROUND are complete. Has the last one changed a pixel? */
__device__ inline bool
wait_for_rounds (const ThinningArgs &t, unsigned long long round, unsigned long long tiles)
{
  if (round == 0)
    return true;
  const volatile ThinningCounters *counters = t.counters;
  while (counters->done < round * tiles)
    __nanosleep (100);
  __threadfence ();
  return counters->changed >= round;
}

/* Has a round changed the tile at X, Y, or one at it? */
__device__ inline bool
has_changed (const ThinningArgs &t, const uint8_t *changed, uint32_t x, uint32_t y)
{
  bool some = false;
  for (uint32_t row = y > 0 ? y - 1 : 0; row <= y + 1 && row < t.tiles_y; row++)
    for (uint32_t column = x > 0 ? x - 1 : 0; column <= x + 1 && column < t.tiles_x; column++)
      some |= __ldcg (&changed[(size_t) row * t.tiles_x + column]);
  return some;
}

/* Goes through the passes of a round on the tile at X, Y, in words and rows. Has it changed? */
__device__ inline bool
thin_tile (
    const CcaKernelArgs &f, const ThinningArgs &t, Tile &s, const uint32_t *from, uint32_t *to, uint32_t x, uint32_t y)
{
  Share share;
  share.load (f, t, from, x, y);
  share.store (s.pixels[0]);
  __syncthreads ();
#pragma unroll 1
  for (uint32_t pass = 0; pass < PASSES; pass += 2) {
    bool some = false;
    if (!share.is_empty ())
      some = share.thin<0> (s.pixels[0]);
    share.store (s.pixels[1]);
    __syncthreads ();
    if (!share.is_empty ())
      some |= share.thin<1> (s.pixels[1]);
    share.store (s.pixels[0]);
    if (!__syncthreads_or (some))
      break;
  }
  return __syncthreads_or (share.write (f, t, to, x, y));
}

__global__ void
__launch_bounds__ (THREADS, 2)
    thinning_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ThinningArgs t)
{
  __shared__ Tile s;
  const unsigned long long tiles = (unsigned long long) t.tiles_x * t.tiles_y;
  if (!f.header->rows_complete)
    return;
  for (uint32_t i = threadIdx.x; i < sizeof s.pixels / sizeof (uint32_t); i += THREADS)
    (&s.pixels[0][0][0])[i] = 0;
  for (bool ends = false; !ends;) {
    if (threadIdx.x == 0) {
      s.ticket = atomicAdd (&t.counters->ticket, 1);
      const unsigned long long round = s.ticket / tiles;
      const uint32_t tile = (uint32_t) (s.ticket % tiles);
      s.ends = !wait_for_rounds (t, round, tiles);
      s.is_active =
          !s.ends && (round == 0 || has_changed (t, t.changed[(round - 1) % 2], tile % t.tiles_x, tile / t.tiles_x));
    }
    __syncthreads ();
    const unsigned long long round = s.ticket / tiles;
    const uint32_t tile = (uint32_t) (s.ticket % tiles), turn = round % 2;
    const bool is_active = s.is_active;
    ends = s.ends;
    bool changed = false;
    if (is_active)
      changed = thin_tile (
          f, t, s, t.pixels[turn], t.pixels[!turn], tile % t.tiles_x * TILE_COLUMNS, tile / t.tiles_x * TILE_ROWS);
    __threadfence ();
    __syncthreads ();
    if (threadIdx.x != 0)
      continue;
    if (!ends)
      t.changed[turn][tile] = changed;
    if (changed)
      atomicMax (&t.counters->changed, (uint32_t) round + 1);
    __threadfence ();
    atomicAdd (&t.counters->done, 1); /* also of a tile that is not looked at: others wait for it to know the end */
  }
}

} // namespace

size_t
cca_lay_out_thinning (const CcaKernelArgs *f, ThinningArgs *t, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  t->words = ctr_div_up (f->width, THINNING_WORD);
  t->tiles_x = ctr_div_up (t->words, TILE_COLUMNS);
  t->tiles_y = ctr_div_up (f->height, TILE_ROWS);
  const size_t words = (size_t) t->words * f->height, tiles = (size_t) t->tiles_x * t->tiles_y;
  t->counters = c.take<ThinningCounters> (1);
  t->links = c.take<ThinningLinks> (words);
  for (uint32_t *&pixels : t->pixels)
    pixels = c.take<uint32_t> (words);
  for (uint8_t *&changed : t->changed)
    changed = c.take<uint8_t> (tiles);
  return c.used;
}

bool
cca_queue_thinning (const CcaKernelArgs &f, const ThinningArgs &t, cudaStream_t stream, CtrError *error)
{
  const uint32_t words = t.words * f.height, tiles = t.tiles_x * t.tiles_y;
  CTR_CUDA (cudaMemsetAsync (t.counters, 0, sizeof *t.counters, stream));
  ctr_launch (links_kernel, ctr_div_up (words, LINK_THREADS / 32), LINK_THREADS, 0, stream, f, t);
  ctr_launch (thinning_kernel, min (tiles, MOST_CTAS), THREADS, 0, stream, f, t);
  return true;
}
