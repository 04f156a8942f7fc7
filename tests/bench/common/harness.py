# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the table makers (bench_*.py) and the programs that run peers (*_peers.py). Needs no package."""
import argparse
import csv
import ctypes
import glob
import json
import os
import shlex
import subprocess
import sys
import threading
import time

MAX_RUNS = 25
TIME_LIMIT_US = float(os.environ.get("CTR_BENCH_SECONDS", 0.4)) * 1e6  # no further run of one image after this


# Records


def emit(**record):
    print(json.dumps(record), flush=True)


def records_of(command, time_limit=None):
    """The JSON records COMMAND prints, one a line; one more for each failure. Ends it after TIME_LIMIT seconds."""
    who = os.path.basename(command[0])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(time_limit or 0, process.kill)
        if time_limit:
            timer.start()
        for line in process.stdout:
            try:
                yield json.loads(line)
            except ValueError:
                yield {"type": "failure", "who": who, "message": f"no record: {line.strip()[:200]}"}
    timer.cancel()
    if process.returncode:
        yield {"type": "failure", "who": who, "message": f"exit status {process.returncode}"}


def write_json(path, records):
    with open(path, "w") as file:
        file.writelines(json.dumps(r) + "\n" for r in records)


# The table


def parse_options(program, chooses=False):
    """The command line of a table maker; PROGRAM, the name of its benchmark, is its argument and attribute. CHOOSES: it can leave
    out the GPU, and cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument(program)
    if chooses:
        parser.add_argument("--host", action="store_true", help="the host backend and OpenCV only")
        parser.add_argument("--cases", metavar="REGEX", help="only cases that match")
    parser.add_argument("--full", action="store_true", default=os.environ.get("CTR_BENCH") == "full")
    parser.add_argument("--csv")
    parser.add_argument("--json")
    return parser.parse_args()


def choice_of(options):
    """What --host and --cases ask of a benchmark."""
    return (["--host"] if options.host else []) + (["--cases", options.cases] if options.cases else [])


def write_files(options, notes, records, fields):
    """What --json and --csv ask for."""
    if options.json:
        write_json(options.json, notes + records)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fields, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(records)


def number(value):
    if value >= 10000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def print_columns(table, left=2):
    """TABLE's first row is the header; the first LEFT columns are flush left."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for i, row in enumerate(table):
        cells = [cell.ljust(width) if column < left else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        print("| " + " | ".join(cells) + " |")
        if i == 0:
            print("|" + "|".join("-" * (width + 1) + ("-" if column < left else ":")
                                 for column, width in enumerate(widths)) + "|")


def nvidia_smi(field):
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader"],
                              capture_output=True, text=True)
        return done.stdout.split("\n")[0].strip() if done.returncode == 0 else ""
    except OSError:
        return ""


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    except OSError:
        return "unknown"


def print_machine(device):
    """DEVICE: the device record, or None."""
    if device:
        print(f"GPU: {device['gpu']}, driver {nvidia_smi('driver_version')} (CUDA {device['cuda_driver']}), "
              f"copies {device['copy_bytes_per_second'] / 1e12:.2f} TB/s (read + write)")
    else:
        print("GPU: none; host backend only")
    print_host()


def print_host():
    print(f"CPU: {processor()}, {len(os.sched_getaffinity(0))} threads")
    print(f"Command: {'CTR_BENCH=full ' if os.environ.get('CTR_BENCH') == 'full' else ''}{shlex.join(sys.argv)}")


def print_peers(notes):
    for note in notes:
        if note["type"] == "peer":
            print(f"{note['name']}: " + (f"not present ({note['missing']})" if "missing" in note
                                         else f"{note['version']}, {note['note']}"))


# Peers


def peer_interpreter():
    """A Python with OpenCV: this one, the PATH's or the system's; this one where none has it."""
    for python in (sys.executable, "python3", "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import cv2, numpy"], capture_output=True).returncode == 0:
                return python
        except OSError:
            continue
    return sys.executable


def repeat(run):
    """Microseconds of up to MAX_RUNS calls of run(), fewer of a slow one, and its last result."""
    times = []
    while len(times) < MAX_RUNS and sum(times) < TIME_LIMIT_US:
        start = time.perf_counter()
        result = run()
        times.append((time.perf_counter() - start) * 1e6)
    return times, result


def read_pnm(path):
    """(bytes, width, height, channels) of a binary PGM or PPM file."""
    with open(path, "rb") as file:
        magic, width, height, _ = (file.readline().strip() for _ in range(4))
        assert magic in (b"P5", b"P6")
        return file.read(), int(width), int(height), 3 if magic == b"P6" else 1


def write_pgm(path, image):
    with open(path, "wb") as file:
        file.write(b"P5\n%d\n%d\n255\n" % (image.shape[1], image.shape[0]))
        file.write(image.tobytes())


class NppPoint(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class NppSize(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class NppStreamContext(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int),
                ("shared_memory_per_block", ctypes.c_size_t), ("compute_major", ctypes.c_int),
                ("compute_minor", ctypes.c_int), ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_uint)]


def gpu_memory(name):
    """CuPy; None, and the peer NAME reported as missing, where there is none or no GPU."""
    try:
        import cupy
        cupy.zeros(1)
        cupy.cuda.Device().synchronize()
        return cupy
    except Exception as error:  # the ways a GPU can be missing are CuPy's, and many
        reason = "no cupy module" if isinstance(error, ImportError) else (str(error).splitlines() or [type(error).__name__])[0]
        emit(type="peer", name=name, missing=f"needs CuPy for its memory: {reason}")
        return None


def load_npp():
    folders = glob.glob("/usr/local/cuda*/lib64") + glob.glob("/usr/local/cuda*/targets/*/lib")
    folders += [f for path in sys.path for f in glob.glob(f"{path}/nvidia/*/lib")]
    names = [name for folder in folders for name in sorted(glob.glob(f"{folder}/libnppif.so*"))]
    for name in names + ["libnppif.so.13", "libnppif.so.12", "libnppif.so"]:
        core = os.path.join(os.path.dirname(name), os.path.basename(name).replace("nppif", "nppc"))
        try:
            ctypes.CDLL(core, mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def npp_context(cupy, stream):
    device = cupy.cuda.Device()
    attributes = device.attributes
    major, minor = divmod(int(device.compute_capability), 10)
    return NppStreamContext(
        stream.ptr, device.id, attributes["MultiProcessorCount"], attributes["MaxThreadsPerMultiProcessor"],
        attributes["MaxThreadsPerBlock"], attributes["MaxSharedMemoryPerBlock"], major, minor, 1, 0)


def call_npp(library, name, *arguments):
    status = getattr(library, name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{name}: NPP status {status}")
