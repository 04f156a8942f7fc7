/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Generates the default input of the scripts here: scene parts|uneven|coins|caps|plate|nested|depth|targets|washer|page [FRAMES]
 *
 * Writes a video of 960 x 540 pixels and 30 frames per second to the standard output, as YUV4MPEG2. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_PANGO
#include <pango/pangocairo.h>
#endif

enum { WIDTH = 960, HEIGHT = 540, MAX_FRAMES = 100000, PERIOD = 120 };

typedef struct {
  float r, g, b;
} Colour;

/* The signed distance from a point, in coordinates of the shape, to its outline: negative inside. */
typedef float Shape (float x, float y);

static float
box (float x, float y, float half_width, float half_height)
{
  return fmaxf (fabsf (x) - half_width, fabsf (y) - half_height);
}

static float
hexagon (float x, float y, float apothem)
{
  const float sqrt3_2 = 0.8660254f;
  return fmaxf (fabsf (y), fmaxf (fabsf (sqrt3_2 * x + 0.5f * y), fabsf (sqrt3_2 * x - 0.5f * y))) - apothem;
}

static float
disc (float x, float y)
{
  return hypotf (x, y) - 52;
}

static float
washer (float x, float y)
{
  return fmaxf (disc (x, y), 26 - hypotf (x, y));
}

static float
broken_washer (float x, float y)
{
  return fmaxf (washer (x, y), 7 - fmaxf (fabsf (y), -x));
}

static float
nut (float x, float y)
{
  return fmaxf (hexagon (x, y, 50), 27 - hypotf (x, y));
}

static float
gear (float x, float y)
{
  const float radius = hypotf (x, y), tooth = 3.5f * sinf (12 * atan2f (y, x));
  return fmaxf (radius - 74 - 2.4f * fmaxf (-2.5f, fminf (2.5f, tooth)), 30 - radius);
}

static float
plate (float x, float y)
{
  const float corner = hypotf (fmaxf (fabsf (x) - 70, 0), fmaxf (fabsf (y) - 38, 0)) - 14;
  return fmaxf (corner, 15 - hypotf (fabsf (x) - 44, y));
}

static float
bolt (float x, float y)
{
  const float head = hexagon (y, x + 60, 34), thread = 1.6f * sinf (x * 0.9f);
  return fminf (fmaxf (head, fabsf (x + 60) - 20), box (x - 20, y, 66, 16 + (x > 0 ? thread : 0)));
}

/* A cap of a bottle, with its 21 teeth. */
static float
cap (float x, float y)
{
  return hypotf (x, y) - 44 - 2.5f * sinf (21 * atan2f (y, x));
}

static float
large_coin (float x, float y)
{
  return hypotf (x, y) - 58;
}

static float
coin (float x, float y)
{
  return hypotf (x, y) - 48;
}

static float
small_coin (float x, float y)
{
  return hypotf (x, y) - 38;
}

/* Nested bands around an island. */
static float
rings (float distance)
{
  const float depth = fmodf (-distance, 34);
  return distance > 0 ? distance : fabsf (depth - 9) - 9;
}

static float
nested_discs (float x, float y)
{
  return rings (hypotf (x, y) - 130);
}

static float
nested_boxes (float x, float y)
{
  return rings (box (x, y, 112, 112));
}

static float
nested_hexagons (float x, float y)
{
  return rings (hexagon (x, y, 124));
}

static float
flower (float x, float y)
{
  return hypotf (x, y) - 62 - 14 * cosf (5 * atan2f (y, x));
}

static float
ellipse (float x, float y)
{
  return hypotf (x, y * 1.6f) - 74;
}

typedef struct {
  Shape *shape;
  const Colour *colour;
  float radius; /* of the circumscribed circle */
  float x, y, turn, turn_speed;
} Placed;

static const Colour steel = {0.80f, 0.84f, 0.88f}, brass = {0.93f, 0.76f, 0.42f}, copper = {0.90f, 0.62f, 0.46f},
                    slate = {0.60f, 0.63f, 0.67f}, silver = {0.78f, 0.78f, 0.76f}, red = {0.80f, 0.16f, 0.14f},
                    green = {0.16f, 0.55f, 0.28f}, blue = {0.15f, 0.35f, 0.75f}, yellow = {0.88f, 0.72f, 0.15f};

static const Placed parts[] = {
    {gear, &steel, 84, 130, 150, 0.1f, 0.02f},
    {nut, &brass, 60, 330, 120, 0.3f, 0},
    {washer, &steel, 54, 500, 160, 0, 0},
    {plate, &copper, 92, 690, 140, 0.25f, 0},
    {disc, &steel, 54, 875, 130, 0, 0},
    {washer, &brass, 54, 105, 400, 0, 0},
    {bolt, &steel, 90, 305, 375, -0.5f, 0},
    {gear, &brass, 84, 500, 390, 0, -0.02f},
    {nut, &steel, 60, 700, 400, 0.8f, 0},
    {broken_washer, &copper, 54, 865, 385, 0.7f, 0},
};

