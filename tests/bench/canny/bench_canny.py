#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edge detection against its peers: one table.

bench_canny.py BENCH_CANNY [--full] [--csv FILE] [--json FILE]

Runs BENCH_CANNY, then each group of peers in canny_peers.py on the images and masks it has written. The quick run is the
default; --full, or CTR_BENCH=full in the environment, takes every size and set of parameters. --csv and --json write every
measurement. The protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement of ours or of OpenCV failed, or an
OpenCV without IPP finds other edges than ours.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (number, parse_options, peer_interpreter, print_columns, print_machine, print_peers, records_of,
                     write_files)

WORK = ["name", "width", "height", "channels", "bits", "sigma", "aperture", "norm", "thresholds"]
FIELDS = ["who", "mode"] + WORK + ["edges", "different", "runs", "min_us", "median_us"]
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
PEER_GROUPS = ["opencv", "npp", "npp-advanced", "cucim"]
PEER_TIME_LIMIT = 150  # seconds, of one group
OPTIONAL = ("NPP", "cuCIM")  # other definitions and closed sources: told, but no failure


def work_of(record):
    return tuple(record[field] for field in WORK)


def title_of(work):
    name, width, height, channels, bits, sigma, aperture, norm, thresholds = work
    kind = "RGB" if channels == 3 else "grey" if bits == 8 else f"{bits}-bit grey"
    detail = "" if aperture == 3 else f", aperture {aperture}"
    detail += "" if norm == "L1" else f", {norm}"
    return f"{os.path.splitext(name)[0]} {width}x{height} {kind}, sigma {sigma:g}, {thresholds}{detail}"


def difference_of(record, pixels, ours):
    """What differs of a peer's mask: its share of all pixels, and in relation to the number of our edges'."""
    if "different" not in record:
        return ""
    count = record["different"]
    if count == 0:
        return "0"
    return f"{100 * count / pixels:.2g} %" + (f" ({100 * count / ours['edges']:.2g} % of edges)" if ours["edges"] else "")


def rows_of(work, records, copy_rate):
    by_key = {(record["who"], record["mode"]): record for record in records}
    ours = by_key.get(("ours", "warm")) or by_key.get(("host", "host"))
    pixels = work[1] * work[2]
    peers = [(who, (who, mode), "median_us") for who, mode in by_key if mode == "peer"]
    rows = []
    for label, key, field in OURS + peers:
        if key not in by_key:
            continue
        record = by_key[key]
        us = max(record[field], 1e-3)
        ratio = number(us / ours["median_us"]) if ours and key[0] != "ours" and record is not ours else ""
        floor = ""
        if copy_rate and key[0] == "ours" and key[1] in ("warm", "flushed", "in-turn"):
            floor = f"{100 * pixels * (work[3] * (2 if work[4] > 8 else 1) + 1) / copy_rate * 1e6 / us:.1f} %"
        difference = difference_of(record, pixels, ours) if ours else ""
        rows.append([label, number(us), number(pixels / us / 1e3), ratio, floor, difference])
    return rows


def print_table(records, copy_rate):
    table = [["work", "who", "µs", "Gpix/s", "ours × faster", "of the floor", "differing pixels"]]
    works = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    for work, of_work in works.items():
        for i, row in enumerate(rows_of(work, of_work, copy_rate)):
            table.append([title_of(work) if i == 0 else ""] + row)
    print_columns(table)


def disagreements(records):
    """A line for every peer that finds other edges than ours."""
    lines = []
    for who in dict.fromkeys(r["who"] for r in records if "different" in r):
        theirs = [r for r in records if r["who"] == who]
        wrong = [r for r in theirs if r["different"]]
        if wrong:
            most = max(wrong, key=lambda r: r["different"] / (r["width"] * r["height"]))
            exact = who.startswith("OpenCV") and "IPP off" in who
            lines.append((who if exact else "", f"{'DIFFERENT' if exact else 'Another definition'}: {who} finds other edges "
                          f"than ours on {len(wrong)} of {len(theirs)} images: {most['different']} pixels in "
                          f"{title_of(work_of(most))}"))
    return lines


def gather(options, records, notes):
    """Runs the programs."""
    python, peers = peer_interpreter(), os.path.join(HERE, "canny_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        images = os.path.join(folder, "images")
        os.mkdir(images)
        if options.full:
            notes.extend(records_of([python, peers, "images", images]))
        files = sorted(os.path.join(images, name) for name in os.listdir(images))
        ours = [options.bench_canny] + ([] if options.full else ["--quick"]) + ["--write", folder] + files
        commands = [(ours, None)] + [([python, peers, "measure", group, folder], PEER_TIME_LIMIT) for group in PEER_GROUPS]
        for command, limit in commands:
            for record in records_of(command, limit):
                if record["type"] == "failure" and limit and record["who"] == os.path.basename(python):
                    record["who"] = {"opencv": "OpenCV", "cucim": "cuCIM"}.get(command[3], "NPP") + f" ({command[3]})"
                (records if record["type"] == "time" else notes).append(record)


def main():
    options = parse_options("bench_canny")
    records, notes = [], []
    gather(options, records, notes)

    device = next((note for note in notes if note["type"] == "device"), None)
    print_machine(device)
    print_peers(notes)
    print("µs: one image. Floor: the image read once and the mask written once at the copy's bandwidth.\n")
    print_table(records, device and device["copy_bytes_per_second"])

    problems = [(note["who"], f"FAILED: {note['who']}: {note['message']}") for note in notes if note["type"] == "failure"]
    problems += disagreements(records)
    print("\n".join([""] + [line for _, line in problems] if problems else ["", "All find the same edges on every image."]))
    write_files(options, notes, records, FIELDS)
    return 1 if any(who and not who.startswith(OPTIONAL) for who, _ in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
