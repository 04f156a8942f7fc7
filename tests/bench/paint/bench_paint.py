#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drawing into frames of 3840 x 2160 beside OpenCV: a table.

bench_paint.py BENCH_PAINT [--csv FILE] [--json FILE]

Runs BENCH_PAINT, then paint_peers.py on the contours it has drawn. --csv and --json write every measurement. The protocol is
described in docs/benchmarks/protocol.md. Exit status 1: a measurement failed, the backends draw different pictures, or OpenCV draws other
pixels.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import number, parse_options, peer_interpreter, print_columns, print_machine, print_peers, records_of, write_files

FIELDS = ["who", "mode", "name", "format", "contours", "points", "thickness", "alpha", "colours", "different", "runs", "min_us",
          "median_us"]
MODES = {"warm": "ours, warm", "flushed": "ours, L2 flushed", "in-turn": "ours, frames in turn", "run": "ours, wall time of a call",
         "host": "ours, host backend", "peer": "OpenCV"}


def print_table(records):
    table = [["what", "contours", "points", "format", "thickness", "alpha", "colours by", "who", "µs, median", "µs, minimum",
              "ns per point"]]
    for record in records:
        table.append([record["name"], f"{record['contours']:,}", f"{record['points']:,}", record["format"], str(record["thickness"]),
                      str(record["alpha"]), record["colours"], MODES[record["mode"]], number(record["median_us"]),
                      number(record["min_us"]), number(1e3 * record["median_us"] / max(record["points"], 1))])
    print_columns(table, 1)


def main():
    options = parse_options("bench_paint")
    records, notes = [], []
    with tempfile.TemporaryDirectory() as folder:
        for command in ([options.bench_paint, "--write", folder],
                        [peer_interpreter(), os.path.join(HERE, "paint_peers.py"), folder]):
            for record in records_of(command, 300):
                (records if record["type"] == "time" else notes).append(record)
    print_machine(next((note for note in notes if note["type"] == "device"), None))
    print_peers(notes)
    print()
    records.sort(key=lambda record: (record["name"], record["format"], record["thickness"], record["alpha"]))
    print_table(records)
    problems = [f"FAILED: {note['who']}: {note['message']}" for note in notes if note["type"] == "failure"]
    problems += [f"DIFFERENT: OpenCV draws {record['different']} other pixels of {record['name']}" for record in records
                 if record.get("different")]
    compared = any("different" in record for record in records)
    print("\n".join([""] + (problems or (["OpenCV draws the same pixels."] if compared else []))))
    write_files(options, notes, records, FIELDS)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
