/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime.h"

#include "faults.h"

using namespace emulation;

namespace
{

EmulationFault wanted;
unsigned long calls_left; /* before it happens */
bool happened;

bool
concerns (CallKind kind)
{
  switch (wanted) {
    case EMULATION_NO_FAULT:
      return false;
    case EMULATION_CALL_FAILS:
      return (kind == CALL_ALLOCATES || kind == CALL_QUEUES) && !happened;
    case EMULATION_MEMORY_FULL:
      return kind == CALL_ALLOCATES;
    case EMULATION_NO_KERNELS:
      return kind == CALL_LOADS;
    case EMULATION_DEVICE_LOST:
      return true;
  }
  return false;
}

} // namespace

bool
emulation::device_is_lost ()
{
  return wanted == EMULATION_DEVICE_LOST && happened;
}

cudaError_t
emulation::fault (CallKind kind)
{
  if (!concerns (kind))
    return cudaSuccess;
  if (!happened && calls_left > 0) {
    calls_left--;
    return cudaSuccess;
  }
  const bool first = !happened;
  happened = true;
  if (wanted == EMULATION_NO_KERNELS)
    return failed (cudaErrorNoKernelImageForDevice);
  if (wanted != EMULATION_DEVICE_LOST)
    return failed (cudaErrorMemoryAllocation);
  if (first)
    forget_work ();
  return failed (cudaErrorIllegalAddress);
}

void
emulation_set_fault (EmulationFault fault, unsigned long calls)
{
  Locked locked (lock);
  wanted = fault;
  calls_left = calls;
  happened = false;
}

bool
emulation_fault_happened (void)
{
  Locked locked (lock);
  return happened;
}