static const Placed caps[] = {
    {cap, &red, 50, 110, 120, 0, 0.01f},
    {cap, &blue, 50, 290, 150, 0.2f, 0},
    {cap, &yellow, 50, 480, 100, 0, 0},
    {cap, &green, 50, 660, 160, 0.1f, 0},
    {cap, &red, 50, 840, 110, 0.2f, 0},
    {cap, &green, 50, 150, 380, 0, 0},
    {cap, &red, 50, 330, 410, 0.1f, 0},
    {cap, &yellow, 50, 500, 330, 0, -0.01f},
    {cap, &blue, 50, 690, 420, 0, 0},
    {cap, &red, 50, 850, 370, 0.3f, 0},
};

/* They touch in twos and threes. */
static const Placed coins[] = {
    {large_coin, &silver, 60, 130, 140, 0, 0},
    {coin, &copper, 50, 232, 156, 0, 0},
    {small_coin, &brass, 40, 420, 110, 0, 0},
    {coin, &silver, 50, 490, 158, 0, 0},
    {small_coin, &copper, 40, 418, 185, 0, 0},
    {large_coin, &brass, 60, 760, 150, 0, 0},
    {coin, &copper, 50, 150, 400, 0, 0},
    {coin, &copper, 50, 244, 410, 0, 0},
    {large_coin, &silver, 60, 480, 400, 0, 0},
    {large_coin, &brass, 60, 592, 386, 0, 0},
    {small_coin, &silver, 40, 790, 400, 0, 0},
};

static const Placed nested[] = {
    {nested_discs, &slate, 136, 165, 270, 0, 0},
    {nested_boxes, &slate, 164, 480, 270, 0.3f, 0.015f},
    {nested_hexagons, &slate, 148, 795, 270, 0, -0.015f},
};

/* Noise with mean 0 and variance 1. */
static float
noise (uint32_t x, uint32_t y, uint32_t z)
{
  uint32_t hash = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ z * 0xc2b2ae3du;
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    hash = (hash ^ (hash >> 15)) * 0x2c1b3c6du;
    hash ^= hash >> 13;
    sum += (float) (hash & 0xffff) / 65536 - 0.5f;
  }
  return sum * 1.732f;
}

static void
draw_shape (Colour *picture, const Placed *placed, int frame, float shift)
{
  const float turn = placed->turn + placed->turn_speed * frame, cosine = cosf (turn), sine = sinf (turn);
  const int left = fmaxf (placed->x + shift - placed->radius, 0), top = fmaxf (placed->y - placed->radius, 0);
  for (int y = top; y < HEIGHT && y < placed->y + placed->radius; y++)
    for (int x = left; x < WIDTH && x < placed->x + shift + placed->radius; x++) {
      const float dx = x - placed->x - shift, dy = y - placed->y;
      const float distance = placed->shape (cosine * dx + sine * dy, cosine * dy - sine * dx);
      const float cover = fminf (fmaxf (0.5f - distance, 0), 1);
      /* Light comes from the top left, and rounded edges are darker. */
      const float light = 1 - 0.0012f * (dx + dy) - 0.16f * fmaxf (0, 1 + distance / 5);
      Colour *pixel = picture + y * WIDTH + x;
      pixel->r += cover * (placed->colour->r * light - pixel->r);
      pixel->g += cover * (placed->colour->g * light - pixel->g);
      pixel->b += cover * (placed->colour->b * light - pixel->b);
    }
}

static void
draw_background (Colour *picture, int frame, int shift)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const float v = 0.16f - 0.06f * fabsf (y - HEIGHT / 2.f) / HEIGHT + 0.012f * noise (x - shift, y, 0)
                      + 0.006f * noise (x, y, 1 + frame);
      picture[y * WIDTH + x] = (Colour){v * 0.92f, v, v * 1.12f};
    }
}

/* A conveyor belt that repeats. */
static void
draw_parts (Colour *picture, int frame)
{
  const int shift = WIDTH * (frame % PERIOD) / PERIOD;
  draw_background (picture, frame, shift);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (int round = -1; round <= 1; round++)
      draw_shape (picture, parts + i, frame, shift + round * WIDTH);
}

/* How much of the light of a lamp near the upper right corner arrives at (X, Y). */
static float
light_at (int x, int y)
{
  return 0.25f + 0.85f * expf (-(powf (x - 780, 2) + powf (y - 130, 2)) / (2 * 330.f * 330));
}

