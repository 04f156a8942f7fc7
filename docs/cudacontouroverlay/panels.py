#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the images of docs/cudacontouroverlay.md: panels.py [FOLDER]

Draws the scene of docs/cudacanny.md, analyses it with several elements, draws the results with cudacontouroverlay, and
writes a PNG for each. Fails if a line of one pixel around bright objects covers other pixels than those computed here.
Needs a "meson devenv -C build" shell. Exit status 77 without NumPy, gst-launch-1.0 or text in the overlay.
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
THRESHOLD = 118


def run_elements(scene, *elements):
    """Returns the RGB image SCENE after the ELEMENTS of a launch line."""
    height, width = scene.shape[:2]
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=rgb", f"width={width}", f"height={height}",
             "!", *" ".join(elements).split(), "!", "filesink", f"location={result}"], check=True, timeout=60)
        return np.fromfile(result, np.uint8).reshape(scene.shape)


def rims(foreground):
    """Returns the foreground pixels next to the background."""
    p = np.pad(foreground, 1)
    return foreground & ~(p[:-2, 1:-1] & p[2:, 1:-1] & p[1:-1, :-2] & p[1:-1, 2:])


def check_lines(scene):
    """Whether the overlay draws exactly the expected pixels, on the scene and on backgrounds of its own."""
    for background, ground in (("frame", scene), ("black", 0 * scene), ("white", 0 * scene + 255)):
        drawn = run_elements(scene, f"cudacrackcontour levels={THRESHOLD}",
                             "! cudacontouroverlay thickness=1 holes=solid color-by=fixed color=0xff0000ff",
                             f"background={background}")
        expected = ground.copy()
        expected[rims(stages.luma(scene) >= THRESHOLD)] = 0, 0, 255
        if (drawn != expected).any():
            return False
    return True


def enlarged(scene, times):
    return scene.repeat(times, 0).repeat(times, 1)


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = stages.draw_scene()
    if not check_lines(scene):
        print("the overlay draws other lines than those computed here")
        return 1
    if subprocess.run("gst-launch-1.0 -q videotestsrc num-buffers=1 ! cudacca ! cudacontouroverlay labels=index ! fakesink",
                      shell=True, timeout=60, check=False, stderr=subprocess.DEVNULL).returncode:
        print("no text in this build")
        return 77
    large = enlarged(scene, 2)
    threshold = f"threshold={THRESHOLD}"
    borders = f"cudaborders mode=tree {threshold} min-area=200"
    font = "font-desc=Sans,9"
    panels = {
        "1-contours": (large, borders, "! cudacontouroverlay thickness=3 labels=area", font),
        "2-areas": (large, f"cudacca {threshold} min-area=400 labels=true",
                    "! cudacontouroverlay draw=fill+components+centroids fill-alpha=0.5 labels=index+area", font),
        "3-levels": (large, "videoconvert ! cudacrackcontour min-level=32 step=24 min-area=60",
                     "! cudacontouroverlay color-by=level thickness=2 legend=true", font),
        "4-alone": (large, borders, "! cudacontouroverlay background=black thickness=2"),
    }
    os.makedirs(folder, exist_ok=True)
    for name, (picture, *elements) in panels.items():
        stages.write_png(os.path.join(folder, name + ".png"), run_elements(picture, *elements))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE))
