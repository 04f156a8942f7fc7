/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/cases.h"

#include <string.h>

typedef enum {
  ALL_SIZES = 1 << 0, /* also 640 x 480 and 4096 x 3000 */
  MANY = 1 << 2,      /* also in many streams */
  HELD = 1 << 3,
  LIVE = 1 << 4,
  QUICK = 1 << 5,
  PARTS = 1 << 6 /* the picture of parts */
} ChainFlags;

typedef struct {
  const gchar *id;
  ChainFlags flags;
  const gchar *elements[MAX_ELEMENTS + 1];
} Chain;

/* White lines, one pixel wide, on the border's own pixels: the foreground remains what it was when the ring hands the
 * frame out again. */
#define OVERLAY "cudacontouroverlay draw=contours color-by=fixed color=4294967295 thickness=1 holes=solid"

/* The outlines of the parts that a threshold has found, each from its component's box. */
#define SNAKE "cudasnake objects=components start=rectangle min-area=1000 max-iterations=100"

static const Chain chains[] = {
    {"cca-fixed", ALL_SIZES, {"cudacca"}},
    {"cca-otsu", ALL_SIZES | MANY | QUICK, {"cudacca threshold-mode=otsu"}},
    {"borders-list", MANY, {"cudaborders mode=list threshold-mode=otsu"}},
    {"borders-tree", ALL_SIZES | MANY | QUICK, {"cudaborders mode=tree threshold-mode=otsu"}},
    {"cracks", MANY | QUICK, {"cudacrackcontour min-level=16 step=32"}},
    {"canny", ALL_SIZES | MANY | QUICK, {"cudacanny"}},
    {"snake", MANY | PARTS, {"cudacca threshold-mode=otsu", SNAKE}},
    {"otsu-chain", ALL_SIZES | MANY | LIVE | QUICK,
        {"cudacca threshold-mode=otsu", "cudaborders threshold-mode=otsu", OVERLAY}},
    {"canny-chain", ALL_SIZES | MANY | LIVE | QUICK, {"cudacanny", "cudaborders", "cudacca", "cudacontouroverlay"}},
    {"held-chain", MANY | HELD | QUICK, {"cudacca threshold-mode=otsu", "cudaborders threshold-mode=otsu", OVERLAY}},
};

/* The element takes strips of one endless picture: --strips. A picture that ends with each strip keeps everything short. */
static const Chain strip_chains[] = {
    {"strips-cca", QUICK, {"cudacca strip-mode=true"}},
    {"strips-cca-moments", 0, {"cudacca strip-mode=true features=moments+grey"}},
    {"strips-borders", QUICK, {"cudaborders strip-mode=true"}},
    {"strips-borders-none", 0, {"cudaborders strip-mode=true approximation=none"}},
    {"strips-cracks", QUICK, {"cudacrackcontour strip-mode=true levels=128"}},
    {"strips-cracks-16", 0, {"cudacrackcontour strip-mode=true min-level=16 step=16"}},
};

typedef struct {
  const gchar *id;
  guint width, height;
} Size;

/* Lines of 16,384 pixels. */
static const Size strip_sizes[] = {
    {"16kx1024", 16384, 1024}, {"16kx256", 16384, 256}, {"16kx64", 16384, 64}, {"16kx16", 16384, 16}};

static const Size sizes[] = {{"480p", 640, 480}, {"1080p", 1920, 1080}, {"4k", 3840, 2160}, {"12mp", 4096, 3000}};
enum { SIZE_480P, SIZE_1080P, SIZE_4K, SIZE_12MP };

static void
free_case (gpointer data)
{
  Case *c = data;

  g_free (c->id);
  g_free (c->name);
  g_free (c->rival);
  g_free (c);
}

