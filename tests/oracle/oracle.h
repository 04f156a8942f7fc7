/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The comparisons with OpenCV share these helpers. */
#ifndef CTR_TESTS_ORACLE_H
#define CTR_TESTS_ORACLE_H

#include "tests/core/common/shapes.h"

#include <contours/contours.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#define REQUIRE(condition, ...)                                                   \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf (stderr, "%s:%d: %s\n  in: ", __FILE__, __LINE__, #condition); \
      std::fprintf (stderr, __VA_ARGS__);                                         \
      std::fprintf (stderr, "\n");                                                \
      std::exit (1);                                                              \
    }                                                                             \
  } while (0)

/* Returns the core's view of a matrix; colour is in OpenCV's order, blue first. */
inline CtrImage
image_of (const cv::Mat &mat)
{
  CtrImage image = {};
  image.data = mat.data;
  image.stride = mat.step;
  image.width = static_cast<uint32_t> (mat.cols);
  image.height = static_cast<uint32_t> (mat.rows);
  switch (mat.type ()) {
    case CV_8UC1:
      image.format = CTR_FORMAT_GRAY8;
      break;
    case CV_16UC1:
      image.format = CTR_FORMAT_GRAY16;
      break;
    case CV_8UC3:
      image.format = CTR_FORMAT_BGR;
      break;
    case CV_8UC4:
      image.format = CTR_FORMAT_BGRX;
      break;
    default:
      REQUIRE (false, "a matrix of type %d", mat.type ());
  }
  return image;
}

/* Reads a picture as it is, and in grey. */
inline cv::Mat
read_picture (const std::filesystem::path &path, cv::Mat *grey)
{
  const cv::Mat picture = cv::imread (path.string (), cv::IMREAD_UNCHANGED);
  REQUIRE (!picture.empty (), "%s cannot be read", path.c_str ());
  *grey = picture;
  if (picture.channels () == 3)
    cv::cvtColor (picture, *grey, cv::COLOR_BGR2GRAY);
  else if (picture.channels () == 4)
    cv::cvtColor (picture, *grey, cv::COLOR_BGRA2GRAY);
  return picture;
}

/* An analyser of the CPU backend, which its destructor frees. */
class Analyser
{
public:
  Analyser () : cca (ctr_cca_new (CTR_BACKEND_CPU, nullptr))
  {
    REQUIRE (cca, "ctr_cca_new");
  }
  ~Analyser ()
  {
    ctr_cca_free (cca);
  }
  Analyser (const Analyser &) = delete;
  Analyser &operator= (const Analyser &) = delete;

  /* Drop the result with ctr_components_unref(). */
  CtrComponents *
  run (const CtrImage &image, const CtrCcaParams &params)
  {
    CtrError error;
    CtrComponents *components = ctr_cca_run (cca, &image, &params, nullptr, &error);
    REQUIRE (components, "%s", error.message);
    return components;
  }

private:
  CtrCca *cca;
};

/* Are fewer images enough? They are with sanitizers, because other builds check the results. */
inline bool
is_quick ()
{
  const char *quick = std::getenv ("CTR_TEST_QUICK");
  return quick && std::string (quick) != "0";
}

/* Returns the images in the folder CTR_TEST_DATA, if set; every eighth if that is enough. */
template <typename Visit>
void
for_each_picture (Visit visit)
{
  const char *folder = std::getenv ("CTR_TEST_DATA");
  std::vector<std::filesystem::path> pictures;
  if (folder)
    for (const auto &entry : std::filesystem::recursive_directory_iterator (folder)) {
      const std::string extension = entry.path ().extension ().string ();
      if (extension == ".png" || extension == ".jpg")
        pictures.push_back (entry.path ());
    }
  std::sort (pictures.begin (), pictures.end ());
  int count = 0;
  for (size_t i = 0; i < pictures.size (); i += is_quick () ? 8 : 1, count++)
    visit (pictures[i]);
  std::printf ("%d pictures of CTR_TEST_DATA\n", count);
}

#endif
