/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pending ALGORITHM BACKEND
 *
 * Results that are handed out before they are complete: read late, early, by several threads at once, never, after
 * their picture has changed, by the host or in a stream that waits for the analysis, and after their analyser is gone. Each must equal
 * the definition. The pictures vary in size
 * and content, so that many frames outgrow the memory of the frames before and are done again. */
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { READERS = 3, KEPT = 4, MOST_SIDE = 150 };

static const Contract *contract;
static Setup setup;
static void *memory; /* of the pictures on the GPU; NULL on the CPU */

/* A picture, and the result of its analysis. */
typedef struct {
  Picture picture;
  void *result;
} Frame;

static CtrImage
on_device (const CtrImage *image)
{
  CtrImage view = *image;
  if (memory) {
    gpu_upload (memory, image->data, image->stride * image->height);
    view.data = memory;
    view.memory = CTR_MEMORY_DEVICE;
  }
  return view;
}

/* Makes PICTURE one of single pixels: as many components as there can be. Those of the last rows are larger, for limits that leave
 * only them. */
static void
fill_with_dots (const Picture *picture)
{
  uint8_t *pixels = (uint8_t *) picture->view.data;
  for (uint32_t y = 0; y < picture->view.height; y++)
    for (uint32_t x = 0; x < picture->view.width; x++)
      pixels[y * picture->view.stride + x] =
          (y + 2 < picture->view.height ? x % 2 == 0 && y % 2 == 0 : x % 4 > 0) ? 255 : 0;
}

/* Analyses a picture, and changes it at once. SIDE: the largest width and height, which every seventh picture has. */
static Frame
submit (void *object, Random *rng, uint32_t side, const void *params)
{
  Frame frame;
  CtrError error;
  const bool dots = random_next (rng) % 7 == 0;
  const uint32_t width = dots ? side : 1 + random_next (rng) % side;
  const uint32_t height = dots ? side : 1 + random_next (rng) % side;
  frame.picture = picture_random (rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8});
  if (dots)
    fill_with_dots (&frame.picture);
  const CtrImage image = on_device (&frame.picture.view);
  const Request request = {.image = &image, .params = params};
  frame.result = contract->submit (object, &request, setup.stream, &error);
  if (!frame.result)
    fail (__FILE__, __LINE__, error.message);
  if (memory) { /* The stream follows the default one, and that waits for it. */
    uint8_t *other = calloc (MOST_SIDE * 2, MOST_SIDE);
    gpu_upload (memory, other, image.stride * image.height);
    free (other);
  }
  return frame;
}

static void
check (const Frame *frame, const void *params)
{
  CtrError error;
  const Request request = {.image = &frame->picture.view, .params = params};
  if (!contract->wait (frame->result, &error))
    fail (__FILE__, __LINE__, error.message);
  CHECK (contract->is_complete (frame->result));
  contract->check_result (&request, frame->result);
}

static void
drop (Frame *frame)
{
  contract->drop (frame->result);
  picture_free (&frame->picture);
}

static void *
read_result (void *result)
{
  CHECK (contract->wait (result, NULL)); /* without a current context */
  return NULL;
}

/* Every result is read: at once, or KEPT frames later, or by several threads while the next frame is analysed. */
static void
test_readers (const void *params)
{
  Random rng = {31};
  Frame kept[KEPT] = {{.result = NULL}};
  const bool few = setup.quick || setup.backend == CTR_BACKEND_CPU; /* whose results are complete from the start */
  void *object = contract->create (setup.backend, NULL);
  for (int i = 0; i < (few ? 16 : 80); i++) {
    pthread_t readers[READERS];
    describe ("%s: frame %d", contract->name, i);
    Frame *frame = &kept[i % KEPT];
    if (frame->result) {
      check (frame, params);
      drop (frame);
    }
    *frame = submit (object, &rng, setup.quick ? 70 : MOST_SIDE, params);
    for (int k = 0; i % 3 == 0 && k < READERS; k++)
      CHECK (pthread_create (&readers[k], NULL, read_result, frame->result) == 0);
    if (i % 5 == 0)
      check (frame, params);
    for (int k = 0; i % 3 == 0 && k < READERS; k++)
      pthread_join (readers[k], NULL);
  }
  describe ("%s: results whose analyser is gone", contract->name);
  contract->destroy (object);
  for (int i = 0; i < KEPT; i++) {
    check (&kept[i], params);
    drop (&kept[i]);
  }
}

