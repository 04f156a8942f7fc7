#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peers of the edge detector, on the images of bench_canny and compared with its masks.

canny_peers.py measure GROUP DIR   one JSON record a line for each case in DIR, which bench_canny --write has filled;
                                   GROUP is one of those in GROUPS below
canny_peers.py images DIR          writes real images in CTR_TEST_DATA as DIR/NAME.pgm, grey

The groups are run as processes of their own, so that one that fails leaves the others alone. A peer that is not installed is
reported as missing; nothing here fails for want of one.
"""
import ctypes
import glob
import json
import math
import os
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (TIME_LIMIT_US, NppPoint, NppSize, call_npp, emit, gpu_memory, load_npp, npp_context, read_pnm, repeat,
                     write_pgm)

try:
    import cv2
except ImportError:
    cv2 = None

REAL_IMAGES = ["natural/*", "industrial/*", "documents/lep_feyn.png"]
MIN_REAL_PIXELS = 500000
GPU_RUNS = 20


def thresholds_of(case):
    """The two numbers, or None where they are automatic."""
    return None if "/" not in case["thresholds"] else tuple(float(part) for part in case["thresholds"].split("/"))


# peer.takes(case): can it do this at all? peer.measure(case, image) gives the runs' microseconds and the mask.


class OpenCV:
    def __init__(self, who, threads, ipp, accurate):
        self.who, self.threads, self.ipp = who, threads, ipp
        # The exact blur, where OpenCV has a choice of two.
        exact = accurate and hasattr(cv2, "ALGO_HINT_ACCURATE")
        self.hint = {"hint": cv2.ALGO_HINT_ACCURATE} if exact else {}
        self.buffers = []

    def takes(self, case):
        return self.threads > 1 or case["name"] == "scene"

    def edges_of_gradient(self, case, image, shares):
        """By the function that takes gradients of 16 bits."""
        if case["sigma"] > 0:
            image = cv2.GaussianBlur(image, (0, 0), case["sigma"], **self.hint)
        dx, dy = (cv2.Sobel(image, cv2.CV_16S, *order, ksize=case["aperture"], borderType=cv2.BORDER_REPLICATE)
                  for order in ((1, 0), (0, 1)))
        low, high = thresholds_of(case) or (0, 0)
        if shares:
            greatest = int(cv2.minMaxLoc(cv2.add(cv2.absdiff(dx, 0), cv2.absdiff(dy, 0), dtype=cv2.CV_32S))[1])
            low, high = greatest * 20 // 100, greatest * 40 // 100
        return cv2.Canny(dx, dy, low, high, L2gradient=case["norm"] == "L2")

    def levels(self, case, gray):
        given = thresholds_of(case)
        if given:
            return given
        if case["thresholds"] == "otsu":
            level = int(cv2.threshold(gray, 0, 255, cv2.THRESH_OTSU)[0])
            return level // 2, level
        counts = cv2.calcHist([gray], [0], None, [256], [0, 256]).ravel()
        level = int(np.searchsorted(np.cumsum(counts, dtype=np.float64), gray.size / 2))
        return 67 * level // 100, min(133 * level, 25500) // 100

    def measure(self, case, image):
        cv2.setNumThreads(self.threads)
        if hasattr(cv2, "ipp"):
            cv2.ipp.setUseIPP(self.ipp)
        shape = image.shape[:2]
        if not self.buffers or self.buffers[0].shape != shape:
            self.buffers = [np.full(shape, 1, np.uint8) for _ in range(3)]  # touched once, outside the measurement
        gray, blurred, edges = self.buffers

        if case["bits"] > 8 or case["thresholds"] == "relative":
            return repeat(lambda: self.edges_of_gradient(case, image, case["thresholds"] == "relative"))

        def run():
            source = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY, dst=gray)
            low, high = self.levels(case, source)
            if case["sigma"] > 0:
                source = cv2.GaussianBlur(source, (0, 0), case["sigma"], dst=blurred, **self.hint)
            return cv2.Canny(source, low, high, edges=edges, apertureSize=case["aperture"], L2gradient=case["norm"] == "L2")

        return repeat(run)


def opencv_peers():
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return []
    threads = len(os.sched_getaffinity(0))
    has_ipp = hasattr(cv2, "ipp") and cv2.ipp.useIPP()
    emit(type="peer", name="OpenCV", version=cv2.__version__,
         note=f"GaussianBlur + Canny, {threads} threads" + (f", {cv2.ipp.getIppVersion()}" if has_ipp else ", no IPP"))
    peers = []
    for count in (threads, 1) if threads > 1 else (1,):
        label = f"OpenCV, {count} thread" + ("s" if count > 1 else "")
        peers.append(OpenCV(label + (", IPP off" if has_ipp else ""), count, False, True))
        if has_ipp:
            peers.append(OpenCV(label, count, True, False))
    tiny = np.zeros((64, 64), np.uint8)
    for peer in peers:
        peer.measure({"thresholds": "50/150", "bits": 8, "sigma": 2, "aperture": 3, "norm": "L1"}, tiny)
    return peers


# Of nppdefs.h
NPP_MASK_SIZE_3_X_3, NPP_MASK_SIZE_13_X_13 = 200, 700
NPP_BORDER_REPLICATE, NPP_BORDER_MIRROR = 2, 4
NPP_FILTER_SOBEL = 0
NPP_NORM = {"L1": 1, "L2": 2}


class GpuPeer:
    """Times enqueue() on a stream of its own, the image and the mask in GPU memory."""

    def __init__(self, cupy):
        self.cupy = cupy
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def time(self, enqueue):
        start, stop = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        times = []
        for i in range(GPU_RUNS + 1):
            start.record(self.stream)
            enqueue()
            stop.record(self.stream)
            stop.synchronize()
            if i > 0:  # the first warms up
                times.append(self.cupy.cuda.get_elapsed_time(start, stop) * 1e3)
            if sum(times) > TIME_LIMIT_US:
                break
        return times


class Npp(GpuPeer):
    """nppiFilterCannyBorder after a blur. ADVANCED: by the taps of sigma; else by the fixed 13 x 13 filter, whose sigma
    is another one."""

    def __init__(self, cupy, library, advanced):
        super().__init__(cupy)
        self.npp, self.advanced = library, advanced
        self.who = "NPP " + ("FilterGaussAdvancedBorder" if advanced else "FilterGaussBorder 13 x 13") + " + FilterCannyBorder"
        self.context = npp_context(cupy, self.stream)

    def takes(self, case):
        return (case["channels"] == 1 and case["bits"] == 8 and case["aperture"] == 3 and thresholds_of(case) is not None
                and (self.advanced or case["sigma"] == 2))

    def blur(self, case, source, to, step, size):
        pointer = lambda array: ctypes.c_void_p(array.data.ptr)
        place = (pointer(source), step, size, NppPoint(0, 0), pointer(to), step, size)
        if not self.advanced:
            call_npp(self.npp, "nppiFilterGaussBorder_8u_C1R_Ctx", *place, ctypes.c_int(NPP_MASK_SIZE_13_X_13),
                     ctypes.c_int(NPP_BORDER_REPLICATE), self.context)
            return
        call_npp(self.npp, "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx", *place, ctypes.c_int(self.taps.size),
                 pointer(self.taps), ctypes.c_int(NPP_BORDER_MIRROR), self.context)

    def measure(self, case, image):
        cupy, pointer = self.cupy, lambda array: ctypes.c_void_p(array.data.ptr)
        height, width = image.shape
        size, step = NppSize(width, height), ctypes.c_int(width)
        source, edges = cupy.asarray(image), cupy.empty(image.shape, cupy.uint8)
        blurred = cupy.empty(image.shape, cupy.uint8) if case["sigma"] > 0 else source
        scratch_bytes = ctypes.c_int()
        call_npp(self.npp, "nppiFilterCannyBorderGetBufferSize", size, ctypes.byref(scratch_bytes))
        scratch = cupy.empty(max(scratch_bytes.value, 1), cupy.uint8)
        if case["sigma"] > 0:
            radius = math.ceil(3 * case["sigma"])
            taps = np.exp(-0.5 * (np.arange(-radius, radius + 1) / case["sigma"]) ** 2)
            self.taps = cupy.asarray((taps / taps.sum()).astype(np.float32))
        cupy.cuda.Device().synchronize()
        low, high = (ctypes.c_int16(int(level)) for level in thresholds_of(case))

        def enqueue():
            if case["sigma"] > 0:
                self.blur(case, source, blurred, step, size)
            call_npp(self.npp, "nppiFilterCannyBorder_8u_C1R_Ctx", pointer(blurred), step, size, NppPoint(0, 0),
                     pointer(edges), step, size, ctypes.c_int(NPP_FILTER_SOBEL), ctypes.c_int(NPP_MASK_SIZE_3_X_3), low,
                     high, ctypes.c_int(NPP_NORM[case["norm"]]), ctypes.c_int(NPP_BORDER_REPLICATE), pointer(scratch),
                     self.context)

        return self.time(enqueue), cupy.asnumpy(edges)


class CuCim(GpuPeer):
    """scikit-image's definition: floating point, interpolated maxima, L2."""

    who = "cuCIM canny"

    def __init__(self, cupy, canny):
        super().__init__(cupy)
        self.canny = canny

    def takes(self, case):
        return (case["channels"] == 1 and case["bits"] == 8 and case["aperture"] == 3 and case["sigma"] > 0
                and thresholds_of(case) is not None)

    def measure(self, case, image):
        cupy, result = self.cupy, []
        source = cupy.asarray(image)
        low, high = thresholds_of(case)
        cupy.cuda.Device().synchronize()

        def enqueue():
            with self.stream:
                result[:] = [self.canny(source, sigma=case["sigma"], low_threshold=low, high_threshold=high)]

        times = self.time(enqueue)
        return times, cupy.asnumpy(result[0]).astype(np.uint8) * np.uint8(255)


