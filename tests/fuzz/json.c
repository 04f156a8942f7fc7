/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The grammar of JSON, to check what is written. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

typedef struct {
  const gchar *at, *end;
  guint depth;
} Reader;

static gboolean read_value (Reader *reader);

static gchar
peek (const Reader *reader)
{
  return reader->at < reader->end ? *reader->at : '\0';
}

static gboolean
accept (Reader *reader, gchar c)
{
  if (reader->at == reader->end || *reader->at != c)
    return FALSE;
  reader->at++;
  return TRUE;
}

static void
skip_space (Reader *reader)
{
  while (reader->at < reader->end && strchr (" \t\r\n", *reader->at) && *reader->at)
    reader->at++;
}

static gboolean
read_word (Reader *reader, const gchar *word)
{
  const gsize length = strlen (word);
  if ((gsize) (reader->end - reader->at) < length || memcmp (reader->at, word, length) != 0)
    return FALSE;
  reader->at += length;
  return TRUE;
}

static gboolean
read_digits (Reader *reader)
{
  const gchar *start = reader->at;
  while (g_ascii_isdigit (peek (reader)))
    reader->at++;
  return reader->at > start;
}

static gboolean
read_number (Reader *reader)
{
  accept (reader, '-');
  if (!accept (reader, '0') && !read_digits (reader))
    return FALSE;
  if (accept (reader, '.') && !read_digits (reader))
    return FALSE;
  if (accept (reader, 'e') || accept (reader, 'E')) {
    if (!accept (reader, '-'))
      accept (reader, '+');
    return read_digits (reader);
  }
  return TRUE;
}

static gboolean
read_escape (Reader *reader)
{
  const gchar c = peek (reader);
  if (c == '\0' || !strchr ("\"\\/bfnrtu", c))
    return FALSE;
  reader->at++;
  for (int i = 0; c == 'u' && i < 4; i++, reader->at++)
    if (!g_ascii_isxdigit (peek (reader)))
      return FALSE;
  return TRUE;
}

static gboolean
read_string (Reader *reader)
{
  if (!accept (reader, '"'))
    return FALSE;
  while (reader->at < reader->end && *reader->at != '"') {
    const guchar c = (guchar) *reader->at++;
    if (c < 0x20 || (c == '\\' && !read_escape (reader)))
      return FALSE;
  }
  return accept (reader, '"');
}

/* Members between OPEN, which has been read, and CLOSE. */
static gboolean
read_members (Reader *reader, gchar close, gboolean named)
{
  skip_space (reader);
  if (accept (reader, close))
    return TRUE;
  do {
    skip_space (reader);
    if (named && !read_string (reader))
      return FALSE;
    skip_space (reader);
    if ((named && !accept (reader, ':')) || !read_value (reader))
      return FALSE;
    skip_space (reader);
  } while (accept (reader, ','));
  return accept (reader, close);
}

static gboolean
read_value (Reader *reader)
{
  gboolean ok;
  skip_space (reader);
  if (++reader->depth > 100)
    return FALSE;
  if (accept (reader, '{'))
    ok = read_members (reader, '}', TRUE);
  else if (accept (reader, '['))
    ok = read_members (reader, ']', FALSE);
  else if (peek (reader) == '"')
    ok = read_string (reader);
  else
    ok =
        read_word (reader, "true") || read_word (reader, "false") || read_word (reader, "null") || read_number (reader);
  reader->depth--;
  return ok;
}

gboolean
fuzz_is_json (const gchar *text, gsize size)
{
  Reader reader = {text, text + size, 0};
  if (!g_utf8_validate (text, (gssize) size, NULL) || !read_value (&reader))
    return FALSE;
  skip_space (&reader);
  return reader.at == reader.end;
}
