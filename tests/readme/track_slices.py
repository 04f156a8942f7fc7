#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks what docs/cudasnake.md says of stacks of slices: cudasnake follows two bodies in noise from slice to slice of a stack of
PNG files, and the pixels inside their outlines add up to their volumes.

Runs the launch line of the document. Exit status 77 without NumPy, gst-launch-1.0 or one of the elements.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "docs")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(DOCS, "cudacanny"))
from stages import write_png

WIDTH, HEIGHT, SLICES = 200, 150, 36
X, Y, Z = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5, np.arange(SLICES), indexing="ij")


def bodies():
    """The voxels of two bodies: a leaning ellipsoid that ends inside the stack, and a bent tube through all of it."""
    u, v, w = X - 60 - 0.8 * (Z - 16), Y - 75 + 0.4 * (Z - 16), Z - 16
    ellipsoid = (u / 34) ** 2 + (v / 26) ** 2 + (w / 13.5) ** 2 <= 1
    tube = np.hypot(X - 150 - 12 * np.sin(Z / 9), Y - 70 - 0.5 * Z) <= 20
    return ellipsoid, tube


def write_slices(folder, stack):
    for z in range(SLICES):
        write_png(os.path.join(folder, f"slice-{z:03d}.png"), stack[:, :, z].T[..., None].repeat(3, 2))


def launch_line():
    """The line of the document."""
    with open(os.path.join(DOCS, "cudasnake.md"), encoding="utf-8") as file:
        found = re.search(r"^gst-launch-1.0 -m multifilesrc location=slice-%03d.png.*?(?<!\\)$", file.read(),
                          re.MULTILINE | re.DOTALL)
    return re.sub(r"window=\S+", "'window=10,5,100,130;100,5,100,140'", found[0].replace("\\\n", " "))


def check(rows, output, truth):
    """Returns an error, or None."""
    for which, body in enumerate(truth):
        areas = {int(row["frame"]): int(row["inside_count"]) for row in rows if row["object"] == str(which)}
        full = [z for z in range(SLICES) if body[:, :, z].sum() > 1000]
        missing = [z for z in full if z not in areas]
        if missing:
            return f"body {which} is not found in slices {missing}"
        for z in full:
            if abs(areas[z] / body[:, :, z].sum() - 1) > 0.08:
                return f"body {which}: {areas[z]} pixels in slice {z}, not {body[:, :, z].sum()}"
        print(f"body {which}: {sum(areas.values())} voxels in {len(areas)} slices, there are {body.sum()}")
        if abs(sum(areas.values()) / body.sum() - 1) > 0.05:
            return f"body {which} has another volume"
    changes = re.findall(r"cudasnake-track,.* object=\(uint\)(\d+), change=\(string\)(\w+)", output)
    # Without tracking, nothing would be lost.
    return None if changes == [("0", "lost")] else f"changes: {changes}"


def main():
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    if subprocess.run(["gst-inspect-1.0", "pngdec"], stdout=subprocess.DEVNULL, check=False).returncode:
        print("there is no pngdec")
        return 77
    truth = bodies()
    random = np.random.Generator(np.random.PCG64(11))
    stack = np.clip(np.rint(random.normal(np.where(truth[0] | truth[1], 130, 95), 22)), 0, 255).astype(np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        write_slices(folder, stack)
        done = subprocess.run(launch_line(), shell=True, cwd=folder, stdout=subprocess.PIPE, text=True, check=True, timeout=100)
        with open(os.path.join(folder, "stack.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    problem = check(rows, done.stdout, truth)
    if problem:
        print(problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
