/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/results/bytes.h"

#include "core/common/error.h"
#include "core/common/memory.h"

#include <stdlib.h>
#include <string.h>

/* The head of a section: its id and the size of a row, 4 bytes each, then the number of rows. Rows are padded with 0 to whole
 * words. */
enum { SECTION_HEAD = 16, WORD = 8 };

static size_t
row_size (const char *fields)
{
  size_t size = 0;
  while (*fields)
    size += (size_t) (*fields++ - '0');
  return size;
}

static uint64_t
load (const uint8_t *from, unsigned width)
{
  uint64_t value = 0;
  for (unsigned i = width; i-- > 0;)
    value = value << 8 | from[i];
  return value;
}

static void
store (uint8_t *to, uint64_t value, unsigned width)
{
  for (unsigned i = 0; i < width; i++, value >>= 8)
    to[i] = (uint8_t) value;
}

/* Copies rows between memory and bytes: on machines with the other order, each number is turned round. */
static void
copy_rows (void *to, const void *from, const char *fields, uint64_t count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (count > 0)
    memcpy (to, from, count * row_size (fields));
#else
  uint8_t *out = to;
  const uint8_t *in = from;
  for (uint64_t row = 0; row < count; row++)
    for (const char *field = fields; *field; field++) {
      const unsigned width = (unsigned) (*field - '0');
      for (unsigned i = 0; i < width; i++)
        out[i] = in[width - 1 - i];
      out += width;
      in += width;
    }
#endif
}

static uint64_t
padded (uint64_t bytes)
{
  return (bytes + WORD - 1) / WORD * WORD;
}

/* Multiplies word by word, as FNV-1a does byte by byte, and folds the upper bits down, which a product alone does not move. */
uint64_t
ctr_bytes_checksum (const void *bytes, size_t size)
{
  const uint8_t *from = bytes;
  uint64_t sum = UINT64_C (0xcbf29ce484222325);
  for (size_t i = 0; i + WORD <= size; i += WORD) {
    sum = (sum ^ load (from + i, WORD)) * UINT64_C (0x100000001b3);
    sum ^= sum >> 32;
  }
  return sum;
}

void *
ctr_bytes_write (CtrBytesKind kind, const CtrSection *sections, uint32_t count, size_t *size, CtrError *error)
{
  size_t total = CTR_BYTES_HEADER;
  for (uint32_t i = 0; i < count; i++)
    total += SECTION_HEAD + padded (sections[i].count * row_size (sections[i].fields));
  uint8_t *bytes = ctr_alloc_array (total, 1);
  if (!bytes) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the %zu bytes of a result", total);
    return NULL;
  }
  uint8_t *at = bytes + CTR_BYTES_HEADER;
  for (uint32_t i = 0; i < count; i++) {
    const CtrSection *s = &sections[i];
    const size_t row = row_size (s->fields), used = s->count * row;
    store (at, s->id, 4);
    store (at + 4, row, 4);
    store (at + 8, s->count, 8);
    copy_rows (at + SECTION_HEAD, s->rows, s->fields, s->count);
    memset (at + SECTION_HEAD + used, 0, padded (used) - used);
    at += SECTION_HEAD + padded (used);
  }
  memcpy (bytes, CTR_BYTES_MAGIC, CTR_BYTES_AT_VERSION);
  store (bytes + CTR_BYTES_AT_VERSION, CTR_BYTES_VERSION, 4);
  store (bytes + CTR_BYTES_AT_KIND, kind, 4);
  store (bytes + CTR_BYTES_AT_SIZE, total, 8);
  store (bytes + CTR_BYTES_AT_SECTIONS, count, 8);
  store (bytes + CTR_BYTES_AT_CHECKSUM,
      ctr_bytes_checksum (bytes + CTR_BYTES_AT_SECTIONS, total - CTR_BYTES_AT_SECTIONS), 8);
  *size = total;
  return bytes;
}

bool
ctr_bytes_fail (CtrError *error, const char *what)
{
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
      "the bytes describe no valid result: %s; they were damaged, or another program wrote them", what);
}

