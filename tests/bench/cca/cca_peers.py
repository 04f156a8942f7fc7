#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peers of the component analysis, on the images of bench_cca: OpenCV, CuPy, cuCIM, NPP; for equal samples
scikit-image and NPP, and scikit-image for skeletons.

cca_peers.py measure [--full] [--host] [--cases REGEX] [MASK.pgm...]
                           one JSON record a line, as bench_cca prints them
cca_peers.py masks DIR     writes masks of real images in CTR_TEST_DATA as DIR/NAME.pgm

A peer that is not installed is reported as missing; nothing here fails for want of one.
"""
import argparse
import ctypes
import os
import re
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (MAX_RUNS, TIME_LIMIT_US, NppSize, call_npp, emit, load_npp, npp_context, read_pnm, repeat,
                     write_pgm)

try:
    import cv2
except ImportError:
    cv2 = None

GPU_SIDE, HOST_SIDE = 8192, 2048
CAMERA_SIZES = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160), (4096, 3072)]
# Real images, and whether what counts in them is darker than its surroundings.
REAL_IMAGES = [
    ("documents/lep_feyn.png", True),
    ("documents/digits.png", False),
    ("industrial/car_body_frame.png", False),
    ("industrial/wellplate_1832.jpg", False),
    ("cells/hubble_deep_field.jpg", False),
    ("natural/seeding_by_Clements_Engelhardt.jpg", False),
]


# Images: the same numbers as bench_cca's mt19937, drawn afresh for every granularity and size.


def block_numbers(width, height, granularity, seed=0):
    shape = (-(-height // granularity), -(-width // granularity))
    return np.random.RandomState(seed).randint(0, 1 << 32, size=shape, dtype=np.uint32)


def random_mask(numbers, width, height, granularity, density):
    threshold = ((density << 32) + 99) // 100
    blocks = (numbers < np.uint64(threshold)).astype(np.uint8) * np.uint8(255)
    if granularity > 1:
        blocks = blocks.repeat(granularity, axis=0).repeat(granularity, axis=1)
    return np.ascontiguousarray(blocks[:height, :width])


def check_generator():
    """std::mt19937's 10,000th number, fixed by the C++ standard, seed 5489."""
    return int(block_numbers(10000, 1, 1, seed=5489)[0, -1]) == 4123659995


# Peers. peer.measure(mask, connectivity) gives the runs' microseconds and the number of components.


class OpenCV:
    def __init__(self, who, algorithm, threads):
        self.who, self.algorithm, self.threads = who, algorithm, threads
        self.labels = None

    def measure(self, mask, connectivity):
        cv2.setNumThreads(self.threads)
        if self.labels is None or self.labels.shape != mask.shape:
            self.labels = np.full(mask.shape, 0, np.int32)  # touched once, outside the measurement

        def run():
            return cv2.connectedComponentsWithStatsWithAlgorithm(
                mask, connectivity, cv2.CV_32S, self.algorithm, labels=self.labels)[0]

        times, count = repeat(run)
        return times, count - 1  # the background is OpenCV's component 0

    def release(self):
        self.labels = None


def opencv_peers():
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return []
    threads = len(os.sched_getaffinity(0))
    emit(type="peer", name="OpenCV", version=cv2.__version__, note=f"connectedComponentsWithStats, {threads} threads")
    peers = [OpenCV(f"OpenCV default, {threads} threads", cv2.CCL_DEFAULT, threads),
             OpenCV(f"OpenCV CCL_WU, {threads} threads", cv2.CCL_WU, threads)]
    if threads > 1:
        peers.append(OpenCV("OpenCV default, 1 thread", cv2.CCL_DEFAULT, 1))
    tiny = np.zeros((64, 64), np.uint8)
    for peer in peers:
        peer.measure(tiny, 8)
        peer.release()
    return peers


