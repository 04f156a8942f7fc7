#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of docs/cudacrackcontour.md: levels.py [FOLDER]

Draws a scene as a depth camera sees it, traces the contours of some levels with cudacrackcontour, and draws them over the
scene in the colours of their levels. Fails if the lines of a level do not enclose exactly its pixels, or are not in the
order that the document describes. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or
gst-launch-1.0.
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
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cudacanny"))
from stages import write_png

WIDTH, HEIGHT = 300, 200
LEVELS = range(24, 210, 12)
SCALE = 3


def draw_scene():
    """Draws balls, a cone, a torus and a post on a floor before a wall; near is bright."""
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    depth = 30 + 3 * np.sin(x / 37) + np.maximum(y - 90, 0) ** 1.25 * 0.3

    def ball(cx, cy, radius, near, height):
        bulge = 1 - ((x - cx) ** 2 + (y - cy) ** 2) / radius ** 2
        np.maximum(depth, np.where(bulge > 0, near + height * np.sqrt(np.maximum(bulge, 0)), 0), out=depth)

    ball(78, 112, 52, 95, 110)
    ball(150, 60, 30, 60, 60)
    ball(128, 158, 24, 110, 90)
    distance = np.hypot(x - 226, (y - 128) * 1.15)
    ring = 1 - ((distance - 38) / 18) ** 2
    np.maximum(depth, np.where(ring > 0, 105 + 110 * np.sqrt(np.maximum(ring, 0)), 0), out=depth)
    cone = 1 - np.hypot(x - 226, (y - 128) * 1.15) / 17
    np.maximum(depth, np.where(cone > 0, 90 + 120 * cone, 0), out=depth)
    post = 1 - ((x - 268) / 9) ** 2
    np.maximum(depth, np.where((post > 0) & (y > 18) & (y < 96), 85 + 50 * np.sqrt(np.maximum(post, 0)), 0), out=depth)
    return np.clip(np.rint(depth), 0, 255).astype(np.uint8)


def run_element(scene):
    """Returns the contours that cudacrackcontour finds in SCENE, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudacrackcontour", "levels=" + ",".join(map(str, LEVELS)),
             "!", "contourexport", f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            return json.loads(file.readline())["contours"]


def sides(contour):
    """Yields the line as steps of one pixel: x, y of the first corner, and the direction."""
    points = contour["points"]
    for (x, y), (to_x, to_y) in zip(points, points[1:] + points[:1]):
        dx, dy = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
        while (x, y) != (to_x, to_y):
            yield int(x), int(y), dx, dy
            x, y = x + dx, y + dy


def enclosed(contours):
    """Returns the winding number of CONTOURS around each pixel, clockwise."""
    steps = np.zeros((HEIGHT, WIDTH + 1), int)
    for contour in contours:
        for x, y, _, dy in sides(contour):
            if dy:
                steps[y - (dy < 0), x] -= dy
    return np.cumsum(steps, axis=1)[:, :WIDTH]


def check(scene, contours):
    """What is wrong with CONTOURS; None: nothing."""
    order = [(c["level"], c["points"][0][1], c["points"][0][0]) for c in contours]
    if order != sorted(set(order)):
        return "the contours are out of order"
    for level in LEVELS:
        of_level = [c for c in contours if c["level"] == level]
        if not np.array_equal(enclosed(of_level), scene >= level):
            return f"the lines of level {level} do not enclose its pixels"
        if sum(-c["area"] if c["hole"] else c["area"] for c in of_level) != np.count_nonzero(scene >= level):
            return f"the areas of level {level} do not add up"
    return None


def colour(level):
    """Returns the colour of a level in the scale of cudacontouroverlay, from dark blue to light yellow."""
    t = (level - LEVELS[0]) / (LEVELS[-1] - LEVELS[0])
    stops = [(59, 82, 139), (44, 114, 142), (33, 144, 140), (39, 173, 129), (93, 200, 99), (170, 220, 50), (253, 231, 37)]
    return [np.interp(t, np.linspace(0, 1, len(stops)), channel) for channel in zip(*stops)]


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = draw_scene()
    contours = run_element(scene)
    problem = check(scene, contours)
    if problem:
        print(problem)
        return 1

    picture = np.repeat(np.repeat(scene // 2, SCALE, 0), SCALE, 1)[..., None].repeat(3, 2)
    picture = np.pad(picture, ((0, 1), (0, 1), (0, 0)))  # the last corners
    for c in contours:
        for x, y, dx, dy in sides(c):
            across = sorted((x * SCALE, (x + dx) * SCALE))
            down = sorted((y * SCALE, (y + dy) * SCALE))
            picture[down[0]:down[1] + 1, across[0]:across[1] + 1] = colour(c["level"])
    os.makedirs(folder, exist_ok=True)
    write_png(os.path.join(folder, "levels.png"), picture.astype(np.uint8))
    print(f"{len(contours)} contours of {len(LEVELS)} levels, {sum(c['hole'] for c in contours)} of them holes, "
          f"{sum(len(c['points']) for c in contours)} points")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
