/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny on the GPU, host side: memory, automatic thresholds, the order of the kernels, and the output picture.
 * device_state.cuh has the design. */
#include "cuda/canny/device_state.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include <stdlib.h>
#include <string.h>

namespace
{

struct Thresholds {
  int32_t values[2]; /* low, high */
};

struct Canny {
  InputStage input;
  CtrDeviceBuffer tiles; /* all arrays of CannyKernelArgs but the mask */
  CtrDeviceBuffer thresholds;
  CtrDeviceBuffer mask; /* used if no plane of the picture can hold the mask */
  CtrDeviceBuffer bits; /* the mask of a host picture, packed */
  CtrDeviceBuffer host; /* pinned: receives the bits */
  CudaSession session;

  bool to_host; /* a host picture is queued: */
  CtrEdgePicture picture;
  uint32_t width, height;
};

void *
canny_create (CtrError *error)
{
  Canny *canny = (Canny *) calloc (1, sizeof (Canny));
  if (!canny) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for an edge detector");
    return NULL;
  }
  input_stage_init (&canny->input);
  canny->host.pinned = true;
  bool ok = cuda_session_open (&canny->session, "preparing an edge detector", error);
  const cudaError_t status = ok ? canny_prepare_tiles () : cudaSuccess;
  ok = ok && (status == cudaSuccess || ctr_cuda_fail (error, status, "preparing an edge detector"));
  if (ok)
    return canny;
  cuda_session_close (&canny->session);
  free (canny);
  return NULL;
}

void
canny_destroy (void *state)
{
  Canny *canny = (Canny *) state;
  cuda_session_close (&canny->session);
  input_stage_free (&canny->input);
  ctr_device_buffer_free (&canny->tiles);
  ctr_device_buffer_free (&canny->thresholds);
  ctr_device_buffer_free (&canny->mask);
  ctr_device_buffer_free (&canny->bits);
  ctr_device_buffer_free (&canny->host);
  free (canny);
}

constexpr int THRESHOLD_THREADS = 256;

/* One CTA derives the two thresholds from the histogram of 8-bit samples, or its Otsu threshold. */
__global__ void
__launch_bounds__ (THRESHOLD_THREADS) threshold_kernel (const uint32_t *histogram, const uint32_t *otsu,
    uint64_t pixels, uint32_t mode, uint32_t aperture, bool l2_gradient, Thresholds *thresholds)
{
  __shared__ uint32_t counts[THRESHOLD_THREADS];
  counts[threadIdx.x] = histogram[threadIdx.x];
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  const uint32_t level = mode == CTR_CANNY_OTSU ? *otsu - 1 : ctr_canny_level (CTR_CANNY_MEDIAN, counts, pixels);
  ctr_canny_auto_thresholds (
      (CtrCannyThresholdMode) mode, aperture, l2_gradient, level, &thresholds->values[0], &thresholds->values[1]);
}

/* Paints one plane of the picture, a thread a pixel of the plane. */
__global__ void
paint_kernel (
    CtrEdgePlane plane, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height, uint32_t plane_width)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t plane_height = ((height - 1) >> plane.y_shift) + 1;
  if (x >= plane_width)
    return;
  for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < plane_height; y += gridDim.y * blockDim.y) {
    bool edge = false;
    for (uint32_t v = y << plane.y_shift; v < (y + 1) << plane.y_shift && v < height; v++)
      for (uint32_t u = x << plane.x_shift; u < (x + 1) << plane.x_shift && u < width; u++)
        edge = edge || mask[v * mask_stride + u];
    const uint8_t *source =
        plane.source ? (const uint8_t *) plane.source + y * plane.source_stride + x * plane.pixel_size : plane.edge;
    uint8_t *to = (uint8_t *) plane.data + y * plane.stride + x * plane.pixel_size;
    for (uint32_t i = 0; i < plane.pixel_size; i++)
      to[i] = edge ? source[i] : plane.background[i];
  }
}

/* Pixels of the mask, 16 bytes of 0 or 255, as bits. */
__device__ inline uint32_t
pack16 (uint4 v)
{
  const uint32_t high = 0x80808080u;
  const uint32_t low = __dp4a (v.y & high, 0x80402010u, __dp4a (v.x & high, 0x08040201u, 0u));
  const uint32_t top = __dp4a (v.w & high, 0x80402010u, __dp4a (v.z & high, 0x08040201u, 0u));
  return low >> 7 | top << 1;
}

/* Packs the mask, whose rows are aligned, into rows of WORDS words: bit i of word w is pixel 32 w + i, and bits behind
 * the row are 0. A thread a word. */
__global__ void
pack_kernel (const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height, uint32_t words, uint32_t *bits)
{
  const uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words)
    return;
  const uint32_t inside = w * 32 < width ? min (width - w * 32, 32u) : 0;
  const uint32_t valid = inside < 32 ? (1u << inside) - 1 : ~0u;
  for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y) {
    const uint4 *from = (const uint4 *) (mask + y * mask_stride + w * 32);
    bits[(size_t) y * words + w] = (pack16 (from[0]) | pack16 (from[1]) << 16) & valid;
  }
}

