# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparisons with OpenCV's Python module share the module, and masks and pictures to compare on."""
import os
import pathlib
import sys


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


try:
    import cv2
    import numpy as np
except ImportError as missing:
    skip(missing)

QUICK = os.environ.get("CTR_TEST_QUICK", "0") != "0"

cv2.setNumThreads(1)
if hasattr(cv2, "ipp"):
    cv2.ipp.setUseIPP(False)  # its results are its own


def simplify(points, epsilon):
    return cv2.approxPolyDP(points.astype(np.int32).reshape(-1, 1, 2), epsilon, True).reshape(-1, 2)


# The distance of the tip (2, 1) is 1 from the line through (3, 2) and (5, 2), but 1.41 from the segment.
HOOK = np.array([(4, 0), (4, 1), (3, 2), (2, 1), (3, 2), (4, 1), (5, 2), (4, 1)])
MEASURES_FROM_SEGMENT = len(simplify(HOOK, 1.0)) == 4
print(f"OpenCV {cv2.__version__}, NumPy {np.__version__}: approxPolyDP measures from",
      "the segment, as since 4.13" if MEASURES_FROM_SEGMENT else "the endless line, as before 4.13")


def random_epsilon(rng):
    if rng.integers(2):
        return float(rng.choice([1e-200, 1e-9, 0.3, 0.5, 0.5 ** 0.5, 1, 2 ** 0.5, 1.5, 2, 3.7, 5, 10, 33.3, 46340, 46341,
                                 65535, 1e6, 1e29]))
    return float((1 + rng.integers(100000)) / 7 / 2.0 ** rng.integers(16))


def noise(rng, height, width):
    grain = int(rng.choice([1, 1, 2, 3, 7]))
    squares = rng.random((-(-height // grain), -(-width // grain))) < rng.random()
    return np.kron(squares, np.ones((grain, grain), bool))[:height, :width]


def blobs(rng, height, width):
    grey = cv2.GaussianBlur(rng.integers(0, 256, (height, width)).astype(np.uint8), (0, 0), rng.uniform(0.6, 4))
    return grey > np.median(grey) + rng.integers(-6, 7)


def comb(rng, height, width):
    """Teeth of random lengths, on a back at the left or above."""
    upright = rng.integers(2)
    rows, columns = (width, height) if upright else (height, width)
    mask = np.arange(columns)[None] < rng.integers(1, columns + 1, rows)[:, None]
    mask[rng.integers(2)::2] = False
    mask[:, 0] = True
    return mask.T if upright else mask


def spiral(rng, height, width):
    """Around a centre, of a width and at distances that need not be whole."""
    y, x = np.mgrid[:height, :width]
    y, x = y - height * rng.uniform(0.3, 0.7), x - width * rng.uniform(0.3, 0.7)
    turns = np.hypot(x, y) / rng.uniform(3, 12) + rng.choice([-1, 1]) * np.arctan2(y, x) / (2 * np.pi)
    return turns % 1 < rng.uniform(0.2, 0.8)


KINDS = [noise, blobs, comb, spiral]


def random_mask(rng, height, width):
    mask = KINDS[rng.integers(len(KINDS))](rng, height, width)
    if rng.integers(4) == 0:
        mask = mask ^ (rng.random(mask.shape) < 0.02)
    return np.ascontiguousarray(mask.astype(np.uint8)) * 255


def pictures():
    """Those in the folder CTR_TEST_DATA, in 8 bits of grey; every eighth of them where that is enough."""
    folder = os.environ.get("CTR_TEST_DATA")
    paths = sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix in (".png", ".jpg")) if folder else []
    for path in paths[::8] if QUICK else paths:
        yield path.name, cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
