# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata from Python: every accessor against the analysis's own integers."""
import math
import unittest

from pythonsample import (ALL, CORNERS, NOISE, PIXELS, STRIPS, Frames, GLib, Gst, GstContours, features_of, layout, numpy,
                          with_contours)


def components_of(foreground):
    """The pixels (y, x) of each 8-connected component, in raster order of their first ones."""
    waiting = set(zip(*(axis.tolist() for axis in foreground.nonzero())))
    components = []
    for first in sorted(waiting):
        if first not in waiting:
            continue
        waiting.remove(first)
        component = [first]
        for y, x in component:
            for neighbour in [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]:
                if neighbour in waiting:
                    waiting.remove(neighbour)
                    component.append(neighbour)
        components.append(component)
    return components


def largest_circle(x, y):
    """Squared radius and centre of the largest circle inscribed in the pixels x, y of a frame."""
    inside = numpy.zeros((y.max() + 3, x.max() + 3), bool)
    inside[y + 1, x + 1] = True
    other_y, other_x = (~inside).nonzero()
    distances = ((other_x - 1 - x[:, None]) ** 2 + (other_y - 1 - y[:, None]) ** 2).min(axis=1)
    best = distances.argmax()
    return distances[best], x[best], y[best]


def rings_of(labels, width):
    """Each pixel's label of the component in whose ring of WIDTH it is, or 0."""
    y, x = (labels > 0).nonzero()
    rings = numpy.zeros_like(labels)
    for v, u in numpy.argwhere(labels == 0):
        distances = (x - u) ** 2 + (y - v) ** 2
        nearest = distances.min()
        if nearest <= width * width:
            rings[v, u] = labels[y, x][distances == nearest].min()
    return rings


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
            table = numpy.frombuffer(meta.get_table_bytes().get_data(), layout("CtrComponent"))
            moments = numpy.frombuffer(meta.get_moments_bytes().get_data(), layout("CtrComponentMoments"))
            grey = numpy.frombuffer(meta.get_grey_bytes().get_data(), layout("CtrComponentGrey"))
            percentiles = numpy.frombuffer(meta.get_percentiles_bytes().get_data(), layout("CtrComponentPercentiles"))
            inscribed = numpy.frombuffer(meta.get_inscribed_bytes().get_data(), layout("CtrComponentInscribed"))
            contrast = numpy.frombuffer(meta.get_contrast_bytes().get_data(), layout("CtrComponentContrast"))
            rings = rings_of(labels, 3)
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
                ascending = numpy.sort(samples)
                expected = [ascending[(len(samples) - 1) * p // 100] for p in (5, 25, 50, 75, 95)]
                self.assertEqual([c.p5, c.p25, c.median, c.p75, c.p95], expected)
                self.assertEqual(percentiles[i].tolist(), tuple(expected))
                self.assertEqual(inscribed[i].tolist(), largest_circle(x, y))
                around = picture[rings == i + 1].astype(int)
                self.assertEqual(contrast[i].tolist(), (around.sum(), len(around)))
                if len(around):
                    self.assertAlmostEqual(c.ring_mean, around.mean())
                    self.assertAlmostEqual(c.contrast, samples.mean() - around.mean())
                else:
                    self.assertTrue(math.isnan(c.ring_mean) and math.isnan(c.contrast))
                self.assertEqual((c.inscribed_radius, c.inscribed_x, c.inscribed_y),
                                 (inscribed[i]["radius_sq"] ** 0.5, inscribed[i]["x"], inscribed[i]["y"]))
                found, same = meta.get_component(i)
                self.assertTrue(found)
                self.assertEqual(features_of(same), features_of(c))
            self.assertFalse(meta.get_component(count)[0])

    def test_strips(self):
        frames = Frames(NOISE + STRIPS)
        web = numpy.concatenate(frames.pictures)
        height = len(web) // 3
        self.assertEqual(len(frames.buffers), 4)    # the last one ends the web
        self.assertTrue(frames.buffers[3].get_flags() & Gst.BufferFlags.GAP)
        found = []
        for number, buffer in enumerate(frames.buffers):
            meta = GstContours.buffer_get_contours_component_meta(buffer)
            self.assertTrue(meta.flags & GstContours.ResultFlags.STRIP)
            self.assertEqual((meta.first_row, meta.origin_row), (number * height, 0))
            self.assertEqual(tuple(meta.size), (61, height))
            self.assertEqual(meta.mapping.y0, -number * height)
            for component, row in zip(meta.components, meta.table):
                self.assertFalse(component.unfinished)
                self.assertEqual(component.y + meta.first_row, component.web_row)
                self.assertEqual(row["top"] + meta.origin_row, component.web_row)
                found.append((component.web_row, int(component.first_x), component, meta.first_row))
                # Reported with the strip in which the row below it is.
                self.assertEqual((component.web_row + int(component.h)) // height, number)
        found.sort(key=lambda item: item[:2])
        expected = components_of(web >= 180)
        self.assertEqual(len(found), len(expected))
        for (web_row, first_x, component, first_row), pixels in zip(found, expected):
            y, x = numpy.array(pixels).T
            self.assertEqual((web_row, first_x), pixels[0])
            self.assertEqual((component.pixels, component.x, component.w), (len(x), x.min(), numpy.ptp(x) + 1))
            self.assertEqual((component.h, component.cx), (numpy.ptp(y) + 1, x.sum() / len(x)))
            self.assertAlmostEqual(component.cy + first_row, y.sum() / len(y))
            self.assertAlmostEqual(component.mean, web[y, x].mean())
            self.assertAlmostEqual(component.std, web[y, x].std())

    def test_unfinished_strips(self):
        frames = Frames(NOISE.replace("threshold=180", "threshold=0 max-open-rows=60") + STRIPS)
        counts = [GstContours.buffer_get_contours_component_meta(buffer).count for buffer in frames.buffers]
        self.assertEqual(counts, [0, 1, 0, 1])
        second = GstContours.buffer_get_contours_component_meta(frames.buffers[1])
        self.assertTrue(second.components[0].unfinished)
        self.assertEqual((second.components[0].y, second.components[0].h), (-47, 94))

    def test_drawn_strips(self):
        # A component that begins in the strip above: its box has no upper side in the frame.
        frames = Frames(NOISE.replace("threshold=180", "threshold=0 max-open-rows=60") + STRIPS +
                        "! cudacontouroverlay backend=cpu draw=components color-by=fixed color=4294967295 thickness=1")
        buffer = frames.buffers[1]
        drawn = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), "u1").reshape(47, -1)[:, :61]
        self.assertTrue((drawn[:, [0, -1]] == 255).all() and (drawn[-1] == 255).all())
        numpy.testing.assert_array_equal(drawn[:-1, 1:-1], frames.pictures[1][:-1, 1:-1])

    def test_values_and_background(self):
        frames = Frames("videotestsrc pattern=checkers-8 num-buffers=1 ! video/x-raw,format=GRAY8,width=40,height=30 ! "
                        "identity name=frames ! cudacca mode=eq connectivity=4 background=81 background-row=true backend=cpu labels=true")
        picture = frames.pictures[0]
        meta = GstContours.buffer_get_contours_component_meta(frames.buffers[0])
        for feature in ("VALUES", "BACKGROUND"):
            self.assertTrue(meta.features & getattr(GstContours.ComponentFeatures, feature))
        self.assertGreater(meta.count, 5)
        numpy.testing.assert_array_equal(meta.labels == 0, picture == 81)
        for c in meta.components:
            self.assertEqual(set(picture[meta.labels == c.label]), {c.value})
            self.assertEqual(meta.table["value"][c.label - 1], c.value)
        self.assertEqual((meta.background.label, meta.background.pixels), (0, (picture == 81).sum()))
        self.assertEqual(meta.background.value, 81)

    def test_without_features(self):
        buffers = Frames(NOISE).buffers
        meta = GstContours.buffer_get_contours_component_meta(buffers[0])
        self.assertEqual(int(meta.get_features()), 0)
        self.assertIsNone(meta.get_moments_bytes())
        self.assertIsNone(meta.get_grey_bytes())
        self.assertIsNone(meta.get_percentiles_bytes())
        self.assertIsNone(meta.get_inscribed_bytes())
        self.assertIsNone(meta.get_contrast_bytes())
        self.assertIsNone(meta.get_skeleton_bytes())
        self.assertIsNone(meta.get_labels_bytes())
        self.assertFalse(meta.get_background()[0])
        self.assertIsNone(meta.background)
        self.assertTrue(math.isnan(meta.get_components()[0].orientation))

    def test_values_outlive_the_buffer(self):
        buffers = Frames(NOISE).buffers
        meta = GstContours.buffer_get_contours_component_meta(buffers[0])
        components, table = meta.get_components(), meta.get_table_bytes()
        areas = [c.area for c in components]
        del meta
        buffers.clear()
        self.assertEqual([c.area for c in components], areas)
        self.assertEqual(numpy.frombuffer(table.get_data(), layout("CtrComponent"))["area"].tolist(), areas)

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

        table = numpy.frombuffer(meta.get_table_bytes().get_data(), layout("CtrContour"))
        points = numpy.frombuffer(meta.get_points_bytes().get_data(), "u2").reshape(-1, 2)
        moments = numpy.frombuffer(meta.get_moments_bytes().get_data(), layout("CtrContourMoments"))
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


unittest.main()
