#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Example application: embed.py [--frames=N] [FILE-OR-URI]

Does what embed.c does, and computes with the points in NumPy. Needs the Debian packages python3-gst-1.0 and
python3-numpy. Without an argument it analyses test frames.
"""
import argparse
import signal
import sys

import gi
import numpy

gi.require_version("Gst", "1.0")
gi.require_version("GstContours", "1.0")
from gi.repository import GLib, Gst, GstContours

MAX_POINTS = 8  # printed per contour


def measure_polygon(points):
    """Returns area and centroid of the closed line through the points, or None if the area is 0."""
    x, y = points.astype("i8").T  # products of coordinates do not fit into 32 bits
    cross = x * numpy.roll(y, -1) - numpy.roll(x, -1) * y
    doubled = cross.sum()
    if doubled == 0:
        return None
    cx = ((x + numpy.roll(x, -1)) * cross).sum() / (3 * doubled)
    cy = ((y + numpy.roll(y, -1)) * cross).sum() / (3 * doubled)
    return abs(doubled) / 2, cx, cy


def as_text(points):
    return " ".join(f"{x},{y}" for x, y in points[:MAX_POINTS]) + (" ..." if len(points) > MAX_POINTS else "")


class App:
    def __init__(self, uri, frames):
        self.loop = GLib.MainLoop()
        self.frames = 0
        self.largest = None  # contour of all frames
        self.failure = None
        self.pipeline = Gst.Pipeline()
        convert, components, contours, sink = [
            self.add_element(name) for name in ("videoconvert", "cudacca", "cudaborders", "appsink")]
        self.add_source(convert, uri, frames)
        for element in components, contours:
            Gst.util_set_object_arg(element, "threshold-mode", "otsu")
        Gst.util_set_object_arg(contours, "mode", "external")
        sink.set_property("sync", False)  # as fast as possible, not at the frame rate
        sink.set_property("emit-signals", True)
        convert.link(components)
        components.link(contours)
        contours.link(sink)
        contours.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.count_shapes)
        sink.connect("new-sample", self.read_sample)

    def add_element(self, factory):
        element = Gst.ElementFactory.make(factory)
        if not element:
            sys.exit(f"There is no element '{factory}'. Install its plugin, or set GST_PLUGIN_PATH to its folder.")
        self.pipeline.add(element)
        return element

    def add_source(self, convert, uri, frames):
        if uri:
            source = self.add_element("uridecodebin")
            source.set_property("uri", uri)
            source.set_property("caps", Gst.Caps.from_string("video/x-raw(ANY)"))
            source.set_property("expose-all-streams", False)
            source.connect("pad-added", self.link_decoded, convert.get_static_pad("sink"))
        else:
            source = self.add_element("videotestsrc")
            source.set_property("num-buffers", frames)
            Gst.util_set_object_arg(source, "pattern", "ball")
            source.link(convert)

    def link_decoded(self, source, pad, sink):
        try:
            if not sink.is_linked():
                pad.link(sink)
        except Gst.LinkError:
            self.fail("The video cannot be converted.")

    def count_shapes(self, pad, info):
        """Runs in the streaming thread, for each frame. Counts need no transfer from the GPU."""
        buffer = info.get_buffer()
        components = GstContours.buffer_get_contours_component_meta(buffer)
        contours = GstContours.buffer_get_contours_contour_meta(buffer)
        print(f"frame {self.frames}: {components.count} components, {contours.count} contours of "
              f"{contours.point_count} points, threshold {contours.threshold}")
        self.frames += 1
        return Gst.PadProbeReturn.OK

    def read_sample(self, sink):
        """Runs in the streaming thread, for each frame that reaches the sink."""
        buffer = sink.emit("pull-sample").get_buffer()
        components = GstContours.buffer_get_contours_component_meta(buffer).components
        try:
            contours = GstContours.buffer_get_contours_contour_meta(buffer).contours
        except GLib.Error as error:  # the GPU could not deliver them
            self.fail(error.message)
            return Gst.FlowReturn.ERROR
        if components:
            c = max(components, key=lambda component: component.area)
            print(f"  largest component: {c.area:g} pixels, box {c.x:g},{c.y:g} {c.w:g}x{c.h:g}, "
                  f"centroid {c.cx:.2f},{c.cy:.2f}")
        if contours:
            self.read_contour(max(contours, key=lambda contour: contour.area))
        return Gst.FlowReturn.OK

    def read_contour(self, contour):
        print(f"  largest contour: area {contour.area:g}, perimeter {contour.perimeter:.1f}, {contour.count} "
              f"points: {as_text(contour.points)}")
        if measures := measure_polygon(contour.points):
            area, cx, cy = measures
            print(f"  its polygon: area {area:g}, centroid {cx:.2f},{cy:.2f}")
        if not self.largest or contour.area > self.largest.area:
            self.largest = contour  # stays valid without its buffer

    def fail(self, message):
        self.failure = self.failure or message
        self.loop.quit()

    def handle_message(self, bus, message):
        if message.type == Gst.MessageType.ERROR:
            self.fail(message.parse_error().gerror.message)
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()

    def stop(self):
        """Handles the first Ctrl+C. The second one kills the process."""
        self.loop.quit()
        return GLib.SOURCE_REMOVE

    def run(self):
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.handle_message)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, self.stop)
        self.pipeline.set_state(Gst.State.PLAYING)  # a failure arrives as a message on the bus
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        bus.remove_signal_watch()
        if self.largest:
            print(f"largest contour of {self.frames} frames: area {self.largest.area:g}: {as_text(self.largest.points)}")
        return self.failure


Gst.init(None)
parser = argparse.ArgumentParser(description="Prints the components and contours of each frame.")
parser.add_argument("source", metavar="FILE-OR-URI", nargs="?")
parser.add_argument("--frames", type=int, default=5, metavar="N",
                    help="number of test frames without FILE-OR-URI (default: 5; -1: until Ctrl+C)")
arguments = parser.parse_args()
address = arguments.source
if address is not None and not Gst.uri_is_valid(address):
    address = Gst.filename_to_uri(address)
failure = App(address, arguments.frames).run()
sys.exit(f"{address}: {failure}" if failure and address else failure)
