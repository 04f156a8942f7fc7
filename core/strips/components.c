/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of strips: the public functions (include/contours/strips.h).
 *
 * Two analysers take the strips in turn, so that one strip is uploaded and analysed while the host joins the one before.
 * A strip is joined when its result is settled, by any thread, and behind the strip before: a result holds a reference to
 * the one before until then. So no two threads touch the seam at the same time. */
#include <contours/strips.h>

#include "core/cca/cca.h"
#include "core/common/error.h"
#include "core/results/components.h"
#include "core/results/select.h"
#include "core/strips/seam.h"
#include "core/strips/web.h"

#include <stdlib.h>

/* An analyser, and the strip that it has. */
typedef struct {
  CtrCca *cca;
  CtrComponentStrips *strips;
  CtrComponents *handed_out; /* its pending result; NULL: none. Only the thread that submits changes it. */
  CtrComponents *before;     /* pending result of the strip above, or NULL; of who settles HANDED_OUT */
  CtrSeamStrip where;
} Slot;

struct CtrComponentStrips {
  CtrBackend backend;
  Slot slots[2];
  uint32_t turn; /* the slot of the next strip */
  CtrWeb web;
  bool is_cut;
  CtrSeamStrip last; /* strip submitted; without one of this web, its features are not set */
  CtrSeam seam;      /* of who settles a result */
};

void
ctr_component_strips_free (CtrComponentStrips *strips)
{
  if (!strips)
    return;
  ctr_component_strips_settle (strips, NULL);
  for (int i = 0; i < 2; i++)
    ctr_cca_free (strips->slots[i].cca);
  ctr_seam_release (&strips->seam);
  free (strips);
}

CtrComponentStrips *
ctr_component_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  CtrWeb web;
  if (!ctr_web_init (&web, max_open_rows, error))
    return NULL;
  CtrComponentStrips *strips = calloc (1, sizeof *strips);
  if (!strips) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new analyser of strips");
    return NULL;
  }
  strips->backend = backend;
  strips->web = web;
  for (int i = 0; i < 2; i++) {
    strips->slots[i].strips = strips;
    /* The CPU backend is done with a strip before the next one comes. */
    if (backend == CTR_BACKEND_CPU && i > 0)
      break;
    if (!(strips->slots[i].cca = ctr_cca_new (backend, error))) {
      ctr_component_strips_free (strips);
      return NULL;
    }
  }
  return strips;
}

/* Joins the strip in SLOT, behind the one before. */
static CtrComponents *
take_result (Slot *slot, CtrError *error)
{
  CtrSeam *seam = &slot->strips->seam;
  CtrComponents *found = ctr_cca_finish (slot->cca, error), *result = NULL;
  if (found)
    result = ctr_seam_join (seam, found, &slot->where, error);
  else
    ctr_seam_clear (seam);
  ctr_components_unref (found);
  return result;
}

static bool
settle (void *data, void *result, CtrError *error)
{
  Slot *slot = data;
  if (slot->before) {
    ctr_components_wait (slot->before, NULL);
    ctr_components_unref (slot->before);
    slot->before = NULL;
  }
  CtrComponents *complete = take_result (slot, error);
  if (complete)
    ctr_components_settle (result, complete);
  return complete;
}

static bool
lead (void *data, void *stream, CtrError *error)
{
  return ctr_analyser_lead (((Slot *) data)->cca, stream, error);
}

/* The rows that the GPU has are those of parts of components: nobody can read them before they are joined. */
static const CtrPendingOps pending_ops = {.settle = settle, .lead = lead};

static bool
settle_slot (Slot *slot, CtrError *error)
{
  CtrComponents *result = slot->handed_out;
  if (!result)
    return true;
  const bool ok = ctr_components_wait (result, error);
  slot->handed_out = NULL;
  ctr_components_unref (result);
  return ok;
}

bool
ctr_component_strips_settle (CtrComponentStrips *strips, CtrError *error)
{
  const bool older = settle_slot (&strips->slots[strips->turn], error);
  return settle_slot (&strips->slots[!strips->turn], older ? error : NULL) && older;
}

