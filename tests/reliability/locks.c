/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GLib's locks, which ThreadSanitizer does not know where GLib is not instrumented: they are system calls and atomic
 * operations there. Each function here calls GLib's own, and tells the sanitizer what comes before what. The program exports
 * them, so that GStreamer and the plugin call them, too. */
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

/* A function of GLib, as the next library defines it. */
#define REAL(name) ((__typeof__ (&name)) next_definition (#name))

static gpointer
next_definition (const gchar *name)
{
  gpointer function = dlsym (RTLD_NEXT, name);

  if (!function)
    __builtin_trap ();
  return function;
}

#define LOCK(type, name)                                       \
  void name (type *lock)                                       \
  {                                                            \
    static __typeof__ (&name) real;                            \
    if (!__atomic_load_n (&real, __ATOMIC_ACQUIRE))            \
      __atomic_store_n (&real, REAL (name), __ATOMIC_RELEASE); \
    real (lock);                                               \
    __tsan_acquire (lock);                                     \
  }
#define TRYLOCK(type, name)                                    \
  gboolean name (type *lock)                                   \
  {                                                            \
    static __typeof__ (&name) real;                            \
    if (!__atomic_load_n (&real, __ATOMIC_ACQUIRE))            \
      __atomic_store_n (&real, REAL (name), __ATOMIC_RELEASE); \
    if (!real (lock))                                          \
      return FALSE;                                            \
    __tsan_acquire (lock);                                     \
    return TRUE;                                               \
  }
#define UNLOCK(type, name)                                     \
  void name (type *lock)                                       \
  {                                                            \
    static __typeof__ (&name) real;                            \
    if (!__atomic_load_n (&real, __ATOMIC_ACQUIRE))            \
      __atomic_store_n (&real, REAL (name), __ATOMIC_RELEASE); \
    __tsan_release (lock);                                     \
    real (lock);                                               \
  }

LOCK (GMutex, g_mutex_lock)
TRYLOCK (GMutex, g_mutex_trylock)
UNLOCK (GMutex, g_mutex_unlock)
LOCK (GRecMutex, g_rec_mutex_lock)
TRYLOCK (GRecMutex, g_rec_mutex_trylock)
UNLOCK (GRecMutex, g_rec_mutex_unlock)

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  __tsan_release (mutex);
  REAL (g_cond_wait) (cond, mutex);
  __tsan_acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean signalled;

  __tsan_release (mutex);
  signalled = REAL (g_cond_wait_until) (cond, mutex, end_time);
  __tsan_acquire (mutex);
  return signalled;
}

/* Who frees an object comes after all who have held it. */
#undef g_object_unref
void
g_object_unref (gpointer object)
{
  __tsan_release (object);
  __tsan_acquire (object);
  REAL (g_object_unref) (object);
}

void
gst_mini_object_unref (GstMiniObject *object)
{
  __tsan_release (object);
  __tsan_acquire (object);
  REAL (gst_mini_object_unref) (object);
}

gpointer
gst_object_ref (gpointer object)
{
  __tsan_acquire (object);
  return REAL (gst_object_ref) (object);
}

void
gst_object_unref (gpointer object)
{
  __tsan_release (object);
  __tsan_acquire (object);
  REAL (gst_object_unref) (object);
}
