/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tile of the picture in shared memory, with its passages and what they know. */
#ifndef CTR_CUDA_BORDERS_TILE_CUH
#define CTR_CUDA_BORDERS_TILE_CUH

#include "cuda/borders/device_state.cuh"

namespace
{

/* Bit fields of Tile.place: slot (2 bits), column (6), row (6), flags. */
constexpr uint32_t PLACE_SLOT = 3, PLACE_KEPT = 1 << 14, PLACE_OUTER = 1 << 15; /* An outer border may start here. */
constexpr int PLACE_X = 2, PLACE_Y = 8;

/* Bit fields of Tile.step: flags, the next passage (12). In the end all but STEP_RULER give way to the number, in the part, of the segment
 * that this passage stands for. */
constexpr uint32_t STEP_KEPT = 1; /* It is added to numbers of points. */
constexpr int STEP_PASSAGE = 1;
constexpr uint32_t STEP_MOST = 0xfff;   /* of the next passage, or of the number */
constexpr uint32_t STEP_LAST = 1 << 13; /* The next passage is in another part, or there is none. */
constexpr uint32_t STEP_RULER = 1 << 14;

constexpr uint32_t RULER_SPACING = 16; /* of numbers */

/* What a ruler knows of its chain: at first about the passages up to the next ruler, in the end about all that follow. The passages of a
 * tile are numbered in raster order, so of the passages where a ring may start, that with the least number has the smallest key: no ring
 * has an outer border's start to the right of a pixel where a hole starts, as background lies there. */
struct __align__ (8) Jump
{
  /* JUMP_DONE, JUMP_RING; the ruler after the known passages, or the chain's last passage; in the lower half points of the known ones,
   * or of the ring of which it is the start. Of other passages: their ruler; points from that to the passage. */
  uint32_t way;
  /* NO_START, or the known passage where the ring may start first; in the lower half points before it. In the end: RESULT_CLOSED; the
   * number of the segment in the part; in the lower half points of it before the ruler. */
  uint32_t start;

