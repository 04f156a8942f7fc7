/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metadata API: what the elements attach to buffers. */
#ifndef __GST_CONTOURS_H__
#define __GST_CONTOURS_H__

#include <gst/contours/gstcomponentmeta.h>
#include <gst/contours/gstcontourhistory.h>
#include <gst/contours/gstcontourmeta.h>
#include <gst/contours/gstcontourscalibration.h>
#include <gst/contours/gstcontourshape.h>
#include <gst/contours/gstcontourslayout.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>
#include <gst/contours/gstcontoursserial.h>
#include <gst/contours/gstcontoursubpixel.h>
#include <gst/contours/gstcontourworld.h>

#endif /* __GST_CONTOURS_H__ */
