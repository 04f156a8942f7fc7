# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata as NumPy arrays: their layout against the C structures, what they show, how long they last."""
import ctypes
import gc
import subprocess
import sys
import threading
import unittest

from pythonsample import ALL, CORNERS, MODULE, NOISE, PIXELS, Frames, GLib, Gst, GstContours, numpy, with_contours
from gi.overrides import GstContours as override

BORDERS = "! cudaborders name=follower backend=cpu threshold=180 "
DISC = ("videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=160,height=120,framerate=25/1 ! "
        "identity name=frames ! ")


class Filled(ctypes.Structure):
    """As in layouts.h."""
    _fields_ = [("structure", ctypes.c_char_p), ("size", ctypes.c_size_t), ("memory", ctypes.c_void_p),
                ("names", ctypes.c_char_p), ("reserved", ctypes.c_size_t)]


def filled_structures():
    """Of each C structure: its name, its bytes, the names of its fields, the bytes of reserved ones."""
    filled = Filled()
    index = 0
    while MODULE.layouts_fill(index, ctypes.byref(filled)):
        yield (filled.structure.decode(), ctypes.string_at(filled.memory, filled.size), filled.names.decode().split(),
               filled.reserved)
        MODULE.layouts_clear(ctypes.byref(filled))
        index += 1


class Layouts(unittest.TestCase):
    def test_fields(self):
        names = []
        for structure, memory, fields, reserved in filled_structures():
            names.append(structure)
            dtype = override._dtype(structure)
            self.assertEqual((dtype.itemsize, list(dtype.names)), (len(memory), fields), structure)
            numbers = numpy.frombuffer(memory, dtype)[0].tolist()
            self.assertEqual(numbers, tuple(range(1, len(fields) + 1)), structure)
            # Every byte that is not reserved belongs to one field.
            owned = numpy.full(dtype.itemsize, 255, "u1")
            for field in dtype.names:
                owned.view(dtype)[field] = 0
            self.assertEqual(numpy.count_nonzero(owned), reserved, structure)
            self.assertEqual(sum(dtype[field].itemsize for field in fields), len(memory) - reserved, structure)
        self.assertEqual(len(names), 12)

    def test_signs(self):
        contour = override._dtype("CtrContour")
        self.assertEqual([contour[name].kind for name in ("area2", "next", "parent", "length", "left")], list("iiiuu"))
        self.assertEqual({override._dtype("CtrContourMoments")[i].kind for i in range(24)}, {"f"})
        self.assertIsNone(GstContours.get_layout("CtrNothing"))


def memory_of(array):
    return array.__array_interface__["data"][0]


