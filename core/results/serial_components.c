/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components as bytes. */
#include "core/results/bytes.h"
#include "core/results/components.h"

#include <contours/serial.h>

enum { INFO = 1, TABLE, MOMENTS, GREY, LABELS, PERCENTILES, INSCRIBED, CONTRAST, SKELETON, SECTIONS = SKELETON };

static const char info_fields[] = "8844444444884222222", table_fields[] = "884222222", moments_fields[] = "888",
                  grey_fields[] = "88224", label_fields[] = "4", percentiles_fields[] = "22222222",
                  inscribed_fields[] = "422", contrast_fields[] = "844", skeleton_fields[] = "88844";

/* Everything but the arrays. */
typedef struct {
  uint64_t origin_row;
  uint64_t reserved; /* 0 */
  uint32_t width, height, count, threshold, connectivity, features, unfinished, region_count;
  CtrComponent background;
} Info;

_Static_assert(sizeof (CtrComponent) == 32 && sizeof (CtrComponentMoments) == 24 && sizeof (CtrComponentGrey) == 24
                   && sizeof (CtrComponentPercentiles) == 16 && sizeof (CtrComponentInscribed) == 8
                   && sizeof (CtrComponentContrast) == 16 && sizeof (CtrComponentSkeleton) == 32 && sizeof (Info) == 80,
    "Rows have no padding.");

enum {
  KNOWN_FEATURES = CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_BACKGROUND
                   | CTR_FEATURE_VALUES | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST
                   | CTR_FEATURE_SKELETON
};

void *
ctr_components_serialize (CtrComponents *components, size_t *size, CtrError *error)
{
  if (!ctr_components_wait (components, error))
    return NULL;
  const CtrComponents *c = components;
  const Info info = {
      .origin_row = c->origin_row,
      .width = c->width,
      .height = c->height,
      .count = c->count,
      .threshold = c->threshold,
      .connectivity = c->connectivity,
      .features = c->features,
      .unfinished = c->unfinished,
      .region_count = c->region_count,
      .background = c->background,
  };
  CtrSection sections[SECTIONS] = {{INFO, info_fields, &info, 1}, {TABLE, table_fields, c->table, c->count}};
  uint32_t count = 2;
  if (c->features & CTR_FEATURE_MOMENTS)
    sections[count++] = (CtrSection){MOMENTS, moments_fields, c->moments, c->count};
  if (c->features & CTR_FEATURE_GREY)
    sections[count++] = (CtrSection){GREY, grey_fields, c->grey, c->count};
  if (c->features & CTR_FEATURE_LABELS) {
    const uint32_t *labels = ctr_components_map_labels (components, error);
    if (!labels)
      return NULL;
    sections[count++] = (CtrSection){LABELS, label_fields, labels, (uint64_t) c->width * c->height};
  }
  if (c->features & CTR_FEATURE_PERCENTILES)
    sections[count++] = (CtrSection){PERCENTILES, percentiles_fields, c->percentiles, c->count};
  if (c->features & CTR_FEATURE_INSCRIBED)
    sections[count++] = (CtrSection){INSCRIBED, inscribed_fields, c->inscribed, c->count};
  if (c->features & CTR_FEATURE_CONTRAST)
    sections[count++] = (CtrSection){CONTRAST, contrast_fields, c->contrast, c->count};
  if (c->features & CTR_FEATURE_SKELETON)
    sections[count++] = (CtrSection){SKELETON, skeleton_fields, c->skeleton, c->count};
  return ctr_bytes_write (CTR_BYTES_COMPONENTS, sections, count, size, error);
}

static bool
check_info (const Info *info, CtrError *error)
{
  if (info->width == 0 || info->height == 0 || info->width > CTR_MAX_SIDE || info->height > CTR_MAX_SIDE)
    return ctr_bytes_fail (error, "the size of the image is out of range");
  if (info->connectivity != CTR_CONNECTIVITY_4 && info->connectivity != CTR_CONNECTIVITY_8)
    return ctr_bytes_fail (error, "the connectivity is neither 4 nor 8");
  if (info->features & ~(uint32_t) KNOWN_FEATURES)
    return ctr_bytes_fail (error, "there are unknown features");
  if (info->features & CTR_FEATURE_CONTRAST && !(info->features & CTR_FEATURE_GREY))
    return ctr_bytes_fail (error, "there are contrasts without grey values");
  if (info->count > (uint64_t) info->width * info->height || info->unfinished > info->count)
    return ctr_bytes_fail (error, "there are more components than pixels, or more unfinished ones than components");
  return true;
}