static bool
check_arguments (const CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, CtrError *error)
{
  if (!ctr_cca_check_arguments (strips->slots[0].cca, image, params, error)
      || !ctr_web_check (&strips->web, image, error))
    return false;
  if (params->mode != CTR_COMPONENTS_FOREGROUND)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "mode %d: components of strips are those of a foreground; use CTR_COMPONENTS_FOREGROUND, or mode=foreground on "
        "cudacca",
        (int) params->mode);
  if (params->features & ~(uint32_t) (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "features 0x%x: components of strips have moments and grey values, but no label image, percentiles, inscribed "
        "circles, contrast, skeletons or background, since labels are known only when components are complete",
        params->features);
  if (!ctr_web_check_foreground (&params->foreground, error) || !ctr_select_check_strips (&params->select, error))
    return false;
  return strips->web.width == 0 || params->features == strips->last.features
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "features 0x%x of a strip differ from those of the web, 0x%x: end the web before they change",
             params->features, strips->last.features);
}

static CtrSeamStrip
place_strip (const CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params)
{
  const CtrWeb *web = &strips->web;
  return (CtrSeamStrip){.first_row = web->end_row,
      .end_row = web->end_row + image->height,
      .origin_row = ctr_web_origin (web, web->end_row),
      .max_open_rows = web->max_open_rows,
      .min_area = params->min_area,
      .max_area = params->max_area,
      .features = params->features,
      .connectivity = params->connectivity,
      .is_cut = strips->is_cut};
}

static CtrComponents *
new_pending (Slot *slot, const CtrImage *image, CtrError *error)
{
  const CtrSeamStrip *where = &slot->where;
  const CtrComponents info = {.width = image->width,
      .height = (uint32_t) (where->end_row - where->origin_row),
      .connectivity = where->connectivity,
      .features = where->features,
      .origin_row = where->origin_row};
  return ctr_components_new_pending (&info, &pending_ops, slot, error);
}

/* The strip before, if its result is pending. */
static CtrComponents *
ref_before (CtrComponentStrips *strips)
{
  CtrComponents *before = strips->slots[!strips->turn].handed_out;
  return before ? ctr_components_ref (before) : NULL;
}

/* Queues the strip in SLOT, or on the CPU joins it. */
static CtrComponents *
submit (Slot *slot, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponentStrips *strips = slot->strips;
  if (!ctr_cca_enqueue_strip (slot->cca, image, params, stream, error))
    return NULL;
  if (strips->backend == CTR_BACKEND_CPU)
    return take_result (slot, error);
  CtrComponents *result = new_pending (slot, image, error);
  if (!result) {
    ctr_components_unref (ctr_cca_finish (slot->cca, NULL));
    return NULL;
  }
  slot->before = ref_before (strips);
  slot->handed_out = ctr_components_ref (result);
  strips->turn = !strips->turn;
  return result;
}

CtrComponents *
ctr_component_strips_submit (
    CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  Slot *slot = &strips->slots[strips->turn];
  CtrComponents *result = NULL;
  if (settle_slot (slot, error) && check_arguments (strips, image, params, error)) {
    slot->where = strips->last = place_strip (strips, image, params);
    /* An upload in a stream of its own runs beside the analysis of the strip before. */
    result = submit (slot, image, params, image->memory == CTR_MEMORY_HOST ? NULL : stream, error);
  }
  if (!result) {
    ctr_component_strips_drop (strips);
    return NULL;
  }
  strips->is_cut = false;
  ctr_web_append (&strips->web, image);
  return result;
}

CtrComponents *
ctr_component_strips_run (
    CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponents *result = ctr_component_strips_submit (strips, image, params, stream, error);
  if (!result || ctr_components_wait (result, error))
    return result;
  ctr_components_unref (result);
  return NULL;
}

void
ctr_component_strips_cut (CtrComponentStrips *strips)
{
  strips->is_cut = true;
}

bool
ctr_component_strips_finish (CtrComponentStrips *strips, CtrComponents **rest, CtrError *error)
{
  CtrSeamStrip end = strips->last;
  const uint32_t width = strips->web.width;
  *rest = NULL;
  end.end_row = strips->web.end_row;
  end.origin_row = ctr_web_origin (&strips->web, end.end_row);
  const bool ok = ctr_component_strips_settle (strips, error)
                  && (!width || ctr_seam_close (&strips->seam, width, &end, rest, error));
  ctr_component_strips_drop (strips);
  return ok;
}

void
ctr_component_strips_drop (CtrComponentStrips *strips)
{
  ctr_component_strips_settle (strips, NULL);
  ctr_seam_clear (&strips->seam);
  ctr_web_restart (&strips->web);
  strips->is_cut = false;
}
