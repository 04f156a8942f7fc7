# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares cudacca mode=eq in pipelines with scikit-image's label(), on noise of few values, plateaus, noise of
all values, and the label images and pictures in the folder CTR_TEST_DATA: the labels must be the same numbers. Samples,
areas, boxes and the background's row are compared with what NumPy makes of these labels. cudacrackcontour trace=labels
outlines each of them: where OpenCV is present, contours, their types and nesting are compared with those of its findContours()
of the label alone, and always the pixels inside the lines with the label's. Exit status 77 without
scikit-image, which Debian has in python3-skimage. To try another version:

    PYTHONPATH=FOLDER meson test -C build labels-oracle

after "pip install --target FOLDER scikit-image".

    labels_oracle.py [ROUNDS [SEED]]"""
import os
import pathlib
import sys

try:
    import cv2
except ImportError:
    cv2 = None
try:
    import gi
    import numpy as np
    import skimage
    from skimage.io import imread
    from skimage.measure import label

    gi.require_version("Gst", "1.0")
    gi.require_version("GstContours", "1.0")
    from gi.repository import Gst, GstContours
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

Gst.init(None)

QUICK = os.environ.get("CTR_TEST_QUICK", "0") != "0"
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 30 if QUICK else 200
RNG = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


def metadata_of(image, properties):
    """Returns the buffer, which keeps the metadata, and this; rows are padded to four bytes."""
    height, width = image.shape
    bits = image.dtype.itemsize * 8
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format={'GRAY8' if bits == 8 else 'GRAY16_LE'},width={width},"
        f"height={height},framerate=25/1 ! cudacca mode=eq backend=cpu labels=true background-row=true {properties} ! "
        "cudacrackcontour backend=cpu trace=labels ! "
        "appsink name=out sync=false")
    source, out = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    padding = -(width * bits // 8) % 4 * 8 // bits
    source.emit("push-buffer", Gst.Buffer.new_wrapped(np.pad(image, ((0, 0), (0, padding))).tobytes()))
    source.emit("end-of-stream")
    sample = out.emit("pull-sample")
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert error is None, error.parse_error()
    buffer = sample.get_buffer()
    meta, = GstContours.component_metas(buffer)
    outlines, = GstContours.contour_metas(buffer)
    return buffer, meta, outlines


def box_of(pixels):
    rows, columns = pixels.any(axis=1).nonzero()[0], pixels.any(axis=0).nonzero()[0]
    return columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1


def require(equal, what):
    if not equal:
        sys.exit(f"{what} differ")


def compare(image, name, background, connectivity):
    what = f"{name}, {image.shape[1]} x {image.shape[0]}, background {background}, {connectivity}-connected: "
    buffer, meta, outlines = metadata_of(image, f"background={background} connectivity={connectivity}")
    expected = label(image.astype(np.int32), background=background, connectivity=connectivity // 4)
    require(np.array_equal(meta.labels, expected), what + "labels")
    areas = np.bincount(expected.ravel())
    require(meta.count == len(areas) - 1, what + "counts")
    require(np.array_equal(meta.table["area"], areas[1:]), what + "areas")
    values = np.zeros(len(areas), image.dtype)
    values[expected] = image
    require(np.array_equal(meta.table["value"], values[1:]), what + "samples")
    for i in RNG.choice(meta.count, min(meta.count, 20), replace=False):
        row = meta.table[i]
        require(tuple(row[side] for side in ("left", "top", "width", "height")) == box_of(expected == i + 1), what + "boxes")
    outside = expected == 0
    require(meta.background.pixels == outside.sum() and meta.background.label == 0, what + "backgrounds")
    if outside.any():
        y, x = outside.nonzero()
        require(meta.background.box == box_of(outside), what + "boxes of the background")
        require(meta.background.centroid == (x.sum() / len(x), y.sum() / len(y)), what + "centroids of the background")
    table, points = outlines.table, outlines.points
    require(np.array_equal(np.unique(table["level"]), np.arange(1, meta.count + 1)), what + "labels of contours")
    for i in RNG.choice(meta.count, min(meta.count, 12), replace=False):
        compare_outlines(table[table["level"] == i + 1], table, points, expected == i + 1, what)
    del buffer


def inside_of(line, shape):
    """The pixels inside a line along cracks, by the parity of its vertical sides to the west."""
    sides = np.zeros((shape[0], shape[1] + 1), int)
    for (x, y), (x2, y2) in zip(line, np.roll(line, -1, axis=0)):
        if x == x2:
            sides[min(y, y2):max(y, y2), x] += 1
    return (np.cumsum(sides, axis=1)[:, :-1] % 2).astype(bool)


def compare_outlines(rows, table, points, mask, what):
    """The contours of one label: ROWS of TABLE."""
    lines = [points[int(row["first"]):int(row["first"]) + int(row["count"])] for row in rows]
    covered = np.zeros(mask.shape, int)
    for row, line in zip(rows, lines):
        covered += inside_of(line, mask.shape) * (-1 if row["flags"] & 1 else 1)
    require(np.array_equal(covered, mask), what + "pixels inside")
    if cv2 is None:
        return
    found, hierarchy = cv2.findContours(np.pad(mask.astype(np.uint8), 1), cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    starts = {}
    for contour, (_, _, _, parent) in zip(found, hierarchy[0]):
        depth, up = 0, parent
        while up >= 0:
            depth, up = depth + 1, hierarchy[0][up][3]
        x, y = contour[0][0] - 1
        starts[(x + depth % 2, y)] = depth     # that of a hole is the pixel before it
    own = {}
    for row, line in zip(rows, lines):
        depth, up = 0, row["parent"]
        while up >= 0:
            depth, up = depth + 1, table[up]["parent"]
        require((row["flags"] & 1) == depth % 2, what + "types")
        own[tuple(line[0])] = depth
    require(own == starts, what + "first points and nesting")


def random_image():
    height, width = RNG.integers(1, 90, 2)
    dtype = np.uint8 if RNG.integers(2) else np.uint16
    grain = int(RNG.choice([1, 1, 2, 5, 16]))
    values = RNG.integers(0, np.iinfo(dtype).max + 1, int(RNG.choice([1, 2, 3, 8, 1000])))
    squares = RNG.choice(np.append(values, 0), (-(-height // grain), -(-width // grain)))
    return np.kron(squares, np.ones((grain, grain), int))[:height, :width].astype(dtype)


def compare_everywhere(image, name):
    for background in (0, -1, int(image[0, 0])):
        for connectivity in (4, 8):
            compare(image, name, background, connectivity)


for index in range(ROUNDS):
    compare_everywhere(random_image(), f"random image {index}")
pictures = sorted(pathlib.Path(os.environ.get("CTR_TEST_DATA", "")).glob("*/*.png")) if "CTR_TEST_DATA" in os.environ else []
taken = 0
for path in pictures:
    picture = imread(path)
    if picture.ndim == 2 and picture.dtype in (np.uint8, np.uint16) and picture.size < (300_000 if QUICK else 3_000_000):
        compare_everywhere(picture, path.name)
        taken += 1
print(f"scikit-image {skimage.__version__}: {ROUNDS} random images and {taken} pictures are labelled alike")
