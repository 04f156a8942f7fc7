#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Region snakes against their peers: three tables.

bench_snake.py BENCH_SNAKE [--full] [--csv FILE] [--json FILE]

Runs BENCH_SNAKE, then each group of peers in snake_peers.py on the pictures it has written. The quick run is the default; --full, or
CTR_BENCH=full in the environment, takes every picture, number of objects and frame. --csv and --json write every measurement. The
protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement of ours failed.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import number, parse_options, print_columns, print_machine, print_peers, records_of, write_files

WORK = ["name", "width", "height", "model", "start", "objects"]
FIELDS = ["who", "mode"] + WORK + ["found", "restarted", "points", "iterations", "iou", "mean_iou", "runs", "min_us", "median_us",
                                   "mean_us"]
OURS = [
    ("ours, on the GPU", "ours", "warm"),
    ("ours, call to result on the host", "ours", "run"),
    ("ours, image in host memory", "ours", "host-run"),
    ("ours, host backend", "host", "host"),
]
TRACKING = [
    ("ours, frames on the GPU", "ours", "track"),
    ("ours, frames in host memory", "ours", "host-track"),
    ("ours, host backend", "host", "track"),
]
PEER_TIME_LIMIT = {"morphological_chan_vese": 8, "active_contour": 30, "chan_vese": 21}  # seconds
SHAPES = {"objects": "with letters C", "objects without C": "without"}
PAPER_MS = {15: 60, 100: 590, 150: 790}  # by megapixels: GPU of Perrot and others, on their own pictures


def peer_interpreter():
    """A Python with scikit-image: this one, the PATH's or the system's; this one where none has it."""
    for python in (sys.executable, "python3", "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import skimage.segmentation"], capture_output=True).returncode == 0:
                return python
        except OSError:
            continue
    return sys.executable


def works_of(records):
    works = {}
    for record in records:
        works.setdefault(tuple(record[field] for field in WORK), []).append(record)
    return list(works.values())


def find(records, who, mode):
    return next((record for record in records if (record["who"], record["mode"]) == (who, mode)), None)


def ours_of(records):
    """Of the records of one work, the one that stands for us."""
    return find(records, "ours", "warm") or find(records, "host", "host")


def times_of(record):
    return [number(record["min_us"]), number(record["median_us"])]


def print_pictures(works):
    table = [["picture", "who", "min, µs", "median, µs", "ours × faster", "points", "iterations", "IoU"]]
    reasons = {}
    for records in works:
        ours = ours_of(records)
        name = title = f"{ours['name']} {ours['width']}x{ours['height']}, {ours['model']}"
        shown = [(label, find(records, who, mode)) for label, who, mode in OURS]
        shown += [(record["who"], record) for record in records if record["mode"] == "peer"]
        for label, record in shown:
            if record is None:
                continue
            if "why" in record:
                reasons.setdefault((record["who"], record["why"]), []).append(name)
                continue
            content = [str(record["points"]), str(record["iterations"])] if record["mode"] != "peer" else ["", ""]
            ratio = number(record["median_us"] / ours["median_us"]) if record["who"] != "ours" and record is not ours else ""
            table.append([title, label] + times_of(record) + [ratio] + content + [f"{record['iou']:.4f}"])
            title = ""
        megapixels = round(ours["width"] * ours["height"] / 1e6)
        if megapixels in PAPER_MS:
            us = 1e3 * PAPER_MS[megapixels]
            table.append(["", "the paper's GPU, on its own picture", "", number(us), number(us / ours["median_us"]), "", "", ""])
    print_columns(table)
    print()
    for (who, why), names in reasons.items():
        print(f"{who}: {why}: {'; '.join(names)}")


def print_objects(works):
    table = [["shapes", "objects", "start", "who", "min, µs", "median, µs", "µs an object", "ours × faster", "found", "points",
              "most iterations", "IoU: least", "mean"]]
    for records in works:
        ours = ours_of(records)
        known = [SHAPES[ours["name"]], str(ours["objects"]), ours["start"]]
        for label, who, mode in OURS:
            record = find(records, who, mode)
            if record is None:
                continue
            ratio = number(record["median_us"] / ours["median_us"]) if who == "host" and record is not ours else ""
            table.append(known + [label] + times_of(record) + [
                number(record["median_us"] / record["objects"]), ratio, str(record["found"]), str(record["points"]),
                str(record["iterations"]), f"{record['iou']:.4f}", f"{record['mean_iou']:.4f}"])
            known = ["", "", ""]
    print_columns(table, 4)


def print_tracking(works):
    table = [["who", "frames", "frames a second", "min, µs", "median, µs", "most iterations", "started anew", "IoU: least", "mean"]]
    for records in works:
        for label, who, mode in TRACKING:
            record = find(records, who, mode)
            if record is not None:
                table.append([label, str(record["runs"]), number(1e6 / record["mean_us"])] + times_of(record) + [
                    str(record["iterations"]), str(record["restarted"]), f"{record['iou']:.4f}", f"{record['mean_iou']:.4f}"])
    print_columns(table, 1)


def gather(options, records, notes):
    """Runs the programs."""
    python = peer_interpreter()
    peers = os.path.join(HERE, "snake_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        ours = [options.bench_snake] + ([] if options.full else ["--quick"]) + ["--write", folder]
        commands = [(ours, None, "")] + [([python, peers, group, folder], limit, group)
                                         for group, limit in PEER_TIME_LIMIT.items()]
        for command, limit, group in commands:
            for record in records_of(command, limit):
                if record["type"] == "failure" and group:
                    record.update(who=f"scikit-image {group}", optional=True, message=f"{record['message']} (limit {limit} s)")
                (records if record["type"] == "time" else notes).append(record)


def main():
    options = parse_options("bench_snake")
    records, notes = [], []
    gather(options, records, notes)

    print_machine(next((note for note in notes if note["type"] == "device"), None))
    print_peers(notes)
    works = works_of(records)
    print("\nOne target, found in all of the picture:\n")
    print_pictures([work for work in works if work[0]["start"] == "auto" and work[0]["name"] not in SHAPES])
    print("\nObjects of 128x128 in one frame of 3840x2160:\n")
    print_objects([work for work in works if work[0]["name"] in SHAPES])
    print("\nA target followed through frames of 1920x1080:\n")
    print_tracking([work for work in works if work[0]["start"] == "last polygon"])

    failures = [note for note in notes if note["type"] == "failure"]
    print("\n".join([""] + [f"FAILED: {note['who']}: {note['message']}" for note in failures]))
    write_files(options, notes, records, FIELDS)
    return 1 if any("optional" not in note for note in failures) else 0


if __name__ == "__main__":
    sys.exit(main())