static void
light (Colour *picture)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const float arrives = light_at (x, y);
      Colour *pixel = picture + y * WIDTH + x;
      *pixel = (Colour){pixel->r * arrives, pixel->g * arrives, pixel->b * arrives};
    }
}

/* The parts on a grey table in uneven light. */
static void
draw_uneven (Colour *picture, int frame)
{
  draw_background (picture, frame, 0);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    picture[i] = (Colour){picture[i].r + 0.22f, picture[i].g + 0.22f, picture[i].b + 0.22f};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    draw_shape (picture, parts + i, frame, 0);
  light (picture);
}

static void
draw_coins (Colour *picture, int frame)
{
  draw_background (picture, frame, 0);
  for (size_t i = 0; i < sizeof coins / sizeof *coins; i++)
    draw_shape (picture, coins + i, frame, 0);
}

static void
draw_caps (Colour *picture, int frame)
{
  draw_background (picture, frame, 0);
  for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
    draw_shape (picture, caps + i, frame, 0);
}

/* A steel plate with twelve drilled holes, scratches, and uneven light. */
static void
draw_plate (Colour *picture, int frame)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float v = 0.62f + 0.02f * noise (x / 24, y, 7) + 0.012f * noise (x, y, 1 + frame);
      for (int i = 0; i < 14; i++) {
        const float slope = 0.9f * noise (i, 3, 3), along = y - HEIGHT / 2.f - 170 * noise (i, 5, 5);
        const float across = (along - slope * (x - WIDTH / 2.f)) / hypotf (1, slope);
        if (fabsf (across) < 0.9f)
          v *= i % 2 ? 1.25f : 0.62f;
      }
      for (int i = 0; i < 12; i++) {
        const float distance = hypotf (x - 120 - 240 * (i % 4), y - 100 - 170 * (i / 4)) - 30;
        v += fminf (fmaxf (0.5f - distance, 0), 1) * (0.22f - v);
      }
      picture[y * WIDTH + x] = (Colour){v * 0.97f, v, v * 1.03f};
    }
  light (picture);
}

/* A washer whose size is known: 400 pixels outside, 210 inside. */
static void
draw_washer (Colour *picture, int frame)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const float radius = hypotf (x - 479.6f, y - 270.3f), outside = fmaxf (radius - 200, 105 - radius);
      const float steel = 0.7f + 0.06f * sinf (3 * atan2f (y - 270.3f, x - 479.6f)) + 0.01f * noise (radius, 0, 9);
      const float v = 0.16f + fminf (fmaxf (0.5f - outside, 0), 1) * (steel - 0.16f) + 0.006f * noise (x, y, 1 + frame);
      picture[y * WIDTH + x] = (Colour){v * 0.98f, v, v * 1.02f};
    }
}

static void
draw_nested (Colour *picture, int frame)
{
  draw_background (picture, frame, 0);
  for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
    draw_shape (picture, nested + i, frame, 0);
}

/* A depth image, in which near is bright: moving hills on a slope, and two posts. */
static void
draw_depth (Colour *picture, int frame)
{
  const float t = 6.2831853f * (frame % PERIOD) / PERIOD;
  const float hills[][4] = {
      {240 + 40 * cosf (t), 190 + 30 * sinf (t), 95, 0.62f},
      {600 - 60 * sinf (t), 330, 130, 0.55f},
      {800, 140 + 40 * cosf (t), 70, 0.45f},
      {150, 450, 80, 0.30f + 0.1f * sinf (t)},
  };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float v = 0.08f + 0.18f * y / HEIGHT;
      for (size_t i = 0; i < sizeof hills / sizeof *hills; i++)
        v += hills[i][3]
             * expf (-0.5f * (powf (x - hills[i][0], 2) + powf (y - hills[i][1], 2)) / powf (hills[i][2], 2));
      if (box (x - 420, y - 400, 26, 90) < 0 || hypotf (x - 690, y - 440) < 48)
        v = 0.86f;
      v = fminf (v, 1);
      picture[y * WIDTH + x] = (Colour){v, v, v};
    }
}

/* Two targets in noise: one is brighter than the background, the other one has the same mean and a smaller variance. */
static void
draw_targets (Colour *picture, int frame)
{
  const float t = 6.2831853f * frame / PERIOD, cosine = cosf (t), sine = sinf (t);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const float ax = x - 270 - 70 * sine, ay = y - 270 + 60 * cosine, bx = x - 690 + 70 * sine,
                  by = y - 270 - 50 * sine;
      float mean = 0.42f, deviation = 0.1f;
      if (flower (cosine * ax + sine * ay, cosine * ay - sine * ax) < 0)
        mean = 0.56f;
      else if (ellipse (cosine * bx - sine * by, cosine * by + sine * bx) < 0)
        deviation = 0.03f;
      const float v = fminf (fmaxf (mean + deviation * noise (x, y, frame), 0), 1);
      picture[y * WIDTH + x] = (Colour){v, v, v};
    }
}

