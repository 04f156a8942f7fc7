#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""soak.py [OPTION]...: live sources that drop out and return, through every element, for as long as wanted.

Each stream is a live camera (videotestsrc, of a format and size of its own) that disappears at random moments and returns after a pause,
sometimes with another size; its pipeline keeps running. Every interval the script brings all streams to rest and notes resident memory,
GPU memory, file descriptors, threads, latency and frames. At the end it prints each one's slope, from a line of least squares through
the notes after the first quarter, with its standard error.

At rest, each stream has had the same last frames, and none is on its way: frames of other sizes and in queues make memory rise and fall
by several MiB while nothing leaks. The allocator gives freed memory back instead of caching it for each thread. The standard error allows
for notes that depend on the one before, for which least squares alone would promise too much.

Exit status 1: a pipeline reported an error or stood still, a frame was lost without a word, or a slope is above its bound. Exit status
2: a slope may be on either side of its bound, so the run was too short. Slopes are judged from 10 minutes on: below, memory that is
still being cached looks like a leak.

    tests/reliability/soak.py --minutes 60 --csv soak.csv         in the shell of "meson devenv -C build"
"""
import argparse
import array
import csv
import ctypes
import gc
import math
import os
import random
import subprocess
import sys
import time

# Before GLib is loaded: it would keep freed slices for each thread.
os.environ["G_SLICE"] = "always-malloc"
import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

# Format, sizes, frames a second, pattern, elements, in which what is in braces is filled in. Together they are every element.
STREAMS = [
    ("GRAY8", [(640, 480), (512, 384)], 25, "ball",
     "cudaborders {backend} threshold-mode=adaptive-mean block-size=31 offset=5 subpixel=edge features=hull+circle+feret"
     " ! cudacontouroverlay ! contourexport location={folder}/{number}.ndjson"),
    ("NV12", [(640, 480), (320, 240)], 25, "smpte",
     "cudabackground {backend} mode=absdiff ! cudacca {backend} threshold=20 features=moments+grey"
     " ! contourexport format=csv location={folder}/{number}.csv"),
    ("RGBA", [(320, 240), (321, 243)], 15, "circular",
     "cudasnake {backend} ! cudacontouroverlay ! contourextract name=extract extract.json_src ! queue"
     " ! fakesink sync=false enable-last-sample=false extract.src"),
    ("GRAY16_LE", [(320, 240), (640, 480)], 25, "gradient",
     "cudacrackcontour {backend} step=8192 hierarchy=levels ! cudacanny {backend} contours=true"
     " ! contourexport location={folder}/{number}.ndjson"),
    ("I420", [(320, 240), (64, 48)], 25, "snow",
     "cudaforeground {backend} threshold-mode=otsu open-size=3 close-size=3 ! cudaborders {backend} ! cudacontouroverlay"),
]
LAST_FRAMES = 6  # of each size, before a note
STALL = 20  # seconds without a frame while the camera is there: the pipeline stands still
BOUNDS = {"memory": 1.0, "gpu_memory": 1.0, "descriptors": 6.0, "threads": 6.0}  # an hour: MiB, MiB, pieces
UNITS = {"memory": "MiB", "gpu_memory": "MiB", "descriptors": "", "threads": "", "latency": "ms"}
NOTES = ("seconds", "memory", "gpu_memory", "descriptors", "threads", "latency", "longest_latency", "frames")
C_LIBRARY = ctypes.CDLL(None)
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # of malloc.h


def give_memory_back():
    """Has the C library return freed memory: blocks of all threads are in one heap, and those of frames are mapped one by one."""
    for parameter, value in ((M_ARENA_MAX, 1), (M_MMAP_THRESHOLD, 64 * 1024), (M_TRIM_THRESHOLD, 64 * 1024)):
        if not C_LIBRARY.mallopt(parameter, value):
            sys.exit(f"soak.py: the C library refuses mallopt({parameter}, {value})")


def resident():
    """MiB, without what the allocator could give back at once."""
    gc.collect()
    C_LIBRARY.malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def gpu_memory():
    """MiB that this process has on all GPUs, or NaN without nvidia-smi's answer."""
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
        return math.nan


