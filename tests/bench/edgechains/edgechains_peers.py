#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The peer of edge linking, on the masks of bench_edgechains.

edgechains_peers.py DIR   one JSON record a line for each case in DIR, which bench_edgechains --write has filled

OpenCV's findContours runs around each edge, which gives the pixels of a line twice, and has no junctions. It is what people take
in the place of edge linking; its contours are counted and not compared.
"""
import json
import os
import statistics
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import emit, read_pnm, repeat

try:
    import cv2
except ImportError:
    cv2 = None


def main(folder):
    if cv2 is None:
        emit(type="peer", name="OpenCV", missing="no cv2 module")
        return
    emit(type="peer", name="OpenCV", version=cv2.__version__, note="findContours around the edges, LIST, NONE")
    with open(os.path.join(folder, "cases.jsonl")) as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        if case["min_length"] or case["subpixel_sigma"]:
            continue
        pixels, width, height, _ = read_pnm(os.path.join(folder, case["image"]))
        mask = np.frombuffer(pixels, np.uint8).reshape(height, width)
        times, (contours, _) = repeat(lambda: cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE))
        work = {field: case[field] for field in ("name", "width", "height", "min_length", "subpixel_sigma", "edges")}
        emit(type="time", who="OpenCV, findContours", mode="peer", **work, contours=len(contours),
             points=sum(map(len, contours)), runs=len(times), min_us=min(times), median_us=statistics.median(times))


if __name__ == "__main__":
    main(sys.argv[1])
