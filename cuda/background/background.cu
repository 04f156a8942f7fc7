/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of a background on the GPU, host side: memory of the model, and the order of the kernels. */
#include "cuda/background/planes.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include "core/common/format.h"

#include <stdlib.h>
#include <string.h>

namespace
{

struct Background {
  InputStage input;
  CtrDeviceBuffer average, plane, history; /* the model, see BackgroundPass */
  CtrDeviceBuffer sum;
  CtrDeviceBuffer output; /* a host picture on the device, */
  CtrDeviceBuffer host;   /* and pinned */
  CudaSession session;
  CtrRoomPeriod period;
  bool summed; /* SUM is that of the model. */

  bool to_host; /* a host picture is queued: */
  CtrCorrectedPicture corrected;
  size_t row_size;
  uint32_t height;
};

CtrDeviceBuffer *
each_buffer (Background *background, int i)
{
  CtrDeviceBuffer *const buffers[] = {&background->average, &background->plane, &background->history, &background->sum,
      &background->output, &background->host};
  return i < (int) (sizeof buffers / sizeof *buffers) ? buffers[i] : NULL;
}

void *
background_create (CtrError *error)
{
  Background *background = (Background *) calloc (1, sizeof (Background));
  if (!background) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a background remover");
    return NULL;
  }
  input_stage_init (&background->input);
  background->host.pinned = true;
  if (cuda_session_open (&background->session, "preparing a background remover", error))
    return background;
  cuda_session_close (&background->session);
  free (background);
  return NULL;
}

void
background_destroy (void *state)
{
  Background *background = (Background *) state;
  cuda_session_close (&background->session);
  input_stage_free (&background->input);
  for (int i = 0; each_buffer (background, i); i++)
    ctr_device_buffer_free (each_buffer (background, i));
  free (background);
}

/* Waits for the queued image and fills a host picture. */
bool
background_finish (void *state, CtrError *error)
{
  Background *background = (Background *) state;
  const bool pending = background->session.stream != NULL, to_host = background->to_host;
  const CtrCorrectedPicture *corrected = &background->corrected;
  background->session.stream = NULL;
  background->to_host = false;
  if (pending)
    CTR_CUDA (cuda_wait_for_event (background->session.done, &background->session.wait));
  cuda_timing_end (&background->session.timing, true);
  for (uint32_t y = 0; to_host && y < background->height; y++)
    memcpy ((uint8_t *) corrected->data + y * corrected->stride,
        (const uint8_t *) background->host.data + y * ctr_aligned_row (background->row_size), background->row_size);
  return true;
}

bool
is_grey (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY8 || format == CTR_FORMAT_GRAY16;
}

uint32_t
sample_size (const CtrBackgroundPlan *plan)
{
  return plan->greatest == 255 ? 1 : 2;
}

uint32_t
vectors_of (uint32_t width, const CtrBackgroundPlan *plan)
{
  return ctr_div_up (width * sample_size (plan), BACKGROUND_VECTOR);
}

/* Memory for the image, and for a model that begins. Waits for queued work before any memory moves. */
bool
reserve (Background *background, const CtrImage *image, const CtrBackgroundPlan *plan, bool to_host, CtrError *error)
{
  const size_t plane = (size_t) vectors_of (image->width, plan) * BACKGROUND_VECTOR * image->height;
  const size_t output =
      to_host ? ctr_aligned_row (ctr_format_row_size (image->format, image->width)) * image->height : 0;
  const bool averages = plan->model == CTR_BACKGROUND_AVERAGE;
  const struct {
    CtrDeviceBuffer *buffer;
    size_t size;
  } needs[] = {
      {&background->average, averages ? plane / sample_size (plan) * sizeof (float) : 0},
      {&background->plane, averages ? 0 : plane},
      {&background->history, plan->model == CTR_BACKGROUND_MEDIAN ? plane * plan->frames : 0},
      {&background->sum, plan->mode == CTR_BACKGROUND_DIVIDE ? sizeof (unsigned long long) : 0},
      {&background->output, output},
      {&background->host, output},
  };
  bool fits = input_stage_has_room (&background->input, image, INPUT_NEEDS_SAMPLES);
  for (const auto &need : needs)
    fits = fits && need.size <= need.buffer->size;
  bool fresh;
  if (!fits || plan->start)
    CTR_CUDA (cudaStreamSynchronize (background->session.stream));
  /* What another model has left is given back first. */
  for (int i = 0; plan->start && i < 3; i++)
    if (needs[i].size == 0)
      ctr_device_buffer_free (needs[i].buffer);
  if (!input_stage_reserve (&background->input, image, INPUT_NEEDS_SAMPLES, background->session.stream, &fresh, error))
    return false;
  for (const auto &need : needs)
    if (!ctr_device_buffer_reserve (need.buffer, need.size, error))
      return false;
  return true;
}

