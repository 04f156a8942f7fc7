#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Summarises the components in a file of contourexport: summarise.py FILE.ndjson"""
import json
import statistics
import sys

ROWS = 8  # of the table, which shows the last frame with components


def print_table(frame):
    largest = sorted(frame["components"], key=lambda c: -c["area"])[:ROWS]
    print(f"\nFrame {frame['frame']}: {frame['count']} component{'s' * (frame['count'] != 1)}", end="")
    print(f", the {len(largest)} largest:" if frame["count"] > len(largest) else ":")
    print(f"{'label':>8} {'area':>9} {'left':>6} {'top':>6} {'width':>6} {'height':>6} {'centroid x':>11} {'y':>9}")
    for c in largest:
        print(f"{c['label']:>8} {c['area']:>9.0f} {c['x']:>6.0f} {c['y']:>6.0f} {c['w']:>6.0f} {c['h']:>6.0f}"
              f" {c['cx']:>11.2f} {c['cy']:>9.2f}")


def main(path):
    counts, shown = [], None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.endswith("\n"):
                break  # the pipeline was killed while it wrote this line
            frame = json.loads(line)
            counts.append(frame["count"])
            if shown is None or frame["count"]:
                shown = frame
    size = "{width} x {height} pixels".format(**shown["resolution"])
    if len(counts) == 1:
        print(f"1 frame of {size}, threshold {shown['threshold']}")
    else:
        print(f"{len(counts)} frames of {size}")
        print(f"components per frame: {min(counts)} to {max(counts)}, median {statistics.median(counts):.0f}")
    print_table(shown)


if __name__ == "__main__":
    main(*sys.argv[1:])
