#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of touching parts in docs/cudaforeground.md: touching.py [FOLDER]

Draws coins that touch and beans, and shows the masks that cudaforeground makes of them without and with split-touching, a
colour for each component. Fails if the split mask differs from that computed here as the document describes. Needs a "meson
devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
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
THRESHOLD, DEPTH = 110, 2
GAP = 6
# The palette of Okabe and Ito.
COLOURS = np.array([(230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178), (213, 94, 0),
                    (204, 121, 167)], np.uint8)
AROUND = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]


def draw_scene():
    """Bright coins and beans on a dark table, with the noise of a camera."""
    random = np.random.default_rng(3)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    scene = np.full((HEIGHT, WIDTH), 60.0)
    for cx, cy, radius in ((40, 45, 26), (84, 60, 21), (62, 98, 22), (112, 30, 17), (26, 175, 22), (66, 178, 19), (100, 160, 20),
                           (140, 168, 21), (265, 180, 30), (222, 150, 24), (215, 196, 23), (120, 90, 19), (178, 190, 17)):
        scene += (190 - scene) * np.clip(radius - np.hypot(x - cx, y - cy), 0, 1)
    for cx, cy, angle in ((180, 45, 0.4), (215, 75, 1.2), (250, 40, -0.3), (262, 85, 1.5)):
        along, aside = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle), (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
        scene += (190 - scene) * np.clip(14 * (1 - np.hypot(along / 28, aside / 14)), 0, 1)
    return np.clip(scene + random.normal(0, 9, scene.shape), 0, 255).astype(np.uint8)


def distances_of(mask):
    """The squared distance of each pixel to the nearest background pixel of the image."""
    far = WIDTH + HEIGHT
    columns = np.where(mask, far, 0)
    for rows in (range(1, HEIGHT), range(HEIGHT - 2, -1, -1)):
        for row in rows:
            before = row - 1 if rows.step > 0 else row + 1
            columns[row] = np.minimum(columns[row], columns[before] + 1)
    x = np.arange(WIDTH)
    return np.stack([((x[:, None] - x) ** 2 + row ** 2).min(axis=1) for row in columns])


def parts_of(mask):
    """A number for each pixel of the mask, the same in a part: that of its highest peak in the order of keys."""
    distances = distances_of(mask)
    order = sorted((int(distances[p]), *p) for p in zip(*np.nonzero(mask)))[::-1]
    place = {(y, x): i for i, (_, y, x) in enumerate(order)}  # from the greatest key on
    basins, pairs = [], []
    for i, (_, y, x) in enumerate(order):
        higher = sorted(j for dy, dx in AROUND if (j := place.get((y + dy, x + dx), i)) < i)
        basins.append(basins[higher[0]] if higher else i)
        pairs += [(i, j) for j in higher if basins[j] != basins[i]]
    sets, parts = list(range(len(order))), list(range(len(order)))

    def find(forest, i):
        while forest[i] != i:
            i = forest[i]
        return i

    for lower, higher in pairs:
        first, second = sorted(find(sets, basins[i]) for i in (lower, higher))
        if first == second:
            continue
        if order[second][0] ** 0.5 - order[lower][0] ** 0.5 < DEPTH:
            a, b = sorted(find(parts, basins[i]) for i in (lower, higher))
            parts[b] = a
        sets[second] = first
    return {(y, x): find(parts, basins[i]) for i, (_, y, x) in enumerate(order)}


def split(mask):
    parts, result = parts_of(mask), mask.copy()
    for (y, x), part in parts.items():
        result[y, x] = all(parts.get((y + dy, x + dx), part) >= part for dy, dx in AROUND)
    return result


def coloured(mask):
    """A colour for each 8-connected component, another one than those around it."""
    labels, colours = np.zeros(mask.shape, int), [-1]
    for first in zip(*np.nonzero(mask)):
        if labels[first]:
            continue
        waiting, pixels = [first], []
        labels[first] = len(colours)
        while waiting:
            y, x = waiting.pop()
            pixels.append((y, x))
            for dy, dx in AROUND:
                if 0 <= y + dy < HEIGHT and 0 <= x + dx < WIDTH and mask[y + dy, x + dx] and not labels[y + dy, x + dx]:
                    labels[y + dy, x + dx] = len(colours)
                    waiting.append((y + dy, x + dx))
        low, high = np.maximum(np.min(pixels, axis=0) - GAP, 0), np.max(pixels, axis=0) + GAP
        used = {colours[i] for i in np.unique(labels[low[0]:high[0], low[1]:high[1]]) if i < len(colours)}
        colours.append(next(c % len(COLOURS) for c in range(len(colours), 99) if c % len(COLOURS) not in used))
    return np.vstack([COLOURS, [(0, 0, 0)]]).astype(np.uint8)[np.array(colours)[labels]], len(colours) - 1


def run_element(scene, properties):
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudaforeground", *properties, "!", "filesink", f"location={result}"],
            check=True, timeout=60)
        return np.fromfile(result, np.uint8).reshape(HEIGHT, WIDTH) > 0


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("no gst-launch-1.0 here")
        return 77
    scene = draw_scene()
    properties = [f"threshold={THRESHOLD}", f"split-touching={DEPTH}"]
    before, after = run_element(scene, properties[:1]), run_element(scene, properties)
    if not np.array_equal(before, scene >= THRESHOLD) or not np.array_equal(after, split(before)):
        print(f"{' '.join(properties)}: another mask than that of the document")
        return 1
    panels = [np.repeat(scene[..., None], 3, axis=2)]
    for mask in before, after:
        picture, count = coloured(mask)
        panels.append(picture)
        print(f"{count} components")
    os.makedirs(folder, exist_ok=True)
    beside = np.full((HEIGHT, GAP, 3), 128, np.uint8)
    stages.write_png(os.path.join(folder, "touching.png"), np.hstack([panels[0], beside, panels[1], beside, panels[2]]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
