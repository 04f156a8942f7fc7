#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of strips in docs/cudaborders.md: strips.py [FOLDER]

Cuts a tall picture into strips, as a line-scan camera delivers it, runs cudaborders with strip-mode on them, and colours
each border by the strip with which it is reported. Fails if the borders are not those of the whole picture, or if one is
reported with another strip than the document says. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or
gst-launch-1.0.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(HERE, os.pardir, "cudacanny"))

import stages  # noqa: E402 - exits with 77 without NumPy

np = stages.np
WIDTH, ROWS, STRIPS = 480, 36, 5
HEIGHT = ROWS * STRIPS
COLOURS = np.array([(230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (204, 121, 167), (213, 94, 0)], np.uint8)


def draw():
    """A web of rings, bars and grains, some of them longer than a strip."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    web = np.zeros((HEIGHT, WIDTH), bool)
    for cx, cy, outer, inner in ((60, 40, 34, 22), (150, 110, 52, 40), (150, 110, 20, 0), (260, 36, 16, 0),
                                 (330, 120, 40, 30), (420, 60, 46, 34), (60, 150, 24, 0), (250, 150, 22, 12)):
        distance = np.hypot(x - cx, y - cy)
        web |= (distance <= outer) & (distance >= inner)
    web[5:HEIGHT - 12, 300:306] = web[HEIGHT - 18:HEIGHT - 12, 290:306] = True
    web[20:HEIGHT, 384:390] = web[100:106, 384:460] = web[100:HEIGHT, 454:460] = True
    for _ in range(40):
        gx, gy = rng.integers(3, WIDTH - 3), rng.integers(3, HEIGHT - 3)
        if not web[gy - 3:gy + 4, gx - 3:gx + 4].any():
            web[gy - 1:gy + 2, gx - 1:gx + 2] = True
    return web


def run_element(web, rows, properties):
    """The frame and the points of each border, in frames of ROWS rows."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        (web * np.uint8(255)).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={WIDTH * rows}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={rows}",
             "!", "cudaborders", "approximation=none", *properties,
             "!", "contourexport", f"location={result}", "!", "fakesink"],
            check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    return [(number, tuple(map(tuple, c["points"]))) for number, line in enumerate(lines) for c in line["contours"]]


def paint(web, borders):
    """Draws each border in the colour of its strip; lines are the seams, and bars on the left have the colours."""
    picture = np.full((HEIGHT, WIDTH, 3), 24, np.uint8)
    picture[ROWS - 1::ROWS] = 90
    picture[web] = 60
    for strip, points in borders:
        x, y = np.array(points).T
        picture[y, x] = COLOURS[strip]
    key = np.full((HEIGHT, 14, 3), 255, np.uint8)
    for i in range(STRIPS):
        key[i * ROWS + 1:(i + 1) * ROWS - 1, :10] = COLOURS[i]
    end = np.full((10, WIDTH + 14, 3), 255, np.uint8)
    end[2:, :10] = COLOURS[STRIPS]
    return np.vstack([np.hstack([key, picture]), end]).repeat(2, 0).repeat(2, 1)


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    web = draw()
    whole = run_element(web, HEIGHT, [])
    borders = run_element(web, ROWS, ["strip-mode=true"])
    if sorted(points for _, points in borders) != sorted(points for _, points in whole):
        print(f"the {len(borders)} borders of strips are not the {len(whole)} of the whole picture")
        return 1
    for strip, points in borders:
        below = max(y for _, y in points) + 1
        if strip != below // ROWS:
            print(f"the border that starts at {points[0]} comes with strip {strip}")
            return 1
    os.makedirs(folder, exist_ok=True)
    stages.write_png(os.path.join(folder, "strips.png"), paint(web, borders))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
