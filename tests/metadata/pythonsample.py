# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the metadata from Python share: frames with components and contours. The last argument of a test is
the module that attaches contours. Exit status 77 without PyGObject or NumPy."""
import ctypes
import json
import re
import sys

try:
    import gi
    import numpy

    gi.require_version("Gst", "1.0")
    gi.require_version("GstContours", "1.0")
    from gi.repository import GLib, Gst, GstContours
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

Gst.init(None)

NOISE = ("videotestsrc pattern=snow num-buffers=3 ! video/x-raw,format=GRAY8,width=61,height=47,framerate=25/1 ! "
         "identity name=frames ! cudacca name=finder backend=cpu threshold=180 ")
ALL = "features=moments+grey+percentiles+inscribed+contrast+skeleton labels=true "
STRIPS = "strip-mode=true features=moments+grey "


class Frames:
    """The buffers that come out of a pipeline, and the images that go into cudacca."""

    def __init__(self, launch):
        self.pictures = []
        pipeline = Gst.parse_launch(f"{launch} ! appsink name=out sync=false")
        pad = pipeline.get_by_name("frames").get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.BUFFER, self.keep_picture)
        out = pipeline.get_by_name("out")
        pipeline.set_state(Gst.State.PLAYING)
        self.buffers = [sample.get_buffer() for sample in iter(lambda: out.emit("pull-sample"), None)]
        error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        assert error is None, error.parse_error()

    def keep_picture(self, pad, info):
        buffer = info.get_buffer()
        # What get_structure() returns differs from GStreamer 1.26 on.
        caps = pad.get_current_caps().to_string()
        width, height = (int(re.search(rf"{name}=\(int\)(\d+)", caps)[1]) for name in ("width", "height"))
        # Rows of GRAY8 are padded to four bytes.
        data = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), "u1")
        self.pictures.append(data.reshape(height, -1)[:, :width])
        return Gst.PadProbeReturn.OK


def layout(structure):
    """The dtype of a C structure, as documented for whoever reads the bytes without the override."""
    return numpy.dtype(json.loads(GstContours.get_layout(structure)))


def features_of(component):
    names = ("orientation", "major_axis", "minor_axis", "eccentricity", "min", "max", "mean", "std")
    return {name: getattr(component, name) for name in names}


class SampleGpu(ctypes.Structure):
    """As in sample.h."""
    _fields_ = [("coordinates", ctypes.c_int), ("broken", ctypes.c_int), ("fetched", ctypes.c_int * 3),
                ("destroyed", ctypes.c_int)]


PIXELS, CORNERS = 0, 1
GPUS = []  # must outlive the buffers
MODULE = ctypes.CDLL(sys.argv.pop())
MODULE.sample_attach_contours.argtypes = [ctypes.c_void_p, ctypes.POINTER(SampleGpu), ctypes.c_uint, ctypes.c_int,
                                          ctypes.c_char_p]
MODULE.sample_attach_contours.restype = ctypes.c_void_p


def with_contours(coordinates, launch="identity"):
    """Returns a frame with the sample's contours after the elements of launch, and the GPU where the contours are."""
    GPUS.append(SampleGpu())
    pipeline = Gst.parse_launch("appsrc name=in caps=video/x-raw,format=GRAY8,width=8,height=6,framerate=25/1 "
                                f"format=time ! {launch} ! appsink name=out sync=false")
    buffer = Gst.Buffer.new_wrapped(bytes(8 * 6))
    buffer.pts = 40
    MODULE.sample_attach_contours(hash(buffer), GPUS[-1], 1, coordinates, b"follower")
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_by_name("in").emit("push-buffer", buffer)
    pipeline.get_by_name("in").emit("end-of-stream")
    sample = pipeline.get_by_name("out").emit("pull-sample")
    pipeline.get_bus().timed_pop_filtered(10 * Gst.SECOND, Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    return sample.get_buffer(), GPUS[-1]
