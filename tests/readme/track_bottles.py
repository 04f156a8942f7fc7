#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks what docs/cudasnake.md says of a video of three bottles: cudasnake tracks the caps of the two standing bottles in
every frame; it loses the third one when a hand takes the bottle away, and finds it again when the bottle is back.

The video is video/bottles.mp4 in the folder CTR_TEST_DATA. Exit status 77 without it, or without a decoder.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

WINDOWS = "66,92,62,44;284,92,62,44;504,92,62,44"
CAPS = [(96, 122), (315, 122), (537, 122)]
FRAMES = 450


def find_decoder():
    for name in ("avdec_h264", "openh264dec"):
        if subprocess.run(["gst-inspect-1.0", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return name
    return None


def run_element(clip, decoder):
    """Returns the outlines in each frame, and the changes of the first object, the cap of the bottle that moves."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "out")
        done = subprocess.run(
            ["gst-launch-1.0", "-m", "filesrc", f"location={clip}", "!", "qtdemux", "!", "h264parse", "!", decoder,
             "!", "cudasnake", "track=true", f"window={WINDOWS}", "!", "contourexport", f"location={result}",
             "!", "fakesink"], stdout=subprocess.PIPE, text=True, check=True, timeout=120)
        with open(result, encoding="utf-8") as file:
            frames = [{c["object"]: c for c in json.loads(line)["contours"]} for line in file]
    changes = re.findall(r"cudasnake-track,.* object=\(uint\)(\d+), change=\(string\)(\w+)", done.stdout)
    return frames, changes


def is_cap(outline, place):
    """Whether the outline has about the size and place of a cap."""
    return (outline is not None and 20 < outline["w"] < 45 and 20 < outline["h"] < 50
            and abs(outline["x"] + outline["w"] / 2 - place[0]) < 12
            and abs(outline["y"] + outline["h"] / 2 - place[1]) < 15)


def check(frames, changes):
    """Returns an error, or None."""
    if len(frames) != FRAMES:
        return f"{len(frames)} frames"
    for number, outlines in enumerate(frames):
        for which in (1, 2):
            if not is_cap(outlines.get(which), CAPS[which]):
                return f"frame {number}: the cap of bottle {which} is not followed"
        at_home = number < 170 or number >= 408
        if at_home and not is_cap(outlines.get(0), CAPS[0]):
            return f"frame {number}: the cap of the bottle that moves is not found"
        if 230 <= number < 330 and 0 in outlines:
            return f"frame {number}: there is no third bottle"
    return None if changes == [("0", "lost"), ("0", "found")] else f"changes: {changes}"


def main():
    clip = os.path.join(os.environ.get("CTR_TEST_DATA", ""), "video/bottles.mp4")
    if not os.path.exists(clip) or not shutil.which("gst-launch-1.0"):
        print("the video or gst-launch-1.0 is missing")
        return 77
    decoder = find_decoder()
    if not decoder:
        print("there is no decoder for H.264")
        return 77
    frames, changes = run_element(clip, decoder)
    problem = check(frames, changes)
    print(problem or f"{len(frames)} frames are as expected; {changes}")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
