#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peers of region snakes, on the pictures of bench_snake and compared with their truth.

snake_peers.py GROUP DIR  one JSON record a line for each case in DIR, which bench_snake --write has filled; GROUP is one of
                          those in GROUPS below

The groups are run as processes of their own, so that one that fails or takes too long leaves the others alone. A peer that is not
installed is reported as missing; nothing here fails for want of one.
"""
import json
import os
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import emit, repeat

WORK = ["name", "width", "height", "model", "start", "objects"]
MAX_SIDE = 1024  # for larger ones each peer takes over ten seconds
MAX_RAW_SIDE = 512  # noise leads them astray, whatever the size
ITERATIONS = 20  # of the morphological one: more do not change its result
CIRCLE_POINTS = 200

# peer.max_side: of the pictures it is asked for. peer.measure(case, image) gives the runs' microseconds and the mask of the target.


def of_either_side(mask, truth):
    """Common pixels over those in either; a level set does not know which of its sides is the target."""
    return max(np.count_nonzero(side & truth) / np.count_nonzero(side | truth) for side in (mask, ~mask))


class LevelSet:
    """From the library's own start, a chequered level set. SIGMA 0: on the picture as it is."""

    def __init__(self, name, segment, smooth, sigma):
        self.who = f"scikit-image {name}" + (f", smoothed by {sigma}" if sigma else "")
        self.max_side = MAX_SIDE if sigma else MAX_RAW_SIDE
        self.segment, self.smooth, self.sigma = segment, smooth, sigma

    def measure(self, _, image):
        def run():
            samples = image / 255
            return self.segment(self.smooth(samples, self.sigma) if self.sigma else samples).astype(bool)

        return repeat(run)


class ActiveContour:
    """From the circle around the target. Noise holds it back unless the picture is smooth."""

    max_side = MAX_SIDE
    sigma = 6
    who = f"scikit-image active_contour, smoothed by {sigma}"

    def __init__(self, active_contour, smooth, fill):
        self.active_contour, self.smooth, self.fill = active_contour, smooth, fill

    def measure(self, case, image):
        angle = np.linspace(0, 2 * np.pi, CIRCLE_POINTS, endpoint=False)
        circle = np.stack([case["y"] + case["radius"] * np.sin(angle), case["x"] + case["radius"] * np.cos(angle)], axis=1)
        circle -= 0.5  # its coordinates are whole numbers at the pixels' centres

        def run():
            samples = self.smooth(image / 255, self.sigma)
            return self.active_contour(samples, circle, alpha=0.001, beta=0.02, gamma=0.001, w_line=0, w_edge=5, max_num_iter=1000)

        times, line = repeat(run)
        return times, self.fill(image.shape, line)


def level_sets(name, segment):
    import skimage
    from skimage.filters import gaussian

    emit(type="peer", name=f"scikit-image {name}", version=skimage.__version__, note="with the smoothing, where there is any")
    return [LevelSet(name, segment, gaussian, sigma) for sigma in (3, 0)]


def morphological_peers():
    from skimage.segmentation import morphological_chan_vese
    return level_sets("morphological_chan_vese", lambda samples: morphological_chan_vese(samples, ITERATIONS, smoothing=1))


def chan_vese_peers():
    from skimage.segmentation import chan_vese
    return level_sets("chan_vese", chan_vese)


def active_contour_peers():
    import skimage
    from skimage.draw import polygon2mask
    from skimage.filters import gaussian
    from skimage.segmentation import active_contour
    emit(type="peer", name=ActiveContour.who, version=skimage.__version__, note="with the smoothing")
    return [ActiveContour(active_contour, gaussian, polygon2mask)]


GROUPS = {"morphological_chan_vese": morphological_peers, "active_contour": active_contour_peers, "chan_vese": chan_vese_peers}


def read_plane(folder, case, field):
    return np.fromfile(os.path.join(folder, case[field]), np.uint8).reshape(case["height"], case["width"])


def measure_all(group, folder):
    try:
        peers = GROUPS[group]()
    except ImportError as error:
        emit(type="peer", name=f"scikit-image {group}", missing=str(error).splitlines()[0])
        return
    with open(os.path.join(folder, "cases.jsonl")) as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        work = {field: case[field] for field in WORK}
        image, truth = read_plane(folder, case, "image"), read_plane(folder, case, "truth").astype(bool)
        for peer in peers:
            if max(image.shape) > peer.max_side:
                emit(type="time", who=peer.who, mode="peer", **work, why=f"not asked for more than {peer.max_side} pixels a side")
                continue
            try:
                times, mask = peer.measure(case, image)
            except Exception as error:  # one peer's failure must not end the others' measurement
                emit(type="time", who=peer.who, mode="peer", **work, why=f"failed: {type(error).__name__} {error}")
                continue
            iou = of_either_side(mask, truth)
            emit(type="time", who=peer.who, mode="peer", **work, iou=round(iou, 5), runs=len(times), min_us=min(times),
                 median_us=statistics.median(times))


if __name__ == "__main__":
    measure_all(sys.argv[1], sys.argv[2])
