#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of subpixels in docs/cudaborders.md, and prints its table: subpixel.py [FOLDER]

Draws a washer, finds its edges with cudaborders subpixel=..., and enlarges a piece with the pixels of the borders and the
refined lines. Then measures how far refined points of discs and straight edges are from the true edges, beside what scikit-image
and OpenCV find, where they are installed. Fails if the element misses the bounds that docs/cudaborders.md states. Needs a
"meson devenv -C build" shell. Exit status 77 without NumPy, gst-launch-1.0 or rawvideoparse.
"""
import functools
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

SIDE, MARGIN, DARK, CONTRAST, NOISE, LEVEL = 160, 20, 39.5, 160, 0.02, 119.5
BLURS, REPEATS = (0.7, 1.0, 1.5), 8
PIXELS, EDGE = (230, 97, 0), (240, 228, 66)
MOST_BIAS, MOST_SPREAD = 0.01, 0.03  # of subpixel=edge with a sigma of 2.5


def blur(picture, sigma):
    weights = np.exp(-np.arange(-8, 9) ** 2 / (2 * sigma ** 2))
    for _ in range(2):
        padded = np.pad(picture, ((8, 8), (0, 0)), "edge")
        picture = sum(w * padded[i:i + len(picture)] for i, w in enumerate(weights / weights.sum())).T
    return picture


def draw(distance, width, height, sigma, random):
    """The picture of what has a negative distance: the share that it covers of each pixel, blurred, with noise, 8 bits."""
    parts = (np.arange(16) + 0.5) / 16 - 0.5
    x = (np.arange(width)[:, None] + parts).ravel()
    y = (np.arange(height)[:, None] + parts).ravel()
    covered = (distance(*np.meshgrid(x, y)) < 0).reshape(height, 16, width, 16).mean(axis=(1, 3))
    samples = DARK + CONTRAST * (blur(covered, sigma) + NOISE * random.standard_normal((height, width)))
    return (samples + 0.5).clip(0, 255).astype(np.uint8)


@functools.lru_cache(maxsize=None)
def scenes(radius, sigma):
    """Pictures of discs, or without a radius of half planes, each with the function of the signed distance from its edge."""
    random, found = np.random.default_rng(17), []
    for _ in range(REPEATS):
        cx, cy = SIDE / 2 + random.random(2)
        angle = 2 * math.pi * random.random()
        if radius:
            def distance(x, y, cx=cx, cy=cy):
                return np.hypot(x - cx, y - cy) - radius
        else:
            def distance(x, y, cx=cx, cy=cy, c=math.cos(angle), s=math.sin(angle)):
                return (x - cx) * c + (y - cy) * s
        found.append((draw(distance, SIDE, SIDE, sigma, random), distance))
    return found


def has_tools():
    """Says what is missing, if anything is."""
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return False
    if subprocess.run(["gst-inspect-1.0", "--exists", "rawvideoparse"], check=False).returncode:
        print("rawvideoparse is not installed")
        return False
    return True


def run_element(pictures, properties):
    """The contours of each picture, as contourexport writes them."""
    height, width = pictures[0].shape
    with tempfile.TemporaryDirectory() as folder:
        raw, lines = os.path.join(folder, "pictures.raw"), os.path.join(folder, "borders.ndjson")
        np.stack(pictures).tofile(raw)
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={raw}", "!", "rawvideoparse", "format=gray8",
                        f"width={width}", f"height={height}", "!", "cudaborders", "backend=cpu", "approximation=none",
                        f"threshold={math.ceil(LEVEL)}", *properties, "!", "contourexport", f"location={lines}", "!",
                        "fakesink"], check=True, timeout=120)
        with open(lines, encoding="utf-8") as file:
            return [json.loads(line)["contours"] for line in file]


def positions_of(contours):
    return np.array([p[:2] for c in contours for p in c["subpixels"] if p])


def of_element(*properties):
    return lambda pictures: [positions_of(contours) for contours in run_element(pictures, ["min-length=60", *properties])]


def of_pixels(pictures):
    return [np.concatenate([c["points"] for c in contours]) for contours in run_element(pictures, ["min-length=60"])]


def of_skimage(pictures):
    from skimage.measure import find_contours
    return [max(find_contours(picture, LEVEL), key=len)[:, ::-1] for picture in pictures]


def of_opencv(pictures):
    """What is usual with OpenCV: the points of findContours() go along the gradient of the blurred picture to the greatest of
    its magnitudes in steps of half a pixel, and on by a parabola through three of them."""
    import cv2
    found = []
    for picture in pictures:
        points = max(cv2.findContours((picture > LEVEL).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0],
                     key=len)[:, 0].astype(np.float32)
        smooth = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.5)
        gx, gy = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
        size = np.hypot(gx, gy)
        at = points.astype(int)
        direction = np.stack([gx[at[:, 1], at[:, 0]], gy[at[:, 1], at[:, 0]]], 1)
        direction /= np.maximum(np.hypot(*direction.T)[:, None], 1e-6)
        steps = np.arange(-2, 2.5, 0.5, dtype=np.float32)
        along = points[:, None] + direction[:, None] * steps[None, :, None]
        values = cv2.remap(size, along[..., 0], along[..., 1], cv2.INTER_CUBIC)
        best = values[:, 1:-1].argmax(1) + 1
        rows = np.arange(len(points))
        a, b, c = (values[rows, best + i] for i in (-1, 0, 1))
        shift = steps[best] + 0.25 * (a - c) / np.minimum(a - 2 * b + c, -1e-6)
        found.append(points + direction * shift[:, None])
    return found


METHODS = [("pixels of the border", of_pixels),
           ("`subpixel=threshold`", of_element("subpixel=threshold")),
           *((f"`subpixel=edge`, sigma {sigma:g}", of_element("subpixel=edge", f"subpixel-sigma={sigma}"))
             for sigma in (1, 1.5, 2.5)),
           ("scikit-image `find_contours()`", of_skimage),
           ("OpenCV `findContours()`, parabola", of_opencv)]


def measure(method, radius, sigma):
    """Bias and spread: mean and standard deviation of the points' distances from the true edge."""
    pictures, distances = zip(*scenes(radius, sigma))
    all_distances = []
    for points, distance in zip(method(pictures), distances):
        inside = points[((points >= MARGIN) & (points < SIDE - MARGIN)).all(1)]
        all_distances.append(distance(*inside.T))
    joined = np.concatenate(all_distances)
    return joined.mean(), joined.std()


