/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers among the bytes of metadata, little-endian. They lie at any address, as names before them have any length; GStreamer's own
 * functions take only aligned ones. Internal. */
#ifndef GST_META_SERIALNUMBERS_H
#define GST_META_SERIALNUMBERS_H

#include <gst/base/gstbytewriter.h>

#include <string.h>

static inline void
put_uint32 (GstByteWriter *out, guint32 number)
{
  number = GUINT32_TO_LE (number);
  gst_byte_writer_put_data (out, (const guint8 *) &number, sizeof number);
}

static inline void
put_uint64 (GstByteWriter *out, guint64 number)
{
  number = GUINT64_TO_LE (number);
  gst_byte_writer_put_data (out, (const guint8 *) &number, sizeof number);
}

static inline void
put_double (GstByteWriter *out, gdouble number)
{
  guint64 bits;
  memcpy (&bits, &number, sizeof bits);
  put_uint64 (out, bits);
}

static inline guint32
get_uint32 (const guint8 *at)
{
  guint32 number;
  memcpy (&number, at, sizeof number);
  return GUINT32_FROM_LE (number);
}

static inline guint64
get_uint64 (const guint8 *at)
{
  guint64 number;
  memcpy (&number, at, sizeof number);
  return GUINT64_FROM_LE (number);
}

static inline gdouble
get_double (const guint8 *at)
{
  const guint64 bits = get_uint64 (at);
  gdouble number;
  memcpy (&number, &bits, sizeof number);
  return number;
}

#endif
