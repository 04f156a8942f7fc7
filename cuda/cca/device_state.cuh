/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis on the GPU: the data that passes between its kernels.
 *
 * A frame passes through these kernels, in this order:
 *
 *   tile or run kernel     tiles.cu      Thresholds a tile of 128 x 64 pixels and labels it in shared memory.
 *   seam kernel            merge.cu      Unites the components that touch across the seams between tiles.
 *   order kernel           merge.cu      Adds up the united components and numbers all components in raster order.
 *   emit kernel            emit.cu       Writes the table of components, and a short one to the host, too.
 *   feature kernel         features.cu   On request: label image, second moments and grey values.
 *   select kernel          select.cu     On request: drops rows of the table by limits on their numbers.
 *   background kernel      background.cu On request: the pixels that are in no component.
 *   delivery kernel        result.cu     Copies a table to the host that the emit kernel has not brought there, unless it is long.
 *                                      In a large frame whose table is all that is asked for there is none: the emit kernel delivers the
 *                                      header, and the rows too where few components start in each tile.
 *
 * Where the time of each step counts more than its work, in a frame of few tiles, one kernel takes the place of all after
 * the first:
 *
 *   finish kernel          finish.cu     Does it all in one cluster of CTAs, unless features are asked for.
 *
 * And in a frame that a cluster can hold in its shared memory, all work is done in strips of rows, unless they have too many runs or components:
 *
 *   whole kernel           whole.cu      Does it all in one cluster.
 *   band kernel            bands.cu      In a larger frame, that a cluster would take too long to load, finds the components of bands of
 *                                        rows.
 *   join kernel            whole.cu      Behind the band kernel, does the rest as the whole kernel.
 *   direct join kernel     direct_join.cu  In its place where the bands have few components: its CTAs tell each other nothing.
 *
 * A component of a tile is closed if no pixel of it lies at a neighbouring tile; most are, and leave the tile kernel as
 * 16-byte records or, if they are single runs that touch no others, as bits. The others are open: they are the elements of
 * a global union-find. Labels belong to runs of foreground pixels, as in the paper's FLSL; only the label image has labels of
 * pixels.
 *
 * Components of equal samples have kernels of their own up to the table: values.cuh.
 *
 * The steps of a warp with a tile are in lone_runs.cuh, warp_runs.cuh and, where it has very many labels, row_walk.cuh and tile_output.cuh,
 * those of a CTA with one in tile_runs.cuh, and what warps and CTAs share in run_labels.cuh. On the host, cca.cu has the entry points,
 * graph_cache.cu the memory and the CUDA graphs, and result.cu the transfer of results. */
#ifndef CTR_CUDA_CCA_DEVICE_STATE_CUH
#define CTR_CUDA_CCA_DEVICE_STATE_CUH

#include "cuda/common/delivery.cuh"

#include "core/cca/cca.h"
#include "core/foreground/regions.h"
#include "core/results/select.h"

constexpr int TILE_W = 128;
constexpr int TILE_H = 64;
constexpr int TILE_WORDS = TILE_W / 32;           /* 32-pixel words of a tile's row */
constexpr int TILE_THREADS = TILE_WORDS * TILE_H; /* words of a tile; the feature kernel has a thread for each */
/* Runs of a row start at least two pixels apart, so x / 2 is a run's slot: it needs no counting. */
constexpr int ROW_SLOTS = TILE_W / 2;
constexpr int TILE_SLOTS = ROW_SLOTS * TILE_H;
constexpr int MAX_OPEN_COMPONENTS = 192; /* open components of a tile: at most half of the 380 pixels of its border */
/* Global memory for the labels of tiles with more than shared memory holds. Tests have fewer. */
#ifndef CTR_CCA_OVERFLOW_SLOTS
#define CTR_CCA_OVERFLOW_SLOTS 256
#endif
constexpr int OVERFLOW_SLOTS = CTR_CCA_OVERFLOW_SLOTS;
constexpr int OVERFLOW_LABELS = TILE_SLOTS;
constexpr unsigned NOT_OPEN = 255; /* border pixel of no open component */
/* A frame of more tiles, of more than 16 megapixels, is large for the kernels behind the tiles. Emulated tests have another number. */
#ifndef CTR_CCA_SMALL_FRAME
#define CTR_CCA_SMALL_FRAME 2048
#endif
constexpr uint32_t SMALL_FRAME = CTR_CCA_SMALL_FRAME;
constexpr uint32_t FEW_COMPONENTS = 64; /* a tile at most, on average, where few start in each */

struct alignas (16) TileHeader {
  uint32_t open;        /* number of open components */
  uint32_t closed;      /* number of closed components that have records */
  uint32_t closed_base; /* index of the first closed component's record */
  uint32_t marks;
};

