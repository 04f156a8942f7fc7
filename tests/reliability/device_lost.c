/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pipeline whose GPU is lost while it runs: one error, the process can stop within five seconds, the next start fails with a
 * sentence, and nothing is called that waits for the GPU for ever. The simulated driver loses the device and finds it again. On a real
 * GPU a kernel traps in the context of the elements, as one of another library may, which ends that context: so each pipeline has a
 * process of its own. */
#include <contours/contours.h>
#include <dlfcn.h>
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_TO_STOP (5 * G_TIME_SPAN_SECOND)

static const gchar *const elements[] = {"cudacca", "cudaborders", "cudacrackcontour", "cudasnake window=10,10,30,30",
    "cudacanny", "cudaforeground", "cudabackground", "cudacca labels=true ! cudacrackcontour trace=labels backend=cuda",
    "cudaborders ! cudacontouroverlay backend=cuda"};

static void (*set_lost) (bool); /* of the simulated driver; NULL: the driver is a real one */

static GstCudaContext *context; /* of a real GPU */

static void
use_context (GstElement *pipeline)
{
  fail_unless (gst_cuda_load_library ());
  context = gst_cuda_context_new (0);
  fail_unless (context != NULL);
  GstContext *shared = gst_context_new_cuda_context (context);
  gst_element_set_context (pipeline, shared);
  gst_context_unref (shared);
}

static void
run_trap (void)
{
  static const gchar code[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry end () { trap; }\n";
  CUmodule module;
  CUfunction function;
  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (CuModuleLoadData (&module, code), CUDA_SUCCESS);
  fail_unless_equals_int (CuModuleGetFunction (&function, module, "end"), CUDA_SUCCESS);
  fail_unless_equals_int (CuLaunchKernel (function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
}

static void
lose_device (void)
{
  if (set_lost)
    set_lost (true);
  else
    run_trap ();
}

static GstPadProbeReturn
count_frame (GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  g_atomic_int_inc ((gint *) frames);
  return GST_PAD_PROBE_OK;
}

/* Waits for the error of PIPELINE; returns what it says (transfer full). */
static gchar *
wait_for_error (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  GError *error = NULL;
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "the loss was not told");
  gst_message_parse_error (message, &error, NULL);
  gchar *text = g_strdup (error->message);
  fail_unless (error->domain == GST_RESOURCE_ERROR, "%s", text);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (bus);
  return text;
}

static guint
count_errors (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint count = 0;
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    GError *error = NULL;
    gst_message_parse_error (message, &error, NULL);
    /* A source reports that its stream has stopped, whatever the reason. */
    count += error->domain != GST_STREAM_ERROR;
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return count;
}

static void
stop (GstElement *pipeline)
{
  const gint64 start = g_get_monotonic_time ();
  fail_unless (gst_element_set_state (pipeline, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
  fail_unless (g_get_monotonic_time () - start < MOST_TO_STOP);
}

GST_START_TEST (lost)
{
  gchar *first = g_strdup (elements[__i__]), *rest = strchr (first, '!');
  if (rest)
    rest[-1] = '\0';
  gchar *line =
      g_strdup_printf ("videotestsrc ! video/x-raw,format=GRAY8,width=64,height=48 ! %s backend=cuda name=first %s ! "
                       "fakesink name=end sync=false",
          first, rest ? rest : "");
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  fail_unless (pipeline && !error, "%s: %s", line, error ? error->message : "");
  GstElement *end = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  GstPad *pad = gst_element_get_static_pad (end, "sink");
  gint frames = 0;
  if (!set_lost)
    use_context (pipeline);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, &frames, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 2000 && g_atomic_int_get (&frames) < 10; i++)
    g_usleep (10000);
  fail_unless (g_atomic_int_get (&frames) >= 10);
  lose_device ();
  gchar *said = wait_for_error (pipeline);
  fail_unless (strstr (said, "CUDA") != NULL, "%s", said);
  g_usleep (100000);
  stop (pipeline);
  fail_unless_equals_int (count_errors (pipeline), 0);
  g_free (said);

  /* The device stays lost until the process ends. */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  said = wait_for_error (pipeline);
  fail_unless (strlen (said) > 20, "%s", said);
  stop (pipeline);
  g_free (said);

  if (!set_lost)
    return; /* No object of this context can be freed any more. */
  set_lost (false);
  frames = 0;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 2000 && g_atomic_int_get (&frames) < 10; i++)
    g_usleep (10000);
  fail_unless (g_atomic_int_get (&frames) >= 10);
  stop (pipeline);
  fail_unless_equals_int (count_errors (pipeline), 0);
  gst_object_unref (pad);
  gst_object_unref (end);
  gst_object_unref (pipeline);
  g_free (line);
  g_free (first);
}
GST_END_TEST;

static void
set_without_kernels (gboolean is_without)
{
  void (*set) (bool) = dlsym (RTLD_DEFAULT, "fake_cuda_set_without_kernels");
  fail_unless (set != NULL);
  set (is_without);
}

/* A build without kernels for the GPU: backend=cuda fails before any frame comes, with one error; backend=auto takes the CPU and
 * says why. */
GST_START_TEST (no_kernels)
{
  GstElement *element = gst_element_factory_make ("cudacca", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;
  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  set_without_kernels (TRUE);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND), "%s", error->message);
  fail_unless (strstr (error->message, "no kernels") != NULL, "%s", error->message);
  g_clear_error (&error);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);

  gst_element_set_state (element, GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "auto");
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO);
  fail_unless (message != NULL);
  gst_message_parse_info (message, &error, NULL);
  fail_unless (g_str_has_prefix (error->message, "Using the CPU: this build has no kernels"), "%s", error->message);
  g_clear_error (&error);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_INFO | GST_MESSAGE_ERROR) == NULL);
  set_without_kernels (FALSE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}
GST_END_TEST;

static Suite *
device_lost_suite (void)
{
  Suite *suite = suite_create ("a lost device");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  if (set_lost)
    tcase_add_test (tcase, no_kernels);
  tcase_add_loop_test (tcase, lost, 0, G_N_ELEMENTS (elements));
  return suite;
}

/* In a process of its own: CUDA, once initialised, does not work in the processes of the tests. */
static gboolean
has_gpu (void)
{
  int status = 1;
  const pid_t pid = fork ();
  if (pid == 0)
    _exit (ctr_cuda_available (NULL) ? 0 : 1);
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

int
main (int argc, char **argv)
{
  const gboolean simulated = argc > 1 && strcmp (argv[1], "simulated") == 0;
  gst_check_init (&argc, &argv);
  *(void **) &set_lost = dlsym (RTLD_DEFAULT, "fake_cuda_set_lost");
  if (simulated && (!set_lost || !ctr_cuda_available (NULL))) {
    g_printerr ("The simulated driver is not there.\n");
    return 1;
  }
  if (!simulated && !has_gpu ()) {
    g_printerr ("There is no GPU.\n");
    return 77;
  }
  return gst_check_run_suite (device_lost_suite (), "device_lost", __FILE__);
}
