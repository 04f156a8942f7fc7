/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection: the public functions, and the plan. */
#include "core/canny/canny.h"

#include "core/common/error.h"

#include <math.h>
#include <string.h>

struct CtrCanny {
  CtrAnalyser base;
  CtrCannyPlan plan;             /* of the image that was queued last */
  double low, high;              /* its absolute thresholds */
  bool finished;                 /* THRESHOLDS are valid */
  CtrCannyThresholds thresholds; /* of the image that was finished last */
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
      .low_share = 0.2,
      .high_share = 0.4,
  };
}

/* The kernel of OpenCV's bit-exact GaussianBlur(), whose taps reach REACH sigma. The normalised weights are quantised to
 * 1/UNIT from the ends to the centre, and each rounding error is added to the next weight. Returns the radius, or 0 if
 * the centre has all the weight: then there is no blur. */
static uint32_t
make_weights (double sigma, double reach, int32_t unit, int32_t *weights)
{
  const int size = (int) nearbyint (2 * reach * sigma + 1) | 1, radius = size / 2;
  double kernel[CTR_CANNY_MAX_WIDE_RADIUS + 1], sum = 0, error = 0;
  int32_t centre = unit;

  for (int i = 0; i <= radius; i++) {
    const double x = i - radius;
    kernel[i] = exp (-0.5 * x * x / (sigma * sigma));
    sum += i < radius ? 2 * kernel[i] : kernel[i];
  }
  for (int i = 0; i < radius; i++) {
    const double wanted = unit * (kernel[i] / sum) + error;
    const int32_t weight = (int32_t) nearbyint (wanted);
    error = wanted - weight;
    weights[i] = weights[2 * radius - i] = weight;
    centre -= 2 * weight;
  }
  weights[radius] = centre;
  return centre < unit ? (uint32_t) radius : 0;
}

static void
plan_blur (CtrCannyPlan *plan, double sigma)
{
  int32_t weights[2 * CTR_CANNY_MAX_WIDE_RADIUS + 1];

  if (sigma <= 0)
    return;
  plan->radius = make_weights (sigma, plan->wide ? 4 : 3, plan->wide ? 65536 : 256, weights);
  for (uint32_t i = 0; plan->radius > 0 && i < 2 * plan->radius + 1; i++)
    if (plan->wide)
      plan->wide_weights[i] = (uint16_t) weights[i];
    else
      plan->weights[i] = (uint8_t) weights[i];
}

/* The threshold as cv::Canny() computes it; a wide one has no limit that a magnitude reaches. */
static int64_t
integer_threshold (double threshold, bool l2_gradient, bool wide)
{
  const double most = wide ? INT32_MAX : 32767; /* cv::Canny()'s maximum for L2; more than any |dx| + |dy| */
  threshold = fmin (threshold, most);
  return (int64_t) floor (l2_gradient ? threshold * threshold : threshold);
}

static uint32_t
integer_share (double share)
{
  return (uint32_t) nearbyint (share * CTR_CANNY_SHARES);
}

/* Gradients of aperture 7 are divided by this. */
static double
divisor_of (uint32_t aperture)
{
  return aperture == 7 ? 16 : 1;
}

void
ctr_canny_plan_init (CtrCannyPlan *plan, const CtrCannyParams *params, CtrFormat format)
{
  const double divisor = divisor_of (params->aperture);
  const double low = fmin (params->low_threshold, params->high_threshold) / divisor;
  const double high = fmax (params->low_threshold, params->high_threshold) / divisor;

  memset (plan, 0, sizeof *plan);
  plan->wide = params->native_depth && format == CTR_FORMAT_GRAY16;
  plan->aperture = params->aperture;
  plan->l2_gradient = params->l2_gradient;
  plan->threshold_mode = params->threshold_mode;
  plan->sample_shift = params->significant_bits - CTR_CANNY_MIN_BITS;
  plan->output = params->output;
  plan_blur (plan, params->sigma);
  plan->low = integer_threshold (low, params->l2_gradient, plan->wide);
  plan->high = integer_threshold (high, params->l2_gradient, plan->wide);
  plan->low_share = integer_share (fmin (params->low_share, params->high_share));
  plan->high_share = integer_share (fmax (params->low_share, params->high_share));
}

