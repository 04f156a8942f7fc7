/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting of touching parts, by a flood: the surface of distances sinks, and what emerges is joined. */
#ifndef CTR_TESTS_TOUCHING_H
#define CTR_TESTS_TOUCHING_H

#include "oracle.h"

#include <cmath>
#include <numeric>

class TouchingParts
{
public:
  /* DEPTH in pixels. */
  TouchingParts (const cv::Mat &mask_, double depth_)
      : mask (mask_), depth (depth_), levels (mask.total (), 0), islands (mask.total ()), parts (mask.total ()),
        basins (mask.total (), -1)
  {
    std::iota (islands.begin (), islands.end (), 0);
    std::iota (parts.begin (), parts.end (), 0);
    if (cv::countNonZero (mask) == int (mask.total ()))
      return; /* nothing to measure distances to */
    if (mask.cols * mask.cols + mask.rows * mask.rows < 1 << 22)
      measure_by_opencv ();
    else
      measure ();
    std::vector<int> order;
    for (int i = 0; i < int (mask.total ()); i++)
      if (mask.at<uint8_t> (i / mask.cols, i % mask.cols))
        order.push_back (i);
    std::sort (order.begin (), order.end (), [&] (int a, int b) { return emerges_before (a, b); });
    for (const int i : order)
      emerge (i);
  }

  /* The mask without the pixels that touch a higher part. */
  cv::Mat
  cut ()
  {
    cv::Mat result = mask.clone ();
    for (int i = 0; i < int (mask.total ()); i++)
      for (const int other : around (i))
        if (basins[size_t (i)] >= 0 && basins[size_t (other)] >= 0) {
          const int own_part = find (parts, basins[size_t (i)]), part = find (parts, basins[size_t (other)]);
          if (part != own_part && emerges_before (part, own_part))
            result.at<uint8_t> (i / mask.cols, i % mask.cols) = 0;
        }
    return result;
  }

private:
  const cv::Mat &mask;
  const double depth;
  std::vector<int64_t> levels; /* squared distances */
  std::vector<int> islands, parts, basins;

  /* OpenCV calculates with floats: squares of more than 22 bits need not be those of integers any more. */
  void
  measure_by_opencv ()
  {
    cv::Mat distance;
    cv::distanceTransform (mask, distance, cv::DIST_L2, cv::DIST_MASK_PRECISE);
    for (int i = 0; i < int (mask.total ()); i++) {
      const double pixels = distance.at<float> (i / mask.cols, i % mask.cols);
      levels[size_t (i)] = std::llround (pixels * pixels);
    }
  }

  /* By the definition: the distance within each column, and then along the row as long as a nearer one may come. */
  void
  measure ()
  {
    const int64_t far = int64_t (mask.rows) + mask.cols;
    cv::Mat columns (mask.size (), CV_32S);
    for (int x = 0; x < mask.cols; x++) {
      int64_t distance = far;
      for (int y = 0; y < mask.rows; y++)
        columns.at<int> (y, x) = int (distance = mask.at<uint8_t> (y, x) ? std::min (distance + 1, far) : 0);
      distance = far;
      for (int y = mask.rows; y-- > 0;) {
        distance = mask.at<uint8_t> (y, x) ? std::min (distance + 1, far) : 0;
        columns.at<int> (y, x) = std::min (columns.at<int> (y, x), int (distance));
      }
    }
    for (int y = 0; y < mask.rows; y++) {
      const int *row = columns.ptr<int> (y);
      for (int x = 0; x < mask.cols; x++) {
        int64_t nearest = int64_t (row[x]) * row[x];
        for (int64_t aside = 1; aside * aside < nearest; aside++)
          for (const int64_t other : {x - aside, x + aside})
            if (other >= 0 && other < mask.cols)
              nearest = std::min (nearest, aside * aside + int64_t (row[other]) * row[other]);
        levels[size_t (y) * size_t (mask.cols) + size_t (x)] = nearest;
      }
    }
  }

  bool
  emerges_before (int a, int b) const
  {
    return levels[size_t (a)] != levels[size_t (b)] ? levels[size_t (a)] > levels[size_t (b)] : a > b;
  }

  std::vector<int>
  around (int i) const
  {
    const cv::Rect image (0, 0, mask.cols, mask.rows);
    std::vector<int> neighbours;
    for (int y = i / mask.cols - 1; y <= i / mask.cols + 1; y++)
      for (int x = i % mask.cols - 1; x <= i % mask.cols + 1; x++)
        if (image.contains ({x, y}) && y * mask.cols + x != i)
          neighbours.push_back (y * mask.cols + x);
    return neighbours;
  }

  /* The highest peak of PEAK's island or part. */
  static int
  find (const std::vector<int> &forest, int peak)
  {
    while (forest[size_t (peak)] != peak)
      peak = forest[size_t (peak)];
    return peak;
  }

  void
  join (std::vector<int> &forest, int a, int b)
  {
    a = find (forest, a);
    b = find (forest, b);
    if (a != b)
      forest[size_t (emerges_before (a, b) ? b : a)] = emerges_before (a, b) ? a : b;
  }

  /* Pixel I belongs to the highest island beside it, and joins the others to that. */
  void
  emerge (int i)
  {
    std::vector<int> shore = around (i);
    shore.erase (std::remove_if (shore.begin (), shore.end (), [&] (int other) { return basins[size_t (other)] < 0; }),
        shore.end ());
    std::sort (shore.begin (), shore.end (), [&] (int a, int b) { return emerges_before (a, b); });
    const int basin = basins[size_t (i)] = shore.empty () ? i : basins[size_t (shore[0])];
    for (const int other : shore) {
      const int a = find (islands, basin), b = find (islands, basins[size_t (other)]);
      if (a == b)
        continue;
      const int lower = emerges_before (a, b) ? b : a;
      if (std::sqrt (levels[size_t (lower)]) - std::sqrt (levels[size_t (i)]) < depth)
        join (parts, basin, basins[size_t (other)]);
      join (islands, a, b);
    }
  }
};

#endif
