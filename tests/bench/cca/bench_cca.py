#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Component analysis against its peers: one table.

bench_cca.py BENCH_CCA [--full] [--host] [--cases REGEX] [--csv FILE] [--json FILE]

Runs BENCH_CCA (ours and the FLSL+CD baseline), then cca_peers.py, on the same images. The quick run is the default; --full,
or CTR_BENCH=full in the environment, takes every density. --host leaves out the GPU, and all peers but OpenCV; --cases takes what
matches. --csv and --json write every measurement. The protocol is described in docs/benchmarks/protocol.md. Exit status 1: a measurement failed, or a peer counts other components than ours (NPP
aside).
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "common"))

from harness import (choice_of, number, parse_options, peer_interpreter, print_columns, print_machine, print_peers, records_of,
                     write_files)

FIELDS = ["who", "mode", "name", "width", "height", "granularity", "density", "connectivity", "components", "runs",
          "min_us", "median_us"]
# What a row shows: its label, the records it takes, and the records of ours it is compared with.
OURS = [
    ("ours, warm, minimum", ("ours", "warm"), "min_us"),
    ("ours, warm, median", ("ours", "warm"), "median_us"),
    ("ours, L2 flushed, median", ("ours", "flushed"), "median_us"),
    ("ours, buffers in turn, median", ("ours", "in-turn"), "median_us"),
    ("FLSL+CD, warm, minimum", ("flsl", "warm"), "min_us"),
    ("FLSL+CD, L2 flushed, median", ("flsl", "flushed"), "median_us"),
]
FRAMES = [
    ("ours, warm, median", ("ours", "warm"), "median_us"),
    ("ours, call to result on the host", ("ours", "run"), "median_us"),
    ("ours, the same with upload", ("ours", "upload-run"), "median_us"),
    ("FLSL+CD, warm, median", ("flsl", "warm"), "median_us"),
]
UNCHECKED = "NPP"  # closed source, and it does count otherwise: told, but no failure
HOST = [("ours, host backend, 1 thread", ("host", "host"), "median_us"),
        (f"ours, host backend, {len(os.sched_getaffinity(0))} threads", ("host", "host-threads"), "median_us")]


def work_of(record):
    """What belongs into one group of rows: the densities of a random mask together."""
    return (record["name"], record["width"], record["height"], record["granularity"], record["connectivity"])


def image_of(record):
    return work_of(record) + (record["density"],)


class Series:
    """The measurements of one contender in one mode on one work, by density."""

    def __init__(self, work, field, records):
        self.pixels = work[1] * work[2]
        self.us = {r["density"]: max(r[field], 1e-3) for r in records}

    def total(self, densities=None):
        return sum(us for density, us in self.us.items() if densities is None or density in densities)

    def gpix(self):
        """Total pixels by total time."""
        return self.pixels * len(self.us) / self.total() / 1e3

    def mean_gpix(self):
        """The mean of the densities' throughputs, as the paper has it."""
        return sum(self.pixels / us / 1e3 for us in self.us.values()) / len(self.us)

    def worst(self):
        density, us = max(self.us.items(), key=lambda item: item[1])
        return density, self.pixels / us / 1e3


def densities_of(series):
    densities = sorted(series.us)
    if len(densities) > 3:
        return f"{densities[0]}..{densities[-1]} % by {densities[1] - densities[0]}"
    return ", ".join(map(str, densities)) + " %"


def spread(series):
    """Mean of throughputs, worst throughput and its density: of several densities only."""
    if len(series.us) < 2:
        return ["", ""]
    density, gpix = series.worst()
    return [number(series.mean_gpix()), f"{number(gpix)} (d={density})"]


