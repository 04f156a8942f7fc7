/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime API: memory and copies. Device memory is ordinary memory, filled with garbage, with a guarded zone behind
 * it. Freed memory is filled with garbage once more, and kept for a while: an address that a graph or the host has forgotten to give up
 * leads there. */
#include "runtime.h"

#include "faults.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

using namespace emulation;

namespace
{

constexpr size_t ALIGNMENT = 256;

struct Block {
  size_t size;
  bool pinned; /* of the host */
};

std::map<char *, Block> blocks; /* by address */
size_t used;                    /* bytes in them */
uint64_t calls;                 /* allocations so far */

/* AddressSanitizer keeps freed memory itself. */
constexpr size_t MOST_FREED = GUARD_SIZE ? (size_t) 16 << 20 : 0;

/* Blocks that have been freed, the oldest first, which nothing may write to. */
class FreedBlocks
{
public:
  ~FreedBlocks ()
  {
    forget (0);
  }

  void
  add (char *start, size_t size)
  {
    if (MOST_FREED)
      memset (start, GARBAGE, size);
    list.push_back ({start, size});
    bytes += size;
    forget (MOST_FREED);
  }

private:
  std::deque<std::pair<char *, size_t>> list;
  size_t bytes = 0;

  void
  forget (size_t most)
  {
    while (bytes > most) {
      const auto [start, size] = list.front ();
      for (size_t i = 0; MOST_FREED && i < size; i++)
        if ((unsigned char) start[i] != GARBAGE)
          emulation::complain ("something was written to byte %zu of %zu that had been freed", i, size);
      free (start);
      list.pop_front ();
      bytes -= size;
    }
  }
};

FreedBlocks freed_blocks;

/* The block that holds SIZE bytes from MEMORY on; NULL: ordinary host memory. */
const Block *
find_block (const void *memory, size_t size, const char *call)
{
  auto next = blocks.upper_bound ((char *) memory);
  if (next == blocks.begin ())
    return nullptr;
  const auto &[start, block] = *std::prev (next);
  const size_t offset = (size_t) ((char *) memory - start);
  if (offset >= block.size)
    return nullptr;
  if (size > block.size - offset)
    emulation::complain ("%s of %zu bytes from byte %zu of an allocation of %zu bytes", call, size, offset, block.size);
  return &block;
}

cudaError_t
allocate (void **memory, size_t size, bool pinned)
{
  Locked locked (lock);
  if (breaks_capture ())
    return failed (cudaErrorStreamCaptureUnsupported);
  *memory = nullptr;
  if (const cudaError_t error = fault (CALL_ALLOCATES))
    return error;
  if (size == 0)
    return cudaSuccess;
  if (posix_memalign (memory, ALIGNMENT, size + GUARD_SIZE) != 0)
    return failed (cudaErrorMemoryAllocation);
  char *start = (char *) *memory;
  memset (start, GARBAGE, size + GUARD_SIZE);
  blocks[start] = {size, pinned};
  used += size;
  calls++;
  return cudaSuccess;
}

cudaError_t
release (void *memory, bool pinned)
{
  Locked locked (lock);
  if (breaks_capture ())
    return failed (cudaErrorStreamCaptureUnsupported);
  if (!memory)
    return cudaSuccess;
  drain_all ();
  auto found = blocks.find ((char *) memory);
  if (found == blocks.end () || found->second.pinned != pinned)
    return failed (cudaErrorInvalidValue);
  check_guards ("before memory is freed");
  used -= found->second.size;
  freed_blocks.add ((char *) memory, found->second.size);
  blocks.erase (found);
  return fault (CALL_OTHER);
}

} // namespace

void
emulation::check_guards (const char *when)
{
  for (const auto &[start, block] : blocks)
    for (size_t i = 0; i < GUARD_SIZE; i++)
      if ((unsigned char) start[block.size + i] != GARBAGE)
        emulation::complain (
            "%s: something was written %zu bytes behind an allocation of %zu bytes", when, i, block.size);
}

void
emulation::count_memory (size_t *bytes, uint64_t *allocations)
{
  Locked locked (lock);
  *bytes = used;
  *allocations = calls;
}

cudaError_t
cudaMalloc (void **memory, size_t size)
{
  return allocate (memory, size, false);
}

cudaError_t
cudaFree (void *memory)
{
  return release (memory, false);
}

cudaError_t
cudaHostAlloc (void **memory, size_t size, unsigned)
{
  return allocate (memory, size, true);
}

cudaError_t
cudaFreeHost (void *memory)
{
  return release (memory, true);
}

cudaError_t
cudaPointerGetAttributes (cudaPointerAttributes *attributes, const void *memory)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_OTHER))
    return error;
  const Block *block = find_block (memory, 1, "a question about");
  attributes->type = !block ? cudaMemoryTypeUnregistered : block->pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  return cudaSuccess;
}

static cudaError_t
queue_copy (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  if (width == 0 || height == 0)
    return cudaSuccess;
  const Block *source = find_block (from, from_pitch * (height - 1) + width, "a copy from"),
              *target = find_block (to, to_pitch * (height - 1) + width, "a copy to");
  const bool source_on_device = source && !source->pinned, target_on_device = target && !target->pinned;
  if (source_on_device != (kind != cudaMemcpyHostToDevice) || target_on_device != (kind != cudaMemcpyDeviceToHost)
      || to_pitch < width || from_pitch < width)
    return failed (cudaErrorInvalidValue);
  const NodeKind node = kind == cudaMemcpyHostToDevice ? COPY_UP : kind == cudaMemcpyDeviceToHost ? COPY_DOWN : COPY;
  queue (stream, node, [=] {
    for (size_t y = 0; y < height; y++)
      memcpy ((char *) to + y * to_pitch, (const char *) from + y * from_pitch, width);
  });
  /* With ordinary memory it is not asynchronous. */
  if ((!source || !target) && !stream_of (stream)->captured)
    drain (stream_of (stream));
  return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream)
{
  return queue_copy (to, size, from, size, size, 1, kind, stream);
}

cudaError_t
cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream)
{
  return queue_copy (to, to_pitch, from, from_pitch, width, height, kind, stream);
}

cudaError_t
cudaMemsetAsync (void *to, int value, size_t size, cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  const Block *target = find_block (to, size, "cudaMemsetAsync");
  if (size && (!target || target->pinned))
    return failed (cudaErrorInvalidValue);
  queue (stream, FILL, [to, value, size] { memset (to, value, size); });
  return cudaSuccess;
}

cudaError_t
cudaMemset2DAsync (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
  Locked locked (lock);
  if (const cudaError_t error = fault (CALL_QUEUES))
    return error;
  const Block *target = find_block (to, height ? pitch * (height - 1) + width : 0, "cudaMemset2DAsync");
  if (height && (!target || target->pinned || pitch < width))
    return failed (cudaErrorInvalidValue);
  queue (stream, FILL, [to, pitch, value, width, height] {
    for (size_t y = 0; y < height; y++)
      memset ((char *) to + y * pitch, value, width);
  });
  return cudaSuccess;
}
