#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the plot of diameters in docs/cudaborders.md, and prints its numbers: diameters.py [FOLDER [BUILD]]

Draws discs and rings of known diameters, antialiased, blurred, with noise, finds their borders with cudaborders, and fits circles
to these as pipelines/measure_rings.c does. Bias and spread are mean and standard deviation of the diameters' errors. Fails if
those of subpixel=edge miss the bounds that docs/cudaborders.md states, if the program measures other diameters, or if the image
beside this script shows other numbers: it carries them in a text chunk, so that they do not depend on fonts. Needs a
"meson devenv -C build" shell. Exit status 77 without NumPy, gst-launch-1.0 or rawvideoparse; without Pillow and the font DejaVu
Sans everything is checked, but no image is drawn.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, HERE)
import plot  # noqa: E402
import subpixel  # noqa: E402

DIAMETERS = (12, 16, 20, 28, 40, 56, 80, 112, 160, 224, 320, 400)
WITH_HOLE = 40  # from this diameter on there is a hole, half as large
REPEATS = 48
PARTS = 16  # of an edge pixel along each side, whose centres are inside or not
# Properties, the smallest diameter for which the bounds hold, marker and colour.
METHODS = {"pixels of the border": ([], math.inf, ("square", (213, 94, 0))),
           "subpixel=threshold": (["subpixel=threshold"], math.inf, ("triangle", (0, 114, 178))),
           "subpixel=edge, sigma 1": (["subpixel=edge", "threshold-mode=otsu"], 20, ("circle", (0, 158, 115))),
           "subpixel=edge, sigma 2": (["subpixel=edge", "threshold-mode=otsu", "subpixel-sigma=2"], 28, ("diamond", (170, 68, 153)))}
PROGRAM = "subpixel=edge, sigma 1"  # what measure_rings.c sets
KINDS = ("outer diameters", "holes")
TARGET, MOST_BIAS, MOST_SPREAD = 0.05, 0.02, 0.05  # pixels
SAME = 0.002  # pixels by which numbers may differ between machines


def cover(side, centre, diameter):
    """Returns the share of each pixel that a disc covers: exactly 0 or 1 away from its edge, counted beside it."""
    y, x = np.mgrid[:side, :side]
    inside = diameter / 2 - np.hypot(x - centre[0], y - centre[1])
    covered = (inside > 0).astype(float)
    rows, columns = np.nonzero(np.abs(inside) < 0.75)
    parts = (np.arange(PARTS) + 0.5) / PARTS - 0.5
    dx = columns[:, None, None] + parts[None, None, :] - centre[0]
    dy = rows[:, None, None] + parts[None, :, None] - centre[1]
    covered[rows, columns] = (np.hypot(dx, dy) < diameter / 2).mean(axis=(1, 2))
    return covered


def draw(diameter, blur):
    """Returns pictures of one disc or ring each, and their diameters, half a pixel at most from DIAMETER. Centre and diameter
    are random, so that no alignment with the pixels is preferred."""
    random = np.random.RandomState(1000 * diameter + round(10 * blur))  # keeps its sequence with every version of NumPy
    side = diameter + 40
    pictures, diameters = [], diameter + random.uniform(-0.5, 0.5, REPEATS)
    for true in diameters:
        centre = side / 2 + random.uniform(-0.5, 0.5, 2)
        covered = cover(side, centre, true)
        if diameter >= WITH_HOLE:
            covered -= cover(side, centre, true / 2)
        samples = subpixel.DARK + subpixel.CONTRAST * (subpixel.blur(covered, blur)
                                                       + subpixel.NOISE * random.standard_normal((side, side)))
        pictures.append((samples + 0.5).clip(0, 255).astype(np.uint8))
    return pictures, diameters


def fit_circle(points):
    """Returns the diameter of the circle with the least sum of squared distances of POINTS from it, by Gauss-Newton."""
    centre = points.mean(0)
    radius = np.hypot(*(points - centre).T).mean()
    for _ in range(50):
        d = points - centre
        distance = np.hypot(*d.T)
        slopes = np.column_stack([d / distance[:, None], np.ones(len(d))])
        step = np.linalg.solve(slopes.T @ slopes, slopes.T @ (distance - radius))
        centre, radius = centre + step[:2], radius + step[2]
        if np.abs(step).sum() < 1e-12 * radius:
            break
    return 2 * radius


def diameters_of(contours):
    """Returns the outer diameter and, of a ring, that of its largest hole."""
    outline = max((c for c in contours if not c["hole"]), key=lambda c: c["area"])
    holes = [c for c in contours if c["hole"] and c["parent"] == outline["id"]]
    borders = [outline, *sorted(holes, key=lambda c: -c["area"])[:1]]
    return [fit_circle(np.array([p[:2] for p in c.get("subpixels", c["points"]) if p], float)) for c in borders]


def curve_name(method, blur, kind):
    return f"{method}; blur {blur:g}; {kind}"


def measure(scenes):
    """Returns [diameter, bias, spread] for each of DIAMETERS, and for the holes of rings, by the names of curves."""
    found = {}
    for diameter, of_diameter in scenes.items():
        pictures = [picture for blur in subpixel.BLURS for picture in of_diameter[blur][0]]
        for method, (properties, _, _) in METHODS.items():
            contours = subpixel.run_element(pictures, ["mode=ccomp", *properties])
            measured = np.array([diameters_of(c) for c in contours]).reshape(len(subpixel.BLURS), REPEATS, -1)
            for blur, of_blur in zip(subpixel.BLURS, measured):
                for kind, share, got in zip(KINDS, (1, 0.5), of_blur.T):
                    errors = got - share * of_diameter[blur][1]
                    row = [share * diameter, round(errors.mean(), 5), round(errors.std(ddof=1), 5)]
                    found.setdefault(curve_name(method, blur, kind), []).append(row)
    return found


