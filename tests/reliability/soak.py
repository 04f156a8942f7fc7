#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""soak.py [OPTION]...: live sources that drop out and return, through every element, for as long as wanted.

Each stream is a live camera (videotestsrc, of a format and size of its own) that disappears at random moments and returns after a pause,
sometimes with another size; its pipeline keeps running. Every few seconds the script notes resident memory, GPU memory, file
descriptors, threads, latency and frames. At the end it prints each one's slope, from a line of least squares through the notes after
the first quarter, with its standard error.

Exit status 1: a pipeline reported an error or stood still, a frame was lost without a word, or a slope is above its bound. Slopes are
judged from 10 minutes on: below, memory that is still being cached looks like a leak.

    tests/reliability/soak.py --minutes 60 --csv soak.csv         in the shell of "meson devenv -C build"
"""
import argparse
import csv
import ctypes
import math
import os
import random
import subprocess
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

# Format, sizes, frames a second, pattern, elements; {backend} is filled in. Together they are every element.
STREAMS = [
    ("GRAY8", [(640, 480), (512, 384)], 25, "ball",
     "cudaborders {backend} threshold-mode=adaptive-mean block-size=31 offset=5 subpixel=edge features=hull+circle+feret"
     " ! cudacontouroverlay ! contourexport location={folder}/0.ndjson"),
    ("NV12", [(640, 480), (320, 240)], 25, "smpte",
     "cudabackground {backend} mode=absdiff ! cudacca {backend} threshold=20 features=moments+grey"
     " ! contourexport format=csv location={folder}/1.csv"),
    ("RGBA", [(320, 240), (321, 243)], 15, "circular",
     "cudasnake {backend} ! cudacontouroverlay ! contourextract name=extract extract.json_src ! queue ! fakesink sync=false extract.src"),
    ("GRAY16_LE", [(320, 240), (640, 480)], 25, "gradient",
     "cudacrackcontour {backend} step=8192 hierarchy=levels ! cudacanny {backend} contours=true"
     " ! contourexport location={folder}/3.ndjson"),
    ("I420", [(320, 240), (64, 48)], 25, "snow",
     "cudaforeground {backend} threshold-mode=otsu open-size=3 close-size=3 ! cudaborders {backend} ! cudacontouroverlay"),
]
STALL = 20  # seconds without a frame while the camera is there: the pipeline stands still
BOUNDS = {"memory": 1.0, "gpu_memory": 1.0, "descriptors": 6.0, "threads": 6.0}  # a hour: MiB, MiB, pieces
UNITS = {"memory": "MiB", "gpu_memory": "MiB", "descriptors": "", "threads": "", "latency": "ms"}


def resident():
    """MiB, without what the allocator could give back at once."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def gpu_memory():
    """MiB that this process has on all GPUs, or None without nvidia-smi's answer."""
    try:
        lines = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"], timeout=30,
                               capture_output=True, text=True, check=True).stdout.splitlines()
        used = [float(line.split(",")[1]) for line in lines if int(line.split(",")[0]) == os.getpid()]
        if not used:  # in a container the processes are not told
            used = [float(line) for line in subprocess.run(
                ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], timeout=30, capture_output=True,
                text=True, check=True).stdout.splitlines()]
        return sum(used)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


class Stream:
    def __init__(self, number, options, generator):
        self.format, self.sizes, self.rate, self.pattern, elements = STREAMS[number % len(STREAMS)]
        self.number, self.random = number, generator
        self.sent = self.arrived = self.told = self.drop_outs = 0
        self.latencies = []
        self.source = None
        elements = elements.format(backend=f"backend={options.backend}", folder=options.folder)
        self.pipeline = Gst.parse_launch(f"identity name=input silent=true ! queue name=queue max-size-buffers=8 ! {elements}"
                                         " ! fakesink name=output sync=true qos=false signal-handoffs=false")
        self.input = self.pipeline.get_by_name("input").get_static_pad("sink")
        self.pipeline.get_by_name("output").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.note_arrival)
        self.camera_returns()
        self.pipeline.set_state(Gst.State.PLAYING)

    def running_time(self):
        return self.pipeline.get_clock().get_time() - self.pipeline.get_base_time()

    def note_arrival(self, pad, info):
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        self.arrived += 1
        self.last_arrival = time.monotonic()
        self.latencies.append((self.running_time() - segment.to_running_time(Gst.Format.TIME, info.get_buffer().pts)) / 1e6)
        return Gst.PadProbeReturn.OK

    def note_departure(self, _pad, _info):
        self.sent += 1
        return Gst.PadProbeReturn.OK

    def camera_returns(self):
        width, height = self.random.choice(self.sizes)
        self.source = Gst.parse_bin_from_description(
            f"videotestsrc is-live=true pattern={self.pattern}"
            f" ! capsfilter caps=video/x-raw,format={self.format},width={width},height={height},framerate={self.rate}/1", True)
        output = self.source.get_static_pad("src")
        output.add_probe(Gst.PadProbeType.BUFFER, self.note_departure)
        output.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.keep_end)
        self.pipeline.add(self.source)
        output.link(self.input)
        self.source.sync_state_with_parent()
        self.next_change = time.monotonic() + self.random.uniform(5, 60)
        self.last_arrival = time.monotonic()

    @staticmethod
    def keep_end(_pad, info):
        return Gst.PadProbeReturn.DROP if info.get_event().type == Gst.EventType.EOS else Gst.PadProbeReturn.OK

    def camera_drops_out(self):
        self.source.set_state(Gst.State.NULL)
        self.source.get_static_pad("src").unlink(self.input)
        self.pipeline.remove(self.source)
        self.source = None
        self.drop_outs += 1
        self.next_change = time.monotonic() + self.random.uniform(0.5, 5)

    def step(self):
        """Returns what went wrong, or None."""
        while message := self.pipeline.get_bus().pop():
            if message.type == Gst.MessageType.ERROR:
                return f"stream {self.number}: {message.parse_error()[0].message}"
            if message.type == Gst.MessageType.QOS and message.src.get_name() != "output":
                self.told = message.parse_qos_stats()[2]
        now = time.monotonic()
        if self.source and now - self.last_arrival > STALL:
            return f"stream {self.number} stands still: no frame for {STALL} s"
        if now > self.next_change:
            if self.source:
                self.camera_drops_out()
            else:
                self.camera_returns()
        return None

    def finish(self):
        """Ends the stream. Returns the frames that neither arrived nor were reported as dropped."""
        if self.source:
            self.camera_drops_out()
        self.input.send_event(Gst.Event.new_eos())
        message = self.pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        return self.sent - self.arrived - self.told if message and message.type == Gst.MessageType.EOS else None


