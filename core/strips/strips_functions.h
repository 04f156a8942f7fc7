/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public functions of one kind of strips of contours (include/contours/contourstrips.h), which pass their arguments
 * on. The file that includes this defines before it
 *
 *   STRIPS, PARAMS   the public types
 *   NAME(function)   the public name of a function
 *
 * and KIND, its CtrStripsKind. Internal. */
STRIPS *NAME (new) (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return (STRIPS *) ctr_strips_new (&kind, backend, max_open_rows, error);
}

void
NAME (free) (STRIPS *strips)
{
  ctr_strips_free ((CtrStrips *) strips);
}

CtrContours *
NAME (run) (STRIPS *strips, const CtrImage *strip, const PARAMS *params, void *stream, CtrError *error)
{
  return ctr_strips_queue ((CtrStrips *) strips, strip, params, true, stream, error);
}

CtrContours *
NAME (submit) (STRIPS *strips, const CtrImage *strip, const PARAMS *params, void *stream, CtrError *error)
{
  return ctr_strips_queue ((CtrStrips *) strips, strip, params, false, stream, error);
}

bool
NAME (settle) (STRIPS *strips, CtrError *error)
{
  return ctr_strips_settle ((CtrStrips *) strips, error);
}

void
NAME (cut) (STRIPS *strips)
{
  ctr_strips_cut ((CtrStrips *) strips);
}

bool
NAME (finish) (STRIPS *strips, CtrContours **rest, CtrError *error)
{
  return ctr_strips_finish ((CtrStrips *) strips, rest, error);
}

void
NAME (drop) (STRIPS *strips)
{
  ctr_strips_drop ((CtrStrips *) strips);
}
