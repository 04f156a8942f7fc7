/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture that there is no memory for is refused, and what was taken for it is given back. */
#include "gst/background/pngfile.h"

#include <glib/gstdio.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* One bit a pixel in the file, one byte in memory. */
#define SIDE 16384
#define MEGABYTE ((gsize) 1 << 20)

static void
write_picture (const gchar *path)
{
  static guint8 row[SIDE / 8];
  FILE *file = fopen (path, "wb");
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);

  png_init_io (png, file);
  png_set_IHDR (png, info, SIDE, SIDE, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
      PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level (png, 1);
  png_write_info (png, info);
  for (guint y = 0; y < SIDE; y++) {
    memset (row, y % 2 ? 0xff : 0, sizeof row);
    png_write_row (png, row);
  }
  png_write_end (png, NULL);
  png_destroy_write_struct (&png, &info);
  fclose (file);
}

/* The address space that the process has, and `more` bytes. */
static void
limit_memory (gsize more)
{
  gchar *text;
  struct rlimit limit;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_AS, &limit), ==, 0);
  limit.rlim_cur = g_ascii_strtoull (text, NULL, 10) * (gsize) sysconf (_SC_PAGESIZE) + more;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
  g_free (text);
}

int
main (void)
{
  const CtrImage wanted = {.format = CTR_FORMAT_GRAY8, .width = SIDE, .height = SIDE};
  gchar *folder = g_dir_make_tmp ("pngfile-XXXXXX", NULL);
  gchar *path = g_build_filename (folder, "large.png", NULL);
  CtrImage image;
  CtrError error = {0};

  write_picture (path);
  limit_memory (64 * MEGABYTE);
  g_assert_false (png_file_read (path, "mask", &wanted, &image, &error));
  g_assert_nonnull (strstr (error.message, "there is no memory for its 16384 x 16384 pixels"));

  limit_memory ((gsize) SIDE * SIDE + 64 * MEGABYTE);
  g_assert_true (png_file_read (path, "mask", &wanted, &image, &error));
  g_assert_cmpint (((const guint8 *) image.data)[0], ==, 0);
  g_assert_cmpint (((const guint8 *) image.data)[image.stride], ==, 255);
  g_free ((gpointer) image.data);

  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
  return 0;
}
