/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/pinnedpool.h"

#include "gst/base/gstcontoursfilter-private.h"

/* A source may fill a queue of any length with frames of the pool, but not all of the host's memory may be locked. */
#define MAX_LOCKED ((gsize) 256 << 20)

#define MEMORY_TYPE "ContoursPinnedMemory"

typedef struct {
  GstMemory memory;
  gpointer data; /* with a parent, the parent's */
} PinnedMemory;

#define CONTOURS_TYPE_PINNED_ALLOCATOR (contours_pinned_allocator_get_type ())
G_DECLARE_FINAL_TYPE (ContoursPinnedAllocator, contours_pinned_allocator, CONTOURS, PINNED_ALLOCATOR, GstAllocator)
struct _ContoursPinnedAllocator {
  GstAllocator parent;
  GstObject *context;
  gsize locked; /* bytes; atomic */
};
G_DEFINE_TYPE (ContoursPinnedAllocator, contours_pinned_allocator, GST_TYPE_ALLOCATOR)

#define CONTOURS_TYPE_PINNED_POOL (contours_pinned_pool_get_type ())
G_DECLARE_FINAL_TYPE (ContoursPinnedPool, contours_pinned_pool, CONTOURS, PINNED_POOL, GstVideoBufferPool)
struct _ContoursPinnedPool {
  GstVideoBufferPool parent;
  GstAllocator *allocator;
};
G_DEFINE_TYPE (ContoursPinnedPool, contours_pinned_pool, GST_TYPE_VIDEO_BUFFER_POOL)

/* Locked memory begins at a page, which suits any alignment of video frames. */
static gpointer
lock_memory (ContoursPinnedAllocator *self, gsize size, const GstAllocationParams *params)
{
  gpointer data = NULL;

  if (g_atomic_pointer_add (&self->locked, size) + size <= MAX_LOCKED && params->align < 4096)
    data = gst_contours_gpu_alloc_host (self->context, size);
  if (!data) {
    g_atomic_pointer_add (&self->locked, -size);
    GST_DEBUG_OBJECT (self, "%" G_GSIZE_FORMAT " bytes cannot be page-locked: using ordinary memory", size);
  }
  return data;
}

static GstMemory *
contours_pinned_allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  const gsize maxsize = params->prefix + size + params->padding;
  gpointer data = lock_memory (CONTOURS_PINNED_ALLOCATOR (allocator), maxsize, params);
  PinnedMemory *self;

  if (!data)
    return gst_allocator_alloc (NULL, size, params);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset ((guint8 *) data + params->prefix + size, 0, params->padding);
  self = g_new (PinnedMemory, 1);
  gst_memory_init (
      GST_MEMORY_CAST (self), params->flags, allocator, NULL, maxsize, params->align, params->prefix, size);
  self->data = data;
  return GST_MEMORY_CAST (self);
}

static void
contours_pinned_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  ContoursPinnedAllocator *self = CONTOURS_PINNED_ALLOCATOR (allocator);

  if (!memory->parent) {
    gst_contours_gpu_free_host (self->context, ((PinnedMemory *) memory)->data);
    g_atomic_pointer_add (&self->locked, -memory->maxsize);
  }
  g_free (memory);
}

static gpointer
pinned_memory_map (GstMemory *memory, gsize maxsize, GstMapFlags flags)
{
  return ((PinnedMemory *) memory)->data;
}

static void
pinned_memory_unmap (GstMemory *memory)
{
}

static GstMemory *
pinned_memory_share (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *parent = memory->parent ? memory->parent : memory;
  PinnedMemory *part = g_new (PinnedMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (part), GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      memory->allocator, parent, memory->maxsize, memory->align, memory->offset + offset,
      size < 0 ? memory->size - offset : (gsize) size);
  part->data = ((PinnedMemory *) memory)->data;
  return GST_MEMORY_CAST (part);
}

static void
contours_pinned_allocator_finalize (GObject *object)
{
  gst_clear_object (&CONTOURS_PINNED_ALLOCATOR (object)->context);
  G_OBJECT_CLASS (contours_pinned_allocator_parent_class)->finalize (object);
}

static void
contours_pinned_allocator_init (ContoursPinnedAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = pinned_memory_map;
  allocator->mem_unmap = pinned_memory_unmap;
  allocator->mem_share = pinned_memory_share;
}

static void
contours_pinned_allocator_class_init (ContoursPinnedAllocatorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = contours_pinned_allocator_finalize;
  GST_ALLOCATOR_CLASS (klass)->alloc = GST_DEBUG_FUNCPTR (contours_pinned_allocator_alloc);
  GST_ALLOCATOR_CLASS (klass)->free = GST_DEBUG_FUNCPTR (contours_pinned_allocator_free);
}

/* Elements that use a pool set the allocator of the query, or none. */
static gboolean
contours_pinned_pool_set_config (GstBufferPool *pool, GstStructure *config)
{
  GstAllocationParams params;

  gst_buffer_pool_config_get_allocator (config, NULL, &params);
  gst_buffer_pool_config_set_allocator (config, CONTOURS_PINNED_POOL (pool)->allocator, &params);
  return GST_BUFFER_POOL_CLASS (contours_pinned_pool_parent_class)->set_config (pool, config);
}

static void
contours_pinned_pool_finalize (GObject *object)
{
  gst_clear_object (&CONTOURS_PINNED_POOL (object)->allocator);
  G_OBJECT_CLASS (contours_pinned_pool_parent_class)->finalize (object);
}

static void
contours_pinned_pool_init (ContoursPinnedPool *self)
{
}

static void
contours_pinned_pool_class_init (ContoursPinnedPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = contours_pinned_pool_finalize;
  GST_BUFFER_POOL_CLASS (klass)->set_config = GST_DEBUG_FUNCPTR (contours_pinned_pool_set_config);
}

GstBufferPool *
pinned_pool_new (GstContoursGpu *gpu)
{
  ContoursPinnedAllocator *allocator;
  ContoursPinnedPool *self;
  GstObject *context;

  /* A query may come from any thread, also while the element stops. */
  g_rec_mutex_lock (&gpu->lock);
  context = gpu->context ? gst_object_ref (gpu->context) : NULL;
  g_rec_mutex_unlock (&gpu->lock);
  if (!context)
    return NULL;
  allocator = g_object_new (CONTOURS_TYPE_PINNED_ALLOCATOR, NULL);
  self = g_object_new (CONTOURS_TYPE_PINNED_POOL, NULL);
  allocator->context = context;
  self->allocator = gst_object_ref_sink (allocator);
  return gst_object_ref_sink (self);
}

gboolean
pinned_pool_offer (GstContoursGpu *gpu, GstQuery *query)
{
  GstBufferPool *pool = NULL;
  GstCaps *caps;
  gboolean wanted;
  GstVideoInfo info;
  guint size = 0, min = 0, max = 0;

  gst_query_parse_allocation (query, &caps, &wanted);
  if (!wanted || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  if (gst_query_get_n_allocation_pools (query) > 0) {
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    if (pool) {
      gst_object_unref (pool);
      return FALSE;
    }
  }
  size = MAX (size, GST_VIDEO_INFO_SIZE (&info));
  pool = pinned_pool_new (gpu);
  if (!pool)
    return FALSE;
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return TRUE;
}
