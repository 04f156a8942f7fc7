#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the images of docs/cudabackground.md: light.py [FOLDER]

Draws print on paper in uneven light, a flat field of the same light, and divides the one by the other with cudabackground.
Fails if the element's frame is not what the page defines, if one threshold separates the print before the correction, or
if it does not afterwards. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy, gst-launch-1.0 or libpng.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cudacanny"))

import stages  # noqa: E402 - exits with 77 without NumPy

np = stages.np
WIDTH, HEIGHT = 320, 200
THRESHOLD = 95


def draw():
    """The frame, its flat field, and where the print is."""
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    light = 0.18 + 0.82 * np.exp(-((x - 250) ** 2 + (y - 60) ** 2) / (2 * 120 ** 2))
    dots = (x % 40 - 20) ** 2 + (y % 40 - 20) ** 2
    ink = (dots < 12 ** 2) & ((dots > 6 ** 2) | (x // 40 % 2 == 0))
    noise = np.random.default_rng(5).normal(0, 1.5, (HEIGHT, WIDTH))
    frame = 235 * light * np.where(ink, 0.4, 1) + noise
    return np.clip(frame.round(), 0, 255).astype(np.uint8), np.clip((235 * light).round(), 1, 255).astype(np.uint8), ink


def divide(frame, flat):
    """The definition of docs/cudabackground.md, in integers."""
    pixels, total = flat.size, int(flat.sum())
    mean = (2 * 256 * total + pixels) // (2 * pixels)
    divisor = 256 * flat.astype(np.int64)
    return np.minimum((2 * frame.astype(np.int64) * mean + divisor) // (2 * divisor), 255).astype(np.uint8)


def run_element(frame, flat_path):
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        frame.tofile(source)
        done = subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={frame.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudabackground", "mode=divide", "model=file", f"location={flat_path}",
             "!", "filesink", f"location={result}"], capture_output=True, text=True, timeout=60)
        if "-Dpng=enabled" in done.stderr:
            print("built without libpng")
            sys.exit(77)
        print(done.stderr, end="")
        return np.fromfile(result, np.uint8).reshape(frame.shape)


def best_errors(picture, ink):
    """The fewest pixels that one threshold puts on the wrong side."""
    return min(int(((picture < threshold) != ink).sum()) for threshold in range(1, 256))


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    os.makedirs(folder, exist_ok=True)
    frame, flat, ink = draw()
    flat_path = os.path.join(folder, "2-flat.png")
    stages.write_png(flat_path, flat)
    even = run_element(frame, flat_path)
    if (even != divide(frame, flat)).any():
        print("the element's frame is not the one that is defined")
        return 1
    before, after = best_errors(frame, ink), best_errors(even, ink)
    print(f"pixels that the best threshold puts on the wrong side: {before} before, {after} after")
    if before < frame.size // 10 or after > frame.size // 1000:
        return 1
    for name, picture in (("1-frame", frame), ("3-even", even),
                          ("4-threshold-before", 255 * (frame >= THRESHOLD).astype(np.uint8)),
                          ("5-threshold-after", 255 * (even >= THRESHOLD).astype(np.uint8))):
        stages.write_png(os.path.join(folder, name + ".png"), picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
