# SPDX-License-Identifier: LGPL-2.1-or-later
"""This script compares cudacca, cudaborders and cudacanny in pipelines with the functions of Python's OpenCV, of any
version, on random pictures and those in the folder CTR_TEST_DATA. To try another version:

    PYTHONPATH=FOLDER meson test -C build elements-oracle

after "pip install --no-deps --target FOLDER opencv-python-headless==VERSION".

    elements_oracle.py [ROUNDS [SEED]]

Each round sends pictures of one size through each element with random parameters. Epsilon is left out with
an OpenCV older than 4.13."""
import sys

from oracle import MEASURES_FROM_SEGMENT, QUICK, cv2, np, pictures, random_epsilon, random_mask, simplify, skip

try:
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstContours", "1.0")
    from gi.repository import Gst, GstContours
except (ImportError, ValueError) as missing:
    skip(missing)

Gst.init(None)

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 20 if QUICK else 300
RNG = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
FRAMES = 8  # a round
# Before OpenCV had a choice, its only blur was the exact one.
EXACT = {"hint": cv2.ALGO_HINT_ACCURATE} if hasattr(cv2, "ALGO_HINT_ACCURATE") else {}
compared = {}


def frames_of(launch, images):
    """Returns what the element makes of images of one size, in 8 or 16 bits; rows are padded to four bytes."""
    height, width = images[0].shape
    layout, aligned = ("GRAY16_LE", 2) if images[0].itemsize == 2 else ("GRAY8", 4)
    pipeline = Gst.parse_launch(f"appsrc name=in format=time caps=video/x-raw,format={layout},width={width},"
                                f"height={height},framerate=25/1 ! {launch} backend=cpu ! appsink name=out sync=false")
    source, out = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    for i, image in enumerate(images):
        buffer = Gst.Buffer.new_wrapped(np.pad(image, ((0, 0), (0, -width % aligned))).tobytes())
        buffer.pts = i * Gst.SECOND // 25
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    buffers = [sample.get_buffer() for sample in iter(lambda: out.emit("pull-sample"), None)]
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert error is None, error.parse_error()
    assert len(buffers) == len(images)
    return buffers


def require_equal(ours, theirs, what):
    if not np.array_equal(ours, theirs):
        sys.exit(f"{what}: {np.asarray(ours).tolist()} instead of {np.asarray(theirs).tolist()}")


def count(what, images):
    compared[what] = compared.get(what, 0) + len(images)


def random_threshold():
    """Returns properties, and the function that makes the mask for them."""
    if RNG.integers(2):
        return "threshold-mode=otsu", lambda image: cv2.threshold(image, 0, 255, cv2.THRESH_OTSU)[1]
    threshold = int(RNG.integers(1, 256))
    return f"threshold={threshold}", lambda image: cv2.threshold(image, threshold - 1, 255, cv2.THRESH_BINARY)[1]


def compare_components(images):
    properties, mask_of = random_threshold()
    connectivity = int(RNG.choice([4, 8]))
    launch = f"cudacca labels=true background-row=true {properties} connectivity={connectivity}"
    height, width = images[0].shape
    for image, buffer in zip(images, frames_of(launch, images)):
        mask = mask_of(image)
        number, labels, stats, centroids = cv2.connectedComponentsWithStatsWithAlgorithm(
            mask, connectivity, cv2.CV_32S, cv2.CCL_WU)
        meta, = GstContours.component_metas(buffer)
        components = meta.components
        what = f"{launch}, {width} x {height}"
        require_equal(meta.count, number - 1, what)
        require_equal(meta.labels, labels, what)
        require_equal([(c.x, c.y, c.w, c.h, c.area) for c in components], stats[1:].tolist(), what)
        require_equal([(c.cx, c.cy) for c in components], centroids[1:].tolist(), what)
        row = meta.background
        require_equal(row.pixels, stats[0, cv2.CC_STAT_AREA], what)
        if row.pixels:  # without any, OpenCV's box has the extremes of its integers
            require_equal([*row.box, row.area, *row.centroid], [*stats[0], *centroids[0]], what)
    count("cudacca, connectedComponentsWithStats", images)


