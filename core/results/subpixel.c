/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/results/subpixel.h"

#include "core/common/error.h"
#include "core/foreground/foreground.h"

static const char *const mode_names[] = {
    "fixed", "otsu", "triangle", "adaptive-mean", "adaptive-gaussian", "hysteresis"};

bool
ctr_subpixel_check (CtrSubpixel method, double sigma, const CtrForeground *foreground, CtrError *error)
{
  if ((unsigned) method > CTR_SUBPIXEL_EDGE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown subpixel method %d", (int) method);
  if (method == CTR_SUBPIXEL_EDGE && sigma != 0
      && !(sigma >= CTR_SUBPIXEL_MIN_SIGMA && sigma <= CTR_SUBPIXEL_MAX_SIGMA))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the subpixel sigma is %g pixels: it must be %g to %g", sigma,
        CTR_SUBPIXEL_MIN_SIGMA, CTR_SUBPIXEL_MAX_SIGMA);
  if (method != CTR_SUBPIXEL_THRESHOLD)
    return true;
  if (!foreground)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "subpixel threshold needs a threshold between foreground and background, which edges do not have: choose "
        "subpixel edge");
  if (foreground->ranges)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "subpixel threshold needs one threshold, but the foreground is selected by ranges of channels: choose subpixel "
        "edge");
  if (ctr_foreground_is_adaptive (foreground))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "subpixel threshold needs one threshold, but the threshold mode is %s: choose subpixel edge, or the threshold "
        "mode fixed, otsu, triangle or hysteresis",
        mode_names[foreground->mode]);
  if (foreground->mode == CTR_THRESHOLD_FIXED && foreground->upper_threshold)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "subpixel threshold needs one threshold, but the upper threshold is %u: set it to 0, or choose subpixel edge",
        foreground->upper_threshold);
  return true;
}

/* The weights of a Gaussian and of its derivatives, sampled at pixels and scaled so that a constant, x and x^2 / 2 have exact
 * derivatives, but for rounding. The centre takes up the rounding errors of the even ones, so that constants have none. */
static void
set_weights (CtrSubpixelRule *rule, double sigma)
{
  const double unit = 1 << CTR_SUBPIXEL_WEIGHT_BITS;
  double g[CTR_SUBPIXEL_RADIUS + 1], sum = 0, second = 0, fourth = 0;
  for (uint32_t i = 0; i <= rule->radius; i++) {
    const double square = (double) i * i, both = i > 0 ? 2 : 1;
    g[i] = exp (-0.5 * square / (sigma * sigma));
    sum += both * g[i];
    second += both * g[i] * square;
    fourth += both * g[i] * square * square;
  }
  second /= sum;
  fourth /= sum;
  int32_t centre = 1 << CTR_SUBPIXEL_WEIGHT_BITS, bend = 0;
  for (uint32_t i = 1; i <= rule->radius; i++) {
    const double weight = g[i] / sum, square = (double) i * i;
    rule->weights[0][i] = (int16_t) lround (unit * weight);
    rule->weights[1][i] = (int16_t) lround (unit * sigma * weight * i / second);
    rule->weights[2][i] =
        (int16_t) lround (unit * sigma * sigma * 2 * weight * (square - second) / (fourth - second * second));
    centre -= 2 * rule->weights[0][i];
    bend -= 2 * rule->weights[2][i];
  }
  rule->weights[0][0] = (int16_t) centre;
  rule->weights[2][0] = (int16_t) bend;
}

/* The same weights as subpixel_window.h takes them. */
static void
set_window_weights (CtrSubpixelRule *rule)
{
  const int32_t radius = CTR_SUBPIXEL_USUAL_RADIUS;
  for (int32_t j = -radius; j <= radius; j++)
    for (int k = 0; k < 3; k++) {
      const int32_t weight = rule->weights[k][j < 0 ? -j : j], i = j + radius;
      rule->pairs[k][i / 2] |= (uint32_t) (uint16_t) (k == 1 && j < 0 ? -weight : weight) << (i % 2 ? 16 : 0);
    }
  for (int32_t i = 0; i <= radius; i++) {
    rule->along[0][i] = rule->weights[1][i];
    rule->along[1][i] = -rule->weights[1][i];
    rule->along[2][i] = rule->weights[0][i];
    rule->along[3][i] = rule->weights[2][i];
  }
}

void
ctr_subpixel_rule_init (CtrSubpixelRule *rule, CtrSubpixel method, double sigma, const CtrForeground *foreground)
{
  const CtrSubpixelRule none = {.method = method};
  *rule = none;
  if (method == CTR_SUBPIXEL_NONE)
    return;
  rule->polarity = !foreground ? -1 : foreground->ranges ? 0 : foreground->invert ? -1 : 1;
  if (method != CTR_SUBPIXEL_EDGE)
    return;
  const double used = sigma == 0 ? CTR_SUBPIXEL_SIGMA : sigma;
  rule->radius = (uint32_t) ceil (3.5 * used);
  rule->inverse = (int32_t) lround ((1 << 12) / used);
  set_weights (rule, used);
  if (rule->radius == CTR_SUBPIXEL_USUAL_RADIUS)
    set_window_weights (rule);
}
