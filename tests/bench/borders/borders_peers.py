#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peers of the border following, on the masks of bench_borders and compared with its lists.

borders_peers.py GROUP DIR   one JSON record a line for each case in DIR, which bench_borders --write has filled; GROUP is one
                             of those in GROUPS below

The groups are run as processes of their own, so that one that fails leaves the others alone. A peer that is not installed is
reported as missing; nothing here fails for want of one.
"""
import ctypes
import json
import os
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (MAX_RUNS, TIME_LIMIT_US, NppPoint, NppSize, call_npp, emit, gpu_memory, load_npp, npp_context, read_pnm,
                     repeat)

try:
    import cv2
except ImportError:
    cv2 = None

WORK = ["name", "width", "height", "retrieval", "approximation", "connectivity", "min_area", "epsilon", "features", "select", "subpixel",
        "border_points"]
# With CCOMP and TREE, OpenCV's time grows with the square of the contours: minutes for more.
MAX_NESTED_CONTOURS = 300000


class Lists:
    """Contours as three arrays: numbers of points, rows of the hierarchy, points."""

    def __init__(self, counts, hierarchy, points):
        self.counts, self.hierarchy, self.points = counts, hierarchy, points

    @classmethod
    def read(cls, path, contours, points):
        with open(path, "rb") as file:
            return cls(np.fromfile(file, np.uint32, contours), np.fromfile(file, np.int32, 4 * contours).reshape(-1, 4),
                       np.fromfile(file, np.uint16, 2 * points).reshape(-1, 2))

    @classmethod
    def of_opencv(cls, contours, hierarchy):
        counts = np.fromiter(map(len, contours), np.uint32, len(contours))
        points = np.concatenate(contours).reshape(-1, 2) if contours else np.empty((0, 2), np.int32)
        rows = np.empty((0, 4), np.int32) if hierarchy is None else hierarchy.reshape(-1, 4)
        return cls(counts, rows, points)

    def differing(self, other, with_hierarchy):
        """How many contours of SELF are not the same one in OTHER; those too many in either count too."""
        if len(self.counts) != len(other.counts):
            return max(len(self.counts), len(other.counts))
        wrong = self.counts != other.counts
        if not wrong.any():
            owner = np.repeat(np.arange(len(self.counts)), self.counts)
            wrong[owner[(self.points != other.points).any(axis=1)]] = True
        else:  # from the first one of another length on, all are elsewhere
            wrong[int(np.argmax(wrong)):] = True
        if with_hierarchy:
            wrong |= (self.hierarchy != other.hierarchy).any(axis=1)
        return int(np.count_nonzero(wrong))


# peer.takes(case): can it be asked this at all? peer.refuses(case): why it does not do it, or None.
# peer.measure(case, image, ours) gives the runs' microseconds and what a record says about its result.


def is_plain_list(case):
    return case["retrieval"] == "LIST" and case["connectivity"] == 8 and not any(case[name] for name in ("min_area", "epsilon", "features", "select", "subpixel"))


def outline(contour):
    """What "outlines" asks of a contour, but for Feret's diameters, which OpenCV does not have."""
    hull = cv2.convexHull(contour)
    return (cv2.contourArea(hull), cv2.arcLength(hull, True), cv2.minAreaRect(hull), cv2.minEnclosingCircle(hull),
            cv2.contourArea(contour), cv2.arcLength(contour, True))


class OpenCV:
    def __init__(self, threads, takes_all):
        self.threads, self.takes_all = threads, takes_all
        self.who = f"OpenCV, {threads} thread" + ("s" if threads > 1 else "")

    def takes(self, case):
        known = (case["connectivity"] == 8 and case["features"] in ("", "moments", "outlines") and not case["select"]
                 and not case["subpixel"])
        return is_plain_list(case) or (self.takes_all and known)

    def refuses(self, case):
        if case["retrieval"] in ("CCOMP", "TREE") and case["contours"] > MAX_NESTED_CONTOURS:
            return f"left out: over {MAX_NESTED_CONTOURS:,} contours"
        return None

    def measure(self, case, image, ours):
        cv2.setNumThreads(self.threads)
        mode, method = getattr(cv2, "RETR_" + case["retrieval"]), getattr(cv2, "CHAIN_APPROX_" + case["approximation"])

        def run():
            contours, hierarchy = cv2.findContours(image, mode, method)
            if case["min_area"]:
                contours = [contour for contour in contours if cv2.contourArea(contour) >= case["min_area"]]
            if case["epsilon"]:
                contours = [cv2.approxPolyDP(contour, case["epsilon"], True) for contour in contours]
            of_each = {"moments": cv2.moments, "outlines": outline}.get(case["features"])
            return contours, hierarchy, [of_each(contour) for contour in contours] if of_each else None

        times, (contours, hierarchy, _) = repeat(run)
        theirs = Lists.of_opencv(contours, hierarchy)
        # The hierarchy of what the limits leave is not OpenCV's.
        return times, {"contours": len(theirs.counts), "points": len(theirs.points),
                       "different": theirs.differing(ours, not case["min_area"])}


