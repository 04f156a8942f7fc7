/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes metadata in every format, and checks that what is written is one of it. */
#ifndef CTR_FUZZ_EXPORTING_H
#define CTR_FUZZ_EXPORTING_H

#include <gst/gst.h>

/* Writes two frames with the metadata of BUFFER in all formats. */
void fuzz_export (GstBuffer *buffer);

#endif
