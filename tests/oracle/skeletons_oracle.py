# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares cudacca features=skeleton in pipelines with scikit-image's skeletonize(method="zhang"), on noise, blobs, combs, spirals, and
the masks of pictures in the folder CTR_TEST_DATA: of each component alone, the skeleton's pixels and pairs must be the same numbers. The sum of its
distances is compared with SciPy's exact distance transform of the component's mask. All neighbourhoods of a pixel are compared, too. Exit status
77 without scikit-image, which Debian has in python3-skimage. To try another version:

    PYTHONPATH=FOLDER meson test -C build skeletons-oracle

after "pip install --target FOLDER scikit-image".

    skeletons_oracle.py [ROUNDS [SEED]]"""
import os
import pathlib
import sys

try:
    import gi
    import numpy as np
    import skimage
    from scipy.ndimage import distance_transform_edt, gaussian_filter
    from skimage.io import imread
    from skimage.morphology import skeletonize

    gi.require_version("Gst", "1.0")
    gi.require_version("GstContours", "1.0")
    from gi.repository import Gst, GstContours
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

Gst.init(None)

QUICK = os.environ.get("CTR_TEST_QUICK", "0") != "0"
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40 if QUICK else 300
RNG = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


def metadata_of(image, properties):
    """Returns the buffer, which keeps the metadata, and this; rows are padded to four bytes."""
    height, width = image.shape
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=GRAY8,width={width},height={height},framerate=25/1 ! "
        f"cudacca backend=cpu features=skeleton labels=true {properties} ! appsink name=out sync=false")
    source, out = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    source.emit("push-buffer", Gst.Buffer.new_wrapped(np.pad(image, ((0, 0), (0, -width % 4))).tobytes()))
    source.emit("end-of-stream")
    sample = out.emit("pull-sample")
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert error is None, error.parse_error()
    buffer = sample.get_buffer()
    meta, = GstContours.component_metas(buffer)
    return buffer, meta


def numbers_of(mask):
    """Pixels, straight and diagonal pairs, and the sum of distances in 1/65536 pixel, of a component by itself."""
    mask = np.pad(mask, 1)
    skeleton = skeletonize(mask, method="zhang")
    squares = np.rint(distance_transform_edt(mask)[skeleton] ** 2)
    a, b, c, d = skeleton[:-1, :-1], skeleton[:-1, 1:], skeleton[1:, :-1], skeleton[1:, 1:]
    straight = (skeleton[:, 1:] & skeleton[:, :-1]).sum() + (skeleton[1:] & skeleton[:-1]).sum()
    diagonal = (a & d & ~b & ~c).sum() + (b & c & ~a & ~d).sum()
    return int(np.rint(np.sqrt(squares) * 65536).sum()), int(straight), int(diagonal), int(skeleton.sum())


def compare(image, name, properties, most):
    what = f"{name}, {image.shape[1]} x {image.shape[0]}, {properties}"
    buffer, meta = metadata_of(image, properties)
    rows = range(meta.count) if meta.count <= most else RNG.choice(meta.count, most, replace=False)
    for i in rows:
        table, components = meta.table[i], meta.components
        left, top, width, height = (int(table[side]) for side in ("left", "top", "width", "height"))
        mask = meta.labels[top:top + height, left:left + width] == i + 1
        own, expected = tuple(meta.skeleton[i].tolist()), numbers_of(mask)
        if own != expected:
            sys.exit(f"{what}: the skeleton of component {i + 1} is {own}, not {expected}")
        assert components[i].skeleton_length == expected[1] + expected[2] * 2 ** 0.5, what
        assert components[i].skeleton_width == expected[0] / 32768 / expected[3], what
    del buffer


def compare_everywhere(image, name, most=40):
    for connectivity in (4, 8):
        compare(image, name, f"threshold=128 connectivity={connectivity}", most)
    compare(image // 64, name, f"mode=eq background={RNG.choice([-1, 0])}", most)


def neighbourhoods():
    """Pixels with each of the 256 neighbourhoods, and with more pixels around that remain for some passes."""
    y, x = np.mgrid[:16, :16]
    image = np.zeros((16 * 8, 16 * 8), bool)
    places = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)]
    for i, (row, column) in enumerate(places):
        image[2 + row::8, 2 + column::8] = (y * 16 + x) >> i & 1
    image[3::8, 3::8] = True
    return image


def random_image():
    height, width = RNG.integers(1, 120, 2)
    kind = RNG.integers(4)
    if kind == 0:
        grain = int(RNG.choice([1, 2, 5, 16]))
        squares = RNG.integers(0, 256, (-(-height // grain), -(-width // grain)))
        return np.kron(squares, np.ones((grain, grain), int))[:height, :width].astype(np.uint8)
    if kind == 1:
        grey = gaussian_filter(RNG.random((height, width)), RNG.uniform(0.6, 8))
        return (255 * (grey - grey.min()) / max(np.ptp(grey), 1e-9)).astype(np.uint8)
    y, x = np.mgrid[:height, :width]
    if kind == 2:
        angle, period = RNG.uniform(0, np.pi), RNG.uniform(3, 40)
        return (((x * np.cos(angle) + y * np.sin(angle)) / period % 1 < RNG.uniform(0.1, 0.9)) * 255).astype(np.uint8)
    y, x = y - height * RNG.uniform(0.3, 0.7), x - width * RNG.uniform(0.3, 0.7)
    turns = np.hypot(x, y) / RNG.uniform(3, 30) + np.arctan2(y, x) / (2 * np.pi)
    return ((turns % 1 < RNG.uniform(0.2, 0.8)) * 255).astype(np.uint8)


for margin in range(3):
    grown = neighbourhoods()
    for _ in range(margin):
        around = np.pad(grown, 1)
        grown = around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:] | grown
    compare_everywhere((grown * 255).astype(np.uint8), "all neighbourhoods", 256)
for index in range(ROUNDS):
    compare_everywhere(random_image(), f"random image {index}")
pictures = sorted(pathlib.Path(os.environ["CTR_TEST_DATA"]).glob("*/*.png")) if "CTR_TEST_DATA" in os.environ else []
taken = 0
for path in pictures[::8] if QUICK else pictures:
    picture = imread(path)
    if picture.ndim == 2 and picture.dtype == np.uint8 and picture.size < 3_000_000:
        compare_everywhere(picture, path.name, 12)
        taken += 1
print(f"scikit-image {skimage.__version__}: skeletons of {ROUNDS} random images and {taken} pictures are equal")
