/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes on the GPU, host side: memory, launches and results. device_state.cuh has the design. */
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"
#include "cuda/snake/device_state.cuh"

#include "core/common/poll.h"

#include <stdlib.h>
#include <string.h>

namespace
{

/* What the history of a task takes. */
struct History {
  uint64_t moments, points;
};
constexpr History LEAST_HISTORY = {64, 2048};

struct Snakes {
  InputStage input;
  CtrDeviceBuffer host_tasks;   /* pinned: TaskArrays */
  CtrDeviceBuffer device_tasks; /* the same on the device */
  CtrDeviceBuffer sums;         /* of the table */
  CtrDeviceBuffer bands;        /* by task */
  CtrDeviceBuffer blocks;       /* of automatic starts: BlockArrays */
  CtrDeviceBuffer workspaces;   /* by task */
  CtrDeviceBuffer results;      /* pinned: a flag, and SnakeResult by task */
  CtrDeviceBuffer polygons;     /* pinned: by task */
  CtrDeviceBuffer moments;      /* pinned: of the history */
  CtrDeviceBuffer history;      /* pinned: its points */
  History *histories;           /* of the last image's tasks, by index */
  uint32_t history_count;
  uint32_t capacity; /* points of a polygon */
  /* By the images of this period at most. */
  uint32_t used_capacity;
  History used_history; /* of all tasks */
  CtrRoomPeriod period;
  uint32_t max_ctas; /* of a cluster */
  size_t shared;     /* bytes of shared memory that a CTA may have */
  CudaSession session;

  /* The queued image. */
  CtrImage image;
  const CtrSnakePlan *plan;
};

constexpr size_t FLAG_SIZE = 256; /* bytes before the results */

SnakeResult *
results_of (const Snakes *s)
{
  return s->results.data ? (SnakeResult *) ((uint8_t *) s->results.data + FLAG_SIZE) : NULL;
}

void
snakes_destroy (void *state)
{
  Snakes *s = (Snakes *) state;
  cuda_session_close (&s->session);
  input_stage_free (&s->input);
  for (CtrDeviceBuffer *buffer : {&s->host_tasks, &s->device_tasks, &s->sums, &s->bands, &s->blocks, &s->workspaces,
           &s->results, &s->polygons, &s->moments, &s->history})
    ctr_device_buffer_free (buffer);
  free (s->histories);
  free (s);
}

bool
find_shared (Snakes *s, CtrError *error)
{
  int device = 0, shared = 0;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  s->shared = (size_t) shared;
  return true;
}

void *
snakes_create (CtrError *error)
{
  Snakes *s = (Snakes *) calloc (1, sizeof *s);
  if (!s) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for region snakes");
    return NULL;
  }
  input_stage_init (&s->input);
  s->host_tasks.pinned = s->results.pinned = s->polygons.pinned = s->moments.pinned = s->history.pinned = true;
  s->capacity = SNAKE_MIN_CAPACITY;
  if (cuda_session_open (&s->session, "preparing region snakes", error)) {
    s->max_ctas = snake_max_ctas (s->session.overlap); /* GPUs with overlap have clusters. */
    if (find_shared (s, error))
      return s;
  }
  snakes_destroy (s);
  return NULL;
}

/* At the end of a period: gives back what its images have not needed. The next histories are as long as the first ones. */
bool
give_back (Snakes *s, CtrError *error)
{
  CtrDeviceBuffer *const buffers[] = {&s->host_tasks, &s->device_tasks, &s->sums, &s->bands, &s->blocks, &s->workspaces,
      &s->results, &s->polygons, &s->moments, &s->history};
  bool some = false;
  if (ctr_room_is_excess (s->moments.size, s->used_history.moments * sizeof (CtrSnakeMoment))
      || ctr_room_is_excess (s->history.size, s->used_history.points * sizeof (CtrPoint))) {
    for (uint32_t i = 0; i < s->history_count; i++)
      s->histories[i] = LEAST_HISTORY;
    s->moments.used = s->history.used = 0;
  }
  if (s->capacity > SNAKE_MIN_CAPACITY && s->capacity / CTR_ROOM_TIMES > s->used_capacity) {
    while (s->capacity > SNAKE_MIN_CAPACITY && s->capacity / 2 >= s->used_capacity)
      s->capacity /= 2;
    s->workspaces.used = s->polygons.used = 0;
  }
  s->used_history = {};
  s->used_capacity = 0;
  if (!input_stage_give_back (&s->input, s->session.stream, &some, error)
      || !ctr_device_buffers_give_back (buffers, sizeof buffers / sizeof *buffers, s->session.stream, &some, error))
    return false;
  if (some)
    ctr_room_period_double (&s->period);
  return true;
}

