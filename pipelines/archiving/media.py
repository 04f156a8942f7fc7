# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a file through the elements, in a GStreamer pipeline of this process."""
import contextlib
import re
import threading
import time
from typing import NamedTuple

from gi.repository import GLib, Gst

from . import inputs, wholeness

ANALYSERS = {"cudacca", "cudaborders", "cudacanny", "cudacrackcontour", "cudasnake"}
# What these do with a frame does not depend on the frames before it.
FORGETFUL = ANALYSERS | {"cudaforeground", "cudacontouroverlay", "capsfilter", "queue", "videoconvert", "videoscale", "videoconvertscale",
                         "videocrop", "videoflip", "videobox", "videobalance", "gamma", "cudaupload", "cudadownload", "cudaconvert",
                         "cudascale", "cudaconvertscale"}
REMEMBERING = {"strip-mode": "strips of one picture", "track": "targets that are followed"}
READ_BYTES = 1 << 20  # at a time, from a bucket
STOP_SECONDS = 10  # in which a pipeline must stop
POLL = 0.05  # seconds between looks at the messages while no frame comes


class MediaError(Exception):
    """A file that cannot be analysed. RETRY: the reason may be the worker, such as its GPU."""

    def __init__(self, text, retry=False):
        super().__init__(text)
        self.retry = retry


class Frame(NamedTuple):
    buffer: Gst.Buffer
    time: int  # stream time in nanoseconds, None if unknown
    width: int
    height: int


def describe(elements):
    """What is wrong with the text of the elements, or None, and why videos cannot be split, or None."""
    try:
        chain = Gst.parse_bin_from_description(elements, True)
    except GLib.Error as problem:
        return f"--elements: {problem.message}", None
    if not chain.get_static_pad("sink") or not chain.get_static_pad("src"):
        return f"--elements '{elements}' must be one chain of elements, with a free input and output", None
    names, reason = set(), None
    for element in chain.children:
        name = element.get_factory().get_name()
        names.add(name)
        for switch, what in REMEMBERING.items():
            if element.find_property(switch) and element.get_property(switch):
                reason = f"{name} {switch}=true: {what}"
        if name not in FORGETFUL:
            reason = f"{name} may depend on earlier frames"
    if not names & ANALYSERS:
        return f"--elements '{elements}' attaches no results: one of {', '.join(sorted(ANALYSERS))} is needed", None
    return None, reason


def plugin_version():
    plugin = Gst.Registry.get().find_plugin("cudacontours")
    return plugin.get_version() if plugin else None


class Bucket:
    """An appsrc reads a file of pyarrow through this, at any position.

    A demuxer pulls from it. A flush would leave what was just pushed in the queue of appsrc, as data of the position after it; so a seek
    of the pipeline holds requests back, and waits until the queue is empty."""

    def __init__(self, source, stream, size):
        self.source, self.stream = source, stream
        self.problem = None  # why it cannot be read
        self.state = threading.Condition()
        self.is_held = self.is_pushing = self.is_flushing = False
        source.set_property("size", size)
        source.set_property("format", Gst.Format.BYTES)
        source.set_property("stream-type", 2)  # random access
        source.connect("seek-data", self.seek)
        source.connect("need-data", self.answer)
        source.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_FLUSH, self.note_flush)

    def seek(self, _source, position):
        self.read(self.stream.seek, position)
        return self.problem is None

    def read(self, call, *arguments):
        """None where the file cannot be read. Nobody sees an exception in these callbacks."""
        try:
            return call(*arguments)
        except OSError as problem:
            self.problem = self.problem or str(problem)
            return None

    def note_flush(self, _pad, info):
        with self.state:
            self.is_flushing = info.get_event().type == Gst.EventType.FLUSH_START
            self.state.notify_all()
        return Gst.PadProbeReturn.OK

    def answer(self, _source, length):
        """A flush waits for the thread that asks here."""
        with self.state:
            self.state.wait_for(lambda: not self.is_held or self.is_flushing)
            if self.is_flushing:
                return
            self.is_pushing = True
        try:
            self.push(length)
        finally:
            with self.state:
                self.is_pushing = False
                self.state.notify_all()

    def push(self, length):
        at = self.stream.tell()
        data = self.read(self.stream.read, length if 0 < length <= 16 * READ_BYTES else READ_BYTES)
        if not data:
            self.source.emit("end-of-stream")
            return
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.offset = at
        self.source.emit("push-buffer", buffer)

    @contextlib.contextmanager
    def held(self, timeout):
        """No request is answered, and the queue is empty."""
        limit = time.monotonic() + timeout
        with self.state:
            self.is_held = True
            self.state.wait_for(lambda: not self.is_pushing, timeout)
        while self.source.get_property("current-level-bytes") and time.monotonic() < limit:
            time.sleep(0.001)
        try:
            yield
        finally:
            with self.state:
                self.is_held = False
                self.state.notify_all()


