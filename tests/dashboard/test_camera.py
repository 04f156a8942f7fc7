# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pipeline of a camera in this process: its messages, its end, its properties. Exit status 77 without the bindings of GStreamer."""
import os
import sys
import threading
import time
import types

from dashboard import ROOT, need

need("gi")
sys.path.insert(0, os.path.join(ROOT, "pipelines"))
del sys.modules["dashboard"]  # that of pipelines/ has the same name
from dashboard import camera, settings

SOURCE = "videotestsrc is-live=true num-buffers=100 ! video/x-raw,format=I420,width=64,height=48,framerate=50/1 !"
OPTIONS = types.SimpleNamespace(picture_width=64, picture_rate=10, fast=False)


def check_messages():
    """Messages that nobody wants do not pile up while frames come, and the end of the stream is still seen."""
    made = camera.Camera(("live", "test", SOURCE), settings.Settings(), OPTIONS, None, lambda picture: None)
    pipeline, _ = made.build(None)
    bus = pipeline.get_bus()
    reasons = []
    thread = threading.Thread(target=lambda: reasons.append(made.watch(pipeline)))
    pipeline.set_state(camera.Gst.State.PLAYING)
    thread.start()
    end = time.monotonic() + 20
    while not made.record.totals["frames"]:
        assert time.monotonic() < end, "no frame comes"
        time.sleep(0.01)
    for _ in range(1000):
        bus.post(camera.Gst.Message.new_application(pipeline, camera.Gst.Structure.new_empty("test")))
    while bus.have_pending():
        assert thread.is_alive() and made.record.totals["frames"] < 90, "messages are kept until the end"
        time.sleep(0.01)
    thread.join()
    pipeline.set_state(camera.Gst.State.NULL)
    made.stop()
    assert reasons == [None] and made.record.totals["frames"] > 90, (reasons, made.record.totals)


def check_hanging():
    """A pipeline that hangs does not keep the command from ending."""
    camera.STOP_SECONDS = 1
    made = camera.Camera(("live", "test", SOURCE + " identity sleep-time=60000000 !"), settings.Settings(), OPTIONS, None, lambda picture: None)
    made.start()
    time.sleep(1)  # a frame is in it
    started = time.monotonic()
    made.stop()
    assert time.monotonic() - started < 20, time.monotonic() - started


def check_properties():
    """A value that makes no sense is refused, not ignored."""
    for name, value, told in (("min-area", "many", "no 'many' as min-area"), ("clear-border", "", "no '' as clear-border"),
                              ("nothing", "1", "no property 'nothing'"), ("min-area", '1" name="x', "no '1\" name")):
        try:
            camera.start_gstreamer(settings.Settings(extra=[(name, value)]))
            raise AssertionError(f"{name}={value} was accepted")
        except ValueError as problem:
            assert told in str(problem), problem
    camera.start_gstreamer(settings.Settings(extra=[("min-area", "12"), ("region", "1,2,3,4"), ("clear-border", "true")]))


camera.Gst.init(None)
if not camera.Gst.ElementFactory.find("cudaborders"):
    print("no cudaborders here")
    sys.exit(77)
check_messages()
check_properties()
check_hanging()
print("messages, the end of a stream and properties are as they should be")
