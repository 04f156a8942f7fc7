/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The current CUDA context, and work in a context from a thread where it is not current. */
#ifndef CTR_CUDA_COMMON_CONTEXT_H
#define CTR_CUDA_COMMON_CONTEXT_H

/* The context that is current in this thread. NULL: none, or the runtime has not loaded the driver yet. */
void *ctr_context_current (void);

/* push() makes CONTEXT current. pop() makes the former one current again. */
void ctr_context_push (void *context);
void ctr_context_pop (void);

#endif
