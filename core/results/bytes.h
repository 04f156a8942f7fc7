/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The form that results have as bytes (include/contours/serial.h, docs/serial-format.md): a header and sections, each of
 * which has rows of numbers. Internal. */
#ifndef CTR_CORE_RESULTS_BYTES_H
#define CTR_CORE_RESULTS_BYTES_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* The version is that of the form: a reader refuses a newer one, and skips sections that it does not know. */
#define CTR_BYTES_MAGIC "CTRESULT"
#define CTR_BYTES_VERSION 1

/* Where the header has its fields, and how long it is. The checksum is that of all bytes behind it. */
enum {
  CTR_BYTES_AT_VERSION = 8,
  CTR_BYTES_AT_KIND = 12,
  CTR_BYTES_AT_SIZE = 16,
  CTR_BYTES_AT_CHECKSUM = 24,
  CTR_BYTES_AT_SECTIONS = 32,
  CTR_BYTES_HEADER = 40
};

typedef enum { CTR_BYTES_COMPONENTS = 1, CTR_BYTES_CONTOURS = 2 } CtrBytesKind;

/* FIELDS has a digit for each number of a row: its width in bytes, 1, 2, 4 or 8. A row in memory has no padding. */
typedef struct {
  uint32_t id;
  const char *fields;
  const void *rows;
  uint64_t count;
} CtrSection;

/* New memory of *SIZE bytes, for free(). NULL and error without memory. */
void *ctr_bytes_write (CtrBytesKind kind, const CtrSection *sections, uint32_t count, size_t *size, CtrError *error);

/* Bytes whose header and sections are in order. */
typedef struct {
  const uint8_t *bytes;
  uint32_t sections;
} CtrBytes;

bool ctr_bytes_open (const void *bytes, size_t size, CtrBytesKind kind, CtrBytes *opened, CtrError *error);

/* Gets the number of rows of section ID; false if there is no such section. */
bool ctr_bytes_count (const CtrBytes *bytes, uint32_t id, uint64_t *count);

/* Copies the rows of section ID, which NAME says in messages, TO memory for COUNT rows. False and error unless it has so many
 * rows of these FIELDS. */
bool ctr_bytes_read (const CtrBytes *bytes, uint32_t id, const char *name, const char *fields, void *to, uint64_t count,
    CtrError *error);

/* Fails because of WHAT is wrong with the content. */
bool ctr_bytes_fail (CtrError *error, const char *what);

uint64_t ctr_bytes_checksum (const void *bytes, size_t size);

CTR_END_DECLS

#endif