static const char *
kind_name (uint64_t kind)
{
  return kind == CTR_BYTES_COMPONENTS ? "components" : kind == CTR_BYTES_CONTOURS ? "contours" : "an unknown result";
}

/* The size of the section at AT with REST bytes from there on, or 0 if it is longer. */
static uint64_t
section_size (const uint8_t *at, uint64_t rest)
{
  if (rest < SECTION_HEAD)
    return 0;
  const uint64_t row = load (at + 4, 4), count = load (at + 8, 8);
  if (row == 0 || count > (rest - SECTION_HEAD) / row)
    return 0;
  const uint64_t size = SECTION_HEAD + padded (row * count);
  return size <= rest ? size : 0;
}

bool
ctr_bytes_open (const void *bytes, size_t size, CtrBytesKind kind, CtrBytes *opened, CtrError *error)
{
  const uint8_t *from = bytes;
  if (size < CTR_BYTES_HEADER || memcmp (from, CTR_BYTES_MAGIC, CTR_BYTES_AT_VERSION) != 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the %zu bytes are no result of gst-cuda-contours: they do not begin with a header \"" CTR_BYTES_MAGIC "\"",
        size);
  const uint64_t version = load (from + CTR_BYTES_AT_VERSION, 4), found = load (from + CTR_BYTES_AT_KIND, 4);
  if (version != CTR_BYTES_VERSION)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the bytes have version %llu of the format, and this library reads version %d: use the library that wrote them",
        (unsigned long long) version, CTR_BYTES_VERSION);
  if (found != kind)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the bytes hold %s, and not %s", kind_name (found), kind_name (kind));
  const uint64_t total = load (from + CTR_BYTES_AT_SIZE, 8);
  if (total != size)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the result has %llu bytes, and %zu were given",
        (unsigned long long) total, size);
  if (size % WORD != 0
      || load (from + CTR_BYTES_AT_CHECKSUM, 8)
             != ctr_bytes_checksum (from + CTR_BYTES_AT_SECTIONS, size - CTR_BYTES_AT_SECTIONS))
    return ctr_bytes_fail (error, "the checksum differs");
  const uint64_t sections = load (from + CTR_BYTES_AT_SECTIONS, 8);
  uint64_t at = CTR_BYTES_HEADER;
  for (uint64_t i = 0; i < sections; i++) {
    const uint64_t section = section_size (from + at, size - at);
    if (section == 0)
      return ctr_bytes_fail (error, "a section is longer than the bytes");
    at += section;
  }
  if (at != size)
    return ctr_bytes_fail (error, "there are bytes behind the last section");
  *opened = (CtrBytes){from, (uint32_t) sections};
  return true;
}

/* The first section ID, or NULL. */
static const uint8_t *
find (const CtrBytes *bytes, uint32_t id)
{
  const uint8_t *at = bytes->bytes + CTR_BYTES_HEADER;
  for (uint32_t i = 0; i < bytes->sections; i++) {
    if (load (at, 4) == id)
      return at;
    at += SECTION_HEAD + padded (load (at + 4, 4) * load (at + 8, 8));
  }
  return NULL;
}

bool
ctr_bytes_count (const CtrBytes *bytes, uint32_t id, uint64_t *count)
{
  const uint8_t *section = find (bytes, id);
  *count = section ? load (section + 8, 8) : 0;
  return section;
}

bool
ctr_bytes_read (
    const CtrBytes *bytes, uint32_t id, const char *name, const char *fields, void *to, uint64_t count, CtrError *error)
{
  const uint8_t *section = find (bytes, id);
  if (!section)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the bytes describe no valid result: the section of the %s is missing", name);
  const uint64_t rows = load (section + 8, 8), row = load (section + 4, 4);
  if (rows != count || row != row_size (fields))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the bytes describe no valid result: there are %llu rows of %llu bytes of the %s where %llu of %zu are needed",
        (unsigned long long) rows, (unsigned long long) row, name, (unsigned long long) count, row_size (fields));
  copy_rows (to, section + SECTION_HEAD, fields, count);
  return true;
}
