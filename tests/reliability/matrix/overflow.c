/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of sizes that do not fit: there is no memory of that size, and none of another size is given instead. */
#include "core/common/memory.h"
#include "cpu/common/host_buffer.h"
#include "tests/core/common/testing.h"

#include <stdlib.h>

/* COUNT x SIZE is 8 in 64 bits. */
static const size_t count = SIZE_MAX / 8 + 2, size = 8;

static void
test_array (void)
{
  describe ("an array of %zu items of %zu bytes", count, size);
  void *array = ctr_alloc_array (count, size);
  CHECK (!array);
  array = ctr_alloc_array (3, size);
  CHECK (array);
  free (array);
}

/* A buffer that could not grow has what it had. */
static void
test_buffer (void)
{
  CtrHostBuffer buffer = {0};
  describe ("a buffer of %zu items of %zu bytes", count, size);
  CHECK (ctr_host_buffer_reserve (&buffer, 100, size));
  const void *data = buffer.data;
  const size_t bytes = buffer.bytes, used = buffer.used;
  CHECK (!ctr_host_buffer_reserve (&buffer, count, size));
  CHECK (buffer.data == data && buffer.bytes == bytes && buffer.used == used);
  CHECK (ctr_host_buffer_reserve (&buffer, 101, size));
  free (buffer.data);
}

int
main (void)
{
  test_array ();
  test_buffer ();
  return 0;
}
