/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results as bytes, for files, other processes and other machines.
 *
 * The bytes do not depend on the machine: numbers are little-endian. docs/serial-format.md describes them. All that a result
 * holds is in them, the label image included; chain codes are made from the points again. Equal results have equal bytes. */
#ifndef CONTOURS_SERIAL_H
#define CONTOURS_SERIAL_H

#include <contours/components.h>
#include <contours/contourlist.h>

CTR_BEGIN_DECLS

/* Writes a result to new memory of *SIZE bytes (transfer full, for free()). Waits for a pending result and fetches all arrays
 * from the GPU. NULL and error if that fails or there is no memory. */
CTR_API void *ctr_components_serialize (CtrComponents *components, size_t *size, CtrError *error);
CTR_API void *ctr_contours_serialize (CtrContours *contours, size_t *size, CtrError *error);

/* Makes a result of the host with one reference (transfer full) from SIZE bytes, which may have any alignment. NULL and
 * CTR_ERROR_INVALID_ARGUMENT if the bytes are of another kind or a newer version, are incomplete, or do not describe a result
 * that an analysis could have. Bytes of any content are safe: what is accepted has all indices and positions in range, and
 * its hierarchy has no cycles. */
CTR_API CtrComponents *ctr_components_deserialize (const void *bytes, size_t size, CtrError *error);
CTR_API CtrContours *ctr_contours_deserialize (const void *bytes, size_t size, CtrError *error);

CTR_END_DECLS

#endif
