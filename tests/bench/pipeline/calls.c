/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/calls.h"

#include <stdio.h>
#include <string.h>

const gchar calls_cases[] = "^canny-chain/1080p/NV12/cuda/x(1|16)$";

/* The order of the columns. */
static guint
columns_of (const Case *c, guint columns[CALLERS])
{
  guint count = 0;

  columns[count++] = CALLER_SOURCE;
  for (guint i = 0; c->kind.elements[i]; i++)
    columns[count++] = CALLER_ELEMENTS + i;
  columns[count++] = CALLER_READER;
  columns[count++] = CALLER_OTHER;
  return count;
}

static const gchar *
caller_name (const Case *c, guint caller, gchar name[40])
{
  switch (caller) {
    case CALLER_SOURCE:
      return "source";
    case CALLER_READER:
      return "reader";
    case CALLER_OTHER:
      return "other threads";
    default:
      return report_element_name (c->kind.elements[caller - CALLER_ELEMENTS], name);
  }
}

static void
print_row (const Case *c, const gchar *indent, const CallRow *row, guint64 frames)
{
  guint columns[CALLERS], count = columns_of (c, columns);
  gchar name[40];

  printf ("%s%-*s", indent, 44 - (int) strlen (indent), row->name);
  for (guint i = 0; i < count; i++)
    printf (
        " %*.2f", (int) MAX (strlen (caller_name (c, columns[i], name)), 8), (gdouble) row->calls[columns[i]] / frames);
  printf (" %8.2f\n", (gdouble) counts_row_sum (row) / frames);
}

static void
print_header (const Case *c)
{
  guint columns[CALLERS], count = columns_of (c, columns);
  gchar name[40];

  printf ("%-44s", c->id);
  for (guint i = 0; i < count; i++)
    printf (" %8s", caller_name (c, columns[i], name));
  printf (" %8s\n", "all");
}

/* Of one kind, by all who make them. */
static void
write_sum (Report *report, const Case *c, const CallRow *sum, guint64 frames)
{
  guint columns[CALLERS], count = columns_of (c, columns);
  gchar name[40];

  for (guint i = 0; i < count; i++)
    report_value (report, c, "count", (gdouble) sum->calls[columns[i]] / frames, "%s a frame, %s", sum->name,
        caller_name (c, columns[i], name));
}

void
calls_report (Report *report, const Case *c, const GArray *rows, guint64 frames)
{
  CallRow all = {.name = "all calls"};

  print_header (c);
  for (guint i = 0; i < rows->len;) {
    const CallKind kind = g_array_index (rows, CallRow, i).kind;
    CallRow sum = {.name = counts_name (kind), .kind = kind};
    const guint first = i;

    for (; i < rows->len && g_array_index (rows, CallRow, i).kind == kind; i++)
      counts_add (&sum, &g_array_index (rows, CallRow, i));
    print_row (c, "", &sum, MAX (frames, 1));
    write_sum (report, c, &sum, MAX (frames, 1));
    for (guint j = first; j < i; j++)
      print_row (c, "  ", &g_array_index (rows, CallRow, j), MAX (frames, 1));
    counts_add (&all, &sum);
  }
  print_row (c, "", &all, MAX (frames, 1));
  putchar ('\n');
  fflush (stdout);
}
