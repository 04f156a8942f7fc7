/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metadata API: what the elements attach to buffers. */
#ifndef __GST_CONTOURS_H__
#define __GST_CONTOURS_H__

#include <gst/contours/gstcomponentmeta.h>
#include <gst/contours/gstcontourhistory.h>
#include <gst/contours/gstcontourmeta.h>
#include <gst/contours/gstcontourslayout.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>

#endif /* __GST_CONTOURS_H__ */
