/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of the processor that a program runs on. Internal. */
#ifndef CTR_CORE_COMMON_WIDEST_H
#define CTR_CORE_COMMON_WIDEST_H

/* Marks a function with wider vectors. It is compiled for AVX2, too, and that version runs on processors with AVX2. */
#ifdef CTR_TARGET_CLONES
#define WIDEST __attribute__ ((target_clones ("avx2", "default")))
#else
#define WIDEST
#endif

#endif
