#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Border following against its peers: two tables.

bench_borders.py BENCH_BORDERS [--full] [--host] [--cases REGEX] [--csv FILE] [--json FILE]

Runs BENCH_BORDERS, then each group of peers in borders_peers.py on the masks and lists it has written. The quick run is the
default; --full, or CTR_BENCH=full in the environment, takes every variant of every image and all real images. --host leaves
out the GPU, and all peers but OpenCV; --cases takes what matches. --csv and --json write every measurement. The protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement of ours or of OpenCV
failed, or OpenCV finds other contours than ours.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (choice_of, number, parse_options, peer_interpreter, print_columns, print_machine, print_peers, records_of,
                     write_files)
from lists_table import DEVICE_MODES, OURS, differing, floor_us, ours_of

FRAME = "car_body_frame.pgm"  # the paper's own
WORK = ["name", "width", "height", "retrieval", "approximation", "connectivity", "min_area", "epsilon", "features", "select", "subpixel"]
FIELDS = ["who", "mode"] + WORK + ["contours", "points", "border_points", "different", "runs", "min_us", "median_us"]
PEER_GROUPS = ["opencv", "opencv-list", "scikit-image", "npp"]
PEER_TIME_LIMIT = {"opencv": 400, "opencv-list": 200, "scikit-image": 120, "npp": 120}  # seconds
OPTIONAL = ("NPP", "scikit-image")  # other definitions: told, but no failure
CONTENT_REFERENCE = "blobs"


def work_of(record):
    return tuple(record[field] for field in WORK)


def variant_of(record):
    return tuple(record[field] for field in WORK[3:])


def variant_title(variant):
    retrieval, approximation, connectivity, min_area, epsilon, features, select, subpixel = variant
    return (f"{retrieval} {approximation}" + (", 4-connected" if connectivity == 4 else "")
            + (f", area >= {min_area:g}" if min_area else "") + (f", epsilon={epsilon:g}" if epsilon else "") + (f", {features}" if features else "") + (f", select={select}" if select else "")
            + ("", ", subpixel=threshold", ", subpixel=edge")[subpixel])


def title_of(record):
    return f"{os.path.splitext(record['name'])[0]} {record['width']}x{record['height']}, {variant_title(variant_of(record))}"


def rows_of(records, copy_rate):
    by_key = {(record["who"], record["mode"]): record for record in records}
    ours = ours_of(records)
    peers = [(who, (who, mode), "median_us") for who, mode in by_key if mode == "peer"]
    rows = []
    for label, key, field in OURS + peers:
        if key not in by_key:
            continue
        record = by_key[key]
        is_ours = key[0] in ("ours", "host")
        if "why" in record:
            rows.append([label, "", "", "", "", record["why"]])
            continue
        us = max(record[field], 1e-3)
        points = record["border_points"]
        ratio = number(us / ours["median_us"]) if ours and key[0] != "ours" and record is not ours else ""
        floor = f"{100 * floor_us(record, copy_rate) / us:.1f} %" if copy_rate and key[1] in DEVICE_MODES else ""
        rows.append([label, number(us), number(1e3 * us / points) if points else "", ratio, floor,
                     "" if is_ours else differing(record)])
    return rows


def by_work(records):
    works = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    return works


def print_table(works, copy_rate):
    table = [["work", "contours", "points", "who", "µs", "µs per 1000 border points", "ours × faster", "of the floor",
              "differing contours of a peer"]]
    for records in works.values():
        if records[0]["name"] == "empty":
            continue
        ours = ours_of(records) or records[0]
        for i, row in enumerate(rows_of(records, copy_rate)):
            first = i == 0
            table.append([title_of(ours) if first else "", f"{ours['contours']:,}" if first else "",
                          f"{ours['points']:,}" if first else ""] + row)
    print_columns(table, 4)


