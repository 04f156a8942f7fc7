/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/cases.h"

#include <string.h>

typedef enum {
  ALL_SIZES = 1 << 0, /* also 640 x 480 and 4096 x 3000 */
  SMALL_ONLY = 1 << 1,
  MANY = 1 << 2, /* also in many streams */
  HELD = 1 << 3,
  LIVE = 1 << 4,
  QUICK = 1 << 5
} ChainFlags;

typedef struct {
  const gchar *id;
  ChainFlags flags;
  const gchar *elements[MAX_ELEMENTS + 1];
} Chain;

/* White lines, one pixel wide, on the border's own pixels: the foreground remains what it was when the ring hands the
 * frame out again. */
#define OVERLAY "cudacontouroverlay draw=contours color-by=fixed color=4294967295 thickness=1 holes=solid"

static const Chain chains[] = {
    {"cca-fixed", 0, {"cudacca"}},
    {"cca-otsu", ALL_SIZES | MANY | QUICK, {"cudacca threshold-mode=otsu"}},
    {"borders-list", MANY, {"cudaborders mode=list threshold-mode=otsu"}},
    {"borders-tree", ALL_SIZES | MANY | QUICK, {"cudaborders mode=tree threshold-mode=otsu"}},
    {"cracks", MANY | QUICK, {"cudacrackcontour min-level=16 step=32"}},
    {"canny", ALL_SIZES | MANY | QUICK, {"cudacanny"}},
    {"snake", SMALL_ONLY, {"cudasnake"}},
    {"otsu-chain", ALL_SIZES | MANY | LIVE | QUICK,
        {"cudacca threshold-mode=otsu", "cudaborders threshold-mode=otsu", OVERLAY}},
    {"canny-chain", ALL_SIZES | MANY | LIVE | QUICK, {"cudacanny", "cudaborders", "cudacca", "cudacontouroverlay"}},
    {"held-chain", MANY | HELD | QUICK, {"cudacca threshold-mode=otsu", "cudaborders threshold-mode=otsu", OVERLAY}},
};

typedef struct {
  const gchar *id;
  guint width, height;
} Size;

static const Size sizes[] = {{"480p", 640, 480}, {"1080p", 1920, 1080}, {"4k", 3840, 2160}, {"12mp", 4096, 3000}};
enum { SIZE_480P, SIZE_1080P, SIZE_4K, SIZE_12MP };

static void
free_case (gpointer data)
{
  Case *c = data;

  g_free (c->id);
  g_free (c->name);
  g_free (c);
}

static gchar *
case_name (const Case *c)
{
  const FrameKind *frames = &c->kind.frames;
  gchar *elements = g_strjoinv (" ! ", (gchar **) c->kind.elements);
  gchar *rate = c->live ? g_strdup_printf (", live at %u frames/s", c->live) : g_strdup ("");
  gchar *name = g_strdup_printf ("%s%s, %u x %u, %s in %s memory, %u stream%s%s", c->kind.held ? "tee ! " : "",
      elements, frames->width, frames->height, gst_video_format_to_string (frames->format),
      frames->in_cuda_memory ? "CUDA" : "system", c->streams, c->streams > 1 ? "s" : "", rate);

  g_free (elements);
  g_free (rate);
  return name;
}

static const gchar *
memory_id (const StreamKind *kind)
{
  if (kind->frames.in_cuda_memory)
    return "cuda";
  return strcmp (kind->backend, "cuda") == 0 ? "system-cuda" : "system-cpu";
}

typedef struct {
  const CaseOptions *options;
  GRegex *regex;
  GPtrArray *cases;
} Builder;

static void
add (Builder *builder, const Chain *chain, const FrameKind *frames, const Size *size, guint streams, guint live)
{
  Case *c = g_new0 (Case, 1);

  c->kind = (StreamKind){.elements = chain->elements,
      .backend = builder->options->cuda ? "cuda" : "cpu",
      .held = (chain->flags & HELD) != 0,
      .frames = *frames};
  c->streams = streams;
  c->live = builder->options->live ? builder->options->live : live;
  c->id = g_strdup_printf ("%s/%s/%s/%s/x%u", chain->id, size->id, gst_video_format_to_string (frames->format),
      memory_id (&c->kind), streams);
  if (c->live) {
    gchar *id = g_strdup_printf ("%s/live%u", c->id, c->live);

    g_free (c->id);
    c->id = id;
  }
  c->name = case_name (c);
  if (!builder->regex || g_regex_match (builder->regex, c->id, 0, NULL))
    g_ptr_array_add (builder->cases, c);
  else
    free_case (c);
}

