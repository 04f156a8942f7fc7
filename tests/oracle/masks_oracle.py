# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares hysteresis, cleared borders and filled holes with scikit-image's apply_hysteresis_threshold() and
clear_border() and SciPy's binary_fill_holes(), on noise of many densities, smooth noise, lines, and the pictures in the
folder CTR_TEST_DATA. Exit status 77 without scikit-image, which Debian has in python3-skimage. To try another version:

    PYTHONPATH=FOLDER meson test -C build masks-oracle

after "pip install --target FOLDER scikit-image".

    masks_oracle.py MAKE_MASKS [ROUNDS [SEED]]

MAKE_MASKS: the program of make-masks.c."""
import os
import pathlib
import sys

try:
    import numpy as np
    import skimage
    from scipy import ndimage
    from skimage.filters import apply_hysteresis_threshold
    from skimage.io import imread
    from skimage.segmentation import clear_border

    from masks import FIXED, HYSTERESIS, masks_of
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM = sys.argv[1]
QUICK = os.environ.get("CTR_TEST_QUICK", "0") != "0"
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 200 if QUICK else 3000
RNG = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)


def expected_mask(image, mode, threshold, upper=0, fill=0, clear=0):
    if mode == HYSTERESIS:
        # The samples are integers: greater than THRESHOLD - 1 is THRESHOLD or greater.
        mask = apply_hysteresis_threshold(image.astype(np.int64), threshold - 1, upper - 1)
    else:
        mask = image >= threshold
    if fill:
        mask = ndimage.binary_fill_holes(mask)
    if clear:
        mask = clear_border(mask)
    return mask


def compare(cases, what):
    foreground = pixels = 0
    for i, ((image, keywords), ours) in enumerate(zip(cases, masks_of(PROGRAM, cases))):
        theirs = expected_mask(image, **keywords) * np.uint8(255)
        pixels += image.size
        foreground += np.count_nonzero(ours)
        if not np.array_equal(ours, theirs):
            sys.exit(f"{what} {i}, {image.shape[1]} x {image.shape[0]} of {image.dtype}, {keywords}: "
                     f"{np.count_nonzero(ours != theirs)} pixels differ")
    if cases:
        print(f"{what}: {len(cases)} masks are equal, {foreground / pixels:.0%} foreground")


def random_image(shape):
    top = 256 if RNG.integers(3) else 65536
    kind = RNG.integers(4)
    if kind == 0:
        image = RNG.integers(0, top, shape)
    elif kind == 1:
        image = ndimage.gaussian_filter(RNG.random(shape), RNG.uniform(0.5, 3))
        image = (image - image.min()) / (np.ptp(image) or 1) * (top - 1)
    elif kind == 2:
        grain = int(RNG.integers(1, 8))
        squares = RNG.integers(0, top, (-(-shape[0] // grain), -(-shape[1] // grain)))
        image = np.kron(squares, np.ones((grain, grain), int))[:shape[0], :shape[1]]
    else:  # rings around a centre
        y, x = np.mgrid[:shape[0], :shape[1]]
        distance = np.hypot(x - RNG.uniform(0, shape[1]), y - RNG.uniform(0, shape[0])) + RNG.random(shape)
        image = (distance * RNG.uniform(0.05, 0.4) % 1) * (top - 1)
    return np.ascontiguousarray(image.astype(np.uint8 if top == 256 else np.uint16))


def cases_of(image):
    top = np.iinfo(image.dtype).max
    low = int(np.quantile(image, RNG.uniform(0.2, 0.8))) + int(RNG.integers(-1, 2))
    low = min(max(low, 1), top)
    high = int(RNG.integers(low, top + 1)) if RNG.integers(2) else min(int(np.quantile(image, RNG.uniform(0.8, 1))) + 1, top)
    hysteresis = {"mode": HYSTERESIS, "threshold": low, "upper": max(low, high)}
    fixed = {"mode": FIXED, "threshold": low}
    return [(image, hysteresis), (image, fixed | {"fill": 1}), (image, fixed | {"clear": 1}),
            (image, hysteresis | {"fill": 1, "clear": 1})]


def random_shape():
    if RNG.integers(4) == 0:
        return tuple(int(side) for side in RNG.choice([1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129], 2))
    return tuple(int(side) for side in RNG.integers(1, 90, 2))


compare([case for height in range(1, 18) for width in range(1, 18) for case in cases_of(random_image((height, width)))],
        "small images")
compare([case for _ in range(ROUNDS) for case in cases_of(random_image(random_shape()))], "random images")
folder = os.environ.get("CTR_TEST_DATA")
paths = sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix in (".png", ".jpg")) if folder else []
pictures = [imread(path) for path in (paths[::8] if QUICK else paths)]
compare([case for picture in pictures if picture.ndim == 2 and picture.dtype in (np.uint8, np.uint16)
         for case in cases_of(np.ascontiguousarray(picture))], "pictures of CTR_TEST_DATA")
print(f"scikit-image {skimage.__version__}")