/* Moves the SIZE bytes of a model that goes on to memory of their own size, if there is some. */
bool
move_model (CtrDeviceBuffer *buffer, size_t size, cudaStream_t stream, CtrError *error)
{
  CtrDeviceBuffer smaller = {};
  if (!ctr_device_buffer_reserve (&smaller, size, NULL)) {
    cudaGetLastError ();
    return true;
  }
  CTR_CUDA (cudaMemcpyAsync (smaller.data, buffer->data, size, cudaMemcpyDeviceToDevice, stream));
  CTR_CUDA (cudaStreamSynchronize (stream));
  ctr_device_buffer_free (buffer);
  *buffer = smaller;
  return true;
}

/* At the end of a period: gives back what its images have not needed. */
bool
give_back (Background *background, CtrError *error)
{
  CtrDeviceBuffer *const buffers[] = {&background->output, &background->host};
  const cudaStream_t stream = background->session.stream;
  bool some = false;
  if (!input_stage_give_back (&background->input, stream, &some, error)
      || !ctr_device_buffers_give_back (buffers, sizeof buffers / sizeof *buffers, stream, &some, error))
    return false;
  for (CtrDeviceBuffer *buffer : {&background->average, &background->plane, &background->history}) {
    const size_t used = buffer->used;
    const bool excess = used > 0 && ctr_room_is_excess (buffer->size, used);
    buffer->used = 0;
    if (excess && !move_model (buffer, used, stream, error))
      return false;
    some |= excess;
  }
  if (some)
    ctr_room_period_double (&background->period);
  return true;
}

/* The caller's picture becomes the model. It is complete on the device when this returns. */
bool
take_picture (Background *background, const CtrImage *image, const CtrBackgroundPlan *plan, CtrError *error)
{
  const size_t row = image->width * sample_size (plan);
  cudaStream_t stream = background->session.stream;
  CTR_CUDA (cudaMemcpy2DAsync (background->plane.data, vectors_of (image->width, plan) * BACKGROUND_VECTOR,
      plan->picture, row, row, image->height, cudaMemcpyHostToDevice, stream));
  CTR_CUDA (cudaStreamSynchronize (stream));
  return true;
}

bool
is_aligned (const void *data, size_t stride)
{
  return ((uintptr_t) data | stride) % BACKGROUND_VECTOR == 0;
}

BackgroundPass
describe_pass (Background *background, const CtrImage *samples, const CtrBackgroundPlan *plan)
{
  BackgroundPass p = {};
  p.samples = (const uint8_t *) samples->data;
  p.stride = samples->stride;
  p.width = samples->width;
  p.height = samples->height;
  p.row_size = samples->width * sample_size (plan);
  p.vectors = vectors_of (samples->width, plan);
  p.aligned = is_aligned (samples->data, samples->stride);
  p.average = (float *) background->average.data;
  p.plane = (uint8_t *) background->plane.data;
  p.history = (uint8_t *) background->history.data;
  p.mode = plan->mode;
  p.model = plan->model;
  p.start = plan->start;
  p.learn = plan->learn;
  p.correct = true;
  p.rate = plan->rate;
  p.keep = plan->keep;
  p.slot = plan->slot;
  p.count = plan->count;
  p.frames = plan->frames;
  p.zeros = plan->learn && plan->model == CTR_BACKGROUND_MEDIAN ? ctr_background_zeros (plan->frames, plan->count) : 0;
  p.offset = plan->offset;
  p.limit = plan->limit;
  p.sum = (unsigned long long *) background->sum.data;
  return p;
}

/* Queues the pass that learns and adds up, where a pass that divides needs the mean of a new background. */
bool
queue_sum (Background *background, BackgroundPass *p, const CtrBackgroundPlan *plan, CtrError *error)
{
  cudaStream_t stream = background->session.stream;
  background->summed = background->summed && !plan->learn;
  if (plan->mode != CTR_BACKGROUND_DIVIDE || background->summed)
    return true;
  CTR_CUDA (cudaMemsetAsync (p->sum, 0, sizeof *p->sum, stream));
  p->correct = false;
  background_launch_pass (*p, plan->greatest > 255, stream);
  CTR_CUDA (cudaGetLastError ());
  p->correct = true;
  p->start = p->learn = false;
  background->summed = true;
  return true;
}

