# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tall picture that both strips.py cut into strips, as a line-scan camera delivers it, and their images of the result.

Importing ends with exit status 77 without NumPy.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cudacanny"))

import stages  # noqa: E402 - exits with 77 without NumPy

np = stages.np
WIDTH, ROWS, STRIPS = 480, 36, 5
HEIGHT = ROWS * STRIPS
COLOURS = np.array([(230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (204, 121, 167), (213, 94, 0)], np.uint8)


def draw():
    """A web of rings, bars and grains, some of them longer than a strip."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    web = np.zeros((HEIGHT, WIDTH), bool)
    for cx, cy, outer, inner in ((60, 40, 34, 22), (150, 110, 52, 40), (150, 110, 20, 0), (260, 36, 16, 0),
                                 (330, 120, 40, 30), (420, 60, 46, 34), (60, 150, 24, 0), (250, 150, 22, 12)):
        distance = np.hypot(x - cx, y - cy)
        web |= (distance <= outer) & (distance >= inner)
    web[5:HEIGHT - 12, 300:306] = web[HEIGHT - 18:HEIGHT - 12, 290:306] = True
    web[20:HEIGHT, 384:390] = web[100:106, 384:460] = web[100:HEIGHT, 454:460] = True
    for _ in range(40):
        gx, gy = rng.integers(3, WIDTH - 3), rng.integers(3, HEIGHT - 3)
        if not web[gy - 3:gy + 4, gx - 3:gx + 4].any():
            web[gy - 1:gy + 2, gx - 1:gx + 2] = True
    return web


def run_element(web, rows, element):
    """The exported lines of frames of ROWS rows. ELEMENT: its name and properties."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        (web * np.uint8(255)).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={WIDTH * rows}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={rows}",
             "!", *element, "!", "contourexport", f"location={result}", "!", "fakesink"],
            check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def seams():
    """The picture without objects; lines are the seams."""
    picture = np.full((HEIGHT, WIDTH, 3), 24, np.uint8)
    picture[ROWS - 1::ROWS] = 90
    return picture


def with_key(picture):
    """Bars on the left of PICTURE, and one below, have the colours of the strips and of the end."""
    key = np.full((HEIGHT, 14, 3), 255, np.uint8)
    for i in range(STRIPS):
        key[i * ROWS + 1:(i + 1) * ROWS - 1, :10] = COLOURS[i]
    end = np.full((10, WIDTH + 14, 3), 255, np.uint8)
    end[2:, :10] = COLOURS[STRIPS]
    return np.vstack([np.hstack([key, picture]), end])


def main(find, paint, home):
    """FIND returns what PAINT draws of a web, or None after it has said what is wrong. Writes strips.png into the folder of
    the command line, or HOME."""
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    web = draw()
    found = find(web)
    if found is None:
        return 1
    folder = sys.argv[1] if len(sys.argv) > 1 else home
    os.makedirs(folder, exist_ok=True)
    stages.write_png(os.path.join(folder, "strips.png"), paint(web, found))
    return 0
