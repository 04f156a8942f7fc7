/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of cudacanny share these helpers. */
#ifndef CUDACANNY_H
#define CUDACANNY_H

#include "edges.h"

static inline CtrCannyParams
default_params (void)
{
  CtrCannyParams params;

  ctr_canny_params_init (&params);
  return params;
}

static inline guint
count_edges (const TestFrame *frame, const CtrCannyParams *params)
{
  guint8 *mask = expected_edges (frame, params);
  guint count = 0;

  for (gint i = 0; i < frame->width * frame->height; i++)
    count += mask[i] != 0;
  g_free (mask);
  return count;
}

#endif
