/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the promises that the API of every algorithm makes, over one table of functions an algorithm: contract_main.c
 * tests calls and errors, memory_main.c failing allocations, changes_main.c frames that follow one another,
 * pending_main.c results that are handed out before they are complete. The table of an algorithm and the errors that
 * only it has are in contract.c of its folder. */
#ifndef CTR_TESTS_COMMON_CONTRACT_H
#define CTR_TESTS_COMMON_CONTRACT_H

#include "tests/core/common/testing.h"

/* The arguments of ctr_*_enqueue() but the object and the stream. Each algorithm takes those that it has. */
typedef struct {
  const CtrImage *image;
  const void *params;  /* paint: the layers */
  const void *objects; /* of a snake; paint: the colours */
  uint32_t count;      /* of a snake's objects or paint's layers */
  const void *picture; /* canny, paint: drawn into */
} Request;

/* One frame that is analysed again and again with less memory than it takes. */
typedef struct {
  const char *name;
  Request request;
  const Request *smaller; /* optional: another frame in between */
  long least_failures;    /* allocations that the first frame makes, at least */
  long later_allocations; /* that a later frame makes, exactly; -1: unknown */
  long kept_blocks;       /* that a failed frame may leave with the object, at most; -1: any number */
} MemoryCase;

typedef struct {
  const char *name;
  const char *enqueue_name;
  const char *init_name;    /* of the function that sets the parameters; NULL: there are none */
  size_t params_size;       /* bytes */
  size_t features_offset;   /* in the parameters, bytes */
  uint32_t unknown_feature; /* the lowest; 0: the parameters have no features */

  /* Make and free what the requests point to. */
  void (*open) (const Setup *setup);
  void (*close) (void);
  Request (*good_request) (void);
  const MemoryCase *(*memory_cases) (uint32_t *count); /* on the CPU backend */
  /* Optional: frames that take much memory, and smaller ones that take little. Without it, the memory cases. */
  const MemoryCase *(*size_cases) (uint32_t *count);
  /* Optional: an array of parameters. The first are such that few kernels run; each of the others differs from them. */
  const void *(*variants) (uint32_t *count);

  /* The API. A finish or run without a result of its own returns the object. */
  void *(*create) (CtrBackend backend, CtrError *error);
  void (*destroy) (void *object);
  bool (*enqueue) (void *object, const Request *request, void *stream, CtrError *error);
  void *(*finish) (void *object, CtrError *error);
  void *(*run) (void *object, const Request *request, void *stream, CtrError *error);
  void *(*submit) (void *object, const Request *request, void *stream, CtrError *error); /* optional, as the next 3 */
  bool (*wait) (void *result, CtrError *error);
  bool (*is_complete) (void *result);
  bool (*lead) (void *result, void *stream, CtrError *error);
  bool (*has_device_result) (void *object, CtrError *error); /* optional */

  void (*drop) (void *result);
  /* Compares with the reference, but drops nothing. */
  void (*check_result) (const Request *request, void *result);
  /* Optional, for what is drawn in place: clears all pictures; are they still clear? */
  void (*clear) (void);
  void (*check_clear) (void);

  /* The errors and defaults that only this algorithm has. */
  void (*test_own) (void);
} Contract;

extern const Contract background_contract, borders_contract, canny_contract, cca_contract, cracks_contract,
    edge_chains_contract, mask_contract, paint_contract, snake_contract;

/* The table of ALGORITHM, opened on SETUP's backend; an unknown name ends the test with a usage message. */
const Contract *contract_open (const char *algorithm, const Setup *setup);
void contract_close (void);

/* The backend that is tested. */
const Setup *contract_setup (void);

/* Runs REQUEST with OBJECT and compares with the reference. */
void contract_check_works (void *object, const Request *request);

/* Is REQUEST refused with STATUS and a message that contains MENTIONS, with nothing pending, an older request's result
 * dropped, and an object that works afterwards? */
void contract_refuse (const Request *request, CtrStatus status, const char *mentions);

/* The good request with PARAMS must be refused as an invalid argument. */
void contract_refuse_params (const void *params, const char *mentions);

/* The same with each of VALUES[count] in the double that lies OFFSET bytes into the parameters. */
void contract_refuse_doubles (size_t offset, const double *values, size_t count, const char *mentions);

/* The same with CHANGE made to the parameters: contract_refuse_change (CtrCcaParams, features = 8, "0x8"). */
#define contract_refuse_change(type, change, mentions)                               \
  do {                                                                               \
    type changed_params = *(const type *) contract_table ()->good_request ().params; \
    changed_params.change;                                                           \
    contract_refuse_params (&changed_params, mentions);                              \
  } while (0)
const Contract *contract_table (void);

/* Pictures of colours and of 16-bit samples, for frames without memory, and views of their left. */
typedef struct {
  Picture colours, camera;
  CtrImage narrow, narrow_camera;
} ContractFrames;

enum { CONTRACT_FRAME_WIDTH = 400, CONTRACT_FRAME_HEIGHT = 300 };

ContractFrames contract_frames_new (Random *random);
void contract_frames_free (ContractFrames *frames);

/* The functions of a table that call ctr_PREFIX_new(), _free(), _enqueue(), _finish() and _run(); the last arguments are
 * what these take of a request. CONTRACT_RESULTS is for an algorithm with results, of ctr_TYPE_unref(), and
 * CONTRACT_PICTURES for one that fills a picture. CONTRACT_CALLS are their fields in the table. */
#define CONTRACT_CREATE(prefix)                             \
  static void *create (CtrBackend backend, CtrError *error) \
  {                                                         \
    return ctr_##prefix##_new (backend, error);             \
  }
#define CONTRACT_OBJECT(prefix, ...)                                                        \
  static void destroy (void *object)                                                        \
  {                                                                                         \
    ctr_##prefix##_free (object);                                                           \
  }                                                                                         \
  static bool enqueue (void *object, const Request *request, void *stream, CtrError *error) \
  {                                                                                         \
    return ctr_##prefix##_enqueue (object, __VA_ARGS__, stream, error);                     \
  }
#define CONTRACT_RESULTS(prefix, type, ...)                                              \
  CONTRACT_CREATE (prefix)                                                               \
  CONTRACT_OBJECT (prefix, __VA_ARGS__)                                                  \
  static void *finish (void *object, CtrError *error)                                    \
  {                                                                                      \
    return ctr_##prefix##_finish (object, error);                                        \
  }                                                                                      \
  static void *run (void *object, const Request *request, void *stream, CtrError *error) \
  {                                                                                      \
    return ctr_##prefix##_run (object, __VA_ARGS__, stream, error);                      \
  }                                                                                      \
  static void drop (void *result)                                                        \
  {                                                                                      \
    ctr_##type##_unref (result);                                                         \
  }
#define CONTRACT_PICTURES(prefix, ...)                                                   \
  CONTRACT_OBJECT (prefix, __VA_ARGS__)                                                  \
  static void *finish (void *object, CtrError *error)                                    \
  {                                                                                      \
    return ctr_##prefix##_finish (object, error) ? object : NULL;                        \
  }                                                                                      \
  static void *run (void *object, const Request *request, void *stream, CtrError *error) \
  {                                                                                      \
    return ctr_##prefix##_run (object, __VA_ARGS__, stream, error) ? object : NULL;      \
  }                                                                                      \
  static void drop (void *object)                                                        \
  {                                                                                      \
  }
#define CONTRACT_CALLS \
  .create = create, .destroy = destroy, .enqueue = enqueue, .finish = finish, .run = run, .drop = drop

#endif
