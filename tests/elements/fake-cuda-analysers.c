/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This file replaces the analysers of the core's CUDA backend by those of the host backend. */
#include "fake-cuda.h"

CtrCca *
ctr_cca_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_cca_new", backend, error);
}

void
ctr_cca_free (CtrCca *cca)
{
  free_object ("ctr_cca_free", cca);
}

/* Runs the core's FUNCTION on the host. */
static CtrComponents *
call_cca (
    const char *function, CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponents *(*host_call) (CtrCca *, const CtrImage *, const CtrCcaParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, function);
  CtrImage view;

  return view_image (cca, image, &view, stream, error) ? host_call (cca, &view, params, NULL, error) : NULL;
}

CtrComponents *
ctr_cca_run (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  return call_cca ("ctr_cca_run", cca, image, params, stream, error);
}

CtrComponents *
ctr_cca_submit (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  return call_cca ("ctr_cca_submit", cca, image, params, stream, error);
}

CtrEdgeChains *
ctr_edge_chains_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_edge_chains_new", backend, error);
}

void
ctr_edge_chains_free (CtrEdgeChains *chains)
{
  free_object ("ctr_edge_chains_free", chains);
}

bool
ctr_edge_chains_enqueue (
    CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, void *stream, CtrError *error)
{
  bool (*host_enqueue) (CtrEdgeChains *, const CtrImage *, const CtrEdgeChainsParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_edge_chains_enqueue");
  CtrEdgeChainsParams own = *params;
  CtrImage view, image;

  if (params->image && !view_image (chains, params->image, &image, stream, error))
    return false;
  own.image = params->image ? &image : NULL;
  return view_image (chains, mask, &view, stream, error) && host_enqueue (chains, &view, &own, NULL, error);
}

CtrBorders *
ctr_borders_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_borders_new", backend, error);
}

void
ctr_borders_free (CtrBorders *borders)
{
  free_object ("ctr_borders_free", borders);
}

/* Runs the core's FUNCTION on the host. */
static CtrContours *
call_borders (const char *function, CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params,
    void *stream, CtrError *error)
{
  CtrContours *(*host_call) (CtrBorders *, const CtrImage *, const CtrBordersParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, function);
  CtrImage view;

  return view_image (borders, image, &view, stream, error) ? host_call (borders, &view, params, NULL, error) : NULL;
}

CtrContours *
ctr_borders_run (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return call_borders ("ctr_borders_run", borders, image, params, stream, error);
}

CtrContours *
ctr_borders_submit (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return call_borders ("ctr_borders_submit", borders, image, params, stream, error);
}

CtrCracks *
ctr_cracks_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_cracks_new", backend, error);
}

void
ctr_cracks_free (CtrCracks *cracks)
{
  free_object ("ctr_cracks_free", cracks);
}

/* Runs the core's FUNCTION on the host. */
static CtrContours *
call_cracks (const char *function, CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params,
    void *stream, CtrError *error)
{
  CtrContours *(*host_call) (CtrCracks *, const CtrImage *, const CtrCracksParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, function);
  CtrImage view;

  return view_image (cracks, image, &view, stream, error) ? host_call (cracks, &view, params, NULL, error) : NULL;
}

CtrContours *
ctr_cracks_run (CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return call_cracks ("ctr_cracks_run", cracks, image, params, stream, error);
}

CtrContours *
ctr_cracks_submit (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return call_cracks ("ctr_cracks_submit", cracks, image, params, stream, error);
}

CtrContours *
ctr_cracks_submit_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_submit) (CtrCracks *, CtrComponents *, const CtrCracksParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_cracks_submit_labels");
  Object object = find_object (cracks, false);

  return object.pointer && !check_call (&object, stream, error) ? NULL
                                                                : host_submit (cracks, components, params, NULL, error);
}

CtrSnake *
ctr_snake_new (CtrBackend backend, CtrError *error)
{
  return new_object ("ctr_snake_new", backend, error);
}

void
ctr_snake_free (CtrSnake *snake)
{
  free_object ("ctr_snake_free", snake);
}

CtrContours *
ctr_snake_run (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  CtrContours *(*host_run) (CtrSnake *, const CtrImage *, const CtrSnakeParams *, const CtrSnakeObject *, uint32_t,
      void *, CtrError *) = dlsym (RTLD_NEXT, "ctr_snake_run");
  CtrImage view;

  return view_image (snake, image, &view, stream, error) ? host_run (snake, &view, params, objects, count, NULL, error)
                                                         : NULL;
}

/* As new_object(), for strips. */
static void *
new_strips (const char *function, CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  void *(*host_new) (CtrBackend, uint32_t, CtrError *) = dlsym (RTLD_NEXT, function);

  return can_make (backend, error) ? keep_object (host_new (CTR_BACKEND_CPU, max_open_rows, error), backend) : NULL;
}

CtrComponentStrips *
ctr_component_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return new_strips ("ctr_component_strips_new", backend, max_open_rows, error);
}

void
ctr_component_strips_free (CtrComponentStrips *strips)
{
  free_object ("ctr_component_strips_free", strips);
}

CtrComponents *
ctr_component_strips_submit (
    CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrComponents *(*host_submit) (CtrComponentStrips *, const CtrImage *, const CtrCcaParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_component_strips_submit");
  CtrImage view;

  return view_image (strips, image, &view, stream, error) ? host_submit (strips, &view, params, NULL, error) : NULL;
}

CtrBorderStrips *
ctr_border_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return new_strips ("ctr_border_strips_new", backend, max_open_rows, error);
}

void
ctr_border_strips_free (CtrBorderStrips *strips)
{
  free_object ("ctr_border_strips_free", strips);
}

CtrContours *
ctr_border_strips_submit (
    CtrBorderStrips *strips, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_submit) (CtrBorderStrips *, const CtrImage *, const CtrBordersParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_border_strips_submit");
  CtrImage view;

  return view_image (strips, image, &view, stream, error) ? host_submit (strips, &view, params, NULL, error) : NULL;
}

CtrCrackStrips *
ctr_crack_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return new_strips ("ctr_crack_strips_new", backend, max_open_rows, error);
}

void
ctr_crack_strips_free (CtrCrackStrips *strips)
{
  free_object ("ctr_crack_strips_free", strips);
}

CtrContours *
ctr_crack_strips_submit (
    CtrCrackStrips *strips, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  CtrContours *(*host_submit) (CtrCrackStrips *, const CtrImage *, const CtrCracksParams *, void *, CtrError *) =
      dlsym (RTLD_NEXT, "ctr_crack_strips_submit");
  CtrImage view;

  return view_image (strips, image, &view, stream, error) ? host_submit (strips, &view, params, NULL, error) : NULL;
}
