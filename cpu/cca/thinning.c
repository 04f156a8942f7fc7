/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a pass removes a pixel depends on its neighbours alone. So a pass looks only at words in which, or beside which, one of the two
 * passes before has removed a pixel; the first two look at all words. First all bands find what they lose, then they lose it. */
#include "cpu/cca/thinning.h"

#include "core/common/error.h"
#include "core/common/memory.h"
#include "core/common/poll.h"
#include "cpu/common/bands.h"

#include <stdatomic.h>

enum { MIN_WORDS = 1 << 10 /* of a pass that are worth the start of several threads */ };

/* A band's words are from FIRST to END - 1. It has lists of its own, as long as it has words. */
typedef struct {
  uint32_t first_y, end_y, first, end;
  uint32_t *listed[2], *losing;
  uint64_t *removed; /* by word that is losing pixels */
  uint32_t listed_count[2], losing_count;
} Band;

typedef struct {
  CtrThinning *t;
  const uint32_t *labels;
  uint8_t *queued;
  Band *bands;
  uint32_t band_count;
  uint32_t pass;
  atomic_bool cancelled;
} Task;

void
ctr_thinning_release (CtrThinningWork *work)
{
  ctr_host_buffer_release (&work->planes);
  ctr_host_buffer_release (&work->queued);
  ctr_host_buffer_release (&work->lists);
  ctr_host_buffer_release (&work->removed);
  ctr_host_buffer_release (&work->bands);
}

bool
ctr_thinning_give_back (CtrThinningWork *work)
{
  CtrHostBuffer *const buffers[] = {&work->planes, &work->queued, &work->lists, &work->removed, &work->bands};
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
}

/* Sets the bits of row Y, but for those to the row below, if there is none. */
static void
fill_row (const CtrThinning *t, const uint32_t *labels, uint32_t y)
{
  const uint32_t *row = labels + (size_t) y * t->width, *below = row + t->width, at = ctr_thinning_row (t, y);
  for (uint32_t x = 0; x < t->width; x++) {
    const uint32_t label = row[x], word = at + x / 64;
    const uint64_t bit = UINT64_C (1) << x % 64;
    if (!label)
      continue;
    t->pixels[word] |= bit;
    if (x + 1 < t->width && row[x + 1] == label)
      t->links[CTR_LINK_EAST][word] |= bit;
    if (y + 1 == t->height)
      continue;
    if (below[x] == label)
      t->links[CTR_LINK_SOUTH][word] |= bit;
    if (x + 1 < t->width && below[x + 1] == label)
      t->links[CTR_LINK_SOUTH_EAST][word] |= bit;
    if (x > 0 && below[x - 1] == label)
      t->links[CTR_LINK_SOUTH_WEST][word] |= bit;
  }
}

static void
list_word (Task *task, Band *band, uint32_t word)
{
  for (uint32_t pass = 0; pass < 2; pass++)
    if (!(task->queued[word] >> pass & 1)) {
      task->queued[word] |= (uint8_t) (1 << pass);
      band->listed[pass][band->listed_count[pass]++] = word;
    }
}

static void
start_band (void *data, uint32_t number)
{
  Task *task = data;
  Band *band = &task->bands[number];
  for (uint32_t y = band->first_y; y < band->end_y; y++) {
    const uint32_t first = ctr_thinning_row (task->t, y);
    if (ctr_cancelled ()) {
      task->cancelled = true;
      return;
    }
    fill_row (task->t, task->labels, y);
    for (uint32_t word = first; word < first + task->t->words; word++)
      if (task->t->pixels[word])
        list_word (task, band, word);
  }
}

/* The pixels of WORD that PASS removes. */
static uint64_t
find_removed (const CtrThinning *t, uint32_t word, uint32_t pass)
{
  uint64_t around[CTR_NEIGHBOURS], all = ~UINT64_C (0), removed = 0;
  ctr_thinning_look_around (t, word, around);
  for (uint32_t i = 0; i < CTR_NEIGHBOURS; i++)
    all &= around[i];
  for (uint64_t left = t->pixels[word] & ~all; left; left &= left - 1) {
    const int bit = __builtin_ctzll (left);
    uint32_t index = 0;
    for (uint32_t i = 0; i < CTR_NEIGHBOURS; i++)
      index |= (uint32_t) (around[i] >> bit & 1) << i;
    removed |= (uint64_t) (ctr_skeleton_removes[pass][index / 32] >> index % 32 & 1) << bit;
  }
  return removed;
}