class Components(unittest.TestCase):
    def setUp(self):
        self.frames = Frames(NOISE + ALL)
        self.meta, = GstContours.component_metas(self.frames.buffers[0])

    def test_values(self):
        meta = self.meta
        self.assertEqual((meta.count, meta.source, meta.threshold, meta.connectivity), (meta.get_count(), "finder", 180, 8))
        self.assertEqual((tuple(meta.size), tuple(meta.reference_size)), ((61, 47), (61, 47)))
        self.assertTrue(meta.mapping.is_identity())
        self.assertEqual((meta.flags, meta.features), (meta.get_flags(), meta.get_features()))
        self.assertEqual(meta.labels.dtype, numpy.uint32)
        numpy.testing.assert_array_equal(meta.labels > 0, self.frames.pictures[0] >= 180)
        numpy.testing.assert_array_equal(meta.table["area"], numpy.bincount(meta.labels.ravel())[1:])
        self.assertEqual([len(array) for array in (meta.table, meta.moments, meta.grey, meta.components)], [meta.count] * 4)
        for i, (c, row) in enumerate(zip(meta.components, meta.table)):
            self.assertEqual((c.label, c.pixels), (i + 1, row["area"]))
            self.assertEqual(c.box, (row["left"], row["top"], row["width"], row["height"]))
            self.assertEqual(c.centroid, (c.cx, c.cy))
            self.assertEqual((c.min, c.max), (meta.grey["min"][i], meta.grey["max"][i]))
            self.assertEqual((c.p5, c.median), (meta.percentiles["p5"][i], meta.percentiles["median"][i]))
            self.assertEqual((c.inscribed_x, c.inscribed_y), (meta.inscribed["x"][i], meta.inscribed["y"][i]))
            skeleton = meta.skeleton[i]
            self.assertEqual(c.skeleton_pixels, skeleton["pixels"])
            self.assertEqual(c.skeleton_length, skeleton["straight"] + skeleton["diagonal"] * 2 ** 0.5)
            self.assertEqual(c.skeleton_width, skeleton["distance_sum"] / 32768 / skeleton["pixels"])
            ring = meta.contrast[i]
            if ring["ring_area"]:
                self.assertEqual(c.ring_mean, ring["ring_sum"] / ring["ring_area"])
            y, x = (meta.labels == i + 1).nonzero()
            self.assertEqual(meta.moments[i].tolist(), ((x * x).sum(), (x * y).sum(), (y * y).sum()))
        self.assertIs(meta.components, meta.components)
        self.assertIs(meta.table, meta.table)

    def test_without_copies(self):
        again, = GstContours.component_metas(self.frames.buffers[0])
        for name in ("table", "moments", "grey", "labels"):
            array = getattr(self.meta, name)
            self.assertEqual(memory_of(array), memory_of(getattr(again, name)), name)
            self.assertFalse(array.flags.writeable, name)
            with self.assertRaises(ValueError):
                array.flags.writeable = True

    def test_without_features(self):
        meta, = GstContours.component_metas(Frames(NOISE).buffers[0])
        self.assertEqual((meta.moments, meta.grey, meta.percentiles, meta.inscribed, meta.contrast, meta.skeleton,
                          meta.labels), (None,) * 7)
        self.assertEqual(len(meta.table), meta.count)

    def test_nothing_found(self):
        meta, = GstContours.component_metas(Frames(f"{DISC} cudacca backend=cpu max-area=1 {ALL}").buffers[0])
        self.assertEqual((meta.components, meta.table.shape, meta.moments.shape), ((), (0,), (0,)))
        self.assertEqual(list(meta.table["area"]), [])
        self.assertFalse(meta.table.flags.writeable)
        self.assertEqual((meta.labels.shape, meta.labels.max()), ((120, 160), 0))

    def test_several(self):
        buffer = Frames(f"{NOISE} ! cudacca name=second backend=cpu threshold=30 ").buffers[0]
        self.assertEqual([meta.source for meta in GstContours.component_metas(buffer)], ["finder", "second"])
        self.assertEqual([meta.threshold for meta in GstContours.component_metas(buffer, "second")], [30])
        self.assertEqual(GstContours.component_metas(buffer, "third"), [])
        self.assertEqual(GstContours.contour_metas(buffer), [])