  __device__ uint32_t passage () const
  {
    return way >> 16 & 0x3fff;
  }
  __device__ uint32_t points () const
  {
    return way & 0xffff;
  }
  __device__ uint32_t start_passage () const
  {
    return start >> 16;
  }
  __device__ uint32_t points_before_start () const
  {
    return start & 0xffff;
  }
};
constexpr uint32_t JUMP_DONE = 1u << 31; /* All that follows is known. */
constexpr uint32_t JUMP_RING = 1u << 30; /* It is a ring, whose first start is known. */
constexpr uint32_t NO_START = 0xffffu << 16;
constexpr uint32_t RESULT_CLOSED = 1u << 31;

constexpr int MARGIN_THREADS = 2 * BORDERS_TILE; /* The first ones also have pixels to the left and to the right. */
constexpr int TILE_WORDS = BORDERS_TILE * BORDERS_TILE_WORDS, STRIDE = BORDERS_TILE_WORDS + 2;

/* A tile. A tile with more than MOST_PASSAGES passages is processed in bands of rows: "parts". Tiles of frames with many passages have
 * room for more, so that few are in parts, and more THREADS for these. Of tiles with fewer threads more share a multiprocessor. */
template <bool FOUR_CONNECTED_, int THREADS_> struct Tile {
  static constexpr bool FOUR_CONNECTED = FOUR_CONNECTED_;
  /* CTAs have all threads of a multiprocessor, and share its memory. With 512 threads, most tiles of noise are one part. */
  static constexpr int THREADS = THREADS_, SHARED_BY = 2048 / THREADS;
  static constexpr int MOST_PASSAGES = THREADS == 512 ? 3248 : THREADS == 256 ? 1664 : 704;
  static constexpr uint32_t ALL_RULERS = 2 * THREADS; /* Of so few passages, all are rulers: walks would take longer. */
  static_assert (MOST_PASSAGES <= STEP_MOST + 1, "and Jump has room for twice the points of a ring");
  static_assert (THREADS >= TILE_WORDS && THREADS >= MARGIN_THREADS, "a thread a word, and a thread a pixel");
  /* An 8-connected chequerboard has two passages a pixel. A pixel of 4-connected foreground has up to four. */
  static constexpr int LEAST_ROWS = THREADS / 32 / (FOUR_CONNECTED ? 2 : 1);
  static_assert (
      LEAST_ROWS * BORDERS_TILE * (FOUR_CONNECTED ? 4 : 2) <= MOST_PASSAGES, "a part of so few rows always has room");

  uint32_t bits[(BORDERS_TILE + 2) * STRIDE]; /* all rows, with a margin of one pixel */
  int top, rows;                              /* of the part */

  __align__ (16) uint32_t slots[TILE_WORDS][4];
  uint16_t base[TILE_WORDS]; /* earlier passages */
  Jump jump[MOST_PASSAGES];
  uint16_t place[MOST_PASSAGES];
  uint16_t step[MOST_PASSAGES];
  /* From the front: first passages of open segments. From the back: other rulers, or starts of closed segments if all are rulers. */
  uint16_t rulers[MOST_PASSAGES];
  uint32_t warp_sums[TILE_WORDS / 32];
  uint32_t open, closed, others; /* segments; other rulers */
  uint32_t bases[3];             /* numbers of the part's first passage, open segment and closed segment */

  /* The eight neighbours of a pixel of the part. */
  __device__ uint32_t
  neighbours (uint32_t x, uint32_t y) const
  {
    const uint32_t at = 31 + x, shift = at % 32;
    const uint32_t *b = bits + (top + y) * STRIDE + at / 32;
    const uint32_t above = __funnelshift_r (b[0], b[1], shift),
                   same = __funnelshift_r (b[STRIDE], b[STRIDE + 1], shift),
                   below = __funnelshift_r (b[2 * STRIDE], b[2 * STRIDE + 1], shift);
    return eight_neighbours (above, same, below);
  }

  __device__ uint32_t
  passage_at (uint32_t x, uint32_t y, uint32_t slot) const
  {
    const uint32_t word = y * BORDERS_TILE_WORDS + x / 32;
    return base[word] + passages_before (slots[word], x % 32, slot);
  }

  __device__ PassageShape<FOUR_CONNECTED>
  shape (uint32_t passage) const
  {
    const uint32_t p = place[passage];
    return PassageShape<FOUR_CONNECTED> (neighbours (p >> PLACE_X & 63, p >> PLACE_Y & 63), p & PLACE_SLOT);
  }

  /* The directions that lead out of the part from a pixel, as bits. */
  __device__ uint32_t
  ways_out (uint32_t x, uint32_t y) const
  {
    return (x == 0                     ? 0x38
               : x == BORDERS_TILE - 1 ? 0x83
                                       : 0)
           | (y == 0 ? 0x0e : 0) | (y == (uint32_t) rows - 1 ? 0xe0 : 0);
  }

  __device__ Jump
  load_jump (uint32_t passage) const
  {
    const unsigned long long both = *(const volatile unsigned long long *) &jump[passage];
    return {(uint32_t) both, (uint32_t) (both >> 32)};
  }

  /* Others load the jump before or after, but never a half of it. */
  __device__ void
  store_jump (uint32_t passage, const Jump &with)
  {
    *(volatile unsigned long long *) &jump[passage] = (unsigned long long) with.start << 32 | with.way;
  }

  /* Ruler K, the first passage of an open segment or, behind these, another one; if not all passages are rulers. */
  __device__ uint32_t
  ruler (uint32_t k) const
  {
    return rulers[k < open ? k : MOST_PASSAGES - 1 - (k - open)];
  }

  /* Where all passages are rulers, the start of closed segment K. */
  __device__ uint16_t &
  ring (uint32_t k)
  {
    return rulers[MOST_PASSAGES - 1 - k];
  }

  /* One thread begins a part of ROWS_ rows from TOP_ on. */
  __device__ void
  begin (int top_, int rows_)
  {
    top = top_;
    rows = rows_;
    open = closed = others = 0;
  }

  /* Coordinates in the image. */
  __device__ uint32_t
  image_x (int x) const
  {
    return blockIdx.x * BORDERS_TILE + x;
  }
  __device__ uint32_t
  image_y (int y) const
  {
    return blockIdx.y * BORDERS_TILE + top + y;
  }
};

} // namespace

#endif
