/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies property values to and from fields, by their type. */
#include "gst/base/propertyfields.h"

#include <stdbool.h>

static const PropertyField *
find_field (const PropertyField *fields, guint id)
{
  while (fields->id != 0 && fields->id != id)
    fields++;
  return fields->id != 0 ? fields : NULL;
}

gboolean
property_fields_set (const PropertyField *fields, gpointer structure, guint id, const GValue *value)
{
  const PropertyField *field = find_field (fields, id);
  gpointer at;

  if (!field)
    return FALSE;
  at = G_STRUCT_MEMBER_P (structure, field->offset);
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_BOOLEAN:
      if (field->size == sizeof (bool))
        *(bool *) at = g_value_get_boolean (value);
      else
        *(gboolean *) at = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(gint *) at = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) at = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) at = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) at = g_value_get_double (value);
      break;
    case G_TYPE_ENUM:
      *(gint *) at = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      *(guint *) at = g_value_get_flags (value);
      break;
    case G_TYPE_STRING:
      g_free (*(gchar **) at);
      *(gchar **) at = g_value_dup_string (value);
      break;
    default:
      g_assert_not_reached ();
  }
  return TRUE;
}

gboolean
property_fields_get (const PropertyField *fields, gconstpointer structure, guint id, GValue *value)
{
  const PropertyField *field = find_field (fields, id);
  gconstpointer at;

  if (!field)
    return FALSE;
  at = (const guint8 *) structure + field->offset;
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, field->size == sizeof (bool) ? *(const bool *) at : *(const gboolean *) at);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) at);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) at);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) at);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) at);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) at);
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, *(const guint *) at);
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) at);
      break;
    default:
      g_assert_not_reached ();
  }
  return TRUE;
}