/* The calls that do not read the pending result. */
static void
test_calls (const void *params)
{
  Random rng = {32};
  CtrError error = {.status = CTR_OK};
  void *object = contract->create (setup.backend, NULL);
  describe ("%s: a result that nobody reads", contract->name);
  for (int i = 0; i < 3; i++) {
    Frame frame = submit (object, &rng, 60, params);
    drop (&frame);
  }

  describe ("%s: finish after submit", contract->name);
  Frame frame = submit (object, &rng, 60, params);
  CHECK (!contract->finish (object, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, contract->enqueue_name));
  CHECK (contract->is_complete (frame.result));
  check (&frame, params);
  drop (&frame);

  describe ("%s: a refused image after submit", contract->name);
  frame = submit (object, &rng, 60, params);
  CtrImage empty = frame.picture.view;
  empty.width = 0;
  const Request refused = {.image = &empty, .params = params};
  CHECK (!contract->submit (object, &refused, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  check (&frame, params);
  drop (&frame);

  describe ("%s: enqueue and finish after submit", contract->name);
  frame = submit (object, &rng, 60, params);
  const Request good = contract->good_request ();
  contract_check_works (object, &good);
  check (&frame, params);
  drop (&frame);

  if (setup.backend == CTR_BACKEND_CPU) {
    describe ("%s: the CPU backend", contract->name);
    frame = submit (object, &rng, 60, params);
    CHECK (contract->is_complete (frame.result));
    drop (&frame);
  }
  contract->destroy (object);
}

/* A stream waits for the analysis in another one, before the picture changes. */
static void
test_lead (const void *params)
{
  static const uint8_t black[MOST_SIDE * MOST_SIDE];
  Random rng = {33};
  void *object = contract->create (setup.backend, NULL), *stream = gpu_stream_new (), *writer = gpu_stream_new ();
  CtrEvent *reached = ctr_event_new (NULL);
  CHECK (object && reached);
  for (int i = 0; i < 4; i++) {
    const uint32_t width = 1 + random_next (&rng) % 60, height = 1 + random_next (&rng) % 60;
    Frame frame = {.picture = picture_random (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8})};
    describe ("%s: a picture that changes behind its analysis, %d", contract->name, i);
    const CtrImage image = on_device (&frame.picture.view);
    frame.result = contract->submit (object, &(Request){.image = &image, .params = params}, stream, NULL);
    CHECK (frame.result && contract->lead (frame.result, writer, NULL));
    CHECK (ctr_event_record (reached, writer, NULL) && ctr_event_wait (reached, NULL));
    gpu_upload (memory, black, image.stride * image.height);
    check (&frame, params);
    drop (&frame);
  }
  ctr_event_free (reached);
  contract->destroy (object);
}

int
main (int argc, char **argv)
{
  uint32_t count = 0;
  setup = setup_open (argc > 2 ? argv[2] : NULL, false);
  if (setup.backend == CTR_BACKEND_CUDA) {
    setup.stream = gpu_stream_new_following ();
    memory = gpu_alloc (MOST_SIDE * 2 * MOST_SIDE);
  }
  contract = contract_open (argv[1], &setup);
  const uint8_t *variants = contract->variants (&count);
  for (uint32_t i = 0; i < count; i++) {
    describe ("%s: parameters %u", contract->name, i);
    test_readers (variants + i * contract->params_size);
    if (setup.quick && i == 2)
      break;
  }
  test_calls (contract->good_request ().params);
  if (memory)
    test_lead (contract->good_request ().params);
  contract_close ();
  if (memory)
    gpu_free (memory);
  return 0;
}