class Contours(unittest.TestCase):
    def test_values(self):
        buffer, gpu = with_contours(PIXELS)
        meta, = GstContours.contour_metas(buffer, "follower")
        self.assertEqual((meta.count, meta.point_count, meta.threshold, meta.needed), (3, 9, 77, 0))
        self.assertEqual(list(gpu.fetched), [0, 0, 0])
        self.assertEqual(meta.table["area2"].tolist(), [-30, 4, 0])
        self.assertEqual(list(gpu.fetched), [1, 0, 0])
        self.assertEqual((meta.points.shape, meta.points.dtype), ((9, 2), numpy.int32))
        self.assertEqual(meta.points[:4].tolist(), [[1, 1], [1, 4], [6, 4], [6, 1]])
        self.assertEqual(meta.point_table[:2].tolist(), [(1, 1), (1, 4)])
        numpy.testing.assert_array_equal(meta.points[:, 0], meta.point_table["x"])
        # Differences may be negative.
        self.assertEqual((meta.points[0] - meta.points[2]).tolist(), [-5, -3])
        self.assertEqual(meta.moments["m00"].tolist(), [15, 2, 0])
        sums = [int(row["a00_high"]) * 2 ** 64 + int(row["a00_low"]) for row in meta.sums]
        self.assertEqual(sums, meta.table["area2"].tolist())
        self.assertIsNone(meta.regions)
        self.assertIsNone(meta.nesting)
        self.assertEqual(list(gpu.fetched), [1, 1, 1])

    def test_sequence(self):
        meta, = GstContours.contour_metas(with_contours(PIXELS)[0])
        contours = meta.contours
        self.assertEqual((len(contours), [c.id for c in contours], contours[-1].id), (3, [0, 1, 2], 2))
        self.assertEqual([c.id for c in contours[1:]], [1, 2])
        self.assertEqual([c.id for c in reversed(contours)], [2, 1, 0])
        with self.assertRaises(IndexError):
            contours[3]
        outer, hole, _dot = contours
        self.assertEqual((outer.area, outer.box, outer.child, hole.parent, hole.hole), (15, (1, 1, 6, 4), 1, 0, True))
        self.assertEqual(hole.centroid, (3, 3))
        self.assertIsNone(hole.region)
        self.assertIsNone(hole.nesting)
        for c in contours:
            numpy.testing.assert_array_equal(c.points, meta.points[c.first:c.first + c.count])
            self.assertTrue(numpy.shares_memory(c.points, meta.points))
            self.assertFalse(c.points.flags.writeable)
        self.assertEqual(meta.get_contour(1)[1].box, hole.box)
        with self.assertRaisesRegex(AttributeError, "meta.contours"):
            meta.get_contour(1)[1].points

    def test_scaled(self):
        for coordinates, half in ((PIXELS, 0.5), (CORNERS, 0)):
            buffer, _gpu = with_contours(coordinates, "videoscale ! video/x-raw,width=32,height=3")
            meta, = GstContours.contour_metas(buffer)
            for c in meta.contours:
                mapped = meta.map_points(c.id)
                self.assertEqual(mapped.dtype, numpy.float32)
                numpy.testing.assert_array_equal(mapped, (c.points + half) * (4, 0.5) - half)
        for index in (-1, 3):
            with self.assertRaises(IndexError):
                meta.map_points(index)

    def test_without_copies(self):
        buffer = Frames(NOISE + BORDERS + "features=moments").buffers[0]
        metas = [GstContours.contour_metas(buffer)[0] for _ in range(2)]
        for name in ("table", "point_table", "sums"):
            arrays = [getattr(meta, name) for meta in metas]
            self.assertGreater(arrays[0].size, 10)
            self.assertEqual(*map(memory_of, arrays), name)
        for name in ("table", "point_table", "sums", "moments", "points"):
            array = getattr(metas[0], name)
            self.assertFalse(array.flags.writeable, name)

    def test_shapes(self):
        features = "hull+defect+rectangle+feret+circle+distances+holes+fits+moments"
        launch = f"{DISC} cudaborders backend=cpu mode=ccomp features={features} ! videoscale ! video/x-raw,"
        metas = [GstContours.contour_metas(Frames(launch + size).buffers[0])
                 for size in ("width=160,height=120", "width=320,height=240", "width=161,height=120")]
        (meta,), (twice,), (uneven,) = metas
        row, shape = meta.shapes[0], meta.contours[0].shape
        self.assertTrue(numpy.isnan(row["line_angle"]))  # All lines through a disc's centre are equally good.
        numbers = [name for name in row.dtype.names
                   if not name.startswith("hu") and name != "line_angle" or name.startswith("hull")]
        self.assertEqual([row[name] for name in numbers], [getattr(shape, name) for name in numbers])
        self.assertEqual([row[f"hu{i + 1}"] for i in range(7)], list(shape.hu))
        self.assertFalse(any(numpy.isnan(row[name]) for name in numbers))
        radius = numpy.hypot(*(meta.points - (row["circle_x"], row["circle_y"])).T).max()
        self.assertAlmostEqual(row["circle_radius"], radius)
        self.assertTrue(0.98 < row["solidity"] <= 1 and 0.97 < row["roundness"] < 1 and row["holes"] == 0)
        self.assertEqual(twice.shapes.tobytes(), meta.shapes.tobytes())
        areas, even = ["hull_area", "hole_area"], ["solidity", "holes", "euler_number", "bulkiness", "touches_frame"]
        lengths = ["hull_perimeter", "defect_depth", "rectangle_width", "rectangle_height", "feret_max", "feret_min",
                   "circle_radius", "distance_mean", "distance_deviation", "distance_max", "major", "minor", "feret_extent",
                   "line_deviation", "fit_circle_radius", "fit_circle_deviation", "ellipse_major", "ellipse_minor"]
        for name in numbers:
            scaled, other = getattr(twice.contours[0].shape, name), getattr(uneven.contours[0].shape, name)
            expected = row[name] * (2 if name in lengths else 4 if name in areas else 1)
            if name.endswith(("_x", "_y")):
                expected = (row[name] + 0.5) * 2 - 0.5
            self.assertAlmostEqual(scaled, expected, 9, name)
            if name in areas + even:
                self.assertAlmostEqual(other, row[name] * (161 / 160 if name in areas else 1), 9, name)
            else:
                self.assertTrue(numpy.isnan(other), name)

    def test_without_features(self):
        meta, = GstContours.contour_metas(Frames(NOISE + BORDERS).buffers[0])
        self.assertTrue(numpy.isnan(meta.shapes["hull_area"]).all())
        self.assertEqual((meta.moments, meta.sums, meta.regions), (None, None, None))

    def test_nothing_found(self):
        launch = f"{DISC} cudaborders backend=cpu features=moments min-area=100000"
        meta, = GstContours.contour_metas(Frames(launch).buffers[0])
        self.assertEqual((meta.count, meta.contours, meta.points.shape), (0, (), (0, 2)))
        for name in ("table", "point_table", "moments", "sums"):
            self.assertEqual(getattr(meta, name).shape, (0,), name)

    def test_history(self):
        buffer, = Frames(f"{DISC} cudasnake backend=cpu history=true").buffers
        meta, = GstContours.contour_metas(buffer)
        outline, = meta.contours
        history = outline.history
        del buffer, meta
        # The outline of the disc's blocks is an octagon.
        self.assertEqual((history[0].kind, history[0].iteration, len(history[0].points)), ("started", 0, 8))
        self.assertGreater(len(history), 10)
        self.assertTrue({state.kind for state in history} <= {"started", "moved", "split", "pruned"})
        for before, after in zip(history, history[1:]):
            self.assertGreaterEqual(after.iteration, before.iteration)
            if after.kind == "moved":
                self.assertLess(after.criterion, before.criterion)
                self.assertEqual(after.points.shape, before.points.shape)
        last = history[-1]
        self.assertEqual((last.criterion, last.inside_count), (outline.region.criterion, outline.region.inside_count))
        self.assertEqual(sorted(map(tuple, last.points)), sorted(map(tuple, outline.points)))
        meta, = GstContours.contour_metas(Frames(f"{DISC} cudasnake backend=cpu").buffers[0])
        self.assertIsNone(meta.contours[0].history)
        self.assertFalse(meta.has_history())

    def test_regions(self):
        meta, = GstContours.contour_metas(Frames(f"{DISC} cudasnake backend=cpu").buffers[0])
        self.assertEqual((meta.count, meta.regions.shape), (1, (1,)))
        outline, row = meta.contours[0], meta.regions[0]
        region = outline.region
        self.assertEqual((region.object, region.iterations), (row["object"], row["iterations"]))
        self.assertEqual((region.criterion, region.gain), (row["criterion"], row["gain"]))
        self.assertEqual(region.inside_count + region.outside_count, 160 * 120)
        self.assertEqual((region.inside_count, region.outside_count), (row["inside_count"], row["outside_count"]))
        self.assertEqual(region.inside_mean, row["inside_sum"] / row["inside_count"])
        self.assertEqual(region.converged, bool(row["flags"] & 1))
        self.assertAlmostEqual(outline.area / region.inside_count, 1, delta=0.02)

    def test_codes(self):
        meta, = GstContours.contour_metas(with_contours(PIXELS)[0])
        self.assertEqual((meta.has_codes(), meta.get_code_bits()), (True, 3))
        self.assertEqual(meta.chains.tolist(), [(0, 16, 1, 1), (6, 4, 3, 2), (8, 0, 7, 0)])
        self.assertEqual(meta.packed_codes.tolist(), [0xb6, 1, 0, 0x92, 0x48, 0x92, 0xef, 2])
        self.assertEqual("".join(map(str, meta.codes)), "66600000222444447531")
        self.assertEqual((meta.codes.dtype, meta.codes.flags.writeable), (numpy.uint8, False))
        self.assertEqual([meta.unpack_codes(i).tolist() for i in (1, 2)], [[7, 5, 3, 1], []])
        for c in meta.contours:
            numpy.testing.assert_array_equal(meta.decode_points(c.id), c.points)
        self.assertEqual(meta.decode_points(0, all=True)[:5].tolist(), [[1, 1], [1, 2], [1, 3], [1, 4], [2, 4]])
        with self.assertRaises(IndexError):
            meta.unpack_codes(3)
        meta, = GstContours.contour_metas(with_contours(CORNERS)[0])  # which are polygons
        self.assertEqual((meta.has_codes(), meta.codes, meta.chains, meta.packed_codes), (False, None, None, None))
        self.assertIsNone(meta.unpack_codes(0))
        self.assertIsNone(meta.decode_points(0))

    def test_codes_of_elements(self):
        """The codes of all contours lead from each point to the next one, for borders of every pixel, and cracks."""
        moves = {3: [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)],
                 2: [(1, 0), (0, -1), (-1, 0), (0, 1)]}
        for finder, bits in (("cudaborders backend=cpu approximation=none", 3), ("cudaborders backend=cpu mode=tree", 3),
                             ("cudacrackcontour backend=cpu levels=100,200", 2),
                             ("cudacrackcontour backend=cpu levels=100,200 mode=eq", 2)):
            meta, = GstContours.contour_metas(Frames(f"{NOISE} ! {finder}").buffers[0])
            self.assertEqual(meta.get_code_bits(), bits)
            moved = numpy.array(moves[bits])[meta.codes]
            steps = meta.chains["steps"].astype(int)
            self.assertEqual(steps.sum(), len(meta.codes))
            ends = numpy.cumsum(steps)
            for c, end in zip(meta.contours, ends):
                mine = moved[end - steps[c.id]:end]
                self.assertEqual(mine.sum(axis=0).tolist(), [0, 0])
                line = c.points[0] + numpy.cumsum(mine, axis=0) - mine
                line = line if len(line) else c.points
                numpy.testing.assert_array_equal(meta.decode_points(c.id, all=True), line)
                numpy.testing.assert_array_equal(meta.decode_points(c.id), c.points)
                turns = (mine != numpy.roll(mine, 1, axis=0)).any(axis=1) if len(mine) else [True]
                kept = line if "none" in finder else line[turns]
                numpy.testing.assert_array_equal(kept, c.points)
                numpy.testing.assert_array_equal(numpy.array(moves[bits])[meta.unpack_codes(c.id)], mine)
        meta, = GstContours.contour_metas(Frames(f"{NOISE} ! cudaborders backend=cpu epsilon=1.5").buffers[0])
        self.assertIsNone(meta.codes)
        with self.assertRaisesRegex(GLib.Error, "epsilon"):
            meta.fetch_codes()

    def test_nesting(self):
        launch = f"{DISC} cudacrackcontour backend=cpu hierarchy=levels step=20"
        meta, = GstContours.contour_metas(Frames(launch).buffers[0])
        self.assertEqual((meta.has_nesting(), meta.nesting.shape), (True, (meta.count,)))
        self.assertGreater(meta.count, 3)
        for contour, row in zip(meta.contours, meta.nesting):
            nesting = contour.nesting
            self.assertEqual((nesting.depth, nesting.birth, nesting.death), tuple(row))
            depth, parent = 0, contour.parent
            while parent >= 0:
                depth, parent = depth + 1, meta.contours[parent].parent
            self.assertEqual(nesting.depth, depth)
            self.assertTrue(nesting.birth <= contour.level <= nesting.death)
        self.assertEqual(meta.nesting["death"].max(), meta.table["level"].max())

    def test_failing_fetch(self):
        buffer, gpu = with_contours(PIXELS)
        meta, = GstContours.contour_metas(buffer)
        gpu.broken = True
        for name in ("codes", "chains", "packed_codes"):
            with self.assertRaisesRegex(GLib.Error, "the GPU has fallen off the bus", msg=name):
                getattr(meta, name)
        for name in ("table", "points", "point_table", "moments", "sums", "contours"):
            with self.assertRaisesRegex(GLib.Error, "the GPU has fallen off the bus", msg=name):
                getattr(meta, name)


