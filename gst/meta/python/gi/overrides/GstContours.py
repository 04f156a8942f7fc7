# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the namespace GstContours has in Python beyond its C interface: results as NumPy arrays, and sequences of
contours and components. PyGObject loads this file with "from gi.repository import GstContours".

Arrays are read-only. Arrays, contours and components may be kept for ever: they own their memory, and their buffer
can go back to its pool. Metadata keeps its buffer. An array that was not computed is None; one that cannot be fetched
from the GPU raises GLib.Error. NumPy is imported by the first attribute that needs it.

Unless a name says otherwise, arrays are in pixels of the analysed image, and contours and components in pixels of the
frame that carries the metadata."""
import collections
import functools
import json
import operator

from gi.repository import Gst

from ..module import get_introspection_module

_namespace = get_introspection_module("GstContours")

__all__ = ["component_metas", "contour_metas"]


def _keep_buffer(name):
    """Overrides a function that returns metadata of a buffer, or a list of it: the metadata lives in the buffer."""
    function = getattr(_namespace, name)

    @functools.wraps(function)
    def get(buffer, *arguments):
        found = function(buffer, *arguments)
        for meta in found if isinstance(found, list) else [found]:
            if meta is not None:
                meta._buffer = buffer
        return found
    __all__.append(name)
    return get


buffer_get_contours_component_meta = _keep_buffer("buffer_get_contours_component_meta")
buffer_get_contours_component_meta_by_source = _keep_buffer("buffer_get_contours_component_meta_by_source")
buffer_get_contours_component_metas = _keep_buffer("buffer_get_contours_component_metas")
buffer_get_contours_contour_meta = _keep_buffer("buffer_get_contours_contour_meta")
buffer_get_contours_contour_meta_by_source = _keep_buffer("buffer_get_contours_contour_meta_by_source")
buffer_get_contours_contour_metas = _keep_buffer("buffer_get_contours_contour_metas")


def component_metas(buffer, source=None):
    """The list of the component metadata of a buffer; with source, of what the element of this name attached."""
    return _select(buffer_get_contours_component_metas(buffer), source)


def contour_metas(buffer, source=None):
    """The list of the contour metadata of a buffer; with source, of what the element of this name attached."""
    return _select(buffer_get_contours_contour_metas(buffer), source)


def _select(metas, source):
    return [meta for meta in metas if source is None or meta.get_source() == source]


def _import_numpy():
    try:
        import numpy
    except ImportError as error:
        raise ImportError("The arrays of GstContours need NumPy: install the Debian package python3-numpy, or numpy "
                          "with pip.", name="numpy") from error
    return numpy


class _Memory:
    """The memory of a GLib.Bytes. NumPy keeps this object, and with it the bytes, as long as an array shows them."""

    def __init__(self, data, address):
        self.data = data
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (data.get_size(),), "data": (address, True)}


def _view_bytes(data, dtype):
    """The content of a GLib.Bytes as a one-dimensional array, without a copy."""
    numpy = _import_numpy()
    if data.get_size() == 0:
        array = numpy.empty(0, dtype)
        array.flags.writeable = False
        return array
    mapped = Gst.Buffer.new_wrapped_bytes(data).map(Gst.MapFlags.READ)
    if isinstance(mapped, tuple):  # without gst-python, which maps memory in place
        return numpy.frombuffer(data.get_data(), dtype)
    with mapped:
        address = numpy.frombuffer(mapped.data, "u1").__array_interface__["data"][0]
    return numpy.asarray(_Memory(data, address)).view(dtype)


@functools.lru_cache(maxsize=None)
def _dtype(structure):
    """The dtype of a C structure, as the library describes it."""
    return _import_numpy().dtype(json.loads(_namespace.get_layout(structure)))


def _view_structures(data, structure):
    return None if data is None else _view_bytes(data, _dtype(structure))


_State = collections.namedtuple("State", "kind iteration step inside_count criterion points")


class _History:
    """The polygons of all contours' histories, which are looked up when they are first asked for."""

    def __init__(self, states, points):
        self.data = states, points

    @functools.cached_property
    def arrays(self):
        states, points = self.data
        return _view_structures(states, "CtrSnakeState"), _view_bytes(points, "u2").astype("i4").reshape(-1, 2)

    def of(self, row):
        """The polygons of a row of the table, in the order of time."""
        states, points = self.arrays
        first, end = states["row"].searchsorted([row, row + 1])
        return tuple(
            _State(_namespace.StateKind(int(state["kind"])).value_nick, int(state["iteration"]), int(state["step"]),
                   int(state["inside_count"]), float(state["criterion"]),
                   points[int(state["first"]):int(state["first"]) + int(state["count"])])
            for state in states[first:end])