class Stream:
    def __init__(self, number, options, generator):
        self.format, self.sizes, self.rate, self.pattern, elements = STREAMS[number % len(STREAMS)]
        self.number, self.random = number, generator
        self.sent = self.arrived = self.told = self.drop_outs = 0
        self.source, self.is_ending = None, False
        self.forget_latencies()
        backend = f"backend={options.backend}"
        if options.gpus > 1:
            backend += f" cuda-device-id={number // len(STREAMS) % options.gpus}"
        elements = elements.format(backend=backend, folder=options.folder, number=number)
        # A sink that keeps the last frame keeps all of its pool, which is as large as the longest queue was.
        self.pipeline = Gst.parse_launch(f"identity name=input silent=true ! queue name=queue max-size-buffers=8 ! {elements}"
                                         " ! fakesink name=output sync=true qos=false signal-handoffs=false enable-last-sample=false")
        self.input = self.pipeline.get_by_name("input").get_static_pad("sink")
        self.pipeline.get_by_name("output").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.note_arrival)
        # Not on the camera's pad, which goes with it: PyGObject 3.42 never frees the 48 bytes that a probe takes.
        self.input.add_probe(Gst.PadProbeType.BUFFER, self.note_departure)
        self.input.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.keep_end)
        self.camera_returns()
        self.pipeline.set_state(Gst.State.PLAYING)

    def running_time(self):
        return self.pipeline.get_clock().get_time() - self.pipeline.get_base_time()

    def note_arrival(self, pad, info):
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        self.arrived += 1
        self.last_arrival = time.monotonic()
        latency = (self.running_time() - segment.to_running_time(Gst.Format.TIME, info.get_buffer().pts)) / 1e6
        self.timed_frames += 1
        self.total_latency += latency
        self.longest_latency = max(self.longest_latency, latency)
        return Gst.PadProbeReturn.OK

    def forget_latencies(self):
        self.timed_frames, self.total_latency, self.longest_latency = 0, 0.0, 0.0

    def note_departure(self, _pad, _info):
        self.sent += 1
        return Gst.PadProbeReturn.OK

    def keep_end(self, _pad, info):
        is_end = info.get_event().type == Gst.EventType.EOS
        return Gst.PadProbeReturn.DROP if is_end and not self.is_ending else Gst.PadProbeReturn.OK

    def camera_returns(self, size=None):
        width, height = size or self.random.choice(self.sizes)
        self.source = Gst.parse_bin_from_description(
            f"videotestsrc is-live=true pattern={self.pattern}"
            f" ! capsfilter caps=video/x-raw,format={self.format},width={width},height={height},framerate={self.rate}/1", True)
        output = self.source.get_static_pad("src")
        self.pipeline.add(self.source)
        output.link(self.input)
        self.source.sync_state_with_parent()
        self.next_change = time.monotonic() + self.random.uniform(5, 60)
        self.last_arrival = time.monotonic()

    def camera_drops_out(self):
        self.source.set_locked_state(True)  # or a pipeline that still starts may set it to PLAYING again
        self.source.set_state(Gst.State.NULL)
        self.source.get_static_pad("src").unlink(self.input)
        self.pipeline.remove(self.source)
        self.source = None
        self.drop_outs += 1
        self.next_change = time.monotonic() + self.random.uniform(0.5, 5)

    def read_messages(self):
        """Returns what went wrong, or None."""
        while message := self.pipeline.get_bus().pop():
            if message.type == Gst.MessageType.ERROR:
                return f"stream {self.number}: {message.parse_error()[0].message}"
            if message.type == Gst.MessageType.QOS and message.src.get_name() != "output":
                self.told = message.parse_qos_stats()[2]
        return None

    def step(self):
        """Returns what went wrong, or None."""
        if wrong := self.read_messages():
            return wrong
        now = time.monotonic()
        if self.source and now - self.last_arrival > STALL:
            return f"stream {self.number} stands still: no frame for {STALL} s"
        if now > self.next_change:
            if self.source:
                self.camera_drops_out()
            else:
                self.camera_returns()
        return None

    def under_way(self):
        """Frames that neither arrived nor were reported as dropped."""
        return self.sent - self.arrived - self.told

    def finish(self):
        """Ends the stream. Returns the frames that are lost, or None if it did not end."""
        if self.source:
            self.camera_drops_out()
        self.is_ending = True
        self.input.send_event(Gst.Event.new_eos())
        message = self.pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        return self.under_way() if message and message.type == Gst.MessageType.EOS else None


def wait(streams, is_done):
    """Waits until IS_DONE is true for each stream. Returns what went wrong."""
    while True:
        if wrong := [text for stream in streams if (text := stream.read_messages())]:
            return wrong
        awaited = [stream for stream in streams if not is_done(stream)]
        if not awaited:
            return []
        still = [stream for stream in awaited if time.monotonic() - stream.last_arrival > STALL]
        if still:
            return [f"stream {stream.number} stands still with {stream.under_way()} frames on their way" for stream in still]
        time.sleep(0.01)


def come_to_rest(streams):
    """All cameras show each of their sizes, the first one last, and drop out. Returns what went wrong."""
    for turn in (-1, 0):
        for stream in streams:
            if stream.source:
                stream.camera_drops_out()
            stream.awaited = stream.sent + LAST_FRAMES
            stream.camera_returns(stream.sizes[turn])
        if wrong := wait(streams, lambda stream: stream.arrived + stream.told >= stream.awaited):
            return wrong
    for stream in streams:
        stream.camera_drops_out()
    wrong = wait(streams, lambda stream: stream.under_way() == 0)
    GLib.ThreadPool.stop_unused_threads()
    time.sleep(0.5)
    return wrong


