/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A component analyser on the host: its device memory, its cached CUDA graphs and the transfer of its results. */
#ifndef CTR_CUDA_CCA_ANALYSER_CUH
#define CTR_CUDA_CCA_ANALYSER_CUH

#include "cuda/cca/label_pool.h"
#include "cuda/cca/contrast.cuh"
#include "cuda/cca/inscribed.cuh"
#include "cuda/cca/percentiles.cuh"
#include "cuda/cca/skeleton.cuh"
#include "cuda/cca/values.cuh"
#include "cuda/common/delivery.cuh"
#include "cuda/common/graph.cuh"
#include "cuda/common/input_stage.h"

#include "core/common/room.h"

constexpr size_t CCA_HEADER_SIZE = 256; /* bytes before the table, for CcaHeader, and CtrDeviceNumbers in the middle */
constexpr size_t CCA_HEADER_BACKGROUND = 192; /* where BackgroundSums are in it */
constexpr int CCA_CACHED_GRAPHS = 16;         /* upstream pools hand out a few buffers in turn */

/* The inputs that determine a cached graph. */
struct CcaFrameKey {
  CtrImage image;
  CtrCcaParams params;
  const uint32_t *threshold; /* on the device, of a shared input or with MASK; or NULL */
  const uint32_t *mask;      /* packed, on the device, of a shared input or of the frame that is done again; or NULL */
  uint32_t *labels;          /* where the label image will be, with CTR_FEATURE_LABELS */
  /* Of the frame before, if it was large: most tiles were crowded, and few components started in each. */
  bool crowded, few;
  bool whole;  /* by the whole kernel, where that can do what is asked for */
  bool direct; /* bands by the direct join, where it can do it */
};

/* The arguments for one key, and from its second frame on the kernels as a CUDA graph. Valid while the analyser's memory
 * stays where it is. */
struct CcaCachedGraph {
  CcaFrameKey key;
  CcaKernelArgs args;
  ValueArgs values; /* with CTR_COMPONENTS_EQUAL */
  PercentileArgs percentiles;
  ColumnArgs columns;
  InscribedArgs inscribed;
  ThinningArgs thinning;
  InputView view;   /* the frame's samples and its mask on the GPU */
  StripPlan strips; /* of the whole kernel; without CTAs: by other kernels */
  PictureCopy copy;
  uint32_t flags;  /* which its last kernel sets */
  CudaGraph graph; /* of a former key until IS_BUILT */
  bool is_built;
  uint64_t generation; /* of the analyser's memory */
  uint64_t last_used;  /* number of the frame that launched it last */
};

/* When the whole kernel, or the direct join, had no room for a frame, or the latter was slow, it rests for some frames whose results are taken: for
 * more each time, unless as many had fitted in between. */
struct CcaRest {
  uint32_t left;   /* frames */
  uint32_t length; /* of the last rest */
  uint32_t fitted; /* frames since then */
};

struct CcaAnalyser {
  CudaSession session; /* first, see cuda_session_hold(); graphs are captured in its own stream */
  InputStage input;
  CtrDeviceBuffer tiles;  /* counters, and all arrays whose size depends only on the number of tiles */
  CtrDeviceBuffer closed; /* records of closed components */
  CtrDeviceBuffer result; /* header and table */
  CtrDeviceBuffer runs;   /* by_word, by_run_slot and by_open_root: for labels, moments and grey values */
  ResultPool *label_pool; /* NULL: not yet needed */
  LabelSlot *label_slot;  /* of the queued image; NULL: its result has it, or it has no labels */
  /* With CTR_COMPONENTS_EQUAL; parents: in place of the label image, without labels, where other features need one, too, and
   * the labels of the atlas of regions;
   * counters: CcaCounters. */
  CtrDeviceBuffer values, parents, counters;
  CtrDeviceBuffer bands; /* of rows: their components */
  uint32_t band_frames;  /* frames since these were cleared, at most */
  CtrDeviceBuffer edges; /* labels of the first and the last row, of strips */
  CtrDeviceBuffer moments;
  CtrDeviceBuffer grey;
  CtrDeviceBuffer percentiles;
  CtrDeviceBuffer sorted; /* PercentileArgs */
  CtrDeviceBuffer inscribed;
  CtrDeviceBuffer columns;    /* ColumnArgs */
  CtrDeviceBuffer inscribing; /* InscribedArgs */
  CtrDeviceBuffer contrast;
  CtrDeviceBuffer skeleton;
  CtrDeviceBuffer thinning; /* ThinningArgs */
  CtrDeviceBuffer select;   /* of limits on numbers: states, then labels */
  CtrDeviceBuffer host;     /* pinned: receives what is not delivered */
  Delivery delivery;        /* of CcaDelivered */
  uint32_t delivered_rows;  /* room for them */
  uint64_t generation;      /* counts the changes of these buffers */
  uint32_t closed_capacity, capacity;
  uint32_t used_closed, used; /* by the frames of this period at most */
  size_t used_labels;         /* bytes; likewise */
  uint32_t least_capacity;    /* that the sizes of its frames ask for */
  CtrRoomPeriod period;
  bool period_ended;
  uint32_t finish_ctas; /* of the finish kernel; 0: this GPU cannot run it */
  uint32_t whole_ctas;  /* likewise of the whole kernel */
  CcaRest rest, direct_rest;
  uint32_t run_count; /* of the last frame, where they were counted */

