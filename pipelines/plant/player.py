# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a pipeline until its stream ends, it fails, or SIGINT or SIGTERM comes: of run_camera.py and watch_camera.py."""
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst


class Player:
    """Programs override what they do in another way: end_stream(), take_error() and say()."""

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.loop = GLib.MainLoop()
        self.status = 0  # of the program
        self.ending = False

    @staticmethod
    def say(text):
        print(text, file=sys.stderr, flush=True)

    def end_stream(self):
        """The sinks deliver what they have, and then report the end of the stream."""
        self.pipeline.send_event(Gst.Event.new_eos())

    def end(self):
        """The first signal ends the stream. The next one of its kind finds no handler, and ends a program whose pipeline hangs."""
        if not self.ending:
            self.ending = True
            self.end_stream()
        return GLib.SOURCE_REMOVE

    def take_error(self, source, text):
        """SOURCE has posted an error."""
        self.say(f"{source.get_name()}: {text}")
        self.status = 1
        self.loop.quit()

    def read_message(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            self.say(f"{message.src.get_name()}: {message.parse_warning()[0].message}")
        elif message.type == Gst.MessageType.ERROR:
            self.take_error(message.src, message.parse_error()[0].message)

    def run(self):
        """Returns the exit status, with the pipeline stopped."""
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.read_message)
        for number in signal.SIGINT, signal.SIGTERM:
            GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, self.end)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        return self.status