def slope(times, values):
    """Of a line of least squares, an hour, and its standard error, for residuals that are an autoregressive process of first order."""
    count, mean = len(times), sum(times) / len(times)
    spread = sum((t - mean)**2 for t in times)
    middle = sum(values) / count
    rise = sum((t - mean) * (v - middle) for t, v in zip(times, values)) / spread
    residuals = [v - middle - rise * (t - mean) for t, v in zip(times, values)]
    square = sum(r**2 for r in residuals)
    correlation = sum(r * following for r, following in zip(residuals, residuals[1:])) / square if square else 0
    correlation = min(max(correlation, 0), 0.99)
    return rise * 3600, math.sqrt(square / (count - 2) / spread * (1 + correlation) / (1 - correlation)) * 3600


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--streams", type=int, default=len(STREAMS), help=f"more than {len(STREAMS)} repeat the first ones")
    parser.add_argument("--backend", default="auto", help="property of the elements: auto, cpu or cuda")
    parser.add_argument("--gpus", type=int, default=1, help=f"that the streams use, {len(STREAMS)} one and the next another")
    parser.add_argument("--interval", type=float, default=30, help="seconds between two notes")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--folder", default="/dev/shm", help="for the exports; each is removed at the end")
    parser.add_argument("--csv", help="writes the notes to this file")
    return parser.parse_args()


def judge(notes, minutes):
    """Prints the slopes. Returns what grows, and what may grow."""
    grows, may_grow = [], []
    judged = [note for note in notes if note[0] > minutes * 60 / 4]
    for name, unit in UNITS.items():
        values = [note[NOTES.index(name)] for note in judged]
        if len(values) < 3 or any(math.isnan(value) for value in values):
            print(f"{name}: not measured")
            continue
        rise, error = slope([note[0] for note in judged], values)
        print(f"{name}: {values[0]:.1f} to {values[-1]:.1f} {unit}, slope {rise:+.2f} +- {error:.2f} {unit} an hour")
        if minutes < 10 or name not in BOUNDS:
            continue
        if rise - 2 * error > BOUNDS[name]:
            grows.append(f"{name} grows by {rise:.2f} {unit} an hour; {BOUNDS[name]:g} are allowed")
        elif rise + 2 * error > BOUNDS[name]:
            may_grow.append(f"{name} may grow by {rise + 2 * error:.2f} {unit} an hour, {BOUNDS[name]:g} are allowed: let it run longer")
    if notes:
        print(f"longest latency: {max(note[NOTES.index('longest_latency')] for note in notes):.0f} ms")
    return grows, may_grow


def run(options):
    """Returns the notes, and what went wrong."""
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
        if wrong or time.monotonic() < next_note:
            continue
        wrong += come_to_rest(streams)
        if wrong:
            break
        # An array is one block of memory: numbers in lists or dicts would grow by 0.3 MiB an hour at a note each 5 s.
        notes.append(array.array("d", (
            time.monotonic() - started, resident(), gpu_memory(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")),
            sum(stream.total_latency for stream in streams) / max(sum(stream.timed_frames for stream in streams), 1),
            max(stream.longest_latency for stream in streams), sum(stream.arrived for stream in streams))))
        for stream in streams:
            stream.forget_latencies()
            stream.camera_returns()
        next_note = time.monotonic() + options.interval
    for stream in streams:
        lost = stream.finish()
        print(f"stream {stream.number}: {stream.format}, {stream.arrived} frames, {stream.drop_outs} drop-outs, "
              f"{stream.told} frames dropped and reported", flush=True)
        if lost is None:
            wrong.append(f"stream {stream.number} did not end within 30 s")
        elif lost:
            wrong.append(f"stream {stream.number}: {lost} frames are missing")
    return notes, wrong


def main():
    options = parse()
    give_memory_back()
    Gst.init(None)
    print(f"seed {options.seed}, {options.streams} streams, {options.minutes:g} minutes", flush=True)
    notes, wrong = run(options)
    for number in range(options.streams):
        for path in (f"{options.folder}/{number}.ndjson", f"{options.folder}/{number}.csv"):
            if os.path.exists(path):
                os.remove(path)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([NOTES, *notes])
    grows, may_grow = judge(notes, options.minutes)
    for text in wrong + grows + may_grow:
        print(f"soak.py: {text}", file=sys.stderr)
    return 1 if wrong or grows else 2 if may_grow else 0


if __name__ == "__main__":
    sys.exit(main())
