#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peers of foreground masks, on the images of bench_foreground and compared with its masks.

foreground_peers.py GROUP DIR   one JSON record a line for each case in DIR, which bench_foreground --write has filled;
                                GROUP is one of those in GROUPS below

The groups are run as processes of their own, so that one that fails leaves the others alone. A peer that is not installed is
reported as missing; nothing here fails for want of one.
"""
import json
import os
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import TIME_LIMIT_US, emit, gpu_memory, read_pnm, repeat

try:
    import cv2
except ImportError:
    cv2 = None
try:
    import skimage
    from scipy import ndimage
    from skimage.morphology import local_maxima, reconstruction
    from skimage.segmentation import watershed
except ImportError:
    skimage = None

GPU_RUNS = 20
FIELDS = ["name", "width", "height", "channels", "mode", "threshold", "upper_threshold", "block_size", "offset"]
SQUARE = np.ones((5, 5), np.uint8)
DEPTH = 2  # pixels, of coins-split
HUES, SATURATIONS = (90, 140), (40, 255)  # of rgb-hue-saturation

# peer.steps(case): a function of the image that makes the mask, or None if it cannot.


class OpenCV:
    def __init__(self, threads):
        self.threads, self.who = threads, f"OpenCV, {threads} thread" + ("s" if threads > 1 else "")

    @staticmethod
    def fixed(image, case):
        return cv2.threshold(image, case["threshold"] - 1, 255, cv2.THRESH_BINARY)[1]

    @staticmethod
    def reconstruct(mask, marker, connectivity):
        """The components of MASK that have a pixel of MARKER."""
        count, labels = cv2.connectedComponents(mask, connectivity=connectivity)
        found = np.zeros(count, np.uint8)
        found[labels[marker]] = 255
        found[0] = 0
        return found[labels]

    @staticmethod
    def border_of(image):
        border = np.zeros(image.shape, bool)
        border[[0, -1]] = border[:, [0, -1]] = True
        return border

    def split(self, image, case):
        """The usual recipe: each component of the pixels far from the background is a marker of the watershed."""
        mask = self.fixed(image, case)
        distance = cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
        inner = cv2.compare(distance, 0.6 * float(distance.max()), cv2.CMP_GT)
        markers = cv2.connectedComponents(inner)[1] + 1
        markers[(mask > 0) & (inner == 0)] = 0
        cv2.watershed(cv2.cvtColor(mask, cv2.COLOR_GRAY2RGB), markers)
        return ((markers > 1) & (mask > 0)).astype(np.uint8) * np.uint8(255)

    def steps(self, case):
        name = case["name"]
        if name == "coins-split":
            return lambda image: self.split(image, case)
        if name in ("fixed", "coins-fixed"):
            return lambda image: self.fixed(image, case)
        if name == "range":
            return lambda image: cv2.inRange(image, case["threshold"], case["upper_threshold"])
        if name in ("otsu", "triangle"):
            rule = cv2.THRESH_OTSU if name == "otsu" else cv2.THRESH_TRIANGLE
            return lambda image: cv2.threshold(image, 0, 255, cv2.THRESH_BINARY | rule)[1]
        if name.startswith("adaptive"):
            rule = cv2.ADAPTIVE_THRESH_MEAN_C if "mean" in name else cv2.ADAPTIVE_THRESH_GAUSSIAN_C
            return lambda image: cv2.adaptiveThreshold(image, 255, rule, cv2.THRESH_BINARY, case["block_size"], case["offset"])
        if name == "hysteresis":
            return lambda image: self.reconstruct(self.fixed(image, case), image >= case["upper_threshold"], 4)
        if name == "fixed-open-close-5":
            return lambda image: cv2.morphologyEx(cv2.morphologyEx(self.fixed(image, case), cv2.MORPH_OPEN, SQUARE),
                                                  cv2.MORPH_CLOSE, SQUARE)
        if name == "fixed-fill-holes":
            def fill(image):
                background = cv2.bitwise_not(self.fixed(image, case))
                return cv2.bitwise_not(self.reconstruct(background, self.border_of(image), 4))
            return fill
        if name == "fixed-clear-border":
            def clear(image):
                mask = self.fixed(image, case)
                return cv2.subtract(mask, self.reconstruct(mask, self.border_of(image), 8))
            return clear
        if name == "rgb-fixed":
            return lambda image: self.fixed(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), case)
        if name == "rgb-hue-saturation":
            low, high = (HUES[0], SATURATIONS[0], 0), (HUES[1], SATURATIONS[1], 255)
            return lambda image: cv2.inRange(cv2.cvtColor(image, cv2.COLOR_RGB2HSV), low, high)
        return None

    def measure(self, steps, image):
        cv2.setNumThreads(self.threads)
        return repeat(lambda: steps(image))


class Scikit:
    """SciPy's distances, and scikit-image's h-maxima and watershed: the same parts, with another line between them."""

    who = "scikit-image, h-maxima and watershed"

    @staticmethod
    def split(image, case):
        mask = image >= case["threshold"]
        distance = ndimage.distance_transform_edt(mask)
        maxima = local_maxima(reconstruction(distance - DEPTH, distance), connectivity=2) & mask
        markers = ndimage.label(maxima, np.ones((3, 3)))[0]
        return (watershed(-distance, markers, connectivity=2, mask=mask, watershed_line=True) > 0).astype(np.uint8) * np.uint8(255)

    def steps(self, case):
        fits = case["name"] == "coins-split" and case["width"] <= 1920  # larger ones take minutes
        return (lambda image: self.split(image, case)) if fits else None

    @staticmethod
    def measure(steps, image):
        return repeat(lambda: steps(image))


class CuPy:
    """CuPy's own operations and cupyx.scipy.ndimage, which cuCIM's filters and morphology are made of, too."""

    who = "CuPy, cupyx.scipy.ndimage"

    def __init__(self, cupy):
        from cupyx.scipy import ndimage
        self.cupy, self.ndimage = cupy, ndimage
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def adaptive(self, image, case):
        size = case["block_size"]
        wide = image.astype(self.cupy.float32)
        if "mean" in case["name"]:
            mean = self.ndimage.uniform_filter(wide, size, mode="nearest")
        else:
            sigma = 0.3 * ((size - 1) * 0.5 - 1) + 0.8
            mean = self.ndimage.gaussian_filter(wide, sigma, mode="nearest", truncate=(size // 2) / sigma)
        return wide > self.cupy.rint(mean) - case["offset"]

    def reconstruct(self, mask, marker):
        labels, count = self.ndimage.label(mask)
        found = self.cupy.zeros(count + 1, bool)
        found[labels[marker]] = True
        found[0] = False
        return found[labels]

    def steps(self, case):
        name, low, high = case["name"], case["threshold"], case["upper_threshold"]
        if name in ("fixed", "coins-fixed"):
            return lambda image: image >= low
        if name == "range":
            return lambda image: (image >= low) & (image <= high)
        if name.startswith("adaptive"):
            return lambda image: self.adaptive(image, case)
        if name == "hysteresis":
            return lambda image: self.reconstruct(image >= low, image >= high)
        if name == "fixed-open-close-5":
            square = self.cupy.ones((5, 5), bool)
            return lambda image: self.ndimage.binary_closing(self.ndimage.binary_opening(image >= low, square), square)
        if name == "fixed-fill-holes":
            return lambda image: self.ndimage.binary_fill_holes(image >= low)
        return None

    def measure(self, steps, image):
        source, times = self.cupy.asarray(image), []
        self.cupy.cuda.Device().synchronize()
        start, stop = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        with self.stream:
            mask = steps(source)
            for _ in range(GPU_RUNS):
                start.record(self.stream)
                mask = steps(source)
                stop.record(self.stream)
                stop.synchronize()
                times.append(self.cupy.cuda.get_elapsed_time(start, stop) * 1e3)
                if sum(times) > TIME_LIMIT_US:
                    break
        return times, self.cupy.asnumpy(mask).astype(np.uint8) * np.uint8(255)


class CuCIM(CuPy):
    """The distances alone: the first of the steps of coins-split."""

    who = "cuCIM, distance_transform_edt alone"

    def __init__(self, cupy):
        from cucim.core.operations.morphology import distance_transform_edt
        super().__init__(cupy)
        self.distance_transform_edt = distance_transform_edt

    def steps(self, case):
        if case["name"] != "coins-split":
            return None
        return lambda image: self.distance_transform_edt(image >= case["threshold"]) > 0


def opencv_peers():
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return []
    threads = len(os.sched_getaffinity(0))
    emit(type="peer", name="OpenCV", version=cv2.__version__, note=f"{threads} threads")
    return [OpenCV(count) for count in ((threads, 1) if threads > 1 else (1,))]


def cupy_peers():
    cupy = gpu_memory("CuPy")
    if cupy is None:
        return []
    emit(type="peer", name="CuPy", version=cupy.__version__, note="float32 means, other borders in opening and closing")
    return [CuPy(cupy)]


def scikit_peers():
    if skimage is None:
        emit(type="peer", name="scikit-image", missing="no skimage module")
        return []
    emit(type="peer", name="scikit-image", version=skimage.__version__, note="1 thread")
    return [Scikit()]


def cucim_peers():
    cupy = gpu_memory("cuCIM")
    if cupy is None:
        return []
    try:
        import cucim
        peer = CuCIM(cupy)
    except ImportError as error:
        emit(type="peer", name="cuCIM", missing=str(error))
        return []
    emit(type="peer", name="cuCIM", version=cucim.__version__, note="its distance transform alone")
    return [peer]


GROUPS = {"opencv": opencv_peers, "scikit": scikit_peers, "cupy": cupy_peers, "cucim": cucim_peers}


def read_image(folder, name):
    pixels, width, height, channels = read_pnm(os.path.join(folder, name))
    return np.frombuffer(pixels, np.uint8).reshape((height, width) + ((channels,) if channels > 1 else ()))


def measure_all(group, folder):
    peers, images = GROUPS[group](), {}
    with open(os.path.join(folder, "cases.jsonl")) as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        if case["image"] not in images:
            images = {case["image"]: read_image(folder, case["image"])}
        image, ours = images[case["image"]], read_image(folder, case["mask"])
        for peer in peers:
            steps = peer.steps(case)
            if not steps:
                continue
            work = {field: case[field] for field in FIELDS}
            try:
                times, mask = peer.measure(steps, image)
            except Exception as error:  # one peer's failure must not end the others' measurement
                emit(type="failure", who=peer.who, message=f"{case['name']}: {type(error).__name__} {error}")
                continue
            emit(type="time", who=peer.who, how="peer", **work, foreground=int(np.count_nonzero(mask)),
                 different=int(np.count_nonzero(mask != ours)), runs=len(times), min_us=min(times),
                 median_us=statistics.median(times))


if __name__ == "__main__":
    measure_all(sys.argv[1], sys.argv[2])
