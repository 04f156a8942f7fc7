/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge detection: argument checks, the plan, the way to the backend. */
#include "core/canny/canny.h"

#include "core/common/error.h"

#include <math.h>
#include <string.h>

struct CtrCanny {
  CtrAnalyser base;
};

static inline const CtrCannyOps *
ops_of (const CtrCanny *canny)
{
  return (const CtrCannyOps *) canny->base.ops;
}

void
ctr_canny_params_init (CtrCannyParams *params)
{
  *params = (CtrCannyParams){
      .sigma = 2,
      .aperture = 3,
      .threshold_mode = CTR_CANNY_ABSOLUTE,
      .low_threshold = 50,
      .high_threshold = 150,
      .significant_bits = 16,
  };
}

void
ctr_edge_picture_init_mask (CtrEdgePicture *picture, void *data, size_t stride, CtrMemory memory)
{
  *picture = (CtrEdgePicture){
      .planes = {{.data = data, .stride = stride, .pixel_size = 1, .edge = {255}}},
      .plane_count = 1,
      .memory = memory,
  };
}

/* The kernel of OpenCV's bit-exact GaussianBlur() for 8-bit images: normalised, then quantised to 1/256 from the ends
 * to the centre, each rounding error going to the next weight. */
static void
make_weights (CtrCannyPlan *plan, double sigma)
{
  const int size = (int) nearbyint (6 * sigma + 1) | 1, radius = size / 2;
  double kernel[CTR_CANNY_MAX_RADIUS + 1], sum = 0, error = 0;
  int centre = 256;

  for (int i = 0; i <= radius; i++) {
    const double x = i - radius;
    kernel[i] = exp (-0.5 * x * x / (sigma * sigma));
    sum += i < radius ? 2 * kernel[i] : kernel[i];
  }
  for (int i = 0; i < radius; i++) {
    const double wanted = 256 * (kernel[i] / sum) + error;
    const int weight = (int) nearbyint (wanted);
    error = wanted - weight;
    plan->weights[i] = plan->weights[2 * radius - i] = (uint8_t) weight;
    centre -= 2 * weight;
  }
  /* A centre of 256 changes nothing, and would not fit. */
  plan->radius = centre < 256 ? radius : 0;
  plan->weights[plan->radius] = (uint8_t) (centre < 256 ? centre : 255);
}

/* As cv::Canny() does it, in its order. */
static int32_t
integer_threshold (double threshold, bool l2_gradient)
{
  const double most = 32767; /* of cv::Canny() for L2; without it, more than any |dx| + |dy| */
  threshold = fmin (threshold, most);
  return (int32_t) floor (l2_gradient ? threshold * threshold : threshold);
}

void
ctr_canny_plan_init (CtrCannyPlan *plan, const CtrCannyParams *params)
{
  const double scale = params->aperture == 7 ? 16 : 1;

  memset (plan, 0, sizeof *plan);
  plan->aperture = params->aperture;
  plan->l2_gradient = params->l2_gradient;
  plan->threshold_mode = params->threshold_mode;
  plan->sample_shift = params->significant_bits - CTR_CANNY_MIN_BITS;
  if (params->sigma > 0)
    make_weights (plan, params->sigma);
  plan->low = integer_threshold (fmin (params->low_threshold, params->high_threshold) / scale, params->l2_gradient);
  plan->high = integer_threshold (fmax (params->low_threshold, params->high_threshold) / scale, params->l2_gradient);
}

/* Edges are rare: groups of this many pixels are looked at together. */
#define GROUP 8

static inline bool
no_edges (const uint8_t *mask)
{
  uint64_t group;
  memcpy (&group, mask, sizeof group);
  return group == 0;
}

/* Which of COUNT pixels of a plane row have an edge under them? MASK: ROWS of the image's mask from the first of these
 * pixels on, WIDTH to the end. */