FREEMAN = np.array([[3, 2, 1], [4, 8, 0], [5, 6, 7]], "u1")  # by differences of y and x


def codes_of(line, turns):
    """The chain code of all points of a border; with TURNS, from the first point on at which the direction changes."""
    if len(line) == 1:
        return np.empty(0, "u1")
    dx, dy = (np.roll(line, -1, axis=0) - line).T
    codes = FREEMAN[dy + 1, dx + 1]
    return np.roll(codes, -np.argmax(codes != np.roll(codes, 1))) if turns else codes


def compare_codes(images):
    """Chain codes with those of the borders that findContours() lists pixel by pixel."""
    properties, mask_of = random_threshold()
    mode, turns = int(RNG.integers(4)), bool(RNG.integers(2))
    launch = (f"cudaborders {properties} mode={('external', 'list', 'ccomp', 'tree')[mode]} "
              f"approximation={'simple' if turns else 'none'}")
    for image, buffer in zip(images, frames_of(launch, images)):
        lines, _ = cv2.findContours(mask_of(image), mode, cv2.CHAIN_APPROX_NONE)
        expected = [codes_of(line.reshape(-1, 2).astype(int), turns) for line in lines]
        packed = [np.packbits(codes[:, None] >> np.arange(3) & 1, bitorder="little") for codes in expected]
        meta, = GstContours.contour_metas(buffer)
        what = f"codes of {launch}, {image.shape[1]} x {image.shape[0]}"
        require_equal(meta.chains["steps"], [len(codes) for codes in expected], what)
        require_equal(meta.codes, np.concatenate([np.empty(0), *expected]), what)
        require_equal(meta.packed_codes, np.concatenate([np.empty(0), *packed]), what)
        for i, line in enumerate(lines if not turns else []):
            require_equal(meta.decode_points(i), line.reshape(-1, 2), what)
    count("cudaborders, chain codes of findContours", images)


def compare_contours(images, simplified):
    properties, mask_of = random_threshold()
    mode, method = int(RNG.integers(4)), int(RNG.integers(1, 3))
    epsilon = min(random_epsilon(RNG), 1e6) if simplified else 0
    launch = (f"cudaborders {properties} mode={('external', 'list', 'ccomp', 'tree')[mode]} "
              f"approximation={('none', 'simple')[method - 1]} epsilon={epsilon!r}")
    for image, buffer in zip(images, frames_of(launch, images)):
        lines, hierarchy = cv2.findContours(mask_of(image), mode, method)
        lines = [line.reshape(-1, 2) for line in lines]
        measures = [(cv2.contourArea(line), cv2.arcLength(line, True), *cv2.boundingRect(line)) for line in lines]
        if simplified:
            lines = [simplify(line, epsilon) for line in lines]
        meta, = GstContours.contour_metas(buffer)
        table = meta.table
        what = f"{launch}, {image.shape[1]} x {image.shape[0]}"
        require_equal(table["count"], [len(line) for line in lines], what)
        require_equal([(c.area, c.perimeter, c.x, c.y, c.w, c.h) for c in meta.contours], measures, what)
        if lines:
            require_equal(meta.points, np.concatenate(lines), what)
            require_equal(np.stack([table[link] for link in ("next", "previous", "child", "parent")], axis=1),
                          hierarchy.reshape(-1, 4), what)
    count("cudaborders, findContours" + (" and approxPolyDP" if simplified else ""), images)


def compare_edges(images):
    sigma, aperture, l2 = float(RNG.choice([0, 0.7, 1, 1.4, 2, 3.3])), int(RNG.choice([3, 5, 7])), bool(RNG.integers(2))
    low, high = sorted((RNG.integers(0, 400, 2) * {3: 1, 5: 12, 7: 160}[aperture]).tolist())
    launch = (f"cudacanny threshold-mode=absolute low-threshold={low} high-threshold={high} sigma={sigma} "
              f"aperture={aperture} l2-gradient={l2}")
    height, width = images[0].shape
    for image, buffer in zip(images, frames_of(launch, images)):
        blurred = cv2.GaussianBlur(image, (0, 0), sigma, **EXACT) if sigma else image
        edges = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(height, -1)[:, :width]
        require_equal(edges, cv2.Canny(blurred, low, high, apertureSize=aperture, L2gradient=l2),
                      f"{launch}, {width} x {height}")
    count("cudacanny, GaussianBlur and Canny", images)