class OpenCVList:
    """findContours() without hierarchy, called from C++: the parallel path of OpenCV 5. OPENCV is the library that
    opencv_list.cc becomes."""

    def __init__(self, opencv, threads):
        self.opencv, self.threads = opencv, threads
        self.who = f"OpenCV from C++ without hierarchy, {threads} thread" + ("s" if threads > 1 else "")

    def takes(self, case):
        return is_plain_list(case)

    def refuses(self, case):
        return None

    def find(self, image, simple):
        """The contours, which the caller frees, and the microseconds that they took."""
        us = ctypes.c_double()
        found = self.opencv.opencv_list_find(image.ctypes.data, image.shape[1], image.shape[0], simple, ctypes.byref(us))
        if not found:
            raise RuntimeError("OpenCV threw an exception")
        return found, us.value

    def measure(self, case, image, ours):
        simple = case["approximation"] == "SIMPLE"
        self.opencv.opencv_list_set_threads(self.threads)
        found, _ = self.find(image, simple)  # the first call starts the threads
        times = []
        while len(times) < MAX_RUNS and sum(times) < TIME_LIMIT_US:
            self.opencv.opencv_list_free(found)
            found, us = self.find(image, simple)
            times.append(us)
        theirs = self.lists_of(found)
        self.opencv.opencv_list_free(found)
        return times, {"contours": len(theirs.counts), "points": len(theirs.points), "different": theirs.differing(ours, False)}

    def lists_of(self, found):
        points = ctypes.c_int64()
        counts = np.empty(self.opencv.opencv_list_count(found, ctypes.byref(points)), np.uint32)
        lines = np.empty((points.value, 2), np.int32)
        self.opencv.opencv_list_copy(found, counts.ctypes.data, lines.ctypes.data)
        return Lists(counts, np.empty((0, 4), np.int32), lines)


def opencv_list_peers():
    name, path = "OpenCV from C++", os.environ.get("CTR_BENCH_OPENCV")
    if not path:
        emit(type="peer", name=name, missing="CTR_BENCH_OPENCV does not name the library of opencv_list.cc")
        return []
    try:
        library = ctypes.CDLL(os.path.abspath(path))
        library.opencv_list_version.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        emit(type="peer", name=name, missing=str(error))
        return []
    library.opencv_list_find.restype = ctypes.c_void_p
    library.opencv_list_find.argtypes = [ctypes.c_void_p] + 3 * [ctypes.c_int] + [ctypes.POINTER(ctypes.c_double)]
    library.opencv_list_count.restype = ctypes.c_int64
    library.opencv_list_count.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64)]
    library.opencv_list_copy.argtypes = 3 * [ctypes.c_void_p]
    library.opencv_list_free.argtypes = [ctypes.c_void_p]
    threads = len(os.sched_getaffinity(0))
    emit(type="peer", name=name, version=library.opencv_list_version().decode(),
         note=f"findContours without hierarchy, {threads} threads")
    return [OpenCVList(library, count) for count in dict.fromkeys((threads, 1))]