int32_t
side_of (const CtrSnakeWindow *window)
{
  const int32_t width = window->right - window->left, height = window->bottom - window->top;
  return width > height ? width : height;
}

/* The number of CTAs for a task among COUNT similar ones. Larger windows get more, as long as all fit on the GPU
 * together. */
uint32_t
ctas_for (const Snakes *s, const CtrSnakeTask *task, uint32_t count)
{
  constexpr uint32_t MAX_RESIDENT_CTAS = 264;
  const int32_t side = side_of (&task->window);
  uint32_t ctas = s->max_ctas;
  while (ctas > 1 && (side <= (int32_t) ctas * 16 || ctas * count > MAX_RESIDENT_CTAS))
    ctas /= 2;
  return ctas;
}

/* The arrays of all tasks in one buffer. */
struct TaskArrays {
  uint32_t *finished;
  CtrSnakeTask *tasks;
  uint32_t *order;
  CtrPoint *points;
  uint64_t *first_words;
  SnakeRoom *rooms;
};

size_t
lay_out_tasks (const CtrSnakePlan *plan, void *base, TaskArrays *arrays)
{
  ArenaLayout c = {(uint8_t *) base, 0};
  arrays->finished = c.take<uint32_t> (1);
  arrays->tasks = c.take<CtrSnakeTask> (plan->task_count);
  arrays->order = c.take<uint32_t> (plan->task_count);
  arrays->points = c.take<CtrPoint> (plan->point_count);
  arrays->first_words = c.take<uint64_t> (plan->task_count);
  arrays->rooms = c.take<SnakeRoom> (plan->history ? plan->task_count : 0);
  return c.used;
}

/* The number of words for the blocks of an automatic start of TASK. */
uint32_t
words_of (const CtrSnakeTask *task)
{
  return task->automatic || task->retry ? snake_words (ctr_snake_grid (&task->window)) : 0;
}

/* The arrays of the blocks of all automatic starts, in WORDS words. */
size_t
lay_out_blocks (uint64_t words, void *base, SnakeKernelArgs *f)
{
  ArenaLayout c = {(uint8_t *) base, 0};
  f->by_block.sums = c.take<SnakeBlockSums> (32 * words);
  f->by_block.parents = c.take<uint32_t> (32 * words);
  f->by_block.sizes = c.take<uint32_t> (32 * words);
  f->by_word.inside = c.take<uint32_t> (words);
  f->by_word.region = c.take<uint32_t> (words);
  return c.used;
}

/* The table for PLANE's samples in the bounding box of all windows. */
SnakeTable
table_of (const CtrSnakePlan *plan, const CtrImage *plane)
{
  constexpr uint64_t BLOCK = 16; /* bytes */
  const uint64_t size = plane->format == CTR_FORMAT_GRAY16 ? 2 : 1;
  SnakeTable t = {};
  const uint64_t shift = (uintptr_t) plane->data % BLOCK;
  t.pixels = (const uint8_t *) plane->data - shift;
  t.stride = plane->stride;
  t.loadable_from = shift ? BLOCK : 0;
  const uint64_t end = (shift + (plane->height - 1) * t.stride + plane->width * size) / BLOCK * BLOCK;
  t.loadable = end > t.loadable_from ? end - t.loadable_from : 0;
  t.left = plan->windows.left;
  t.top = plan->windows.top;
  t.right = plan->windows.right;
  t.bottom = plan->windows.bottom;
  t.begin = shift + (uint64_t) t.top * t.stride + (uint64_t) t.left * size;
  t.blocks = (uint32_t) (((uint64_t) (t.right - t.left) * size + 2 * BLOCK - 1) / BLOCK);
  return t;
}

