/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every algorithm does with its backend: choosing it, its life, and the result that is pending between enqueue()
 * and finish(). Internal.
 *
 * An algorithm is three things:
 *   - a table of backend functions, Ctr<Algorithm>Ops in core/<algorithm>/<algorithm>.h, which begins with
 *     CtrBackendOps. Each backend defines one: ctr_<algorithm>_ops_cpu in cpu/, ctr_<algorithm>_ops_cuda in cuda/;
 *   - a struct that begins with CtrAnalyser, in core/<algorithm>/<algorithm>.c;
 *   - the public functions there: they check arguments, make the plan, and call the backend. */
#ifndef CTR_CORE_COMMON_BACKEND_H
#define CTR_CORE_COMMON_BACKEND_H

#include "core/results/pending.h"

#include <contours/image.h>

CTR_BEGIN_DECLS

/* The first member of every algorithm's table of backend functions. The state is the backend's own. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  /* As in CtrPendingOps; NULL on the CPU and where submit() does not exist. */
  bool (*view) (void *state, CtrPendingView *view);
  bool (*hold) (void *state, void *event, CtrError *error);
  bool (*lead) (void *state, void *stream, CtrError *error);
  bool (*was_incomplete) (const void *state);
} CtrBackendOps;

/* The table of backend functions of ALGORITHM in BACKEND. ctr_analyser_new() refuses a backend that this build lacks.
 */
#ifdef CTR_HAVE_CUDA
#define CTR_BACKEND_OPS(algorithm, backend) \
  ((backend) == CTR_BACKEND_CUDA ? &ctr_##algorithm##_ops_cuda : &ctr_##algorithm##_ops_cpu)
#else
#define CTR_BACKEND_OPS(algorithm, backend) (&ctr_##algorithm##_ops_cpu)
#endif

typedef struct CtrAnalyserType CtrAnalyserType;

/* The first member of every analyser. */
typedef struct {
  const CtrAnalyserType *type;
  CtrBackend backend;
  const CtrBackendOps *ops;
  void *state;      /* the backend's own; NULL where it could not be made anew */
  bool failed;      /* a frame has, in the backend, since the state was made */
  bool pending;     /* enqueue() succeeded, finish() has not been called yet */
  void *handed_out; /* a reference to the pending result that submit() has returned last, or NULL */
} CtrAnalyser;

/* What the analysers of an algorithm have in common: their size, and their names in messages. */
struct CtrAnalyserType {
  size_t size;
  const char *name;                        /* "border follower" */
  const char *input;                       /* "image" */
  const char *enqueue;                     /* "ctr_borders_enqueue()" */
  void (*discard) (CtrAnalyser *analyser); /* drops the pending result */
  const CtrResultType *result;             /* of what submit() returns; NULL without submit() */
  void (*release) (CtrAnalyser *analyser); /* frees what the analyser owns besides the backend's state; may be NULL */
};

/* An analyser of TYPE, zeroed but for its CtrAnalyser, with the backend's state. NULL and error when BACKEND is unknown
 * or unavailable or there is no memory. */
CtrAnalyser *ctr_analyser_new (
    const CtrAnalyserType *type, CtrBackend backend, const CtrBackendOps *ops, CtrError *error);

/* Destroys the backend's state first, which waits for work that may still read what the analyser owns. ANALYSER may be
 * NULL. */
void ctr_analyser_free (CtrAnalyser *analyser);

/* Completes the result that submit() has handed out last, if any. It comes first in enqueue(), before anything of the
 * analyser is used. False and the error of the analysis if that has failed. */
bool ctr_analyser_settle (CtrAnalyser *analyser, CtrError *error);

/* The functions of CtrPendingOps of every analyser; only a backend that has them hands out pending results. */
bool ctr_analyser_view (void *analyser, CtrPendingView *view);
bool ctr_analyser_hold (void *analyser, void *event, CtrError *error);
bool ctr_analyser_lead (void *analyser, void *stream, CtrError *error);
bool ctr_analyser_was_incomplete (const void *analyser);

/* Can the analyser's backend read MEMORY, in which the WHAT of its arguments lies? */
bool ctr_analyser_check_memory (const CtrAnalyser *analyser, const char *what, CtrMemory memory, CtrError *error);

/* Drops the pending result, if any. */
void ctr_analyser_discard (CtrAnalyser *analyser);

/* The stale-result rule, which every enqueue() applies to the check of its arguments: if they are refused, the older
 * input's result is dropped. It must not pass for the new input's, nor may its pixels be read any longer. Returns
 * whether the backend may be called. */
bool ctr_analyser_accept (CtrAnalyser *analyser, bool valid, CtrError *error);

/* Takes note of whether a frame has WORKED in the backend, in enqueue() or finish(), and returns it. */
bool ctr_analyser_note (CtrAnalyser *analyser, bool worked);

/* Makes the backend's state anew if a frame has failed on the GPU. There, a frame leaves counters and tables as the next one
 * needs them; one that ends in the middle does not. ctr_analyser_accept() does so for arguments that are VALID. False and error
 * if there is no memory for it. */
bool ctr_analyser_renew (CtrAnalyser *analyser, CtrError *error);

/* Is a result pending? If not, error says what to call first. take() is finish()'s: the result is not pending then. */
bool ctr_analyser_check_pending (const CtrAnalyser *analyser, CtrError *error);
bool ctr_analyser_take_pending (CtrAnalyser *analyser, CtrError *error);

CTR_END_DECLS

#endif
