/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the mask or the values of Canny to the picture, or to what the host makes the picture of. */
#include "cuda/canny/device_state.cuh"

#include "cuda/common/error.cuh"
#include "cuda/common/launch.cuh"

namespace
{

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

/* Likewise, from values. */
__global__ void
paint_values_kernel (CtrEdgePlane plane, const uint16_t *values, uint32_t width, uint32_t height, uint32_t plane_width)
{
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t plane_height = ((height - 1) >> plane.y_shift) + 1;
  if (x >= plane_width)
    return;
  for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < plane_height; y += gridDim.y * blockDim.y) {
    uint32_t value = 0;
    for (uint32_t v = y << plane.y_shift; v < (y + 1) << plane.y_shift && v < height; v++)
      for (uint32_t u = x << plane.x_shift; u < (x + 1) << plane.x_shift && u < width; u++)
        value = max (value, (uint32_t) values[(size_t) v * width + u]);
    uint8_t *to = (uint8_t *) plane.data + y * plane.stride + x * plane.pixel_size;
    for (uint32_t i = 0; i < plane.pixel_size; i++)
      to[i] = ctr_edge_plane_blend (&plane, i, (uint16_t) value);
  }
}

/* A block of BLOCK for each pixel of WIDTH x HEIGHT, whose threads go down where the grid is too low. */
const dim3 BLOCK (32, 8);

dim3
grid_of (uint32_t width, uint32_t height)
{
  return dim3 (ctr_div_up (width, BLOCK.x), min (ctr_div_up (height, BLOCK.y), 65535u));
}

void
launch_paint (const CannyKernelArgs &f, const CtrEdgePlane &plane, cudaStream_t stream)
{
  const uint32_t columns = ((f.width - 1) >> plane.x_shift) + 1, rows = ((f.height - 1) >> plane.y_shift) + 1;
  ctr_launch (paint_kernel, grid_of (columns, rows), BLOCK, 0, stream, plane, f.mask, f.mask_stride, f.width, f.height,
      columns);
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

} // namespace

void
canny_launch_pack (const CannyKernelArgs &f, uint32_t words, uint32_t *bits, cudaStream_t stream)
{
  ctr_launch (
      pack_kernel, grid_of (words, f.height), BLOCK, 0, stream, f.mask, f.mask_stride, f.width, f.height, words, bits);
}

void
canny_add_fills (const CtrEdgePicture *picture, CannyKernelArgs *f)
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
canny_queue_paint (const CtrEdgePicture *picture, const CannyKernelArgs *f, cudaStream_t stream, CtrError *error)
{
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    if (plane->data == f->mask || (i > 0 && is_uniform (plane)))
      continue;
    launch_paint (*f, *plane, stream);
    CTR_CUDA (cudaGetLastError ());
  }
  return true;
}

void
canny_launch_paint_values (
    const CtrEdgePlane &plane, const uint16_t *values, uint32_t width, uint32_t height, cudaStream_t stream)
{
  const uint32_t columns = ((width - 1) >> plane.x_shift) + 1, rows = ((height - 1) >> plane.y_shift) + 1;
  ctr_launch (paint_values_kernel, grid_of (columns, rows), BLOCK, 0, stream, plane, values, width, height, columns);
}