static gchar *
case_name (const Case *c)
{
  static const gchar *const memories[] = {"system", "offered system", "CUDA"};
  const FrameKind *frames = &c->kind.frames;
  gchar *elements = g_strjoinv (" ! ", (gchar **) c->kind.elements);
  gchar *rate = c->live ? g_strdup_printf (", live at %u frames/s", c->live) : g_strdup ("");
  gchar *gpus = c->kind.devices > 1 ? g_strdup_printf (", %u GPUs", c->kind.devices) : g_strdup ("");
  gchar *name = g_strdup_printf ("%s%s, %u x %u, %s in %s memory, %u stream%s%s%s", c->kind.held ? "tee ! " : "",
      elements, frames->width, frames->height, gst_video_format_to_string (frames->format), memories[frames->memory],
      c->streams, c->streams > 1 ? "s" : "", gpus, rate);

  g_free (elements);
  g_free (rate);
  g_free (gpus);
  return name;
}

static const gchar *
memory_id (const StreamKind *kind)
{
  switch (kind->frames.memory) {
    case FRAMES_CUDA:
      return "cuda";
    case FRAMES_OFFERED:
      return "offered-cuda";
    default:
      return strcmp (kind->backend, "cuda") == 0 ? "system-cuda" : "system-cpu";
  }
}

static gchar *
case_id (const Case *c, const Chain *chain, const Size *size, guint streams, guint devices)
{
  gchar *gpus = devices > 1 ? g_strdup_printf ("/gpus%u", devices) : g_strdup ("");
  gchar *live = c->live ? g_strdup_printf ("/live%u", c->live) : g_strdup ("");
  gchar *id = g_strdup_printf ("%s/%s/%s/%s/x%u%s%s", chain->id, size->id,
      gst_video_format_to_string (c->kind.frames.format), memory_id (&c->kind), streams, gpus, live);

  g_free (gpus);
  g_free (live);
  return id;
}

/* Chains are what runs for weeks; what single elements do in them is in their share, too. */
static guint
flat_share (const Chain *chain)
{
  if (strcmp (chain->id, "snake") == 0)
    return 50;
  return chain->elements[1] ? 1 : 5;
}

typedef struct {
  guint streams, devices, live;
} Load;

enum { STRIPS_QUEUED = 2 };

typedef struct {
  const CaseOptions *options;
  GRegex *regex;
  GPtrArray *cases;
} Builder;

static void
add (Builder *builder, const Chain *chain, const FrameKind *frames, const Size *size, Load load)
{
  Case *c = g_new0 (Case, 1);

  c->kind = (StreamKind){.elements = chain->elements,
      .backend = builder->options->cuda ? "cuda" : "cpu",
      .devices = MAX (load.devices, 1),
      .held = (chain->flags & HELD) != 0,
      .frames = *frames};
  c->picture = chain->flags & PARTS ? PICTURE_PARTS : PICTURE_BOARD;
  c->streams = load.streams;
  c->live = builder->options->live ? builder->options->live : load.live;
  c->flat_share = flat_share (chain);
  c->queued = builder->options->strips ? STRIPS_QUEUED : 0;
  c->id = case_id (c, chain, size, c->streams, c->kind.devices);
  c->name = case_name (c);
  if (c->kind.devices > 1)
    c->rival = case_id (c, chain, size, c->streams / c->kind.devices, 1);
  if (!builder->regex || g_regex_match (builder->regex, c->id, 0, NULL))
    g_ptr_array_add (builder->cases, c);
  else
    free_case (c);
}

static gboolean
takes_size (const CaseOptions *options, const Chain *chain, guint size)
{
  if (options->quick || size == SIZE_1080P)
    return size == SIZE_1080P;
  if (!options->cuda)
    return size == SIZE_480P;
  return size == SIZE_4K || (chain->flags & ALL_SIZES);
}

static FrameKind
frames_of (const CaseOptions *options, const Size *size)
{
  return (FrameKind){.format = GST_VIDEO_FORMAT_NV12,
      .width = size->width,
      .height = size->height,
      .memory = options->cuda ? FRAMES_CUDA : FRAMES_SYSTEM};
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
      const FrameKind frames = frames_of (options, &sizes[size]);

      if (i == 0 ? takes_size (options, chain, size) : size == SIZE_1080P && (chain->flags & MANY))
        add (builder, chain, &frames, &sizes[size], (Load){.streams = streams[i]});
    }
}

