/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the functions that both backends of region snakes share are declared, in host and CUDA device code. Internal. */
#ifndef CTR_CORE_SNAKE_RULE_H
#define CTR_CORE_SNAKE_RULE_H

/* CALLED rules are not inlined on the GPU, whose instruction caches are small. */
#ifdef __CUDACC__
#define CTR_SNAKE_RULE static inline __host__ __device__
#define CTR_SNAKE_CALLED_RULE static inline __host__ __device__ __noinline__
#else
#define CTR_SNAKE_RULE static inline __attribute__ ((always_inline))
#define CTR_SNAKE_CALLED_RULE CTR_SNAKE_RULE
#endif

#endif
