# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata of frames as Arrow tables: frames, components and contours. docs/archive.md says what the columns mean.

Every table has all columns, whatever the elements compute, so that the files of all jobs go together: what was not computed is null.
Arrays are taken as a whole from the metadata. Only measures in floating point that the core derives for each component are read
one by one, and only where they were asked for."""
import json

import numpy
import pyarrow

from gi.repository import Gst, GstContours

from .media import MediaError

FLUSH_BYTES = 32 << 20  # in memory before they are written
UNITS_OF_LENGTH = 1 << 23  # in a pixel, as contourlist.h has them
UNITS_OF_SUBPIXELS = 1 << 8
HOLE, OPEN, START_JUNCTION, END_JUNCTION = 1, 2, 4, 8  # CtrContour.flags

COMPONENT = GstContours.ComponentFeatures
CONTOUR = GstContours.ContourFeatures
FLAG = GstContours.ResultFlags
SHAPES = (CONTOUR.HULL | CONTOUR.DEFECT | CONTOUR.RECTANGLE | CONTOUR.FERET | CONTOUR.CIRCLE | CONTOUR.DISTANCES | CONTOUR.HOLES
          | CONTOUR.FITS)
MOMENT_SHAPE = ["orientation", "major_axis", "minor_axis", "eccentricity"]
SKELETON = ["skeleton_length", "skeleton_width"]


def columns_of(structure, *, leave=(), prefix=""):
    """The fields of a C structure, as the library describes it: (column, type) each."""
    dtype = numpy.dtype(json.loads(GstContours.get_layout(structure)))
    return [(prefix + name, pyarrow.from_numpy_dtype(dtype[name])) for name in dtype.names if name not in leave]


def floats(*names):
    return [(name, pyarrow.float64()) for name in names]


KEY = [("file", pyarrow.string()), ("frame", pyarrow.int64())]
ANALYSIS = pyarrow.struct([("source", pyarrow.string()), ("result", pyarrow.string()), ("count", pyarrow.int64()),
                           ("threshold", pyarrow.uint32()), ("connectivity", pyarrow.uint8()), ("corrupted", pyarrow.bool_()),
                           ("interlaced", pyarrow.bool_()), ("limit_exceeded", pyarrow.bool_())])
SCHEMAS = {
    "frames": pyarrow.schema(KEY + [
        ("pts", pyarrow.int64()), ("time", pyarrow.int64()), ("duration", pyarrow.int64()), ("width", pyarrow.int32()),
        ("height", pyarrow.int32()), ("components", pyarrow.int64()), ("contours", pyarrow.int64()), ("points", pyarrow.int64()),
        ("analyses", pyarrow.list_(ANALYSIS)), ("elements", pyarrow.string()), ("version", pyarrow.string())]),
    "components": pyarrow.schema(
        KEY + [("source", pyarrow.string()), ("label", pyarrow.uint32())] + columns_of("CtrComponent", leave=["value"])
        + floats("cx", "cy") + [("value", pyarrow.uint16()), ("region", pyarrow.uint16())]
        + columns_of("CtrComponentMoments") + floats(*MOMENT_SHAPE)
        + columns_of("CtrComponentGrey", leave=["min", "max"], prefix="grey_")
        + [("min", pyarrow.uint16()), ("max", pyarrow.uint16())] + floats("mean", "std") + columns_of("CtrComponentPercentiles")
        + columns_of("CtrComponentInscribed", prefix="inscribed_") + floats("inscribed_radius")
        + columns_of("CtrComponentContrast") + floats("ring_mean", "contrast")
        + columns_of("CtrComponentSkeleton", prefix="skeleton_") + floats(*SKELETON)),
    "contours": pyarrow.schema(
        KEY + [("source", pyarrow.string()), ("contour", pyarrow.uint32()), ("coordinates", pyarrow.string())]
        + [(name, pyarrow.bool_()) for name in ("hole", "open", "start_junction", "end_junction")]
        + columns_of("CtrContour", leave=["first", "count", "flags", "region", "length"])
        + [("region", pyarrow.uint32())] + floats("area", "perimeter")
        + [(name, pyarrow.list_(pyarrow.uint16())) for name in ("x", "y")]
        + columns_of("CtrContourMoments") + columns_of("CtrContourShapeValues") + columns_of("CtrContourNesting")
        + columns_of("CtrSnakeRegion", prefix="snake_")
        + [(name, pyarrow.list_(pyarrow.float64())) for name in ("subpixel_x", "subpixel_y", "subpixel_strength", "subpixel_normal")]
        + [("subpixel_flags", pyarrow.list_(pyarrow.uint16()))]),
}


def take(columns, array, prefix=""):
    """Adds the fields of a structured array to the columns."""
    if array is not None:
        columns.update((prefix + name, array[name]) for name in array.dtype.names)


def check_place(meta):
    """Arrays are in pixels of the analysed image, which must be those of the frame."""
    if not meta.mapping.is_identity():
        raise MediaError(f"{meta.source}: its results are not in pixels of its frame: no element may scale frames behind the analysers, and "
                         "strip-mode and masks of neural networks cannot be archived")


def list_components(meta):
    table, features = meta.table, meta.features
    columns = {name: table[name] for name in table.dtype.names if name != "value"}
    columns["label"] = numpy.arange(1, len(table) + 1, dtype="u4")
    columns["cx"], columns["cy"] = table["sum_x"] / table["area"], table["sum_y"] / table["area"]
    if features & COMPONENT.VALUES:
        columns["value"] = table["value"]
    if meta.region_count:
        columns["region"] = table["value"]
    take(columns, meta.moments)
    if meta.grey is not None:
        columns |= {"grey_sum": meta.grey["sum"], "grey_sum_sq": meta.grey["sum_sq"], "min": meta.grey["min"], "max": meta.grey["max"]}
    take(columns, meta.percentiles)
    take(columns, meta.inscribed, "inscribed_")
    take(columns, meta.contrast)
    take(columns, meta.skeleton, "skeleton_")
    derived = ((meta.moments, MOMENT_SHAPE), (meta.grey, ["mean", "std"]), (meta.inscribed, ["inscribed_radius"]),
               (meta.contrast, ["ring_mean", "contrast"]), (meta.skeleton, SKELETON))
    for present, names in derived:
        if present is not None:
            columns |= {name: numpy.array([getattr(c, name) for c in meta.components], "f8") for name in names}
    return columns


def make_lists(offsets, values):
    values = pyarrow.array(numpy.ascontiguousarray(values))
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets, pyarrow.int32()), values)


def list_contours(meta):
    table, points = meta.table, meta.point_table
    columns = {name: table[name] for name in table.dtype.names if name not in ("first", "count", "flags", "region", "length")}
    columns["contour"] = numpy.arange(len(table), dtype="u4")
    columns["coordinates"] = pyarrow.repeat(meta.get_coordinates().value_nick, len(table))
    for name, bit in (("hole", HOLE), ("open", OPEN), ("start_junction", START_JUNCTION), ("end_junction", END_JUNCTION)):
        columns[name] = (table["flags"] & bit) != 0
    if meta.region_count:
        columns["region"] = table["region"]
    columns["area"] = numpy.abs(table["area2"]) / 2
    columns["perimeter"] = table["length"] / UNITS_OF_LENGTH
    offsets = numpy.concatenate([table["first"], [len(points)]]).astype("i8")
    if offsets[-1] > 2**31 - 1 or (numpy.diff(offsets) != table["count"]).any():
        raise MediaError(f"{meta.source}: the points of {len(table)} contours cannot be listed: there are {len(points)}")
    columns["x"], columns["y"] = make_lists(offsets, points["x"]), make_lists(offsets, points["y"])
    take(columns, meta.moments)
    if meta.features & SHAPES:
        take(columns, meta.shapes)
    take(columns, meta.nesting)
    take(columns, meta.regions, "snake_")
    exact = meta.subpixel_table
    if exact is not None:
        for name in ("x", "y", "strength"):
            columns[f"subpixel_{name}"] = make_lists(offsets, exact[name] / UNITS_OF_SUBPIXELS)
        columns["subpixel_normal"] = make_lists(offsets, exact["normal"] * (360 / 65536))
        columns["subpixel_flags"] = make_lists(offsets, exact["flags"])
    return columns


class Tables:
    """Collects the rows of one file after another; flush() hands them over."""

    def __init__(self, elements, version):
        self.settings = {"elements": elements, "version": version}
        self.drop()

    def add(self, table, count, columns):
        """Adds rows of the columns that are there. A text or a number stands for all of them."""
        fields = [field for field in SCHEMAS[table] if columns.get(field.name) is not None]
        arrays = []
        for field in fields:
            values = columns[field.name]
            if isinstance(values, (str, int)):
                values = pyarrow.repeat(pyarrow.scalar(values, field.type), count)
            elif not isinstance(values, pyarrow.Array):
                values = pyarrow.array(numpy.ascontiguousarray(values), field.type)
            arrays.append(values)
        rows = pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))
        self.rows[table].append(rows)
        self.bytes += rows.nbytes

    def add_frame(self, file, number, frame):
        key = {"file": file.name, "frame": number}
        counts = {"components": None, "contours": None, "points": None}
        analyses = []
        for table, metas, list_columns in (
                ("components", GstContours.component_metas(frame.buffer), list_components),
                ("contours", GstContours.contour_metas(frame.buffer), list_contours)):
            for meta in metas:
                check_place(meta)
                meta.fetch()
                count = meta.count
                if count:
                    self.add(table, count, key | {"source": meta.source} | list_columns(meta))
                counts[table] = (counts[table] or 0) + count
                if table == "contours":
                    counts["points"] = (counts["points"] or 0) + meta.point_count
                analyses.append({
                    "source": meta.source, "result": table, "count": count, "threshold": meta.threshold,
                    "connectivity": int(meta.connectivity), "corrupted": bool(meta.flags & FLAG.CORRUPTED),
                    "interlaced": bool(meta.flags & FLAG.INTERLACED), "limit_exceeded": bool(meta.flags & FLAG.LIMIT_EXCEEDED)})
        if not analyses:
            raise MediaError(f"frame {number} carries no results: no element may crop frames behind the analysers, and cudacanny needs "
                             "contours=true")
        buffer = frame.buffer
        times = {name: value for name, value in (("pts", buffer.pts), ("time", frame.time), ("duration", buffer.duration))
                 if value is not None and value != Gst.CLOCK_TIME_NONE}
        sizes = {"width": frame.width, "height": frame.height, "analyses": pyarrow.array([analyses], pyarrow.list_(ANALYSIS))}
        self.add("frames", 1, key | counts | times | sizes | self.settings)

    def drop(self):
        """Forgets what has not been handed over."""
        self.rows = {name: [] for name in SCHEMAS}
        self.bytes = 0

    def flush(self):
        """Everything collected, as an Arrow table with all columns for each name that has rows."""
        full = {}
        for name, rows in self.rows.items():
            if rows:
                joined = pyarrow.concat_tables(rows, promote_options="default")
                columns = [joined.column(field.name) if field.name in joined.column_names else pyarrow.nulls(len(joined), field.type)
                           for field in SCHEMAS[name]]
                full[name] = pyarrow.Table.from_arrays(columns, schema=SCHEMAS[name])
        self.drop()
        return full
