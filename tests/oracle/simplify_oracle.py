# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares the simplification of lines with cv2.approxPolyDP() of OpenCV 4.13 or newer, on random lines, and
on contours of masks and of the pictures in the folder CTR_TEST_DATA. It is skipped with an older OpenCV.

    simplify_oracle.py SIMPLIFY_LINES [LINES [SEED]]

SIMPLIFY_LINES: the program of simplify-lines.c."""
import struct
import subprocess
import sys

import numpy as np
from oracle import MEASURES_FROM_SEGMENT, QUICK, cv2, pictures, random_epsilon, random_mask, simplify, skip

if not MEASURES_FROM_SEGMENT:
    skip(f"OpenCV {cv2.__version__} is older than 4.13")

PROGRAM = sys.argv[1]
LINES = int(sys.argv[2]) if len(sys.argv) > 2 else 3000 if QUICK else 40000
RNG = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)


def random_line():
    """Repeated points, straight ones, ones that turn back, ones as long as coordinates allow."""
    side = int(RNG.choice([2, 3, 5, 8, 30, 200, 3000, 46342, 65536]))
    count = int(RNG.integers(1, 61 if RNG.integers(3) else 7))
    kind = RNG.integers(5)
    if kind == 0:
        return RNG.integers(0, side, (count, 2))
    if kind == 1:
        return RNG.integers(0, 3, (count, 2)) * (side - 1) // 2
    if kind == 2:  # along a diagonal
        return np.clip(RNG.integers(0, side, (count, 1)) + RNG.integers(-2, 3, (count, 2)), 0, side - 1)
    step = RNG.integers(-(side // 4) - 1, side // 4 + 2, (count, 2))
    if kind == 3:  # upright and level
        step[np.arange(count), RNG.integers(0, 2, count)] = 0
    return np.clip(side // 2 + step.cumsum(axis=0), 0, side - 1)


def contours_of(mask):
    method = cv2.CHAIN_APPROX_NONE if RNG.integers(2) else cv2.CHAIN_APPROX_SIMPLE
    return [line.reshape(-1, 2) for line in cv2.findContours(mask, cv2.RETR_LIST, method)[0]]


def compare(lines, what):
    epsilons = [random_epsilon(RNG) for _ in lines]
    text = b"".join(struct.pack("=Id", len(line), epsilon) + line.astype("u2").tobytes()
                    for line, epsilon in zip(lines, epsilons))
    result = subprocess.run([PROGRAM], input=text, stdout=subprocess.PIPE, check=True).stdout
    at = points = 0
    for i, (line, epsilon) in enumerate(zip(lines, epsilons)):
        count, = struct.unpack_from("=I", result, at)
        ours = np.frombuffer(result, "u2", 2 * count, at + 4).reshape(-1, 2)
        theirs = simplify(line, epsilon)
        at += 4 + 4 * count
        points += len(line)
        if not np.array_equal(ours, theirs):
            sys.exit(f"{what}, line {i}, epsilon {epsilon!r}: {ours.tolist()} instead of {theirs.tolist()} of "
                     f"{line.tolist()}")
    assert at == len(result)
    print(f"{what}: {len(lines)} lines of {points} points are equal")


compare([random_line() for _ in range(LINES)], "random lines")
for shape in ((7, 65535), (65535, 7)):
    compare(contours_of(random_mask(RNG, *shape)), f"a mask of {shape[1]} x {shape[0]}")
compare([line for _ in range(LINES // 100)
         for line in contours_of(random_mask(RNG, *(int(side) for side in RNG.integers(1, 200, 2))))], "random masks")
compare([line for _, grey in pictures() for white in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV)
         for line in contours_of(cv2.threshold(grey, 0, 255, white | cv2.THRESH_OTSU)[1])], "pictures of CTR_TEST_DATA")