class _Points:
    """The points of all contours, converted when they are first asked for."""

    def __init__(self, data):
        self.data = data

    @functools.cached_property
    def array(self):
        points = _view_bytes(self.data, "u2").astype("i4").reshape(-1, 2)
        points.flags.writeable = False
        return points


def _extends(structure, getters=()):
    """Gives an introspected structure what the decorated class has, and a property for each of its getters. Metadata
    has no GType, which gi.overrides.override() requires."""
    def extend(additions):
        for name in getters:
            setattr(structure, name, property(operator.methodcaller(f"get_{name}"), doc=f"get_{name}()"))
        for name, attribute in vars(additions).items():
            if not name.startswith("__"):
                setattr(structure, name, attribute)
        return structure
    return extend


@_extends(_namespace.Component)
class _Component:
    @property
    def box(self):
        """The bounding box: (x, y, width, height)."""
        return self.x, self.y, self.w, self.h

    @property
    def centroid(self):
        """The centre of gravity: (x, y)."""
        return self.cx, self.cy

    @property
    def world(self):
        """The GstContours.WorldComponent: measures in units of the calibration. None without one."""
        return self.__dict__.get("_world")


@_extends(_namespace.ComponentMeta, ("calibration", "connectivity", "count", "features", "first_row", "flags", "mapping", "origin_row",
                                     "reference_size", "region_count", "size", "source", "threshold"))
class _ComponentMeta:
    def _fetch(self, get):
        """What a getter returns, or GLib.Error if the analysis has failed."""
        self.fetch()
        return get()

    @functools.cached_property
    def components(self):
        """The tuple of all components: item i has the label i + 1."""
        components = self._fetch(self.get_components)
        for component, world in zip(components, self.get_world_components()):
            component._world = world
        return tuple(components)

    @functools.cached_property
    def background(self):
        """The pixels that are in no component, label 0; None without the feature background."""
        known, background = self._fetch(self.get_background)
        return background if known else None

    @functools.cached_property
    def table(self):
        """One CtrComponent per component, without a copy."""
        return _view_structures(self._fetch(self.get_table_bytes), "CtrComponent")

    @property
    def region_numbers(self):
        """The number of each component's region, uint16, without a copy; None without regions."""
        return self.table["value"] if self.get_region_count() else None

    @functools.cached_property
    def moments(self):
        """One CtrComponentMoments per component, without a copy; None without the feature moments."""
        return _view_structures(self._fetch(self.get_moments_bytes), "CtrComponentMoments")

    @functools.cached_property
    def grey(self):
        """One CtrComponentGrey per component, without a copy; None without the feature grey."""
        return _view_structures(self._fetch(self.get_grey_bytes), "CtrComponentGrey")

    @functools.cached_property
    def percentiles(self):
        """One CtrComponentPercentiles per component, without a copy; None without the feature percentiles."""
        return _view_structures(self._fetch(self.get_percentiles_bytes), "CtrComponentPercentiles")

    @functools.cached_property
    def inscribed(self):
        """One CtrComponentInscribed per component, without a copy; None without the feature inscribed."""
        return _view_structures(self._fetch(self.get_inscribed_bytes), "CtrComponentInscribed")

    @functools.cached_property
    def contrast(self):
        """One CtrComponentContrast per component, without a copy; None without the feature contrast."""
        return _view_structures(self._fetch(self.get_contrast_bytes), "CtrComponentContrast")

    @functools.cached_property
    def skeleton(self):
        """One CtrComponentSkeleton per component, without a copy; None without the feature skeleton."""
        return _view_structures(self._fetch(self.get_skeleton_bytes), "CtrComponentSkeleton")

    @functools.cached_property
    def labels(self):
        """The label image, (height, width) uint32, without a copy; None without the feature labels."""
        data = self._fetch(self.get_labels_bytes)
        if data is None:
            return None
        width, height = self.get_reference_size()
        return _view_bytes(data, "u4").reshape(height, width)


