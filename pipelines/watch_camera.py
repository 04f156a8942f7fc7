#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Example application: watch_camera.py [OPTION]... SOURCE [ELEMENT]...

Analyses a camera that may drop out: when the source fails, ends or delivers no frame for a while, a new one takes its place,
and the rest of the pipeline keeps running. Needs the Debian package python3-gst-1.0.

SOURCE is a source in the syntax of gst-launch-1.0, as one argument:
  watch_camera.py "aravissrc camera-name=Basler-22334455"
  watch_camera.py "uridecodebin uri=rtsp://camera/stream"
  watch_camera.py "v4l2src device=/dev/video0 ! videoconvert"
ELEMENT... is the rest of the pipeline (default: borders, written to camera.ndjson).
"""
import argparse
import sys
import time

from plant.player import Player  # which chooses the version of GStreamer
from gi.repository import GLib, Gst

REST = "cudaborders threshold-mode=otsu ! contourexport location=camera.ndjson append=true ! fakesink sync=false"
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8  # seconds before the next source; doubled at each failure


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class Watch(Player):
    say = staticmethod(say)

    def __init__(self, arguments):
        super().__init__(Gst.Pipeline())
        self.description = arguments.source + " ! identity name=output"
        self.wait = arguments.wait
        self.wanted = arguments.frames
        self.frames = self.restarts = 0
        self.pause = FIRST_PAUSE
        rest = Gst.parse_bin_from_description(" ".join(arguments.rest) or REST, True)
        self.pipeline.add(rest)
        self.input = rest.get_static_pad("sink")
        if not self.input:
            raise GLib.Error("the first ELEMENT has no free input")
        self.source = None
        self.add_source()

    def add_source(self):
        # The parser would also take inputs of elements that are linked later for those of the bin.
        self.source = Gst.parse_bin_from_description(self.description, False)
        output = Gst.GhostPad.new("src", self.source.get_by_name("output").get_static_pad("src"))
        self.source.add_pad(output)
        output.add_probe(Gst.PadProbeType.BUFFER, self.note_frame)
        output.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.filter_event)
        self.pipeline.add(self.source)
        output.link(self.input)
        self.last_frame = time.monotonic()

    def note_frame(self, _pad, _info):
        self.frames += 1
        self.last_frame = time.monotonic()
        self.pause = FIRST_PAUSE
        if self.frames == self.wanted:
            GLib.idle_add(self.end)
        return Gst.PadProbeReturn.OK

    def filter_event(self, pad, info):
        """The end of the source is not the end of the analysis."""
        if info.get_event().type != Gst.EventType.EOS or self.ending:
            return Gst.PadProbeReturn.OK
        GLib.idle_add(self.drop_source, pad.get_parent_element(), "the source has ended")
        return Gst.PadProbeReturn.DROP

    def drop_source(self, source, reason):
        """Some sources keep what they know of a lost camera for as long as they live, so the next one is new.

        aravissrc frees its frames when it stops, whoever still reads them. So all that follow finish with them before.
        """
        if self.ending or not self.source or source != self.source:
            return GLib.SOURCE_REMOVE
        say(f"camera lost after {self.frames} frames: {reason}; next attempt in {self.pause:g} s")
        source.get_static_pad("src").add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM, lambda *_: Gst.PadProbeReturn.OK)
        self.input.query(Gst.Query.new_drain())
        source.set_state(Gst.State.NULL)
        self.pipeline.remove(source)
        self.source = None
        GLib.timeout_add(int(self.pause * 1000), self.restart)
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
        return GLib.SOURCE_REMOVE

    def restart(self):
        if not self.ending:
            self.restarts += 1
            self.add_source()
            if not self.source.sync_state_with_parent():
                self.drop_source(self.source, "it cannot be started")
        return GLib.SOURCE_REMOVE

    def check_frames(self):
        """A camera may stop sending without an error."""
        if self.source and time.monotonic() - self.last_frame > self.wait:
            self.drop_source(self.source, f"no frame for {self.wait:g} s")
        return GLib.SOURCE_CONTINUE

    def end_stream(self):
        # There may be no source now, so what follows it is told. Sinks that have had no frame do not answer.
        self.input.send_event(Gst.Event.new_eos())
        GLib.timeout_add_seconds(2, self.loop.quit)

    def take_error(self, source, text):
        if self.source and (source == self.source or source.has_as_ancestor(self.source)):
            self.drop_source(self.source, text)
        elif source.has_as_ancestor(self.pipeline):
            super().take_error(source, text)

    def run(self):
        GLib.timeout_add(250, self.check_frames)
        super().run()
        say(f"{self.frames} frames, the camera was started again {self.restarts} times")
        return self.status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wait", type=float, default=5, help="seconds without a frame after which the camera is lost (%(default)s)")
    parser.add_argument("--frames", type=int, default=0, help="frames after which to end (0: never)")
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("rest", metavar="ELEMENT", nargs="*")
    arguments = parser.parse_args()
    Gst.init(None)
    try:
        return Watch(arguments).run()
    except GLib.Error as error:
        say(error.message)
        return 2


if __name__ == "__main__":
    sys.exit(main())
