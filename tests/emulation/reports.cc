/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports: where a kernel is when it goes wrong, and whether it goes on at all. */
#include "scheduler.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/time.h>

namespace emulation
{

const char *const collective_names[] = {"__syncwarp", "__shfl_sync", "__ballot_sync", "__any_sync", "__all_sync",
    "__match_any_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_min_sync (int)", "__reduce_max_sync",
    "__reduce_max_sync (int)", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"};
const char *const barrier_names[] = {"__syncthreads", "__syncthreads_count", "__syncthreads_or", "__syncthreads_and"};

namespace
{

constexpr unsigned MAX_SECONDS = 60; /* for a CTA */

std::string
lanes_of_mask (uint32_t mask)
{
  char text[16];
  snprintf (text, sizeof text, "0x%08x", mask);
  return text;
}

std::string
place_of (const Place &place)
{
  char text[160];
  snprintf (text, sizeof text, "block (%u, %u, %u), thread (%u, %u, %u)", place.block.x, place.block.y, place.block.z,
      place.thread.x, place.thread.y, place.thread.z);
  return text;
}

/* What a thread is at, in words. */
std::string
doing (const Thread &thread)
{
  if (thread.state == ENDED)
    return "ended";
  if (thread.state == RUNNABLE)
    return &thread == here ? "runs" : "could go on";
  const char *name = thread.state == AT_WARP  ? collective_names[thread.what]
                     : thread.state == AT_CTA ? barrier_names[thread.what]
                                              : "the cluster's barrier";
  std::string text = std::string ("at ") + name + ", " + file_name (thread.file) + ":" + std::to_string (thread.line);
  if (thread.state == AT_WARP)
    text += ", mask " + lanes_of_mask (thread.mask);
  return text;
}

} // namespace

const char *
file_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash ? slash + 1 : path;
}

/* Threads that do the same on one line. */
void
print_threads (const Cta &cta)
{
  const Place &first = cta.threads[0];
  fprintf (stderr, "  block (%u, %u, %u):\n", first.block.x, first.block.y, first.block.z);
  for (unsigned i = 0; i < cta.count;) {
    const std::string what = doing (cta.threads[i]);
    unsigned end = i + 1;
    while (end < cta.count && doing (cta.threads[end]) == what)
      end++;
    if (end == i + 1)
      fprintf (stderr, "    thread %u: %s\n", i, what.c_str ());
    else
      fprintf (stderr, "    threads %u to %u: %s\n", i, end - 1, what.c_str ());
    i = end;
  }
}

void
print_place ()
{
  if (!grid)
    return;
  fprintf (stderr, "CUDA emulation: in kernel %s\n", kernel_name ? kernel_name : "(none begun)");
  if (here)
    fprintf (stderr, "  %s\n", place_of (*here).c_str ());
}

namespace
{

#ifndef __SANITIZE_ADDRESS__
void
on_fault (int signal)
{
  fprintf (stderr, "CUDA emulation: %s\n", strsignal (signal));
  print_place ();
  raise (signal); /* the handler is gone */
}

#endif

/* The address sanitizer has handlers of its own. */
void
catch_faults ()
{
#ifndef __SANITIZE_ADDRESS__
  /* On a stack of its own: the thread's may be what has run out. */
  static char memory[64 * 1024];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack (&stack, nullptr);
  struct sigaction fault = {};
  fault.sa_handler = on_fault;
  fault.sa_flags = (int) (SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigaction (signal, &fault, nullptr);
#endif
}

/* Now and then, in processor time: is it still the same CTA? */
void
on_timer (int)
{
  static unsigned long long seen;
  static unsigned seconds;
  seconds = seen == ctas_done && grid ? seconds + 10 : 0;
  seen = ctas_done;
  if (seconds < MAX_SECONDS)
    return;
  fprintf (stderr,
      "CUDA emulation: a CTA still runs after %u s. Its threads wait for something that does not come: only at a\n"
      "barrier, a warp collective, an atomic or __nanosleep() can other threads go on.\n",
      MAX_SECONDS);
  print_place ();
  abort ();
}

} // namespace

void
watch ()
{
  static bool done;
  if (done)
    return;
  done = true;
  catch_faults ();
  struct sigaction timer = {};
  timer.sa_handler = on_timer;
  timer.sa_flags = SA_RESTART;
  sigaction (SIGVTALRM, &timer, nullptr);
  const itimerval period = {{10, 0}, {10, 0}};
  setitimer (ITIMER_VIRTUAL, &period, nullptr);
}

void
complain (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  fprintf (stderr, "CUDA emulation: ");
  vfprintf (stderr, format, arguments);
  fprintf (stderr, "\n");
  va_end (arguments);
  print_place ();
  abort ();
}

} // namespace emulation

/* What the sanitizers call before they report. */
extern "C" void
__asan_on_error ()
{
  emulation::print_place ();
}

extern "C" void
__ubsan_on_report ()
{
  emulation::print_place ();
}