class CvCuda(GpuPeer):
    """cv::cuda::Canny after its Gaussian filter. OpenCV's packages for Python come without CUDA: this needs a build of one's own."""

    who = "cv::cuda::Canny"

    def __init__(self):
        self.stream = cv2.cuda.Stream()

    def takes(self, case):
        return case["channels"] == 1 and case["aperture"] == 3 and thresholds_of(case) is not None

    def measure(self, case, image):
        low, high = thresholds_of(case)
        size = 2 * math.ceil(3 * case["sigma"]) + 1
        source, blurred, edges = cv2.cuda_GpuMat(image), cv2.cuda_GpuMat(), cv2.cuda_GpuMat()
        blur = case["sigma"] > 0 and cv2.cuda.createGaussianFilter(cv2.CV_8UC1, cv2.CV_8UC1, (size, size), case["sigma"])
        canny = cv2.cuda.createCannyEdgeDetector(low, high, 3, case["norm"] == "L2")
        start, stop, times = cv2.cuda.Event(), cv2.cuda.Event(), []
        for i in range(GPU_RUNS + 1):
            start.record(self.stream)
            if blur:
                blurred = blur.apply(source, stream=self.stream)
            edges = canny.detect(blurred if blur else source, stream=self.stream)
            stop.record(self.stream)
            self.stream.waitForCompletion()
            if i > 0:  # the first warms up
                times.append(cv2.cuda.Event.elapsedTime(start, stop) * 1e3)
        return times, edges.download()