/* Could SUM be that of COUNT coordinates from FIRST on, of which there are LENGTH? */
static bool
is_sum (uint64_t sum, uint32_t count, uint32_t first, uint32_t length)
{
  return sum >= (uint64_t) count * first && sum <= (uint64_t) count * (first + length - 1);
}

/* Are the box and the first pixel inside the image? EMPTY: the background may have no pixel. */
static bool
is_inside (const Info *info, const CtrComponent *c, bool empty)
{
  if (empty && c->area == 0)
    return true;
  return c->area > 0 && c->width > 0 && c->height > 0 && c->area <= (uint64_t) c->width * c->height
         && (uint32_t) c->left + c->width <= info->width && (uint32_t) c->top + c->height <= info->height
         && c->start_x >= c->left && c->start_x - c->left < c->width && is_sum (c->sum_x, c->area, c->left, c->width)
         && is_sum (c->sum_y, c->area, c->top, c->height);
}

/* Can the squares of COUNT numbers with this SUM have this sum? If not, their variance is negative. */
static bool
can_be_squares (uint64_t count, uint64_t sum, uint64_t squares)
{
  return (unsigned __int128) sum * sum <= (unsigned __int128) count * squares;
}

/* Could these be sums over the pixels of C? */
static bool
moments_fit (const CtrComponent *c, const CtrComponentMoments *m)
{
  const uint64_t right = (uint64_t) c->left + c->width, bottom = (uint64_t) c->top + c->height;
  return m->sum_xx <= c->area * right * right && m->sum_xy <= c->area * right * bottom
         && m->sum_yy <= c->area * bottom * bottom && can_be_squares (c->area, c->sum_x, m->sum_xx)
         && can_be_squares (c->area, c->sum_y, m->sum_yy);
}

static bool
grey_fits (const CtrComponent *c, const CtrComponentGrey *g)
{
  const uint64_t most = g->max;
  return g->min <= g->max && g->sum <= c->area * most && g->sum_sq <= c->area * most * most
         && can_be_squares (c->area, g->sum, g->sum_sq);
}

static bool
percentiles_ascend (const CtrComponentPercentiles *p)
{
  return p->p5 <= p->p25 && p->p25 <= p->median && p->median <= p->p75 && p->p75 <= p->p95;
}

/* The centre lies in the component's box, behind which no pixel belongs to it. */
static bool
circle_fits (const CtrComponent *c, const CtrComponentInscribed *inscribed)
{
  const uint32_t x = inscribed->x, y = inscribed->y, side = (1u + (c->width < c->height ? c->width : c->height)) / 2;
  return x >= c->left && x - c->left < c->width && y >= c->top && y - c->top < c->height && inscribed->radius_sq > 0
         && inscribed->radius_sq <= (uint64_t) side * side;
}

/* No pixel is in two rings, nor in a component and a ring. */
static bool
contrast_fits (const Info *info, const CtrComponent *c, const CtrComponentContrast *contrast)
{
  return (uint64_t) c->area + contrast->ring_area <= (uint64_t) info->width * info->height
         && contrast->ring_sum <= (uint64_t) contrast->ring_area * UINT16_MAX;
}

/* The skeleton's pixels are some of the component's, and each has eight neighbours at most. No distance is greater than that of the
 * greatest circle in the box. */
static bool
skeleton_fits (const CtrComponent *c, const CtrComponentSkeleton *skeleton)
{
  const uint64_t pixels = skeleton->pixels, side = (1u + (c->width < c->height ? c->width : c->height)) / 2;
  return pixels > 0 && pixels <= c->area && skeleton->straight < 2 * pixels && skeleton->diagonal < 2 * pixels
         && skeleton->distance_sum >= pixels << 16 && skeleton->distance_sum <= pixels * side << 16;
}

static bool
check_rows (const Info *info, const CtrComponents *c, CtrError *error)
{
  const bool values = info->features & CTR_FEATURE_VALUES;
  for (uint32_t i = 0; i < info->count; i++) {
    const CtrComponent *row = &c->table[i];
    if (!is_inside (info, row, false) || (!values && row->region > info->region_count))
      return ctr_bytes_fail (error, "a component lies outside of the image or of its regions");
    if ((c->moments && !moments_fit (row, &c->moments[i])) || (c->grey && !grey_fits (row, &c->grey[i])))
      return ctr_bytes_fail (error, "the sums of a component are larger than its pixels allow");
    if (c->percentiles && !percentiles_ascend (&c->percentiles[i]))
      return ctr_bytes_fail (error, "the percentiles of a component do not ascend");
    if (c->inscribed && !circle_fits (row, &c->inscribed[i]))
      return ctr_bytes_fail (error, "the inscribed circle of a component does not fit into its box");
    if (c->contrast && !contrast_fits (info, row, &c->contrast[i]))
      return ctr_bytes_fail (error, "the ring of a component is larger than its image allows");
    if (c->skeleton && !skeleton_fits (row, &c->skeleton[i]))
      return ctr_bytes_fail (error, "the skeleton of a component is larger than its pixels allow");
  }
  if (info->features & CTR_FEATURE_BACKGROUND && !is_inside (info, &info->background, true))
    return ctr_bytes_fail (error, "the background lies outside of the image");
  return true;
}