/* 32-bit words of a packed row: whole 64-bit words of the host. */
uint32_t
packed_words (uint32_t width)
{
  return 2 * ctr_div_up (width, 64);
}

/* Queues the packing of the mask and its way to the host. */
bool
queue_bits (Canny *canny, const CannyKernelArgs *f, cudaStream_t stream, CtrError *error)
{
  const uint32_t words = packed_words (f->width);
  const dim3 block (32, 8), grid (ctr_div_up (words, 32), min (ctr_div_up (f->height, 8), 65535u));
  pack_kernel<<<grid, block, 0, stream>>> (
      f->mask, f->mask_stride, f->width, f->height, words, (uint32_t *) canny->bits.data);
  CTR_CUDA (cudaGetLastError ());
  CTR_CUDA (cudaMemcpyAsync (canny->host.data, canny->bits.data, (size_t) words * f->height * sizeof (uint32_t),
      cudaMemcpyDeviceToHost, stream));
  return true;
}

size_t
lay_out_tiles (CannyKernelArgs *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->by_tile.counts = c.take<CannyTileCounts> (tiles);
  f->by_tile.borders = c.take<CannyTileBorder> (tiles);
  f->by_tile_run.runs = c.take<uint32_t> (tiles * f->tile_h * (CANNY_W / 2));
  f->by_component.parents = c.take<uint32_t> (1 + tiles * CANNY_COMPONENTS);
  return c.used;
}

void
describe_samples (CannyKernelArgs *f, const CtrImage *plane, uint32_t sample_shift)
{
  f->pixels = (const uint8_t *) plane->data;
  f->stride = plane->stride;
  f->aligned = (((uintptr_t) plane->data | plane->stride) & 15) == 0;
  f->pixel_size = ctr_format_pixel_size (plane->format);
  f->samples = plane->format == CTR_FORMAT_GRAY8    ? SAMPLES_8
               : plane->format == CTR_FORMAT_GRAY16 ? SAMPLES_16
                                                    : SAMPLES_RGB;
  f->sample_shift = sample_shift;
  input_stage_rgb (plane->format, &f->red, &f->green, &f->blue);
}

bool
canny_lead_default (void *state, CtrError *error)
{
  const Canny *canny = (const Canny *) state;
  CTR_CUDA (cudaStreamWaitEvent (cudaStreamLegacy, canny->session.done, 0));
  return true;
}

/* Waits for the queued frame and fills a host picture. */
bool
canny_finish (void *state, CtrError *error)
{
  Canny *canny = (Canny *) state;
  const bool pending = canny->session.stream != NULL, to_host = canny->to_host;
  canny->session.stream = NULL;
  canny->to_host = false;
  if (to_host)
    ctr_edge_picture_clear (&canny->picture, canny->width, canny->height); /* while the GPU works */
  if (pending)
    CTR_CUDA (cuda_wait_for_event (canny->session.done, &canny->session.wait));
  if (to_host)
    ctr_edge_picture_draw (&canny->picture, (const uint64_t *) canny->host.data, packed_words (canny->width) / 2,
        canny->width, canny->height);
  return true;
}

/* Memory for the frame. Waits for queued work before any memory moves. */
bool
reserve (Canny *canny, CannyKernelArgs *f, const CtrImage *image, bool automatic, bool own_mask, bool to_host,
    CtrError *error)
{
  const CtrThresholdMode mode = automatic ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
  const size_t tiles = lay_out_tiles (f, NULL), mask = own_mask ? ctr_aligned_row (f->width) * f->height : 0;
  const size_t bits = to_host ? (size_t) packed_words (f->width) * f->height * sizeof (uint32_t) : 0;
  const size_t thresholds = automatic ? sizeof (Thresholds) : 0;
  if (tiles > canny->tiles.size || mask > canny->mask.size || bits > canny->bits.size
      || thresholds > canny->thresholds.size || !input_stage_has_room (&canny->input, image, mode))
    CTR_CUDA (cudaStreamSynchronize (canny->session.stream));
  bool fresh;
  if (!input_stage_reserve (&canny->input, image, mode, canny->session.stream, &fresh, error)
      || !ctr_device_buffer_reserve (&canny->tiles, tiles, error)
      || !ctr_device_buffer_reserve (&canny->mask, mask, error)
      || !ctr_device_buffer_reserve (&canny->bits, bits, error)
      || !ctr_device_buffer_reserve (&canny->host, bits, error)
      || !ctr_device_buffer_reserve (&canny->thresholds, thresholds, error))
    return false;
  lay_out_tiles (f, (uint8_t *) canny->tiles.data);
  return true;
}

