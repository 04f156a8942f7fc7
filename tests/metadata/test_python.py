# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata from Python: every accessor against cudacca's own integers, and the exported text against the metadata."""
import csv
import json
import math
import os
import sys
import tempfile
import unittest

try:
    import gi
    import numpy

    gi.require_version("Gst", "1.0")
    gi.require_version("GstContours", "1.0")
    from gi.repository import Gst, GstContours
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

Gst.init(None)

TABLE = numpy.dtype([("sum_x", "u8"), ("sum_y", "u8"), ("area", "u4"), ("left", "u2"), ("top", "u2"), ("width", "u2"),
                     ("height", "u2"), ("start_x", "u2"), ("reserved", "u2")])
MOMENTS = numpy.dtype([("sum_xx", "u8"), ("sum_xy", "u8"), ("sum_yy", "u8")])
GREY = numpy.dtype([("sum", "u8"), ("sum_sq", "u8"), ("min", "u2"), ("max", "u2"), ("reserved", "u4")])

NOISE = ("videotestsrc pattern=snow num-buffers=3 ! video/x-raw,format=GRAY8,width=61,height=47,framerate=25/1 ! "
         "identity name=frames ! cudacca name=finder backend=cpu threshold=180 ")
ALL = "features=moments+grey labels=true "


class Frames:
    """The buffers a pipeline ends with, and the pictures that went into cudacca."""

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

    def keep_picture(self, _pad, info):
        buffer = info.get_buffer()
        # Rows of GRAY8 are padded to four bytes.
        data = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), "u1")
        self.pictures.append(data.reshape(47, -1)[:, :61])
        return Gst.PadProbeReturn.OK


def features_of(component):
    names = ("orientation", "major_axis", "minor_axis", "eccentricity", "min", "max", "mean", "std")
    return {name: getattr(component, name) for name in names}


class Metadata(unittest.TestCase):
    def test_values(self):
        frames = Frames(NOISE + ALL)
        self.assertEqual(len(frames.buffers), 3)
        for picture, buffer in zip(frames.pictures, frames.buffers):
            meta = GstContours.buffer_get_component_meta(buffer)
            count = meta.get_count()
            self.assertGreater(count, 10)
            self.assertEqual(meta.get_source(), "finder")
            self.assertEqual(meta.get_threshold(), 180)
            self.assertEqual(meta.get_connectivity(), 8)
            self.assertEqual(tuple(meta.get_size()), (61, 47))
            self.assertEqual(tuple(meta.get_reference_size()), (61, 47))
            for feature in ("MOMENTS", "GREY", "LABELS"):
                self.assertTrue(meta.get_features() & getattr(GstContours.ComponentFeatures, feature))
            self.assertTrue(meta.get_mapping().is_identity())

            # The label image against the picture, everything else against the label image.
            labels = numpy.frombuffer(meta.get_labels_bytes().get_data(), "u4").reshape(47, 61)
            numpy.testing.assert_array_equal(labels > 0, picture >= 180)
            self.assertEqual(labels.max(), count)
            table = numpy.frombuffer(meta.get_table_bytes().get_data(), TABLE)
            moments = numpy.frombuffer(meta.get_moments_bytes().get_data(), MOMENTS)
            grey = numpy.frombuffer(meta.get_grey_bytes().get_data(), GREY)
            components = meta.get_components()
            self.assertEqual([len(table), len(moments), len(grey), len(components)], [count] * 4)
            for i, c in enumerate(components):
                y, x = (labels == i + 1).nonzero()
                samples = picture[labels == i + 1].astype("i8")
                self.assertEqual(c.label, i + 1)
                self.assertEqual((c.pixels, c.area, table["area"][i]), (len(x),) * 3)
                self.assertEqual((c.x, c.y, c.w, c.h),
                                 (x.min(), y.min(), x.max() - x.min() + 1, y.max() - y.min() + 1))
                self.assertEqual((c.first_x, c.first_y), (x[0], y[0]))
                self.assertEqual((c.sum_x, c.sum_y), (x.sum(), y.sum()))
                self.assertEqual((c.cx, c.cy), (x.sum() / len(x), y.sum() / len(x)))
                self.assertEqual(moments[i].tolist(), ((x * x).sum(), (x * y).sum(), (y * y).sum()))
                self.assertEqual(grey[i].tolist()[:2], (samples.sum(), (samples ** 2).sum()))
                self.assertEqual((c.min, c.max), (samples.min(), samples.max()))
                self.assertAlmostEqual(c.mean, samples.mean())
                self.assertAlmostEqual(c.std, samples.std())
                found, same = meta.get_component(i)
                self.assertTrue(found)
                self.assertEqual(features_of(same), features_of(c))
            self.assertFalse(meta.get_component(count)[0])

    def test_without_features(self):
        buffers = Frames(NOISE).buffers
        meta = GstContours.buffer_get_component_meta(buffers[0])
        self.assertEqual(int(meta.get_features()), 0)
        self.assertIsNone(meta.get_moments_bytes())
        self.assertIsNone(meta.get_grey_bytes())
        self.assertIsNone(meta.get_labels_bytes())
        self.assertTrue(math.isnan(meta.get_components()[0].orientation))

    def test_values_outlive_the_buffer(self):
        buffers = Frames(NOISE).buffers
        meta = GstContours.buffer_get_component_meta(buffers[0])
        components, table = meta.get_components(), meta.get_table_bytes()
        areas = [c.area for c in components]
        del meta
        buffers.clear()
        self.assertEqual([c.area for c in components], areas)
        self.assertEqual(numpy.frombuffer(table.get_data(), TABLE)["area"].tolist(), areas)

    def test_two_analysers(self):
        second = "! cudacca name=second backend=cpu threshold=30 invert=true"
        buffer = Frames(NOISE + second).buffers[0]
        self.assertEqual([m.get_source() for m in GstContours.buffer_get_component_metas(buffer)], ["finder", "second"])
        self.assertEqual(GstContours.buffer_get_component_meta_by_source(buffer, "second").get_threshold(), 30)
        self.assertIsNone(GstContours.buffer_get_component_meta_by_source(buffer, "third"))
        self.assertIsNone(GstContours.buffer_get_component_meta(Gst.Buffer.new()))

    def test_scaled(self):
        buffers = Frames(NOISE).buffers, Frames(NOISE + "! videoscale ! video/x-raw,width=244,height=94").buffers
        plain, scaled = (GstContours.buffer_get_component_meta(frames[0]) for frames in buffers)
        self.assertEqual(tuple(scaled.get_size()), (244, 94))
        self.assertEqual(tuple(scaled.get_reference_size()), (61, 47))
        for a, b in zip(plain.get_components(), scaled.get_components()):
            self.assertEqual((b.pixels, b.area), (a.pixels, a.area * 8))
            self.assertEqual((b.x, b.y, b.w, b.h), (a.x * 4, a.y * 2, a.w * 4, a.h * 2))
            self.assertAlmostEqual(b.cx, (a.cx + 0.5) * 4 - 0.5)
            self.assertAlmostEqual(b.cy, (a.cy + 0.5) * 2 - 0.5)
            x, y = scaled.get_mapping().map_point(a.cx, a.cy)
            self.assertEqual((x, y), (b.cx, b.cy))