def cv_cuda_peers():
    reason = "no cv2 module"
    if cv2 is not None:
        reason = "this OpenCV has no CUDA, or there is no GPU"
        if hasattr(cv2, "cuda") and hasattr(cv2.cuda, "createCannyEdgeDetector") and cv2.cuda.getCudaEnabledDeviceCount() > 0:
            emit(type="peer", name=CvCuda.who, version=cv2.__version__, note="createGaussianFilter, createCannyEdgeDetector")
            return [CvCuda()]
    emit(type="peer", name=CvCuda.who, missing=reason)
    return []


def npp_peers(advanced):
    name = "NPP " + ("FilterGaussAdvancedBorder" if advanced else "FilterGaussBorder")
    cupy = gpu_memory(name)
    library = cupy and load_npp()
    if cupy is None:
        return []
    if library is None:
        emit(type="peer", name=name, missing="no libnppif")
        return []
    note = "taps of the same sigma" if advanced else "fixed 13 x 13 filter"
    try:
        peers = [Npp(cupy, library, advanced)]
    except Exception as error:
        emit(type="peer", name=name, missing=str(error))
        return []
    emit(type="peer", name=name, version=os.path.basename(os.path.realpath(library._name)),
         note=f"{note}, then FilterCannyBorder: Sobel 3 x 3")
    return peers


