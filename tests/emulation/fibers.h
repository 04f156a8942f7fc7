/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fibers: flows of control with a stack of their own that hand the processor to each other. */
#ifndef CTR_EMULATION_FIBERS_H
#define CTR_EMULATION_FIBERS_H

#include <cstddef>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emulation
{

struct Fiber {
#ifdef __x86_64__
  void *stack_pointer;
#else
  ucontext_t context;
#endif
  void *stack; /* lowest address */
  size_t stack_size;
  void *sanitizer; /* what the address sanitizer keeps for a fiber that does not run */
};

/* A fiber for the flow of control that calls it: it comes back here when another fiber hands over to it. */
void fiber_adopt (Fiber *fiber);

/* Gives FIBER a stack, below which lies a page that faults. */
void fiber_allocate (Fiber *fiber);

/* FIBER (which has a stack) begins in ENTRY, which must not return, once it is handed over to. */
void fiber_prepare (Fiber *fiber, void (*entry) ());

/* First in ENTRY. */
void fiber_begun ();

/* From the running fiber FROM to TO. ENDED: FROM will not go on where it is. */
void fiber_switch (Fiber *from, Fiber *to, bool ended);

} // namespace emulation

#endif