def print_table():
    kinds = [("line", 0), ("disc", 20)]
    print("| bias, spread in pixels | " + " | ".join(f"{name}, blur {sigma:g}" for name, _ in kinds for sigma in BLURS) + " |")
    print("|---" * (1 + len(kinds) * len(BLURS)) + "|")
    for name, method in METHODS:
        try:
            cells = [measure(method, radius, sigma) for _, radius in kinds for sigma in BLURS]
        except ImportError as error:
            print(f"| {name} | {error} |")
            continue
        print(f"| {name} | " + " | ".join(f"{bias:+.3f}, {spread:.3f}" for bias, spread in cells) + " |")
        if name.endswith("sigma 2.5") and any(abs(b) > MOST_BIAS or s > MOST_SPREAD for b, s in cells):
            sys.exit(f"{name}: more than {MOST_BIAS} or {MOST_SPREAD}")


def paint(folder):
    """A piece of a washer."""
    left, top, width, height, scale = 52, 12, 30, 20, 24
    cx, cy = 47.3, 46.8

    def distance(x, y):
        radius = np.hypot(x - cx, y - cy)
        return np.maximum(radius - 32, 15 - radius)
    picture = draw(distance, 96, 96, 1, np.random.default_rng(5))
    contours, = run_element([picture], ["mode=ccomp", "subpixel=edge", "subpixel-sigma=1.5"])
    if [c["hole"] for c in contours] != [False, True]:
        sys.exit("a washer has an outer border and a hole")
    for c, radius in zip(contours, (32, 15)):
        if None in c["subpixels"]:
            sys.exit("a point has no edge near")
        x, y = np.array(c["subpixels"])[:, :2].T
        if np.abs(np.hypot(x - cx, y - cy) - radius).max() > 0.15:
            sys.exit(f"a point is farther than 0.15 pixels from the edge of radius {radius}")
    image = np.repeat(np.repeat(picture[top:top + height, left:left + width], scale, 0), scale, 1)
    image = np.repeat(image[..., None], 3, 2)

    def dot(x, y, colour, size):
        px, py = (int(round((v + 0.5) * scale)) for v in (x - left, y - top))
        image[max(0, py - size):max(0, py + size), max(0, px - size):max(0, px + size)] = colour

    def line(points, colour):
        for p, q in zip(points, np.roll(points, -1, 0)):
            for t in np.linspace(0, 1, 4 * scale):
                dot(*(p + (q - p) * t), colour, 1)
    for c in contours:
        for points, colour in ((np.array(c["points"]), PIXELS), (positions_of([c]), EDGE)):
            line(points, colour)
            for x, y in points:
                dot(x, y, colour, 3)
    os.makedirs(folder, exist_ok=True)
    write_png(os.path.join(folder, "subpixel.png"), image)


def main(folder):
    if not has_tools():
        return 77
    paint(folder)
    print_table()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
