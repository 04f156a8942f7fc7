# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares masks with the OpenCV that Python finds, which may be newer than that of foreground-oracle:
threshold(), adaptiveThreshold(), inRange(), cvtColor() and morphologyEx(), on random images and those in the folder
CTR_TEST_DATA. Means may differ as foreground-oracle says.

    foreground_oracle.py MAKE_MASKS [ROUNDS [SEED]]

MAKE_MASKS: the program of make-masks.c."""
import sys

import numpy as np
from masks import BLUE, CB, CR, FIXED, GAUSSIAN, GREEN, HUE, MEAN, OTSU, RED, SATURATION, TRIANGLE, VALUE, masks_of
from oracle import QUICK, cv2, pictures

PROGRAM = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 500 if QUICK else 3000
RNG = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
SHAPES = cv2.MORPH_RECT, cv2.MORPH_CROSS, cv2.MORPH_ELLIPSE
PLACES = {RED: (None, 0), GREEN: (None, 1), BLUE: (None, 2), HUE: (cv2.COLOR_RGB2HSV, 0), SATURATION: (cv2.COLOR_RGB2HSV, 1),
          VALUE: (cv2.COLOR_RGB2HSV, 2), CR: (cv2.COLOR_RGB2YCrCb, 1), CB: (cv2.COLOR_RGB2YCrCb, 2)}
differing = {MEAN: 0, GAUSSIAN: 0}
compared = {MEAN: 0, GAUSSIAN: 0}


def samples_of(image, channel):
    code, place = PLACES[channel]
    return np.ascontiguousarray((image if code is None else cv2.cvtColor(image, code))[..., place])


def tolerance(mode, block):
    unit = 255 * 2.0 ** -24
    if mode == MEAN:
        return 0 if block < 165 else 2.01 * unit
    return 0 if block <= 9 else (6 * block + 4) * unit


def compare_adaptive(image, mask, mode, block, offset, invert, what):
    method = cv2.ADAPTIVE_THRESH_MEAN_C if mode == MEAN else cv2.ADAPTIVE_THRESH_GAUSSIAN_C
    kind = cv2.THRESH_BINARY_INV if invert else cv2.THRESH_BINARY
    differ = cv2.adaptiveThreshold(image, 255, method, kind, block, offset) != mask
    compared[mode] += image.size
    if not differ.any():
        return
    border = cv2.BORDER_REPLICATE | cv2.BORDER_ISOLATED
    if mode == MEAN:
        means = cv2.boxFilter(image.astype(np.float64), -1, (block, block), normalize=False, borderType=border) / block ** 2
    else:
        means = cv2.GaussianBlur(image.astype(np.float32), (block, block), 0, sigmaY=0, borderType=border).astype(np.float64)
    distance = np.abs(means % 1 - 0.5)[differ].max()
    if distance > tolerance(mode, block):
        sys.exit(f"{what}: {np.count_nonzero(differ)} pixels differ, up to {distance} from the middle between integers")
    differing[mode] += np.count_nonzero(differ)


def expected_mask(image, mode=FIXED, threshold=0, invert=0, upper=0, ranges=None, opening=0, closing=0, shape=0, channel=0):
    if ranges:
        mask = np.full(image.shape[:2], 255, np.uint8)
        for c, (low, high) in ranges.items():
            samples = samples_of(image, c)
            if low <= high:
                mask &= cv2.inRange(samples, low, high)
            else:
                mask &= cv2.inRange(samples, low, 255) | cv2.inRange(samples, 0, high)
    else:
        samples = image if image.ndim == 2 else samples_of(image, channel)
        top = np.iinfo(image.dtype).max
        if mode == FIXED:
            mask = cv2.inRange(samples, threshold, upper or top) if threshold <= (upper or top) else np.zeros_like(samples)
        else:
            mask = cv2.threshold(samples, 0, top, cv2.THRESH_OTSU if mode == OTSU else cv2.THRESH_TRIANGLE)[1]
        mask = (mask > 0).astype(np.uint8) * 255
    if invert:
        mask = 255 - mask
    for size, operation in ((opening, cv2.MORPH_OPEN), (closing, cv2.MORPH_CLOSE)):
        if size > 0:
            mask = cv2.morphologyEx(mask, operation, cv2.getStructuringElement(SHAPES[shape], (size, size)))
    return mask


def compare(cases, name):
    for i, ((image, keywords), ours) in enumerate(zip(cases, masks_of(PROGRAM, cases))):
        what = f"{name} {i}, {image.shape} of {image.dtype}, {keywords}"
        if keywords.get("mode") in (MEAN, GAUSSIAN):
            compare_adaptive(image, ours, keywords["mode"], keywords["block"], keywords["offset"], keywords["invert"], what)
        elif not np.array_equal(ours, expected_mask(image, **keywords)):
            sys.exit(f"{what}: {np.count_nonzero(ours != expected_mask(image, **keywords))} pixels differ")
    print(f"{name}: {len(cases)} masks are equal")


def random_keywords(image):
    keywords = {"invert": int(RNG.integers(2))}
    if image.ndim == 2 and image.dtype == np.uint8 and RNG.integers(2):
        block = int(RNG.choice([3, 5, 7, 9, 11, 21, 51])) if RNG.integers(2) else 3 + 2 * int(RNG.integers(127))
        return keywords | {"mode": int(RNG.choice([MEAN, GAUSSIAN])), "block": block, "offset": int(RNG.integers(-9, 10))}
    if image.ndim == 3 and RNG.integers(2):
        keywords["ranges"] = {int(c): tuple(int(v) for v in RNG.integers(0, 256, 2)) for c in RNG.choice(list(PLACES), 2)}
    else:
        top = np.iinfo(image.dtype).max
        modes = [FIXED, OTSU, TRIANGLE] if image.dtype == np.uint8 else [FIXED, OTSU]
        keywords |= {"mode": int(RNG.choice(modes)), "threshold": int(RNG.integers(0, top + 1)),
                     "upper": int(RNG.integers(0, top + 1)), "channel": int(RNG.choice(list(PLACES))) if image.ndim == 3 else 0}
    if RNG.integers(2):
        keywords |= {"opening": int(RNG.integers(0, 64 if RNG.integers(2) else 8)), "shape": int(RNG.integers(3)),
                     "closing": int(RNG.integers(0, 64 if RNG.integers(2) else 8))}
    return keywords


def random_image():
    shape = [int(side) for side in RNG.integers(1, 18 if RNG.integers(2) else 120, 2)]
    kind = RNG.integers(4)
    dtype, top = (np.uint16, 65536) if kind == 0 else (np.uint8, 256)
    if kind == 1:
        shape.append(3)
    low, high = sorted(RNG.integers(0, top, 2))
    image = RNG.integers(low, high + 1, shape).astype(dtype)
    return cv2.GaussianBlur(image, (0, 0), 1.5).reshape(shape) if RNG.integers(3) == 0 else image


def all_colours():
    """Ranges of samples of each channel, of an eighth of all colours."""
    colours = np.stack(np.meshgrid(*[np.arange(256, dtype=np.uint8)] * 3, indexing="ij"), axis=-1).reshape(4096, 4096, 3)
    step = 60 if QUICK else 12
    return [(colours[y:y + 512], {"ranges": {c: (value, value + step - 1)}})
            for c in PLACES for value in range(0, 256 - step, step) for y in (int(RNG.integers(0, 3584)),)]


compare([(image, random_keywords(image)) for image in (random_image() for _ in range(ROUNDS))], "random images")
compare(all_colours(), "colours")
compare([(grey, random_keywords(grey)) for _, grey in pictures() for _ in range(6)], "pictures of CTR_TEST_DATA")
for mode, name in ((MEAN, "mean"), (GAUSSIAN, "Gaussian")):
    print(f"adaptive {name}: {differing[mode]} of {compared[mode]} pixels differ where OpenCV's floating point is in doubt")
