#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of strips in docs/cudacca.md: strips.py [FOLDER]

Cuts a tall picture into strips, as a line-scan camera delivers it, runs cudacca with strip-mode on them, and colours each
component by the strip with which it is reported. Fails if the components are not those of the whole picture, or if one is
reported with another strip than the document says. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or
gst-launch-1.0.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents

from web import COLOURS, HEIGHT, ROWS, WIDTH, main, np, run_element, seams, with_key  # noqa: E402

FIELDS = ("area", "x", "y", "w", "h", "cx", "cy")


def label(web):
    """The 8-connected components in raster order: label image."""
    labels = np.zeros(web.shape, int)
    count = 0
    for first in zip(*np.nonzero(web)):
        if labels[first]:
            continue
        count += 1
        waiting = [first]
        while waiting:
            y, x = waiting.pop()
            if 0 <= y < HEIGHT and 0 <= x < WIDTH and web[y, x] and not labels[y, x]:
                labels[y, x] = count
                waiting += [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return labels


def find_components(web):
    """The strip and the fields of each component, in the order of the lines."""
    lines = run_element(web, ROWS, ["cudacca", "strip-mode=true"])
    assert [line["first_row"] for line in lines] == [i * ROWS for i in range(len(lines))]
    return [(number, tuple(c[name] for name in FIELDS)) for number, line in enumerate(lines) for c in line["components"]]


def measure(labels, number):
    y, x = np.nonzero(labels == number)
    return len(x), x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1, x.sum() / len(x), y.sum() / len(y)


def find(web):
    """The label image, and the strip of each label."""
    labels = label(web)
    expected = {measure(labels, number): number for number in range(1, labels.max() + 1)}
    strips = {}
    for strip, component in find_components(web):
        # y and cy are rows of the web; cy is the sum of a row of the frame and its first row.
        found = [number for row, number in expected.items()
                 if row[:6] == component[:6] and abs(row[6] - component[6]) < 1e-9]
        if len(found) != 1 or found[0] in strips:
            print(f"the element reports {component}, which the whole picture does not have")
            return None
        last = component[2] + component[4] - 1
        if strip != (last + 1) // ROWS:
            print(f"the element reports {component} with strip {strip}")
            return None
        strips[found[0]] = int(strip)
    if len(strips) != len(expected):
        print(f"the element reports {len(strips)} of {len(expected)} components")
        return None
    return labels, strips


def paint(_, found):
    """Draws each component in the colour of its strip."""
    labels, strips = found
    picture = seams()
    for number, strip in strips.items():
        picture[labels == number] = COLOURS[strip]
    return with_key(picture)


if __name__ == "__main__":
    sys.exit(main(find, paint, HERE))
