# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares hysteresis, cleared borders and filled holes with scikit-image's apply_hysteresis_threshold() and
clear_border() and SciPy's binary_fill_holes(), and the number of parts into which touching ones are split with the h-maxima
of SciPy's distance_transform_edt(), on noise of many densities, smooth noise, lines, and the pictures in the
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
    from skimage.morphology import local_maxima, reconstruction
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


EIGHT = np.ones((3, 3), int)


def maxima_of(distance, depth):
    """The h-maxima, labelled: those maxima that rise by at least DEPTH above where they meet a higher one. Background, and what
    surrounds the image, is so low that all parts have a maximum and none meet there."""
    low = np.pad(np.where(distance > 0, distance, -1e6), 1, constant_values=-1e6)
    levels = reconstruction(low - (depth - 1e-9), low, footprint=EIGHT)
    return ndimage.label((local_maxima(levels, connectivity=2) & (low > 0))[1:-1, 1:-1], EIGHT)


def check_split(mask, split, ours, what):
    """Returns the number of parts, and of pieces besides them that a cut has left. A depth of less than 1.5 pixels may cut a
    whole part."""
    if mask.all():
        distance = np.ones(mask.shape)  # without background there is nothing to split
    else:
        distance = ndimage.distance_transform_edt(mask)
    maxima, count = maxima_of(distance, split / 16)
    pieces, found = ndimage.label(ours, EIGHT)
    cut = mask & (ours == 0)
    if (ours.astype(bool) & ~mask).any():
        sys.exit(f"{what}: background has become foreground")
    whole, wholes = ndimage.label(mask, EIGHT)
    for i, place in enumerate(ndimage.find_objects(whole), 1):
        inside = whole[place] == i
        parts = set(np.unique(maxima[place][inside])) - {0}
        if len(parts) == 1 and cut[place][inside].any():
            sys.exit(f"{what}: a part with one maximum has been cut")
    if split < 24:
        return count, 0
    tops = [np.flatnonzero(distance * (maxima == i) == distance[maxima == i].max())[-1] for i in range(1, count + 1)]
    at_tops = pieces.ravel()[tops]
    if (at_tops == 0).any():
        sys.exit(f"{what}: a maximum has been cut")
    if len(np.unique(at_tops)) != count:
        sys.exit(f"{what}: {len(np.unique(at_tops))} parts instead of {count}")
    return count, found - count


def random_parts(shape):
    """Discs and ellipses, blobs, or squares of noise."""
    y, x = np.mgrid[:shape[0], :shape[1]]
    kind = RNG.integers(4)
    if kind == 0:
        return ndimage.gaussian_filter(RNG.random(shape), RNG.uniform(1, 5)) > 0.5
    if kind == 1:
        grain = int(RNG.integers(1, 12))
        squares = RNG.random((-(-shape[0] // grain), -(-shape[1] // grain))) < RNG.uniform(0.3, 0.95)
        return np.kron(squares, np.ones((grain, grain), bool))[:shape[0], :shape[1]]
    mask = np.zeros(shape, bool)
    for _ in range(RNG.integers(1, 20)):
        angle, radius, narrow = RNG.uniform(0, np.pi), RNG.uniform(2, 25), RNG.uniform(0.4, 1) if kind == 2 else 1
        dx, dy = x - RNG.uniform(0, shape[1]), y - RNG.uniform(0, shape[0])
        along, aside = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
        mask |= np.hypot(along, aside / narrow) <= radius
    return mask


def compare_parts(shapes, what):
    masks = [random_parts(shape) for shape in shapes]
    cases = [(np.ascontiguousarray(mask.astype(np.uint8)), {"threshold": 1, "split": int(RNG.integers(1, 97))}) for mask in masks]
    parts = left = 0
    for i, (mask, (_, keywords), ours) in enumerate(zip(masks, cases, masks_of(PROGRAM, cases))):
        split = keywords["split"]
        count, more = check_split(mask, split, ours, f"{what} {i}, {mask.shape[1]} x {mask.shape[0]}, depth {split}/16")
        parts += count
        left += more
    print(f"{what}: {len(cases)} masks are split into {parts} parts as the h-maxima say; {left} pieces more")


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
compare_parts([(height, width) for height in range(1, 18) for width in range(1, 18)], "small parts")
compare_parts([tuple(int(side) for side in RNG.integers(1, 140, 2)) for _ in range(ROUNDS)], "parts")
folder = os.environ.get("CTR_TEST_DATA")
paths = sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix in (".png", ".jpg")) if folder else []
pictures = [imread(path) for path in (paths[::8] if QUICK else paths)]
compare([case for picture in pictures if picture.ndim == 2 and picture.dtype in (np.uint8, np.uint16)
         for case in cases_of(np.ascontiguousarray(picture))], "pictures of CTR_TEST_DATA")
print(f"scikit-image {skimage.__version__}")
