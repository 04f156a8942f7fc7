#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates an image of docs/cudacrackcontour.md: tree.py [FOLDER]

Draws a rough landscape, traces the contours of some levels with cudacrackcontour hierarchy=levels, and draws them in the
colours of their persistence: all of them, and beside that what min-persistence leaves. Fails if parents, depths, births or
deaths differ from those computed here as include/contours/cracks.h defines them. Needs a "meson devenv -C build" shell. Exit
status 77 without NumPy or gst-launch-1.0.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

sys.dont_write_bytecode = True  # not into the folder of the documents
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "cudacanny")]
from levels import sides
from stages import write_png

WIDTH, HEIGHT = 160, 124
LEVELS = range(40, 230, 10)
MIN_PERSISTENCE = 40
SCALE = 3
GAP = 12  # pixels of the image between its halves


def draw_scene():
    """Draws four peaks and a crater, and roughness on them."""
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    height = np.full(x.shape, 62.0)
    for cx, cy, radius, peak in (40, 38, 24, 120), (70, 56, 17, 96), (118, 32, 19, 130), (34, 98, 15, 84):
        height += peak * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / radius ** 2)
    distance = np.hypot(x - 112, y - 86)
    height += 110 * np.exp(-((distance - 21) / 9) ** 2) - 20 * np.exp(-(distance / 11) ** 2)
    rough = np.random.default_rng(4).normal(size=(HEIGHT + 8, WIDTH + 8))
    rough = sum(rough[dy:dy + HEIGHT, dx:dx + WIDTH] for dy in range(0, 8, 2) for dx in range(0, 8, 2))
    return np.clip(np.rint(height + 0.9 * rough), 0, 255).astype(np.uint8)


def run_element(scene, *settings):
    """Returns the contours that cudacrackcontour finds in SCENE, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudacrackcontour", "hierarchy=levels", "levels=" + ",".join(map(str, LEVELS)), *settings,
             "!", "contourexport", f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            return json.loads(file.readline())["contours"]


def region(contour):
    """Returns the pixels that the line encloses."""
    steps = np.zeros((HEIGHT, WIDTH + 1), bool)
    for x, y, _, dy in sides(contour):
        if dy:
            steps[y - (dy < 0), x] ^= True
    return np.logical_xor.accumulate(steps, axis=1)[:, :WIDTH]


def fill(inside, start, diagonal):
    """Returns the pixels of INSIDE that are connected with START."""
    found, stack = np.zeros_like(inside), [start]
    found[start] = True
    while stack:
        y, x = stack.pop()
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                to = y + dy, x + dx
                if (diagonal or not dx or not dy) and 0 <= to[0] < HEIGHT and 0 <= to[1] < WIDTH and inside[to] and not found[to]:
                    found[to] = True
                    stack.append(to)
    return found


def start_of(contour):
    x, y = contour["points"][0]
    return int(y), int(x)


def expected_parents(contours):
    """The smallest contour of its own or the next lower level around each contour."""
    regions = [region(c) for c in contours]
    areas = [int(r.sum()) for r in regions]
    parents = []
    for i, c in enumerate(contours):
        around = [k for k, q in enumerate(contours) if q["level"] in (c["level"], c["level"] - LEVELS.step) and k != i
                  and (areas[k] > areas[i] or (areas[k] == areas[i] and q["level"] < c["level"] and not q["hole"] | c["hole"]))
                  and regions[k][regions[i]].all()]
        parents.append(min(around, key=lambda k: (areas[k], -contours[k]["level"]), default=None))
    return parents


def expected_branches(scene, contours):
    """Birth and death of the branch of each contour."""
    pixels = [fill((scene >= c["level"]) != c["hole"], start_of(c), not c["hole"]) for c in contours]
    links = [None] * len(contours)
    for i, c in enumerate(contours):
        # A component is in one of the next lower level, a hole in one of the next higher level.
        level = c["level"] + (LEVELS.step if c["hole"] else -LEVELS.step)
        links[i] = next((k for k, q in enumerate(contours)
                         if q["level"] == level and q["hole"] == c["hole"] and pixels[k][start_of(c)]), None)
    furthest = list(range(len(contours)))
    for i, c in enumerate(contours):
        at = i
        while at is not None:
            furthest[at] = (min if c["hole"] else max)(furthest[at], i)
            at = links[at]
    levels = {}
    for i, c in enumerate(contours):
        levels.setdefault(furthest[i], []).append(c["level"])
    return [(min(levels[k]), max(levels[k])) for k in furthest]


def check(scene, contours, kept):
    """What is wrong with CONTOURS, or with those that are KEPT; None: nothing."""
    parents, branches = expected_parents(contours), expected_branches(scene, contours)
    stay = [i for i, (birth, death) in enumerate(branches) if death - birth >= MIN_PERSISTENCE]
    for i, c in enumerate(contours):
        depth = 0 if parents[i] is None else contours[parents[i]]["depth"] + 1
        if (c["parent"], c["depth"], (c["birth"], c["death"])) != (parents[i], depth, branches[i]):
            return f"contour {i} is {c}, expected parent {parents[i]}, depth {depth}, branch {branches[i]}"
    if [(c["level"], c["points"]) for c in kept] != [(contours[i]["level"], contours[i]["points"]) for i in stay]:
        return "other contours stay than those with enough persistence"
    for c, i in zip(kept, stay):
        parent = parents[i]
        while parent is not None and parent not in stay:
            parent = parents[parent]
        if c["parent"] != (None if parent is None else stay.index(parent)) or c["depth"] != contours[i]["depth"]:
            return f"contour {c['id']} of those that stay has another parent or depth"
    return None


def colour(persistence):
    """Returns a colour from dark violet to light yellow."""
    t = min(persistence / (LEVELS[-1] - LEVELS[0]), 1) ** 0.6
    stops = [(110, 60, 150), (185, 55, 130), (240, 95, 60), (250, 165, 35), (250, 240, 120)]
    return [np.interp(t, np.linspace(0, 1, len(stops)), channel) for channel in zip(*stops)]


def draw(scene, contours):
    picture = np.repeat(np.repeat(scene // 3, SCALE, 0), SCALE, 1)[..., None].repeat(3, 2)
    picture = np.pad(picture, ((0, 1), (0, 1), (0, 0)))  # the last corners
    for c in sorted(contours, key=lambda c: c["death"] - c["birth"]):
        for x, y, dx, dy in sides(c):
            across = sorted((x * SCALE, (x + dx) * SCALE))
            down = sorted((y * SCALE, (y + dy) * SCALE))
            picture[down[0]:down[1] + 1, across[0]:across[1] + 1] = colour(c["death"] - c["birth"])
    return picture


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = draw_scene()
    contours, kept = run_element(scene), run_element(scene, f"min-persistence={MIN_PERSISTENCE}")
    problem = check(scene, contours, kept)
    if problem:
        print(problem)
        return 1
    halves = [draw(scene, c) for c in (contours, kept)]
    gap = np.full((halves[0].shape[0], GAP, 3), 255)
    os.makedirs(folder, exist_ok=True)
    write_png(os.path.join(folder, "tree.png"), np.hstack([halves[0], gap, halves[1]]).astype(np.uint8))
    print(f"{len(contours)} contours, {len(kept)} of persistence {MIN_PERSISTENCE} or more")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