static void
gather_edges (
    const uint8_t *mask, size_t stride, uint32_t rows, uint32_t width, uint32_t x_shift, uint32_t count, uint8_t *edges)
{
  memset (edges, 0, count);
  for (uint32_t y = 0; y < rows; y++, mask += stride)
    for (uint32_t begin = 0; begin < width && begin >> x_shift < count; begin += GROUP) {
      const uint32_t end = width - begin < GROUP ? width : begin + GROUP;
      if (end - begin == GROUP && no_edges (mask + begin))
        continue;
      for (uint32_t x = begin; x < end && x >> x_shift < count; x++)
        edges[x >> x_shift] |= mask[x];
    }
}

static inline __attribute__ ((always_inline)) void
paint_pixels (const CtrEdgePlane *plane, uint32_t size, const uint8_t *edges, uint32_t begin, uint32_t end,
    const uint8_t *source, uint8_t *to)
{
  for (uint32_t x = begin; x < end; x++) {
    const uint8_t *colour = !edges[x] ? plane->background : source ? source + x * size : plane->edge;
    for (uint32_t i = 0; i < size; i++)
      to[x * size + i] = colour[i];
  }
}

static inline __attribute__ ((always_inline)) void
paint_row (
    const CtrEdgePlane *plane, uint32_t size, const uint8_t *edges, uint32_t count, const uint8_t *source, uint8_t *to)
{
  uint8_t background[4 * GROUP];
  uint32_t x = 0;
  for (uint32_t i = 0; i < GROUP * size; i++)
    background[i] = plane->background[i % size];
  for (; x + GROUP <= count; x += GROUP)
    if (no_edges (edges + x))
      memcpy (to + x * size, background, GROUP * size);
    else
      paint_pixels (plane, size, edges, x, x + GROUP, source, to);
  paint_pixels (plane, size, edges, x, count, source, to);
}

/* COUNT pixels; constant sizes make one tight loop each. */
static void
paint_part (const CtrEdgePlane *plane, const uint8_t *edges, uint32_t count, const uint8_t *source, uint8_t *to)
{
  switch (plane->pixel_size) {
    case 1:
      paint_row (plane, 1, edges, count, source, to);
      break;
    case 2:
      paint_row (plane, 2, edges, count, source, to);
      break;
    case 3:
      paint_row (plane, 3, edges, count, source, to);
      break;
    default:
      paint_row (plane, 4, edges, count, source, to);
  }
}

static void
paint_plane (const CtrEdgePlane *plane, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height)
{
  enum { PART = 1024 };
  uint8_t gathered[PART];
  const uint32_t plane_width = ((width - 1) >> plane->x_shift) + 1, plane_height = ((height - 1) >> plane->y_shift) + 1;
  for (uint32_t y = 0; y < plane_height; y++) {
    const uint32_t first = y << plane->y_shift, below = height - first, rows = 1u << plane->y_shift;
    const uint8_t *mask_row = mask + first * mask_stride;
    const uint8_t *source = plane->source ? (const uint8_t *) plane->source + y * plane->source_stride : NULL;
    uint8_t *to = (uint8_t *) plane->data + y * plane->stride;
    for (uint32_t x = 0; x < plane_width; x += PART) {
      const uint32_t count = plane_width - x < PART ? plane_width - x : PART, begin = x << plane->x_shift;
      const uint8_t *edges = mask_row + begin;
      if (plane->x_shift > 0 || plane->y_shift > 0) {
        gather_edges (edges, mask_stride, below < rows ? below : rows, width - begin, plane->x_shift, count, gathered);
        edges = gathered;
      }
      paint_part (plane, edges, count, source ? source + x * plane->pixel_size : NULL, to + x * plane->pixel_size);
    }
  }
}

void
ctr_edge_picture_paint (
    const CtrEdgePicture *picture, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height)
{
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    if (plane->data == (const void *) mask)
      continue;
    if (!ctr_edge_plane_is_mask (plane)) {
      paint_plane (plane, mask, mask_stride, width, height);
      continue;
    }
    for (uint32_t y = 0; y < height; y++)
      memcpy ((uint8_t *) plane->data + y * plane->stride, mask + y * mask_stride, width);
  }
}

