# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's objectdetectionoverlay draws detections of this project's elements at the right pixels. Argument: whether detections
may be turned (yes, no)."""
import math
import os
import shutil
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 160, 120
BOXES = [(20, 30, 50, 40), (100, 10, 9, 21), (90, 60, 31, 33)]
OVERLAY = "objectdetectionoverlay draw-labels=false object-detection-outline-color=0xffff0000"

if not shutil.which("gst-launch-1.0") or subprocess.run(["gst-inspect-1.0", "--exists", "objectdetectionoverlay"], check=False).returncode:
    print("skipped: no gst-launch-1.0 or objectdetectionoverlay here")
    sys.exit(77)


def drawn(bright, analyser):
    """The pixels that the overlay draws behind ANALYSER on a black frame in which BRIGHT says what is white."""
    with open("frame.raw", "wb") as file:
        file.write(b"".join((b"\xff" if bright(x, y) else b"\0") * 3 + b"\xff" for y in range(HEIGHT) for x in range(WIDTH)))
    subprocess.run(f"gst-launch-1.0 -q filesrc location=frame.raw ! rawvideoparse format=bgra width={WIDTH} height={HEIGHT}"
                   f" ! {analyser} attach-as=analytics backend=cpu ! {OVERLAY} ! filesink location=drawn.raw",
                   shell=True, check=True, timeout=60)
    with open("drawn.raw", "rb") as file:
        pixels = file.read()
    assert len(pixels) == 4 * WIDTH * HEIGHT
    return {(i % WIDTH, i // WIDTH) for i in range(WIDTH * HEIGHT) if pixels[4 * i + 2] > 128 and pixels[4 * i] < 128}


def band(x, y, w, h):
    """The lines of a box: two pixels around its edges."""
    return {(u, v) for u in range(x - 1, x + w + 1) for v in range(y - 1, y + h + 1)
            if not (x < u < x + w - 1 and y < v < y + h - 1)}


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    expected = set().union(*(band(*box) for box in BOXES))
    for analyser in "cudacca", "cudaborders", "cudacrackcontour min-level=128 max-level=128":
        found = drawn(lambda u, v: any(x <= u < x + w and y <= v < y + h for x, y, w, h in BOXES), analyser)
        assert found == expected, (analyser, sorted(found ^ expected)[:20])

    if sys.argv[1] == "yes":
        # A rectangle of 70 x 24 pixels around (80, 60), turned clockwise. The overlay of GStreamer 1.26 draws the box that encloses it.
        for angle in math.radians(25), math.radians(70):
            c, s = math.cos(angle), math.sin(angle)

            def inside(x, y):
                u, v = x + 0.5 - 80, y + 0.5 - 60
                return abs(u * c + v * s) < 35 and abs(v * c - u * s) < 12

            found = drawn(inside, "cudaborders features=rectangle")
            ends = [end(pixel[axis] for pixel in found) + 0.5 - middle
                    for axis, middle in ((0, 80), (1, 60)) for end in (min, max)]
            half_width, half_height = 35 * c + 12 * s, 35 * s + 12 * c
            difference = [abs(a - b) for a, b in zip(ends, (-half_width, half_width, -half_height, half_height))]
            assert max(difference) <= 2.5, (angle, ends, half_width, half_height)
