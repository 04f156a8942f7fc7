#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of strips in docs/cudaborders.md: strips.py [FOLDER]

Cuts a tall picture into strips, as a line-scan camera delivers it, runs cudaborders with strip-mode on them, and colours
each border by the strip with which it is reported. Fails if the borders are not those of the whole picture, or if one is
reported with another strip than the document says. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or
gst-launch-1.0.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(HERE, os.pardir, "cudacca"))

from web import COLOURS, HEIGHT, ROWS, main, np, run_element, seams, with_key  # noqa: E402 - exits with 77 without NumPy


def follow(web, rows, properties):
    """The frame and the points of each border, in frames of ROWS rows."""
    lines = run_element(web, rows, ["cudaborders", "approximation=none", *properties])
    return [(number, tuple(map(tuple, c["points"]))) for number, line in enumerate(lines) for c in line["contours"]]


def find(web):
    """The strip and the points of each border."""
    whole = follow(web, HEIGHT, [])
    borders = follow(web, ROWS, ["strip-mode=true"])
    if sorted(points for _, points in borders) != sorted(points for _, points in whole):
        print(f"the {len(borders)} borders of strips are not the {len(whole)} of the whole picture")
        return None
    for strip, points in borders:
        below = max(y for _, y in points) + 1
        if strip != below // ROWS:
            print(f"the border that starts at {points[0]} comes with strip {strip}")
            return None
    return borders


def paint(web, borders):
    """Draws each border in the colour of its strip."""
    picture = seams()
    picture[web] = 60
    for strip, points in borders:
        x, y = np.array(points).T
        picture[y, x] = COLOURS[strip]
    return with_key(picture).repeat(2, 0).repeat(2, 1)


if __name__ == "__main__":
    sys.exit(main(find, paint, HERE))