def check_bounds(found):
    """Are bias and spread of subpixel=edge as small as the document states?"""
    for method, (_, smallest, _) in METHODS.items():
        for name in (curve_name(method, blur, kind) for blur in subpixel.BLURS for kind in KINDS):
            for diameter, bias, spread in found[name]:
                if diameter >= smallest and (abs(bias) > MOST_BIAS or spread > MOST_SPREAD):
                    sys.exit(f"{name}: of {diameter:g} pixels bias {bias} and spread {spread} are above {MOST_BIAS} and {MOST_SPREAD}")


def check_program(build, pictures):
    """Does measure_rings measure what is measured here?"""
    height, width = pictures[0].shape
    grey = np.full(width * height // 2, 128, np.uint8).tobytes()
    with tempfile.TemporaryDirectory() as folder:
        video, table = os.path.join(folder, "rings.y4m"), os.path.join(folder, "rings.csv")
        with open(video, "wb") as file:
            file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
            for picture in pictures:
                file.write(b"FRAME\n" + picture.tobytes() + grey)
        subprocess.run([os.path.join(build, "pipelines", "measure_rings"), f"--table={table}", video], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        with open(table, encoding="utf-8", newline="") as file:
            program = [[float(row["outer_diameter"]), float(row["inner_diameter"])] for row in csv.DictReader(file)]
    if len(program) != len(pictures):
        sys.exit(f"measure_rings finds {len(program)} rings in place of {len(pictures)}")
    here = [diameters_of(c) for c in subpixel.run_element(pictures, ["mode=ccomp", *METHODS[PROGRAM][0]])]
    difference = np.abs(np.array(program) - here).max()
    print(f"{len(program)} rings, measure_rings differs by {difference:.1e} pixels")
    if difference > 2e-6:
        sys.exit("measure_rings measures other diameters")


def check_image(found, path):
    """Does the image at PATH show what was measured?"""
    shown = json.loads(plot.read_text(path, "measured") or "{}")
    same = shown.keys() == found.keys() and all(
        np.shape(shown[name]) == np.shape(found[name]) and np.allclose(shown[name], found[name], rtol=0, atol=SAME) for name in found)
    if not same:
        sys.exit(f"{path} shows other numbers than those measured: run this script without a folder")


def draw_legend(picture):
    """A row with the methods, and one with what else there is."""
    places = [104 + 283 * i for i in range(len(METHODS))]
    for x, (method, (_, _, look)) in zip(places, METHODS.items()):
        picture.draw_sample((x, 26), method, *look)
    for x, kind in zip(places, KINDS):
        picture.draw_sample((x, 58), kind, "circle", plot.TEXT, kind == KINDS[0])
    picture.draw_band((places[2], 48, places[2] + 44, 68))
    picture.write(places[2] + 54, 58, "at most 1/20 pixel", 17, "lm")


def draw_panels(picture, found):
    """Columns: blurs. Rows: bias and spread."""
    diameter = plot.Axis(10.5, 470, (12, 20, 50, 100, 200, 400))
    bias = plot.Axis(-1.9, 1.9, (-1, -0.1, -0.05, -0.01, 0, 0.01, 0.05, 0.1, 1), lambda value: math.asinh(value / 0.01))
    spread = plot.Axis(0.0015, 0.2, (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2))
    rows = ((112, 482, bias, -TARGET, "bias in pixels"), (502, 792, spread, None, "spread in pixels"))
    for row, (top, bottom, axis, lowest, title) in enumerate(rows):
        picture.write(24, (top + bottom) / 2, title, 18, upright=True)
        for column, blur in enumerate(subpixel.BLURS):
            left = 104 + 380 * column
            panel = plot.Panel(picture, (left, top, left + 362, bottom), diameter, axis)
            panel.draw_ground((lowest, TARGET), row == 1, column == 0)
            for kind in reversed(KINDS):
                for method, (_, _, look) in reversed(METHODS.items()):
                    points = [(numbers[0], numbers[1 + row]) for numbers in found[curve_name(method, blur, kind)]]
                    panel.draw_curve(points, *look, kind == KINDS[0])
            panel.draw_frame()
            if row == 0:
                picture.write(left + 181, top - 18, f"blur of {blur:g} pixel{'s' * (blur != 1)}", 18, bold=True)
            else:
                picture.write(left + 181, bottom + 46, "true diameter in pixels", 18)


def paint(found, path):
    if not plot.AVAILABLE:
        print("no image is drawn: this needs Pillow and the font DejaVu Sans")
        return
    picture = plot.Plot(1240, 856)
    draw_legend(picture)
    draw_panels(picture, found)
    picture.save(path, {"measured": json.dumps(found, separators=(",", ":"))})


def print_table(found):
    for name, rows in found.items():
        print(f"{name}: " + " ".join(f"{diameter:g}:{bias:+.3f},{spread:.3f}" for diameter, bias, spread in rows))


def main(folder, build):
    if not subpixel.has_tools():
        return 77
    scenes = {diameter: {blur: draw(diameter, blur) for blur in subpixel.BLURS} for diameter in DIAMETERS}
    found = measure(scenes)
    print_table(found)
    os.makedirs(folder, exist_ok=True)
    paint(found, os.path.join(folder, "diameters.png"))
    check_bounds(found)
    check_program(build, scenes[80][1.0][0])
    check_image(found, os.path.join(HERE, "diameters.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE, sys.argv[2] if len(sys.argv) > 2 else "build"))
