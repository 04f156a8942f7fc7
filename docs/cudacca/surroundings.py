#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of inscribed circles and rings in docs/cudacca.md: surroundings.py [FOLDER]

Draws parts in uneven light, and has cudacca measure them with features=inscribed and features=contrast. Draws the circles with
their diameters, and the rings with the contrasts. Fails if the element finds other circles, rings or contrasts than those that
follow from the distances of all pixels. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
"""
import json
import math
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
WIDTH, HEIGHT, SCALE, GAP = 124, 112, 4, 8
THRESHOLD, RING = 150, 6
CIRCLE = (240, 228, 66)
# Colours of rings by contrast, and between these.
CONTRASTS, COLOURS = (90, 115, 140, 165, 195), np.array([(86, 60, 170), (50, 110, 190), (0, 158, 135), (150, 200, 60), (245, 215, 50)])
# Each row of a character has three pixels, from the top.
FONT = {"0": "111101101101111", "1": "010110010010111", "2": "111001111100111", "3": "111001111001111", "4": "101101111001001",
        "5": "111100111001111", "6": "111100111101111", "7": "111001010010010", "8": "111101111101111", "9": "111101111001111",
        ".": "000000000000010"}


def pixels():
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(float)
    return x, y


def turned(cx, cy, degrees):
    x, y = pixels()
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (x - cx) * c + (y - cy) * s, (y - cy) * c - (x - cx) * s


def draw_widths():
    """A weld whose width varies, a washer, a wrench and a conductor between two pads."""
    x, y = pixels()
    half = 5 + 2 * np.sin(x / 6.3) + 3.5 * np.exp(-((x - 84) / 9) ** 2)
    weld = (np.abs(y - 17 - 3 * np.sin(x / 11)) < half) & (np.abs(x - 62) < 52)
    washer = (np.hypot(x - 32, y - 66) < 24) & (np.hypot(x - 36, y - 63) > 12)
    u, v = turned(92, 58, -38)
    wrench = (np.abs(u) < 26) & (np.abs(v) < 4.5) | (np.hypot(u - 24, v) < 11) & ~((u > 24) & (np.abs(v) < 4.5))
    wrench = (wrench | (np.hypot(u + 24, v) < 8)) & (np.hypot(u + 24, v) > 3.5)
    conductor = (np.hypot(x - 72, y - 98) < 9) | (np.hypot(x - 111, y - 87) < 6.5)
    conductor |= (np.abs(y - 100) < 2.5) & (x >= 72) & (x < 113) | (np.abs(x - 110) < 2.5) & (y >= 87) & (y < 102)
    return np.where(weld | washer | wrench | conductor, 255, 0)


def draw_contrasts():
    """Discs and bars in light that falls off to the left; some are close to one another."""
    x, y = pixels()
    light = 20 + 118 * (x / WIDTH) ** 1.3 - 10 * np.cos(y / 20)
    grey = light
    for cx, cy, radius, sample in ((20, 22, 10, 222), (58, 20, 8, 222), (98, 22, 11, 222), (28, 60, 9, 190), (47, 62, 7, 240),
                                   (84, 60, 12, 190), (107, 62, 7, 240)):
        grey = np.where(np.hypot(x - cx, y - cy) < radius, sample, grey)
    for left, top, width, height, sample in ((12, 88, 26, 9, 170), (50, 86, 11, 18, 205), (76, 92, 38, 8, 205)):
        grey = np.where((x >= left) & (x < left + width) & (y >= top) & (y < top + height), sample, grey)
    return np.rint(grey)


def run_element(samples, properties):
    """Returns the components, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        samples.astype(np.uint8).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={samples.size}", "!", "rawvideoparse",
             "format=gray8", f"width={WIDTH}", f"height={HEIGHT}", "!", "cudacca", f"threshold={THRESHOLD}", *properties, "!",
             "contourexport", f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            return json.loads(file.readline())["components"]


def label(foreground):
    """Returns the 8-connected components' labels, in the order of their first pixels."""
    labels, count = np.zeros(foreground.shape, int), 0
    for y, x in zip(*foreground.nonzero()):
        if labels[y, x]:
            continue
        count += 1
        labels[y, x], rest = count, [(y, x)]
        while rest:
            y0, x0 = rest.pop()
            for y1 in range(max(0, y0 - 1), min(HEIGHT, y0 + 2)):
                for x1 in range(max(0, x0 - 1), min(WIDTH, x0 + 2)):
                    if foreground[y1, x1] and not labels[y1, x1]:
                        labels[y1, x1] = count
                        rest.append((y1, x1))
    return labels


