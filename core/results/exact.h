/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both backends compute alike from integers of 128 bits. Internal. */
#ifndef CTR_CORE_RESULTS_EXACT_H
#define CTR_CORE_RESULTS_EXACT_H

#include <contours/types.h>

#include <math.h>

CTR_BEGIN_DECLS

#ifdef __CUDACC__
#define CTR_SHAPE_RULE static inline __host__ __device__
#else
#define CTR_SHAPE_RULE static inline
#endif

__extension__ typedef __int128 CtrSigned128;
__extension__ typedef unsigned __int128 CtrUnsigned128;

/* Rounded to the nearest number, half to even, as a conversion is on the host. */
CTR_SHAPE_RULE double
ctr_signed128_to_double (CtrSigned128 number)
{
  CtrUnsigned128 size = number < 0 ? 0 - (CtrUnsigned128) number : (CtrUnsigned128) number;
  double unit = 1;
  /* 55 bits and more decide how 53 are rounded; one below them stands for all that are dropped. */
  while (size >> 64) {
    size = size >> 8 | ((size & 255) != 0);
    unit *= 256;
  }
  const double rounded = (double) (uint64_t) size * unit;
  return number < 0 ? -rounded : rounded;
}

CTR_END_DECLS

#endif
