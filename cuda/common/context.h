/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work in a CUDA context from a thread where it need not be current. */
#ifndef CTR_CUDA_COMMON_CONTEXT_H
#define CTR_CUDA_COMMON_CONTEXT_H

/* The context that is current in this thread, which the runtime has made use of. */
void *ctr_context_current (void);

/* Makes CONTEXT current, and again what was so before. */
void ctr_context_push (void *context);
void ctr_context_pop (void);

#endif
