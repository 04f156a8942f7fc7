#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How pipelines/archive.py scales with its workers:

    bench_archive.py [--workers N,N,...] [--backend NAME] [--pictures N] [--frames N] [--json FILE]

Makes pictures of 1920 x 1080 and a video of 1280 x 720, and analyses them with one worker, two, and so on, each time from the start. Prints
wall time, frames per second and CPU seconds of the workers, without the start of Ray; the numbers of frames must be equal. CTR_TEST_RAY
names the folder of Ray where Python does not find it. Exit status 77: there is no Ray.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHIVE = os.path.join(HERE, os.pardir, os.pardir, os.pardir, "pipelines", "archive.py")
ELEMENTS = ("cudacca backend={0} threshold-mode=otsu features=moments+grey"
            " ! cudaborders backend={0} threshold-mode=otsu mode=tree")
RINGS = "videotestsrc pattern=zone-plate kx2=8 ky2=8 kt=2"
SEGMENT = 1  # seconds
TIME_LIMIT = 600  # of one run
SUMMARY = re.compile(r"^(\d+) frames in ([\d.]+) s.*?; ([\d.]+) s of CPUs for (\d+) workers; (\d+) files, (\d+) failures$", re.MULTILINE)


def launch(description):
    subprocess.run(["gst-launch-1.0", "-q", *description.split()], check=True, stdout=subprocess.DEVNULL, timeout=TIME_LIMIT)


def make_data(folder, pictures, frames):
    os.makedirs(folder)
    launch(f"{RINGS} num-buffers={pictures} ! video/x-raw,format=GRAY8,width=1920,height=1080 ! jpegenc"
           f" ! multifilesink location={folder}/rings-%04d.jpg")
    launch(f"{RINGS} num-buffers={frames} ! video/x-raw,format=I420,width=1280,height=720,framerate=25/1 ! jpegenc ! avimux"
           f" ! filesink location={folder}/rings.avi")


def run(folder, to, workers, backend):
    gpus = ["--gpus-per-worker", "0"] if backend == "cpu" else []
    done = subprocess.run([sys.executable, ARCHIVE, "--to", to, "--elements", ELEMENTS.format(backend), "--segment", str(SEGMENT),
                           "--batch", "8", "--workers", str(workers), *gpus, folder],
                          capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    found = SUMMARY.search(done.stdout)
    if done.returncode or not found:
        sys.exit(f"bench_archive.py: archive.py failed with {workers} workers: {done.stderr.strip()}")
    frames, wall, cpu = int(found[1]), float(found[2]), float(found[3])
    return {"workers": workers, "frames": frames, "wall_s": wall, "frames_per_s": frames / wall, "cpu_s": cpu}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="1,2", help="numbers of workers (default: %(default)s)")
    parser.add_argument("--backend", default="auto", help="property of the elements: auto, cpu or cuda")
    parser.add_argument("--pictures", type=int, default=64)
    parser.add_argument("--frames", type=int, default=200, help="of the video")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if folder := os.environ.get("CTR_TEST_RAY"):
        sys.path.insert(0, folder)
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    try:
        import pyarrow  # noqa: F401
        import ray  # noqa: F401
    except ImportError as missing:
        print(f"{missing}: install ray, pyarrow, tqdm and numpy 2, or set CTR_TEST_RAY to the folder that has them")
        return 77
    with tempfile.TemporaryDirectory(prefix="bench-archive-") as root:
        make_data(f"{root}/in", options.pictures, options.frames)
        results = []
        print(f"{'workers':>8} {'frames':>7} {'wall s':>7} {'frames/s':>9} {'CPU s':>7} {'speed-up':>9}")
        for workers in map(int, options.workers.split(",")):
            results.append(run(f"{root}/in", f"{root}/out", workers, options.backend))
            shutil.rmtree(f"{root}/out")
            result = results[-1]
            print(f"{workers:8} {result['frames']:7} {result['wall_s']:7.1f} {result['frames_per_s']:9.1f} {result['cpu_s']:7.1f} "
                  f"{results[0]['wall_s'] / result['wall_s']:9.2f}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if len({result["frames"] for result in results}) > 1:
        print("the numbers of frames differ")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
