/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties strip-mode and max-open-rows of analysers whose frames may be strips of one endless picture, the web.
 *
 * An element has a StripMode, installs the properties with strip_mode_install_properties(), lists its fields with
 * STRIP_MODE_FIELDS(), and tells the base class in open() with gst_contours_filter_set_strips(). The base class then
 * places each result in its frame, ends the web, delivers what is still open then, and warns. */
#ifndef GST_BASE_STRIPMODE_H
#define GST_BASE_STRIPMODE_H

#include "gst/base/propertyfields.h"

G_BEGIN_DECLS

typedef struct {
  gboolean enabled;
  guint max_open_rows;
} StripMode;

#define STRIP_MODE_DEFAULT \
  {                        \
    FALSE, 16384           \
  }

/* For the table of PropertyField of STRUCTURE, whose MEMBER is a StripMode. */
#define STRIP_MODE_FIELDS(enabled_id, max_open_rows_id, Structure, member) \
  PROPERTY_FIELD (enabled_id, Structure, member.enabled),                  \
      PROPERTY_FIELD (max_open_rows_id, Structure, member.max_open_rows)

void strip_mode_install_properties (GObjectClass *klass, guint enabled_id, guint max_open_rows_id);

G_END_DECLS

#endif