def opencv_peers():
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return []
    threads = len(os.sched_getaffinity(0))
    emit(type="peer", name="OpenCV", version=cv2.__version__,
         note=f"findContours, {threads} threads; from Python it always makes the hierarchy, on one thread")
    peers = [OpenCV(threads, True)] + ([OpenCV(1, False)] if threads > 1 else [])
    for peer in peers:
        cv2.setNumThreads(peer.threads)
        cv2.findContours(np.zeros((64, 64), np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)
    return peers


class FindContours:
    """Contours between the samples, interpolated linearly: other lines than ours, which stay at the borders' pixels."""

    who = "scikit-image, find_contours"

    def takes(self, case):
        return case["retrieval"] == "LIST" and case["subpixel"] == 1

    def refuses(self, case):
        return None

    def measure(self, case, image, ours):
        from skimage import measure
        times, lines = repeat(lambda: measure.find_contours(image, 127.5))
        return times, {"contours": len(lines), "points": sum(map(len, lines))}


class RegionProps:
    """Of components, not of contours: area, perimeter, hull and greatest diameter."""

    who = "scikit-image, regionprops"
    max_contours = 2000

    def takes(self, case):
        return case["features"] == "outlines"

    def refuses(self, case):
        return f"left out: over {self.max_contours:,} contours" if case["contours"] > self.max_contours else None

    def measure(self, case, image, ours):
        from skimage import measure

        def run():
            table = measure.regionprops_table(measure.label(image, connectivity=2),
                                              properties=("area", "perimeter", "area_convex", "solidity", "feret_diameter_max"))
            return len(table["area"])

        times, components = repeat(run)
        return times, {"contours": components, "points": 0}


def scikit_image_peers():
    try:
        import skimage
    except ImportError:
        emit(type="peer", name="scikit-image", missing="no skimage module")
        return []
    emit(type="peer", name="scikit-image", version=skimage.__version__, note="find_contours; label and regionprops_table")
    return [FindContours(), RegionProps()]


# Of nppdefs.h


class NppGeometry(ctypes.Structure):
    """NppiContourPixelGeometryInfo"""
    _fields_ = [("ordered", NppPoint), ("previous", NppPoint), ("center", NppPoint), ("next", NppPoint),
                ("indices", ctypes.c_uint * 6), ("flags", ctypes.c_ubyte * 4)]


class NppDirection(ctypes.Structure):
    """NppiContourPixelDirectionInfo"""
    _fields_ = [("label", ctypes.c_uint), ("directions", ctypes.c_ubyte * 4), ("geometry", NppGeometry),
                ("neighbours", NppPoint * 8), ("connected", ctypes.c_ubyte * 8)]


class NppTotals(ctypes.Structure):
    """NppiContourTotalsInfo"""
    _fields_ = [("pixels", ctypes.c_uint), ("longest", ctypes.c_uint)]


NPP_NORM_INF = 0  # 8-connected


class Npp:
    """Label, compress, info, lists of each label's contour pixels, in host memory: no hierarchy, another order."""

    who = "NPP, geometry lists"
    # A direction image takes 152 bytes a pixel, and a long contour minutes.
    max_pixels, max_border_points = 1 << 23, 250000
    spare = 4  # entries behind the last label

    def __init__(self, cupy, library):
        self.cupy, self.npp = cupy, library
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.context = npp_context(cupy, self.stream)

    def takes(self, case):
        return is_plain_list(case) and case["approximation"] == "NONE"

    def refuses(self, case):
        if case["width"] * case["height"] > self.max_pixels or case["border_points"] > self.max_border_points:
            return f"left out: over {self.max_border_points:,} border points or {self.max_pixels:,} pixels"
        return None

    def call(self, name, *arguments):
        call_npp(self.npp, name, *arguments)

    def device(self, size):
        return self.cupy.zeros(max(int(size), 1), self.cupy.uint8)

    def measure(self, case, image, ours):
        cupy = self.cupy
        pointer = lambda array: ctypes.c_void_p(array.data.ptr)
        height, width = image.shape
        size, step = NppSize(width, height), ctypes.c_int(4 * width)
        pixels, direction_step = width * height, ctypes.c_int(width * ctypes.sizeof(NppDirection))
        source, labels = cupy.asarray(image), self.device(4 * pixels)
        scratch_bytes, more_bytes = ctypes.c_int(), ctypes.c_int()
        self.call("nppiLabelMarkersUFGetBufferSize_32u_C1R", size, ctypes.byref(scratch_bytes))
        self.call("nppiCompressMarkerLabelsGetBufferSize_32u_C1R", ctypes.c_int(pixels), ctypes.byref(more_bytes))
        scratch = self.device(max(scratch_bytes.value, more_bytes.value))
        contours_image, directions = self.device(pixels), self.device(pixels * ctypes.sizeof(NppDirection))
        cupy.cuda.Device().synchronize()

        def label():
            newest = ctypes.c_int()
            self.call("nppiLabelMarkersUF_8u32u_C1R_Ctx", pointer(source), ctypes.c_int(width), pointer(labels), step, size,
                      ctypes.c_int(NPP_NORM_INF), pointer(scratch), self.context)
            self.call("nppiCompressMarkerLabelsUF_32u_C1IR_Ctx", pointer(labels), step, size, ctypes.c_int(pixels),
                      ctypes.byref(newest), pointer(scratch), self.context)
            return newest.value

        newest = label()
        self.stream.synchronize()
        info_bytes, totals = ctypes.c_uint(), NppTotals()
        self.call("nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R", ctypes.c_uint(newest), ctypes.byref(info_bytes))
        info, info_host = self.device(info_bytes.value), np.zeros(info_bytes.value, np.uint8)
        entries = newest + self.spare
        counts, found, offsets = (self.device(4 * entries) for _ in range(3))
        counts_host, found_host, offsets_host = (np.zeros(entries, np.uint32) for _ in range(3))
        host = lambda array: ctypes.c_void_p(array.ctypes.data)
        cupy.cuda.Device().synchronize()

        def make_info():
            self.call("nppiCompressedMarkerLabelsUFInfo_32u_C1R_Ctx", pointer(labels), step, size, ctypes.c_uint(newest),
                      pointer(info), pointer(contours_image), ctypes.c_int(width), pointer(directions), direction_step,
                      ctypes.byref(totals), pointer(counts), host(counts_host), pointer(offsets), host(offsets_host),
                      self.context)

        make_info()
        self.stream.synchronize()
        geometry_bytes, block_bytes = ctypes.c_uint(), ctypes.c_uint()
        last_offset = int(offsets_host.max())
        self.call("nppiCompressedMarkerLabelsUFGetGeometryListsSize_C1R", ctypes.c_uint(last_offset),
                  ctypes.byref(geometry_bytes))
        if newest < 2:
            raise RuntimeError("fewer labels than its list takes")
        first, last = ctypes.c_uint(1), ctypes.c_uint(newest)
        self.call("nppiCompressedMarkerLabelsUFGetContoursBlockSegmentListSize_C1R", host(counts_host),
                  ctypes.c_uint(totals.pixels), ctypes.c_uint(newest), first, last, ctypes.byref(block_bytes))
        geometry, blocks = self.device(geometry_bytes.value), self.device(block_bytes.value)
        geometry_host, blocks_host = np.zeros(geometry_bytes.value, np.uint8), np.zeros(block_bytes.value, np.uint8)
        cupy.cuda.Device().synchronize()

        def lists():
            self.call("nppiCompressedMarkerLabelsUFContoursGenerateGeometryLists_C1R_Ctx", pointer(info), host(info_host),
                      pointer(directions), direction_step, pointer(geometry), host(geometry_host), ctypes.c_void_p(),
                      ctypes.c_int(0), pointer(counts), pointer(found), host(found_host), pointer(offsets),
                      host(offsets_host), ctypes.c_uint(totals.pixels), ctypes.c_uint(newest), first, last, pointer(blocks),
                      host(blocks_host), ctypes.c_uint(1), size, self.context)

        def run():
            label()
            make_info()
            lists()
            self.stream.synchronize()

        run()  # warms up
        times, _ = repeat(run)
        lengths = found_host[1:newest + 1]
        return times, {"contours": int(np.count_nonzero(lengths)), "points": int(lengths.sum())}


def npp_peers():
    cupy = gpu_memory("NPP")
    library = cupy and load_npp()
    if cupy is None:
        return []
    if library is None:
        emit(type="peer", name="NPP", missing="no libnppif")
        return []
    try:
        peers = [Npp(cupy, library)]
    except Exception as error:
        emit(type="peer", name="NPP", missing=str(error))
        return []
    emit(type="peer", name="NPP", version=os.path.basename(os.path.realpath(library._name)),
         note="LabelMarkersUF + CompressMarkerLabelsUF + CompressedMarkerLabelsUFInfo + ContoursGenerateGeometryLists")
    return peers


GROUPS = {"opencv": opencv_peers, "opencv-list": opencv_list_peers, "scikit-image": scikit_image_peers, "npp": npp_peers}


def read_mask(path):
    pixels, width, height, _ = read_pnm(path)
    return np.frombuffer(pixels, np.uint8).reshape(height, width)


def measure_all(group, folder):
    peers = GROUPS[group]()
    with open(os.path.join(folder, "cases.jsonl")) as file:
        cases = [json.loads(line) for line in file]
    for case in cases if peers else []:
        work = {field: case[field] for field in WORK}
        image = read_mask(os.path.join(folder, case["image"]))
        ours = Lists.read(os.path.join(folder, case["lists"]), case["contours"], case["points"])
        for peer in [peer for peer in peers if peer.takes(case)]:
            why = peer.refuses(case)
            if why is None:
                try:
                    times, result = peer.measure(case, image, ours)
                except Exception as error:  # one peer's failure must not end the others' measurement
                    why = f"failed: {type(error).__name__} {error}"
                    if group.startswith("opencv"):
                        emit(type="failure", who=peer.who, message=f"{work}: {why}")
            if why is not None:
                emit(type="time", who=peer.who, mode="peer", **work, contours=case["contours"], points=case["points"],
                     why=why)
                continue
            emit(type="time", who=peer.who, mode="peer", **work, **result, runs=len(times), min_us=min(times),
                 median_us=statistics.median(times))


if __name__ == "__main__":
    measure_all(sys.argv[1], sys.argv[2])