def distances_to(where):
    """Returns the squared distance from each pixel, and from those around the frame, to the nearest one that WHERE holds."""
    y, x = np.mgrid[:where.shape[0], :where.shape[1]]
    nearest = np.full(where.shape, np.iinfo(int).max)
    for y0, x0 in zip(*where.nonzero()):
        np.minimum(nearest, (y - y0) ** 2 + (x - x0) ** 2, out=nearest)
    return nearest


def check_circles(labels, components):
    for c in components:
        inside = distances_to(np.pad(labels != c["label"], 1, constant_values=True))[1:-1, 1:-1]
        y, x = np.unravel_index(inside.argmax(), inside.shape)
        if (c["inscribed_x"], c["inscribed_y"]) != (x, y) or abs(c["inscribed_radius"] - math.sqrt(inside.max())) > 1e-6:
            sys.exit(f"component {c['label']}: another inscribed circle than at {x}, {y} of {math.sqrt(inside.max())}")


def rings_of(labels):
    """Returns the label in whose ring each pixel is, or 0."""
    nearest, owner = np.full(labels.shape, RING ** 2 + 1), np.zeros(labels.shape, int)
    for i in range(1, labels.max() + 1):
        distance = distances_to(labels == i)
        closer = distance < nearest
        nearest[closer], owner[closer] = distance[closer], i
    return np.where(labels > 0, 0, owner)


def check_contrasts(samples, labels, rings, components):
    for c in components:
        around = samples[rings == c["label"]].mean()
        contrast = samples[labels == c["label"]].mean() - around
        if abs(c["ring_mean"] - around) > 1e-6 or abs(c["contrast"] - contrast) > 1e-6:
            sys.exit(f"component {c['label']}: ring_mean {c['ring_mean']}, contrast {c['contrast']}; not {around}, {contrast}")


def enlarge(samples):
    return np.repeat(np.repeat(samples.astype(np.uint8), SCALE, 0), SCALE, 1)[..., None].repeat(3, 2)


def write_number(picture, text, x, y, colour, size=3):
    """Writes TEXT with its centre at X, Y of the samples."""
    width = (4 * len(text) - 1) * size
    left, top = int((x + 0.5) * SCALE - width / 2), int((y + 0.5) * SCALE - 2.5 * size)
    left = min(max(left, size), picture.shape[1] - width - size)
    for i, character in enumerate(text):
        for k, bit in enumerate(FONT[character]):
            if bit == "1":
                u, v = left + (4 * i + k % 3) * size, top + k // 3 * size
                picture[v:v + size, u:u + size] = colour


def paint_circles(samples, components):
    picture = enlarge(np.where(samples >= THRESHOLD, 128, 24))
    height, width = picture.shape[:2]
    y, x = np.mgrid[:height, :width]
    for c in components:
        cx, cy = ((c[name] + 0.5) * SCALE - 0.5 for name in ("inscribed_x", "inscribed_y"))
        distance = np.hypot(x - cx, y - cy)
        share = np.clip(1.8 - np.abs(distance - c["inscribed_radius"] * SCALE), 0, 1)[..., None]
        picture = (picture * (1 - share) + np.array(CIRCLE) * share + 0.5).astype(np.uint8)
        write_number(picture, f"{2 * c['inscribed_radius']:.1f}", c["inscribed_x"], c["inscribed_y"], (20, 20, 20))
    return picture


def paint_rings(samples, rings, components):
    picture = enlarge(samples)
    for c in components:
        colour = np.array([np.interp(c["contrast"], CONTRASTS, channel) for channel in COLOURS.T])
        where = np.repeat(np.repeat(rings == c["label"], SCALE, 0), SCALE, 1)
        picture[where] = (picture[where] * 0.15 + colour * 0.85 + 0.5).astype(np.uint8)
        write_number(picture, f"{c['contrast']:.0f}", c["cx"], c["cy"], (20, 20, 20))
    return picture


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    widths, grey = draw_widths(), draw_contrasts()
    circles = run_element(widths, ["features=inscribed"])
    check_circles(label(widths >= THRESHOLD), circles)
    labels = label(grey >= THRESHOLD)
    rings, contrasts = rings_of(labels), run_element(grey, ["features=contrast", f"ring-width={RING}"])
    check_contrasts(grey, labels, rings, contrasts)
    if (len(circles), len(contrasts)) != (4, 10):
        sys.exit(f"{len(circles)} and {len(contrasts)} components instead of 4 and 10")
    os.makedirs(folder, exist_ok=True)
    gap = np.full((HEIGHT * SCALE, GAP, 3), 255, np.uint8)
    stages.write_png(os.path.join(folder, "surroundings.png"),
                     np.hstack([paint_circles(widths, circles), gap, paint_rings(grey, rings, contrasts)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
