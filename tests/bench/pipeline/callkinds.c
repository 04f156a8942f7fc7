/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/counts.h"

#include <string.h>

const gchar *
counts_name (CallKind kind)
{
  static const gchar *const names[CALL_KINDS] = {"kernel launches", "graph launches", "graph changes", "event records",
      "stream waits", "waits", "blocking copies", "polls", "copies", "sets of memory", "allocations", "frees",
      "context calls", "other calls"};

  return names[kind];
}

static gboolean
begins (const gchar *name, const gchar *const *starts)
{
  for (; *starts; starts++)
    if (g_str_has_prefix (name, *starts))
      return TRUE;
  return FALSE;
}

/* The first that fits counts. Names have no "cu" or "cuda" here. */
static const struct {
  CallKind kind;
  const gchar *starts[10];
} by_start[] = {
    {CALL_OTHER, {"LaunchHostFunc", "GraphExecDestroy", "GraphExecGet", NULL}},
    {CALL_GRAPH_LAUNCH, {"GraphLaunch", NULL}},
    {CALL_GRAPH_CHANGE, {"GraphInstantiate", "GraphExec", NULL}},
    {CALL_LAUNCH, {"Launch", NULL}},
    {CALL_RECORD, {"EventRecord", NULL}},
    {CALL_STREAM_WAIT, {"StreamWaitEvent", "CtxWaitEvent", NULL}},
    {CALL_WAIT,
        {"StreamSynchronize", "EventSynchronize", "CtxSynchronize", "DeviceSynchronize", "ThreadSynchronize", NULL}},
    {CALL_POLL, {"StreamQuery", "EventQuery", NULL}},
    {CALL_SET, {"Memset", NULL}},
    {CALL_ALLOCATION,
        {"MemAlloc", "MemHostAlloc", "MemHostRegister", "MemCreate", "Malloc", "HostAlloc", "HostRegister", NULL}},
    {CALL_FREE, {"MemFree", "MemHostUnregister", "MemRelease", "Free", "HostUnregister", NULL}},
    {CALL_CONTEXT, {"CtxPush", "CtxPop", "CtxSetCurrent", "CtxGet", "DeviceGet", "GetDevice", "SetDevice",
                       "DevicePrimaryCtxRetain", "DevicePrimaryCtxRelease", NULL}},
};

CallKind
counts_kind_of (const gchar *name)
{
  name += g_str_has_prefix (name, "cuda") ? 4 : 2;
  if (g_str_has_prefix (name, "Memcpy"))
    return strstr (name, "Async") ? CALL_COPY : CALL_BLOCKING_COPY;
  for (guint i = 0; i < G_N_ELEMENTS (by_start); i++)
    if (begins (name, by_start[i].starts))
      return by_start[i].kind;
  return CALL_OTHER;
}
