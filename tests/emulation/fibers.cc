/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fibers.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace
{

#ifdef __SANITIZE_ADDRESS__
constexpr size_t STACK_SIZE = 256 * 1024; /* instrumented frames are large */
#else
constexpr size_t STACK_SIZE = 64 * 1024;
#endif
constexpr size_t GUARD_PAGE = 4096;

} // namespace

#ifdef __x86_64__
/* What a call must preserve, and nothing else: ucontext asks the kernel for the signal mask each time. */
extern "C" void emulation_switch (void **from, void *to);
asm(R"(
.text
.type emulation_switch, @function
emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulation_switch, .-emulation_switch
)");
#endif

namespace emulation
{

void
fiber_adopt (Fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
  static thread_local void *stack;
  static thread_local size_t stack_size;
  if (!stack) {
    pthread_attr_t attributes;
    pthread_getattr_np (pthread_self (), &attributes);
    pthread_attr_getstack (&attributes, &stack, &stack_size);
    pthread_attr_destroy (&attributes);
  }
  fiber->stack = stack;
  fiber->stack_size = stack_size;
#endif
}

void
fiber_allocate (Fiber *fiber)
{
  void *memory = mmap (
      nullptr, GUARD_PAGE + STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect (memory, GUARD_PAGE, PROT_NONE) != 0) {
    perror ("CUDA emulation: no stack for a thread");
    abort ();
  }
  fiber->stack = (char *) memory + GUARD_PAGE;
  fiber->stack_size = STACK_SIZE;
}

void
fiber_prepare (Fiber *fiber, void (*entry) ())
{
  fiber->sanitizer = nullptr;
#ifdef __x86_64__
  void **top = (void **) ((char *) fiber->stack + fiber->stack_size) - 2; /* aligned as after a call, once popped */
  top[0] = (void *) entry;
  top[1] = nullptr;
  fiber->stack_pointer = top - 6;
#else
  getcontext (&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = fiber->stack_size;
  fiber->context.uc_link = nullptr;
  makecontext (&fiber->context, entry, 0);
#endif
}

void
fiber_begun ()
{
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber (nullptr, nullptr, nullptr);
#endif
}

void
fiber_switch (Fiber *from, Fiber *to, bool ended)
{
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber (ended ? nullptr : &from->sanitizer, to->stack, to->stack_size);
#endif
#ifdef __x86_64__
  emulation_switch (&from->stack_pointer, to->stack_pointer);
#else
  swapcontext (&from->context, &to->context);
#endif
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber (from->sanitizer, nullptr, nullptr);
#endif
}

} // namespace emulation
