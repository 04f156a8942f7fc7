/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults of the emulated device, for C and C++: a call that fails, memory that is full, a device that is gone. */
#ifndef CTR_EMULATION_FAULTS_H
#define CTR_EMULATION_FAULTS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  EMULATION_NO_FAULT,
  EMULATION_CALL_FAILS,  /* one call that allocates or queues something fails for want of memory */
  EMULATION_MEMORY_FULL, /* one call that allocates fails for want of memory, and so do all behind it */
  EMULATION_NO_KERNELS,  /* no kernel can be loaded: the build has none for the device */
  EMULATION_DEVICE_LOST, /* one call fails with an error that sticks: queued work is lost, and all later calls fail */
} EmulationFault;

/* Lets FAULT happen behind CALLS more calls of its kind, and ends the fault before. */
void emulation_set_fault (EmulationFault fault, unsigned long calls);

/* Has the fault happened since it was set? */
bool emulation_fault_happened (void);

/* The streams, events and graphs that there are. */
long emulation_objects (void);

#ifdef __cplusplus
}

namespace emulation
{

enum CallKind { CALL_ALLOCATES, CALL_QUEUES, CALL_LOADS, CALL_OTHER };

/* What a call of KIND returns in place of doing its work; cudaSuccess: it does its work. The lock is held. */
cudaError_t fault (CallKind kind);

bool device_is_lost ();

} // namespace emulation
#endif

#endif