  CcaCachedGraph graphs[CCA_CACHED_GRAPHS];
  CcaCachedGraph *current;   /* of the last queued image */
  bool without_graphs;       /* One could not be built. */
  uint64_t frames;           /* number of launches */
  uint32_t likely_count;     /* of components, from the last image */
  bool was_crowded, had_few; /* as in CcaFrameKey */
  bool overtakes;            /* The queued frame follows one that was not finished, and that sets the flag, too. */
};

/* What a frame needs of the input stage. */
static inline InputNeed
cca_need (const CtrCcaParams *params)
{
  return {params->mode == CTR_COMPONENTS_EQUAL ? NULL : &params->foreground,
      params->mode == CTR_COMPONENTS_EQUAL || params->features & (CTR_FEATURE_GREY | CTR_FEATURE_PERCENTILES), false};
}

/* Where the last kernel writes a result in host memory: offsets in bytes from the header, for ROWS rows. */
struct CcaDelivered {
  uint32_t rows;
  size_t table, moments, grey, percentiles, inscribed, contrast, skeleton, edges, end;
};
CcaDelivered cca_delivered (const CcaKernelArgs *f, uint32_t rows);

/* Queues the last kernel. */
void cca_launch_delivery (const CcaKernelArgs &args, const Delivery *delivery, uint32_t rows, const PictureCopy &copy,
    bool overlap, cudaStream_t stream);

/* Can this GPU run the finish kernel? The number of its CTAs, or 0. And the number of tiles up to which so many CTAs can
 * finish a frame. */
uint32_t cca_finish_ctas ();
uint32_t cca_most_tiles_to_finish (uint32_t ctas);

/* Queues the finish kernel, on a GPU with programmatic dependent launch. */
void cca_launch_finish (
    const CcaKernelArgs &args, int connectivity, uint32_t ctas, const PictureCopy &copy, cudaStream_t stream);

/* Can this GPU run the whole kernel? The number of its CTAs, or 0. */
uint32_t cca_whole_ctas ();

/* Cuts a frame into strips for so many CTAs. DIRECT: bands are to be joined without a cluster. False: it is too large. */
bool cca_plan_whole (uint32_t width, uint32_t height, uint32_t ctas, bool direct, StripPlan *plan);

/* The kernels for bands: these set them up, lay out their memory, add them to PLAN, and queue them. False: that cannot be. */
bool cca_allow_bands ();
bool cca_allow_direct_join ();
size_t cca_lay_out_bands (CcaKernelArgs *args, uint8_t *base);
bool cca_plan_bands (uint32_t height, bool direct, StripPlan *plan);
void cca_launch_bands (
    const CcaKernelArgs &args, const StripPlan &plan, int connectivity, bool overlap, cudaStream_t stream);
void cca_launch_direct_join (
    const CcaKernelArgs &args, const StripPlan &plan, const PictureCopy &copy, cudaStream_t stream);

/* Queues the whole kernel, or that of bands and the one that joins them. OVERLAP: that of bands may overlap with the kernel before, as the whole
 * kernel always does. Nothing of the frame before may run by then, as the one that joins takes words of bands as soon as they are there. */
void cca_launch_whole (const CcaKernelArgs &args, const StripPlan &plan, int connectivity, const PictureCopy &copy,
    bool overlap, cudaStream_t stream);

/* Completes KEY with what the input stage knows of the frame already. */
static inline void
cca_know_mask (const CcaAnalyser *cca, CcaFrameKey *key)
{
  key->mask = cca->input.mask.bits;
  key->threshold = key->mask ? cca->input.mask_threshold : cca->input.threshold;
}

/* Makes CACHED that of KEY, with a reference to its regions; NULL: of none. */
void cca_set_key (CcaCachedGraph *cached, const CcaFrameKey *key);

/* Frees all buffers; the next frame allocates them again. Nothing may be queued. */
void cca_release_memory (CcaAnalyser *cca);

/* After the last frame of a period: gives back what its frames have not used of tables and records, if that is most of them.
 * Waits for queued work. */
bool cca_give_back_memory (CcaAnalyser *cca, CtrError *error);

/* Makes the graph for KEY current. A new key takes the place of the one unused for the longest time. Its kernels are
 * launched one by one, which is faster than building a graph, until it comes again. */
bool cca_select_graph (CcaAnalyser *cca, const CcaFrameKey *key, CtrError *error);

/* Launches the current graph, or its kernels, and marks the frame's end. */
bool cca_launch_graph (CcaAnalyser *cca, CtrError *error);

/* Waits for a complete result. Repeats the frame with more memory, or in tiles, until the result fits, which it mostly does at once. */
bool cca_wait_for_result (CcaAnalyser *cca, CcaHeader *header, CtrError *error);

/* Waits for the queued image and returns its result. If that outgrows the capacity, the capacity grows and the frame is
 * analysed again. */
CtrComponents *cca_take_result (CcaAnalyser *cca, CtrError *error);

#endif