/* Makes sure that there is a history for each of COUNT tasks. */
bool
reserve_histories (Snakes *s, uint32_t count, CtrError *error)
{
  if (count <= s->history_count)
    return true;
  History *histories = (History *) realloc (s->histories, count * sizeof *histories);
  if (!histories)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the history of %u objects", count);
  for (uint32_t i = s->history_count; i < count; i++)
    histories[i] = LEAST_HISTORY;
  s->histories = histories;
  s->history_count = count;
  return true;
}

/* Gives each task the room that its history needs, or that of the image before. */
History
make_rooms (const Snakes *s, uint32_t count, SnakeRoom *rooms)
{
  History all = {0, 0};
  for (uint32_t i = 0; i < count; i++) {
    const History own = s->histories[i];
    if (rooms)
      rooms[i] = {all.moments, own.moments, all.points, own.points};
    all.moments += own.moments;
    all.points += own.points;
  }
  return all;
}

bool
reserve_history (Snakes *s, SnakeKernelArgs *f, CtrError *error)
{
  if (!s->plan->history)
    return true;
  if (!reserve_histories (s, s->plan->task_count, error))
    return false;
  const History all = make_rooms (s, s->plan->task_count, NULL);
  if (!ctr_device_buffer_reserve (&s->moments, all.moments * sizeof (CtrSnakeMoment), error)
      || !ctr_device_buffer_reserve (&s->history, all.points * sizeof (CtrPoint), error))
    return false;
  f->history.moments = (CtrSnakeMoment *) s->moments.data;
  f->history.points = (CtrPoint *) s->history.data;
  return true;
}

/* Writes the tasks where the table kernel reads them. */
void
write_tasks (Snakes *s, SnakeKernelArgs *f)
{
  const CtrSnakePlan *plan = s->plan;
  TaskArrays there, here;
  const size_t size = lay_out_tasks (plan, s->device_tasks.data, &there);
  lay_out_tasks (plan, s->host_tasks.data, &here);
  *here.finished = 0;
  memcpy (here.tasks, plan->tasks, plan->task_count * sizeof *plan->tasks);
  if (plan->point_count)
    memcpy (here.points, plan->points, plan->point_count * sizeof *plan->points);
  if (plan->history)
    make_rooms (s, plan->task_count, here.rooms);
  uint64_t words = 0;
  for (uint32_t i = 0; i < plan->task_count; i++) {
    here.first_words[i] = words;
    words += words_of (&plan->tasks[i]);
  }
  uint32_t at = 0;
  for (uint32_t ctas = 1; ctas <= SNAKE_MAX_CTAS; ctas *= 2)
    for (uint32_t i = 0; i < plan->task_count; i++)
      if (ctas_for (s, &plan->tasks[i], plan->task_count) == ctas)
        here.order[at++] = i;
  f->upload = {(const uint4 *) s->host_tasks.data, (uint4 *) s->device_tasks.data, (uint32_t) (size / sizeof (uint4))};
  f->task_count = plan->task_count;
  f->finished = there.finished;
  f->tasks = there.tasks;
  f->by_cluster.tasks = there.order;
  f->start_points = there.points;
  f->by_task.first_words = there.first_words;
  f->by_task.rooms = there.rooms;
}

bool
launch_tasks (const Snakes *s, const SnakeKernelArgs &f, bool wide, CtrError *error)
{
  constexpr uint32_t MAX_EXCLUSIVE_CTAS = 100; /* as many CTAs get a multiprocessor each, in whole clusters */
  constexpr int32_t LARGE_SIDE = 4096;         /* windows of longer sides have work for more threads */
  const CtrSnakePlan *plan = s->plan;
  uint32_t first = 0;
  for (uint32_t ctas = 1; ctas <= SNAKE_MAX_CTAS; ctas *= 2) {
    uint32_t count = 0;
    bool large = false;
    for (uint32_t i = 0; i < plan->task_count; i++)
      if (ctas_for (s, &plan->tasks[i], plan->task_count) == ctas) {
        count++;
        large = large || side_of (&plan->tasks[i].window) >= LARGE_SIDE;
      }
    const bool exclusive = ctas > 1 && count * ctas <= MAX_EXCLUSIVE_CTAS;
    const uint32_t threads = large && exclusive ? SNAKE_LARGE_THREADS : SNAKE_SMALL_THREADS;
    if (count
        && !snake_launch_evolution (f, first, count, ctas, threads, exclusive, wide, plan->history, s->session.overlap,
            s->session.stream, error))
      return false;
    first += count;
  }
  return true;
}