static void
discard (CtrAnalyser *analyser)
{
  CtrCanny *canny = (CtrCanny *) analyser;
  ops_of (canny)->finish (canny->base.state, NULL);
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrCanny),
    .name = "edge detector",
    .input = "image",
    .enqueue = "ctr_canny_enqueue()",
    .discard = discard,
};

CtrCanny *
ctr_canny_new (CtrBackend backend, CtrError *error)
{
  const CtrCannyOps *ops = CTR_BACKEND_OPS (canny, backend);
  return (CtrCanny *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_canny_free (CtrCanny *canny)
{
  ctr_analyser_free ((CtrAnalyser *) canny);
}

static bool
check_params (const CtrCannyParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "there are no parameters: ctr_canny_params_init() gives the usual ones");
  if (!(params->sigma >= 0 && params->sigma <= CTR_CANNY_MAX_SIGMA))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "sigma is %g: it must be 0 (no blur) to %g", params->sigma,
        CTR_CANNY_MAX_SIGMA);
  if (params->aperture != 3 && params->aperture != 5 && params->aperture != 7)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the aperture is %u: it must be 3, 5 or 7", params->aperture);
  if ((unsigned) params->threshold_mode > CTR_CANNY_MEDIAN)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown threshold mode %d", (int) params->threshold_mode);
  if (!(params->low_threshold >= 0) || !(params->high_threshold >= 0))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the thresholds are %g and %g: they must be 0 or more",
        params->low_threshold, params->high_threshold);
  if (params->significant_bits < CTR_CANNY_MIN_BITS || params->significant_bits > 16)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "%u significant bits: they must be %d to 16",
        params->significant_bits, CTR_CANNY_MIN_BITS);
  return true;
}

static bool
check_picture (const CtrEdgePicture *picture, const CtrImage *image, CtrError *error)
{
  if (!picture || picture->plane_count < 1 || picture->plane_count > CTR_EDGE_MAX_PLANES)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the edge picture must have 1 to %d planes", CTR_EDGE_MAX_PLANES);
  if (picture->memory != CTR_MEMORY_HOST && picture->memory != CTR_MEMORY_DEVICE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown edge picture memory %d", (int) picture->memory);
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    if (!plane->data)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "plane %u of the edge picture has no memory", i);
    if (plane->pixel_size < 1 || plane->pixel_size > 4 || plane->x_shift > 2 || plane->y_shift > 2)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "plane %u of the edge picture has pixels of %u bytes, shifts %u and %u: 1 to 4 bytes and shifts 0 to 2 will "
          "do",
          i, plane->pixel_size, plane->x_shift, plane->y_shift);
    const size_t row = ((((size_t) image->width - 1) >> plane->x_shift) + 1) * plane->pixel_size;
    if (plane->stride < row || (plane->source && plane->source_stride < row))
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "plane %u of the edge picture: a stride is shorter than a row of %zu bytes", i, row);
  }
  return true;
}

static bool
check_arguments (const CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params,
    const CtrEdgePicture *picture, CtrError *error)
{
  return ctr_image_check (image, error) && check_params (params, error) && check_picture (picture, image, error)
         && ctr_analyser_check_memory (&canny->base, "image", image->memory, error)
         && ctr_analyser_check_memory (&canny->base, "edge picture", picture->memory, error);
}

bool
ctr_canny_enqueue (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  if (!ctr_analyser_accept (&canny->base, check_arguments (canny, image, params, picture, error)))
    return false;
  CtrCannyPlan plan;
  ctr_canny_plan_init (&plan, params);
  canny->base.pending = ops_of (canny)->enqueue (canny->base.state, image, &plan, picture, stream, error);
  return canny->base.pending;
}

bool
ctr_canny_finish (CtrCanny *canny, CtrError *error)
{
  return ctr_analyser_take_pending (&canny->base, error) && ops_of (canny)->finish (canny->base.state, error);
}

bool
ctr_canny_run (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  return ctr_canny_enqueue (canny, image, params, picture, stream, error) && ctr_canny_finish (canny, error);
}
