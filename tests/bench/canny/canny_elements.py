#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames a second of cudacanny in a pipeline, beside edgedetect of GStreamer's OpenCV plugin.

canny_elements.py [--seconds N] [--json FILE]

The plugin is found as by any pipeline (GST_PLUGIN_PATH). One picture of videotestsrc is repeated without being made again, so that
the element is what takes the time; the frames per second are those from the second frame to the end of the stream. What is not
installed is reported as not present. Exit status 1: a pipeline with cudacanny failed; 77: there is no cudacanny.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import number, nvidia_smi, print_columns, print_host, write_json

SIZES = [(640, 480), (1920, 1080), (3840, 2160)]
# Label, format, the elements that are measured, and those that have to exist for it.
RUNS = [
    ("cudacanny, sigma 2", "GRAY8", "cudacanny sigma=2", ["cudacanny"]),
    ("cudaupload ! cudacanny, sigma 2", "NV12", "cudaupload ! cudacanny sigma=2", ["cudaupload", "cudacanny"]),
    ("cudacanny, sigma 2", "RGB", "cudacanny sigma=2", ["cudacanny"]),
    ("cudacanny, no blur", "RGB", "cudacanny sigma=0", ["cudacanny"]),
    ("edgedetect (OpenCV, CPU), no blur", "RGB", "edgedetect", ["edgedetect"]),
]
FIRST_FRAMES, MIN_FRAMES, MAX_FRAMES = 10, 20, 5000
TIME_LIMIT = 60  # seconds, of one pipeline


def exists(element):
    # Not by --exists, which asks for the version of GStreamer too.
    return subprocess.run(["gst-inspect-1.0", element], capture_output=True).returncode == 0


def seconds_for(frames, width, height, format_, elements):
    """From the second frame, the first being rendered before the pipeline plays, to the end of the stream."""
    pipeline = (f"videotestsrc num-buffers=1 ! video/x-raw,format={format_},width={width},height={height},framerate=1/1 ! "
                f"imagefreeze num-buffers={frames} ! {elements} ! fakesink sync=false")
    done = subprocess.run(["gst-launch-1.0"] + pipeline.split(), capture_output=True, text=True, timeout=TIME_LIMIT)
    ended = re.search(r"Execution ended after (\d+):(\d+):([\d.]+)", done.stdout)
    if done.returncode or not ended:
        raise RuntimeError(" ".join(line for line in done.stderr.splitlines() if "ERROR" in line)
                           or f"exit status {done.returncode}")
    return int(ended[1]) * 3600 + int(ended[2]) * 60 + float(ended[3])


def frames_per_second(limit, *what):
    rate = (FIRST_FRAMES - 1) / max(seconds_for(FIRST_FRAMES, *what), 1e-3)
    frames = int(min(max(rate * limit, MIN_FRAMES), MAX_FRAMES))
    return (frames - 1) / seconds_for(frames, *what)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.5, help="how long to measure each")
    parser.add_argument("--json")
    options = parser.parse_args()
    try:
        present = {element: exists(element) for run in RUNS for element in run[3] + ["imagefreeze", "videotestsrc"]}
    except FileNotFoundError as error:
        print(f"not present: {error.filename}")
        return 77
    gpu = nvidia_smi("name,driver_version")
    print(f"GPU, driver: {gpu or 'none; cudacanny works on the host'}")
    print_host()
    for element, there in present.items():
        if not there:
            print(f"{element}: not present")
    records, failures = [], []
    for width, height in SIZES:
        for label, format_, elements, needed in RUNS:
            if not all(present[element] for element in needed + ["imagefreeze", "videotestsrc"]):
                continue
            try:
                rate = frames_per_second(options.seconds, width, height, format_, elements)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failures.append((label, f"FAILED: {label}, {width}x{height}: {error}"))
                continue
            records.append({"label": label, "width": width, "height": height, "format": format_, "fps": rate})
    table = [["size", "format", "element", "frames/s", "ms/frame"]]
    table += [[f"{r['width']}x{r['height']}", r["format"], r["label"], number(r["fps"]), number(1e3 / r["fps"])]
              for r in records]
    print_columns(table, left=3)
    for _, line in failures:
        print(line)
    if options.json:
        write_json(options.json, records)
    if not present["cudacanny"]:
        return 77
    return 1 if any("cudacanny" in label for label, _ in failures) else 0


if __name__ == "__main__":
    sys.exit(main())
