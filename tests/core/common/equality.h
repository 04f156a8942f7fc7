/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares and measures the backends, over one table of functions an algorithm: equality_main.c does so in one thread,
 * threads_main.c compares in several at once. The table of an algorithm and its pictures are in equality.c of its
 * folder. The model is dav1d's checkasm. */
#ifndef CTR_TESTS_COMMON_EQUALITY_H
#define CTR_TESTS_COMMON_EQUALITY_H

#include "tests/core/common/testing.h"

#include <stdlib.h>

typedef struct {
  const char *name;
  uint32_t count, quick_count; /* random pictures in a run, and with CTR_TEST_QUICK */

  /* Objects of SETUP's backend, and of the CPU backend where that is another. */
  void *(*open) (const Setup *setup);
  void (*close) (void *state);

  /* One random picture, layout and parameters: SETUP's backend against the definition. The same SEED gives the same
   * picture, whatever came before it. */
  void (*compare_random) (void *state, uint64_t seed);

  /* Adversarial sizes and shapes, up to pictures too large for the definition: the CUDA backend against the CPU
   * backend, byte for byte. */
  void (*compare_cases) (void *state);

  /* Calls equality_time() for its pictures. */
  void (*bench) (void *state);
} Equality;

/* The state of an algorithm, open_state() and close_state(). OPEN makes an object of a setup and ends the test on failure. */
#define EQUALITY_STATE(Type, open, free_object)                             \
  typedef struct {                                                          \
    Setup setup, cpu;                                                       \
    Type *tested; /* SETUP's backend */                                     \
    Type *on_cpu; /* NULL where that is the backend under test */           \
  } State;                                                                  \
  static void *open_state (const Setup *setup)                              \
  {                                                                         \
    State *state = malloc (sizeof *state);                                  \
    *state = (State){.setup = *setup, .cpu = {.backend = CTR_BACKEND_CPU}}; \
    state->tested = open (&state->setup);                                   \
    if (setup->backend != CTR_BACKEND_CPU)                                  \
      state->on_cpu = open (&state->cpu);                                   \
    return state;                                                           \
  }                                                                         \
  static void close_state (void *data)                                      \
  {                                                                         \
    State *state = data;                                                    \
    free_object (state->tested);                                            \
    free_object (state->on_cpu);                                            \
    free (state);                                                           \
  }

extern const Equality background_equality, borders_equality, canny_equality, cca_equality, cracks_equality,
    edge_chains_equality, mask_equality, paint_equality, snake_equality;

/* All of them, or the one called NAME; an unknown NAME ends the test with a usage message. */
uint32_t equality_select (const char *name, const Equality **list);
enum { EQUALITY_ALGORITHMS = 9 };

/* IMAGE as PICTURE has it, where ON_DEVICE in a copy on the device: free MEMORY with gpu_free(). */
CtrImage equality_image (const Picture *picture, bool on_device, void **memory);

/* PICTURE as SETUP's backend takes it best. */
CtrImage equality_bench_image (const Setup *setup, const Picture *picture, void **memory);

/* Prints the time that RUN takes: from the call to the result, which stays on the device with the CUDA backend. */
void equality_time (const Setup *setup, const char *what, void (*run) (void *user), void *user);

/* Widths and heights at which tiles, words and warps end. */
extern const uint32_t equality_sides[];
extern const uint32_t equality_side_count;

/* One of VALUES[count]. */
uint32_t pick (Random *random, const uint32_t *values, size_t count);

/* A mask of a random kind: a shape, or noise of any density and grain. Transfer full (free). */
uint8_t *random_mask_new (Random *random, uint32_t width, uint32_t height);

#endif
