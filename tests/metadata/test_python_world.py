# SPDX-License-Identifier: LGPL-2.1-or-later
"""Units of the world from Python: objects, arrays, calibrations, and what contourexport writes of them."""
import json
import os
import tempfile
import unittest

from pythonsample import NOISE, Frames, GLib, GstContours, numpy

CAMERA = {"image_width": 61, "image_height": 47, "unit": "mm",
          "camera_matrix": [[70, 0, 30], [0, 71, 23], [0, 0, 1]], "dist_coeffs": [-0.2, 0.05, 0.001, 0.002],
          "homography": [[0.2, 0.01, 3], [-0.02, 0.22, 5], [0.001, 0.0005, 1]]}


class World(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "camera.json")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(CAMERA, file)

    def frames(self, element, more=""):
        line = NOISE.replace("cudacca", element) + f"calibration-location={self.path} {more}"
        return Frames(line).buffers

    def test_contours(self):
        for buffer in self.frames("cudaborders", "approximation=none features=moments+circle subpixel=edge "):
            meta = GstContours.contour_metas(buffer)[0]
            calibration = meta.calibration
            self.assertEqual((calibration.get_unit(), tuple(calibration.get_size())), ("mm", (61, 47)))
            self.assertGreater(len(meta.contours), 5)
            for contour in meta.contours:
                points, refined = meta.world_points(contour.id), meta.world_subpixels(contour.id)
                self.assertEqual((points.shape, points.dtype), ((contour.count, 2), numpy.float64))
                for (x, y), got in zip(contour.points.tolist(), points):
                    self.assertEqual(calibration.map_point(x, y)[1:], tuple(got))
                    back = calibration.project_point(*got)
                    numpy.testing.assert_allclose(back[1:], (x, y), atol=1e-6)
                for (x, y), got in zip(contour.subpixels.tolist(), refined):
                    self.assertEqual(calibration.map_point(x, y)[1:], tuple(got))
                x, y = points.T
                area = abs(x @ numpy.roll(y, -1) - y @ numpy.roll(x, -1)) / 2
                self.assertAlmostEqual(contour.world.area, area)
                self.assertAlmostEqual(contour.world.perimeter, numpy.hypot(x - numpy.roll(x, -1), y - numpy.roll(y, -1)).sum())
                off = numpy.hypot(x - contour.world.circle_x, y - contour.world.circle_y)
                self.assertAlmostEqual(off.max(), contour.world.circle_radius)
                self.assertTrue(numpy.isnan(contour.world.feret_max))
            with self.assertRaises(IndexError):
                meta.world_points(len(meta.contours))

    def test_components(self):
        for buffer in self.frames("cudacca"):
            meta = GstContours.component_metas(buffer)[0]
            for component in meta.components:
                at = meta.calibration.map_point(component.cx, component.cy)
                self.assertEqual((component.world.cx, component.world.cy), at[1:])

    def test_without(self):
        for buffer in Frames(NOISE + "! cudaborders").buffers:
            meta, components = GstContours.contour_metas(buffer)[0], GstContours.component_metas(buffer)[0]
            self.assertIsNone(meta.calibration)
            self.assertIsNone(meta.contours[0].world)
            self.assertIsNone(meta.world_points(0))
            self.assertIsNone(components.calibration)
            self.assertIsNone(components.components[0].world)

    def test_files(self):
        self.assertEqual(GstContours.Calibration.load(self.path).get_unit(), "mm")
        with self.assertRaisesRegex(GLib.Error, "the calibration in '/nowhere' cannot be used: No such file"):
            GstContours.Calibration.load("/nowhere")
        parsed = GstContours.Calibration.parse(GLib.Bytes.new(b"scale: 2\nunit: in\n"), "here")
        self.assertEqual((parsed.get_scale(), parsed.get_unit(), parsed.map_point(3, 4)), (2, "in", (True, 6, 8)))

    def test_exports(self):
        path = os.path.join(self.folder.name, "out.ndjson")
        buffers = self.frames("cudaborders", f"features=moments subpixel=edge ! contourexport location={path}")
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        for line, buffer in zip(lines, buffers):
            meta = GstContours.contour_metas(buffer)[0]
            self.assertEqual(len(line["contours"]), len(meta.contours))
            for got, contour in zip(line["contours"], meta.contours):
                self.assertEqual(got["world"]["unit"], "mm")
                for name in ("area", "perimeter", "x", "y", "w", "h", "cx", "cy"):
                    value = getattr(contour.world, name)
                    self.assertEqual(got["world"][name], None if numpy.isnan(value) else value)
                self.assertEqual(got["world_points"], meta.world_points(contour.id).tolist())
                self.assertEqual(got["world_subpixels"], meta.world_subpixels(contour.id).tolist())


if __name__ == "__main__":
    unittest.main(argv=["test_python_world"])
