/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the elements on a GPU share these helpers. */
#ifndef GPU_H
#define GPU_H

#include "subject.h"

#include <gst/base/gstbasetransform.h>

static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 41};

static inline GstElement *
new_subject (const gchar *properties)
{
  gchar *line = g_strdup_printf ("%s %s", subject_line (), properties);
  GstElement *element = gst_parse_launch (line, NULL);

  fail_unless (element != NULL);
  g_free (line);
  return element;
}

/* Returns the CUDA context that PAD's element announces in its answer to a context query. */
static inline GstCudaContext *
context_of (GstPad *pad)
{
  GstQuery *query = gst_query_new_context ("gst.cuda.context");
  GstCudaContext *result = NULL;
  GstContext *context;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_context (query, &context);
  fail_unless (gst_structure_get (
      gst_context_get_structure (context), "gst.cuda.context", GST_TYPE_CUDA_CONTEXT, &result, NULL));
  gst_query_unref (query);
  gst_object_unref (result); /* the element holds a reference */
  return result;
}

#endif
