/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "races.h"

#include "emulation.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <unordered_map>

namespace emulation
{

bool watching;

namespace
{

struct Access {
  uint32_t cta;
  uint32_t code; /* where in the program: its address, low half */
  uint32_t syncs;
  uint16_t barriers;
  uint16_t thread : 12, plain : 1;
};

struct Byte {
  Access write, read;
  uint32_t seen; /* the last CTA that the writer had seen, itself among them */
};

constexpr uintptr_t PAGE = 4096;

struct Page {
  Byte bytes[PAGE];
};

std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;

Page *
page_of (uintptr_t address)
{
  static struct {
    uintptr_t number;
    Page *page;
  } recent[1024];
  const uintptr_t number = address / PAGE;
  auto &entry = recent[number % 1024];
  if (entry.number != number) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page.reset (new Page ());
    entry = {number, page.get ()};
  }
  return entry.page;
}

bool
is_ordered (const Access &before, const Access &now, const Moment &moment)
{
  if (before.cta < moment.kernel_cta)
    return true;
  if (before.cta != now.cta)
    return !before.plain || !now.plain || before.cta <= *moment.seen;
  return before.thread == now.thread || (!before.plain && !now.plain) || before.barriers != now.barriers
         || (before.thread / 32 == now.thread / 32 && before.syncs != now.syncs);
}

/* Prints file and line, also of the functions it is inlined in. */
void
print_code (uint32_t code)
{
  const uintptr_t here_code = (uintptr_t) &print_code, address = (here_code & ~(uintptr_t) 0xffffffffu) | code;
  Dl_info info;
  if (!dladdr ((const void *) address, &info))
    return;
  char command[512];
  snprintf (command, sizeof command, "addr2line -Cfpi -e '%s' 0x%zx", info.dli_fname,
      (size_t) (address - 1 - (uintptr_t) info.dli_fbase));
  if (system (command) != 0)
    fprintf (stderr, "    (%s)\n", command);
}

[[noreturn]] void
report (uintptr_t address, size_t size, const Access &before, bool before_writes, const Access &now, bool writes)
{
  fprintf (stderr, "CUDA emulation: race: thread %u %s %zu bytes at %p%s:\n", now.thread, writes ? "writes" : "reads",
      size, (void *) address, now.plain ? "" : " (volatile or atomic)");
  fflush (stderr);
  print_code (now.code);
  fprintf (stderr, "  thread %u%s has %s there%s, and no barrier lies between:\n", before.thread,
      before.cta == now.cta ? "" : " of another CTA", before_writes ? "written" : "read",
      before.plain ? "" : " (volatile or atomic)");
  fflush (stderr);
  print_code (before.code);
  complain ("see above");
}

void
access (const void *memory, size_t size, bool writes, bool plain, const void *code)
{
  Moment moment;
  if (!get_moment (&moment) || ((const char *) memory >= moment.stack && (const char *) memory < moment.stack_end))
    return;
  Access now;
  now.cta = moment.cta;
  now.code = (uint32_t) (uintptr_t) code;
  now.syncs = moment.syncs;
  now.barriers = (uint16_t) moment.barriers;
  now.thread = (uint16_t) (moment.thread & 0xfff);
  now.plain = plain;
  const uintptr_t begin = (uintptr_t) memory;
  for (uintptr_t address = begin; address < begin + size; address++) {
    Byte &byte = page_of (address)->bytes[address % PAGE];
    if (!is_ordered (byte.write, now, moment))
      report (begin, size, byte.write, true, now, writes);
    if (writes && !is_ordered (byte.read, now, moment))
      report (begin, size, byte.read, false, now, writes);
    if (!plain && !byte.write.plain && byte.write.cta != now.cta && byte.seen > *moment.seen)
      *moment.seen = byte.seen;
    /* A read that is still unordered stays: a write may come that it races with. */
    if (writes) {
      byte.write = now;
      byte.seen = now.cta > *moment.seen ? now.cta : *moment.seen;
    } else if (is_ordered (byte.read, now, moment))
      byte.read = now;
  }
}

} // namespace

void
forget_accesses (const void *memory, size_t size)
{
  for (size_t i = 0; i < size; i++)
    page_of ((uintptr_t) memory + i)->bytes[((uintptr_t) memory + i) % PAGE] = Byte ();
}

} // namespace emulation

/* What the compiler calls. */
#define CODE __builtin_return_address (0)
#define ACCESSES(size)                                 \
  void __tsan_read##size (void *p)                     \
  {                                                    \
    emulation::access (p, size, false, true, CODE);    \
  }                                                    \
  void __tsan_write##size (void *p)                    \
  {                                                    \
    emulation::access (p, size, true, true, CODE);     \
  }                                                    \
  void __tsan_unaligned_read##size (void *p)           \
  {                                                    \
    emulation::access (p, size, false, true, CODE);    \
  }                                                    \
  void __tsan_unaligned_write##size (void *p)          \
  {                                                    \
    emulation::access (p, size, true, true, CODE);     \
  }                                                    \
  void __tsan_volatile_read##size (void *p)            \
  {                                                    \
    emulation::access (p, size, false, false, CODE);   \
  }                                                    \
  void __tsan_volatile_write##size (void *p)           \
  {                                                    \
    emulation::access (p, size, true, false, CODE);    \
  }                                                    \
  void __tsan_unaligned_volatile_read##size (void *p)  \
  {                                                    \
    emulation::access (p, size, false, false, CODE);   \
  }                                                    \
  void __tsan_unaligned_volatile_write##size (void *p) \
  {                                                    \
    emulation::access (p, size, true, false, CODE);    \
  }

extern "C" {
ACCESSES (1)
ACCESSES (2)
ACCESSES (4)
ACCESSES (8)
ACCESSES (16)

void
__tsan_read_range (void *p, size_t size)
{
  emulation::access (p, size, false, true, CODE);
}

void
__tsan_write_range (void *p, size_t size)
{
  emulation::access (p, size, true, true, CODE);
}

void
__tsan_func_entry (void *)
{
}

void
__tsan_func_exit ()
{
}

void
__tsan_vptr_update (void **, void *)
{
}

void
__tsan_init ()
{
  emulation::watching = true;
}

/* Atomic operations of the host side; kernels have functions of their own. */
int
__tsan_atomic32_load (const volatile int *p, int)
{
  return __atomic_load_n (p, __ATOMIC_SEQ_CST);
}

void
__tsan_atomic32_store (volatile int *p, int value, int)
{
  __atomic_store_n (p, value, __ATOMIC_SEQ_CST);
}

int64_t
__tsan_atomic64_load (const volatile int64_t *p, int)
{
  return __atomic_load_n (p, __ATOMIC_SEQ_CST);
}

void
__tsan_atomic64_store (volatile int64_t *p, int64_t value, int)
{
  __atomic_store_n (p, value, __ATOMIC_SEQ_CST);
}

int
__tsan_atomic32_fetch_add (volatile int *p, int value, int)
{
  return __atomic_fetch_add (p, value, __ATOMIC_SEQ_CST);
}

int
__tsan_atomic32_fetch_sub (volatile int *p, int value, int)
{
  return __atomic_fetch_sub (p, value, __ATOMIC_SEQ_CST);
}
}
