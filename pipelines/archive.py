#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Analyses folders of pictures and videos on all cores or GPUs of this machine or of a Ray cluster, and writes the results as Parquet.

INPUT is a file, a folder, a pattern such as "in/**/*.png", or a URI of a bucket (s3://bucket/folder). The same command goes on where it was
interrupted. docs/archive.md describes the tables, and how to run this on a cluster.

  pipelines/archive.py --to results --elements "cudacca threshold-mode=otsu ! cudaborders threshold-mode=otsu mode=tree" pictures/
"""
import argparse
import math
import os
import sys
import time

try:
    import pyarrow  # noqa: F401
    import ray
    import tqdm
except ImportError as missing:
    print(f"archive.py: {missing}. Install Ray, for example into a virtual environment: pip install ray pyarrow tqdm 'numpy>=2' "
          "(docs/archive.md).", file=sys.stderr)
    sys.exit(2)
try:
    import archiving
    from archiving.cluster import ClusterError, Job
    from archiving.inputs import InputError, find_files
    from archiving.ledger import Ledger
    from archiving.store import Store, StoreError
    from archiving.worker import Settings
except (ImportError, ValueError) as missing:  # gi raises ValueError where a namespace is missing
    print(f"archive.py: {missing}. Install the plugin with its Python binding on every node (docs/install.md), or run this in "
          "meson devenv -C build.", file=sys.stderr)
    sys.exit(2)

ELEMENTS = "cudacca threshold-mode=otsu ! cudaborders threshold-mode=otsu mode=tree"
SHOWN_FAILURES = 20
OBJECT_STORE = 100 << 20  # bytes: results do not go through it


class Progress:
    """A bar on a terminal, and the number of frames."""

    def __init__(self, files):
        self.bar = tqdm.tqdm(total=files, unit=" parts", disable=None)
        self.frames = 0

    def add(self, parts):
        self.bar.total += parts

    def advance(self, parts, frames):
        self.frames += frames
        self.bar.set_postfix_str(f"{self.frames} frames", refresh=False)
        self.bar.update(parts)

    def say(self, text):
        self.bar.write(f"archive.py: {text}", file=sys.stderr)


def fail(message, status=2):
    print(f"archive.py: {message}", file=sys.stderr)
    sys.exit(status)


def number(convert, least):
    def parse(text):
        value = convert(text)
        if not (math.isfinite(value) and value >= least):
            raise argparse.ArgumentTypeError(f"{text} must be {least} or more")
        return value
    parse.__name__ = "number"
    return parse


def parse(arguments):
    parser = argparse.ArgumentParser(prog="archive.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", metavar="FOLDER", required=True, help="folder or URI of the results")
    parser.add_argument("--elements", default=ELEMENTS,
                        help="what analyses the frames, as gst-launch-1.0 has it (default: %(default)s)")
    parser.add_argument("--segment", metavar="SECONDS", type=number(float, 0), default=60,
                        help="videos are split into segments of this length; 0: never (default: %(default)g)")
    parser.add_argument("--batch", metavar="N", type=number(int, 1), default=64, help="pictures in a task (default: %(default)s)")
    parser.add_argument("--workers", metavar="N", type=number(int, 1),
                        help="processes that analyse (default: one for each GPU; without GPUs one for each CPU)")
    parser.add_argument("--gpus-per-worker", metavar="N", type=number(float, 0),
                        help="GPUs of a worker, also parts such as 0.5 (default: 1 where Ray reports GPUs, otherwise 0)")
    parser.add_argument("--address", help="address of a running Ray cluster, or auto (default: RAY_ADDRESS, otherwise Ray is started here)")
    parser.add_argument("--timeout", metavar="SECONDS", type=number(float, 0.1), default=60,
                        help="a file that delivers no frame for this long has failed (default: %(default)g)")
    parser.add_argument("--retry-failed", action="store_true", help="also analyses files that failed in an earlier run")
    parser.add_argument("inputs", metavar="INPUT", nargs="+")
    return parser.parse_args(arguments)


def start_ray(options):
    """Connects to the cluster, or starts Ray on this machine. Returns the number of workers and the resources of each."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    address = options.address or os.environ.get("RAY_ADDRESS") or "local"
    here = {"num_cpus": options.workers or os.cpu_count(), "include_dashboard": False, "object_store_memory": OBJECT_STORE}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", namespace="archive",
                 runtime_env={"py_modules": [os.path.dirname(archiving.__file__)]}, **(here if address == "local" else {}))
    except (ConnectionError, RuntimeError, ValueError) as problem:
        fail(f"Ray at the address {address}: {problem}")
    offered = ray.cluster_resources()
    gpus, cpus = offered.get("GPU", 0), int(offered.get("CPU", 1))
    each = options.gpus_per_worker
    if each is None:
        each = 1 if gpus else 0
    if each > gpus:
        fail(f"--gpus-per-worker {each:g}: Ray reports {gpus:g} GPUs")
    workers = options.workers or max(1, min(cpus, int(gpus / each)) if each else cpus)
    return workers, {"num_cpus": 1, "num_gpus": each}


def report(job, ledger, files, seconds):
    failures = ledger.failures()
    rate = f", {job.frames / seconds:.1f} frames/s" if job.frames else ""
    print(f"{job.frames} frames in {seconds:.1f} s{rate}; {job.seconds:.1f} s of CPUs for {job.wanted} workers; "
          f"{len(files)} files, {len(failures)} failures")
    for failure in failures[:SHOWN_FAILURES]:
        part = f", segment {failure['segment']}" if failure["segments"] > 1 else ""
        print(f"archive.py: {failure['file']}{part}: {failure['error']}", file=sys.stderr)
    if len(failures) > SHOWN_FAILURES:
        print(f"archive.py: {len(failures) - SHOWN_FAILURES} more in failed.json", file=sys.stderr)
    return 1 if failures else 0


def main(arguments):
    options = parse(arguments)
    try:
        files, others = find_files(options.inputs)
        store = Store(options.to)
    except (InputError, StoreError) as problem:
        fail(problem)
    if others:
        print(f"archive.py: {others} files are neither pictures nor videos by their names, and left out", file=sys.stderr)
    settings = Settings(options.elements, options.segment, options.timeout, store.where)
    started = time.monotonic()
    try:
        store.prepare()
        store.check_settings({"elements": options.elements, "segment": options.segment})
        ledger = Ledger(store, files, options.retry_failed)
        if ledger.outside:
            print(f"archive.py: a file has changed, and its rows were removed with those of {len(ledger.outside)} files that are not among the "
                  "inputs: run this again with those", file=sys.stderr)
        progress = Progress(len(files))
        job = Job(settings, ledger, files, options.batch, progress)
        try:
            if job.queue:
                ready = start_ray(options)
                started = time.monotonic()
                job.run(*ready)
                ledger.tidy()
        finally:
            ledger.save()
            progress.bar.close()
        return report(job, ledger, files, time.monotonic() - started)
    except StoreError as problem:
        fail(problem)
    except ClusterError as problem:
        fail(problem, 2 if problem.wrong_usage else 1)
    except KeyboardInterrupt:
        fail("interrupted; the same command goes on from here", 130)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
