#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of connectivity in docs/cudaborders.md: connectivity.py [FOLDER]

Runs cudaborders on a few pixels, 8-connected and 4-connected, and draws each border as a line through its points. Fails if
the 4-connected borders, their order, points or parents differ from those that a wall follower finds here along labelled
parts. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
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
PIXELS = ["                ",
          "  ####      ##  ",
          " #######   ##   ",
          " ## ####  ##    ",
          " ###  ## #   #  ",
          " ##   ##    ### ",
          " ####### ###### ",
          "  #####  #   ## ",
          "      ## # # #  ",
          "   #   # #   ## ",
          "  # #    ##### #",
          "   #      ##  # ",
          "                "]
HEIGHT, WIDTH = len(PIXELS), len(PIXELS[0])
CELL = 24
COLOURS = np.array([(230, 97, 0), (0, 114, 178)], np.uint8)  # of outer borders, of holes
EDGES = [(1, 0), (0, -1), (-1, 0), (0, 1)]  # anticlockwise from the east
CORNERS = [(1, -1), (-1, -1), (-1, 1), (1, 1)]


def run_element(mask, connectivity):
    """Returns the contours that cudaborders finds in MASK, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        (mask * 255).astype(np.uint8).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={mask.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudaborders", "mode=tree", "approximation=none", f"connectivity={connectivity}",
             "!", "contourexport", f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            line = json.loads(file.readline())
    assert line["connectivity"] == connectivity
    return line["contours"]


def label(mask, neighbours):
    """Returns the label of each pixel of MASK, and the first pixel of each label."""
    labels, firsts = {}, []
    for y, x in np.argwhere(mask):
        if (x, y) in labels:
            continue
        firsts.append((x, y))
        waiting = [(x, y)]
        while waiting:
            at = waiting.pop()
            if 0 <= at[0] < mask.shape[1] and 0 <= at[1] < mask.shape[0] and mask[at[1], at[0]] and at not in labels:
                labels[at] = len(firsts) - 1
                waiting += [(at[0] + dx, at[1] + dy) for dx, dy in neighbours]
    return labels, firsts


def follow_wall(start, heading, is_wall):
    """Returns the pixels along the wall on the right, from START."""
    points, at, departed = [], start, None
    while True:
        for turn in (3, 0, 1, 2):  # right, straight, left, back
            after = (heading + turn) % 4
            ahead = (at[0] + EDGES[after][0], at[1] + EDGES[after][1])
            if not is_wall(ahead):
                break
        else:
            return [start]
        if (at, after) == (start, departed):
            return points
        departed = after if departed is None else departed
        points.append(at)
        at, heading = ahead, after


def find_borders(mask):
    """Returns points, hole and row of the parent of all 4-connected borders: parents first, siblings by descending keys."""
    mask = np.pad(mask, 1)
    parts, part_firsts = label(mask, EDGES)
    gaps, gap_firsts = label(~mask, EDGES + CORNERS)
    borders = [(first, False, i, follow_wall(first, 3, lambda p, i=i: parts.get(p) != i))
               for i, first in enumerate(part_firsts)]
    borders += [(first, True, i, follow_wall((first[0] - 1, first[1]), 1, lambda p, i=i: gaps.get(p) == i))
                for i, first in enumerate(gap_firsts) if i > 0]
    children = {}
    for border in borders:
        (x, y), hole = border[:2]
        around = (False, parts[x - 1, y]) if hole else (True, gaps[x - 1, y])
        children.setdefault(around, []).append(border)
    rows = []

    def add(around, parent):
        for _, hole, i, points in sorted(children.get(around, []), key=lambda b: b[0][::-1], reverse=True):
            rows.append(([[int(x) - 1, int(y) - 1] for x, y in points], hole, parent))
            add((hole, i), len(rows) - 1)

    add((True, 0), None)
    return rows


def paint(mask, contours):
    """Draws foreground as grey squares, borders as lines through the centres of their pixels, with a dot at each."""
    picture = np.full((HEIGHT * CELL, WIDTH * CELL, 3), 24, np.uint8)
    for y, x in np.argwhere(mask):
        picture[y * CELL + 1:(y + 1) * CELL, x * CELL + 1:(x + 1) * CELL] = 150
    for c in contours:
        points = np.array(c["points"]) * CELL + CELL // 2
        for p, q in zip(points, np.roll(points, -1, 0)):
            # To the right of the direction of the walk, that is towards the background, so that both sides of a thin part show.
            step = np.sign(q - p)
            aside = np.array([-step[1], step[0]]) * 3
            for i in range(CELL):
                x, y = p + (q - p) * i // CELL + aside
                picture[y - 1:y + 2, x - 1:x + 2] = COLOURS[int(c["hole"])]
        for x, y in points:
            picture[y - 3:y + 4, x - 3:x + 4] = COLOURS[int(c["hole"])]
    return picture


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    mask = np.array([[c == "#" for c in row] for row in PIXELS])
    found = {connectivity: run_element(mask, connectivity) for connectivity in (8, 4)}
    if [(c["points"], c["hole"], c["parent"]) for c in found[4]] != find_borders(mask):
        print("the 4-connected borders of the element differ from those computed here")
        return 1
    panels = [paint(mask, found[connectivity]) for connectivity in (8, 4)]
    gap = np.full((HEIGHT * CELL, CELL, 3), 255, np.uint8)
    os.makedirs(folder, exist_ok=True)
    stages.write_png(os.path.join(folder, "connectivity.png"), np.hstack([panels[0], gap, panels[1]]))
    for connectivity in (8, 4):
        holes = sum(c["hole"] for c in found[connectivity])
        print(f"{connectivity}-connected: {len(found[connectivity]) - holes} outer borders, {holes} holes, "
              f"{sum(len(c['points']) for c in found[connectivity])} points")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
