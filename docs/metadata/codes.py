#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of the chain codes in docs/metadata.md: codes.py [FOLDER]

Draws the border and the level contour of one shape with their codes, as the elements and contourexport give them. Fails if
the codes do not lead along the points of the same contours. Needs a "meson devenv -C build" shell. Exit status 77 without
NumPy or gst-launch-1.0.
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

SHAPE = ["            ",
         "  ####      ",
         " ######     ",
         " #######    ",
         "  ######    ",
         "    ####    ",
         "     #      ",
         "            "]
SCALE = 44  # of a pixel
GROUND, PIXEL, EDGE, LINE, START, DIGIT = (24, 26, 30), (86, 92, 102), (52, 56, 62), (86, 180, 233), (230, 97, 0), (255, 255, 255)
STEPS = {8: [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)], 4: [(1, 0), (0, -1), (-1, 0), (0, 1)]}
DIGITS = ["111101101101111", "010110010010111", "111001111100111", "111001111001111",
          "101101111001001", "111100111001111", "111100111101111", "111001001001001"]  # 3 x 5


def run(scene, element, export):
    """Returns the contour that ELEMENT finds in SCENE."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        height, width = scene.shape
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=gray8", f"width={width}", f"height={height}", "!", *element.split(),
             "!", "contourexport", *export.split(), f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            contour, = json.loads(file.readline())["contours"]
    return contour


def follow(contour, steps):
    """Returns the points before each step, which have to lead back to the first one."""
    points = [tuple(contour["start"])]
    for code in contour["codes"]:
        dx, dy = steps[int(code)]
        points.append((points[-1][0] + dx, points[-1][1] + dy))
    return points[:-1] if points[-1] == points[0] else None


def turns(points, codes):
    return [list(p) for i, p in enumerate(points) if codes[i] != codes[i - 1]]


def box(picture, x, y, half_width, half_height, colour):
    x, y = round(x), round(y)
    picture[max(y - half_height, 0):y + half_height + 1, max(x - half_width, 0):x + half_width + 1] = colour


def write_digit(picture, x, y, digit, ground=None):
    size = 3
    if ground is not None:
        box(picture, x, y, 8, 10, ground)
    glyph = np.kron(np.array([int(bit) for bit in DIGITS[digit]]).reshape(5, 3), np.ones((size, size), int)).astype(bool)
    top, left = round(y) - 5 * size // 2, round(x) - 3 * size // 2
    picture[top:top + glyph.shape[0], left:left + glyph.shape[1]][glyph] = DIGIT


def draw(scene, contour, points, steps, offset):
    """Draws SCENE, the line through POINTS and its codes, and the directions beside it. OFFSET: of points in a pixel."""
    picture = np.repeat(np.repeat(np.where(scene[..., None] > 0, np.array(PIXEL), np.array(GROUND)), SCALE, 0), SCALE, 1)
    for k in range(1, scene.shape[0]):
        picture[k * SCALE] = EDGE
    for k in range(1, scene.shape[1]):
        picture[:, k * SCALE] = EDGE
    places = [((x + offset) * SCALE, (y + offset) * SCALE) for x, y in points]
    for (x, y), (to_x, to_y) in zip(places, places[1:] + places[:1]):
        for t in np.linspace(0, 1, SCALE + 1):
            box(picture, x + t * (to_x - x), y + t * (to_y - y), 1, 1, LINE)
    for x, y in places[1:]:
        box(picture, x, y, 3, 3, LINE)
    box(picture, *places[0], 6, 6, START)
    for (x, y), (to_x, to_y), code in zip(places, places[1:] + places[:1], contour["codes"]):
        write_digit(picture, (x + to_x) / 2, (y + to_y) / 2, int(code), GROUND)
    centre_x, centre_y = (scene.shape[1] - 2.2) * SCALE, 2 * SCALE
    for k in range(len(steps)):
        dx, dy = steps[k]
        write_digit(picture, centre_x + dx * 0.75 * SCALE, centre_y + dy * 0.75 * SCALE, k, GROUND)
    box(picture, centre_x, centre_y, 3, 3, LINE)
    return picture


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = np.array([[255 * (c == "#") for c in row] for row in SHAPE], np.uint8)
    panels = []
    for element, directions, offset in (("cudaborders", 8, 0.5), ("cudacrackcontour levels=128", 4, 0)):
        steps = STEPS[directions]
        contour, listed = run(scene, element, "codes=true"), run(scene, element, "codes=false")
        points = follow(contour, steps)
        if not points or turns(points, contour["codes"]) != listed["points"]:
            print(f"the codes of {element} do not lead along its points")
            return 1
        panels.append(draw(scene, contour, points, steps, offset))
        print(f"{element}: from {contour['start']} {contour['codes']}, {len(listed['points'])} points")
    gap = np.full((panels[0].shape[0], SCALE // 4, 3), 255)
    os.makedirs(folder, exist_ok=True)
    write_png(os.path.join(folder, "codes.png"), np.concatenate([panels[0], gap, panels[1]], axis=1).astype(np.uint8))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
