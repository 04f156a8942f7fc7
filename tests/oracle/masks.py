# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparisons of masks share the program of make-masks.c and the numbers of its enumerations."""
import struct
import subprocess

import numpy as np

FIXED, OTSU, TRIANGLE, MEAN, GAUSSIAN, HYSTERESIS = range(6)
CHANNELS = LUMA, RED, GREEN, BLUE, HUE, SATURATION, VALUE, CB, CR = range(9)
GRAY8, GRAY16, RGB = range(3)


def request_of(image, mode=FIXED, threshold=0, invert=0, upper=0, block=0, offset=0, channel=LUMA, ranges=None, opening=0,
               closing=0, shape=0, fill=0, split=0, clear=0):
    """RANGES: by channel, the lowest and highest samples. SPLIT: in 1/16 pixels."""
    ranges = ranges or {}
    bits = sum(1 << c for c in ranges)
    lower, upper_bounds = (bytes(ranges.get(c, (0, 0))[i] for c in CHANNELS) for i in (0, 1))
    image_format = RGB if image.ndim == 3 else GRAY16 if image.dtype == np.uint16 else GRAY8
    return struct.pack("=8Ii2I9s9s2x6I", image.shape[1], image.shape[0], image_format, mode, threshold, invert, upper, block,
                       offset, channel, bits, lower, upper_bounds, opening, closing, shape, fill, split, clear) + image.tobytes()


def masks_of(program, cases):
    """CASES: images and the keywords of request_of(). Returns their masks, of 0 and 255."""
    text = b"".join(request_of(image, **keywords) for image, keywords in cases)
    result = subprocess.run([program], input=text, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for image, _ in cases:
        size = image.shape[0] * image.shape[1]
        yield np.frombuffer(result, np.uint8, size, at).reshape(image.shape[:2])
        at += size
    assert at == len(result)
