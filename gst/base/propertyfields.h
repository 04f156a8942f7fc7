/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties that are plain fields of a structure: one table replaces their cases in the property functions. */
#ifndef GST_BASE_PROPERTYFIELDS_H
#define GST_BASE_PROPERTYFIELDS_H

#include <glib-object.h>

G_BEGIN_DECLS

typedef struct {
  guint id; /* of the property; 0 ends the table */
  gsize offset;
  gsize size;
} PropertyField;

#define PROPERTY_FIELD(id, Structure, field)                                   \
  {                                                                            \
    id, G_STRUCT_OFFSET (Structure, field), G_SIZEOF_MEMBER (Structure, field) \
  }

/* Copy VALUE to or from the field of STRUCTURE for property ID: a boolean (bool or gboolean), int, uint, uint64,
 * double, enum, flags, or a text, which the structure owns. They return FALSE if FIELDS does not contain ID. */
gboolean property_fields_set (const PropertyField *fields, gpointer structure, guint id, const GValue *value);
gboolean property_fields_get (const PropertyField *fields, gconstpointer structure, guint id, GValue *value);

G_END_DECLS

#endif