def slope(times, values):
    """Of a line of least squares, an hour, and its standard error."""
    count, mean = len(times), sum(times) / len(times)
    spread = sum((t - mean)**2 for t in times)
    middle = sum(values) / count
    rise = sum((t - mean) * (v - middle) for t, v in zip(times, values)) / spread
    rest = sum((v - middle - rise * (t - mean))**2 for t, v in zip(times, values))
    return rise * 3600, math.sqrt(rest / (count - 2) / spread) * 3600


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--streams", type=int, default=len(STREAMS), help=f"more than {len(STREAMS)} repeat the first ones")
    parser.add_argument("--backend", default="auto", help="property of the elements: auto, cpu or cuda")
    parser.add_argument("--interval", type=float, default=5, help="seconds between two notes")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--folder", default="/dev/shm", help="for the exports; each is removed at the end")
    parser.add_argument("--csv", help="writes the notes to this file")
    return parser.parse_args()


def main():
    options = parse()
    Gst.init(None)
    print(f"seed {options.seed}, {options.streams} streams, {options.minutes:g} minutes", flush=True)
    generator = random.Random(options.seed)
    started, wrong, notes = time.monotonic(), [], []
    streams = [Stream(i, options, generator) for i in range(options.streams)]
    next_note = started + options.interval
    context = GLib.MainContext.default()
    while not wrong and time.monotonic() - started < options.minutes * 60:
        while context.iteration(False):
            pass
        wrong += [text for stream in streams if (text := stream.step())]
        time.sleep(0.05)
        if time.monotonic() < next_note:
            continue
        next_note += options.interval
        latencies = [ms for stream in streams for ms in stream.latencies]
        for stream in streams:
            stream.latencies = []
        notes.append({"seconds": time.monotonic() - started, "memory": resident(), "gpu_memory": gpu_memory(),
                      "descriptors": len(os.listdir("/proc/self/fd")), "threads": len(os.listdir("/proc/self/task")),
                      "latency": sum(latencies) / len(latencies) if latencies else 0,
                      "longest_latency": max(latencies, default=0), "frames": sum(stream.arrived for stream in streams)})
    for stream in streams:
        lost = stream.finish()
        print(f"stream {stream.number}: {stream.format}, {stream.arrived} frames, {stream.drop_outs} drop-outs, "
              f"{stream.told} frames dropped and reported", flush=True)
        if lost is None:
            wrong.append(f"stream {stream.number} did not end within 30 s")
        elif lost:
            wrong.append(f"stream {stream.number}: {lost} frames are missing")
    for name in ("0.ndjson", "1.csv", "3.ndjson"):
        if os.path.exists(f"{options.folder}/{name}"):
            os.remove(f"{options.folder}/{name}")
    if options.csv and notes:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, notes[0])
            writer.writeheader()
            writer.writerows(notes)
    judged = [note for note in notes if note["seconds"] > options.minutes * 60 / 4]
    for name, unit in UNITS.items():
        values = [note[name] for note in judged]
        if len(values) < 3 or None in values:
            print(f"{name}: not measured")
            continue
        rise, error = slope([note["seconds"] for note in judged], values)
        print(f"{name}: {values[0]:.1f} to {values[-1]:.1f} {unit}, slope {rise:+.2f} +- {error:.2f} {unit} an hour")
        if options.minutes >= 10 and name in BOUNDS and rise - 2 * error > BOUNDS[name]:
            wrong.append(f"{name} grows by {rise:.2f} {unit} an hour; {BOUNDS[name]:g} are allowed")
    if notes:
        print(f"longest latency: {max(note['longest_latency'] for note in notes):.0f} ms")
    for text in wrong:
        print(f"soak.py: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