class Regions(unittest.TestCase):
    LAUNCH = ("videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=320,height=240 ! cudacca backend=cpu {0} "
              "! cudaborders backend=cpu {0} ! identity name=frames")

    def test_numbers(self):
        for properties, expected in (("", [0]), ('region="150,110,20,20;0,0,9,9;140,100,20,20"', [0, 2])):
            buffer, = Frames(self.LAUNCH.format(properties)).buffers
            for meta in GstContours.component_metas(buffer) + GstContours.contour_metas(buffer):
                rows = meta.components if hasattr(meta, "components") else meta.contours
                self.assertEqual([row.region_number for row in rows], expected)
                self.assertEqual(meta.region_count, 3 if properties else 0)
                if properties:
                    self.assertEqual(meta.region_numbers.tolist(), expected)
                else:
                    self.assertIsNone(meta.region_numbers)


class Lifetimes(unittest.TestCase):
    LAUNCH = ("videotestsrc pattern=snow num-buffers={} ! video/x-raw,format=GRAY8,width=61,height=47 ! cudacca "
              f"name=finder backend=cpu threshold=180 {ALL} {BORDERS} features=moments ! "
              "appsink name=out sync=false max-buffers=2")

    def test_arrays_outlive_everything(self):
        """The elements reuse their memory for later frames, and give it back at the end."""
        pipeline = Gst.parse_launch(self.LAUNCH.format(200))
        out = pipeline.get_by_name("out")
        pipeline.set_state(Gst.State.PLAYING)
        held, copies = [], []
        for number, sample in enumerate(iter(lambda: out.emit("pull-sample"), None)):
            if number % 40:
                continue
            components, = GstContours.component_metas(sample.get_buffer())
            contours, = GstContours.contour_metas(sample.get_buffer())
            arrays = [components.table, components.moments, components.grey, components.labels, contours.table,
                      contours.points, contours.point_table, contours.moments, contours.sums, contours.contours[7].points]
            held.append((arrays, contours.contours, components.components))
            copies.append(([array.copy() for array in arrays], [(c.area, c.points.tolist()) for c in contours.contours],
                           [c.box for c in components.components]))
            del components, contours, arrays, sample
        pipeline.set_state(Gst.State.NULL)
        del pipeline, out
        gc.collect()
        self.assertEqual(len(held), 5)
        for (arrays, contours, components), (values, measures, boxes) in zip(held, copies):
            for array, value in zip(arrays, values):
                numpy.testing.assert_array_equal(array, value)
            self.assertEqual([(c.area, c.points.tolist()) for c in contours], measures)
            self.assertEqual([c.box for c in components], boxes)

    def test_memory_is_given_back(self):
        buffer, gpu = with_contours(PIXELS)
        meta, = GstContours.contour_metas(buffer)
        contours, table = meta.contours, meta.table
        self.assertEqual(contours[0].points.tolist()[0], [1, 1])
        view = table["area2"][1:]
        del buffer, meta, table
        gc.collect()
        self.assertEqual((view.tolist(), gpu.destroyed), ([4, 0], 0))
        del view, contours
        gc.collect()
        self.assertEqual(gpu.destroyed, 1)

    def test_metadata_keeps_its_buffer(self):
        buffer, gpu = with_contours(PIXELS)
        meta = GstContours.buffer_get_contours_contour_meta(buffer)
        del buffer
        gc.collect()
        self.assertEqual((meta.source, meta.table["area2"].tolist(), gpu.destroyed), ("follower", [-30, 4, 0], 0))
        del meta
        gc.collect()
        self.assertEqual(gpu.destroyed, 1)

    def test_threads(self):
        """Several threads read the same metadata, and others that of their own frames."""
        buffers = [Frames(NOISE + ALL + BORDERS).buffers[0]] * 4 + Frames(NOISE + ALL + BORDERS).buffers
        shared = GstContours.contour_metas(buffers[0])[0]
        sums, failures = [], []

        def read(buffer):
            try:
                for _ in range(50):
                    meta, = GstContours.contour_metas(buffer)
                    own = sum(int(c.points.sum()) for c in meta.contours)
                    assert own == meta.point_table["x"].sum(dtype="i8") + meta.point_table["y"].sum(dtype="i8")
                    assert GstContours.component_metas(buffer)[0].table["area"].sum() > 0
                    sums.append(int(shared.points.sum()) + sum(len(c.points) for c in shared.contours))
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=read, args=(buffer,)) for buffer in buffers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((failures, len(sums), len(set(sums))), ([], 350, 1))


