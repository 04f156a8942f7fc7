#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the connected components of each frame: read_components.py [PIPELINE]

PIPELINE is the source of the frames, in the syntax of gst-launch-1.0; the default is a test source.
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstContours", "1.0")
from gi.repository import GLib, Gst, GstContours

TEST_SOURCE = "videotestsrc pattern=ball num-buffers=5 ! video/x-raw,format=NV12,width=640,height=480"

Gst.init(None)
source = sys.argv[1] if len(sys.argv) > 1 else TEST_SOURCE
try:
    pipeline = Gst.parse_launch(f"{source} ! cudacca features=moments ! appsink name=out sync=false max-buffers=4")
except GLib.Error as error:
    sys.exit(error.message)
out = pipeline.get_by_name("out")
running = pipeline.set_state(Gst.State.PLAYING) != Gst.StateChangeReturn.FAILURE

while running and (sample := out.emit("pull-sample")):
    buffer = sample.get_buffer()
    meta = GstContours.buffer_get_contours_component_meta(buffer)
    print(f"{buffer.pts / Gst.SECOND:.3f} s: {meta.count} components")
    print("  label     area        x        y        w        h       cx       cy    angle")
    for c in meta.components:
        print(f"{c.label:7d} {c.area:8.0f} {c.x:8.1f} {c.y:8.1f} {c.w:8.1f} {c.h:8.1f} {c.cx:8.1f} {c.cy:8.1f}"
              f" {c.orientation:8.3f}")

error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
if error:
    sys.exit(error.parse_error().gerror.message)
