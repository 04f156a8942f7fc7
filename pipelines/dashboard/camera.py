# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera: its pipeline, which is started again when the source fails, and the thread that evaluates its results.

The pipeline never waits for this thread: both of its outputs keep the newest few frames and drop older ones."""
import subprocess
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst

from .limits import evaluate, features_for
from .pictures import Studio
from .record import Record

QUEUED = 4                             # frames between the pipeline and the thread
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8    # seconds before the next attempt; doubled at each failure
NO_FRAME_SECONDS = 10                  # after which a live source is started again
STOP_SECONDS = 5                       # for a pipeline that may hang: the command ends without it
SCENE_FRAMES = 100000


def start_gstreamer(settings):
    """Initialises GStreamer, and checks what the command line says of cudaborders. ValueError has the sentence for the user."""
    Gst.init(None)
    finder = Gst.ElementFactory.make("cudaborders")
    for name, value in settings.extra:
        if not finder.find_property(name):
            raise ValueError(f"cudaborders has no property '{name}': gst-inspect-1.0 cudaborders lists them")
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        try:  # util_set_object_arg() keeps it to itself when a value makes no sense
            Gst.parse_launch(f'cudaborders {name}="{quoted}"')
        except GLib.Error:
            raise ValueError(f"cudaborders takes no '{value}' as {name}: gst-inspect-1.0 cudaborders lists the values") from None
    apply_settings(finder, settings, ())


def apply_settings(finder, settings, measures):
    """Sets the properties of an element cudaborders. MEASURES are computed besides those of the limits."""
    # A text that makes no sense is refused by the element, which keeps what it has.
    finder.set_property("region", settings.region)
    if (finder.get_property("region") or "") != settings.region:
        raise ValueError(f"'{settings.region}' is no region: give rectangles X,Y,WIDTH,HEIGHT between semicolons")
    Gst.util_set_object_arg(finder, "threshold-mode", settings.mode)
    finder.set_property("threshold", settings.threshold)
    finder.set_property("invert", settings.invert)
    wanted = {limit.name for limit in settings.limits}.union(measures)
    Gst.util_set_object_arg(finder, "features", features_for(wanted))


class Camera:
    """source: kind, name and elements; settings: the first ones; scene: the program that generates scenes; publish is called
    with each picture, in a thread of its own."""

    def __init__(self, source, settings, options, scene, publish):
        self.kind, self.name, self.description = source
        self.settings, self.options, self.scene = settings, options, scene
        self.record = Record(self.name)
        self.viewers = 0           # requests that want the picture; without them none is made
        self.measures = {"area"}   # that pages ask for
        self.studio = Studio(options.picture_width, publish, self.record.set_note)
        self.next_view = 0
        self.finder = None
        self.stopping = threading.Event()
        self.changes = threading.Lock()
        self.thread = threading.Thread(target=self.run, name=self.name, daemon=True)

    def start(self):
        self.thread.start()

    def stop(self):
        self.stopping.set()
        if self.thread.is_alive():
            self.thread.join(STOP_SECONDS)
        self.studio.stop()

    # -- what may change

    def change(self, settings):
        """Applies new settings, at once where the pipeline runs. ValueError has the sentence for the user."""
        with self.changes:
            if self.finder:
                apply_settings(self.finder, settings, self.measures)
            self.settings = settings
        self.record.clear()

    def want_measure(self, name):
        """A page shows a histogram of this measure: it is computed from now on."""
        if name in self.measures:
            return
        with self.changes:
            self.measures = self.measures | {name}
            if self.finder:
                apply_settings(self.finder, self.settings, self.measures)

    # -- the pipeline

    def build(self, scene):
        source = self.description
        if scene:
            source = source.replace("fd://0", f"fd://{scene.stdout.fileno()}")
        live = self.kind == "live" or self.options.fast
        # Sinks of one thread must not wait for the first frames of each other, nor at the end for whoever reads them.
        output = f"async=false sync=false drop=true wait-on-eos=false max-buffers={QUEUED}"
        pipeline = Gst.parse_launch(
            f"{source} cudaborders name=finder mode=ccomp ! contourextract name=extract codes=true"
            f" extract.src ! tee name=frames ! appsink name=pictures {output} frames. ! fakesink async=false sync={str(not live).lower()}"
            f" extract.json_src ! appsink name=results {output}")
        finder = pipeline.get_by_name("finder")
        for name, value in self.settings.extra:
            Gst.util_set_object_arg(finder, name, value)
        apply_settings(finder, self.settings, self.measures)
        return pipeline, finder

    def run(self):
        pause = FIRST_PAUSE
        while not self.stopping.is_set():
            frames = self.record.totals["frames"]
            reason = self.play()
            if self.stopping.is_set():
                return
            delivered = self.record.totals["frames"] > frames
            if self.kind != "live" and delivered and reason is None:
                continue  # a film begins again
            pause = FIRST_PAUSE if delivered else min(2 * pause, LONGEST_PAUSE)
            self.record.report("lost", f"{reason or 'The source has ended.'} Next attempt in {pause:g} s.")
            self.stopping.wait(pause)

    def play(self):
        """Plays the source to its end. Returns why it failed, or None."""
        scene = None
        if self.kind == "scene":
            scene = subprocess.Popen([self.scene, self.name, str(SCENE_FRAMES)], stdout=subprocess.PIPE)
        pipeline = None
        try:
            with self.changes:
                pipeline, self.finder = self.build(scene)
            self.record.begin()
            pipeline.set_state(Gst.State.PLAYING)
            return self.watch(pipeline)
        except (GLib.Error, OSError, ValueError) as problem:
            return getattr(problem, "message", str(problem))
        finally:
            with self.changes:
                self.finder = None
            if pipeline:
                pipeline.set_state(Gst.State.NULL)
            if scene:
                scene.stdout.close()
                scene.kill()
                scene.wait()

    def watch(self, pipeline):
        bus = pipeline.get_bus()
        results, pictures = pipeline.get_by_name("results"), pipeline.get_by_name("pictures")
        last, end = time.monotonic(), None
        while not self.stopping.is_set():
            # Read at each frame, so that other messages do not pile up, but heeded behind the last frame.
            end = end or bus.pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.EOS)
            sample = results.emit("try-pull-sample", Gst.SECOND // 10)
            if sample:
                last = time.monotonic()
                self.evaluate(sample.get_buffer(), pictures)
                continue
            # At the end of a stream the output has nothing to wait for, so this waits.
            end = end or bus.timed_pop_filtered(Gst.SECOND // 100, Gst.MessageType.ERROR | Gst.MessageType.EOS)
            if end:
                return end.parse_error().gerror.message if end.type == Gst.MessageType.ERROR else None
            if time.monotonic() - last > NO_FRAME_SECONDS:
                return f"No frame came for {NO_FRAME_SECONDS} s."
        return None

    def evaluate(self, buffer, pictures):
        text = buffer.extract_dup(0, buffer.get_size())
        frame = evaluate(text, self.settings.limits)
        failures = self.record.add(frame)
        now = time.monotonic()
        view = self.viewers > 0 and now >= self.next_view and self.studio.idle
        if (view or failures) and not self.studio.full:
            if sample := take(pictures, buffer.pts):
                if view:
                    self.next_view = max(self.next_view + 1 / self.options.picture_rate, now)
                self.studio.order(sample, frame, view, failures)


def take(pictures, pts):
    """The frame with this time stamp, if it is still there."""
    while sample := pictures.emit("try-pull-sample", Gst.SECOND // 20):
        found = sample.get_buffer().pts
        if found == pts:
            return sample
        if found > pts:
            return None
    return None
