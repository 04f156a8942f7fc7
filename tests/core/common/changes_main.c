/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* changes ALGORITHM BACKEND
 *
 * Analyses frames as a pipeline does: other pictures with the same parameters again and again, so that the CUDA backend
 * queues them as graphs; then one thing changes, the parameters, the size, the format, the memory or the stream, and
 * changes back. Each result must be the definition's. */
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"

#include <stdlib.h>

enum { PICTURES = 3 };

static const Contract *contract;
static void *object;
static Random rng = {17};
static int frames_a_step;

/* What changes. */
typedef struct {
  const void *params;
  uint32_t width, height;
  CtrFormat format;
  CtrMemory memory;
  void *stream;
} Step;

typedef struct {
  Picture picture;
  void *memory; /* a copy on the device; NULL: none */
} Frame;

static Frame
frame_new (const Step *step)
{
  uint8_t *grey = grey_new (&rng, step->width, step->height);
  Frame frame = {.picture = picture_of_grey (&rng, grey, step->width, step->height, (Layout){.format = step->format})};
  free (grey);
  if (step->memory == CTR_MEMORY_DEVICE) {
    frame.memory = gpu_alloc (frame.picture.bytes);
    gpu_upload (frame.memory, frame.picture.memory, frame.picture.bytes);
  }
  return frame;
}

static void
frame_free (Frame *frame)
{
  if (frame->memory)
    gpu_free (frame->memory);
  picture_free (&frame->picture);
}

/* The picture of FRAME where the analyser takes it. */
static CtrImage
image_of (const Frame *frame)
{
  CtrImage image = frame->picture.view;
  if (frame->memory) {
    image.data = frame->memory;
    image.memory = CTR_MEMORY_DEVICE;
  }
  return image;
}

static void
check_frame (const Step *step, const Frame *frame)
{
  CtrError error;
  const CtrImage image = image_of (frame);
  void *result = contract->run (object, &(Request){.image = &image, .params = step->params}, step->stream, &error);
  if (!result)
    fail (__FILE__, __LINE__, error.message);
  contract->check_result (&(Request){.image = &frame->picture.view, .params = step->params}, result);
  contract->drop (result);
}

static void
check_step (const char *change, const Step *step)
{
  Frame frames[PICTURES];
  for (int i = 0; i < PICTURES; i++)
    frames[i] = frame_new (step);
  for (int i = 0; i < frames_a_step; i++) {
    describe (
        "%s: %s, frame %d of %u x %u, format %d", contract->name, change, i, step->width, step->height, step->format);
    check_frame (step, &frames[i < 2 ? 0 : i % PICTURES]);
  }
  for (int i = 0; i < PICTURES; i++)
    frame_free (&frames[i]);
}

/* A frame that is queued and not finished, and another one behind it, in the same stream or in another. The host sees the GPU done
 * with the first one before it takes the second one's result, or, if LATE, after that and before it reads the arrays. */
static void
check_replaced (const Step *first, const Step *second, bool late)
{
  Frame replaced = frame_new (first), frame = frame_new (second);
  const CtrImage image = image_of (&replaced), next = image_of (&frame);
  CtrEvent *done = ctr_event_new (NULL);
  describe ("%s: a frame is replaced by another one in %s stream, and done %s", contract->name,
      first->stream == second->stream ? "the same" : "another", late ? "late" : "early");
  CHECK (done);
  CHECK (contract->enqueue (object, &(Request){.image = &image, .params = first->params}, first->stream, NULL));
  CHECK (ctr_event_record (done, first->stream, NULL));
  CHECK (contract->enqueue (object, &(Request){.image = &next, .params = second->params}, second->stream, NULL));
  CHECK (late || ctr_event_wait (done, NULL));
  void *result = contract->finish (object, NULL);
  CHECK (result);
  CHECK (!late || ctr_event_wait (done, NULL));
  contract->check_result (&(Request){.image = &frame.picture.view, .params = second->params}, result);
  contract->drop (result);
  ctr_event_free (done);
  frame_free (&replaced);
  frame_free (&frame);
}

int
main (int argc, char **argv)
{
  static const uint32_t sizes[][2] = {{33, 27}, {100, 5}, {70, 66}, {140, 130}};
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_UYVY, CTR_FORMAT_XBGR};
  const Setup setup = setup_open (argc > 2 ? argv[2] : NULL, false);
  contract = contract_open (argv[1], &setup);
  object = contract->create (setup.backend, NULL);
  CHECK (object && contract->variants);
  frames_a_step = setup.quick ? 4 : 7;
  uint32_t count;
  const uint8_t *variants = contract->variants (&count);
  const Step base = {
      variants, setup.quick ? 40 : 90, setup.quick ? 30 : 60, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, setup.stream};
  check_step ("the first frames", &base);
  for (uint32_t i = 1; i < count; i++) {
    Step step = base;
    step.params = variants + i * contract->params_size;
    check_step ("other parameters", &step);
    check_step ("the first parameters", &base);
  }
  for (size_t i = 0; i < LENGTH (sizes) - setup.quick; i++) {
    Step step = base;
    step.width = sizes[i][0];
    step.height = sizes[i][1];
    check_step ("another size", &step);
  }
  for (size_t i = 0; i < LENGTH (formats); i++) {
    Step step = base;
    step.format = formats[i];
    check_step ("another format", &step);
  }
  if (setup.backend == CTR_BACKEND_CUDA) {
    Step step = base;
    step.memory = CTR_MEMORY_DEVICE;
    check_step ("device memory", &step);
    step.stream = NULL;
    check_step ("no stream", &step);
    step.stream = gpu_stream_new_following ();
    check_step ("another stream", &step);
    /* Each frame in another stream than the one before, and with other parameters. */
    Frame frame = frame_new (&step);
    for (uint32_t i = 0; i < 4 * count; i++) {
      describe ("%s: another stream and other parameters with every frame, %u", contract->name, i);
      step.params = variants + i / 2 % count * contract->params_size;
      step.stream = i % 3 ? setup.stream : NULL;
      check_frame (&step, &frame);
    }
    frame_free (&frame);
    for (uint32_t i = 0; i < 4 * count; i++) {
      Step first = base;
      first.params = variants + i / 4 * contract->params_size;
      first.width = i & 4 ? 70 : 40;
      first.memory = i & 8 ? CTR_MEMORY_HOST : CTR_MEMORY_DEVICE;
      step = first;
      step.width = 55;
      step.stream = i & 1 ? setup.stream : NULL;
      check_replaced (&first, &step, i & 2);
    }
  }
  check_step ("the first frames again", &base);
  contract->destroy (object);
  contract_close ();
  return 0;
}