#ifdef HAVE_PANGO
/* The beginning of Flatland, by Edwin A. Abbott. */
static const char text[] = "I call our world Flatland, not because we call it so,\n"
                           "but to make its nature clearer to you, my happy readers,\n"
                           "who are privileged to live in Space.\n\n"
                           "Imagine a vast sheet of paper on which straight Lines,\n"
                           "Triangles, Squares, Pentagons, Hexagons, and other\n"
                           "figures, instead of remaining fixed in their places, move\n"
                           "freely about, on or in the surface, but without the power\n"
                           "of rising above or sinking below it, very much like\n"
                           "shadows – only hard with luminous edges – and you will\n"
                           "then have a pretty correct notion of my country\n"
                           "and countrymen.";

static void
draw_page (Colour *picture, int frame)
{
  cairo_surface_t *ink = cairo_image_surface_create (CAIRO_FORMAT_A8, WIDTH, HEIGHT);
  cairo_t *cairo = cairo_create (ink);
  PangoLayout *layout = pango_cairo_create_layout (cairo);
  PangoFontDescription *font = pango_font_description_from_string ("DejaVu Serif, Serif");
  pango_font_description_set_absolute_size (font, 29 * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  cairo_move_to (cairo, (WIDTH - width) / 2, (HEIGHT - height) / 2);
  pango_cairo_show_layout (cairo, layout);
  cairo_surface_flush (ink);

  const uint8_t *row = cairo_image_surface_get_data (ink);
  for (int y = 0; y < HEIGHT; y++, row += cairo_image_surface_get_stride (ink))
    for (int x = 0; x < WIDTH; x++) {
      const float paper = 0.95f - 0.00006f * (x + y) + 0.006f * noise (x, y, 1 + frame);
      const float v = paper + row[x] / 255.f * (0.13f - paper);
      picture[y * WIDTH + x] = (Colour){v, v * 0.99f, v * 0.96f};
    }
  pango_font_description_free (font);
  g_object_unref (layout);
  cairo_destroy (cairo);
  cairo_surface_destroy (ink);
}
#endif

/* Writes PICTURE as YUV 4:4:4, BT.601. */
static int
write_frame (const Colour *picture)
{
  static uint8_t planes[3][HEIGHT * WIDTH];
  for (int i = 0; i < HEIGHT * WIDTH; i++) {
    const Colour c = picture[i];
    const float r = fminf (c.r, 1), g = fminf (c.g, 1), b = fminf (c.b, 1), y = 0.299f * r + 0.587f * g + 0.114f * b;
    planes[0][i] = (uint8_t) (16.5f + 219 * y);
    planes[1][i] = (uint8_t) (128.5f + 224 * (b - y) / 1.772f);
    planes[2][i] = (uint8_t) (128.5f + 224 * (r - y) / 1.402f);
  }
  return printf ("FRAME\n") > 0 && fwrite (planes, sizeof planes, 1, stdout) == 1;
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*draw) (Colour *, int);
  } scenes[] = {
      {"parts", draw_parts},
      {"uneven", draw_uneven},
      {"coins", draw_coins},
      {"caps", draw_caps},
      {"plate", draw_plate},
      {"nested", draw_nested},
      {"depth", draw_depth},
      {"targets", draw_targets},
      {"washer", draw_washer},
#ifdef HAVE_PANGO
      {"page", draw_page},
#endif
  };
  static Colour picture[HEIGHT * WIDTH];
  const int frames = argc > 2 ? atoi (argv[2]) : PERIOD;

  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    if (argc > 1 && argc < 4 && frames > 0 && frames <= MAX_FRAMES && strcmp (argv[1], scenes[i].name) == 0) {
      printf ("YUV4MPEG2 W%d H%d F30:1 Ip A1:1 C444\n", WIDTH, HEIGHT);
      for (int frame = 0; frame < frames; frame++) {
        scenes[i].draw (picture, frame);
        if (!write_frame (picture))
          return 1; /* the reader is gone */
      }
      return fflush (stdout) != 0;
    }
  fprintf (stderr,
      "scene parts|uneven|coins|caps|plate|nested|depth|targets|washer|page (needs Pango) [FRAMES, 1 to %d]\n",
      MAX_FRAMES);
  return 2;
}
