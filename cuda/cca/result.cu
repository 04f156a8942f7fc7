/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fetches results from the device, and repeats frames whose results outgrew their memory. */
#include "cuda/cca/analyser.cuh"

#include "core/results/components.h"

#include <string.h>

namespace
{

constexpr uint32_t MAX_EXPECTED_ROWS = 1 << 18; /* fetched with the header: pinned memory is expensive */

uint32_t
expected_rows (const CcaAnalyser *cca)
{
  uint32_t rows = cca->last_count + cca->last_count / 8;
  rows = rows < 256 ? 256 : rows > MAX_EXPECTED_ROWS ? MAX_EXPECTED_ROWS : rows;
  return rows < cca->capacity ? rows : cca->capacity;
}

/* Layout of the pinned memory that receives a result: ROWS of each array, and all labels. */
struct HostLayout {
  size_t moments, grey, labels, end; /* bytes; header and table are at the start */
};

HostLayout
host_layout (const CcaKernelArgs *f, uint32_t rows)
{
  auto after = [] (size_t at, size_t bytes) { return (at + bytes + 255) / 256 * 256; };
  HostLayout a;
  a.moments = after (CCA_HEADER_SIZE, rows * sizeof (CtrComponent));
  a.grey = after (a.moments, f->by_table_row.moments ? rows * sizeof (CtrComponentMoments) : 0);
  a.labels = after (a.grey, f->by_table_row.grey ? rows * sizeof (CtrComponentGrey) : 0);
  a.end = after (a.labels, f->by_pixel.labels ? (size_t) f->width * f->height * sizeof (uint32_t) : 0);
  return a;
}

/* Fetches the result with as many rows as it probably has, and waits for it. Grows the capacities and repeats the frame
 * until the result fits, which it mostly does at once. On return the pinned memory holds *ROWS rows. */
bool
fetch_result (CcaAnalyser *cca, uint32_t *rows, CtrError *error)
{
  for (;;) {
    const CcaKernelArgs *f = &cca->current->args;
    *rows = expected_rows (cca);
    const HostLayout at = host_layout (f, *rows);
    if (!ctr_device_buffer_reserve (&cca->host, at.end, error))
      return false;
    uint8_t *host = (uint8_t *) cca->host.data;
    CTR_CUDA (cudaMemcpyAsync (
        host, f->header, CCA_HEADER_SIZE + *rows * sizeof (CtrComponent), cudaMemcpyDeviceToHost, cca->session.stream));
    if (f->by_table_row.moments)
      CTR_CUDA (cudaMemcpyAsync (host + at.moments, f->by_table_row.moments, *rows * sizeof *f->by_table_row.moments,
          cudaMemcpyDeviceToHost, cca->session.stream));
    if (f->by_table_row.grey)
      CTR_CUDA (cudaMemcpyAsync (host + at.grey, f->by_table_row.grey, *rows * sizeof *f->by_table_row.grey,
          cudaMemcpyDeviceToHost, cca->session.stream));
    if (f->by_pixel.labels)
      CTR_CUDA (cudaMemcpyAsync (host + at.labels, f->by_pixel.labels,
          (size_t) f->width * f->height * sizeof *f->by_pixel.labels, cudaMemcpyDeviceToHost, cca->session.stream));
    CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
    const CcaHeader header = *(const CcaHeader *) host;
    cca->last_count = header.count;
    if (header.count <= cca->capacity && header.closed <= cca->closed_capacity)
      return true;
    if (header.count > cca->capacity)
      cca->capacity = ctr_with_spare (header.count);
    if (header.closed > cca->closed_capacity)
      cca->closed_capacity = ctr_with_spare (header.closed);
    const CcaFrameKey key = cca->current->key;
    cca->generation++; /* the cached graphs use too little memory */
    if (!cca_select_graph (cca, &key, error) || !cca_launch_graph (cca, error))
      return false;
  }
}

/* Copies SIZE bytes from the device to pageable host memory, in pieces through the pinned memory, which loses its
 * contents. */
bool
fetch (CcaAnalyser *cca, const void *to, const void *from, size_t size, CtrError *error)
{
  const size_t piece = (size_t) 8 << 20;
  if (!ctr_device_buffer_reserve (&cca->host, size < piece ? size : piece, error))
    return false;
  for (size_t done = 0; done < size;) {
    size_t n = size - done < cca->host.size ? size - done : cca->host.size;
    CTR_CUDA (cudaMemcpyAsync (
        cca->host.data, (const uint8_t *) from + done, n, cudaMemcpyDeviceToHost, cca->session.stream));
    CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
    memcpy ((uint8_t *) to + done, cca->host.data, n);
    done += n;
  }
  return true;
}

} // namespace

CtrComponents *
cca_take_result (CcaAnalyser *cca, CtrError *error)
{
  uint32_t rows;
  if (!fetch_result (cca, &rows, error))
    return NULL;
  const CtrCcaParams *params = &cca->current->key.params;
  const CcaKernelArgs *f = &cca->current->args;
  const uint8_t *host = (const uint8_t *) cca->host.data;
  const CcaHeader header = *(const CcaHeader *) host;
  CtrComponents *result = ctr_components_alloc (f->width, f->height, header.count, params->features, error);
  if (!result)
    return NULL;
  result->threshold = header.threshold;
  result->connectivity = params->connectivity;
  const HostLayout at = host_layout (f, rows);
  const uint32_t have = header.count < rows ? header.count : rows, missing = header.count - have;
  memcpy ((void *) result->table, host + CCA_HEADER_SIZE, have * sizeof *result->table);
  if (result->moments)
    memcpy ((void *) result->moments, host + at.moments, have * sizeof *result->moments);
  if (result->grey)
    memcpy ((void *) result->grey, host + at.grey, have * sizeof *result->grey);
  if (result->labels)
    memcpy ((void *) result->labels, host + at.labels, (size_t) f->width * f->height * sizeof *result->labels);
  /* If there are many more rows than in the last frame, some are still missing. */
  bool ok = fetch (cca, result->table + have, f->table.components + have, missing * sizeof *result->table, error);
  if (result->moments)
    ok = ok
         && fetch (
             cca, result->moments + have, f->by_table_row.moments + have, missing * sizeof *result->moments, error);
  if (result->grey)
    ok = ok && fetch (cca, result->grey + have, f->by_table_row.grey + have, missing * sizeof *result->grey, error);
  if (ok)
    return result;
  ctr_components_unref (result);
  return NULL;
}
