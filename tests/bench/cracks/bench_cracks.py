#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours of levels against their peers: two tables.

bench_cracks.py BENCH_CRACKS [--full] [--host] [--cases REGEX] [--csv FILE] [--json FILE]

Runs BENCH_CRACKS, then each group of peers in cracks_peers.py on the images it has written. The quick run is the default; --full,
or CTR_BENCH=full in the environment, takes every size of the paper's tables. --host leaves out the GPU, and all peers but
OpenCV; --cases takes what matches. --csv and --json write every measurement. The protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement of ours, of OpenCV or of
fastlabelcontours failed, or one of these peers finds another number of contours of a level.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (choice_of, number, parse_options, peer_interpreter, print_columns, print_machine, print_peers, records_of,
                     write_files)
from lists_table import DEVICE_MODES, OURS, differing, floor_us, ours_of

WORK = ["name", "width", "height", "bits", "levels_are", "connectivity", "frame", "step", "min_area", "moments", "nested",
        "min_persistence"]
FIELDS = ["who", "mode"] + WORK + ["levels", "corners", "contours", "points", "different", "runs", "min_us", "median_us"]
PEER_TIME_LIMIT = {"opencv": 400, "fastlabelcontours": 120, "contourpy": 150, "skimage": 150}  # seconds
PEER_NAMES = {"opencv": "OpenCV", "fastlabelcontours": "fastlabelcontours", "contourpy": "contourpy", "skimage": "scikit-image"}
OPTIONAL = ("contourpy", "scikit-image")  # another definition: told, but no failure


def work_of(record):
    return tuple(record[field] for field in WORK)


def title_of(record):
    title = f"{os.path.splitext(record['name'])[0]} {record['width']}x{record['height']}, {record['bits']} bit, {record['levels_are']}"
    title += ", 4-connected" if record["connectivity"] == 4 else ""
    title += ", frame zero" if record["frame"] == "zero" else ""
    title += f", step {record['step']}" if record["step"] > 1 else ""
    title += f", area >= {record['min_area']:g}" if record["min_area"] else ""
    title += ", moments" if record["moments"] else ""
    title += ", hierarchy of all levels" if record["nested"] else ""
    return title + (f", persistence >= {record['min_persistence']}" if record["min_persistence"] else "")