/* TileHeader.marks. The tile has lone runs. From the order kernel on: the emit kernel has something to write of it. */
constexpr uint32_t TILE_HAS_LONE = 1, TILE_EMITS = 2;

/* By rows, as bits: runs that touch no others, which are components without records. Written if the tile has any. */
struct alignas (16) TileLoneRuns {
  uint32_t words[TILE_THREADS];
};

/* The pixels of a tile's four sides: which of them belong to open components (only where there is a neighbour), and to
 * which one of the tile's. Without open components the bits are zero and the indices are not written. */
struct TileBorder {
  uint64_t left;
  uint64_t right;
  uint32_t top[TILE_WORDS];
  uint32_t bottom[TILE_WORDS];
  uint8_t left_component[TILE_H];
  uint8_t right_component[TILE_H];
  uint8_t top_component[TILE_W];
  uint8_t bottom_component[TILE_W];
  uint8_t reserved[16];
};

/* Sums of an open component, in image coordinates. Its top row is in its key. */
struct OpenSums {
  unsigned long long sum_x;
  unsigned long long sum_y;
  uint32_t area;
  uint32_t left;
  uint32_t right;
  uint32_t bottom;
};

/* Union-find over open components: parents[i] is the key of the parent: row and column of its first pixel, then its
 * index. The root is the component with the least key, so a root's key is its place in raster order. */
typedef unsigned long long OpenKey;

__host__ __device__ inline OpenKey
open_key (uint32_t y, uint32_t x, uint32_t index)
{
  return (OpenKey) y << 48 | (OpenKey) x << 32 | index;
}

/* All are 0 between frames. A frame that has failed may leave others behind: then all state is made anew. */
struct CcaCounters {
  uint32_t closed;                /* records that tiles have reserved */
  uint32_t crowded;               /* as in CcaHeader */
  uint32_t runs;                  /* likewise */
  alignas (32) uint32_t labelled; /* tiles, if they are counted: polled, so in a sector that others leave alone */
  uint32_t ticket;                /* bands that CTAs of the order kernel have taken */
  uint32_t emitted;   /* CTAs of the emit kernel that have written their rows; of a large frame, rows at the host */
  uint32_t delivered; /* CTAs of the delivery kernel that have written their rows */
  uint32_t select_ticket, selected; /* CTAs of the select kernel that have begun, and that have written their rows */
};

/* What the host reads back first. In device memory the order kernel writes it. */
struct CcaHeader {
  uint32_t count;         /* components inside the area limits; ~0: TOO_MANY */
  uint32_t closed;        /* records needed */
  uint32_t threshold;     /* applied */
  uint32_t rows_complete; /* 1: all rows and records fit. 0: the table has gaps, and the frame is done again. */
  uint32_t crowded;  /* tiles of a large frame that a warp has no room for; pairs that the direct join walked for */
  uint32_t all_rows; /* of the table before limits on numbers; 0 without these */
  uint32_t too_many; /* The whole kernel has no room for the frame, which is done again: TOO_MANY_... */
  uint32_t runs;     /* of a small frame, where they have been counted; tiles leave out lone pixels */
};

/* The direct join has room for so many components of all bands. Each of its CTAs has the work of the whole frame: with more a cluster joins the
 * bands sooner. Emulated tests have another number. */
#ifndef CTR_CCA_MOST_JOINED
#define CTR_CCA_MOST_JOINED 3072
#endif
constexpr uint32_t CCA_MOST_JOINED = CTR_CCA_MOST_JOINED;

/* With more pairs the direct join rests: a cluster is quicker. Which ones need walks changes from run to run, but not what becomes of them. */
constexpr uint32_t CCA_MOST_PAIRS = 64;

/* CcaHeader.too_many: for the whole kernel, so that tiles take the frame, or for the direct join, so that the cluster joins its bands. */
constexpr uint32_t TOO_MANY_FOR_WHOLE = 1, TOO_MANY_FOR_DIRECT = 2;

/* Sums of the pixels that are in no component. All are 0 between frames, so extremes are maxima: NOT_LEFT is the
 * complement of the least x, NOT_FIRST that of the least y * width + x. */
struct BackgroundSums {
  unsigned long long sum_x;
  unsigned long long sum_y;
  uint32_t area;
  uint32_t not_left;
  uint32_t right;
  uint32_t bottom;
  uint32_t not_first;
  uint32_t reserved;
};

/* A table of so few rows goes to the host row by row, as the emit kernel makes it. For a longer one whole lines of host
 * memory are better: the delivery kernel copies it, or that of a large frame. */
