# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata from Python: every accessor against the analysis's own integers, and the exported text against the
metadata. Argument: the module that attaches contours."""
import csv
import ctypes
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
    from gi.repository import GLib, Gst, GstContours
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

Gst.init(None)

TABLE = numpy.dtype([("sum_x", "u8"), ("sum_y", "u8"), ("area", "u4"), ("left", "u2"), ("top", "u2"), ("width", "u2"),
                     ("height", "u2"), ("start_x", "u2"), ("reserved", "u2")])
MOMENTS = numpy.dtype([("sum_xx", "u8"), ("sum_xy", "u8"), ("sum_yy", "u8")])
CONTOURS = numpy.dtype([("first", "u8"), ("area2", "i8"), ("length", "u8"), ("count", "u4"), ("next", "i4"),
                        ("previous", "i4"), ("child", "i4"), ("parent", "i4"), ("flags", "u4"), ("level", "u4"),
                        ("left", "u2"), ("top", "u2"), ("width", "u2"), ("height", "u2"), ("reserved", "u4")])
CONTOUR_MOMENTS = numpy.dtype([(name, "f8") for name in (
    "m00", "m10", "m01", "m20", "m11", "m02", "m30", "m21", "m12", "m03", "mu20", "mu11", "mu02", "mu30", "mu21",
    "mu12", "mu03", "nu20", "nu11", "nu02", "nu30", "nu21", "nu12", "nu03")])
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
            meta = GstContours.buffer_get_contours_component_meta(buffer)
            count = meta.get_count()
            self.assertGreater(count, 10)
            self.assertEqual(meta.get_source(), "finder")
            self.assertEqual(meta.get_threshold(), 180)
            self.assertEqual(meta.get_flags(), 0)
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
        meta = GstContours.buffer_get_contours_component_meta(buffers[0])
        self.assertEqual(int(meta.get_features()), 0)
        self.assertIsNone(meta.get_moments_bytes())
        self.assertIsNone(meta.get_grey_bytes())
        self.assertIsNone(meta.get_labels_bytes())
        self.assertTrue(math.isnan(meta.get_components()[0].orientation))

    def test_values_outlive_the_buffer(self):
        buffers = Frames(NOISE).buffers
        meta = GstContours.buffer_get_contours_component_meta(buffers[0])
        components, table = meta.get_components(), meta.get_table_bytes()
        areas = [c.area for c in components]
        del meta
        buffers.clear()
        self.assertEqual([c.area for c in components], areas)
        self.assertEqual(numpy.frombuffer(table.get_data(), TABLE)["area"].tolist(), areas)

    def test_two_analysers(self):
        second = "! cudacca name=second backend=cpu threshold=30 invert=true"
        buffer = Frames(NOISE + second).buffers[0]
        self.assertEqual([m.get_source() for m in GstContours.buffer_get_contours_component_metas(buffer)], ["finder", "second"])
        self.assertEqual(GstContours.buffer_get_contours_component_meta_by_source(buffer, "second").get_threshold(), 30)
        self.assertIsNone(GstContours.buffer_get_contours_component_meta_by_source(buffer, "third"))
        self.assertIsNone(GstContours.buffer_get_contours_component_meta(Gst.Buffer.new()))

    def test_scaled(self):
        buffers = Frames(NOISE).buffers, Frames(NOISE + "! videoscale ! video/x-raw,width=244,height=94").buffers
        plain, scaled = (GstContours.buffer_get_contours_component_meta(frames[0]) for frames in buffers)
        self.assertEqual(tuple(scaled.get_size()), (244, 94))
        self.assertEqual(tuple(scaled.get_reference_size()), (61, 47))
        for a, b in zip(plain.get_components(), scaled.get_components()):
            self.assertEqual((b.pixels, b.area), (a.pixels, a.area * 8))
            self.assertEqual((b.x, b.y, b.w, b.h), (a.x * 4, a.y * 2, a.w * 4, a.h * 2))
            self.assertAlmostEqual(b.cx, (a.cx + 0.5) * 4 - 0.5)
            self.assertAlmostEqual(b.cy, (a.cy + 0.5) * 2 - 0.5)
            x, y = scaled.get_mapping().map_point(a.cx, a.cy)
            self.assertEqual((x, y), (b.cx, b.cy))


class SampleGpu(ctypes.Structure):
    """As in sample.h."""
    _fields_ = [("coordinates", ctypes.c_int), ("broken", ctypes.c_int), ("fetched", ctypes.c_int * 3),
                ("destroyed", ctypes.c_int)]


PIXELS, CORNERS = 0, 1
GPUS = []  # they outlive the buffers
MODULE = ctypes.CDLL(sys.argv.pop())
MODULE.sample_attach_contours.argtypes = [ctypes.c_void_p, ctypes.POINTER(SampleGpu), ctypes.c_uint, ctypes.c_int,
                                          ctypes.c_char_p]
MODULE.sample_attach_contours.restype = ctypes.c_void_p


def with_contours(coordinates, launch="identity"):
    """A frame with the sample's contours that came through launch, and where they are before they are fetched."""
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


