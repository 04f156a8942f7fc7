#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peers of the contours of levels, on the images of bench_cracks and compared with how many contours it finds of each level.

cracks_peers.py maps DIR   puts the real maps of CTR_TEST_DATA into DIR, as PGM files
cracks_peers.py GROUP DIR  one JSON record a line for each case in DIR, which bench_cracks --write has filled; GROUP is one
                           of those in GROUPS below

The groups are run as processes of their own, so that one that fails leaves the others alone. A peer that is not installed is
reported as missing; nothing here fails for want of one.
"""
import json
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import emit, repeat

try:
    import cv2
except ImportError:
    cv2 = None

WORK = ["name", "width", "height", "bits", "levels_are", "connectivity", "frame", "step", "min_area", "moments", "nested",
        "min_persistence", "levels",
        "corners"]
MAPS = ["disparity/cones_gt.png", "disparity/motorcycle_disp8.png", "disparity/motorcycle_disp16.png"]
# A loop over levels takes many seconds for more levels times pixels, and the lines' arrays gigabytes for more contours.
MAX_CONTOURS = 1000000


def levels_of(case, image):
    """The levels there can be contours of."""
    if case["levels_are"] != "ge":
        values = np.unique(image)
        return [int(value) for value in values if value and value % case["step"] == 0]
    return list(range(case["step"], int(image.max()) + 1, case["step"]))


# peer.takes(case): can it be asked this at all? peer.measure(case, image, levels) gives the runs' microseconds and the number of
# contours of each level; None where they mean something else. exact: must they be ours?


class OpenCV:
    """Binarises and follows each level's borders, as the paper's CPCC: one level after the other, or levels AT_ONCE in threads of
    our own, where OpenCV takes one thread."""

    exact = True
    max_samples = 1 << 30

    def __init__(self, threads, at_once=1):
        self.threads, self.pool = threads, ThreadPoolExecutor(at_once) if at_once > 1 else None
        self.who = f"OpenCV, {at_once} levels at once" if self.pool else (
            f"OpenCV level by level, {threads} thread" + ("s" if threads > 1 else ""))

    def takes(self, case):
        return case["connectivity"] == 8 and not case["moments"] and not case["min_area"] and not case["nested"]

    def measure(self, case, image, levels):
        cv2.setNumThreads(self.threads)
        operation = cv2.CMP_GE if case["levels_are"] == "ge" else cv2.CMP_EQ
        if case["frame"] == "zero":
            image = image.copy()
            image[[0, -1]] = 0
            image[:, [0, -1]] = 0

        def follow(level):
            contours, _ = cv2.findContours(cv2.compare(image, level, operation), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
            return len(contours)

        return repeat(lambda: list((self.pool.map if self.pool else map)(follow, levels)))


class FastLabelContours:
    """Lines along the cracks of all labels in one scan, 4-connected, on one thread."""

    who = "fastlabelcontours"
    exact = True
    max_samples = 1 << 62  # it does not loop over levels

    def __init__(self, contours):
        self.contours = contours

    def takes(self, case):
        return (case["levels_are"] != "ge" and case["connectivity"] == 4 and case["frame"] == "pad" and case["step"] == 1
                and not case["moments"] and not case["min_area"])

    def measure(self, case, image, levels):
        labels = image.astype(np.uint32)
        times, result = repeat(lambda: self.contours(labels))
        return times, dict(zip(result.ids.tolist(), np.diff(result.label_offsets).tolist()))


class Isolines:
    """Lines between the samples, at half a step below each level: interpolated, so other lines than ours, and as many only by
    chance."""

    exact = False
    max_samples = 1 << 28

    def __init__(self, who, lines):
        self.who, self.lines = who, lines

    def takes(self, case):
        return (case["levels_are"] == "ge" and case["connectivity"] == 8 and case["frame"] == "pad" and not case["moments"]
                and not case["min_area"] and not case["nested"])

    def measure(self, case, image, levels):
        samples = np.pad(image, 1).astype(np.float64)

        def run():
            lines = self.lines(samples)
            return [len(lines(level - 0.5 * case["step"])) for level in levels]

        return repeat(run)


def opencv_peers():
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return []
    threads = len(os.sched_getaffinity(0))
    emit(type="peer", name="OpenCV", version=cv2.__version__, note="compare + findContours of each level")
    cv2.findContours(np.zeros((64, 64), np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return [OpenCV(threads), OpenCV(1), OpenCV(1, threads)] if threads > 1 else [OpenCV(1)]


def fastlabelcontours_peers():
    try:
        import fastlabelcontours
    except ImportError:
        emit(type="peer", name="fastlabelcontours", missing="no fastlabelcontours module")
        return []
    emit(type="peer", name="fastlabelcontours", version=fastlabelcontours.__version__, note="contours of a label image, 4-connected")
    return [FastLabelContours(fastlabelcontours.contours)]


def contourpy_peers():
    try:
        import contourpy
    except ImportError:
        emit(type="peer", name="contourpy", missing="no contourpy module")
        return []
    emit(type="peer", name="contourpy", version=contourpy.__version__, note="serial, lines of each level: interpolated")
    return [Isolines("contourpy", lambda samples: contourpy.contour_generator(z=samples, name="serial").lines)]


def skimage_peers():
    try:
        import skimage
        from skimage.measure import find_contours
    except ImportError as error:
        emit(type="peer", name="scikit-image", missing=str(error).splitlines()[0])
        return []
    emit(type="peer", name="scikit-image", version=skimage.__version__, note="find_contours of each level: interpolated")
    return [Isolines("scikit-image", lambda samples: lambda level: find_contours(samples, level, fully_connected="high"))]


GROUPS = {"opencv": opencv_peers, "fastlabelcontours": fastlabelcontours_peers, "contourpy": contourpy_peers, "skimage": skimage_peers}


def read_image(folder, case):
    samples = np.fromfile(os.path.join(folder, case["image"]), np.uint16 if case["bits"] == 16 else np.uint8)
    return samples.reshape(case["height"], case["width"])


def refusal(peer, case, levels, samples):
    if len(levels) * samples > peer.max_samples:
        return f"left out: {len(levels):,} levels of {samples:,} pixels"
    if case["contours"] > MAX_CONTOURS:
        return f"left out: over {MAX_CONTOURS:,} contours"
    return None


def measure_all(group, folder):
    peers = GROUPS[group]()
    with open(os.path.join(folder, "cases.jsonl")) as file:
        cases = [json.loads(line) for line in file]
    for case in cases if peers else []:
        work = {field: case[field] for field in WORK}
        image = read_image(folder, case)
        levels = levels_of(case, image)
        found = np.bincount(np.fromfile(os.path.join(folder, case["list"]), np.uint32), minlength=65536)
        for peer in [peer for peer in peers if peer.takes(case)]:
            why, result = refusal(peer, case, levels, image.size), {}
            if why is None:
                try:
                    times, counts = peer.measure(case, image, levels)
                    if isinstance(counts, dict):
                        counts = [counts.get(level, 0) for level in levels]
                    result["contours"] = sum(counts)
                    if peer.exact:
                        result["different"] = int(np.count_nonzero(found[levels] != counts)) + int(
                            found.sum() != found[levels].sum())
                except Exception as error:  # one peer's failure must not end the others' measurement
                    why = f"failed: {type(error).__name__} {error}"
                    if peer.exact:
                        emit(type="failure", who=peer.who, message=f"{work}: {why}")
            if why is not None:
                emit(type="time", who=peer.who, mode="peer", **work, contours=case["contours"], why=why)
                continue
            emit(type="time", who=peer.who, mode="peer", **work, **result, runs=len(times), min_us=min(times),
                 median_us=statistics.median(times))


def write_maps(folder):
    root = os.environ.get("CTR_TEST_DATA")
    for name in MAPS:
        image = cv2.imread(os.path.join(root, name), cv2.IMREAD_UNCHANGED) if root and cv2 is not None else None
        if image is None or image.ndim != 2:
            continue
        cv2.imwrite(os.path.join(folder, os.path.splitext(os.path.basename(name))[0] + ".pgm"), image)


if __name__ == "__main__":
    if sys.argv[1] == "maps":
        write_maps(sys.argv[2])
    else:
        measure_all(sys.argv[1], sys.argv[2])
