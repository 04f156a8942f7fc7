#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of regions in docs/cudaforeground.md: regions.py [FOLDER]

Runs cudacca on two rectangles and a polygon of a scene, and colours the components of each region. Fails if a component differs
from those of a copy of the region, which are computed here as the document describes. Needs a "meson devenv -C build" shell.
Exit status 77 without NumPy or gst-launch-1.0.
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
THRESHOLD, LEAST = 128, 20
POLYGON = [(205, 20), (300, 10), (390, 60), (390, 190), (300, 130), (250, 150)]
REGIONS = [(15, 20, 120, 150), (60, 150, 180, 100), POLYGON]
TEXT = "15,20,120,150;60,150,180,100;polygon: " + " ".join(f"{x},{y}" for x, y in POLYGON)
# Of the palette of Okabe and Ito.
COLOURS = [(230, 159, 0), (0, 158, 115), (86, 180, 233)]
NEIGHBOURS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]


def inside(region, shape):
    """The pixels of a region, and its rectangle."""
    y, x = np.mgrid[:shape[0], :shape[1]] + 0.5
    if isinstance(region, tuple):
        left, top, width, height = region
        return (x > left) & (x < left + width) & (y > top) & (y < top + height), region
    odd = np.zeros(shape, bool)
    for (ax, ay), (bx, by) in zip(region, region[1:] + region[:1]):
        if ay != by:
            odd ^= ((ay < y) != (by < y)) & (ax + (y - ay) * (bx - ax) / (by - ay) <= x)
    left, top = np.min(region, 0)
    right, bottom = np.max(region, 0)
    return odd, (left, top, right - left, bottom - top)


def label(mask):
    """The 8-connected components in the order of their first pixels, as lists of pixels."""
    left, components = mask.copy(), []
    for first in zip(*np.nonzero(mask)):
        if not left[first]:
            continue
        left[first] = False
        pixels, waiting = [], [first]
        while waiting:
            y, x = waiting.pop()
            pixels.append((y, x))
            for dy, dx in NEIGHBOURS:
                near = y + dy, x + dx
                if 0 <= near[0] < mask.shape[0] and 0 <= near[1] < mask.shape[1] and left[near]:
                    left[near] = False
                    waiting.append(near)
        components.append(np.array(pixels))
    return components


def run_element(grey):
    height, width = grey.shape
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        grey.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={grey.size}",
             "!", "rawvideoparse", "format=gray8", f"width={width}", f"height={height}",
             "!", "cudacca", f"threshold={THRESHOLD}", f"min-area={LEAST}", f"region={TEXT}",
             "!", "contourexport", f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            found = json.loads(file.readline())["components"]
    return [tuple(c[name] for name in ("label", "region", "area", "x", "y", "w", "h")) for c in found]


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("no gst-launch-1.0 here")
        return 77
    grey = stages.luma(stages.draw_scene()).astype(np.uint8)
    picture = (grey[..., None].repeat(3, 2) * 0.6 + 40).astype(np.uint8)
    rows = []
    for number, region in enumerate(REGIONS):
        pixels, (left, top, width, height) = inside(region, grey.shape)
        crop = np.s_[top:top + height, left:left + width]
        edge = pixels & ~(np.roll(pixels, 1, 0) & np.roll(pixels, -1, 0) & np.roll(pixels, 1, 1) & np.roll(pixels, -1, 1))
        for component in label((grey[crop] >= THRESHOLD) & pixels[crop]):
            if len(component) < LEAST:
                continue
            y, x = component.T + np.array([[top], [left]])
            rows.append((len(rows) + 1, number, len(x), x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1))
            picture[y, x] = COLOURS[number]
        picture[edge] = COLOURS[number]
    if run_element(grey) != rows:
        print("the element finds other components than those computed here")
        return 1
    os.makedirs(folder, exist_ok=True)
    stages.write_png(os.path.join(folder, "regions.png"), picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
