/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program cuts pictures into strips, and compares the components of the strips with those that
 * cv::connectedComponentsWithStats() finds in the whole picture: statistics and centroids must be equal, on synthetic masks
 * and the pictures in the folder CTR_TEST_DATA. */
#include "strips.h"

#include <cstring>

/* A result's rows, in the coordinates of the whole picture. */
static void
collect (std::vector<CtrComponent> *rows, CtrComponents *result)
{
  for (uint32_t i = 0; result && i < result->count; i++) {
    CtrComponent row = result->table[i];
    row.top = uint16_t (row.top + result->origin_row);
    row.sum_y += result->origin_row * row.area;
    rows->push_back (row);
  }
  if (result)
    REQUIRE (result->unfinished == 0, "%u unfinished components", result->unfinished);
  ctr_components_unref (result);
}

static std::vector<CtrComponent>
find_components (CtrComponentStrips *strips, const CtrImage &image, const CtrCcaParams &params, uint32_t height)
{
  std::vector<CtrComponent> rows;
  run_strips (strips, image, params, height, ctr_component_strips_run, ctr_component_strips_finish,
      [&rows] (CtrComponents *result) { collect (&rows, result); });
  std::sort (rows.begin (), rows.end (), [] (const CtrComponent &a, const CtrComponent &b) {
    return a.top != b.top ? a.top < b.top : a.start_x < b.start_x;
  });
  return rows;
}

static void
compare_rows (const std::vector<CtrComponent> &rows, const cv::Mat &stats, const cv::Mat &centroids, const char *name)
{
  REQUIRE (
      int (rows.size ()) == stats.rows - 1, "%s: %zu components instead of %d", name, rows.size (), stats.rows - 1);
  for (size_t i = 0; i < rows.size (); i++) {
    const CtrComponent &c = rows[i];
    const int32_t row[5] = {c.left, c.top, c.width, c.height, int32_t (c.area)};
    double centroid[2];
    ctr_component_centroid (&c, &centroid[0], &centroid[1]);
    REQUIRE (std::memcmp (row, stats.ptr (int (i) + 1), sizeof row) == 0, "%s: statistics of %zu", name, i + 1);
    REQUIRE (
        std::memcmp (centroid, centroids.ptr (int (i) + 1), sizeof centroid) == 0, "%s: centroid of %zu", name, i + 1);
  }
}

static void
compare (
    const CtrImage &image, uint32_t threshold, const cv::Mat &mask, const std::string &name, const Heights &heights)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.threshold = threshold;
  CtrComponentStrips *strips = ctr_component_strips_new (CTR_BACKEND_CPU, MAX_OPEN_ROWS, nullptr);
  for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
    cv::Mat labels, stats, centroids;
    cv::connectedComponentsWithStats (mask, labels, stats, centroids, connectivity, CV_32S, cv::CCL_WU);
    params.connectivity = static_cast<CtrConnectivity> (connectivity);
    for (uint32_t height : heights)
      compare_rows (find_components (strips, image, params, height), stats, centroids,
          (name + ", " + std::to_string (connectivity) + "-connected, strips of " + std::to_string (height)).c_str ());
  }
  ctr_component_strips_free (strips);
}

int
main ()
{
  cv::setNumThreads (1);
  compare_masks (compare, {400, {700, 900}, {40, 30000}, {801, 1000}});
  compare_pictures (compare);
  return 0;
}
