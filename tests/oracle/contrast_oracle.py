# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares the rings of components and their contrast with those that follow from scikit-image's label() and SciPy's
distance_transform_edt(): on noise of many densities, smooth noise, drawn parts, label images and the pictures in the folder
CTR_TEST_DATA. The ring of a component without neighbours is also what dilation by a disk adds to it. Exit status 77
without scikit-image, which Debian has in python3-skimage. To try another version:

    PYTHONPATH=FOLDER meson test -C build contrast-oracle

after "pip install --target FOLDER scikit-image".

    contrast_oracle.py FIND_RINGS [ROUNDS [SEED]]

FIND_RINGS: the program of find-rings.c."""
import os
import pathlib
import struct
import subprocess
import sys

try:
    import numpy as np
    import skimage
    from scipy import ndimage
    from skimage.filters import threshold_otsu
    from skimage.io import imread
    from skimage.measure import label
    from skimage.morphology import disk
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM = sys.argv[1]
QUICK = os.environ.get("CTR_TEST_QUICK", "0") != "0"
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 300 if QUICK else 3000
RNG = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
FOREGROUND, EQUAL = range(2)
WIDEST = 16
ROW = np.dtype([("area", "u4"), ("first_x", "u4"), ("first_y", "u4"), ("ring_area", "u4"), ("ring_sum", "u8"),
                ("ring_mean", "f8"), ("contrast", "f8")])
compared = {"components": 0, "rings": 0, "empty": 0, "dilations": 0}


def request_of(image, mode, threshold, connectivity, background, least, most, ring):
    return struct.pack("=6Ii3I", image.shape[1], image.shape[0], image.dtype.itemsize - 1, mode, threshold, connectivity,
                       background, least, most, ring) + image.tobytes()


def rings_of(cases):
    """The program's rows of each case."""
    text = b"".join(request_of(image, **keywords) for image, keywords in cases)
    result = subprocess.run([PROGRAM], input=text, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for _ in cases:
        count, = struct.unpack_from("=I", result, at)
        yield np.frombuffer(result, ROW, count, at + 4)
        at += 4 + count * ROW.itemsize
    assert at == len(result)


def labels_of(image, mode, threshold, connectivity, background, least, most, ring):
    """The label image after the limits on the area, with consecutive labels."""
    if mode == EQUAL:
        labels = label(image.astype(np.int32), background=background, connectivity=connectivity // 4)
    else:
        labels = label(image >= threshold, connectivity=connectivity // 4)
    areas = np.bincount(labels.ravel())
    kept = areas >= least
    if most:
        kept &= areas <= most
    kept[0] = False
    return np.where(kept, np.cumsum(kept), 0)[labels]


def owners_of(labels, ring):
    """The label in whose ring each pixel is, or 0: the nearest component, of several the one with the lowest label."""
    nearest, owner = np.full(labels.shape, ring * ring + 1), np.zeros(labels.shape, int)
    for index, box in enumerate(ndimage.find_objects(labels), 1):
        around = tuple(slice(max(0, side.start - ring), side.stop + ring) for side in box)
        distance = np.rint(ndimage.distance_transform_edt(labels[around] != index) ** 2).astype(int)
        closer = distance < nearest[around]
        nearest[around][closer], owner[around][closer] = distance[closer], index
    owner[labels > 0] = 0
    return owner


def expected_rows(image, labels, ring):
    """The samples of each component and of its ring."""
    owner, samples = owners_of(labels, ring), image.astype(np.uint64)
    count = labels.max()
    if count == 1:
        added = ndimage.binary_dilation(labels == 1, disk(ring)) & (labels == 0)
        assert np.array_equal(added, owner == 1), "the distances and the dilation differ"
        compared["dilations"] += 1
    rows = np.zeros(count, ROW)
    for name, where in (("area", labels), ("ring_area", owner)):
        rows[name] = np.bincount(where.ravel(), minlength=count + 1)[1:]
    ring_sums, own_sums = (ndimage.sum_labels(samples, where, np.arange(1, count + 1)) for where in (owner, labels))
    rows["ring_sum"] = np.rint(ring_sums)
    if count:
        numbers, first = np.unique(labels, return_index=True)
        rows["first_y"], rows["first_x"] = np.divmod(first[numbers > 0], labels.shape[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        rows["ring_mean"] = rows["ring_sum"] / rows["ring_area"]
        rows["contrast"] = own_sums / rows["area"] - rows["ring_mean"]
    return rows


def compare(cases, what):
    for i, ((image, keywords), ours) in enumerate(zip(cases, rings_of(cases))):
        theirs = expected_rows(image, labels_of(image, **keywords), keywords["ring"])
        title = f"{what} {i}, {image.shape[1]} x {image.shape[0]} of {image.dtype}, {keywords}"
        if len(ours) != len(theirs):
            sys.exit(f"{title}: {len(ours)} components instead of {len(theirs)}")
        for name in ROW.names:
            wrong = np.flatnonzero(~np.isclose(ours[name], theirs[name], rtol=0, atol=0, equal_nan=True))
            if len(wrong):
                row = wrong[0]
                sys.exit(f"{title}: {name} of component {row + 1} is {ours[name][row]} instead of {theirs[name][row]}")
        compared["components"] += len(ours)
        compared["rings"] += np.count_nonzero(ours["ring_area"])
        compared["empty"] += np.count_nonzero(ours["ring_area"] == 0)
    print(f"{what}: the rings of {len(cases)} images are equal")


def noise(height, width, top):
    grain = int(RNG.choice([1, 1, 2, 3, 7]))
    squares = RNG.integers(0, top + 1, (-(-height // grain), -(-width // grain)))
    return np.kron(squares, np.ones((grain, grain), int))[:height, :width]


def smooth(height, width, top):
    grey = ndimage.gaussian_filter(RNG.random((height, width)), RNG.uniform(0.7, 4))
    return np.rint((grey - grey.min()) / (np.ptp(grey) or 1) * top).astype(int)


def drawn(height, width, top):
    """Discs, rings, bars and single pixels on a slope, some of them touching or within one another."""
    y, x = np.mgrid[:height, :width]
    slope = x * RNG.uniform(0, 1) + y * RNG.uniform(0, 1)
    image = slope / (slope.max() or 1) * top * 0.45
    for _ in range(int(RNG.integers(1, 12))):
        cx, cy, outer = RNG.uniform(0, width), RNG.uniform(0, height), RNG.uniform(0.5, 12)
        distance = np.hypot(x - cx, y - cy)
        if RNG.integers(3) == 0:
            where = (np.abs(x - cx) < outer) & (np.abs(y - cy) < RNG.uniform(0.5, 3))
        else:
            where = (distance <= outer) & (distance >= outer * RNG.choice([0, 0, 0.6]))
        image[where] = top * RNG.uniform(0.55, 1)
    return np.rint(image).astype(int)


def random_side():
    kind = RNG.integers(8)
    if kind == 0:
        return int(RNG.choice([31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257]))
    return int(RNG.integers(1, 18 if kind < 4 else 90))


def random_case():
    dtype = np.uint16 if RNG.integers(4) == 0 else np.uint8
    top = np.iinfo(dtype).max
    image = [noise, smooth, drawn][RNG.integers(3)](random_side(), random_side(), top)
    mode = int(RNG.integers(4) == 0)
    if mode == EQUAL:
        image = image * int(RNG.integers(2, 6)) // (top + 1) * (top // 7)
    area = image.size
    return np.ascontiguousarray(image.astype(dtype)), {
        "mode": mode, "threshold": int(RNG.uniform(0.02, 0.98) * top) if RNG.integers(2) else top // 2,
        "connectivity": int(RNG.choice([4, 8])), "background": int(RNG.choice([-1, 0, 0, int(image.flat[0])])),
        "least": int(RNG.choice([0, 0, 2, 5, 20])), "most": int(RNG.choice([0, 0, 0, max(1, area // 20)])),
        "ring": int(RNG.choice([1, 2, 3, 3, 5, 8, WIDEST, RNG.integers(1, WIDEST + 1)]))}


def picture_cases():
    folder = os.environ.get("CTR_TEST_DATA")
    for path in sorted(pathlib.Path(folder).glob("*/*.png")) if folder else []:
        picture = imread(path)
        if picture.ndim == 2 and picture.dtype in (np.uint8, np.uint16) and picture.size < (300_000 if QUICK else 1_000_000):
            for ring in (3, WIDEST):
                yield np.ascontiguousarray(picture), {
                    "mode": FOREGROUND, "threshold": int(threshold_otsu(picture)) + 1, "connectivity": 8, "background": 0,
                    "least": 3, "most": 0, "ring": ring}


compare([random_case() for _ in range(ROUNDS)], "random images")
compare(list(picture_cases()), "pictures of CTR_TEST_DATA")
print(f"scikit-image {skimage.__version__}: {compared['components']} components, {compared['rings']} with a ring and "
      f"{compared['empty']} without; {compared['dilations']} alone in their image, and dilated")