class Export(unittest.TestCase):
    def export(self, launch, text_format):
        """The buffers, and what contourexport wrote of them."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            frames = Frames(f"{launch} ! contourexport location={path} format={text_format}")
            with open(path, encoding="utf-8", newline="") as text:
                return frames.buffers, text.read()

    def check_features(self, got, component):
        for name, value in features_of(component).items():
            self.assertEqual(float(got[name]), value, name)

    def test_ndjson(self):
        buffers, text = self.export(NOISE + ALL + "! videoscale ! video/x-raw,width=100,height=33", "ndjson")
        self.assertTrue(text.endswith("}\n"))
        lines = [json.loads(line, parse_constant=self.fail) for line in text.splitlines()]
        self.assertEqual(len(lines), len(buffers))
        for index, (line, buffer) in enumerate(zip(lines, buffers)):
            meta = GstContours.buffer_get_component_meta(buffer)
            components = line.pop("components")
            self.assertEqual(line, {
                "schema": "gst-cuda-contours/1", "frame": index, "pts": buffer.pts, "timestamp": buffer.pts,
                "source": "finder", "resolution": {"width": 100, "height": 33}, "threshold": 180, "connectivity": 8,
                "count": meta.get_count()})
            self.assertEqual(len(components), meta.get_count())
            for got, c in zip(components, meta.get_components()):
                for name in ("label", "area", "x", "y", "w", "h", "cx", "cy"):
                    self.assertEqual(got[name], getattr(c, name), name)
                self.check_features(got, c)

    def test_csv(self):
        buffers, text = self.export(NOISE + ALL, "csv")
        rows = list(csv.DictReader(text.splitlines()))
        expected = [(index, buffer.pts, c) for index, buffer in enumerate(buffers)
                    for c in GstContours.buffer_get_component_meta(buffer).get_components()]
        self.assertEqual(len(rows), len(expected))
        for row, (index, pts, c) in zip(rows, expected):
            self.assertEqual((row["frame"], row["pts"], row["timestamp"]), (str(index), str(pts), str(pts)))
            self.assertEqual((row["source"], row["width"], row["height"]), ("finder", "61", "47"))
            for name in ("label", "area", "x", "y", "w", "h", "cx", "cy"):
                self.assertEqual(float(row[name]), getattr(c, name), name)
            self.check_features(row, c)


unittest.main()