constexpr uint32_t EARLY_ROWS = 512;

/* What the CTA for a band of rows finds (bands.cuh). */
struct BandOutput;

/* How a frame is cut into strips of rows. */
struct StripPlan {
  uint32_t ctas;            /* 0: not at all */
  uint32_t strips;          /* The other CTAs have no rows. */
  uint32_t rows;            /* of a strip; of the last one at most */
  uint32_t columns;         /* words of a row */
  uint32_t reciprocal;      /* 2 ^ STRIP_RECIPROCAL / columns, rounded up */
  uint32_t words;           /* of a thread */
  uint32_t shared;          /* bytes of a CTA of the cluster */
  uint32_t bands;           /* for which another kernel comes before; 0: there is none */
  uint32_t band_rows;       /* of a band; of a strip's last one at most */
  uint32_t most_runs;       /* of a frame; other kernels are quicker with more */
  uint32_t most_components; /* likewise; there is no room for more */
  bool wide;                /* Sums of the frame do not fit 32 bits. */
  bool direct;              /* No cluster joins the bands. */
};

constexpr int STRIP_RECIPROCAL = 20; /* bits; quotients of less than 2 ^ STRIP_RECIPROCAL / columns are exact */

/* Arguments of all kernels. Pointers are to device memory. A group's name says what indexes its arrays: the arrays of
 * by_tile have an element a tile; where an index has several elements, the comment says how many. Tiles are numbered
 * row by row. */
struct CcaKernelArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t depth;                   /* 8 or 16 bits; 1: PIXELS are the packed mask */
  uint32_t threshold;               /* used where threshold_device is NULL */
  const uint32_t *threshold_device; /* found in the image */
  uint32_t invert;
  uint32_t min_area, max_area;
  uint32_t tiles_x, tiles_y;
  bool counts_runs;  /* as counters->runs */
  bool counts_tiles; /* as counters->labelled, for which the finish kernel waits */
  bool emits_last;   /* No delivery kernel follows the emit kernel. */
  struct {
    const uint8_t *pixels;
    size_t stride;
    bool wide; /* 16 bits */
  } samples;   /* for grey values, percentiles and contrast */

  struct {
    TileHeader *headers;
    TileBorder *borders;
    TileLoneRuns *lone;
  } by_tile;
  struct {
    uint32_t *taken;  /* 0 between frames */
    uint32_t *labels; /* 4 * (OVERFLOW_LABELS + 1) words a slot */
  } by_overflow_slot;
  struct {
    unsigned long long *starts; /* bit: a component of the result has its first pixel in this run slot */
    uint32_t *table_rows;       /* the table's row of the first component that starts here or later */
  } by_tile_row;                /* [tile][TILE_H] */
  struct {
    OpenKey *parents;
    OpenSums *sums;
  } by_open_component; /* [tile][MAX_OPEN_COMPONENTS] */
  struct {
    uint4 *records;
    uint32_t capacity;
  } closed;
  struct {
    uint8_t *counts; /* components that start here; of the finish kernel */
  } by_image_row;    /* [image row][tiles_x] */
  struct {
    unsigned long long *counts; /* components, in the order kernel */
  } by_band;                    /* a band is a row of tiles */
  struct {
    BandOutput *outputs;
  } by_row_band;
  struct {
    uint32_t *frames; /* how many the CTA has joined, between frames as many as the others */
  } by_join_cta;
  CcaCounters *counters;
  CcaHeader *header;
  CtrDeviceNumbers *numbers; /* for kernels behind the analysis */

  struct {
    CtrComponent *components;
    uint32_t capacity;
  } table;

  /* Page-locked memory of the host. FLAG, one for each CTA of a kernel for strips or bands: NULL if only the delivery kernel writes there. */
  struct {
    uint32_t *flag;
    CcaHeader *header;
    CtrComponent *components;
    uint32_t rows; /* room; at least EARLY_ROWS */
  } host;

  /* For labels, moments and grey values; otherwise NULL. */
  struct {
    uint32_t *foreground; /* bit: pixel */
  } by_word;              /* [tile][TILE_THREADS] */
  struct {
    uint16_t *refs; /* of the run's component, see OPEN_REF */
  } by_run_slot;    /* [tile][TILE_SLOTS] */
  struct {
    uint32_t *labels;
  } by_open_root; /* as by_open_component; valid for roots */
  struct {
    uint32_t *labels;
  } by_pixel;
  struct {
    uint32_t *labels;
  } by_edge_pixel; /* first row, then last row; of strips */
  struct {
    CtrComponentMoments *moments;
    CtrComponentGrey *grey;
    CtrComponentPercentiles *percentiles;
    CtrComponentInscribed *inscribed;
    CtrComponentContrast *contrast;
    CtrComponentSkeleton *skeleton;
  } by_table_row;
  BackgroundSums *background; /* NULL: not asked for */
  struct {
    uint32_t *labels;           /* by row: its label behind limits on numbers, 0: dropped. NULL: without such limits */
    unsigned long long *states; /* of a scan; 0 between frames */
  } select;

  /* With regions, whose atlas is analysed, what regions.cu moves into the image. */
  struct {
    const CtrAtlasRegion *places; /* NULL: without regions */
    uint32_t count;
    uint32_t *labels; /* of the image, or NULL */
    uint32_t width, height;
  } regions;
};