def gradient_of(image, sigma, aperture):
    """The gradient in 16 bits with a sign, or None where that is too small, or cv2.Canny() would overflow."""
    blurred = cv2.GaussianBlur(image, (0, 0), sigma, **EXACT) if sigma else image
    exact = [cv2.Sobel(blurred, cv2.CV_64F, *order, ksize=aperture, scale=1 / 16 if aperture == 7 else 1,
                       borderType=cv2.BORDER_REPLICATE) for order in ((1, 0), (0, 1))]
    if max(np.abs(part).max() for part in exact) >= 27146:
        return None
    return [np.rint(part).astype(np.int16) for part in exact]


def compare_native_edges(images):
    """Samples of more than 8 bits, with absolute thresholds and with shares of the greatest gradient."""
    sigma, aperture, l2 = float(RNG.choice([0, 0.7, 1, 2, 3.3])), int(RNG.choice([3, 5, 7])), bool(RNG.integers(2))
    extra, relative = int(RNG.integers(0, 7 if aperture == 3 else 3)), bool(RNG.integers(2))
    divisor = 16 if aperture == 7 else 1
    low, high = sorted((RNG.integers(0, 200, 2) * ({3: 1, 5: 12, 7: 160}[aperture] << extra)).tolist())
    shares = sorted((RNG.integers(0, 100, 2)).tolist())
    launch = (f"cudacanny depth=native threshold-mode={'relative' if relative else 'absolute'} low-threshold={low} "
              f"high-threshold={high} low-share={shares[0] / 100} high-share={shares[1] / 100} sigma={sigma} "
              f"aperture={aperture} l2-gradient={l2}")
    height, width = images[0].shape
    base = int(RNG.integers(0, 65536 - (256 << extra)))
    wide = [(image.astype(np.uint16) << extra) + RNG.integers(0, 1 << extra, image.shape).astype(np.uint16)
            + np.uint16(base) for image in images]
    for image, buffer in zip(wide, frames_of(launch, wide)):
        gradient = gradient_of(image, sigma, aperture)
        if gradient is None:
            continue
        thresholds = [low / divisor, high / divisor]
        if relative:
            dx, dy = (part.astype(np.int64) for part in gradient)
            greatest = int((dx * dx + dy * dy if l2 else np.abs(dx) + np.abs(dy)).max())
            # Rounded down, as the element does; half of a square more makes its own square round down to it.
            thresholds = [(greatest * s * s // 10000 + 0.5) ** 0.5 if l2 else greatest * s // 100 for s in shares]
        edges = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), "<u2").reshape(height, -1)[:, :width]
        require_equal(edges >> 8, cv2.Canny(*gradient, *thresholds, L2gradient=l2),
                      f"{launch}, {width} x {height}, {8 + extra} bits from {base} on")
        count("cudacanny depth=native, GaussianBlur, Sobel and Canny", [image])


def random_picture(height, width):
    """Returns a mask, grey noise, or a mixture of both."""
    mask = random_mask(RNG, height, width)
    kind = RNG.integers(3)
    if kind == 0:
        return mask
    noise = RNG.integers(0, 256, mask.shape).astype(np.uint8)
    return noise if kind == 1 else cv2.GaussianBlur(cv2.addWeighted(mask, 0.8, noise, 0.2, 0), (0, 0), 1.5)


def compare(images):
    compare_components(images)
    compare_contours(images, False)
    compare_codes(images)
    if MEASURES_FROM_SEGMENT:
        compare_contours(images, True)
    compare_edges(images)
    compare_native_edges(images)


for n in range(ROUNDS):
    most = 200 if n % 10 == 0 else 60
    size = tuple(int(side) for side in RNG.integers(1, most, 2))
    compare([random_picture(*size) for _ in range(FRAMES)])
for _name, grey in pictures():
    compare([grey])
for functions, images in compared.items():
    print(f"{functions}: {images} pictures are equal")
