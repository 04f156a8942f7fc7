/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/background/pngfile.h"

#include "gst/base/excerpt.h"

#ifdef HAVE_PNG
#include <errno.h>
#include <glib/gstdio.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#endif

static gboolean G_GNUC_PRINTF (2, 3) refuse (CtrError *error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  error->status = CTR_ERROR_INVALID_ARGUMENT;
  g_vsnprintf (error->message, sizeof error->message, format, args);
  va_end (args);
  return FALSE;
}

#ifdef HAVE_PNG

#define FAILURE_SIZE 80

/* What a file says before its pixels. */
typedef struct {
  guint width, height, depth;
  gboolean grey;
} Header;

/* libpng's own words go where the caller's are. */
static void
note_failure (png_structp png, png_const_charp message)
{
  g_strlcpy (png_get_error_ptr (png), message, FAILURE_SIZE);
  png_longjmp (png, 1);
}

static void
ignore_warning (png_structp png, png_const_charp message)
{
}

static gboolean
suits (const gchar *what, const gchar *name, const Header *header, const CtrImage *wanted, CtrError *error)
{
  const guint depth = wanted->format == CTR_FORMAT_GRAY16 ? 16 : 8;

  if (!header->grey)
    return refuse (error, "the %s in '%s' has colours: convert it to grey, such as with videoconvert", what, name);
  if (header->width != wanted->width || header->height != wanted->height)
    return refuse (error,
        "the %s in '%s' has %u x %u pixels, but the frames have %u x %u: make one of the frames' size", what, name,
        header->width, header->height, wanted->width, wanted->height);
  if (MAX (header->depth, 8) != depth)
    return refuse (error, "the %s in '%s' has samples of %u bits, but %u are needed: save it with so many", what, name,
        header->depth, depth);
  return TRUE;
}

/* What a file is read with. libpng leaves by longjmp() when it fails, so nothing of this is a variable of the function that
 * it leaves to. */
typedef struct {
  FILE *file;
  const gchar *what, *name; /* for messages */
  png_structp png;
  png_infop info;
  gchar failure[FAILURE_SIZE];
  guint8 *pixels;
  png_bytep *rows;
  gsize stride;
} Reading;

static gboolean
read_picture (Reading *reading, const CtrImage *wanted, CtrError *error)
{
  png_structp png = reading->png;
  Header header;

  png_init_io (png, reading->file);
  png_read_info (png, reading->info);
  header.width = png_get_image_width (png, reading->info);
  header.height = png_get_image_height (png, reading->info);
  header.depth = png_get_bit_depth (png, reading->info);
  header.grey = png_get_color_type (png, reading->info) == PNG_COLOR_TYPE_GRAY;
  if (!suits (reading->what, reading->name, &header, wanted, error))
    return FALSE;
  if (header.depth < 8)
    png_set_expand_gray_1_2_4_to_8 (png);
  if (header.depth == 16 && G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap (png);
  png_set_interlace_handling (png);
  png_read_update_info (png, reading->info);
  reading->stride = png_get_rowbytes (png, reading->info);
  reading->pixels = g_try_malloc_n (header.height, reading->stride);
  reading->rows = g_try_new (png_bytep, header.height);
  if (!reading->pixels || !reading->rows)
    return refuse (error, "the %s in '%s' cannot be read: there is no memory for its %u x %u pixels", reading->what,
        reading->name, header.width, header.height);
  for (guint y = 0; y < header.height; y++)
    reading->rows[y] = reading->pixels + y * reading->stride;
  png_read_image (png, reading->rows);
  png_read_end (png, NULL);
  return TRUE;
}

static gboolean
read_or_fail (Reading *reading, const CtrImage *wanted, CtrError *error)
{
  if (setjmp (png_jmpbuf (reading->png)))
    return refuse (error, "the %s in '%s' is not a PNG picture that can be read: %s", reading->what, reading->name,
        reading->failure);
  return read_picture (reading, wanted, error);
}

static gboolean
read_file (FILE *file, const gchar *what, const gchar *name, const CtrImage *wanted, CtrImage *image, CtrError *error)
{
  Reading reading = {.file = file, .what = what, .name = name};
  gboolean ok;

  reading.png = png_create_read_struct (PNG_LIBPNG_VER_STRING, reading.failure, note_failure, ignore_warning);
  reading.info = reading.png ? png_create_info_struct (reading.png) : NULL;
  ok = reading.info ? read_or_fail (&reading, wanted, error)
                    : refuse (error, "the %s in '%s' cannot be read: there is no memory", what, name);
  if (reading.png)
    png_destroy_read_struct (&reading.png, &reading.info, NULL);
  g_free (reading.rows);
  if (!ok) {
    g_free (reading.pixels);
    return FALSE;
  }
  *image = (CtrImage){
      .data = reading.pixels,
      .stride = reading.stride,
      .width = wanted->width,
      .height = wanted->height,
      .format = wanted->format == CTR_FORMAT_GRAY16 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
  };
  return TRUE;
}

gboolean
png_file_read (const gchar *path, const gchar *what, const CtrImage *wanted, CtrImage *image, CtrError *error)
{
  gchar *name = excerpt_new (path);
  FILE *file = g_fopen (path, "rb");
  gboolean ok;

  if (file)
    ok = read_file (file, what, name, wanted, image, error);
  else
    ok = refuse (error, "the %s in '%s' cannot be opened: %s", what, name, g_strerror (errno));
  if (file)
    fclose (file);
  g_free (name);
  return ok;
}

#else

gboolean
png_file_read (const gchar *path, const gchar *what, const CtrImage *wanted, CtrImage *image, CtrError *error)
{
  return refuse (error,
      "the %s in a file needs a build that reads PNG files: install libpng's development files and "
      "rebuild with -Dpng=enabled",
      what);
}

#endif
