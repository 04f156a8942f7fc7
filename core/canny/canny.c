/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection: the public functions, and the plan. */
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

/* The kernel of OpenCV's bit-exact GaussianBlur() for 8-bit images. The normalised weights are quantised to 1/256 from
 * the ends to the centre, and each rounding error is added to the next weight. */
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
  /* With a centre of 256 there is no blur, and it does not fit 8 bits. */
  plan->radius = centre < 256 ? radius : 0;
  plan->weights[plan->radius] = (uint8_t) (centre < 256 ? centre : 255);
}

/* The threshold as cv::Canny() computes it. */
static int32_t
integer_threshold (double threshold, bool l2_gradient)
{
  const double most = 32767; /* cv::Canny()'s maximum for L2; more than any |dx| + |dy| */
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
        error, CTR_ERROR_INVALID_ARGUMENT, "the parameters are NULL: ctr_canny_params_init() fills in the defaults");
  if (!(params->sigma >= 0 && params->sigma <= CTR_CANNY_MAX_SIGMA))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "sigma is %g: it must be 0 (no blur) to %g", params->sigma,
        CTR_CANNY_MAX_SIGMA);
  if (params->aperture != 3 && params->aperture != 5 && params->aperture != 7)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the aperture is %u: it must be 3, 5 or 7", params->aperture);
  if ((unsigned) params->threshold_mode > CTR_CANNY_MEDIAN)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown threshold mode %d", (int) params->threshold_mode);
  if (!(params->low_threshold >= 0) || !(params->high_threshold >= 0))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the thresholds are %g and %g: both must be 0 or more",
        params->low_threshold, params->high_threshold);
  if (params->significant_bits < CTR_CANNY_MIN_BITS || params->significant_bits > 16)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "samples have %u significant bits: they must have %d to 16",
        params->significant_bits, CTR_CANNY_MIN_BITS);
  return true;
}

static bool
check_arguments (const CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params,
    const CtrEdgePicture *picture, CtrError *error)
{
  return ctr_image_check (image, error) && check_params (params, error)
         && ctr_edge_picture_check (picture, image, error)
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
ctr_canny_lead_default (CtrCanny *canny, CtrError *error)
{
  if (!ctr_analyser_check_pending (&canny->base, error))
    return false;
  return !ops_of (canny)->lead_default || ops_of (canny)->lead_default (canny->base.state, error);
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
