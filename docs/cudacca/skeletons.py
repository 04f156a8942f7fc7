#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of docs/cudacca.md with skeletons: skeletons.py [FOLDER]

Draws a bar that touches a disc, a ring, a crack, a comb, a T and an elbow, runs cudacca features=skeleton on them, and draws the skeletons that are computed here as the
document describes. Fails if their pixels, lengths or widths differ. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or
gst-launch-1.0.
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(HERE, os.pardir, "cudacanny"))
sys.path.insert(0, HERE)

import labels  # noqa: E402 - exits with 77 without NumPy
import stages  # noqa: E402

np = stages.np
WIDTH, HEIGHT = labels.WIDTH, labels.HEIGHT = 112, 52  # its functions take frames of this size
CELL = 7
COLOURS = labels.COLOURS

# What scikit-image has otherwise than the paper: neighbours clockwise from the north, and which passes remove such a pixel.
OTHERS = {"#......#": (1,), "##......": (1,), "#.#.....": (1, 2), "#.#....#": (1,), ".##.....": (1,), "###.....": (1,),
          "..##....": (2,), "#.##....": (2,), "..#.#...": (1, 2), "...##...": (), "..###...": (2,), "....##..": (2,),
          "..#.##..": (2,), ".##.##..": (2,), "......##": (), "#.....#.": (1, 2), "#.....##": (1,), "##....#.": (1,),
          "....#.#.": (1, 2), "....#.##": (1,), "...##.#.": (2,), ".....##.": (2,), "#....##.": (1,), "##...##.": (1,),
          "....###.": (2,)}
AROUND = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


def is_removed(p, number):
    """Does pass NUMBER remove a pixel with the neighbours P, clockwise from the north?"""
    text = "".join("#" if set_ else "." for set_ in p)
    if text in OTHERS:
        return number in OTHERS[text]
    north, east, south, west = p[::2]
    changes = sum(not p[i] and p[(i + 1) % 8] for i in range(8))
    if number == 1:
        thin = not (north and east and south) and not (east and south and west)
    else:
        thin = not (north and east and west) and not (north and south and west)
    return changes == 1 and 2 <= sum(p) <= 6 and thin


def thin(mask):
    skeleton = np.pad(mask, 1)
    while True:
        before = skeleton.copy()
        for number in (1, 2):
            pixels = [(y, x) for y, x in np.argwhere(skeleton)
                      if is_removed([bool(skeleton[y + dy, x + dx]) for dy, dx in AROUND], number)]
            for y, x in pixels:
                skeleton[y, x] = False
        if (before == skeleton).all():
            return skeleton[1:-1, 1:-1]


def measure(mask, skeleton):
    """Returns length, width and number of pixels."""
    outside = np.argwhere(~np.pad(mask, 1))
    points = np.argwhere(skeleton)
    distances = [np.sqrt(((outside - point - 1) ** 2).sum(axis=1).min()) for point in points]
    p = np.pad(skeleton, 1)
    a, b, c, d = p[:-1, :-1], p[:-1, 1:], p[1:, :-1], p[1:, 1:]
    straight = (p[:, 1:] & p[:, :-1]).sum() + (p[1:] & p[:-1]).sum()
    diagonal = (a & d & ~b & ~c).sum() + (b & c & ~a & ~d).sum()
    return straight + diagonal * 2 ** 0.5, 2 * np.mean(distances), len(points)


def draw():
    """Samples of 255 on 0."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]

    def bar(x0, y0, x1, y1, radius):
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1), 0, 1)
        return np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) <= radius

    mask = bar(7, 8, 36, 15, 4.6) | bar(48, 11, 48, 11, 8.2)
    mask |= (np.hypot(x - 72, y - 13) <= 11) & (np.hypot(x - 72, y - 13) >= 6.5)
    crack = [(89, 3), (95, 9), (94, 15), (101, 22), (107, 24)]
    for (x0, y0), (x1, y1) in zip(crack, crack[1:]):
        mask |= bar(x0, y0, x1, y1, 1.2)
    mask |= bar(95, 9, 103, 6, 0.8)
    mask |= (y >= 42) & (y < 47) & (x >= 4) & (x < 50)
    for tooth in range(6, 50, 8):
        mask |= (y >= 26) & (y < 44) & (x >= tooth) & (x < tooth + 3)
    mask |= ((y >= 28) & (y < 35) & (x >= 58) & (x < 84)) | ((y >= 28) & (y < 49) & (x >= 67) & (x < 75))
    mask |= bar(91, 33, 91, 44, 3.4) | bar(91, 44, 106, 44, 3.4)
    return mask * 255


def paint(numbers, skeletons):
    picture = np.full((HEIGHT * CELL + 1, WIDTH * CELL + 1, 3), 64, np.uint8)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            square = picture[y * CELL + 1:(y + 1) * CELL, x * CELL + 1:(x + 1) * CELL]
            square[:] = COLOURS[(numbers[y, x] - 1) % len(COLOURS)] if numbers[y, x] else 24
            if skeletons[y, x]:
                square[1:-1, 1:-1] = 0
    return picture


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    if not shutil.which("gst-launch-1.0"):
        print("skipped: no gst-launch-1.0")
        return 77
    os.makedirs(folder, exist_ok=True)
    samples = draw()
    numbers = labels.label(samples, labels.EDGES + labels.CORNERS)
    found = labels.run_element(samples, ["features=skeleton"], ("skeleton_length", "skeleton_width", "skeleton_pixels"))
    skeletons = np.zeros(samples.shape, bool)
    for row, expected in zip(found, labels.measure(numbers)):
        mask = numbers == row[0]
        skeleton = thin(mask)
        assert np.allclose(row[:8], expected), (row, expected)
        assert np.allclose(row[8:], measure(mask, skeleton), atol=1e-4), (row[8:], measure(mask, skeleton))
        skeletons |= skeleton
    assert len(found) == numbers.max()
    stages.write_png(os.path.join(folder, "skeletons.png"), paint(numbers, skeletons))
    for row in found:
        print("component {0}: length {8:.1f}, width {9:.2f}".format(*row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
