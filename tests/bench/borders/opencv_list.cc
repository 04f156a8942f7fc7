// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCV's findContours() without hierarchy, for borders_peers.py. Python's function always asks for the hierarchy, and so never
// takes the parallel path that OpenCV 5 has for RETR_LIST. tests/bench/README.md says how this library is built.
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef std::vector<std::vector<cv::Point>> Contours;

extern "C" {

const char *
opencv_list_version (void)
{
  return CV_VERSION;
}

// Takes the threads that findContours() may use.
void
opencv_list_set_threads (int threads)
{
  cv::setNumThreads (threads);
}

// Finds the contours of an image of WIDTH x HEIGHT bytes without padding, with all points or, if SIMPLE is not 0, with
// CHAIN_APPROX_SIMPLE. Returns them for the functions below, and the MICROSECONDS that findContours() took; NULL, and a message on
// stderr, if OpenCV throws.
void *
opencv_list_find (const uint8_t *image, int width, int height, int simple, double *microseconds)
{
  Contours *contours = nullptr;
  try {
    const cv::Mat view (height, width, CV_8U, const_cast<uint8_t *> (image));
    contours = new Contours;
    const auto start = std::chrono::steady_clock::now ();
    cv::findContours (view, *contours, cv::RETR_LIST, simple ? cv::CHAIN_APPROX_SIMPLE : cv::CHAIN_APPROX_NONE);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now () - start;
    *microseconds = took.count ();
    return contours;
  } catch (const std::exception &error) {
    std::fprintf (stderr, "opencv_list_find: %s\n", error.what ());
    delete contours;
    return nullptr;
  }
}

// Returns the number of contours, and that of all their POINTS.
int64_t
opencv_list_count (const void *found, int64_t *points)
{
  const Contours &contours = *static_cast<const Contours *> (found);
  *points = 0;
  for (const std::vector<cv::Point> &contour : contours)
    *points += static_cast<int64_t> (contour.size ());
  return static_cast<int64_t> (contours.size ());
}

// Copies how many points each contour has, and all points, x and y alternately.
void
opencv_list_copy (const void *found, uint32_t *counts, int32_t *points)
{
  for (const std::vector<cv::Point> &contour : *static_cast<const Contours *> (found)) {
    *counts++ = static_cast<uint32_t> (contour.size ());
    std::memcpy (points, contour.data (), contour.size () * sizeof (cv::Point));
    points += 2 * contour.size ();
  }
}

void
opencv_list_free (void *found)
{
  delete static_cast<Contours *> (found);
}

} // extern "C"
