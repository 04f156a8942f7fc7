# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares what cudacrackcontour trace=segmentation and cudacca mode=segmentation find in masks with OpenCV: for
each value of a mask, the components of connectedComponentsWithStats(), the numbers of outer contours and holes of findContours(),
and, independently of both, the pixels inside the lines. Positions in the frame, the classes and what contourexport writes are compared
with the rule of docs/metadata.md. Exit status 77 without GStreamer 1.26's GstAnalytics or without OpenCV.

    segmentation_oracle.py [ROUNDS [SEED]]"""
import csv
import json
import os
import sys
import tempfile

try:
    import cv2
    import gi
    import numpy as np

    gi.require_version("Gst", "1.0")
    gi.require_version("GstAnalytics", "1.0")
    gi.require_version("GstContours", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GLib, Gst, GstAnalytics, GstContours, GstVideo

    GstAnalytics.SegmentationType
except (AttributeError, ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

Gst.init(None)
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 30
RNG = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
WIDTH, HEIGHT = 320, 200  # of the frame
NAMES = ["strawberry", "leaf", "stem", "Erdbeere \u201crot\u201d"]


def make_mask(index):
    """Blobs of few values with holes and touching corners, or noise; in 8 or 16 bits."""
    width, height = (int(n) for n in RNG.integers(1, 70, 2))
    values = RNG.choice(np.arange(1, 256 if index % 2 == 0 else 65536), 4, replace=False)
    picture = RNG.integers(0, 5, (height, width))
    if index % 3:
        picture = cv2.resize(picture.astype("u1"), (width, height), fx=0, fy=0, interpolation=cv2.INTER_NEAREST)
        picture = cv2.medianBlur(picture, 5)
    return np.concatenate(([0], values)).astype("u1" if index % 2 == 0 else "<u2")[picture], values


def make_buffer(masks):
    buffer = Gst.Buffer.new_wrapped(bytes(WIDTH * HEIGHT))
    relations = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
    for mask, values, place in masks:
        height, width = mask.shape
        padded = np.pad(mask, ((0, 0), (0, 3)))
        pixels = Gst.Buffer.new_wrapped(padded.tobytes())
        GstVideo.buffer_add_video_meta_full(
            pixels, GstVideo.VideoFrameFlags.NONE,
            GstVideo.VideoFormat.GRAY8 if mask.itemsize == 1 else GstVideo.VideoFormat.GRAY16_LE, width, height, 1,
            [0, 0, 0, 0], [padded.strides[0], 0, 0, 0])
        added, segmentation = relations.add_segmentation_mtd(
            pixels, GstAnalytics.SegmentationType.INSTANCE, [int(v) for v in values], *place)
        assert added
        added, classes = relations.add_cls_mtd([0.5] * len(values), [GLib.quark_from_string(name) for name in NAMES])
        assert added and relations.set_relation(GstAnalytics.RelTypes.RELATE_TO, segmentation.id, classes.id)
    return buffer


def analyse(masks):
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},framerate=25/1"
        " ! cudacca name=parts mode=segmentation backend=cpu ! cudacrackcontour name=lines trace=segmentation backend=cpu"
        " ! contourexport location=out.ndjson ! contourexport format=coco location=out.json"
        " ! contourexport format=csv location=out.csv ! appsink name=out sync=false")
    source, out = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    source.emit("push-buffer", make_buffer(masks))
    source.emit("end-of-stream")
    sample = out.emit("pull-sample")
    error = pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    assert error.type == Gst.MessageType.EOS, error.parse_error()
    with open("out.ndjson", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    with open("out.json", encoding="utf-8") as file:
        coco = json.load(file)
    with open("out.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return sample.get_buffer(), lines, coco, rows


def fill(shape, polygons):
    """The pixels inside lines of cracks: each upright side of a pixel changes the rest of its row."""
    changes = np.zeros((shape[0], shape[1] + 1), bool)
    for points in polygons:
        for (x, y), (to_x, to_y) in zip(points, np.roll(points, -1, axis=0)):
            if x == to_x:
                changes[min(y, to_y):max(y, to_y), x] ^= True
    return np.logical_xor.accumulate(changes, axis=1)[:, :-1]


def placed(points, mask, place):
    x, y, width, height = place
    return np.array([[x, y]]) + points * [[width / mask.shape[1], height / mask.shape[0]]]


def compare(masks):
    buffer, lines, coco, rows = analyse(masks)
    parts, outlines = GstContours.component_metas(buffer, "parts"), GstContours.contour_metas(buffer, "lines")
    assert len(parts) == len(outlines) == len(masks)
    exported = [[line for line in lines if line["source"] == name] for name in ("parts", "lines")]
    assert {entry["name"] for entry in coco["categories"]} <= {name + end for name in NAMES for end in ("", " hole")}
    written = [[item["class"] for line in of_element for item in line[key]]
               for of_element, key in zip(exported, ("components", "contours"))]
    assert [row["class"] for row in rows if row["source"] == "parts"] == written[0]
    assert [row["class"] for row in rows if row["source"] == "lines"] == written[1]
    total = 0
    for i, (mask, values, place) in enumerate(masks):
        contours, table = outlines[i].contours, parts[i].table
        seen = set(table["value"].tolist())
        assert seen == {contour.level for contour in contours} == set(mask[mask > 0].tolist())
        for value, name in zip(values.tolist(), NAMES):
            alone = (mask == value).astype("u1")
            count, _, stats, _ = cv2.connectedComponentsWithStats(alone, connectivity=8)
            mine = table[table["value"] == value]
            rows = sorted(zip(*(mine[field].tolist() for field in ("left", "top", "width", "height", "area"))))
            assert rows == sorted(tuple(row) for row in stats[1:count].tolist()), (value, rows)
            of_value = [contour for contour in contours if contour.level == value]
            assert (fill(mask.shape, [contour.points for contour in of_value]) == alone).all()
            _, tree = cv2.findContours(alone, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
            holes = 0 if tree is None else int((tree[0][:, 3] >= 0).sum())
            assert sum(contour.hole for contour in of_value) == holes
            assert len(of_value) - holes == count - 1
            assert outlines[i].get_class_name(value) == parts[i].get_class_name(value) == name
            total += len(of_value)
        assert [c["class"] for c in exported[0][i]["components"]] == [NAMES[values.tolist().index(v)] for v in table["value"]]
        for contour, written in zip(contours, exported[1][i]["contours"]):
            assert written["level"] == contour.level and written["class"] == NAMES[values.tolist().index(contour.level)]
            expected = placed(contour.points, mask, place)
            assert np.allclose(written["points"], expected) and np.allclose(outlines[i].map_points(contour.id), expected, atol=1e-4)
        resolution = exported[1][i]["resolution"]
        assert (resolution["width"], resolution["height"]) == (WIDTH, HEIGHT)
    return total


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    found = 0
    for i in range(ROUNDS):
        found += compare([(*make_mask(int(RNG.integers(0, 6))),
                           (int(RNG.integers(-20, WIDTH)), int(RNG.integers(-20, HEIGHT)), int(RNG.integers(1, 200)), int(RNG.integers(1, 200))))
                          for _ in range(i % 4)])
        os.remove("out.ndjson")
        os.remove("out.json")
    assert found > 10 * ROUNDS, found
print(f"{found} contours in masks equal those of OpenCV {cv2.__version__}")
