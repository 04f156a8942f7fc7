# SPDX-License-Identifier: LGPL-2.1-or-later
"""JPEG pictures of frames, made in pipelines of their own: the whole frame scaled down, and parts of it.

A thread of each camera makes them, of the newest frame that it is given. Whoever gives a frame never waits."""
import queue
import threading

from gi.repository import Gst, GstVideo

VERMILION, SKY = "0xffd55e00", "0xff56b4e9"  # of Okabe and Ito, as pipelines/count-parts.sh draws
OUTLINES = f"cudacontouroverlay backend=cpu draw=contours color-by=fixed color={SKY}"
VERDICTS = f"cudacontouroverlay backend=cpu draw=regions labels=level color-by=fixed color={VERMILION}"
VIEW = ("videoscale ! capsfilter name=size ! " + OUTLINES + " ! " + VERDICTS + " ! videoconvert ! jpegenc quality=82")
CROP = OUTLINES + " ! videocrop name=crop ! videoconvert ! jpegenc quality=85"
TIMEOUT = Gst.SECOND
MARGIN = 12             # pixels around a part
CROPS_PER_FRAME = 4
ORDERS = 4              # frames that wait, each of which is kept as it is


class Encoder:
    """A pipeline that makes a JPEG file of each frame: encode() waits for it, for a second at most."""

    def __init__(self, chain):
        download = "cudadownload ! " if Gst.ElementFactory.find("cudadownload") else ""
        self.pipeline = Gst.parse_launch(f"appsrc name=in format=time max-buffers=1 ! {download}{chain}"
                                         " ! appsink name=out sync=false async=false max-buffers=1 drop=true")
        self.input, self.output = self.pipeline.get_by_name("in"), self.pipeline.get_by_name("out")
        self.pipeline.set_state(Gst.State.PLAYING)

    def encode(self, caps, frame):
        """The file as bytes. RuntimeError has the sentence for the user."""
        self.input.set_property("caps", caps)
        self.input.emit("push-buffer", frame)
        sample = self.output.emit("try-pull-sample", TIMEOUT)
        if sample is None:
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            reason = message.parse_error().gerror.message if message else "the frame took more than a second"
            raise RuntimeError(f"no picture: {reason}")
        buffer = sample.get_buffer()
        return buffer.extract_dup(0, buffer.get_size())

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


def size_for(width, height, widest):
    """The size of the view: at most WIDEST, even, as all formats can have it."""
    scale = min(1, widest / width)
    return max(2, round(width * scale / 2) * 2), max(2, round(height * scale / 2) * 2)


def marked(buffer, frame):
    """The same frame with a region of interest around each part that fails. Pixels and other metadata are shared."""
    copy = buffer.copy_region(Gst.BufferCopyFlags.FLAGS | Gst.BufferCopyFlags.TIMESTAMPS | Gst.BufferCopyFlags.META
                              | Gst.BufferCopyFlags.MEMORY, 0, buffer.get_size())
    for part in frame.parts if frame else ():
        if part.reasons:
            x, y, width, height = around(part.box, frame.size, 6)
            GstVideo.buffer_add_video_region_of_interest_meta(copy, f"{part.number} FAIL", x, y, width, height)
    return copy


def around(box, size, margin):
    """The box with a margin, within the frame: left, top, width, height as integers."""
    left, top = max(0, int(box[0]) - margin), max(0, int(box[1]) - margin)
    right = min(size[0], int(box[0] + box[2]) + margin)
    bottom = min(size[1], int(box[1] + box[3]) + margin)
    return left, top, max(1, right - left), max(1, bottom - top)


class Studio:
    """The thread that makes the pictures of a camera."""

    def __init__(self, widest, publish, complain):
        self.widest, self.publish, self.complain = widest, publish, complain
        self.orders = queue.Queue(maxsize=ORDERS)
        self.encoders = {}
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    @property
    def idle(self):
        return self.orders.empty()

    @property
    def full(self):
        return self.orders.full()

    def order(self, sample, frame, view, failures):
        """Wants the view of a frame and pictures of parts of it, pairs of a part and its failure. Dropped where too many
        orders wait."""
        try:
            self.orders.put_nowait((sample, frame, view, failures))
        except queue.Full:
            pass

    def stop(self):
        self.orders.put(None)
        self.thread.join()
        self.close()

    def close(self):
        for encoder in self.encoders.values():
            encoder.stop()
        self.encoders = {}

    def work(self):
        while order := self.orders.get():
            try:
                self.fill(*order)
                self.complain("")
            except RuntimeError as problem:
                self.complain(str(problem))
                self.close()  # the next frame finds new pipelines
            order = None  # the frame goes back to its pool

    def encoder(self, name, chain):
        if name not in self.encoders:
            self.encoders[name] = Encoder(chain)
        return self.encoders[name]

    def fill(self, sample, frame, view, failures):
        caps, buffer = sample.get_caps(), sample.get_buffer()
        info = GstVideo.VideoInfo.new_from_caps(caps)
        width, height = info.width, info.height
        if view:
            encoder = self.encoder("view", VIEW)
            size = size_for(width, height, self.widest)
            encoder.pipeline.get_by_name("size").set_property("caps", Gst.Caps.from_string(
                f"video/x-raw,width={size[0]},height={size[1]}"))
            self.publish(encoder.encode(caps, marked(buffer, frame)))
        for part, failure in failures[:CROPS_PER_FRAME]:
            encoder = self.encoder("crop", CROP)
            left, top, wide, high = around(part.box, (width, height), MARGIN)
            crop = encoder.pipeline.get_by_name("crop")
            for side, pixels in {"left": left, "top": top, "right": width - left - wide,
                                 "bottom": height - top - high}.items():
                crop.set_property(side, pixels)
            failure.picture = encoder.encode(caps, marked(buffer, None))