class Media:
    """A pipeline that begins with a file. DESCRIPTION is what follows it and ends with an appsink of the name `out`. The CUDA context
    of one pipeline goes on to the next, so that it is made once."""
    contexts = {}

    def __init__(self, file, description, timeout):
        self.timeout = timeout
        self.stream = self.bucket = None
        system = inputs.open_system(file.system)
        with system.open_input_file(file.path) as stream:
            if problem := wholeness.problem_of(stream, stream.size()):
                raise MediaError(problem)
        first = "appsrc" if file.system else "filesrc"
        self.pipeline = Gst.parse_launch(f"{first} name=source ! {description}")
        source = self.pipeline.get_by_name("source")
        if file.system:
            self.stream = system.open_input_file(file.path)
            self.bucket = Bucket(source, self.stream, self.stream.size())
        else:
            source.set_property("location", file.path)
        self.out = self.pipeline.get_by_name("out")
        self.bus = self.pipeline.get_bus()
        for context in self.contexts.values():
            self.pipeline.set_context(context)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """An element that hangs would hang whoever stops it, so another thread does. This process is of no more use then."""
        stop = threading.Thread(target=self.pipeline.set_state, args=[Gst.State.NULL], daemon=True)
        stop.start()
        stop.join(STOP_SECONDS)
        if stop.is_alive():
            raise MediaError(f"an element hangs: no frame within {self.timeout:g} s, and no end within {STOP_SECONDS} s", retry=True)
        self.check_messages(raising=False)
        if self.stream:
            self.stream.close()

    def check_messages(self, raising=True):
        if raising and self.bucket and self.bucket.problem:
            raise MediaError(f"the file cannot be read: {self.bucket.problem}")
        while message := self.bus.pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.HAVE_CONTEXT):
            if message.type == Gst.MessageType.HAVE_CONTEXT:
                context = message.parse_have_context()
                self.contexts[context.get_context_type()] = context
            elif raising:
                raise self.as_error(message)

    def wait_for_error(self):
        """Raises the error that a state change has failed for."""
        message = self.bus.timed_pop_filtered(Gst.SECOND, Gst.MessageType.ERROR)
        raise self.as_error(message) if message else MediaError("the pipeline cannot be started")

    @staticmethod
    def as_error(message):
        error, debug = message.parse_error()
        detail = (debug or "").partition("\n")[2].strip()  # after the place in GStreamer's sources
        factory = message.src.get_factory() if isinstance(message.src, Gst.Element) else None
        name = factory.get_name() if factory else message.src.get_name()
        ours = factory and factory.get_plugin_name() == "cudacontours"
        of_the_gpu = bool(ours) and error.matches(Gst.ResourceError.quark(), error.code)
        return MediaError(f"{name}: {error.message}" + (f" ({detail})" if detail else ""), retry=of_the_gpu)

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)  # a failure arrives as a message

    def pause(self):
        """Waits until the first frame has come to the sink."""
        self.pipeline.set_state(Gst.State.PAUSED)
        limit = time.monotonic() + self.timeout
        while (state := self.pipeline.get_state(int(POLL * Gst.SECOND))[0]) == Gst.StateChangeReturn.ASYNC:
            self.check_messages()
            if time.monotonic() > limit:
                raise MediaError(f"no frame within {self.timeout:g} s")
        if state == Gst.StateChangeReturn.FAILURE:
            self.wait_for_error()
        self.check_messages()

    def seek(self, position):
        """To the frame that is shown at a stream time, or an earlier one."""
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        with self.bucket.held(self.timeout) if self.bucket else contextlib.nullcontext():
            if not self.pipeline.seek(1, Gst.Format.TIME, flags, Gst.SeekType.SET, position, Gst.SeekType.NONE, 0):
                raise MediaError("the file cannot be sought: analyse it with --segment=0")

    def samples(self):
        """All that reach the sink. MediaError where the pipeline fails, or stands still for too long."""
        limit = time.monotonic() + self.timeout
        while True:
            sample = self.out.emit("try-pull-sample", int(POLL * Gst.SECOND))
            self.check_messages()
            if sample:
                yield sample
                limit = time.monotonic() + self.timeout
            elif self.out.get_property("eos"):
                return
            elif time.monotonic() > limit:
                raise MediaError(f"no frame within {self.timeout:g} s")


def time_of(sample):
    pts = sample.get_buffer().pts
    if pts == Gst.CLOCK_TIME_NONE:
        return None
    found = sample.get_segment().to_stream_time(Gst.Format.TIME, pts)
    return None if found == Gst.CLOCK_TIME_NONE else found


def describe_caps(caps):
    """The name of CAPS' first structure, and its integers. What Caps.get_structure() returns differs from GStreamer 1.26 on."""
    text = caps.to_string().split(";")[0]
    return re.match(r"[^,(]*", text)[0].strip(), {name: int(value) for name, value in re.findall(r"([\w-]+)=\(int\)(-?\d+)", text)}


def read_frames(file, elements, timeout, start=None):
    """Analyses a file: yields its frames with their metadata, of a file sought to START from about there on. A frame's metadata
    has to be read before the next one is taken."""
    description = ("decodebin caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert ! "
                   f"{elements} ! appsink name=out sync=false max-buffers=4")
    with Media(file, description, timeout) as media:
        if start:
            media.pause()
            media.seek(start)
        media.play()
        for sample in media.samples():
            size = describe_caps(sample.get_caps())[1]
            yield Frame(sample.get_buffer(), time_of(sample), size["width"], size["height"])