def content_rows(works):
    """For each work of ours: what an empty image of its size costs, what a border point costs beyond that, and the time in
    relation to what the reference's border points cost."""
    ours = [record for record in map(ours_of, works.values()) if record]
    empty = {(r["width"], r["height"], variant_of(r)): r["median_us"] for r in ours if r["name"] == "empty"}
    rows, slopes = [], {}
    for record in ours:
        fixed = empty.get((record["width"], record["height"], variant_of(record)))
        if record["name"] == "empty" or fixed is None or not record["border_points"]:
            continue
        slope = (record["median_us"] - fixed) / record["border_points"]
        rows.append((record, fixed, slope))
        if record["name"] == CONTENT_REFERENCE:
            slopes[variant_of(record)] = slope
    return [(record, fixed, slope, record["median_us"] / (fixed + slopes[variant_of(record)] * record["border_points"])
             if variant_of(record) in slopes else None) for record, fixed, slope in rows]


def print_content(rows):
    table = [["variant", "image", "border points", "µs", "µs of an empty image", "µs per 1000 border points beyond",
              f"× what they cost in {CONTENT_REFERENCE}"]]
    for record, fixed, slope, ratio in sorted(rows, key=lambda row: variant_of(row[0])):
        name = f"{os.path.splitext(record['name'])[0]} {record['width']}x{record['height']}"
        table.append([variant_title(variant_of(record)), name, f"{record['border_points']:,}", number(record["median_us"]),
                      number(fixed), number(1e3 * slope), number(ratio) if ratio is not None else ""])
    print_columns(table)
    compared = [row for row in rows if row[3] is not None]
    if compared:
        most = max(compared, key=lambda row: row[3])
        print(f"\nAt most {number(most[3])} times what the number of border points explains: {title_of(most[0])}")


def disagreements(records):
    """A line for every peer that finds other contours than ours."""
    lines = []
    for who in dict.fromkeys(r["who"] for r in records if r.get("different")):
        theirs = [r for r in records if r["who"] == who]
        wrong = [r for r in theirs if r.get("different")]
        lines.append((who, f"DIFFERENT: {who} finds other contours than ours in {len(wrong)} of {len(theirs)} cases: "
                      f"{wrong[0]['different']} of {wrong[0]['contours']} in {title_of(wrong[0])}"))
    return lines


def gather(options, records, notes):
    """Runs the programs."""
    python = peer_interpreter()
    with tempfile.TemporaryDirectory() as folder:
        images = os.path.join(folder, "images")
        os.mkdir(images)
        notes.extend(records_of([python, os.path.join(HERE, os.pardir, "cca", "cca_peers.py"), "masks", images]))
        names = sorted(os.listdir(images), key=lambda name: (name != FRAME, name))
        files = [os.path.join(images, name) for name in names if options.full or name == FRAME]
        ours = [options.bench_borders] + ([] if options.full else ["--quick"]) + choice_of(options) + ["--write", folder] + files
        groups = [group for group in PEER_GROUPS if group.startswith("opencv") or not options.host]
        peers = [[python, os.path.join(HERE, "borders_peers.py"), group, folder] for group in groups]
        commands = [(ours, None, "")] + [(peer, PEER_TIME_LIMIT[peer[2]], peer[2]) for peer in peers]
        for command, limit, group in commands:
            for record in records_of(command, limit):
                if record["type"] == "failure" and group and record["who"] == os.path.basename(python):
                    record["who"] = {"opencv": "OpenCV", "opencv-list": "OpenCV from C++", "npp": "NPP"}.get(group, group)
                (records if record["type"] == "time" else notes).append(record)


def main():
    options = parse_options("bench_borders", True)
    records, notes = [], []
    gather(options, records, notes)

    device = next((note for note in notes if note["type"] == "device"), None)
    print_machine(device)
    print_peers(notes)
    print("µs: one image. Floor: the mask read once and the lists written once at the copy's bandwidth.\n")
    works = by_work(records)
    print_table(works, device and device["copy_bytes_per_second"])
    print("\nHow the time depends on the content (" + ("warm" if device else "host backend") + ", median):\n")
    print_content(content_rows(works))

    problems = [(note["who"], f"FAILED: {note['who']}: {note['message']}") for note in notes if note["type"] == "failure"]
    problems += disagreements(records)
    print("\n".join([""] + [line for _, line in problems] if problems else ["", "All find the same contours, point for point."]))
    write_files(options, notes, records, FIELDS)
    return 1 if any(not who.startswith(OPTIONAL) for who, _ in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