@_extends(_namespace.Contour)
class _Contour:
    @property
    def box(self):
        """The bounding box: (x, y, width, height)."""
        return self.x, self.y, self.w, self.h

    @property
    def centroid(self):
        """The centroid of the area inside: (x, y); NaN without the feature moments and without an area."""
        return self.cx, self.cy

    @property
    def points(self):
        """The points in the analysed image, (count, 2) int32: a view of the metadata's points."""
        points = self.__dict__.get("_points")
        if points is None:
            raise AttributeError("This contour does not know its points: take it from meta.contours.")
        return points.array[self.first:self.first + self.count]

    @property
    def region(self):
        """The GstContours.Region of an outline of cudasnake, None of other contours."""
        return self.__dict__.get("_region")

    @property
    def history(self):
        """The polygons that led to an outline of cudasnake history=true, from its start on: tuples with kind ("started",
        "moved", "split" or "pruned"), iteration, step, inside_count, criterion and points. None of other contours."""
        history = self.__dict__.get("_history")
        return history and history.of(self.id)

    @property
    def nesting(self):
        """The GstContours.Nesting of a contour of cudacrackcontour with hierarchy=levels, None of other contours."""
        return self.__dict__.get("_nesting")

    @property
    def world(self):
        """The GstContours.WorldContour: measures in units of the calibration. None without one."""
        return self.__dict__.get("_world")

    @property
    def subpixels(self):
        """Where the edge is beside each of the points, (count, 2) float64, in pixels of the analysed image: a view of the
        metadata's subpixels. None without subpixel=..."""
        subpixels = self.__dict__.get("_subpixels")
        positions = subpixels and subpixels()
        return None if positions is None else positions[self.first:self.first + self.count]

    @property
    def shape(self):
        """The GstContours.Shape: what features=hull+defect+... measure, NaN where they do not."""
        return self.__dict__.get("_shape")


@_extends(_namespace.ContourMeta, ("calibration", "connectivity", "coordinates", "count", "features", "first_row", "flags", "mapping", "needed",
                                   "origin_row", "point_count", "reference_size", "region_count", "size", "source", "threshold"))