bool
queue_frame (Snakes *s, CtrError *error)
{
  const CtrSnakePlan *plan = s->plan;
  const uint32_t count = plan->task_count;
  SnakeKernelArgs f = {};
  TaskArrays arrays;
  SnakeWorkspace workspace;
  CtrImage plane;
  bool fresh;
  if (!input_stage_reserve (&s->input, &s->image, INPUT_NEEDS_SAMPLES, s->session.stream, &fresh, error)
      || !cuda_session_start_clock (&s->session, error)
      || !input_stage_plane (&s->input, &s->image, &plane, s->session.stream, error))
    return false;
  const bool wide = plane.format == CTR_FORMAT_GRAY16;
  f.table = table_of (plan, &plane);
  f.cost = plan->cost;
  f.prune = plan->prune;
  f.max_iterations = plan->max_iterations;
  f.capacity = s->capacity;
  f.exchanges = snake_may_exchange (s->capacity, s->shared);
  f.by_task.workspace_size = snake_workspace (f, 0, &workspace);
  const size_t rows = (size_t) (f.table.bottom - f.table.top), tasks_size = lay_out_tasks (plan, NULL, &arrays);
  uint64_t words = 0;
  uint32_t most_blocks = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeGrid grid = ctr_snake_grid (&plan->tasks[i].window);
    const uint32_t own = words_of (&plan->tasks[i]);
    words += own;
    most_blocks = max (most_blocks, own ? (uint32_t) (grid.columns * grid.rows) : 0);
  }
  if (!ctr_device_buffer_reserve (&s->host_tasks, tasks_size, error)
      || !ctr_device_buffer_reserve (&s->device_tasks, tasks_size, error)
      || !ctr_device_buffer_reserve (
          &s->sums, rows * f.table.blocks * (wide ? sizeof (SnakeSums16) : sizeof (SnakeSums8)), error)
      || !ctr_device_buffer_reserve (
          &s->bands, (size_t) count * CTR_SNAKE_CELLS * SNAKE_LINES * sizeof (CtrSnakeSums), error)
      || !ctr_device_buffer_reserve (&s->blocks, lay_out_blocks (words, NULL, &f), error)
      || !ctr_device_buffer_reserve (&s->workspaces, count * f.by_task.workspace_size, error)
      || !ctr_device_buffer_reserve (&s->results, FLAG_SIZE + count * sizeof (SnakeResult), error)
      || !ctr_device_buffer_reserve (&s->polygons, (size_t) count * f.capacity * sizeof (CtrPoint), error)
      || !reserve_history (s, &f, error))
    return false;
  write_tasks (s, &f);
  f.table.sums = s->sums.data;
  f.by_task_and_line.sums = (CtrSnakeSums *) s->bands.data;
  lay_out_blocks (words, s->blocks.data, &f);
  f.by_task.workspaces = (uint8_t *) s->workspaces.data;
  f.flag = (uint32_t *) s->results.data;
  *f.flag = 0;
  f.by_task.results = results_of (s);
  f.by_task.polygons = (CtrPoint *) s->polygons.data;
  snake_launch_table (f, count, most_blocks, wide, s->session.overlap, s->session.stream);
  if (!launch_tasks (s, f, wide, error))
    return false;
  CTR_CUDA (cudaGetLastError ());
  return cuda_session_mark (&s->session, error);
}