def rows_of(work, records, copy_rate):
    """Table rows of one work. Each contender is compared on the images it ran on."""
    groups = {}
    for record in records:
        groups.setdefault((record["who"], record["mode"]), []).append(record)
    peers = [(who, (who, mode), "median_us") for who, mode in groups if mode == "peer"]
    rows = []
    for label, key, field in (OURS if ("ours", "flushed") in groups else FRAMES) + HOST + peers:
        if key not in groups:
            continue
        series = Series(work, field, groups[key])
        # Ours under the same conditions where it was run so, else warm, else on the host.
        base = next((k for k in (("ours", key[1]), ("ours", "warm"), ("host", "host")) if k in groups), None)
        ratio = ""
        if base and base != key and key[0] != "ours":
            ours = Series(work, field, groups[base])
            common = set(series.us) & set(ours.us)
            if common:
                ratio = number(series.total(common) / ours.total(common))
        floor = ""
        if copy_rate and key[1] in ("warm", "flushed", "in-turn"):
            floor_us = work[1] * work[2] / copy_rate * 1e6
            floor = f"{100 * floor_us * len(series.us) / series.total():.1f} %"
        rows.append([label, densities_of(series) if work[3] else "", number(series.total() / len(series.us)), number(series.gpix()), *spread(series),
                     ratio, floor])
    return rows


def title_of(work):
    name, width, height, granularity, connectivity = work
    detail = f" g={granularity}" if granularity else ""
    return f"{os.path.splitext(name)[0]} {width}x{height}{detail}, {connectivity}-conn."


def print_table(records, copy_rate):
    header = ["work", "who", "densities", "µs", "Gpix/s", "mean of Gpix/s", "worst Gpix/s", "ours × faster", "of the floor"]
    works = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
        if record["name"] == "random" and record["density"] == 100 and record["granularity"] == 1:
            # The paper's full image: its own row.
            full = dict(record, name="full", granularity=0)
            works.setdefault(work_of(full), []).append(full)
    table = [header]
    for work, of_work in sorted(works.items(), key=lambda item: list(works).index(item[0])):
        for i, row in enumerate(rows_of(work, of_work, copy_rate)):
            table.append([title_of(work) if i == 0 else ""] + row)
    print_columns(table)


def disagreements(records):
    """(who, line) for every contender that counts other components than ours: the GPU's, or the host backend's."""
    ours = {}
    for who in ("host", "ours"):
        ours.update((image_of(r), r["components"]) for r in records if r["who"] == who)
    lines = []
    for who in sorted({r["who"] for r in records}):
        theirs = [r for r in records if r["who"] == who]
        wrong = [r for r in theirs if ours.get(image_of(r), r["components"]) != r["components"]]
        if wrong:
            first = wrong[0]
            lines.append((who, f"DIFFERENT: {who} counts other components than ours in {len(wrong)} of {len(theirs)} measurements: "
                          f"{first['components']}, ours {ours[image_of(first)]}, in {title_of(work_of(first))} "
                          f"density {first['density']} %"))
    return lines


def gather(options, records, notes):
    """Runs both programs."""
    mode = (["--full"] if options.full else []) + choice_of(options)
    python, peers = peer_interpreter(), os.path.join(HERE, "cca_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, peers, "masks", folder], check=False)
        masks = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        for command in ([options.bench_cca] + mode + masks, [python, peers, "measure"] + mode + masks):
            for record in records_of(command):
                (records if record["type"] == "time" else notes).append(record)


def main():
    options = parse_options("bench_cca", True)
    records, notes = [], []
    gather(options, records, notes)

    device = next((note for note in notes if note["type"] == "device"), None)
    print_machine(device)
    print_peers(notes)
    print("µs: one image, the mean over a row's densities. Gpix/s: all pixels by all time. Floor: the image read once at the "
          "copy's bandwidth.\n")
    print_table(records, device and device["copy_bytes_per_second"])

    failures = [(note["who"], f"FAILED: {note['who']}: {note['message']}") for note in notes if note["type"] == "failure"]
    problems = failures + disagreements(records)
    print("\n".join([line for _, line in problems] or ["All count the same components on every image."]))
    write_files(options, notes, records, FIELDS)
    return 1 if any(not who.startswith(UNCHECKED) for who, _ in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