class _ContourMeta:
    def _fetch(self, get):
        """What a getter returns, or GLib.Error if it has nothing because fetching failed."""
        fetched = get()
        if not fetched:
            self.fetch()
            fetched = get()
        return fetched

    @functools.cached_property
    def contours(self):
        """The tuple of all contours, row i of the table at index i. They know their points."""
        if self.get_count() == 0:
            return ()
        contours = self._fetch(self.get_contours)
        regions = self._fetch(self.get_regions) if self.has_regions() else [None] * len(contours)
        nestings = self._fetch(self.get_nestings) if self.has_nesting() else [None] * len(contours)
        shapes = self._fetch(self.get_shapes)
        points, history = self._all_points, None
        if self.has_history():
            history = _History(self.get_states_bytes(), self.get_history_points_bytes())
        for contour, region, nesting, shape in zip(contours, regions, nestings, shapes):
            contour._points, contour._region, contour._nesting, contour._history = points, region, nesting, history
            contour._shape = shape
            contour._subpixels = self._get_subpixels
        if self.get_calibration():
            for contour, world in zip(contours, self._fetch(self.get_world_contours)):
                contour._world = world
        return tuple(contours)

    def _get_subpixels(self):
        return self.subpixels

    @functools.cached_property
    def _all_points(self):
        return _Points(self._fetch(self.get_points_bytes))

    @property
    def points(self):
        """The points of all contours, (point_count, 2) int32: a copy, made once, with which it is safe to calculate."""
        return self._all_points.array

    @functools.cached_property
    def point_table(self):
        """The points of all contours as they are in memory, one CtrPoint each, without a copy."""
        return _view_structures(self._fetch(self.get_points_bytes), "CtrPoint")

    @functools.cached_property
    def subpixel_table(self):
        """Where the edge is beside each point of all contours: one CtrSubpixelPoint each, without a copy. None without
        subpixel=..."""
        if not self.has_subpixel():
            return None
        return _view_structures(self._fetch(self.get_subpixel_bytes), "CtrSubpixelPoint")

    @functools.cached_property
    def subpixels(self):
        """The same as positions in pixels, (point_count, 2) float64. None without subpixel=..."""
        table = self.subpixel_table
        if table is None:
            return None
        positions = _import_numpy().stack([table["x"], table["y"]], axis=-1) / 256
        positions.flags.writeable = False
        return positions

    def map_subpixels(self, index):
        """Those of one contour in pixels of the frame, (count, 2) float32. None without subpixel=..."""
        self._check_index(index)
        if not self.has_subpixel():
            return None
        return _view_bytes(self._fetch(lambda: self.get_mapped_subpixel(index)), "f4").reshape(-1, 2)

    def _check_index(self, index):
        if not 0 <= index < self.get_count():
            raise IndexError(f"no contour {index}: there are {self.get_count()}")

    def map_points(self, index):
        """The points of one contour in pixels of the frame, (count, 2) float32."""
        self._check_index(index)
        return _view_bytes(self._fetch(lambda: self.get_mapped_points(index)), "f4").reshape(-1, 2)

    def world_points(self, index):
        """The points of one contour in units of the calibration, (count, 2) float64, NaN for points without a counterpart. None
        without a calibration."""
        self._check_index(index)
        if not self.get_calibration():
            return None
        return _view_bytes(self._fetch(lambda: self.get_world_points(index)), "f8").reshape(-1, 2)

    def world_subpixels(self, index):
        """Where the edge is beside these points, likewise. None also without subpixel=..."""
        self._check_index(index)
        if not self.get_calibration() or not self.has_subpixel():
            return None
        return _view_bytes(self._fetch(lambda: self.get_world_subpixels(index)), "f8").reshape(-1, 2)

    @functools.cached_property
    def table(self):
        """One CtrContour per contour, without a copy."""
        return _view_structures(self._fetch(self.get_table_bytes), "CtrContour")

    @property
    def region_numbers(self):
        """The number of each contour's region, uint32, without a copy; None without regions."""
        return self.table["region"] if self.get_region_count() else None

    @functools.cached_property
    def moments(self):
        """One CtrContourMoments per contour: as cv2.moments(). None without the feature moments."""
        if not self.get_features() & _namespace.ContourFeatures.MOMENTS:
            return None
        return _view_structures(self._fetch(self.get_moments_bytes), "CtrContourMoments")

    @functools.cached_property
    def sums(self):
        """One CtrContourSums per contour, without a copy: the exact integers behind the moments. None without them."""
        if not self.get_features() & _namespace.ContourFeatures.MOMENTS:
            return None
        return _view_structures(self._fetch(self.get_sums_bytes), "CtrContourSums")

    @functools.cached_property
    def shapes(self):
        """One CtrContourShapeValues per contour: what the features measure, NaN where they do not."""
        return _view_structures(self._fetch(self.get_shapes_bytes), "CtrContourShapeValues")

    @functools.cached_property
    def regions(self):
        """One CtrSnakeRegion per outline of cudasnake, without a copy; None for other contours."""
        if not self.has_regions():
            return None
        return _view_structures(self._fetch(self.get_regions_bytes), "CtrSnakeRegion")

    def _fetch_codes(self, get):
        """What a getter of codes returns, None if there are none, or GLib.Error if fetching failed."""
        if not self.has_codes():
            return None
        self.fetch_codes()
        return get()

    @functools.cached_property
    def chains(self):
        """One CtrContourChain per contour, without a copy: where its codes are. None without codes."""
        return _view_structures(self._fetch_codes(self.get_chains_bytes), "CtrContourChain")

    @functools.cached_property
    def packed_codes(self):
        """The codes of all contours as they are in memory, uint8, without a copy. None without codes."""
        data = self._fetch_codes(self.get_codes_bytes)
        return None if data is None else _view_bytes(data, "u1")

    @functools.cached_property
    def codes(self):
        """The direction of each step of all contours, contour by contour, uint8: chains["steps"] of each. None without
        codes."""
        if self.chains is None:
            return None
        numpy, width = _import_numpy(), self.get_code_bits()
        bits = numpy.unpackbits(self.packed_codes, bitorder="little")
        steps = self.chains["steps"].astype("i8")
        begin = 8 * self.chains["offset"].astype("i8") - width * (numpy.cumsum(steps) - steps)
        at = numpy.repeat(begin, steps) + width * numpy.arange(steps.sum())
        codes = bits[at]
        for bit in range(1, width):
            codes |= bits[at + bit] << bit
        codes.flags.writeable = False
        return codes

    def unpack_codes(self, index):
        """The direction of each step of one contour, uint8. None without codes."""
        return self._of_one(index, self.get_codes, "u1")

    def decode_points(self, index, all=False):
        """The points of one contour, made from its codes, (count, 2) int32: those of points, or all that the line passes.
        None without codes."""
        points = self._of_one(index, lambda index: self.get_decoded_points(index, all), "u2")
        return None if points is None else points.astype("i4").reshape(-1, 2)

    def _of_one(self, index, get, dtype):
        self._check_index(index)
        data = self._fetch_codes(lambda: get(index))
        return None if data is None else _view_bytes(data, dtype)

    @functools.cached_property
    def nesting(self):
        """One CtrContourNesting per contour of cudacrackcontour with hierarchy=levels, without a copy; otherwise None."""
        if not self.has_nesting():
            return None
        return _view_structures(self._fetch(self.get_nesting_bytes), "CtrContourNesting")