class Contours(unittest.TestCase):
    def test_values(self):
        buffer, gpu = with_contours(PIXELS)
        meta = GstContours.buffer_get_contours_contour_meta(buffer)
        self.assertEqual([m.get_source() for m in GstContours.buffer_get_contours_contour_metas(buffer)], ["follower"])
        self.assertEqual(GstContours.buffer_get_contours_contour_meta_by_source(buffer, "follower").get_threshold(), 77)
        self.assertIsNone(GstContours.buffer_get_contours_contour_meta_by_source(buffer, "finder"))
        self.assertIsNone(GstContours.buffer_get_contours_component_meta(buffer))
        self.assertEqual((meta.get_count(), meta.get_point_count()), (3, 9))
        self.assertEqual(meta.get_coordinates(), GstContours.ContourCoordinates.PIXELS)
        self.assertEqual(meta.get_features(), GstContours.ContourFeatures.MOMENTS)
        self.assertEqual((tuple(meta.get_size()), tuple(meta.get_reference_size())), ((8, 6), (8, 6)))
        self.assertTrue(meta.get_mapping().is_identity())
        self.assertEqual(list(gpu.fetched), [0, 0, 0])

        table = numpy.frombuffer(meta.get_table_bytes().get_data(), CONTOURS)
        points = numpy.frombuffer(meta.get_points_bytes().get_data(), "u2").reshape(-1, 2)
        moments = numpy.frombuffer(meta.get_moments_bytes().get_data(), CONTOUR_MOMENTS)
        contours = meta.get_contours()
        self.assertEqual([len(table), len(points), len(moments), len(contours)], [3, 9, 3, 3])
        self.assertEqual(points.tolist()[:4], [[1, 1], [1, 4], [6, 4], [6, 1]])
        self.assertEqual(table["area2"].tolist(), [-30, 4, 0])
        self.assertEqual((contours[0].area, contours[0].perimeter), (15, 16))
        for i, (c, row) in enumerate(zip(contours, table)):
            of_contour = points[row["first"]:row["first"] + row["count"]]
            self.assertEqual((c.id, c.count, c.first, c.level), (i, row["count"], row["first"], row["level"]))
            self.assertEqual(c.hole, bool(row["flags"] & 1))
            self.assertEqual((c.parent, c.next, c.previous, c.child),
                             (row["parent"], row["next"], row["previous"], row["child"]))
            self.assertEqual(c.area, abs(int(row["area2"])) / 2)
            self.assertEqual(c.perimeter, int(row["length"]) / 2 ** 23)
            self.assertEqual((c.x, c.y, c.w, c.h), (row["left"], row["top"], row["width"], row["height"]))
            self.assertEqual((c.x, c.y), tuple(of_contour.min(axis=0)))
            self.assertEqual((c.x + c.w - 1, c.y + c.h - 1), tuple(of_contour.max(axis=0)))
            self.assertEqual(moments["m00"][i], c.area)
            if c.area:
                self.assertEqual((c.cx, c.cy), (moments["m10"][i] / c.area, moments["m01"][i] / c.area))
            else:
                self.assertTrue(math.isnan(c.cx) and math.isnan(c.cy))
            got = numpy.frombuffer(meta.get_points(i).get_data(), "u2").reshape(-1, 2)
            numpy.testing.assert_array_equal(got, of_contour)
            found, same = meta.get_contour(i)
            self.assertTrue(found)
            self.assertEqual((same.id, same.perimeter), (c.id, c.perimeter))
        self.assertFalse(meta.get_contour(3)[0])
        self.assertIsNone(meta.get_points(3))
        with Gst.Buffer.new_wrapped_bytes(meta.get_points_bytes()).map(Gst.MapFlags.READ) as view:
            numpy.testing.assert_array_equal(numpy.frombuffer(view.data, "u2").reshape(-1, 2), points)
        self.assertEqual(list(gpu.fetched), [1, 1, 1])

    def test_scaled(self):
        for coordinates, half in ((PIXELS, 0.5), (CORNERS, 0)):
            buffer, _gpu = with_contours(coordinates, "videoscale ! video/x-raw,width=32,height=3")
            meta = GstContours.buffer_get_contours_contour_meta(buffer)
            self.assertEqual((tuple(meta.get_size()), tuple(meta.get_reference_size())), ((32, 3), (8, 6)))
            for i, c in enumerate(meta.get_contours()):
                points = numpy.frombuffer(meta.get_points(i).get_data(), "u2").reshape(-1, 2)
                mapped = numpy.frombuffer(meta.get_mapped_points(i).get_data(), "f4").reshape(-1, 2)
                numpy.testing.assert_array_equal(mapped, (points + half) * (4, 0.5) - half)
                steps = numpy.roll(mapped, -1, axis=0) - mapped
                self.assertAlmostEqual(c.perimeter, numpy.hypot(*steps.T.astype("f8")).sum())
                self.assertEqual(c.area, (15, 2, 0)[i] * 4 * 0.5)
                x, y = (int(v) for v in points[0])
                mapping = meta.get_mapping()
                self.assertEqual((mapping.map_corner if coordinates == CORNERS else mapping.map_point)(x, y),
                                 tuple(mapped[0]))

    def test_failing_fetch(self):
        buffer, gpu = with_contours(PIXELS)
        meta = GstContours.buffer_get_contours_contour_meta(buffer)
        gpu.broken = True
        with self.assertRaisesRegex(GLib.Error, "the GPU has fallen off the bus"):
            meta.fetch()
        self.assertFalse(meta.get_contour(0)[0])
        self.assertEqual(meta.get_contours(), [])
        self.assertIsNone(meta.get_points_bytes())
        self.assertIsNone(meta.get_table_bytes())


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
            meta = GstContours.buffer_get_contours_component_meta(buffer)
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
                    for c in GstContours.buffer_get_contours_component_meta(buffer).get_components()]
        self.assertEqual(len(rows), len(expected))
        for row, (index, pts, c) in zip(rows, expected):
            self.assertEqual((row["frame"], row["pts"], row["timestamp"]), (str(index), str(pts), str(pts)))
            self.assertEqual((row["source"], row["width"], row["height"]), ("finder", "61", "47"))
            for name in ("label", "area", "x", "y", "w", "h", "cx", "cy"):
                self.assertEqual(float(row[name]), getattr(c, name), name)
            self.check_features(row, c)

    def export_contours(self, coordinates, text_format):
        """The buffer, and what contourexport wrote of it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            buffer, _gpu = with_contours(coordinates, "videoscale ! video/x-raw,width=11,height=7 ! "
                                         f"contourexport location={path} format={text_format}")
            with open(path, encoding="utf-8", newline="") as text:
                return buffer, text.read()

    def test_contours_ndjson(self):
        for coordinates, name in ((PIXELS, "pixels"), (CORNERS, "corners")):
            buffer, text = self.export_contours(coordinates, "ndjson")
            meta = GstContours.buffer_get_contours_contour_meta(buffer)
            line = json.loads(text, parse_constant=self.fail)
            contours = line.pop("contours")
            self.assertEqual(line, {
                "schema": "gst-cuda-contours/1", "frame": 0, "pts": 40, "timestamp": 40, "source": "follower",
                "resolution": {"width": 11, "height": 7}, "threshold": 77, "count": 3, "coordinates": name})
            self.assertEqual(len(contours), 3)
            for got, c in zip(contours, meta.get_contours()):
                for field in ("id", "hole", "area", "perimeter", "x", "y", "w", "h"):
                    self.assertEqual(got[field], getattr(c, field), field)
                self.assertEqual(got["parent"], c.parent if c.parent >= 0 else None)
                self.assertEqual((got["cx"], got["cy"]), (c.cx, c.cy) if c.area else (None, None))
                mapped = numpy.frombuffer(meta.get_mapped_points(c.id).get_data(), "f4").reshape(-1, 2)
                numpy.testing.assert_array_equal(numpy.array(got["points"]).astype("f4"), mapped)

    def test_contours_csv(self):
        buffer, text = self.export_contours(PIXELS, "csv")
        meta = GstContours.buffer_get_contours_contour_meta(buffer)
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual(len(rows), 3)
        for row, c in zip(rows, meta.get_contours()):
            self.assertEqual((row["frame"], row["source"], row["width"], row["height"]), ("0", "follower", "11", "7"))
            self.assertEqual(row["label"] + row["orientation"] + row["std"], "")
            for field in ("id", "hole", "area", "perimeter", "x", "y", "w", "h"):
                self.assertEqual(float(row[field]), getattr(c, field), field)
            self.assertEqual(row["parent"], str(c.parent) if c.parent >= 0 else "")
            if c.area:
                self.assertEqual((float(row["cx"]), float(row["cy"])), (c.cx, c.cy))
            else:
                self.assertEqual(row["cx"] + row["cy"], "")
            self.assertEqual((row["point_count"], row["level"]), (str(c.count), str(c.level) if c.level else ""))


unittest.main()