def cucim_peers():
    try:
        from cucim import __version__
        from cucim.skimage.feature import canny
    except Exception as error:
        emit(type="peer", name="cuCIM", missing="no cucim module" if isinstance(error, ImportError) else str(error))
        return []
    cupy = gpu_memory("cuCIM")
    if cupy is None:
        return []
    emit(type="peer", name="cuCIM", version=__version__, note="cucim.skimage.feature.canny")
    return [CuCim(cupy, canny)]


GROUPS = {
    "opencv": opencv_peers,
    "npp": lambda: npp_peers(False),
    "npp-advanced": lambda: npp_peers(True),
    "cucim": cucim_peers,
    "cv-cuda": cv_cuda_peers,
}
FIELDS = ["name", "width", "height", "channels", "bits", "sigma", "aperture", "norm", "thresholds"]


def read_image(folder, name):
    pixels, width, height, channels = read_pnm(os.path.join(folder, name))
    if len(pixels) == 2 * width * height:
        return np.frombuffer(pixels, ">u2").astype(np.uint16).reshape((height, width))
    return np.frombuffer(pixels, np.uint8).reshape((height, width) + ((channels,) if channels > 1 else ()))


def measure_all(group, folder):
    peers = GROUPS[group]()
    failures = {}
    with open(os.path.join(folder, "cases.jsonl")) as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        takers = [peer for peer in peers if peer.takes(case)]
        if not takers:
            continue
        image, ours = read_image(folder, case["image"]), read_image(folder, case["mask"])
        for peer in takers:
            try:
                times, mask = peer.measure(case, image)
            except Exception as error:  # one peer's failure must not end the others' measurement
                what = ", ".join(f"{field} {case[field]}" for field in FIELDS)
                emit(type="failure", who=peer.who, message=f"{what}: {type(error).__name__} {error}")
                failures[peer] = failures.get(peer, 0) + 1
                if failures[peer] == 2:
                    peers.remove(peer)
                continue
            emit(type="time", who=peer.who, mode="peer", **{field: case[field] for field in FIELDS},
                 edges=int(np.count_nonzero(mask)), different=int(np.count_nonzero(mask != ours)),
                 runs=len(times), min_us=min(times), median_us=statistics.median(times))


def write_images(folder):
    root = os.environ.get("CTR_TEST_DATA")
    if not root or cv2 is None:
        return
    for path in sorted(path for pattern in REAL_IMAGES for path in glob.glob(os.path.join(root, pattern))):
        image = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
        if image is not None and image.size >= MIN_REAL_PIXELS:
            write_pgm(os.path.join(folder, os.path.splitext(os.path.basename(path))[0] + ".pgm"), image)


if __name__ == "__main__":
    if sys.argv[1] == "images":
        write_images(sys.argv[2])
    else:
        measure_all(sys.argv[2], sys.argv[3])