static gboolean
takes_size (const CaseOptions *options, const Chain *chain, guint size)
{
  if (chain->flags & SMALL_ONLY)
    return size == SIZE_480P;
  if (options->quick || size == SIZE_1080P)
    return size == SIZE_1080P;
  if (!options->cuda)
    return size == SIZE_480P;
  return size == SIZE_4K || (chain->flags & ALL_SIZES);
}

/* The first number of streams takes all sizes, the others 1920 x 1080. */
static void
add_chain (Builder *builder, const Chain *chain)
{
  static const guint on_gpu[] = {1, 4, 16, 64}, on_host[] = {1, 4}, quick[] = {1, 16};
  const CaseOptions *options = builder->options;
  const guint *streams = options->streams ? (guint *) options->streams->data
                         : !options->cuda ? on_host
                         : options->quick ? quick
                                          : on_gpu;
  const guint count = options->streams ? options->streams->len
                      : !options->cuda ? options->quick ? 1 : 2
                      : options->quick ? G_N_ELEMENTS (quick)
                                       : G_N_ELEMENTS (on_gpu);

  for (guint i = 0; i < count; i++)
    for (guint size = 0; size < G_N_ELEMENTS (sizes); size++) {
      const FrameKind frames = {GST_VIDEO_FORMAT_NV12, sizes[size].width, sizes[size].height, options->cuda};

      if (i == 0 ? takes_size (options, chain, size) : size == SIZE_1080P && (chain->flags & MANY))
        add (builder, chain, &frames, &sizes[size], streams[i], 0);
    }
}

static void
add_live (Builder *builder)
{
  static const struct {
    guint streams, rate;
  } on_gpu[] = {{1, 60}, {16, 60}, {64, 30}}, on_host[] = {{1, 30}};
  const gboolean cuda = builder->options->cuda;
  const guint count = builder->options->quick ? 1 : cuda ? G_N_ELEMENTS (on_gpu) : G_N_ELEMENTS (on_host);

  for (guint chain = 0; chain < G_N_ELEMENTS (chains); chain++)
    for (guint i = 0; i < count && (chains[chain].flags & LIVE); i++) {
      const Size *size = &sizes[cuda ? SIZE_1080P : SIZE_480P];
      const FrameKind frames = {GST_VIDEO_FORMAT_NV12, size->width, size->height, cuda};

      add (builder, &chains[chain], &frames, size, cuda ? on_gpu[i].streams : on_host[i].streams,
          cuda ? on_gpu[i].rate : on_host[i].rate);
    }
}

static void
add_system_memory (Builder *builder)
{
  const Size *size = &sizes[SIZE_1080P];

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    const gboolean canny = strcmp (chains[i].id, "canny") == 0, borders = strcmp (chains[i].id, "borders-list") == 0,
                   components = g_str_has_prefix (chains[i].id, "cca-");
    const FrameKind grey = {GST_VIDEO_FORMAT_GRAY8, size->width, size->height, FALSE};
    const FrameKind nv12 = {GST_VIDEO_FORMAT_NV12, size->width, size->height, FALSE};

    if (components)
      add (builder, &chains[i], &grey, size, 1, 0);
    else if ((canny || borders) && builder->options->cuda)
      add (builder, &chains[i], &nv12, size, 1, 0);
  }
}

GPtrArray *
cases_new (const CaseOptions *options)
{
  GError *error = NULL;
  Builder builder = {.options = options, .cases = g_ptr_array_new_with_free_func (free_case)};

  if (options->pattern && !(builder.regex = g_regex_new (options->pattern, 0, 0, &error))) {
    g_printerr ("--cases: %s\n", error->message);
    g_error_free (error);
    g_ptr_array_unref (builder.cases);
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS (chains) && !options->system_memory; i++)
    add_chain (&builder, &chains[i]);
  if (!options->live && !options->streams && !options->system_memory)
    add_live (&builder);
  if (!options->streams)
    add_system_memory (&builder);
  if (builder.regex)
    g_regex_unref (builder.regex);
  return builder.cases;
}
