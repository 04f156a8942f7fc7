/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Contract *const contracts[] = {&background_contract, &borders_contract, &canny_contract, &cca_contract,
    &cracks_contract, &edge_chains_contract, &mask_contract, &paint_contract, &snake_contract};

static const Contract *table;
static Setup setup;
static void *object; /* one for all requests */

const Contract *
contract_open (const char *algorithm, const Setup *backend)
{
  setup = *backend;
  for (size_t i = 0; i < LENGTH (contracts); i++)
    if (algorithm && strcmp (contracts[i]->name, algorithm) == 0)
      table = contracts[i];
  if (!table) {
    fprintf (stderr, "the first argument must be borders, canny, cca, cracks, edge-chains, mask, paint or snake\n");
    exit (2);
  }
  table->open (&setup);
  CtrError error;
  object = table->create (setup.backend, &error);
  if (!object)
    fail (__FILE__, __LINE__, error.message);
  return table;
}

void
contract_close (void)
{
  table->destroy (object);
  table->close ();
}

const Contract *
contract_table (void)
{
  return table;
}

const Setup *
contract_setup (void)
{
  return &setup;
}

void
contract_check_works (void *with, const Request *request)
{
  CtrError error;
  if (table->clear)
    table->clear ();
  void *result = table->run (with, request, setup.stream, &error);
  if (!result)
    fail (__FILE__, __LINE__, error.message);
  table->check_result (request, result);
  table->drop (result);
}

void
contract_refuse (const Request *request, CtrStatus status, const char *mentions)
{
  const Request good = table->good_request ();
  CtrError error = {.status = CTR_OK};
  describe ("%s: a request that must be refused with \"%s\"", table->name, mentions);
  if (table->clear)
    table->clear ();
  /* Of the refused call, an older result must not pass for the result. */
  CHECK (table->enqueue (object, &good, setup.stream, NULL));
  CHECK (!table->enqueue (object, request, setup.stream, &error));
  CHECK (error.status == status);
  if (!strstr (error.message, mentions))
    fail (__FILE__, __LINE__, error.message);
  CHECK (!table->finish (object, &error));
  CHECK (!table->has_device_result || !table->has_device_result (object, NULL));
  CHECK (!table->run (object, request, setup.stream, NULL));
  if (table->clear)
    table->check_result (&good, object); /* and nothing else is drawn */
  contract_check_works (object, &good);
}

void
contract_refuse_params (const void *params, const char *mentions)
{
  Request request = table->good_request ();
  request.params = params;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

void
contract_refuse_doubles (size_t offset, const double *values, size_t count, const char *mentions)
{
  uint8_t *params = malloc (table->params_size);
  for (size_t i = 0; i < count; i++) {
    memcpy (params, table->good_request ().params, table->params_size);
    memcpy (params + offset, &values[i], sizeof values[i]);
    contract_refuse_params (params, mentions);
  }
  free (params);
}

ContractFrames
contract_frames_new (Random *random)
{
  ContractFrames frames;
  frames.colours =
      picture_random (random, CONTRACT_FRAME_WIDTH, CONTRACT_FRAME_HEIGHT, (Layout){.format = CTR_FORMAT_BGRX});
  frames.camera =
      picture_random (random, CONTRACT_FRAME_WIDTH, CONTRACT_FRAME_HEIGHT, (Layout){.format = CTR_FORMAT_GRAY16});
  frames.narrow = frames.colours.view;
  frames.narrow_camera = frames.camera.view;
  frames.narrow.width = frames.narrow_camera.width = 20;
  frames.narrow.height = frames.narrow_camera.height = 15;
  return frames;
}

void
contract_frames_free (ContractFrames *frames)
{
  picture_free (&frames->colours);
  picture_free (&frames->camera);
}
