/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All elements register with and without a GPU. An element that cannot run posts an error when it starts. */
#include "gst/elements/gstcontourexport.h"
#include "gst/elements/gstcontourextract.h"
#ifdef HAVE_KAFKA
#include "gst/elements/gstcontourkafkasink.h"
#endif
#ifdef HAVE_MQTT
#include "gst/elements/gstcontourmqttsink.h"
#endif
#include "gst/elements/gstcudabackground.h"
#include "gst/elements/gstcudaborders.h"
#include "gst/elements/gstcudacanny.h"
#include "gst/elements/gstcudacca.h"
#include "gst/elements/gstcudacontouroverlay.h"
#include "gst/elements/gstcudacrackcontour.h"
#include "gst/elements/gstcudaforeground.h"
#include "gst/elements/gstcudasnake.h"

#include <gst/contours/gstcontours.h>

/* The sinks for message brokers, as far as their libraries were there. */
static gboolean
register_sinks (GstPlugin *plugin)
{
  gboolean registered = TRUE;
#ifdef HAVE_KAFKA
  registered &= GST_ELEMENT_REGISTER (contourkafkasink, plugin);
#endif
#ifdef HAVE_MQTT
  registered &= GST_ELEMENT_REGISTER (contourmqttsink, plugin);
#endif
  return registered;
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  /* What receives frames from another process looks the metadata up by name. */
  gst_contours_component_meta_get_info ();
  gst_contours_contour_meta_get_info ();
  return GST_ELEMENT_REGISTER (contourexport, plugin) & GST_ELEMENT_REGISTER (contourextract, plugin)
         & GST_ELEMENT_REGISTER (cudabackground, plugin) & GST_ELEMENT_REGISTER (cudaborders, plugin)
         & GST_ELEMENT_REGISTER (cudacanny, plugin) & GST_ELEMENT_REGISTER (cudacca, plugin)
         & GST_ELEMENT_REGISTER (cudacontouroverlay, plugin) & GST_ELEMENT_REGISTER (cudacrackcontour, plugin)
         & GST_ELEMENT_REGISTER (cudaforeground, plugin) & GST_ELEMENT_REGISTER (cudasnake, plugin)
         & register_sinks (plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudacontours,
    "Edges, connected components and contours of video frames, on the GPU (CUDA) or CPU", plugin_init, PACKAGE_VERSION,
    "LGPL", "gst-cuda-contours", PACKAGE_ORIGIN)
