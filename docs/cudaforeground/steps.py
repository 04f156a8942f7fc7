#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of docs/cudaforeground.md: steps.py [FOLDER]

Draws washers on a plate in uneven light, with scratches, specks and noise, and shows the masks that cudaforeground makes of
it with one step more each. Fails if a mask differs from that computed here as the document describes. Needs a "meson devenv
-C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
"""
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
WIDTH, HEIGHT = 300, 220
BLOCK, OFFSET, OPEN, THRESHOLD = 81, 14, 3, 110
GAP = 6


def draw_scene():
    """Dark washers, solid and cut by the border, on a plate that is bright on the left and dark on the right."""
    random = np.random.default_rng(4)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    scene = 215 - 0.55 * x - 0.1 * y
    for cx, cy, outer, inner in ((60, 60, 32, 13), (150, 70, 30, 12), (240, 60, 34, 14), (75, 160, 30, 0),
                                 (165, 165, 33, 13), (250, 215, 32, 0), (5, 120, 24, 0)):
        distance = np.hypot(x - cx, y - cy)
        scene -= 55 * np.clip(outer - distance, 0, 1) * np.clip(distance - inner, 0, 1)
    for start, slope in ((20, 0.4), (140, -0.3)):
        scene[np.abs(y - start - slope * x) < 0.8] -= 45
    specks = random.integers(0, (WIDTH, HEIGHT), (60, 2))
    scene[specks[:, 1], specks[:, 0]] -= 60
    return np.clip(scene + random.normal(0, 3, scene.shape), 0, 255).astype(np.uint8)


def around(picture, size, fill):
    """The size x size pixels around each pixel, as one more axis; FILL is what is outside."""
    padded = np.pad(picture, size // 2, **fill)
    return [padded[dy:dy + HEIGHT, dx:dx + WIDTH] for dy in range(size) for dx in range(size)]


def adaptive(scene):
    total = np.zeros(scene.shape, int)
    for part in around(scene.astype(int), BLOCK, {"mode": "edge"}):
        total += part
    mean = np.rint(total / BLOCK ** 2)
    return ~(scene > mean - OFFSET)


def opened(mask):
    eroded = np.all(around(mask, OPEN, {"constant_values": True}), axis=0)
    return np.any(around(eroded, OPEN, {"constant_values": False}), axis=0)


def reaches_border(mask, corners):
    """The pixels of the mask that a chain of its pixels joins to the border."""
    found = np.zeros(mask.shape, bool)
    found[[0, -1]] = mask[[0, -1]]
    found[:, [0, -1]] = mask[:, [0, -1]]
    while True:
        near = np.pad(found, 1)
        grown = near[1:-1, :-2] | near[1:-1, 2:] | near[:-2, 1:-1] | near[2:, 1:-1] | found
        if corners:
            grown |= near[:-2, :-2] | near[:-2, 2:] | near[2:, :-2] | near[2:, 2:]
        grown &= mask
        if np.array_equal(grown, found):
            return found
        found = grown


def run_element(scene, properties):
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudaforeground", "invert=true", *properties, "!", "filesink", f"location={result}"],
            check=True, timeout=60)
        return np.fromfile(result, np.uint8).reshape(HEIGHT, WIDTH)


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("no gst-launch-1.0 here")
        return 77
    scene = draw_scene()
    steps = [(f"threshold={THRESHOLD}",), ("threshold-mode=adaptive-mean", f"block-size={BLOCK}", f"offset={OFFSET}"),
             (f"open-size={OPEN}",), ("fill-holes=true",), ("clear-border=true",)]
    masks = [scene < THRESHOLD, adaptive(scene)]
    masks.append(opened(masks[-1]))
    masks.append(~reaches_border(~masks[-1], False))
    masks.append(masks[-1] & ~reaches_border(masks[-1], True))
    panels, properties = [scene], []
    for step, expected in zip(steps, masks):
        properties += step
        panels.append(run_element(scene, properties))
        if not np.array_equal(panels[-1], np.where(expected, 255, 0)):
            print(f"{' '.join(properties)}: another mask than that of the document")
            return 1
    os.makedirs(folder, exist_ok=True)
    beside = np.full((HEIGHT, GAP), 128, np.uint8)
    below = np.full((GAP, 3 * WIDTH + 2 * GAP), 128, np.uint8)
    rows = [np.hstack([panels[i], beside, panels[i + 1], beside, panels[i + 2]]) for i in (0, 3)]
    stages.write_png(os.path.join(folder, "steps.png"), np.vstack([rows[0], below, rows[1]]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
