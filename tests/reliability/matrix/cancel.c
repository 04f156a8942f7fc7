/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cancel [WIDTH HEIGHT]
 *
 * How soon an analysis on the CPU ends that is cancelled at the worst moment of the worst content: this program replaces the
 * library's cancellation, and measures the CPU time from one question to the next, and from the last one to the end. In a
 * picture of 4096 x 2176 pixels, which CTR_TEST_FULL=1 takes, that is at most 100 ms; a small one must not come near. */
#include "tests/core/common/hashed.h"
#include "tests/reliability/matrix/contents.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define PROMISED 0.1 /* s, of a core of 2 GHz */

static double asked, longest;

static double
seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void
note (void)
{
  const double now = seconds ();
  longest = now - asked > longest ? now - asked : longest;
  asked = now;
}

/* To free gigabytes takes the system long, which no question can shorten: docs/frame-cost.md. */
void __real_free (void *memory);
void __wrap_free (void *memory);

void
__wrap_free (void *memory)
{
  note ();
  __real_free (memory);
  asked = seconds ();
}

bool
ctr_cancelled (void)
{
  note ();
  return false;
}

/* The library's would bring the library's ctr_cancelled() with it. */
const CtrCancel *
ctr_cancel_set_current (const CtrCancel *cancel)
{
  return NULL;
}

/* The longest time without a question, while memory is new and when it is there; again where it is longer than ALLOWED. */
static double
longest_silence (const HashedCase *c, const CtrImage *image, double allowed)
{
  CtrError error;
  void *analyser = c->create ();
  double least = 1e9;
  for (int i = 0; i < 2 || (i < 8 && least > allowed); i++) {
    longest = 0;
    asked = seconds ();
    if (!c->run (analyser, image, NULL, &error))
      fail (__FILE__, __LINE__, error.message);
    note ();
    least = longest < least ? longest : least; /* another process may have taken the core */
  }
  c->destroy (analyser);
  return least;
}

int
main (int argc, char **argv)
{
  const char *full = getenv ("CTR_TEST_FULL");
  const Setup setup = setup_open ("cpu", false);
  const bool large = full && strcmp (full, "0") != 0;
  const uint32_t width = argc > 2 ? (uint32_t) atoi (argv[1]) : large ? 4096 : 200;
  const uint32_t height = argc > 2 ? (uint32_t) atoi (argv[2]) : large ? 2176 : 106;
  const double allowed = large || argc > 2 ? PROMISED : PROMISED / 4;
  hashed_open (&setup);
  for (size_t k = 0; k < hashed_case_count; k++) {
    double worst = 0;
    const char *of = "";
    for (size_t i = 2; i < LENGTH (contents); i++) {
      uint8_t *pixels = content_new (&contents[i], width, height);
      const CtrImage image = {
          .data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
      const double silence = longest_silence (&hashed_cases[k], &image, allowed);
      describe ("%s of %s: %.2f ms without a question, of %.2f", hashed_cases[k].name, contents[i].name, 1e3 * silence,
          1e3 * allowed);
#ifndef __SANITIZE_ADDRESS__
      CHECK (silence <= allowed);
#endif
      if (silence > worst) {
        worst = silence;
        of = contents[i].name;
      }
      free (pixels);
    }
    printf ("%-20s %6.2f ms without a question in %s\n", hashed_cases[k].name, 1e3 * worst, of);
    fflush (stdout);
  }
  return 0;
}