class Skimage:
    """Labels equal samples, and only that."""

    who = "scikit-image label"

    def __init__(self, label):
        self.label = label

    def measure(self, image, connectivity):
        return repeat(lambda: int(self.label(image, connectivity=connectivity // 4, return_num=True)[1]))

    def release(self):
        pass


def skimage_peers():
    try:
        import skimage
        from skimage.measure import label
    except ImportError:
        emit(type="peer", name="scikit-image", missing="no skimage module")
        return []
    emit(type="peer", name="scikit-image", version=skimage.__version__, note="label: equal samples, labels only")
    return [Skimage(label)]


class SkimageSkeleton:
    """Thins the whole mask: parts that do not touch have the skeletons that each has by itself. No lengths or widths."""

    who = "scikit-image skeletonize"

    def __init__(self, skeletonize, label):
        self.skeletonize, self.label = skeletonize, label

    def measure(self, mask, connectivity):
        mask = mask > 0
        times, skeleton = repeat(lambda: self.skeletonize(mask, method="zhang"))
        return times, int(self.label(skeleton, connectivity=2, return_num=True)[1])

    def release(self):
        pass


def skeleton_peers():
    try:
        from skimage.measure import label
        from skimage.morphology import skeletonize
    except ImportError:
        return []  # skimage_peers() has said so
    return [SkimageSkeleton(skeletonize, label)]


class CuPy:
    """Labels only: no areas, boxes or sums."""

    who = "CuPy ndimage.label, labels only"

    def __init__(self, cupy, ndimage):
        self.cupy, self.ndimage = cupy, ndimage

    def measure(self, mask, connectivity):
        cupy = self.cupy
        image = cupy.asarray(mask)
        structure = np.ones((3, 3), bool) if connectivity == 8 else None
        labels = cupy.empty(mask.shape, cupy.int32)
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        times, count = [], 0
        for i in range(MAX_RUNS + 1):
            start.record()
            count = self.ndimage.label(image, structure, labels)  # fills labels, gives their number
            stop.record()
            stop.synchronize()
            if i > 0:  # the first compiles
                times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e3)
        return times, int(count)

    def release(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


class CuCim:
    """Labels, then what the table of cudacca has: areas, boxes and centroids."""

    who = "cuCIM label + regionprops_table"
    max_pixels = 1 << 24  # beyond, its arrays of coordinates take gigabytes

    def __init__(self, cupy, measure):
        self.cupy, self.skimage = cupy, measure

    def measure(self, mask, connectivity):
        cupy, image = self.cupy, self.cupy.asarray(mask != 0)
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        times, count = [], 0
        while len(times) <= MAX_RUNS and sum(times[1:]) < TIME_LIMIT_US:
            start.record()
            labels, count = self.skimage.label(image, connectivity=connectivity // 4, return_num=True)
            if count:
                self.skimage.regionprops_table(labels, properties=("area", "bbox", "centroid"))
            stop.record()
            stop.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e3)
        return times[1:], int(count)  # the first compiles

    def release(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


NPP_NORM = {8: 0, 4: 1}  # nppiNormInf, nppiNormL1


class Npp:
    """Labels regions of equal value, the background's too; WITH_INFO adds areas and boxes (no sums)."""

    def __init__(self, cupy, library, with_info):
        self.cupy, self.npp, self.with_info = cupy, library, with_info
        self.who = "NPP label + compress" + (" + info list" if with_info else "")
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.context = npp_context(cupy, self.stream)

    def call(self, name, *arguments):
        call_npp(self.npp, name, *arguments)

    def measure(self, mask, connectivity):
        cupy, pointer = self.cupy, lambda array: ctypes.c_void_p(array.data.ptr)
        height, width = mask.shape
        size, step = NppSize(width, height), ctypes.c_int(4 * width)
        image, labels = cupy.asarray(mask), cupy.empty(mask.shape, cupy.uint32)
        label_bytes, compress_bytes = ctypes.c_int(), ctypes.c_int()
        self.call("nppiLabelMarkersUFGetBufferSize_32u_C1R", size, ctypes.byref(label_bytes))
        self.call("nppiCompressMarkerLabelsGetBufferSize_32u_C1R", ctypes.c_int(width * height),
                  ctypes.byref(compress_bytes))
        scratch = cupy.empty(max(label_bytes.value, compress_bytes.value, 1), cupy.uint8)
        cupy.cuda.Device().synchronize()

        def label():
            newest = ctypes.c_int()
            self.call(f"nppiLabelMarkersUF_{8 * mask.itemsize}u32u_C1R_Ctx", pointer(image),
                      ctypes.c_int(width * mask.itemsize), pointer(labels), step, size,
                      ctypes.c_int(NPP_NORM[connectivity]), pointer(scratch), self.context)
            self.call("nppiCompressMarkerLabelsUF_32u_C1IR_Ctx", pointer(labels), step, size,
                      ctypes.c_int(width * height), ctypes.byref(newest), pointer(scratch), self.context)
            return newest.value

        newest = label()
        self.stream.synchronize()
        info = None
        if self.with_info:
            info_bytes = ctypes.c_uint()
            self.call("nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R", ctypes.c_uint(newest),
                      ctypes.byref(info_bytes))
            info = cupy.empty(max(info_bytes.value, 1), cupy.uint8)
            cupy.cuda.Device().synchronize()
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        times = []
        while len(times) < MAX_RUNS and sum(times) < TIME_LIMIT_US:
            start.record(self.stream)
            newest = label()
            if self.with_info:
                none, zero = ctypes.c_void_p(), ctypes.c_int(0)
                self.call("nppiCompressedMarkerLabelsUFInfo_32u_C1R_Ctx", pointer(labels), step, size,
                          ctypes.c_uint(newest), pointer(info), none, zero, none, zero, none, none, none, none, none,
                          self.context)
            stop.record(self.stream)
            stop.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e3)
        # Which of the labels lie on the foreground?
        seen = cupy.zeros(newest + 1, cupy.uint8)
        seen[cupy.minimum(labels[image != 0], newest).astype(cupy.int64)] = 1
        return times, int(seen.sum())

    def release(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


def gpu_peers():
    """Peers on the GPU; none where there is no GPU."""
    try:
        import cupy
        from cupyx.scipy import ndimage
        cupy.zeros(1)
        cupy.cuda.Device().synchronize()
    except Exception as error:  # the ways a GPU can be missing are CuPy's, and many
        reason = "no cupy module" if isinstance(error, ImportError) else str(error).splitlines()[0]
        emit(type="peer", name="CuPy", missing=reason)
        emit(type="peer", name="NPP", missing="needs CuPy for its memory")
        return []
    emit(type="peer", name="CuPy", version=cupy.__version__, note="cupyx.scipy.ndimage.label: labels only, no features")
    peers = [CuPy(cupy, ndimage)]
    try:
        from cucim import __version__ as version
        from cucim.skimage import measure as skimage_measure
        peers.append(CuCim(cupy, skimage_measure))
        emit(type="peer", name="cuCIM", version=version, note="label + regionprops_table: area, box, centroid")
    except Exception as error:  # what it imports may be missing in many ways
        emit(type="peer", name="cuCIM", missing="no cucim module" if isinstance(error, ImportError) else str(error))
    library = load_npp()
    if library is None:
        emit(type="peer", name="NPP", missing="no libnppif")
        return peers
    try:
        peers += [Npp(cupy, library, False), Npp(cupy, library, True)]
    except Exception as error:
        emit(type="peer", name="NPP", missing=str(error))
        return peers
    emit(type="peer", name="NPP", version=os.path.basename(os.path.realpath(library._name)),
         note="LabelMarkersUF + CompressMarkerLabelsUF (+ CompressedMarkerLabelsUFInfo: area and box, no sums)")
    return peers


def measure(peers, mask, name, granularity, density, connectivity):
    height, width = mask.shape
    for peer in list(peers):
        if mask.size > getattr(peer, "max_pixels", mask.size):
            continue
        try:
            times, count = peer.measure(mask, connectivity)
        except Exception as error:  # one peer's failure must not end the others' measurement
            emit(type="failure", who=peer.who, message=f"{name} {width}x{height} granularity {granularity} density "
                 f"{density} %, {connectivity}-connected: {type(error).__name__} {error}")
            peer.failures = getattr(peer, "failures", 0) + 1
            if peer.failures == 2:
                peers.remove(peer)
            continue
        emit(type="time", who=peer.who, mode="peer", name=name, width=width, height=height, granularity=granularity,
             density=density, connectivity=connectivity, components=count, runs=len(times), min_us=min(times),
             median_us=statistics.median(times))


def read_pgm(path):
    pixels, width, height, _ = read_pnm(path)
    return np.frombuffer(pixels, np.uint8).reshape(height, width)


def is_chosen(options, name, width, height, granularity, density, connectivity):
    """As bench_describe() of bench_cca.c has it."""
    title = f"{name} {width}x{height} granularity {granularity} density {density} %, {connectivity}-connected"
    return not options.cases or re.search(options.cases, title)


def measure_all(options):
    if not check_generator():
        raise SystemExit("cca_peers.py: numpy's generator is not mt19937: the images would differ")
    on_gpu = [] if options.host else gpu_peers()
    peers = opencv_peers() + on_gpu
    side = GPU_SIDE if on_gpu else HOST_SIDE
    densities = range(0, 101, 10) if options.full or not on_gpu else (10, 50, 90)
    for granularity in (1, 4, 16):
        if not peers:
            return
        numbers = block_numbers(side, side, granularity)
        for density in densities:
            chosen = [c for c in (4, 8) if is_chosen(options, "random", side, side, granularity, density, c)]
            mask = random_mask(numbers, side, side, granularity, density) if chosen else None
            for connectivity in chosen:
                measure(peers, mask, "random", granularity, density, connectivity)
    for peer in peers:
        peer.release()
    for width, height in CAMERA_SIZES:
        numbers = block_numbers(width, height, 16)
        for density in (30, 40, 50):
            mask = random_mask(numbers, width, height, 16, density)
            for connectivity in (4, 8):
                if is_chosen(options, "camera", width, height, 16, density, connectivity):
                    measure(peers, mask, "camera", 16, density, connectivity)
    measure_equal(options, skimage_peers() + [peer for peer in on_gpu if isinstance(peer, Npp)])
    measure_skeletons(options, skeleton_peers())
    for path in options.files:
        mask, name = read_pgm(path), os.path.basename(path)
        if is_chosen(options, name, mask.shape[1], mask.shape[0], 0, 0, 8):
            measure(peers, mask, name, 0, 0, 8)


def parts_mask(width, height):
    """As bench_parts_mask() of masks.c."""
    y, x = np.mgrid[:height, :width]
    centre_x, centre_y = x // 120 * 120 + 60, y // 100 * 100 + 50
    radius = 20 + (7 * centre_x + 13 * centre_y) % 25
    return ((x - centre_x) ** 2 + (y - centre_y) ** 2 < radius ** 2).astype(np.uint8) * np.uint8(255)


def measure_skeletons(options, peers):
    """The parts of measure_features() of bench_cca.c. Its plate would take a minute."""
    if is_chosen(options, "features-skeleton", 3840, 2160, 0, 0, 8):
        measure(peers, parts_mask(3840, 2160), "features-skeleton", 0, 0, 8)


def measure_equal(options, peers):
    """As measure_equal() of bench_cca.c."""
    for width, height in ((1920, 1080), (3840, 2160)):
        images = []
        if cv2 is not None:
            squares = random_mask(block_numbers(width, height, 16), width, height, 16, 40)
            labels = cv2.connectedComponentsWithAlgorithm(squares, 8, cv2.CV_32S, cv2.CCL_WU)[1]
            images.append((labels.astype(np.uint16), "labels", 16, 40))
        noise = block_numbers(width, height, 1) % 4 * 1000
        images.append((noise.astype(np.uint16), "values", 1, 75))
        for image, name, granularity, density in images:
            for connectivity in (4, 8):
                if is_chosen(options, name, width, height, granularity, density, connectivity):
                    measure(peers, image, name, granularity, density, connectivity)


def write_masks(folder):
    root = os.environ.get("CTR_TEST_DATA")
    for name, dark in REAL_IMAGES:
        image = cv2.imread(os.path.join(root, name), cv2.IMREAD_GRAYSCALE) if root and cv2 is not None else None
        if image is None:
            continue
        kind = cv2.THRESH_BINARY_INV if dark else cv2.THRESH_BINARY
        mask = cv2.threshold(image, 0, 255, kind | cv2.THRESH_OTSU)[1]
        write_pgm(os.path.join(folder, os.path.splitext(os.path.basename(name))[0] + ".pgm"), mask)


def parse_measure_options(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--cases")
    parser.add_argument("files", nargs="*")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    if sys.argv[1] == "masks":
        write_masks(sys.argv[2])
    else:
        measure_all(parse_measure_options(sys.argv[2:]))