bool
snakes_enqueue (void *state, const CtrImage *image, const CtrSnakePlan *plan, void *stream, CtrError *error)
{
  Snakes *s = (Snakes *) state;
  if (!cuda_session_begin (&s->session, stream, error))
    return false;
  s->image = *image;
  s->plan = plan;
  if (plan->task_count == 0)
    return true;
  bool fresh;
  if ((!ctr_room_period_ends (&s->period) || give_back (s, error))
      && input_stage_reserve (&s->input, image, INPUT_NEEDS_SAMPLES, s->session.stream, &fresh, error)
      && cuda_session_start_clock (&s->session, error)
      && input_stage_upload (&s->input, image, INPUT_NEEDS_SAMPLES, s->session.stream, error) && queue_frame (s, error)
      && input_stage_release_image (&s->input, error))
    return true;
  cuda_session_end (&s->session, false);
  return false;
}

/* NEED and a quarter more where it exceeds HAVE. */
uint64_t
grown_to (uint64_t have, uint64_t need)
{
  return need > have ? need + need / 4 : have;
}

/* Gives histories that had no room what they need. False: there were none. */
bool
grow_histories (Snakes *s)
{
  const SnakeResult *results = results_of (s);
  bool grown = false;
  for (uint32_t i = 0; s->plan->history && i < s->plan->task_count; i++) {
    History *history = &s->histories[i];
    const uint64_t moments = results[i].outcome.moment_count, points = results[i].history_points;
    grown = grown || moments > history->moments || points > history->points;
    *history = {grown_to (history->moments, moments), grown_to (history->points, points)};
  }
  return grown;
}

/* Moves the outcomes together, behind the flag. False, with *GROWN: a polygon or a history had no room,
 * and got more. */
bool
take_outcomes (Snakes *s, bool *grown)
{
  const SnakeResult *results = results_of (s);
  CtrSnakeOutcome *outcomes = (CtrSnakeOutcome *) results_of (s);
  uint32_t needed = 0;
  for (uint32_t i = 0; i < s->plan->task_count; i++)
    needed = results[i].needed_capacity > needed ? results[i].needed_capacity : needed;
  *grown = grow_histories (s) || needed > 0;
  while (s->capacity < needed)
    s->capacity *= 2;
  if (*grown)
    return false;
  History all = {0, 0};
  for (uint32_t i = 0; i < s->plan->task_count; i++) {
    const SnakeResult result = results[i]; /* read first: it may overlap outcomes[i] */
    all = {all.moments + max (result.outcome.moment_count, LEAST_HISTORY.moments),
        all.points + max (result.history_points, LEAST_HISTORY.points)};
    s->used_capacity = max (s->used_capacity, result.used_capacity);
    outcomes[i] = result.outcome;
  }
  s->used_history = {max (s->used_history.moments, all.moments), max (s->used_history.points, all.points)};
  return true;
}

constexpr const char *WORK = "evolving region snakes";

CtrContours *
take_result (Snakes *s, CtrError *error)
{
  for (bool grown = true; grown && s->plan->task_count > 0;) {
    if (!cuda_session_wait_for_flag (&s->session, (const uint32_t *) s->results.data, WORK, error))
      return NULL;
    if (!take_outcomes (s, &grown)
        && (!ctr_go_on (error) || !cuda_session_wait_for_mark (&s->session, WORK, error) || !queue_frame (s, error)))
      return NULL;
  }
  const CtrSnakeFindings findings = {(const CtrSnakeOutcome *) results_of (s), (const CtrPoint *) s->polygons.data,
      (const CtrSnakeMoment *) s->moments.data, (const CtrPoint *) s->history.data};
  return ctr_snake_contours (s->plan, &findings, error);
}

CtrContours *
snakes_finish (void *state, CtrError *error)
{
  Snakes *s = (Snakes *) state;
  CtrContours *result = take_result (s, error);
  /* The GPU may have no room for the points of this frame, but for those of the next one. */
  if (!result)
    s->capacity = SNAKE_MIN_CAPACITY;
  cuda_session_end (&s->session, result);
  return result;
}

} // namespace

extern "C" const CtrSnakeOps ctr_snake_ops_cuda = {{snakes_create, snakes_destroy}, snakes_enqueue, snakes_finish};
