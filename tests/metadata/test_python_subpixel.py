# SPDX-License-Identifier: LGPL-2.1-or-later
"""Subpixels in Python: arrays and single points, in the analysed image and in scaled frames."""
import unittest

from pythonsample import Frames, GstContours, numpy

DISC = ("videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=160,height=120,framerate=25/1 ! "
        "identity name=frames ! ")


class Subpixels(unittest.TestCase):
    def test_disc(self):
        launch = (f"{DISC} cudaborders backend=cpu threshold=128 subpixel=edge subpixel-sigma=1.5 ! videoscale"
                  " ! video/x-raw,")
        metas = [GstContours.contour_metas(Frames(launch + size).buffers[0])
                 for size in ("width=160,height=120", "width=320,height=240", "width=161,height=120")]
        (meta,), (twice,), (uneven,) = metas
        table, contour = meta.subpixel_table, meta.contours[0]
        self.assertEqual((table.shape, table.dtype.itemsize, table["flags"].max()), ((meta.point_count,), 16, 0))
        numpy.testing.assert_array_equal(meta.subpixels * 256, numpy.stack([table["x"], table["y"]], axis=-1))
        numpy.testing.assert_array_equal(contour.subpixels, meta.subpixels)
        numpy.testing.assert_array_equal(meta.map_subpixels(0), meta.subpixels.astype("f4"))
        self.assertFalse(meta.subpixels.flags.writeable or table.flags.writeable)
        centre = meta.subpixels.mean(axis=0)
        radii = numpy.hypot(*(meta.subpixels - centre).T)
        self.assertLess(numpy.ptp(radii), 0.5)
        self.assertLess(radii.std(), numpy.hypot(*(meta.points - centre).T).std() / 2)
        for i in range(0, meta.point_count, 7):
            known, point = meta.get_subpixel(0, i)
            self.assertTrue(known)
            self.assertEqual((point.x, point.y, point.flags), (*meta.subpixels[i], 0))
            self.assertEqual(point.strength, table["strength"][i] / 256)
            angle = table["normal"][i] / 32768 * numpy.pi
            numpy.testing.assert_allclose((point.normal_x, point.normal_y), (numpy.cos(angle), numpy.sin(angle)), atol=1e-9)
            outwards = (meta.subpixels[i] - centre) / radii[i]
            self.assertGreater(abs(outwards @ (point.normal_x, point.normal_y)), 0.98)
            _, scaled = twice.get_subpixel(0, i)
            numpy.testing.assert_allclose((scaled.x, scaled.y), (meta.subpixels[i] + 0.5) * 2 - 0.5)
            self.assertAlmostEqual(scaled.normal_x, point.normal_x)
            _, stretched = uneven.get_subpixel(0, i)
            tangent = -point.normal_y * 161 / 160, point.normal_x
            self.assertAlmostEqual(stretched.normal_x * tangent[0] + stretched.normal_y * tangent[1], 0)
        numpy.testing.assert_allclose(twice.map_subpixels(0), (meta.subpixels + 0.5) * 2 - 0.5, atol=1e-4)
        self.assertEqual(meta.get_subpixel(0, meta.point_count)[0], False)
        with self.assertRaises(IndexError):
            meta.map_subpixels(1)
        plain, = GstContours.contour_metas(Frames(f"{DISC} cudaborders backend=cpu").buffers[0])
        self.assertEqual((plain.subpixels, plain.subpixel_table, plain.map_subpixels(0), plain.contours[0].subpixels),
                         (None, None, None, None))
        self.assertEqual((plain.has_subpixel(), plain.get_subpixel(0, 0)[0]), (False, False))


unittest.main()