/* On all GPUs as many streams each as on one. */
static void
add_devices (Builder *builder, const Chain *chain)
{
  static const guint on_each[] = {1, 4, 16};
  const CaseOptions *options = builder->options;
  const guint *streams = options->streams ? (guint *) options->streams->data : on_each;
  const guint count = options->streams ? options->streams->len : G_N_ELEMENTS (on_each);
  const FrameKind frames = frames_of (options, &sizes[SIZE_1080P]);

  for (guint i = 0; i < count && (chain->flags & MANY); i++)
    add (builder, chain, &frames, &sizes[SIZE_1080P],
        (Load){.streams = streams[i] * options->devices, .devices = options->devices});
}

static void
add_live (Builder *builder)
{
  static const Load on_gpu[] = {{1, 1, 60}, {16, 1, 60}, {64, 1, 30}}, on_host[] = {{1, 1, 30}};
  const gboolean cuda = builder->options->cuda;
  const guint count = builder->options->quick ? 1 : cuda ? G_N_ELEMENTS (on_gpu) : G_N_ELEMENTS (on_host);

  for (guint chain = 0; chain < G_N_ELEMENTS (chains); chain++)
    for (guint i = 0; i < count && (chains[chain].flags & LIVE); i++) {
      const Size *size = &sizes[cuda ? SIZE_1080P : SIZE_480P];
      const FrameKind frames = frames_of (builder->options, size);

      add (builder, &chains[chain], &frames, size, cuda ? on_gpu[i] : on_host[i]);
    }
}

/* From a source that asks nobody for memory, and from one that takes what the elements offer. */
static void
add_system_memory (Builder *builder)
{
  const Size *size = &sizes[SIZE_1080P];
  const gboolean cuda = builder->options->cuda;

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    const gboolean canny = strcmp (chains[i].id, "canny") == 0, borders = strcmp (chains[i].id, "borders-list") == 0,
                   components = g_str_has_prefix (chains[i].id, "cca-");
    FrameKind frames = frames_of (builder->options, size);

    if (!components && !((canny || borders) && cuda))
      continue;
    frames.format = components ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_NV12;
    for (frames.memory = FRAMES_SYSTEM; frames.memory <= (cuda ? FRAMES_OFFERED : FRAMES_SYSTEM); frames.memory++)
      add (builder, &chains[i], &frames, size, (Load){.streams = 1});
  }
}

/* Strips in the GPU's memory, from the pool that the elements offer, and from a source that asks nobody. Up to two are
 * analysed while the next one comes. */
static void
add_strips (Builder *builder)
{
  const gboolean cuda = builder->options->cuda;

  for (guint i = 0; i < G_N_ELEMENTS (strip_chains); i++)
    for (guint size = 0; size < (builder->options->quick ? 1 : G_N_ELEMENTS (strip_sizes)); size++)
      for (FrameMemory memory = FRAMES_SYSTEM; memory <= (cuda ? FRAMES_CUDA : FRAMES_SYSTEM); memory++) {
        FrameKind frames = frames_of (builder->options, &strip_sizes[size]);

        frames.memory = memory;
        frames.format = memory == FRAMES_CUDA ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_GRAY8;
        add (builder, &strip_chains[i], &frames, &strip_sizes[size], (Load){.streams = 1});
      }
}

GPtrArray *
cases_new (const CaseOptions *options)
{
  GError *error = NULL;
  Builder builder = {.options = options, .cases = g_ptr_array_new_with_free_func (free_case)};
  const gboolean all = !options->system_memory && !options->strips;

  if (options->pattern && !(builder.regex = g_regex_new (options->pattern, 0, 0, &error))) {
    g_printerr ("--cases: %s\n", error->message);
    g_error_free (error);
    g_ptr_array_unref (builder.cases);
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS (chains) && all; i++)
    add_chain (&builder, &chains[i]);
  for (guint i = 0; i < G_N_ELEMENTS (chains) && all && options->devices > 1; i++)
    add_devices (&builder, &chains[i]);
  if (!options->live && !options->streams && all)
    add_live (&builder);
  if (!options->streams && !options->strips)
    add_system_memory (&builder);
  if (options->strips)
    add_strips (&builder);
  if (builder.regex)
    g_regex_unref (builder.regex);
  return builder.cases;
}
