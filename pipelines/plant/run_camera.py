#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the pipeline of one camera under systemd: run_camera.py [OPTION]... [ELEMENT]...

The pipeline is the arguments or, without any, the environment variable PIPELINE, in the syntax of gst-launch-1.0. systemd hears
of the first frame (READY=1), and from then on, while frames arrive at the sinks, WATCHDOG=1: a pipeline that hangs is
restarted, whatever it waits for. SIGTERM ends the stream, so that sinks deliver what they have; a second one kills the program.
The numbers of sinks that send to a broker are printed as lines of JSON. Needs the Debian packages python3-gst-1.0 and
python3-systemd.
"""
import argparse
import json
import os
import sys

from player import Player  # which chooses the version of GStreamer
from gi.repository import GLib, Gst
from systemd import daemon

COUNTS = "sent", "acknowledged", "queued", "lost", "reconnects"


def elements_of(iterator):
    while (step := iterator.next())[0] == Gst.IteratorResult.OK:
        yield step[1]


class Runner(Player):
    def __init__(self, pipeline, report):
        super().__init__(pipeline)
        self.counts, self.told = {}, {}  # frames of each sink that has had any: now, and when systemd was told last
        sinks = list(elements_of(pipeline.iterate_sinks()))
        for sink in sinks:
            for pad in sink.sinkpads:
                pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, self.count, sink.get_name())
        self.senders = [sink for sink in sinks if self.read_counts(sink)]
        # Half of the time after which systemd acts, less one third for this timer's own delay.
        watchdog = int(os.environ.get("WATCHDOG_USEC", "3000000"))
        GLib.timeout_add(max(watchdog // 3000, 1), self.tell_systemd)
        if self.senders and report:
            GLib.timeout_add(int(report * 1000), self.report)

    @staticmethod
    def read_counts(sink):
        """The numbers of a sink that waits for acknowledgements, or None."""
        stats = sink.get_property("stats") if sink.find_property("stats") else None
        if not stats or not stats.has_field("acknowledged"):
            return None
        return {name: stats.get_value(name) for name in COUNTS if stats.has_field(name)}

    def count(self, _pad, _info, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        return Gst.PadProbeReturn.OK

    def tell_systemd(self):
        """Only what has come on at every sink since the last time is a pipeline that works."""
        counts = dict(self.counts)
        if counts and all(number > self.told.get(name, 0) for name, number in counts.items()):
            ready = "" if self.told else "READY=1\n"
            daemon.notify(f"{ready}WATCHDOG=1\nSTATUS={max(counts.values())} frames")
            self.told = counts
        return GLib.SOURCE_CONTINUE

    def report(self, when="running"):
        for sink in self.senders:
            numbers = {"frames": self.counts.get(sink.get_name(), 0)} | self.read_counts(sink)
            print(json.dumps({"sink": sink.get_name(), "state": when} | numbers), flush=True)
        return GLib.SOURCE_CONTINUE

    def end_stream(self):
        daemon.notify("STOPPING=1")
        super().end_stream()

    def run(self):
        super().run()
        self.report("failed" if self.status else "ended")
        return self.status


def seconds(text):
    value = float(text)
    if not 0 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"takes 0 to 86400 seconds, not {text}")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=seconds, default=60, metavar="SECONDS",
                        help="how often the sinks' numbers are printed (%(default)g; 0: only at the end)")
    parser.add_argument("elements", metavar="ELEMENT", nargs="*")
    arguments = parser.parse_args()
    description = " ".join(arguments.elements) or os.environ.get("PIPELINE", "")
    if not description:
        parser.error("there is no pipeline: give it as arguments, or in the environment variable PIPELINE")
    Gst.init(None)
    try:
        pipeline = Gst.parse_launch(description)
    except GLib.Error as error:
        print(f"The pipeline cannot be made: {error.message}", file=sys.stderr)
        return 2
    return Runner(pipeline, arguments.report).run()


if __name__ == "__main__":
    sys.exit(main())
