/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When an analyser gives back memory that one intricate frame took: the same rule for both backends. Internal.
 *
 * An analyser keeps its memory from frame to frame, so that a stream allocates nothing. Frames come in periods. At the end
 * of a period in which every frame would have done with a small share of the memory, the rest is given back, once. Each
 * time doubles the period, so that a stream with an intricate frame now and then ends up keeping its memory. */
#ifndef CTR_CORE_COMMON_ROOM_H
#define CTR_CORE_COMMON_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CTR_ROOM_FRAMES
#define CTR_ROOM_FRAMES 256u /* of the first period */
#endif
#ifndef CTR_ROOM_SMALL
#define CTR_ROOM_SMALL ((size_t) 256 << 10) /* bytes that are not worth giving back */
#endif
#define CTR_ROOM_TIMES 4         /* more than was used: then it is given back */
#define CTR_ROOM_MAX_DOUBLINGS 8 /* of the period */

/* Where an analyser is in its period; zero at first. */
typedef struct {
  uint32_t frames;
  uint32_t doublings;
} CtrRoomPeriod;

/* Counts a frame. Was it the last one of a period? */
static inline bool
ctr_room_period_ends (CtrRoomPeriod *period)
{
  if (++period->frames < CTR_ROOM_FRAMES << period->doublings)
    return false;
  period->frames = 0;
  return true;
}

/* To be called when memory has been given back. */
static inline void
ctr_room_period_double (CtrRoomPeriod *period)
{
  period->doublings += period->doublings < CTR_ROOM_MAX_DOUBLINGS;
}

/* Shall ROOM bytes be given back of which a period has used USED at most? */
static inline bool
ctr_room_is_excess (size_t room, size_t used)
{
  return room > CTR_ROOM_SMALL && room / CTR_ROOM_TIMES > used;
}

#endif
