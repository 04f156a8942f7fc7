#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the images of docs/cookbook.md: inspections.py [FOLDER [BUILD]]

Inspects scenes of pipelines/scene.c, on the left with Otsu's threshold and on the right as the page shows. Fails if the
left inspection counts right, or the right one does not. Needs a "meson devenv -C build" shell. Exit status 77 without
NumPy, gst-launch-1.0 or text in the overlay.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(HERE, os.pardir, "cudacanny"))

import stages  # noqa: E402 - exits with 77 without NumPy

np = stages.np
WIDTH, HEIGHT = 960, 540
GAP = 8
INSPECT = ["inspect_parts", "--ignore=100"]
PLATE = ["cudaborders", "invert=true", "min-area=100"]

# Scene, inspection that fails, inspection that counts right, and what it counts.
SCENES = [
    ("uneven", INSPECT + ["--holes=1:2"], ["--adaptive=151"], "10 parts, 7 passed, 3 failed"),
    ("caps", INSPECT, ["--color=hue=170-10,saturation=100-255"], "4 parts, 4 passed, 0 failed"),
    ("coins", INSPECT, ["--split=3"], "11 parts, 11 passed, 0 failed"),
    ("parts", INSPECT + ["--holes=1:2"], ["--region=420,0,540,270;405,290,200,210"], "4 parts, 3 passed, 1 failed"),
    ("plate", PLATE + ["threshold-mode=otsu"], ["threshold-mode=adaptive-mean", "block-size=101", "offset=12", "open-size=7"],
     "12"),
]


def draw(build, scene, path):
    """The first frame of the scene, as PNG."""
    with open(path + ".y4m", "wb") as file:
        subprocess.run([os.path.join(build, "pipelines", "scene"), scene, "1"], stdout=file, check=True, timeout=60)
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={path}.y4m", "!", "y4mdec", "!", "videoconvert",
                    "!", "video/x-raw,format=RGB", "!", "pngenc", "!", "filesink", f"location={path}"], check=True, timeout=60)


def inspect(build, command, path):
    """What is counted, and the frame with the result drawn on it."""
    result = path + ".rgb"
    sink = ["videoconvert", "!", "video/x-raw,format=RGB", "!", "filesink", f"location={result}"]
    if command[0] == "inspect_parts":
        done = subprocess.run([os.path.join(build, "pipelines", command[0]), *command[1:], f"--draw={' '.join(sink)}", path],
                              capture_output=True, text=True, timeout=60, check=False)
        counted = re.search(r"^\d+ parts?,.*failed", done.stdout, re.MULTILINE)
    else:
        done = subprocess.run(["gst-launch-1.0", "-m", "filesrc", f"location={path}", "!", "pngdec", "!", "videoconvert",
                               "!", *command, "post-messages=true", "!", "cudacontouroverlay", "thickness=4", "color-by=fixed",
                               "color=0xff009e73", "!", *sink], capture_output=True, text=True, timeout=60, check=False)
        counted = re.search(r"(?<=count=\(uint\))\d+", done.stdout)
    if not counted:
        print(done.stdout, done.stderr)
        sys.exit(77 if "text" in done.stderr else 1)
    return counted[0], np.fromfile(result, np.uint8).reshape(HEIGHT, WIDTH, 3)


def halved(picture):
    return (picture.astype(int).reshape(HEIGHT // 2, 2, WIDTH // 2, 2, 3).sum(axis=(1, 3)) // 4).astype(np.uint8)


def main(folder, build):
    if not shutil.which("gst-launch-1.0"):
        print("no gst-launch-1.0 here")
        return 77
    os.makedirs(folder, exist_ok=True)
    for scene, common, better, expected in SCENES:
        with tempfile.TemporaryDirectory() as temporary:
            path = os.path.join(temporary, "frame.png")
            draw(build, scene, path)
            before, left = inspect(build, common, path)
            after, right = inspect(build, common + better, path)
        print(f"{scene}: {before} before, {after} after")
        if before == expected or after != expected:
            return 1
        between = np.full((HEIGHT // 2, GAP, 3), 255, np.uint8)
        stages.write_png(os.path.join(folder, f"{scene}.png"), np.hstack([halved(left), between, halved(right)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE, sys.argv[2] if len(sys.argv) > 2 else "build"))
