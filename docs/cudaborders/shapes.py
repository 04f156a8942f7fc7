#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of shapes in docs/cudaborders.md: shapes.py [FOLDER]

Draws parts, measures the shapes of their borders with cudaborders, and draws convex hull, rectangle of least area, smallest
circle and deepest defect on them. Fails if a number differs from what follows from all pixels of a border by trying
directions, pairs and triples. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
"""
import itertools
import json
import math
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

WIDTH, HEIGHT, SCALE = 210, 96, 4
HULL, RECTANGLE, CIRCLE, DEFECT = (240, 228, 66), (86, 180, 233), (230, 97, 0), (0, 175, 128)
FEATURES = "hull+defect+rectangle+feret+circle+distances+holes"


def draw_parts():
    """Returns the mask of a crescent, a wrench and a bracket."""
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(float)

    def turned(cx, cy, degrees):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        return (x - cx) * c + (y - cy) * s, (y - cy) * c - (x - cx) * s

    crescent = (np.hypot(x - 38, y - 48) < 28) & (np.hypot(x - 51, y - 42) > 20)
    u, v = turned(104, 48, 35)
    wrench = (np.abs(u) < 30) & (np.abs(v) < 5) | (np.hypot(u - 28, v) < 12) & ~((u > 26) & (np.abs(v) < 5))
    wrench = (wrench | (np.hypot(u + 28, v) < 10)) & (np.hypot(u + 28, v) > 4)
    u, v = turned(170, 48, -20)
    bracket = (np.abs(u) < 26) & (np.abs(v) < 26) & ~((u > -14) & (v < 14))
    return crescent | wrench | bracket


def run_element(mask):
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "parts.png")
        write_png(picture, np.repeat(mask[..., None] * np.uint8(255), 3, 2))
        lines = os.path.join(folder, "borders.ndjson")
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={picture}", "!", "pngdec", "!", "videoconvert", "!",
                        "cudaborders", "backend=cpu", "mode=ccomp", f"features={FEATURES}", "!", "contourexport",
                        f"location={lines}", "!", "fakesink"], check=True, timeout=60)
        with open(lines, encoding="utf-8") as file:
            return json.load(file)["contours"]


def hull_of(points):
    """Returns the convex hull, vertex by vertex: each next one has all other points on its right."""
    points = np.unique(points, axis=0)
    hull = [points[np.lexsort((-points[:, 0], points[:, 1]))[0]]]
    while True:
        rest = points[(points != hull[-1]).any(1)] - hull[-1]
        best = rest[0]
        for d in rest[1:]:
            turn = best[0] * d[1] - best[1] * d[0]
            if turn < 0 or (turn == 0 and d @ d > best @ best):
                best = d
        if (hull[-1] + best == hull[0]).all():
            return np.array(hull)
        hull.append(hull[-1] + best)


def circle_of(hull):
    """Returns centre and radius of the smallest circle through two or three vertices that has all others inside."""
    best = (None, math.inf)
    candidates = [(p + q) / 2 for p, q in itertools.combinations(hull, 2)]
    for p, q, r in itertools.combinations(hull, 3):
        a = np.array([q - p, r - p], float)
        candidates.append(p + np.linalg.solve(2 * a, (a * a).sum(1)))
    for centre in candidates:
        radius = np.hypot(*(hull - centre).T).max()
        if radius < best[1]:
            best = centre, radius
    return best


def corners_of(c):
    a = math.radians(c["rectangle_angle"])
    along = np.array([math.cos(a), math.sin(a)]) * c["rectangle_width"] / 2
    across = np.array([-math.sin(a), math.cos(a)]) * c["rectangle_height"] / 2
    centre = np.array([c["rectangle_x"], c["rectangle_y"]])
    return [centre + along + across, centre - along + across, centre - along - across, centre + along - across]


def check(c):
    """Compares what the element has measured with what follows from the border's points; returns the hull."""
    points = np.array(c["points"])
    hull = hull_of(points)
    following = np.roll(hull, -1, 0)
    sides = following - hull
    lengths = np.hypot(*sides.T)
    area = float((hull[:, 0] * following[:, 1] - hull[:, 1] * following[:, 0]).sum()) / 2
    normals = np.stack([-sides[:, 1], sides[:, 0]], 1) / lengths[:, None]
    widths = np.ptp(hull @ normals.T, axis=0)
    extents = np.ptp(hull @ (sides / lengths[:, None]).T, axis=0)
    centre, radius = circle_of(hull)
    expected = {"hull_area": area, "hull_perimeter": lengths.sum(), "solidity": c["area"] / area,
                "feret_max": max(np.hypot(*(p - q)) for p in hull for q in hull), "feret_min": widths.min(),
                "circle_x": centre[0], "circle_y": centre[1], "circle_radius": radius,
                "rectangularity": c["area"] / (widths * extents).min(),
                "circularity": 4 * math.pi * c["area"] / c["perimeter"] ** 2}
    for name, value in expected.items():
        if abs(c[name] - value) > 1e-5 * max(1, abs(value)):
            sys.exit(f"contour {c['id']}: {name} is {c[name]}, not {value}")
    inside = (points @ normals.T - (hull * normals).sum(1)).min(1)
    if c["defect_depth"] < inside.max() - 1e-9:
        sys.exit(f"contour {c['id']}: a point lies {inside.max()} inside its hull, the defect only {c['defect_depth']}")
    return hull


def paint(mask, contours):
    picture = np.repeat(np.repeat(np.where(mask, 130, 24).astype(np.uint8), SCALE, 0), SCALE, 1)
    picture = np.repeat(picture[..., None], 3, 2)

    def dot(point, colour, size):
        x, y = (int(round((v + 0.5) * SCALE)) for v in point)
        picture[max(0, y - size):y + size, max(0, x - size):x + size] = colour

    def line(p, q, colour):
        steps = int(np.hypot(*(np.subtract(q, p))) * SCALE) + 1
        for i in range(steps + 1):
            dot(np.add(p, np.subtract(q, p) * (i / steps)), colour, 1)

    for c, hull in contours:
        for i in range(720):
            a = i * math.pi / 360
            dot((c["circle_x"] + c["circle_radius"] * math.cos(a), c["circle_y"] + c["circle_radius"] * math.sin(a)), CIRCLE, 1)
        for polygon, colour in ((corners_of(c), RECTANGLE), (list(hull), HULL)):
            for p, q in zip(polygon, polygon[1:] + polygon[:1]):
                line(p, q, colour)
        if c["defect_depth"] > 0:
            dot((c["defect_x"], c["defect_y"]), DEFECT, 6)
    return picture


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    mask = draw_parts()
    contours = run_element(mask)
    outer = [c for c in contours if not c["hole"]]
    if [c["holes"] for c in sorted(outer, key=lambda c: c["x"])] != [0, 1, 0]:
        sys.exit("of the three parts, only the second one has a hole")
    measured = [(c, check(c)) for c in outer]
    os.makedirs(folder, exist_ok=True)
    write_png(os.path.join(folder, "shapes.png"), paint(mask, measured))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
