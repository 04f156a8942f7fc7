/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contract a backend fills for each algorithm, and what backends share. Internal. */
#ifndef CTR_CORE_COMMON_BACKEND_H
#define CTR_CORE_COMMON_BACKEND_H

#include "core/borders/borders.h"
#include "core/canny/canny.h"
#include "core/cracks/cracks.h"
#include "core/snake/snake.h"

#include <contours/contours.h>

CTR_BEGIN_DECLS

/* Component analysis: one table of functions a backend; the state is the backend's own. Arguments are checked before.
 */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);
  CtrComponents *(*finish) (void *state, CtrError *error);
  bool (*get_device_result) (void *state, CtrDeviceComponents *result, CtrError *error); /* NULL: has none */
} CtrCcaOps;

extern const CtrCcaOps ctr_cca_ops_cpu;
extern const CtrCcaOps ctr_cca_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Edge detection. enqueue() may come again before finish(): then it first finishes a host picture that is pending.
 * finish() waits, and fills a host picture. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture,
      void *stream, CtrError *error);
  bool (*finish) (void *state, CtrError *error);
} CtrCannyOps;

extern const CtrCannyOps ctr_canny_ops_cpu;
extern const CtrCannyOps ctr_canny_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Border following; arguments are checked before. PLAN's epsilon is the core's business. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*enqueue) (void *state, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrBordersOps;

extern const CtrBordersOps ctr_borders_ops_cpu;
extern const CtrBordersOps ctr_borders_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Contours of levels; arguments are checked before. PLAN and its tables are read by enqueue() only. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrCracksOps;

extern const CtrCracksOps ctr_cracks_ops_cpu;
extern const CtrCracksOps ctr_cracks_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Drawing; arguments are checked before. Layers without alpha are not drawn. enqueue() may come again before finish().
 * lead_default() comes between the two; NULL: nothing is ever queued. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*enqueue) (void *state, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
      const CtrPaintColour *colours, void *stream, CtrError *error);
  bool (*lead_default) (void *state, CtrError *error);
  bool (*finish) (void *state, CtrError *error);
} CtrPaintOps;

extern const CtrPaintOps ctr_paint_ops_cpu;
extern const CtrPaintOps ctr_paint_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Outlines of objects; arguments are checked before. PLAN and its arrays stay as they are until finish(), which comes
 * once for each enqueue() that succeeded, before the next one. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*enqueue) (void *state, const CtrImage *image, const CtrSnakePlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrSnakeOps;

extern const CtrSnakeOps ctr_snake_ops_cpu;
extern const CtrSnakeOps ctr_snake_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Fills ERROR (may be NULL) and returns false, so that callers can "return ctr_fail (...)". */
bool ctr_fail (CtrError *error, CtrStatus status, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

/* Memory for a result's array, freed with free(); not initialised. NULL when there is none. */
void *ctr_alloc_array (size_t count, size_t size);

/* A result with one reference and room for COUNT rows of what FEATURES ask; contents are not initialised. The writer
 * may cast the arrays' const away until it hands the result out. NULL and CTR_ERROR_OUT_OF_MEMORY when there is no
 * room. */
CtrComponents *ctr_components_alloc (
    uint32_t width, uint32_t height, uint32_t count, uint32_t features, CtrError *error);

/* Contours with one reference, as INFO describes them, and room on the host for its points and rows; contents are not
 * initialised. The arrays are writable until the result is handed out. NULL and CTR_ERROR_OUT_OF_MEMORY when there is
 * no room. */
typedef struct {
  CtrContour *table;
  CtrPoint *points;
  CtrContourSums *sums;
  CtrSnakeRegion *regions;
} CtrContourArrays;
CtrContours *ctr_contours_alloc (const CtrContours *info, CtrContourArrays *arrays, CtrError *error);

/* The result of an image that exceeds LIMIT, as it takes NEEDED: INFO's without contours. */
CtrContours *ctr_contours_refuse (const CtrContours *info, CtrLimit limit, uint64_t needed, CtrError *error);

/* Contours whose arrays lie elsewhere. fetch() copies one of them to host memory TO, any thread, one call at a time;
 * destroy() comes with the last reference, any thread. get_device() is false where the arrays are out of reach of the
 * current CUDA context. */
typedef enum { CTR_CONTOURS_TABLE, CTR_CONTOURS_POINTS, CTR_CONTOURS_SUMS, CTR_CONTOURS_REGIONS } CtrContoursArray;
typedef struct {
  bool (*fetch) (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error);
  bool (*get_device) (void *source, CtrDeviceContours *device);
  void (*destroy) (void *source);
} CtrContoursSource;
/* SOURCE stays the caller's where this fails. */
CtrContours *ctr_contours_new_remote (
    const CtrContours *info, const CtrContoursSource *ops, void *source, CtrError *error);

CTR_END_DECLS

#endif
