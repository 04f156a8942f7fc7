# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chains of edges, of cudacanny contours=true: in Python, serialised, and in every export."""
import csv
import json
import os
import re
import tempfile
import unittest

from pythonsample import Frames, GLib, Gst, GstContours, numpy

SNOW = ("videotestsrc pattern=snow num-buffers=1 ! video/x-raw,format=GRAY8,width=61,height=47,framerate=25/1 ! "
        "identity name=frames ! cudacanny backend=cpu sigma=1.5 contours=true subpixel=edge subpixel-sigma=1.5 name=edges ")
FORMATS = ["ndjson", "csv", "svg", "geojson", "labelme", "coco"]
EAST_AND_ON = [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)]


def path_points(path):
    """The points of an SVG path, and whether it is closed."""
    points = []
    for command, numbers in re.findall(r"([MLHV])([-0-9. ]+)", path):
        values = [float(n) for n in numbers.split()]
        x, y = points[-1] if points else (0, 0)
        points.append({"H": (values[0], y), "V": (x, values[0])}.get(command, tuple(values)))
    return points, path.endswith("z")


class Chains(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f"%d.{name}" if name in ("svg", "geojson", "labelme") else f"0.{name}")
                     for name in FORMATS]
            exports = " ! ".join(f"contourexport format={name} location={path}" for name, path in zip(FORMATS, paths))
            cls.buffer, = Frames(f"{SNOW} ! {exports}").buffers
            cls.files = {}
            for name, path in zip(FORMATS, paths):
                with open(path.replace("%d", "0"), encoding="utf-8", newline="") as file:
                    cls.files[name] = file.read()
        cls.meta, = GstContours.contour_metas(cls.buffer)

    def test_meta(self):
        meta, table = self.meta, self.meta.table
        self.assertTrue(meta.has_edge_chains())
        self.assertEqual((meta.has_codes(), meta.connectivity, meta.source), (True, 8, "edges"))
        kinds = {(c.open, c.start_junction, c.end_junction) for c in meta.contours}
        self.assertTrue(kinds >= {(True, False, True), (True, True, False), (True, True, True), (True, False, False)})
        numpy.testing.assert_array_equal([c.open << 1 | c.start_junction << 2 | c.end_junction << 3
                                          for c in meta.contours], table["flags"])
        for contour in meta.contours:
            line = contour.points.astype(float)
            if not contour.open:
                line = numpy.concatenate([line, line[:1]])
            steps = numpy.hypot(*numpy.diff(line, axis=0).T)
            self.assertTrue(((steps >= 1) & (steps < 1.5)).all())
            self.assertAlmostEqual(contour.perimeter, steps.sum(), 4)
            self.assertEqual((contour.unfinished, contour.hole, contour.parent), (False, False, -1))
            self.assertEqual(contour.area == 0, contour.open)
            numpy.testing.assert_array_equal(meta.decode_points(contour.id), contour.points)
            self.assertEqual(len(meta.unpack_codes(contour.id)), len(contour.points) - contour.open)

    def test_scaled(self):
        meta, = GstContours.contour_metas(Frames(f"{SNOW} ! videoscale ! video/x-raw,width=62,height=47").buffers[0])
        for contour, same in zip(meta.contours, self.meta.contours):
            line = same.points * [62 / 61, 1]
            if not contour.open:
                line = numpy.concatenate([line, line[:1]])
            self.assertAlmostEqual(contour.perimeter, numpy.hypot(*numpy.diff(line, axis=0).T).sum(), 4)

    def test_serialised(self):
        frame = Gst.Buffer.new()
        GstContours.buffer_deserialize_contours_meta(frame, self.meta.serialize())
        again, = GstContours.contour_metas(frame)
        self.assertTrue(again.has_edge_chains())
        numpy.testing.assert_array_equal(again.table, self.meta.table)
        numpy.testing.assert_array_equal(again.points, self.meta.points)
        numpy.testing.assert_array_equal(again.subpixel_table, self.meta.subpixel_table)
        data = bytearray(self.meta.serialize().get_data())
        data[-1] ^= 1
        with self.assertRaises(GLib.Error):
            GstContours.buffer_deserialize_contours_meta(Gst.Buffer.new(), GLib.Bytes.new(bytes(data)))

    def test_subpixels(self):
        meta, table = self.meta, self.meta.subpixel_table
        self.assertTrue(meta.has_subpixel())
        self.assertEqual(table.shape, (meta.point_count,))
        kept = table["flags"] != 0
        self.assertTrue(0 < kept.sum() < meta.point_count / 2)
        numpy.testing.assert_array_equal(meta.subpixels[kept], meta.points[kept])
        self.assertTrue((abs(meta.subpixels - meta.points) <= 2).all())
        for row, chain, contour in zip(csv.DictReader(self.files["csv"].splitlines()),
                                       json.loads(self.files["ndjson"])["contours"], meta.contours, strict=True):
            numpy.testing.assert_array_equal(contour.subpixels, meta.subpixels[contour.first:contour.first + contour.count])
            self.assertEqual([float(n) for n in row["subpixels"].split()], contour.subpixels.ravel().tolist())
            points = table[contour.first:contour.first + contour.count]
            for got, point in zip(chain["subpixels"], points, strict=True):
                if point["flags"]:
                    self.assertIsNone(got)
                    continue
                self.assertEqual((got[0], got[1], got[3]), (point["x"] / 256, point["y"] / 256, point["strength"] / 256))
                self.assertAlmostEqual((got[2] - int(point["normal"]) * 360 / 65536 + 180) % 360 - 180, 0, 6)

    def test_bright_side(self):
        """Normals of a bright disc point to its middle, and the places of its edge lie on a circle."""
        buffer, = Frames("videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=160,height=120,framerate=25/1"
                         " ! identity name=frames ! cudacanny backend=cpu contours=true min-length=20 subpixel=edge"
                         " subpixel-sigma=1.5").buffers
        meta, = GstContours.contour_metas(buffer)
        table, places = meta.subpixel_table, meta.subpixels
        self.assertEqual((meta.count, table["flags"].max()), (1, 0))
        centre = places.mean(axis=0)
        radii = numpy.hypot(*(places - centre).T)
        self.assertLess(radii.std(), numpy.hypot(*(meta.points - centre).T).std() / 2)
        angles = table["normal"] / 32768 * numpy.pi
        inwards = (centre - places) / radii[:, None]
        self.assertTrue((inwards[:, 0] * numpy.cos(angles) + inwards[:, 1] * numpy.sin(angles) > 0.95).all())

    def test_lines(self):
        for row, chain, contour in zip(csv.DictReader(self.files["csv"].splitlines()),
                                       json.loads(self.files["ndjson"])["contours"], self.meta.contours, strict=True):
            for name in ("open", "start_junction", "end_junction"):
                self.assertEqual((row[name], chain[name]), (str(int(getattr(contour, name))), getattr(contour, name)))
            self.assertEqual((row["unfinished"], "unfinished" in chain), ("0", False))
            self.assertEqual(chain["points"], contour.points.tolist())
            self.assertEqual([float(n) for n in row["points"].split()], contour.points.ravel().tolist())

    def test_codes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chains.ndjson")
            Frames(f"{SNOW} ! contourexport codes=true location={path}")
            with open(path, encoding="utf-8") as file:
                frame = json.loads(file.readline())
        for chain, contour in zip(frame["contours"], self.meta.contours, strict=True):
            points = [chain["start"]]
            for code in chain["codes"]:
                points.append([a + b for a, b in zip(points[-1], EAST_AND_ON[int(code)])])
            if not chain["open"]:
                self.assertEqual(points.pop(), points[0])
            self.assertEqual(points, contour.points.tolist())
            self.assertNotIn("points", chain)

    def test_drawings(self):
        features = json.loads(self.files["geojson"])["features"]
        shapes = json.loads(self.files["labelme"])["shapes"]
        paths = re.findall(r'<path data-id="\d+" d="([^"]+)"', self.files["svg"])
        self.assertIn('fill="none" stroke="#000"', self.files["svg"])
        self.assertEqual(json.loads(self.files["coco"])["annotations"], [])
        for feature, shape, path, contour in zip(features, shapes, paths, self.meta.contours, strict=True):
            line = (contour.points + 0.5).tolist()
            points, closed = path_points(path)
            self.assertEqual(([list(p) for p in points], closed), (line, not contour.open or len(line) == 1))
            if len(line) == 1:
                self.assertEqual(feature["geometry"], {"type": "Point", "coordinates": line[0]})
                self.assertEqual((shape["shape_type"], shape["points"]), ("point", line))
                continue
            line += [] if contour.open else line[:1]
            self.assertEqual(feature["geometry"], {"type": "LineString", "coordinates": line})
            self.assertEqual((shape["shape_type"], shape["points"]), ("linestrip", line))
            self.assertEqual(feature["properties"]["open"], contour.open)


unittest.main()