/* Reference to a component of a tile: OPEN_REF | index among the open ones, or the run slot of its first pixel. */
constexpr uint16_t OPEN_REF = 0x8000;

/* A closed component in 16 bytes, relative to its tile.
 * Bits of x: area 13 (0 is 8192), sum_x 19; of y: sum_y 18, start_y 6, start_x 7; of z: left 7, right 7, bottom 6. */
struct ClosedRecord {
  uint32_t area, sum_x, sum_y, start_x, start_y, left, right, bottom;
};

__device__ inline uint4
pack_closed (const ClosedRecord &r)
{
  return make_uint4 ((r.area & 8191) << 19 | r.sum_x, r.sum_y << 13 | r.start_y << 7 | r.start_x,
      r.left << 13 | r.right << 6 | r.bottom, 0);
}

__device__ inline ClosedRecord
unpack_closed (uint4 p)
{
  ClosedRecord r;
  r.area = p.x >> 19 ? p.x >> 19 : TILE_W * TILE_H;
  r.sum_x = p.x & 0x7ffff;
  r.sum_y = p.y >> 13;
  r.start_y = p.y >> 7 & 63;
  r.start_x = p.y & 127;
  r.left = p.z >> 13;
  r.right = p.z >> 6 & 127;
  r.bottom = p.z & 63;
  return r;
}

__device__ inline bool
is_area_kept (const CcaKernelArgs &f, uint32_t area)
{
  return area >= f.min_area && (f.max_area == 0 || area <= f.max_area);
}

/* Have the starts of a tile's closed components been written? */
__device__ inline bool
has_closed (const TileHeader &header)
{
  return header.closed || header.marks & TILE_HAS_LONE;
}

/* The threshold, for a kernel that may have begun before it was found. */
__device__ inline uint32_t
late_threshold_of (const CcaKernelArgs &f)
{
  if (!f.threshold_device)
    return f.threshold;
  return *(const volatile uint32_t *) f.threshold_device;
}

/* Does the table go to the host row by row, as it is made? */
__device__ inline bool
is_early (const CcaKernelArgs &f, const CcaHeader &header)
{
  return f.host.flag && !f.emits_last && header.rows_complete && header.count <= EARLY_ROWS;
}

/* These queue the kernels. KEEP_RUNS: the feature kernel will follow. CROWDED: most tiles are likely to be. OVERLAP: the GPU has programmatic
 * dependent launch. */
void cca_launch_tiles (
    const CcaKernelArgs &args, int connectivity, bool keep_runs, bool crowded, bool overlap, cudaStream_t stream);
/* Can the tiles be counted? */
bool cca_has_run_kernel (const CcaKernelArgs &args);
/* FEW: few components are likely to start in each tile. */
void cca_launch_merge (const CcaKernelArgs &args, int connectivity, bool few, bool overlap, cudaStream_t stream);
/* COPY: the picture, which is kept if rows are missing and no kernel follows. */
void cca_launch_emit (
    const CcaKernelArgs &args, bool few, bool crowded, const PictureCopy &copy, bool overlap, cudaStream_t stream);
/* Has each row of tiles a CTA of the emit kernel? If that is the last kernel, it brings the rows to the host. */
bool cca_emits_by_bands (const CcaKernelArgs &args, bool few);
void cca_launch_features (const CcaKernelArgs &args, cudaStream_t stream);
bool cca_queue_moves (const CcaKernelArgs &args, cudaStream_t stream, CtrError *error);
/* Drops rows. LABELS: the label image of COUNT pixels, or NULL. */
void cca_launch_select (const CcaKernelArgs &args, const CtrSelectPlan &plan, uint32_t *labels, uint64_t count,
    bool overlap, cudaStream_t stream);
/* BACKGROUND: the sample of the background with CTR_COMPONENTS_EQUAL; ignored without EQUAL. */
void cca_launch_background (const CcaKernelArgs &args, bool equal, int32_t background, cudaStream_t stream);

#endif
