/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points in the work of CUDA streams. They order the work of several streams on one picture without the host. CUDA
 * backend only: a build without it makes no events. The context that was current in ctr_event_new() has to be current
 * in the other functions, too. */
#ifndef CONTOURS_EVENT_H
#define CONTOURS_EVENT_H

#include <contours/types.h>

CTR_BEGIN_DECLS

typedef struct CtrEvent CtrEvent;

CTR_API CtrEvent *ctr_event_new (CtrError *error);
CTR_API void ctr_event_free (CtrEvent *event);

/* Puts EVENT behind the work that is queued on STREAM. NULL: behind that of the context's default stream, and of the
 * streams that synchronise with it (all but those created with CU_STREAM_NON_BLOCKING). Those who wait for an earlier
 * place of EVENT go on waiting for that. */
CTR_API bool ctr_event_record (CtrEvent *event, void *stream, CtrError *error);

/* Orders all later work on STREAM after EVENT. NULL: that on the default stream, and on the streams that synchronise
 * with it. */
CTR_API bool ctr_event_lead (CtrEvent *event, void *stream, CtrError *error);

/* Is all work on the current context's default stream done? Much cheaper than an event there, which all streams meet at
 * that synchronise with it. */
CTR_API bool ctr_event_is_default_stream_idle (void);

/* The host waits for EVENT. */
CTR_API bool ctr_event_wait (CtrEvent *event, CtrError *error);

/* The number of hardware queues that the streams of the process share: CUDA_DEVICE_MAX_CONNECTIONS of the environment,
 * or 8. A stream that waits for another one holds up the streams behind it in its queue. So where there are more streams,
 * waiting on the host may be faster. */
CTR_API uint32_t ctr_event_queue_count (void);

CTR_END_DECLS

#endif
