#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenCV draws what bench_paint has drawn: paint_peers.py DIR

One JSON record a line for each set of contours in DIR, which bench_paint --write has filled. Lines one pixel thick must be those
pixels that bench_paint's contours have, where they have all of them. What is not installed is reported as missing.
"""
import glob
import os
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import emit, repeat

try:
    import cv2
except ImportError:
    cv2 = None

WIDTH, HEIGHT = 3840, 2160


def differing(points, frame):
    """Pixels that are drawn and should not be, or the other way round."""
    expected = np.zeros((HEIGHT, WIDTH), bool)
    expected[points[:, 1], points[:, 0]] = True
    return int((expected != (frame != 0)).sum())


def main(folder):
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="cv2")
        return
    emit(type="peer", name="OpenCV", version=cv2.__version__, note="drawContours() of all contours in one call, wall time; one thread")
    for path in sorted(glob.glob(os.path.join(folder, "*.points"))):
        name = os.path.splitext(os.path.basename(path))[0]
        points = np.fromfile(path, np.uint16).reshape(-1, 2)
        counts = np.fromfile(os.path.join(folder, name + ".counts"), np.uint32)
        contours = np.split(points.astype(np.int32).reshape(-1, 1, 2), np.cumsum(counts)[:-1])
        for channels, layout in (1, "grey"), (4, "RGBA"):
            for thickness in 1, 2, 5:
                frame = np.zeros((HEIGHT, WIDTH, channels)[:2 if channels == 1 else 3], np.uint8)
                colour = (255,) * channels
                times, _ = repeat(lambda: cv2.drawContours(frame, contours, -1, colour, thickness))
                record = {"different": differing(points, frame)} if channels == 1 and thickness == 1 and "straight" not in name else {}
                emit(type="time", who="OpenCV", mode="peer", name=name, format=layout, contours=len(counts), points=len(points),
                     thickness=thickness, alpha=255, colours="fixed", runs=len(times), min_us=min(times),
                     median_us=statistics.median(times), **record)


main(sys.argv[1])