def rows_of(records, copy_rate):
    by_key = {(record["who"], record["mode"]): record for record in records}
    ours = ours_of(records)
    peers = [(who, (who, mode), "median_us") for who, mode in by_key if mode == "peer"]
    rows = []
    for label, key, field in OURS + peers:
        if key not in by_key:
            continue
        record = by_key[key]
        if "why" in record:
            rows.append([label, "", "", "", "", record["why"]])
            continue
        us = max(record[field], 1e-3)
        ratio = number(us / ours["median_us"]) if ours and key[0] != "ours" and record is not ours else ""
        floor = ""
        if copy_rate and key[1] in DEVICE_MODES:  # a 16-bit image is twice as many bytes as the other function's mask
            extra = record["width"] * record["height"] * (record["bits"] // 8 - 1) / copy_rate * 1e6
            floor = f"{100 * (floor_us(record, copy_rate) + extra) / us:.1f} %"
        theirs = "" if key[0] in ("ours", "host") else (
            differing(record) if "different" in record else f"{record['contours']:,} lines")
        rows.append([label, number(us), number(1e3 * us / record["corners"]) if record["corners"] else "", ratio, floor, theirs])
    return rows


def print_table(works, copy_rate):
    table = [["work", "levels", "contours", "points", "who", "µs", "µs per 1000 corners", "ours × faster", "of the floor",
              "levels a peer counts otherwise"]]
    for records in works.values():
        if records[0]["name"] == "empty":
            continue
        ours = ours_of(records) or records[0]
        for i, row in enumerate(rows_of(records, copy_rate)):
            known = [title_of(ours), f"{ours['levels']:,}", f"{ours['contours']:,}", f"{ours.get('points', 0):,}"]
            table.append((known if i == 0 else [""] * 4) + row)
    print_columns(table, 5)


def print_content(works):
    """What an image costs beyond an empty one of its size, by its corners and by its levels times pixels."""
    ours = [record for record in map(ours_of, works.values()) if record]
    key = lambda record: (record["width"], record["height"], record["bits"], record["levels_are"])
    empty = {key(record): record["median_us"] for record in ours if record["name"] == "empty"}
    table = [["image", "levels", "corners", "µs", "µs of an empty image", "µs per 1000 corners beyond",
              "µs per level and megapixel beyond"]]
    for record in ours:
        fixed = empty.get(key(record))
        if record["name"] == "empty" or fixed is None or not record["corners"] or record["min_area"] or record["moments"] or record["nested"]:
            continue
        beyond = max(record["median_us"] - fixed, 0)
        table.append([title_of(record), f"{record['levels']:,}", f"{record['corners']:,}", number(record["median_us"]),
                      number(fixed), number(1e3 * beyond / record["corners"]),
                      number(1e6 * beyond / (record["levels"] * record["width"] * record["height"]))])
    print_columns(table, 1)


def print_codes(notes):
    """Bytes of codes and points, and how many times fewer those of codes are."""
    table = [["image", "contours", "steps", "bytes of points", "of codes", "fewer", "and their table", "fewer",
              "points and their table", "fewer", "host, µs to pack"]]
    for note in notes:
        if note["type"] != "codes" or not note["points"]:
            continue
        points, codes, chains = note["point_bytes"], note["code_bytes"], note["chain_bytes"]
        whole = points + note["row_bytes"]
        table.append([title_of(note), f"{note['contours']:,}", f"{note['steps']:,}", f"{points:,}", f"{codes:,}",
                      f"{points / codes:.2f}", f"{codes + chains:,}", f"{points / (codes + chains):.2f}", f"{whole:,}",
                      f"{whole / (codes + chains):.2f}", number(note["host_us"])])
    print_columns(table, 1)


def disagreements(records):
    """A line for every peer that finds another number of contours of a level."""
    lines = []
    for who in dict.fromkeys(r["who"] for r in records if r.get("different")):
        theirs = [r for r in records if r["who"] == who]
        wrong = [r for r in theirs if r.get("different")]
        lines.append((who, f"DIFFERENT: {who} counts otherwise in {len(wrong)} of {len(theirs)} cases: "
                      f"{wrong[0]['different']} levels of {title_of(wrong[0])}"))
    return lines


def gather(options, records, notes):
    """Runs the programs."""
    python = peer_interpreter()
    peers = os.path.join(HERE, "cracks_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        maps = os.path.join(folder, "maps")
        os.mkdir(maps)
        notes.extend(records_of([python, peers, "maps", maps]))
        files = [os.path.join(maps, name) for name in sorted(os.listdir(maps))]
        ours = [options.bench_cracks] + ([] if options.full else ["--quick"]) + choice_of(options) + ["--write", folder] + files
        commands = [(ours, None, "")] + [([python, peers, group, folder], limit, group)
                                         for group, limit in PEER_TIME_LIMIT.items()
                                         if group == "opencv" or not options.host]
        for command, limit, group in commands:
            for record in records_of(command, limit):
                if record["type"] == "failure" and group and record["who"] == os.path.basename(python):
                    record["who"] = PEER_NAMES[group]
                (records if record["type"] == "time" else notes).append(record)


def main():
    options = parse_options("bench_cracks", True)
    records, notes = [], []
    gather(options, records, notes)

    device = next((note for note in notes if note["type"] == "device"), None)
    print_machine(device)
    print_peers(notes)
    print("µs: one image, all its levels. Floor: the image read once and the lists written once at the copy's bandwidth.\n")
    works = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    print_table(works, device and device["copy_bytes_per_second"])
    print("\nHow the time depends on the content (" + ("warm" if device else "host backend") + ", median):\n")
    print_content(works)

    print("\nCrack codes, 2 bits a step, and what they are fetched instead of:\n")
    print_codes(notes)

    problems = [(note["who"], f"FAILED: {note['who']}: {note['message']}") for note in notes if note["type"] == "failure"]
    problems += disagreements(records)
    compared = any("different" in record for record in records)
    lines = [line for _, line in problems] or (["The exact peers count as many contours of every level."] if compared else [])
    print("\n".join([""] + lines))
    write_files(options, notes, records, FIELDS)
    return 1 if any(not who.startswith(OPTIONAL) for who, _ in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
