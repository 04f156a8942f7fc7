#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Foreground masks against their peers: one table.

bench_foreground.py BENCH_FOREGROUND [--full] [--host] [--cases REGEX] [--csv FILE] [--json FILE]

Runs BENCH_FOREGROUND, then each group of peers in foreground_peers.py on the images and masks it has written. The quick run has
3840 x 2160 only; --full, or CTR_BENCH=full in the environment, every size. --csv and --json write every measurement. The protocol
is described in docs/benchmarks/protocol.md. Exit status 1: a measurement of ours or of OpenCV failed, or OpenCV finds another mask
where the definition is the same.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (choice_of, number, parse_options, peer_interpreter, print_columns, print_machine, print_peers,
                     records_of, write_files)

WORK = ["name", "width", "height", "channels", "mode", "threshold", "upper_threshold", "block_size", "offset"]
FIELDS = ["who", "how"] + WORK + ["foreground", "different", "runs", "min_us", "median_us"]
THREADS = len(os.sched_getaffinity(0))
# What a row shows: its label, the records it takes, and which of their times.
OURS = [
    ("ours, warm, minimum", ("ours", "warm"), "min_us"),
    ("ours, warm, median", ("ours", "warm"), "median_us"),
    ("ours, L2 flushed, median", ("ours", "flushed"), "median_us"),
    ("ours, buffers in turn, median", ("ours", "in-turn"), "median_us"),
    ("ours, call to finished", ("ours", "run"), "median_us"),
    ("ours, the same, host memory in and out", ("ours", "host-run"), "median_us"),
    ("ours, host backend, 1 thread", ("host", "host"), "median_us"),
    (f"ours, host backend, {THREADS} threads", ("host", "host-threads"), "median_us"),
]
PEER_TIME_LIMIT = 150  # seconds, of one group
EXACT_BLOCK_SIZE = 163  # up to this one all of OpenCV's means are exact: core/foreground/adaptive.h


def work_of(record):
    return tuple(record[field] for field in WORK)


def is_exact(record):
    """Is OpenCV's definition the same?"""
    return record["who"].startswith("OpenCV") and record["name"] != "coins-split" and "gaussian" not in record["name"] \
        and ("mean" not in record["name"] or record["block_size"] <= EXACT_BLOCK_SIZE)


def print_table(records):
    table = [["work", "who", "µs", "Gpix/s", "over fixed, µs", "ours × faster", "differing pixels"]]
    fixed = {work_of(r)[1:4]: r["median_us"] for r in records
             if r["name"] in ("fixed", "rgb-fixed") and (r["who"], r["how"]) == ("ours", "warm")}
    works = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    for work, of_work in works.items():
        by_key = {(record["who"], record["how"]): record for record in of_work}
        ours = by_key.get(("ours", "warm")) or by_key.get(("host", "host"))
        title = f"{work[0]} {work[1]}x{work[2]}"
        peers = [(who, (who, how), "median_us") for who, how in by_key if how == "peer"]
        for label, key, field in OURS + peers:
            if key not in by_key:
                continue
            record = by_key[key]
            us = max(record[field], 1e-3)
            ratio = number(us / ours["median_us"]) if ours and key[0] != "ours" and record is not ours else ""
            more = number(us - fixed[work[1:4]]) if key == ("ours", "warm") and work[1:4] in fixed else ""
            table.append([title, label, number(us), number(work[1] * work[2] / us / 1e3), more, ratio,
                          str(record.get("different", ""))])
            title = ""
    print_columns(table)


def main():
    options = parse_options("bench_foreground", chooses=True)
    records, notes = [], []
    python, peers = peer_interpreter(), os.path.join(HERE, "foreground_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        ours = [options.bench_foreground] + ([] if options.full else ["--quick"]) + choice_of(options) + ["--write", folder]
        groups = ["opencv", "scikit"] if options.host else ["opencv", "scikit", "cupy", "cucim"]
        for command, limit in [(ours, None)] + [([python, peers, group, folder], PEER_TIME_LIMIT) for group in groups]:
            for record in records_of(command, limit):
                (records if record["type"] == "time" else notes).append(record)

    device = next((note for note in notes if note["type"] == "device"), None)
    print_machine(device)
    print_peers(notes)
    print("µs: one image and its mask of bytes. Over fixed: more than with a fixed threshold.\n")
    print_table(records)

    problems = [(note["who"], f"FAILED: {note['who']}: {note['message']}") for note in notes if note["type"] == "failure"]
    for record in records:
        if record.get("different"):
            exact = is_exact(record)
            problems.append((record["who"] if exact else "", f"{'DIFFERENT' if exact else 'Another definition'}: {record['who']}: "
                             f"{record['different']} pixels in {record['name']} {record['width']}x{record['height']}"))
    print("\n".join([""] + [line for _, line in problems] if problems else ["", "All find the same masks."]))
    write_files(options, notes, records, FIELDS)
    return 1 if any(who and not who.startswith(("CuPy", "cuCIM", "scikit-image")) for who, _ in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
