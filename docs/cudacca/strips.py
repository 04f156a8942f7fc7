#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of strips in docs/cudacca.md: strips.py [FOLDER]

Cuts a tall picture into strips, as a line-scan camera delivers it, runs cudacca with strip-mode on them, and colours each
component by the strip with which it is reported. Fails if the components are not those of the whole picture, or if one is
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
FIELDS = ("area", "x", "y", "w", "h", "cx", "cy")


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


def label(web):
    """The 8-connected components in raster order: label image."""
    labels = np.zeros(web.shape, int)
    count = 0
    for first in zip(*np.nonzero(web)):
        if labels[first]:
            continue
        count += 1
        waiting = [first]
        while waiting:
            y, x = waiting.pop()
            if 0 <= y < HEIGHT and 0 <= x < WIDTH and web[y, x] and not labels[y, x]:
                labels[y, x] = count
                waiting += [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return labels


def run_element(web):
    """The strip and the fields of each component, in the order of the lines."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        (web * np.uint8(255)).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={WIDTH * ROWS}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={ROWS}",
             "!", "cudacca", "strip-mode=true", "!", "contourexport", f"location={result}", "!", "fakesink"],
            check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    assert [line["first_row"] for line in lines] == [i * ROWS for i in range(len(lines))]
    return [(number, tuple(c[name] for name in FIELDS)) for number, line in enumerate(lines) for c in line["components"]]


def measure(labels, number):
    y, x = np.nonzero(labels == number)
    return len(x), x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1, x.sum() / len(x), y.sum() / len(y)


def paint(labels, strips):
    """Draws each component in the colour of its strip; lines are the seams, and bars on the left have the colours."""
    picture = np.full((HEIGHT, WIDTH, 3), 24, np.uint8)
    picture[ROWS - 1::ROWS] = 90
    for number, strip in strips.items():
        picture[labels == number] = COLOURS[strip]
    key = np.full((HEIGHT, 14, 3), 255, np.uint8)
    for i in range(STRIPS):
        key[i * ROWS + 1:(i + 1) * ROWS - 1, :10] = COLOURS[i]
    end = np.full((10, WIDTH + 14, 3), 255, np.uint8)
    end[2:, :10] = COLOURS[STRIPS]
    return np.vstack([np.hstack([key, picture]), end])


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    web = draw()
    labels = label(web)
    expected = {measure(labels, number): number for number in range(1, labels.max() + 1)}
    strips = {}
    for strip, component in run_element(web):
        # y and cy are rows of the web; cy is the sum of a row of the frame and its first row.
        found = [number for row, number in expected.items()
                 if row[:6] == component[:6] and abs(row[6] - component[6]) < 1e-9]
        if len(found) != 1 or found[0] in strips:
            print(f"the element reports {component}, which the whole picture does not have")
            return 1
        last = component[2] + component[4] - 1
        if strip != (last + 1) // ROWS:
            print(f"the element reports {component} with strip {strip}")
            return 1
        strips[found[0]] = int(strip)
    if len(strips) != len(expected):
        print(f"the element reports {len(strips)} of {len(expected)} components")
        return 1
    os.makedirs(folder, exist_ok=True)
    stages.write_png(os.path.join(folder, "strips.png"), paint(labels, strips))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
