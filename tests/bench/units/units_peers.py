#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenCV's undistortPoints() and perspectiveTransform() on the points of bench_units.

units_peers.py DIR   one JSON record a line for each case in DIR, which bench_units --write has filled

Where OpenCV is not installed, it is reported as missing; nothing here fails for want of it.
"""
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import emit, repeat

try:
    import cv2
    import numpy as np
except ImportError:
    cv2 = None

WORK = ["name", "width", "height", "calibration", "task", "contours", "points"]
STEPS, ACCURACY = 100, 1e-9  # of undistortPoints(), whose default is five steps


def converter_of(case):
    homography = np.array(case["homography"]).reshape(3, 3)
    if "camera" not in case:
        return lambda points: cv2.perspectiveTransform(points, homography)
    fx, fy, cx, cy = case["camera"]
    camera = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    distortion = np.array(case["distortion"])
    if not distortion[5:].any():
        distortion = distortion[:5]
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, STEPS, ACCURACY)
    undistort = getattr(cv2, "undistortPointsIter", None)  # OpenCV 4 has the criteria in a function of its own
    if undistort:
        return lambda points: cv2.perspectiveTransform(undistort(points, camera, distortion, None, camera, until), homography)
    return lambda points: cv2.perspectiveTransform(
        cv2.undistortPoints(points, camera, distortion, R=None, P=camera, criteria=until), homography)


def main(folder):
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return
    cv2.setNumThreads(1)
    emit(type="peer", name="OpenCV", version=cv2.__version__, note="undistortPoints + perspectiveTransform, 1 thread")
    with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        points, world = (np.fromfile(os.path.join(folder, case[name])).reshape(-1, 1, 2) for name in ("points_file", "world_file"))
        convert = converter_of(case)
        try:
            times, theirs = repeat(lambda: convert(points))
        except cv2.error as error:
            emit(type="failure", who="OpenCV", message=f"{case['name']}, {case['calibration']}: {error}")
            continue
        emit(type="time", who="OpenCV, 1 thread", mode="peer", **{field: case[field] for field in WORK},
             difference=float(np.abs(theirs - world).max()), runs=len(times), min_us=min(times),
             median_us=statistics.median(times))


if __name__ == "__main__":
    main(sys.argv[1])