static void
discard (CtrAnalyser *analyser)
{
  CtrCanny *canny = (CtrCanny *) analyser;
  ctr_analyser_note (analyser, ops_of (canny)->finish (canny->base.state, NULL));
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
  if ((unsigned) params->threshold_mode > CTR_CANNY_RELATIVE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown threshold mode %d", (int) params->threshold_mode);
  if (!(params->low_threshold >= 0) || !(params->high_threshold >= 0))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the thresholds are %g and %g: both must be 0 or more",
        params->low_threshold, params->high_threshold);
  if (!(params->low_share >= 0 && params->low_share <= 1) || !(params->high_share >= 0 && params->high_share <= 1))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the thresholds are shares %g and %g of the greatest gradient: both must be 0 to 1", params->low_share,
        params->high_share);
  if ((unsigned) params->output > CTR_CANNY_CANDIDATES)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown output %d", (int) params->output);
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
  if (!ctr_analyser_accept (&canny->base, check_arguments (canny, image, params, picture, error), error))
    return false;
  ctr_canny_plan_init (&canny->plan, params, image->format);
  canny->low = fmin (params->low_threshold, params->high_threshold);
  canny->high = fmax (params->low_threshold, params->high_threshold);
  canny->base.pending = ctr_analyser_note (
      &canny->base, ops_of (canny)->enqueue (canny->base.state, image, &canny->plan, picture, stream, error));
  return canny->base.pending;
}

bool
ctr_canny_lead_default (CtrCanny *canny, CtrError *error)
{
  if (!ctr_analyser_check_pending (&canny->base, error))
    return false;
  return !ops_of (canny)->lead_default || ops_of (canny)->lead_default (canny->base.state, error);
}

/* A threshold on m in the units of the parameters. Half of a square more makes its own square round down to m. */
static double
public_threshold (int64_t m, bool l2_gradient, double divisor)
{
  return (l2_gradient ? sqrt ((double) m + 0.5) : (double) m) * divisor;
}

static void
note_thresholds (CtrCanny *canny)
{
  const CtrCannyPlan *plan = &canny->plan;
  const double divisor = divisor_of (plan->aperture);

  canny->finished = true;
  canny->thresholds = (CtrCannyThresholds){.low = canny->low, .high = canny->high};
  if (plan->threshold_mode == CTR_CANNY_ABSOLUTE)
    return;
  const CtrCannyLimits limits = ops_of (canny)->limits (canny->base.state);
  const double greatest = (double) limits.greatest;
  canny->thresholds = (CtrCannyThresholds){
      .low = public_threshold (limits.low, plan->l2_gradient, divisor),
      .high = public_threshold (limits.high, plan->l2_gradient, divisor),
      .greatest = (plan->l2_gradient ? sqrt (greatest) : greatest) * divisor,
  };
}

bool
ctr_canny_finish (CtrCanny *canny, CtrError *error)
{
  if (!ctr_analyser_take_pending (&canny->base, error))
    return false;
  canny->finished = false;
  if (!ctr_analyser_note (&canny->base, ops_of (canny)->finish (canny->base.state, error)))
    return false;
  note_thresholds (canny);
  return true;
}

bool
ctr_canny_get_device_views (const CtrCanny *canny, CtrImage *samples, CtrImage *edges, CtrError *error)
{
  if (!ctr_analyser_check_pending (&canny->base, error))
    return false;
  if (!ops_of (canny)->device_views)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the CPU backend has no edges in device memory");
  if (canny->plan.output != CTR_CANNY_EDGES)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the output %d has no edges: it must be 0", (int) canny->plan.output);
  ops_of (canny)->device_views (canny->base.state, samples, edges);
  return true;
}

bool
ctr_canny_get_thresholds (const CtrCanny *canny, CtrCannyThresholds *thresholds, CtrError *error)
{
  if (!canny->finished)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image is finished: call ctr_canny_finish() first");
  *thresholds = canny->thresholds;
  return true;
}

bool
ctr_canny_run (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  return ctr_canny_enqueue (canny, image, params, picture, stream, error) && ctr_canny_finish (canny, error);
}
