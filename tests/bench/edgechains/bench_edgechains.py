#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edge linking beside its peer: a table.

bench_edgechains.py BENCH_EDGECHAINS [--host] [--cases REGEX] [--csv FILE] [--json FILE]

Runs BENCH_EDGECHAINS, then edgechains_peers.py on the masks it has written. --host leaves out the GPU; --cases takes what matches.
--csv and --json write every measurement. The protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement
failed.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (choice_of, number, parse_options, peer_interpreter, print_columns, print_machine, print_peers, records_of,
                     write_files)
from lists_table import OURS, ours_of

WORK = ["name", "width", "height", "min_length", "subpixel_sigma"]
FIELDS = ["who", "mode"] + WORK + ["edges", "contours", "points", "runs", "min_us", "median_us"]
PEER_TIME_LIMIT = 120  # seconds


def by_work(records):
    works = {}
    for record in records:
        works.setdefault(tuple(record[field] for field in WORK), []).append(record)
    return works


def title_of(record):
    return f"{record['name']} {record['width']}x{record['height']}" + (
        f", length >= {record['min_length']:g}" if record["min_length"] else "") + (
        f", subpixel sigma {record['subpixel_sigma']:g}" if record["subpixel_sigma"] else "")


def print_table(works):
    table = [["work", "edge pixels", "who", "µs", "ours × faster", "lines", "points"]]
    for records in works.values():
        by_key = {(record["who"], record["mode"]): record for record in records}
        ours = ours_of(records)
        peers = [(who, (who, mode), "median_us") for who, mode in by_key if mode == "peer"]
        first = True
        for label, key, field in OURS + peers:
            if key not in by_key:
                continue
            record = by_key[key]
            ratio = number(record[field] / ours["median_us"]) if ours and key[0] != "ours" and record is not ours else ""
            table.append([title_of(record) if first else "", f"{record['edges']:,}" if first else "", label,
                          number(record[field]), ratio, f"{record['contours']:,}", f"{record['points']:,}"])
            first = False
    print_columns(table, 3)


def main():
    options = parse_options("bench_edgechains", True)
    records, notes = [], []
    with tempfile.TemporaryDirectory() as folder:
        ours = [options.bench_edgechains] + choice_of(options) + ["--write", folder]
        peer = [peer_interpreter(), os.path.join(HERE, "edgechains_peers.py"), folder]
        for command, limit in ((ours, None), (peer, PEER_TIME_LIMIT)):
            for record in records_of(command, limit):
                (records if record["type"] == "time" else notes).append(record)
    print_machine(next((note for note in notes if note["type"] == "device"), None))
    print_peers(notes)
    print("µs: one mask.\n")
    print_table(by_work(records))
    failures = [f"FAILED: {note['who']}: {note['message']}" for note in notes if note["type"] == "failure"]
    print("\n".join([""] + failures))
    write_files(options, notes, records, FIELDS)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