static bool
check_labels (const Info *info, const uint32_t *labels, CtrError *error)
{
  const size_t pixels = (size_t) info->width * info->height;
  for (size_t i = 0; i < pixels; i++)
    if (labels[i] > info->count)
      return ctr_bytes_fail (error, "a label belongs to no component");
  return true;
}

static bool
read_arrays (const CtrBytes *bytes, const Info *info, CtrComponents *to, CtrError *error)
{
  const uint64_t pixels = (uint64_t) info->width * info->height;
  return ctr_bytes_read (bytes, TABLE, "components", table_fields, (void *) to->table, info->count, error)
         && (!to->moments
             || ctr_bytes_read (bytes, MOMENTS, "moments", moments_fields, (void *) to->moments, info->count, error))
         && (!to->grey
             || ctr_bytes_read (bytes, GREY, "grey values", grey_fields, (void *) to->grey, info->count, error))
         && (!to->percentiles
             || ctr_bytes_read (
                 bytes, PERCENTILES, "percentiles", percentiles_fields, (void *) to->percentiles, info->count, error))
         && (!to->inscribed
             || ctr_bytes_read (
                 bytes, INSCRIBED, "inscribed circles", inscribed_fields, (void *) to->inscribed, info->count, error))
         && (!to->contrast
             || ctr_bytes_read (bytes, CONTRAST, "rings", contrast_fields, (void *) to->contrast, info->count, error))
         && (!to->skeleton
             || ctr_bytes_read (
                 bytes, SKELETON, "skeletons", skeleton_fields, (void *) to->skeleton, info->count, error))
         && (!to->labels || ctr_bytes_read (bytes, LABELS, "labels", label_fields, (void *) to->labels, pixels, error))
         && check_rows (info, to, error) && (!to->labels || check_labels (info, to->labels, error));
}

/* Do the sections have the rows that INFO promises? Memory is allocated only then. */
static bool
check_sections (const CtrBytes *bytes, const Info *info, CtrError *error)
{
  const struct {
    uint32_t id, feature;
    uint64_t count;
  } needed[] = {
      {TABLE, 0, info->count},
      {MOMENTS, CTR_FEATURE_MOMENTS, info->count},
      {GREY, CTR_FEATURE_GREY, info->count},
      {LABELS, CTR_FEATURE_LABELS, (uint64_t) info->width * info->height},
      {PERCENTILES, CTR_FEATURE_PERCENTILES, info->count},
      {INSCRIBED, CTR_FEATURE_INSCRIBED, info->count},
      {CONTRAST, CTR_FEATURE_CONTRAST, info->count},
      {SKELETON, CTR_FEATURE_SKELETON, info->count},
  };
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    uint64_t count;
    if (needed[i].feature && !(info->features & needed[i].feature))
      continue;
    if (!ctr_bytes_count (bytes, needed[i].id, &count) || count != needed[i].count)
      return ctr_bytes_fail (error, "a section is missing or has another number of rows");
  }
  return true;
}

CtrComponents *
ctr_components_deserialize (const void *bytes, size_t size, CtrError *error)
{
  CtrBytes opened;
  Info info;
  if (!ctr_bytes_open (bytes, size, CTR_BYTES_COMPONENTS, &opened, error)
      || !ctr_bytes_read (&opened, INFO, "header", info_fields, &info, 1, error) || !check_info (&info, error)
      || !check_sections (&opened, &info, error))
    return NULL;
  CtrComponents *to = ctr_components_alloc (info.width, info.height, info.count, info.features, error);
  if (!to)
    return NULL;
  to->threshold = info.threshold;
  to->connectivity = (CtrConnectivity) info.connectivity;
  to->origin_row = info.origin_row;
  to->unfinished = info.unfinished;
  to->background = info.background;
  to->region_count = info.region_count;
  if (read_arrays (&opened, &info, to, error))
    return to;
  ctr_components_unref (to);
  return NULL;
}