# What is said before the module, in a process of its own.
WITHOUT_NUMPY = 'import sys; sys.modules["numpy"] = None\n'
WITHOUT_GST_PYTHON = 'import sys; sys.modules["gi.overrides.Gst"] = None\n'
READ = """
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstContours", "1.0")
from gi.repository import Gst, GstContours
Gst.init(None)
pipeline = Gst.parse_launch("videotestsrc pattern=ball num-buffers=1 ! cudacca backend=cpu ! cudaborders backend=cpu ! "
                            "appsink name=out")
pipeline.set_state(Gst.State.PLAYING)
buffer = pipeline.get_by_name("out").emit("pull-sample").get_buffer()
components, = GstContours.component_metas(buffer)
contours, = GstContours.contour_metas(buffer)
"""
NO_ARRAYS = READ + """
assert components.components[0].box == (contours.contours[0].box), components.components[0].box
assert (components.count, contours.contours[0].parent) == (1, -1)
for meta, name in ((components, "table"), (contours, "points"), (contours, "table"), (contours.contours[0], "points")):
    try:
        getattr(meta, name)
        sys.exit(f"{name} came without NumPy")
    except ImportError as error:
        assert "python3-numpy" in str(error), error
"""
COPIED = READ + """
assert components.table["area"][0] == components.components[0].area and not components.table.flags.writeable
assert contours.contours[0].points.shape == (contours.point_count, 2)
"""


class Missing(unittest.TestCase):
    def run_program(self, program):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_without_numpy(self):
        self.run_program(WITHOUT_NUMPY + NO_ARRAYS)

    def test_without_gst_python(self):
        self.run_program(WITHOUT_GST_PYTHON + COPIED)


unittest.main()
