# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which elements of GStreamer keep metadata: what the tables of docs/metadata.md say is measured here. What needs a GPU is not.
Argument: docs/metadata.md."""
import re
import sys

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstContours", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstContours, GstVideo

try:
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GstAnalytics
except ValueError:  # before GStreamer 1.24, or not installed
    GstAnalytics = None

SIZE = 160, 120
FORMATS = {"edgetv": "BGRx"}  # the others take I420
# What the element is tried as, where its name alone does not do.
LINES = {
    "videoscale": "videoscale ! video/x-raw,width=320,height=240",
    "videoconvert": "videoconvert ! video/x-raw,format=RGB",
    "videoconvertscale": "videoconvertscale ! video/x-raw,format=RGB,width=320,height=240",
    "videocrop": "videocrop left=4 top=2",
    "videobox": "videobox left=4",
    "videoflip": "videoflip video-direction=horiz",
    "alpha": "alpha ! video/x-raw,format=AYUV",
    "cudacanny": "cudacanny backend=cpu",
    "cudabackground": "cudabackground backend=cpu",
}
NEEDS_GPU = {"cudaupload", "cudadownload", "cudaconvert"}

Gst.init(None)
major, minor = Gst.version()[:2]
if minor >= 28:
    print("skipped: the tables are of GStreamer 1.22 and 1.26")
    sys.exit(77)
analytics = GstAnalytics is not None and minor >= 24


def measure(line, before=""):
    """The boxes of the first component behind LINE, by kind of metadata: native, region of interest, detection; and the size of the
    frame, or None for an encoded one."""
    name = line.split()[0] if line else ""
    attach = "native+roi" + ("+analytics" if analytics else "")
    pipeline = Gst.parse_launch(
        f"videotestsrc pattern=ball num-buffers=2 ! video/x-raw,format={FORMATS.get(name, 'I420')},width={SIZE[0]},height={SIZE[1]}"
        f" {before} ! cudacca backend=cpu attach-as={attach} {'! ' + line if line else ''} ! fakesink name=out")
    found = []

    def on_buffer(pad, info):
        buffer = info.get_buffer()
        boxes = {}
        meta = GstContours.buffer_get_contours_component_meta(buffer)
        if meta:
            boxes["native"] = tuple(float(n) for n in meta.components[0].box)
        roi = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, 1)
        if roi:
            boxes["roi"] = roi.x, roi.y, roi.w, roi.h
        relations = GstAnalytics.buffer_get_analytics_relation_meta(buffer) if analytics else None
        if relations:
            known, mtd = relations.get_od_mtd(0)
            if known:
                boxes["detection"] = tuple(mtd.get_location()[1:5])
        caps = pad.get_current_caps().to_string()
        found.append((boxes, tuple(int(re.search(rf"{side}=\(int\)(\d+)", caps)[1]) for side in ("width", "height"))))
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, on_buffer)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, (line, message and message.parse_error())
    return found[0]


def scaled(box, size):
    return tuple(n * size[i % 2] / SIZE[i % 2] for i, n in enumerate(box))


def rows(page, heading):
    table = page.partition(heading)[2].partition("|---|")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read().partition("## Which elements keep the metadata")[2]
origin, _ = measure("")
assert set(origin) >= {"native", "roi"} and (not analytics or "detection" in origin), origin
measured = 0
for elements, says in rows(text, "| element | the metadata is |"):
    for name in re.findall("`([a-z]+)`", elements):
        if name in NEEDS_GPU or not Gst.ElementFactory.find(name):
            print("not measured:", name)
            continue
        boxes, size = measure(LINES.get(name, name))
        if says.startswith("kept"):
            assert boxes.get("native") == scaled(origin["native"], size), (name, boxes, origin, size)
        else:
            assert says == "dropped" and "native" not in boxes, (name, boxes)
        measured += 1
assert measured >= 10, measured

# What a row says besides.
boxes, _ = measure("videoscale ! video/x-raw,width=320,height=120,pixel-aspect-ratio=1/1")
assert "native" not in boxes
boxes, _ = measure("deinterlace", "! interlace field-pattern=1:1")
assert "native" not in boxes

# The metadata of GStreamer.
for line in "videoscale ! video/x-raw,width=320,height=240", "videoconvert ! video/x-raw,format=RGB", "jpegenc":
    boxes, size = measure(line)
    for kind in set(origin) - {"native"}:
        assert boxes.get(kind) == scaled(origin[kind], size), (line, kind, boxes, origin)
for line in "videoflip video-direction=horiz", "videocrop left=4 top=2":
    boxes, _ = measure(line)
    assert not boxes, (line, boxes)
