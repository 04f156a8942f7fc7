/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contract ALGORITHM BACKEND
 *
 * Takes every error path of an algorithm's API. Each must give the right status and a message that says what is wrong,
 * leave nothing pending, and leave an object that works as before. */
#include "tests/core/common/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Contract *contract;

static void
refuse_image (CtrImage image, CtrStatus status, const char *mentions)
{
  Request request = contract->good_request ();
  request.image = &image;
  contract_refuse (&request, status, mentions);
}

static void
refuse_size (uint32_t width, uint32_t height, CtrStatus status)
{
  char size[32];
  CtrImage image = *contract->good_request ().image;
  image.width = width;
  image.height = height;
  image.stride = width > image.stride ? width : image.stride;
  snprintf (size, sizeof size, "%u x %u", width, height);
  refuse_image (image, status, size);
}

static void
test_images (void)
{
  const CtrStatus invalid = CTR_ERROR_INVALID_ARGUMENT, too_large = CTR_ERROR_TOO_LARGE;
  const CtrImage good = *contract->good_request ().image;
  CtrImage image = good;
  image.data = NULL;
  refuse_image (image, invalid, "NULL");
  refuse_size (0, good.height, invalid);
  refuse_size (good.width, 0, invalid);
  refuse_size (65536, good.height, too_large);
  refuse_size (good.width, 65536, too_large);
  refuse_size (good.width, UINT32_MAX, too_large);
  for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_VYUY; format++) {
    image = good;
    image.format = format;
    image.stride = ctr_format_row_size (format, good.width) - 1;
    refuse_image (image, invalid, "stride");
  }
  image = good;
  image.format = (CtrFormat) 99;
  refuse_image (image, invalid, "format 99");
  image.format = (CtrFormat) -1;
  refuse_image (image, invalid, "format -1");
  image = good;
  image.format = CTR_FORMAT_GRAY16;
  image.data = (const uint8_t *) good.data + 1;
  refuse_image (image, invalid, "aligned");
  image.data = good.data;
  image.stride = good.stride + 1;
  refuse_image (image, invalid, "aligned");
  image = good;
  image.memory = (CtrMemory) 7;
  refuse_image (image, invalid, "memory 7");
  if (contract_setup ()->backend == CTR_BACKEND_CPU) {
    image = good;
    image.memory = CTR_MEMORY_DEVICE;
    refuse_image (image, invalid, "host memory");
  }
  Request request = contract->good_request ();
  request.image = NULL;
  contract_refuse (&request, invalid, "NULL");
}

static void
test_params (void)
{
  contract_refuse_params (NULL, contract->init_name);
  if (!contract->unknown_feature)
    return;
  uint8_t *params = malloc (contract->params_size);
  memcpy (params, contract->good_request ().params, contract->params_size);
  const uint32_t unknown[] = {contract->unknown_feature, UINT32_C (1) << 31};
  for (size_t i = 0; i < LENGTH (unknown); i++) {
    char mentions[16];
    const uint32_t features = unknown[i];
    memcpy (params + contract->features_offset, &features, sizeof features);
    snprintf (mentions, sizeof mentions, "0x%x", features);
    contract_refuse_params (params, mentions);
  }
  free (params);
}

static void
test_calls (void)
{
  const Setup *setup = contract_setup ();
  const Request good = contract->good_request ();
  CtrError error = {.status = CTR_OK};
  describe ("%s: an unknown backend", contract->name);
  CHECK (!contract->create ((CtrBackend) 7, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "backend 7"));
  CHECK (!contract->create ((CtrBackend) -1, NULL));

  void *fresh = contract->create (setup->backend, &error);
  describe ("%s: finish without enqueue", contract->name);
  CHECK (fresh && !contract->finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, contract->enqueue_name));
  CHECK (!contract->finish (fresh, NULL));
  if (contract->has_device_result) {
    describe ("%s: the device result of an object that has none", contract->name);
    error.status = CTR_OK;
    CHECK (!contract->has_device_result (fresh, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  }

  describe ("%s: a second finish", contract->name);
  CHECK (contract->enqueue (fresh, &good, setup->stream, NULL));
  void *result = contract->finish (fresh, NULL);
  CHECK (result);
  error.status = CTR_OK;
  CHECK (!contract->finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  contract->drop (result);
  contract_check_works (fresh, &good);

  describe ("%s: a result that is never fetched", contract->name);
  CHECK (contract->enqueue (fresh, &good, setup->stream, NULL));
  contract->destroy (fresh);

  describe ("%s: NULL where the API takes it", contract->name);
  contract->destroy (NULL);
  contract->drop (NULL);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open (argc > 2 ? argv[2] : NULL, false);
  contract = contract_open (argv[1], &setup);
  if (contract->good_request ().image)
    test_images ();
  if (contract->init_name)
    test_params ();
  test_calls ();
  contract->test_own ();
  contract_close ();
  return 0;
}