/* Are all bytes of PLANE equal, whatever the edges are? */
bool
is_uniform (const CtrEdgePlane *plane)
{
  bool uniform = !plane->source;
  for (uint32_t k = 0; k < plane->pixel_size; k++)
    uniform = uniform && plane->edge[k] == plane->background[0] && plane->background[k] == plane->background[0];
  return uniform;
}

/* Adds the uniform planes of PICTURE to those that the kernels fill. Its first plane is none of them. */
void
add_fills (const CtrEdgePicture *picture, CannyKernelArgs *f)
{
  for (uint32_t i = 1; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    const uint32_t width = ((f->width - 1) >> plane->x_shift) + 1, height = ((f->height - 1) >> plane->y_shift) + 1;
    if (is_uniform (plane))
      f->fills[f->fill_count++] = {(uint8_t *) plane->data, plane->stride, (size_t) width * plane->pixel_size, height,
          plane->background[0] * 0x01010101u};
  }
}

bool
queue_paint (const CtrEdgePicture *picture, const CannyKernelArgs *f, cudaStream_t stream, CtrError *error)
{
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    const uint32_t width = ((f->width - 1) >> plane->x_shift) + 1, height = ((f->height - 1) >> plane->y_shift) + 1;
    if (plane->data == f->mask || (i > 0 && is_uniform (plane)))
      continue;
    const dim3 block (32, 8), grid (ctr_div_up (width, 32), min (ctr_div_up (height, 8), 65535u));
    paint_kernel<<<grid, block, 0, stream>>> (*plane, f->mask, f->mask_stride, f->width, f->height, width);
    CTR_CUDA (cudaGetLastError ());
  }
  return true;
}

bool
queue_frame (
    Canny *canny, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture, CtrError *error)
{
  const bool automatic = plan->threshold_mode != CTR_CANNY_ABSOLUTE, to_host = picture->memory == CTR_MEMORY_HOST;
  const bool own_mask = to_host || !ctr_edge_plane_is_mask (&picture->planes[0]);
  CannyKernelArgs f = {};
  f.width = image->width;
  f.height = image->height;
  f.tile_h = canny_tile_height (f.width, f.height, plan->aperture, plan->l2_gradient);
  f.tiles_x = ctr_div_up (f.width, CANNY_W);
  f.tiles_y = ctr_div_up (f.height, f.tile_h);
  if (!reserve (canny, &f, image, automatic, own_mask, to_host, error))
    return false;

  cudaStream_t stream = canny->session.stream;
  CtrImage plane = input_stage_view (&canny->input, image);
  if (!input_stage_upload (&canny->input, image, stream, error))
    return false;
  if (automatic) {
    const uint32_t *histogram, *otsu;
    if (!input_stage_histogram_8 (&canny->input, image, plan->sample_shift, &plane, &histogram, &otsu, stream, error))
      return false;
    Thresholds *thresholds = (Thresholds *) canny->thresholds.data;
    threshold_kernel<<<1, THRESHOLD_THREADS, 0, stream>>> (histogram, otsu, (uint64_t) f.width * f.height,
        plan->threshold_mode, plan->aperture, plan->l2_gradient, thresholds);
    CTR_CUDA (cudaGetLastError ());
    f.thresholds = thresholds->values;
  }
  describe_samples (&f, &plane, plan->sample_shift);
  f.mask = (uint8_t *) (own_mask ? canny->mask.data : picture->planes[0].data);
  f.mask_stride = own_mask ? ctr_aligned_row (f.width) : picture->planes[0].stride;
  f.mask_aligned = (((uintptr_t) f.mask | f.mask_stride) & 15) == 0;
  f.aperture = plan->aperture;
  f.l2_gradient = plan->l2_gradient;
  f.low = plan->low;
  f.high = plan->high;
  f.radius = plan->radius;
  memcpy (f.weights, plan->weights, 2 * plan->radius + 1);
  if (!to_host)
    add_fills (picture, &f);

  canny_launch_tiles (f, stream);
  canny_launch_seams (f, canny->session.overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  if (!to_host)
    return queue_paint (picture, &f, stream, error);
  if (!queue_bits (canny, &f, stream, error))
    return false;
  canny->to_host = true;
  canny->picture = *picture;
  canny->width = f.width;
  canny->height = f.height;
  return true;
}

bool
canny_enqueue (void *state, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  Canny *canny = (Canny *) state;
  /* A queued host picture needs its mask before the next frame overwrites it. */
  if ((canny->to_host && !canny_finish (canny, error)) || !cuda_session_begin_in_order (&canny->session, stream, error))
    return false;
  if (queue_frame (canny, image, plan, picture, error) && cuda_session_mark (&canny->session, error)
      && input_stage_release_image (&canny->input, error))
    return true;
  cuda_session_end (&canny->session, false);
  canny->to_host = false;
  return false;
}

} // namespace

extern "C" const CtrCannyOps ctr_canny_ops_cuda = {
    {canny_create, canny_destroy}, canny_enqueue, canny_lead_default, canny_finish};
