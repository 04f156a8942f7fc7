# SPDX-License-Identifier: LGPL-2.1-or-later
"""What contourexport writes, against the metadata as Python reads it."""
import csv
import json
import os
import tempfile
import unittest

from pythonsample import ALL, CORNERS, NOISE, PIXELS, STRIPS, Frames, GstContours, features_of, numpy, with_contours


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
                "schema": "gst-cuda-contours/1", "frame": index, "pts": buffer.pts, "timestamp": buffer.pts, "running_time": buffer.pts,
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

    def test_subpixels(self):
        borders = NOISE.replace("cudacca", "cudaborders subpixel=edge epsilon=1.5 mode=ccomp")
        for more in ("", "! videoscale ! video/x-raw,width=100,height=33 "):
            buffers, text = self.export(borders + more, "ndjson")
            _, rows = self.export(borders + more, "csv")
            lines = [json.loads(line, parse_constant=self.fail) for line in text.splitlines()]
            rows, refined = list(csv.DictReader(rows.splitlines())), 0
            for line, buffer in zip(lines, buffers):
                meta = GstContours.buffer_get_contours_contour_meta(buffer)
                for contour in line["contours"]:
                    row, index = rows.pop(0), contour["id"]
                    positions = [float(number) for number in row["subpixels"].split()]
                    self.assertEqual(len(contour["subpixels"]), len(contour["points"]))
                    self.assertEqual(len(positions), 2 * len(contour["points"]))
                    for i, got in enumerate(contour["subpixels"]):
                        _, point = meta.get_subpixel(index, i)
                        self.assertEqual(positions[2 * i:2 * i + 2], [point.x, point.y])
                        self.assertEqual(got is None, point.flags != 0)
                        if got is None:
                            self.assertEqual([point.x, point.y], contour["points"][i])
                            continue
                        refined += 1
                        self.assertEqual(got[:2] + got[3:], [point.x, point.y, point.strength])
                        direction = numpy.deg2rad(got[2])
                        numpy.testing.assert_allclose((numpy.cos(direction), numpy.sin(direction)),
                                                      (point.normal_x, point.normal_y), atol=1e-9)
                        self.assertTrue(0 <= got[2] < 360)
            self.assertGreater(refined, 100)
            self.assertEqual(rows, [])
        _, text = self.export(NOISE.replace("cudacca", "cudaborders"), "ndjson")
        self.assertNotIn("subpixels", text)
        _, text = self.export(NOISE.replace("cudacca", "cudaborders subpixel=threshold"), "csv codes=true")
        row = next(csv.DictReader(text.splitlines()))
        self.assertEqual(len(row["subpixels"].split()), 2 * int(row["point_count"]))

    def test_shapes(self):
        borders = NOISE.replace("cudacca", "cudaborders mode=tree")
        for features in ("hull+defect+rectangle+feret", "circle+distances+holes", "fits", "moments"):
            launch = borders + f"features={features} "
            buffers, text = self.export(launch, "ndjson")
            _buffers, table = self.export(launch, "csv")
            rows = iter(csv.DictReader(table.splitlines()))
            for line, buffer in zip(text.splitlines(), buffers):
                contours = json.loads(line, parse_constant=self.fail)["contours"]
                for got, contour, row in zip(contours, GstContours.contour_metas(buffer)[0].contours, rows):
                    columns = list(row)[list(row).index("circularity"):list(row).index("subpixels")]
                    self.assertEqual(len(columns), 44)
                    self.assertEqual("feret_max" in got, "feret" in features)
                    self.assertEqual("ellipse_x" in got, features == "fits")
                    self.assertEqual("holes" in got, "holes" in features)
                    self.assertEqual("circularity" in got, features != "moments")
                    for name in columns:
                        value = getattr(contour.shape, name)
                        written = None if name not in got or numpy.isnan(value) else value
                        self.assertEqual(got.get(name), written, name)
                        self.assertEqual(float(row[name]) if row[name] else None, written, name)
            self.assertIsNone(next(rows, None))

    def test_strips(self):
        launch = NOISE.replace("threshold=180", "threshold=130 max-open-rows=60") + STRIPS
        buffers, text = self.export(launch, "ndjson")
        _buffers, table = self.export(launch, "csv")
        rows = iter(csv.DictReader(table.splitlines()))
        unfinished = 0
        for number, (line, buffer) in enumerate(zip(map(json.loads, text.splitlines()), buffers)):
            meta = GstContours.buffer_get_contours_component_meta(buffer)
            self.assertEqual((line["first_row"], meta.first_row), (number * 47, number * 47))
            self.assertEqual(len(line["components"]), meta.count)
            for got, c in zip(line["components"], meta.components):
                row = next(rows)
                self.assertEqual((got["y"], float(row["y"])), (c.web_row, c.web_row))
                self.assertEqual((got["cy"], float(row["cy"])), (c.cy + meta.first_row, c.cy + meta.first_row))
                self.assertEqual((got["x"], got["h"], got["cx"]), (c.x, c.h, c.cx))
                self.assertEqual((got.get("unfinished", False), row["unfinished"]), (c.unfinished, str(int(c.unfinished))))
                unfinished += c.unfinished
        self.assertIsNone(next(rows, None))
        self.assertGreater(unfinished, 0)
        # A scaled frame has scaled rows.
        scaled, text = self.export(launch + "! videoscale ! video/x-raw,width=122,height=94", "ndjson")
        for line, buffer in zip(map(json.loads, text.splitlines()), scaled):
            meta = GstContours.buffer_get_contours_component_meta(buffer)
            for got, c in zip(line["components"], meta.components):
                self.assertEqual(got["y"], 2 * c.web_row)

    def test_values(self):
        launch = ("videotestsrc pattern=checkers-8 num-buffers=1 ! video/x-raw,format=GRAY8,width=40,height=30 ! "
                  "identity name=frames ! cudacca mode=eq background-row=true backend=cpu background=")
        for background in (81, 82):  # the checkers are 81 and 145
            buffers, text = self.export(f"{launch}{background}", "ndjson")
            meta = GstContours.buffer_get_contours_component_meta(buffers[0])
            line = json.loads(text, parse_constant=self.fail)
            self.assertEqual([c["value"] for c in line["components"]], [c.value for c in meta.components])
            if background == 82:
                self.assertIsNone(line["background"])
            else:
                expected = {name: getattr(meta.background, name)
                            for name in ("label", "value", "area", "x", "y", "w", "h", "cx", "cy")}
                self.assertEqual(line["background"], expected)
            _, text = self.export(f"{launch}{background}", "csv")
            rows = list(csv.DictReader(text.splitlines()))
            self.assertEqual([row["value"] for row in rows], [str(c.value) for c in meta.components])
        self.assertNotIn("background", self.export(NOISE, "ndjson")[1])

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
                "schema": "gst-cuda-contours/1", "frame": 0, "pts": 40, "timestamp": 40, "running_time": 40, "source": "follower",
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
