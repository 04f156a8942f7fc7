#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What units of the world cost, beside OpenCV: a table.

bench_units.py BENCH_UNITS [--full] [--cases REGEX] [--csv FILE] [--json FILE]

Runs BENCH_UNITS, then units_peers.py on the points it has written; all of it on the host. The quick run is the default; --full, or
CTR_BENCH=full in the environment, takes more images. --cases takes what matches. --csv and --json write every measurement. The
protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement failed, or OpenCV's units are others.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (choice_of, number, parse_options, peer_interpreter, print_columns, print_host, print_peers, records_of,
                     write_files)

WORK = ["name", "width", "height", "calibration", "task"]
FIELDS = ["who", "mode"] + WORK + ["contours", "points", "difference", "runs", "min_us", "median_us"]
PEER_TIME_LIMIT = 120  # seconds
# OpenCV's undistortion stops after some steps. Units are 0.05 for a pixel.
MOST_DIFFERENCE = 1e-6


def by_work(records):
    works = {}
    for record in records:
        works.setdefault(tuple(record[field] for field in WORK), []).append(record)
    return works


def print_table(works):
    table = [["work", "contours", "points", "who", "µs", "ns per point", "ours × faster", "greatest difference, units"]]
    for records in works.values():
        ours = next((record for record in records if record["who"] == "host"), None)
        for i, record in enumerate(records):
            title = f"{record['name']} {record['width']}x{record['height']}, {record['calibration']}: {record['task']}"
            known = [title, f"{record['contours']:,}", f"{record['points']:,}"] if i == 0 else [""] * 3
            table.append(known + ["ours, 1 thread" if record is ours else record["who"], number(record["median_us"]),
                                  number(1e3 * record["median_us"] / record["points"]),
                                  number(record["median_us"] / ours["median_us"]) if ours and record is not ours else "",
                                  f"{record['difference']:.1e}" if "difference" in record else ""])
    print_columns(table, 4)


def main():
    options = parse_options("bench_units", True)
    records, notes = [], []
    with tempfile.TemporaryDirectory() as folder:
        ours = [options.bench_units] + ([] if options.full else ["--quick"]) + choice_of(options) + ["--write", folder]
        peer = [peer_interpreter(), os.path.join(HERE, "units_peers.py"), folder]
        for command, limit in ((ours, None), (peer, PEER_TIME_LIMIT)):
            for record in records_of(command, limit):
                (records if record["type"] == "time" else notes).append(record)
    print_host()
    print_peers(notes)
    print("µs: all points, or all lines, of one image.\n")
    print_table(by_work(records))
    problems = [f"FAILED: {note['who']}: {note['message']}" for note in notes if note["type"] == "failure"]
    problems += [f"DIFFERENT: {record['who']} by {record['difference']}: {record['name']}, {record['calibration']}"
                 for record in records if record.get("difference", 0) > MOST_DIFFERENCE]
    print("\n".join([""] + problems))
    write_files(options, notes, records, FIELDS)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
