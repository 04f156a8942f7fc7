#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the images of docs/cudacca.md: labels.py [FOLDER]

Runs cudacca on a few pixels, 4-connected and 8-connected, and on a few squares of equal samples with mode=eq, and colours
the components by their labels; a dot marks the first pixel of each. Fails if labels, samples, areas, boxes or centroids
differ from those computed here as the document describes. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
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
WIDTH, HEIGHT = 32, 20
CELL = 12
# The palette of Okabe and Ito.
COLOURS = np.array([(230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178), (213, 94, 0),
                    (204, 121, 167)], np.uint8)
EDGES = [(1, 0), (-1, 0), (0, 1), (0, -1)]
CORNERS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def label(samples, neighbours):
    """Labels the pixels of equal samples but 0, in the order of the first pixels of the components."""
    labels = np.zeros(samples.shape, int)
    count = 0
    for first in zip(*np.nonzero(samples)):
        if labels[first]:
            continue
        count += 1
        waiting = [first]
        while waiting:
            y, x = waiting.pop()
            if 0 <= x < WIDTH and 0 <= y < HEIGHT and samples[y, x] == samples[first] and not labels[y, x]:
                labels[y, x] = count
                waiting += [(y + dy, x + dx) for dx, dy in neighbours]
    return labels


def measure(labels):
    """Returns label, area, box and centroid of each component."""
    rows = []
    for number in range(1, labels.max() + 1):
        y, x = np.nonzero(labels == number)
        rows.append((number, len(x), x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1, x.sum() / len(x),
                     y.sum() / len(y)))
    return rows


def run_element(samples, properties, more=()):
    """Returns label, area, box and centroid of each component that the element finds, and MORE of its fields."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        samples.astype(np.uint8).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={samples.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudacca", *properties, "!", "contourexport", f"location={result}",
             "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            found = json.loads(file.readline())["components"]
    return [tuple(c[name] for name in ("label", "area", "x", "y", "w", "h", "cx", "cy", *more)) for c in found]


def paint(labels):
    """Draws pixels as squares in the colour of their component, the first one with a dot."""
    picture = np.full((HEIGHT * CELL + 1, WIDTH * CELL + 1, 3), 64, np.uint8)
    seen = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            square = picture[y * CELL + 1:(y + 1) * CELL, x * CELL + 1:(x + 1) * CELL]
            square[:] = COLOURS[(labels[y, x] - 1) % len(COLOURS)] if labels[y, x] else 24
            if labels[y, x] > seen:
                seen += 1
                square[4:-4, 4:-4] = 0
    return picture


def paint_samples(samples):
    return np.pad(np.repeat(np.repeat(samples, CELL, 0), CELL, 1), (0, 1), mode="edge")[..., None].repeat(3, 2)


def make_equal_panels():
    """Returns samples and components with mode=eq, or None if the element finds others."""
    squares = np.random.default_rng(6).choice([0, 90, 160, 230], (HEIGHT // 2, WIDTH // 2), p=[0.25, 0.3, 0.25, 0.2])
    samples = squares.repeat(2, 0).repeat(2, 1)
    labels = label(samples, EDGES)
    expected = [(*row, samples[labels == row[0]][0]) for row in measure(labels)]
    if run_element(samples, ["mode=eq", "connectivity=4"], ["value"]) != expected:
        return None
    return [paint_samples(samples.astype(np.uint8)), paint(labels)]


def write(folder, name, panels):
    gap = np.full((panels[0].shape[0], 2 * CELL, 3), 255, np.uint8)
    stages.write_png(os.path.join(folder, name), np.hstack([panels[0], gap, panels[1]]))


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    foreground = np.random.default_rng(7).random((HEIGHT, WIDTH)) < 0.4
    panels = []
    for connectivity, neighbours in ((4, EDGES), (8, EDGES + CORNERS)):
        labels = label(foreground, neighbours)
        if run_element(foreground * 255, [f"connectivity={connectivity}"]) != measure(labels):
            print(f"the element finds other {connectivity}-connected components than those computed here")
            return 1
        panels.append(paint(labels))
    equal = make_equal_panels()
    if equal is None:
        print("the element finds other components of equal samples than those computed here")
        return 1
    os.makedirs(folder, exist_ok=True)
    write(folder, "labels.png", panels)
    write(folder, "equal.png", equal)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