static void
look_at_band (void *data, uint32_t number)
{
  Task *task = data;
  Band *band = &task->bands[number];
  uint64_t work = 0;
  band->losing_count = 0;
  for (uint32_t i = 0; i < band->listed_count[task->pass]; i++) {
    const uint32_t word = band->listed[task->pass][i];
    if (ctr_poll (&work, 64)) {
      task->cancelled = true;
      return;
    }
    task->queued[word] &= (uint8_t) ~(1 << task->pass);
    const uint64_t removed = find_removed (task->t, word, task->pass);
    if (!removed)
      continue;
    band->losing[band->losing_count] = word;
    band->removed[band->losing_count++] = removed;
  }
  band->listed_count[task->pass] = 0;
}

/* Lists the words of BAND in and around WORD, which may belong to another band. */
static void
list_around (Task *task, Band *band, uint32_t word)
{
  for (int row = -1; row <= 1; row++)
    for (int column = -1; column <= 1; column++) {
      const uint32_t at = word + (uint32_t) (row * (int) task->t->stride + column);
      if (at >= band->first && at < band->end && task->t->pixels[at])
        list_word (task, band, at);
    }
}

static void
change_band (void *data, uint32_t number)
{
  Task *task = data;
  Band *band = &task->bands[number];
  const uint32_t end = number + 2 < task->band_count ? number + 2 : task->band_count;
  uint64_t work = 0;
  for (uint32_t i = 0; i < band->losing_count; i++)
    task->t->pixels[band->losing[i]] &= ~band->removed[i];
  for (const Band *near = &task->bands[number > 0 ? number - 1 : 0]; near < task->bands + end; near++)
    for (uint32_t i = 0; i < near->losing_count; i++) {
      if (ctr_poll (&work, 16)) {
        task->cancelled = true;
        return;
      }
      list_around (task, band, near->losing[i]);
    }
}

static void
place_bands (Task *task, uint32_t *lists, uint64_t *removed)
{
  const CtrThinning *t = task->t;
  for (uint32_t i = 0; i < task->band_count; i++) {
    const uint32_t first = ctr_band_first (t->height, task->band_count, i),
                   end = ctr_band_first (t->height, task->band_count, i + 1);
    const size_t before = (size_t) first * t->words, all = (size_t) t->height * t->words;
    task->bands[i] = (Band){.first_y = first,
        .end_y = end,
        .first = ctr_thinning_row (t, first),
        .end = ctr_thinning_row (t, end),
        .listed = {lists + before, lists + all + before},
        .losing = lists + 2 * all + before,
        .removed = removed + before};
  }
}

/* The words that are listed for either pass. */
static uint64_t
count_listed (const Task *task)
{
  uint64_t count = 0;
  for (uint32_t i = 0; i < task->band_count; i++)
    count += (uint64_t) task->bands[i].listed_count[0] + task->bands[i].listed_count[1];
  return count;
}

static bool
thin (Task *task)
{
  ctr_parallel_for (ctr_threads_current (), task->band_count, start_band, task);
  for (uint64_t listed; !task->cancelled && (listed = count_listed (task)); task->pass ^= 1) {
    const unsigned threads = listed < MIN_WORDS ? 1 : ctr_threads_current ();
    ctr_parallel_for (threads, task->band_count, look_at_band, task);
    if (!task->cancelled)
      ctr_parallel_for (threads, task->band_count, change_band, task);
    if (ctr_cancelled ())
      return false;
  }
  return !task->cancelled;
}

bool
ctr_thin (CtrThinningWork *work, const uint32_t *labels, uint32_t width, uint32_t height, uint32_t bands,
    CtrThinning *t, CtrError *error)
{
  *t = (CtrThinning){.width = width, .height = height, .words = (width + 63) / 64};
  t->stride = t->words + 2;
  const size_t plane = (size_t) t->stride * (height + 2), words = (size_t) t->words * height;
  if (!ctr_host_buffer_reserve (&work->planes, (1 + CTR_LINKS) * plane, sizeof (uint64_t))
      || !ctr_host_buffer_reserve (&work->queued, plane, sizeof (uint8_t))
      || !ctr_host_buffer_reserve (&work->lists, 3 * words, sizeof (uint32_t))
      || !ctr_host_buffer_reserve (&work->removed, words, sizeof (uint64_t))
      || !ctr_host_buffer_reserve (&work->bands, bands, sizeof (Band)))
    return ctr_fail (
        error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the skeletons of a %u x %u image", width, height);
  t->pixels = work->planes.data;
  for (uint32_t i = 0; i < CTR_LINKS; i++)
    t->links[i] = t->pixels + (1 + i) * plane;
  Task task = {.t = t, .labels = labels, .queued = work->queued.data, .bands = work->bands.data, .band_count = bands};
  place_bands (&task, work->lists.data, work->removed.data);
  return (ctr_clear (t->pixels, (1 + CTR_LINKS) * plane * sizeof *t->pixels) && ctr_clear (task.queued, plane)
             && thin (&task))
         || ctr_fail_cancelled (error);
}
