/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Powers of the pixels of a line, summed up: included by fits.h once for each type of integers. CTR_FIT_INT: the type, in which the
 * sums fit; what is in between may wrap around. CTR_FIT_EXPAND: the name of the function. */

/* DX and DY are -1, 0 or 1, so their odd powers are they themselves. TO: the sums of (X + i DX)^a (Y + i DY)^b, whose powers of i have
 * the sums POWERS[0..4]. */
CTR_SHAPE_RULE void
CTR_FIT_EXPAND (CTR_FIT_INT x, CTR_FIT_INT dx, CTR_FIT_INT y, CTR_FIT_INT dy, const CTR_FIT_INT powers[5],
    CTR_FIT_INT to[CTR_FIT_SUMS])
{
  for (int order = 0; order <= 4; order++) {
    for (int b = 0; b <= order; b++) {
      const int a = order - b;
      CTR_FIT_INT sum = 0, of_x[5], power = 1;
      /* Terms of x^a by powers of i, from the highest. */
      for (int i = a; i >= 0; i--) {
        of_x[i] = ctr_fit_binomial (a, i) * power;
        power *= x;
      }
      power = 1;
      for (int k = b; k >= 0; k--) {
        const CTR_FIT_INT step_y = k == 0 ? 1 : k % 2 ? dy : dy * dy, of_y = ctr_fit_binomial (b, k) * power;
        for (int i = 0; i <= a; i++) {
          const CTR_FIT_INT step_x = i == 0 ? 1 : i % 2 ? dx : dx * dx;
          sum += of_x[i] * of_y * step_x * step_y * powers[i + k];
        }
        power *= y;
      }
      to[ctr_fit_at (a, b)] = sum;
    }
  }
}