/* Queues the corrected picture of IMAGE with packed pixels, which is on the device, at TO. */
void
queue_spread (const CtrImage *image, const BackgroundPass &p, uint8_t *to, size_t stride, cudaStream_t stream)
{
  BackgroundSpread s = {};
  s.luma = p.corrected;
  s.luma_stride = p.corrected_stride;
  s.source = (const uint8_t *) image->data;
  s.source_stride = image->stride;
  s.pixels = to;
  s.stride = stride;
  s.width = (uint32_t) (ctr_format_row_size (image->format, image->width) / ctr_format_pixel_size (image->format));
  s.luma_width = image->width;
  s.height = image->height;
  s.pixel = (uint32_t) ctr_format_pixel_size (image->format);
  const bool yuv = ctr_format_is_packed_yuv (image->format);
  s.first =
      yuv ? ctr_yuv_order (image->format).luma : image->format == CTR_FORMAT_XRGB || image->format == CTR_FORMAT_XBGR;
  s.colours = yuv ? 1 : 3;
  background_launch_spread (s, stream);
}

bool
queue_kept (const CtrCorrectedPicture *corrected, cudaStream_t stream, CtrError *error)
{
  for (uint32_t i = 0; i < corrected->kept_count; i++) {
    const CtrKeptPlane *plane = &corrected->kept[i];
    if (plane->data != plane->source)
      CTR_CUDA (cudaMemcpy2DAsync (plane->data, plane->stride, plane->source, plane->source_stride, plane->row_size,
          plane->rows, cudaMemcpyDeviceToDevice, stream));
  }
  return true;
}

/* Queues the way of the picture, which is at FROM, to the host. */
bool
queue_to_host (Background *background, const CtrImage *image, const CtrCorrectedPicture *corrected, CtrError *error)
{
  background->row_size = ctr_format_row_size (image->format, image->width);
  background->height = image->height;
  background->corrected = *corrected;
  CTR_CUDA (cudaMemcpyAsync (background->host.data, background->output.data,
      ctr_aligned_row (background->row_size) * image->height, cudaMemcpyDeviceToHost, background->session.stream));
  background->to_host = true;
  ctr_background_copy_kept (corrected);
  return true;
}

bool
queue_frame (Background *background, const CtrImage *image, const CtrBackgroundPlan *plan,
    const CtrCorrectedPicture *corrected, CtrError *error)
{
  const bool to_host = corrected->memory == CTR_MEMORY_HOST, grey = is_grey (image->format);
  cudaStream_t stream = background->session.stream;
  CtrImage samples;
  if (!reserve (background, image, plan, to_host, error) || !cuda_session_start_clock (&background->session, error)
      || (plan->start && plan->model == CTR_BACKGROUND_GIVEN && !take_picture (background, image, plan, error))
      || !input_stage_upload (&background->input, image, INPUT_NEEDS_SAMPLES, stream, error))
    return false;
  const CtrImage view = input_stage_view (&background->input, image);
  if (!input_stage_plane (&background->input, image, &samples, stream, error))
    return false;

  uint8_t *to = (uint8_t *) (to_host ? background->output.data : corrected->data);
  const size_t stride =
      to_host ? ctr_aligned_row (ctr_format_row_size (image->format, image->width)) : corrected->stride;
  BackgroundPass p = describe_pass (background, &samples, plan);
  /* The luma of packed pixels is the input stage's, and is corrected where it is. */
  p.corrected = grey ? to : (uint8_t *) samples.data;
  p.corrected_stride = grey ? stride : samples.stride;
  p.corrected_aligned = is_aligned (p.corrected, p.corrected_stride);
  if (!queue_sum (background, &p, plan, error))
    return false;
  background_launch_pass (p, plan->greatest > 255, stream);
  CTR_CUDA (cudaGetLastError ());
  if (!grey)
    queue_spread (&view, p, to, stride, stream);
  CTR_CUDA (cudaGetLastError ());
  return to_host ? queue_to_host (background, image, corrected, error) : queue_kept (corrected, stream, error);
}

bool
background_enqueue (void *state, const CtrImage *image, const CtrBackgroundPlan *plan,
    const CtrCorrectedPicture *corrected, void *stream, CtrError *error)
{
  Background *background = (Background *) state;
  /* A queued host picture is needed before the next image overwrites it. */
  if ((background->to_host && !background_finish (background, error))
      || !cuda_session_begin_in_order (&background->session, stream, error))
    return false;
  if ((!ctr_room_period_ends (&background->period) || give_back (background, error))
      && queue_frame (background, image, plan, corrected, error) && cuda_session_mark (&background->session, error)
      && input_stage_release_image (&background->input, error))
    return true;
  cuda_session_end (&background->session, false);
  background->to_host = false;
  background->summed = false;
  return false;
}

} // namespace

extern "C" const CtrBackgroundOps ctr_background_ops_cuda = {
    {background_create, background_destroy}, background_enqueue, background_finish};
