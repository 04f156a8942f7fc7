#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Repeats the tables and figures of the five papers, as far as that can be done, beside their own figures.

papers.py BUILD/tests/bench [--csv FILE] [--markdown FILE] [--only NAME,...] [--limit SECONDS] [--quick]
          [--machine NAME] [--commit HASH] [--date DATE]
papers.py --tables CSV [--markdown FILE]     makes the tables of an earlier run

The first form runs the benchmark programs of that folder and their peers, and prints the tables; --csv writes every value, with the
columns of docs/benchmarks. NAME is components, borders, cracks, canny, snake or phases. After SECONDS (240) nothing new begins, and
what is missing is named. Without a GPU the host backend is measured on smaller images. Exit status 1: a measurement of ours failed, or a
peer that must agree with ours does not. docs/benchmarks/papers.md is --tables of the run that it names.
"""
import argparse
import csv
import datetime
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "common"), os.path.join(HERE, "papers")]

from harness import nvidia_smi, peer_interpreter, processor, records_of
from tables import page_of

COLUMNS = ["date", "commit", "machine", "command", "benchmark", "case", "implementation", "metric", "unit", "value"]
# Of the time, by stage: what a stage leaves goes to those behind it.
STAGES = {"components": 0.40, "phases": 0.12, "borders": 0.20, "cracks": 0.50, "canny": 0.65, "snake": 1.0}
COPY = "device-to-device copy"
CORES = len(os.sched_getaffinity(0))
WHO = {("ours", "warm"): "ours, CUDA", ("ours", "device"): "ours, CUDA", ("ours", "host-run"): "ours, CUDA, image in host memory",
       ("ours", "upload-run"): "ours, CUDA, image in host memory", ("host", "host"): "ours, host backend, 1 thread",
       ("host", "host-threads"): f"ours, host backend, {CORES} threads"}


class Run:
    """What has been measured, and the time that is left."""

    def __init__(self, options):
        self.programs, self.quick = options.programs, options.quick
        self.end = time.monotonic() + options.limit
        self.stage_end = self.end
        self.rows, self.keys, self.notes, self.problems = [], set(), [], []

    def left(self):
        return min(self.stage_end, self.end) - time.monotonic()

    def add(self, case, who, metric, unit, value):
        key = (case, who, metric)
        if value is not None and key not in self.keys:
            self.keys.add(key)
            self.rows.append({"benchmark": "papers", "case": case, "implementation": who, "metric": metric, "unit": unit,
                              "value": f"{value:.6g}"})

    def missing(self, what, reason):
        note = f"{what}: {reason}"
        if note not in self.notes:
            self.notes.append(note)

    def records(self, command, required=True):
        """The time and other records of COMMAND; what else it says is noted. An optional peer may fail."""
        limit = self.left()
        what = " ".join([os.path.basename(command[0])] + command[1:2]) if required else " ".join(
            [os.path.basename(command[1])] + [word for word in command[2:-1]])
        if limit < 1:
            self.missing(what, "no time was left")
            return
        start = time.monotonic()
        for record in records_of(command, limit):
            kind = record["type"]
            if kind == "device":
                self.add(COPY, "CUDA", "bandwidth, read + write", "TB/s", record["copy_bytes_per_second"] / 1e12)
            elif kind == "missing":
                self.missing(record["what"], record["reason"])
            elif kind == "cut":
                self.missing(record["what"], f"no time was left from {record['from']} on")
            elif kind == "peer":
                if "missing" in record:
                    self.missing(record["name"], f"not available here: {record['missing']}")
            elif kind == "failure":
                if time.monotonic() - start >= limit - 0.5:
                    self.missing(what, "ended when its time was over")
                elif required:
                    self.problems.append(f"{record['who']}: {record['message']}")
                else:
                    self.missing(what, record["message"])
            else:
                yield record


def who_of(record):
    return WHO.get((record["who"], record["mode"]), record["who"] if record["mode"] == "peer" else None)


def add_time(run, case, record):
    who = who_of(record)
    if who and "median_us" in record:
        run.add(case, who, "time, median", "us", record["median_us"])
    if who and record.get("different") and record["who"].startswith("OpenCV"):
        run.add(case, who, "different from ours", "count", record["different"])
    return who


# Components


def measure_components(run):
    program = [os.path.join(run.programs, "bench_papers"), "components", "--seconds", f"{max(run.left() - 5, 1):.0f}"]
    if run.quick:
        program += ["--sizes", "8192,512,2048", "--step", "25", "--budget", "4"]
    images, seen = {}, set()
    for record in run.records(program):
        size, granularity, density, who = (record[name] for name in ("size", "granularity", "density", "who"))
        who = "ours, CUDA" if who == "ours" else who
        case = f"components, {size} x {size}, g = {granularity}"
        images.setdefault((case, who), {})[density] = size * size / max(record["min_us"], 1e-3) / 1e3
        seen.add(who)
        if size == 8192 or (who.startswith("ours, host") and size == 2048):
            run.add(f"{case}, density {density} %", who, "time, minimum", "us", record["min_us"])
            run.add(f"{case}, density {density} %", who, "updates", "count", record.get("updates"))
            run.add(f"{case}, density {density} %", who, "conflicts", "count", record.get("conflicts"))
    for (case, who), throughputs in images.items():
        of_all = sorted(throughputs)
        step = f"{of_all[0]} to {of_all[-1]} % by {of_all[1] - of_all[0]}" if len(of_all) > 1 else f"{of_all[0]} %"
        run.add(f"{case}, mean over densities {step}", who, "throughput", "Gpix/s", sum(throughputs.values()) / len(throughputs))


# Borders, level contours


def image_of(record):
    return f"{os.path.splitext(record['name'])[0]} {record['width']} x {record['height']}"


def lists(run, name, cases, case_of, peers, files=()):
    """Runs bench_NAME on CASES, a regular expression, and its PEERS."""
    python = peer_interpreter()
    script = os.path.join(HERE, name, f"{name}_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        inputs = os.path.join(folder, "inputs")
        os.mkdir(inputs)
        for command in files:
            list(run.records([python] + command + [inputs], False))
        paths = [os.path.join(inputs, name) for name in sorted(os.listdir(inputs))]
        share = run.stage_end
        run.stage_end = time.monotonic() + 0.7 * run.left()  # the rest is the peers'
        ours = [os.path.join(run.programs, f"bench_{name}"), "--cases", cases, "--write", folder]
        for record in run.records(ours + (["--quick"] if run.quick else []) + paths):
            if record["type"] != "time":
                continue
            case = case_of(record)
            add_time(run, case, record)
            run.add(case, "ours", "contours", "count", record["contours"])
        run.stage_end = share
        for group in peers:
            for record in run.records([python, script, group, folder], False):
                who = add_time(run, case_of(record), record)
                if record.get("different") and record["who"].startswith("OpenCV"):
                    run.problems.append(f"{who} finds other contours than ours in {case_of(record)}")


def measure_borders(run):
    masks = [os.path.join(HERE, "cca", "cca_peers.py"), "masks"]
    lists(run, "borders", r"^(car_body_frame[^ ]*|board|blobs) [0-9x]+ LIST NONE.*area 0\.\..*features 0",
          lambda r: f"borders, {image_of(r)}, {r['retrieval']} {r['approximation']}", ["opencv", "npp"], [masks])


def measure_cracks(run):
    maps = [os.path.join(HERE, "cracks", "cracks_peers.py"), "maps"]
    lists(run, "cracks", r"^(disparity|chequers|grey chequers|motorcycle_disp8)[^.]*, ge, 8-connected, frame pad.*area 0\.\..*features 0"
          r"|^(HL|VL) .*frame zero", lambda r: f"cracks, {image_of(r)}, {r['levels']} levels", ["opencv"], [maps])


# Edges, snakes


def measure_canny(run):
    python, script = peer_interpreter(), os.path.join(HERE, "canny", "canny_peers.py")
    case_of = lambda r: (f"canny, {r['width']} x {r['height']} {'RGB' if r['channels'] == 3 else 'grey'}, sigma {r['sigma']:g}, "
                         f"{r['norm']}")
    with tempfile.TemporaryDirectory() as folder:
        share = run.stage_end
        run.stage_end = time.monotonic() + 0.75 * run.left()
        for record in run.records([os.path.join(run.programs, "bench_canny"), "--papers", "--write", folder]):
            add_time(run, case_of(record), record)
        run.stage_end = share
        for group in ["cv-cuda", "cucim", "npp-advanced", "opencv"]:
            for record in run.records([python, script, "measure", group, folder], False):
                who = add_time(run, case_of(record), record)
                share_of_pixels = 100 * record["different"] / (record["width"] * record["height"])
                run.add(case_of(record), who, "pixels that differ from ours", "%", share_of_pixels)
                if record["different"] and "IPP off" in record["who"]:
                    run.problems.append(f"{who} finds other edges than ours in {case_of(record)}")


def measure_snake(run):
    for record in run.records([os.path.join(run.programs, "bench_snake"), "--papers"]):
        bits = 16 if record["name"].endswith("16 bits") else 8
        case = f"snake, {record['width']} x {record['height']}, {bits} bits"
        who = add_time(run, case, record)
        if who:
            run.add(case, "ours", "iterations", "count", record["iterations"])
            run.add(case, "ours", "points", "count", record["points"])
            run.add(case, "ours", "IoU", "ratio", record["iou"])


# Phases


def kernel_name(mangled):
    """The function in a mangled name such as _ZN12_GLOBAL__N_112tiles_kernelILi4EEEv...; what is none stays as it is."""
    if not mangled.startswith("_Z"):
        return mangled
    rest, name = mangled[2:].lstrip("NKL"), ""
    while rest[:1].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        length = int(rest[:digits])
        name, rest = rest[digits:digits + length], rest[digits + length:].lstrip("L")
    return name or mangled


def measure_phases(run):
    program = [os.path.join(run.programs, "bench_papers"), "phases", "--seconds", f"{max(run.left() - 3, 1):.0f}"]
    kernels = {}
    for record in run.records(program):
        case = f"phases, {record['algorithm']}, {record['image']}, {record['width']} x {record['height']}"
        if record["type"] == "memory":
            pixels = record["width"] * record["height"]
            run.add(case, "ours, CUDA", "memory", "B", record["bytes"])
            run.add(case, "ours, CUDA", "memory by pixels", "B", record["bytes"] / pixels)
            run.add(case, "ours, CUDA", f"elements: {record['elements_are']}", "count", record["elements"])
        else:  # variants of a template are one kernel
            key = (case, kernel_name(record["kernel"]))
            entry = kernels.setdefault(key, [record["order"], 0])
            entry[1] += record["us"]
    for (case, name), (order, us) in kernels.items():
        run.add(case, "ours, CUDA", f"kernel {order + 1:02d} {name}", "us", us)


# Output


def commit_here():
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "0000000"


def write_csv(path, rows, options, command):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({"date": options.date, "commit": options.commit, "machine": options.machine, "command": command,
                             **row})


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", help="the folder of the benchmark programs")
    parser.add_argument("--tables", metavar="CSV")
    parser.add_argument("--csv", metavar="FILE")
    parser.add_argument("--markdown", metavar="FILE", help="where the page goes; standard output without it")
    parser.add_argument("--only", default=",".join(STAGES))
    parser.add_argument("--limit", type=float, default=240, metavar="SECONDS")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--machine", default="H200" if "H200" in nvidia_smi("name") else "here")
    parser.add_argument("--commit", default=None)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    options = parser.parse_args()
    if bool(options.programs) == bool(options.tables):
        parser.error("name the folder of the programs, or --tables")
    options.only = options.only.split(",")
    unknown = [name for name in options.only if name not in STAGES]
    if unknown:
        parser.error(f"--only knows {', '.join(STAGES)}; not {', '.join(unknown)}")
    return options


def write_page(options, rows, source):
    page = page_of(rows, source)
    if not options.markdown:
        print(page)
        return
    with open(options.markdown, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    options = parse()
    if options.tables:
        with open(options.tables, encoding="utf-8", newline="") as file:
            write_page(options, list(csv.DictReader(file)), os.path.basename(options.tables))
        return 0
    options.commit = options.commit or commit_here()
    os.environ.setdefault("CTR_BENCH_SECONDS", "0.1")  # of runs of one image on the CPU, the peers' too
    run = Run(options)
    for name in [name for name in STAGES if name in options.only]:
        later = [other for other in STAGES if other in options.only]
        share = 1.0 if later[-1] == name else STAGES[name]
        run.stage_end = time.monotonic() + share * (run.end - time.monotonic())
        start = time.monotonic()
        globals()[f"measure_{name}"](run)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    command = "tests/bench/papers.py build/tests/bench" + (" --quick" if options.quick else "")
    if options.csv:
        write_csv(options.csv, run.rows, options, command)
    write_page(options, [dict(row, machine=options.machine, commit=options.commit) for row in run.rows],
               options.csv and os.path.basename(options.csv))
    print(f"CPU: {processor()}, {CORES} threads; GPU: {nvidia_smi('name') or 'none'}", file=sys.stderr)
    print("\n".join([f"NOT MEASURED: {note}" for note in run.notes] + [f"FAILED: {problem}" for problem in run.problems]),
          file=sys.stderr)
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
