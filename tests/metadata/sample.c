/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sample.h"

#include <contours/contours.h>

static const guint8 picture[SAMPLE_WIDTH * SAMPLE_HEIGHT] = {
    0, 255, 255, 0, 0, 0, 0, 0,   /* */
    0, 255, 0, 0, 0, 9, 200, 210, /* */
    0, 0, 0, 0, 0, 0, 0, 220,     /* */
    0, 0, 0, 0, 0, 0, 230, 0,     /* 8-connected */
    0, 0, 0, 0, 0, 0, 0, 0,       /* */
    128, 0, 0, 0, 127, 0, 0, 0,   /* */
};

GstBuffer *
sample_buffer (void)
{
  GstBuffer *buffer = gst_buffer_new_memdup (picture, sizeof picture);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

CtrComponents *
sample_analyse (const guint8 *samples, guint width, guint height, guint features)
{
  const CtrImage image = {samples, width, width, height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST};
  CtrCcaParams params;
  CtrError error;
  ctr_cca_params_init (&params);
  params.features = features;
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
  CtrComponents *components = cca ? ctr_cca_run (cca, &image, &params, NULL, &error) : NULL;
  if (!components)
    g_error ("%s", error.message);
  ctr_cca_free (cca);
  return components;
}

GstComponentMeta *
sample_attach (GstBuffer *buffer, guint features, const gchar *source)
{
  CtrComponents *components = sample_analyse (picture, SAMPLE_WIDTH, SAMPLE_HEIGHT, features);
  GstComponentMeta *meta = gst_buffer_add_component_meta (buffer, components, source);
  ctr_components_unref (components);
  return meta;
}

GstBuffer *
sample_dots (guint width, guint height)
{
  guint8 *samples = g_malloc0 ((gsize) width * height);
  for (guint y = 0; y < height; y += 2)
    for (guint x = 0; x < width; x += 2)
      samples[(gsize) y * width + x] = 255;
  GstBuffer *buffer = gst_buffer_new_wrapped (samples, (gsize) width * height);
  CtrComponents *components = sample_analyse (samples, width, height, 0);
  gst_buffer_add_component_meta (buffer, components, "dots");
  ctr_components_unref (components);
  return buffer;
}
