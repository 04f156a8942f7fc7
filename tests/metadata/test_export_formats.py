# SPDX-License-Identifier: LGPL-2.1-or-later
"""contourexport's formats, there and back: what each of them says is filled again, pixel by pixel, and compared with the
mask that the frame was; by the code below, and by those who usually read the format (shapely, pycocotools, Pillow as
LabelMe uses it, rsvg-convert), as far as they are there.

Scenes are drawn; pictures come from the folder CTR_TEST_DATA. Exit status 77 without what drives the elements.
"""
import contextlib
import csv
import functools
import glob
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PICTURES = ["documents/page.png", "documents/lep_table.15.png", "industrial/detect_blob.png", "industrial/smarties.png",
            "industrial/pca_test1.jpg", "cells/coins.png", "cells/nuclei_img.png", "fingerprints/whorl.png",
            "natural/fruits.jpg", "natural/gravel.png"]
FORMATS = {"ndjson": "out.ndjson", "csv": "out.csv", "svg": "%04d.svg", "geojson": "%04d.geojson", "coco": "coco.json",
           "labelme": "%d.labelme.json"}
MODULES = {name: importlib.util.find_spec(name) is not None for name in ("numpy", "shapely", "pycocotools", "PIL")}
MODULES["rsvg-convert"] = shutil.which("rsvg-convert") is not None

if not MODULES["numpy"] or not shutil.which("gst-launch-1.0"):
    print("no numpy or no gst-launch-1.0 here")
    sys.exit(77)

import numpy  # noqa: E402

if MODULES["shapely"]:
    import shapely.geometry
if MODULES["pycocotools"]:
    import pycocotools.coco
if MODULES["PIL"]:
    import PIL.Image
    import PIL.ImageDraw


def launch(line):
    result = subprocess.run(f"gst-launch-1.0 -q {line}", shell=True, capture_output=True, text=True, timeout=120,
                            check=False)
    assert result.returncode == 0 and not result.stderr, f"{line}\n{result.stdout}{result.stderr}"


# Filling. All take rings of (x, y) and give a mask of the frame.

def fill_outlines(rings, shape):
    """By the even-odd rule, lines along the sides of pixels."""
    toggles = numpy.zeros((shape[0] + 1, shape[1]), bool)
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
            assert x0 == x1 or y0 == y1, "not along the sides of pixels"
            if y0 == y1:
                toggles[int(y0), int(min(x0, x1)):int(max(x0, x1))] ^= True
    return numpy.logical_xor.accumulate(toggles, axis=0)[:-1]


def fill_borders(rings, shape):
    """By the even-odd rule, lines through the middles of pixels, which belong to what is inside."""
    toggles, lines = numpy.zeros(shape, bool), numpy.zeros(shape, bool)
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
            dx, dy = x1 - x0, y1 - y0
            assert dx == 0 or dy == 0 or abs(dx) == abs(dy), "not a border"
            steps = max(abs(dx), abs(dy))
            at = numpy.arange(steps + 1)
            x, y = x0 + at * (dx // steps if steps else 0), y0 + at * (dy // steps if steps else 0)
            lines[y, x] = True
            inside = (y >= min(y0, y1)) & (y < max(y0, y1))
            numpy.logical_xor.at(toggles, (y[inside], x[inside]), True)
    return numpy.logical_xor.accumulate(toggles, axis=1) | lines


def fill_any(coordinates, rings, shape):
    return fill_borders(rings, shape) if coordinates == "pixels" else fill_outlines(rings, shape)


def crop(rings):
    """Moves rings to the top left corner; their offset and size, with room for the pixels on the line."""
    points = numpy.concatenate([numpy.asarray(ring) for ring in rings])
    left, top = numpy.floor(points.min(axis=0)).astype(int)
    right, bottom = numpy.ceil(points.max(axis=0)).astype(int) + 1
    return [[(x - left, y - top) for x, y in ring] for ring in rings], (left, top), (bottom - top, right - left)


class Count:
    """How often each pixel is in one of the shapes."""

    def __init__(self, shape):
        self.pixels = numpy.zeros((shape[0] + 1, shape[1] + 1), numpy.uint16)

    def add(self, rings, fill):
        """Returns the area."""
        moved, (left, top), size = crop(rings)
        mask = fill(moved, size)
        bottom, right = min(top + size[0], self.pixels.shape[0]), min(left + size[1], self.pixels.shape[1])
        self.pixels[top:bottom, left:right] += mask[:bottom - top, :right - left]
        return mask.sum()

    def get(self):
        assert not self.pixels[-1].any() and not self.pixels[:, -1].any(), "outside the frame"
        return self.pixels[:-1, :-1]


# Reading. Each yields (frame, level) -> how often each pixel is in it.

def by_level(counts, level, shape):
    return counts.setdefault(level, Count(shape))


def read_ndjson(folder, frame, shape):
    with open(f"{folder}/out.ndjson", encoding="utf-8") as file:
        line = json.loads(file.readlines()[frame])
    assert line["frame"] == frame and line["count"] == len(line["contours"])
    rings = {}
    for contour in line["contours"]:
        rings.setdefault(contour.get("level", 0), []).append([tuple(point) for point in contour["points"]])
    return {level: fill_any(line["coordinates"], lines, shape) for level, lines in rings.items()}


@functools.lru_cache(maxsize=1)
def rows_of(path):
    csv.field_size_limit(1 << 30)
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_csv(folder, frame, shape):
    rings, coordinates = {}, None
    for row in rows_of(f"{folder}/out.csv"):
        if int(row["frame"]) == frame:
            points = numpy.array(row["points"].split(), int).reshape(-1, 2)
            assert len(points) == int(row["point_count"]) and row["source"] == "subject"
            rings.setdefault(int(row["level"] or 0), []).append([tuple(point) for point in points])
            coordinates = row["coordinates"]
    return {level: fill_any(coordinates, lines, shape) for level, lines in rings.items()}


def read_svg(folder, frame, shape):
    with open(f"{folder}/{frame:04d}.svg", encoding="utf-8") as file:
        text = file.read()
    assert f'width="{shape[1]}" height="{shape[0]}" viewBox="0 0 {shape[1]} {shape[0]}"' in text
    assert f'data-frame="{frame}"' in text and 'fill-rule="evenodd"' in text
    counts = {}
    for attributes, path in re.findall(r'<path([^>]*) d="([^"]*)"/>', text):
        level = re.search(r'data-level="(\d+)"', attributes)
        rings = []
        for command, numbers in re.findall(r"([MLHVz])([^MLHVz]*)", path):
            if command == "M":
                rings.append([])
            if command != "z":
                values = [float(number) for number in numbers.split()]
                x, y = rings[-1][-1] if rings[-1] else (None, None)
                rings[-1].append((values[0], y) if command == "H" else (x, values[0]) if command == "V"
                                 else tuple(values))
        by_level(counts, int(level[1]) if level else 0, shape).add(rings, fill_outlines)
    return {level: count.get() for level, count in counts.items()}


def signed_area(ring):
    x, y = numpy.array(ring).T
    return (x * numpy.roll(y, -1) - numpy.roll(x, -1) * y).sum() / 2


def read_geojson(folder, frame, shape):
    with open(f"{folder}/{frame:04d}.geojson", encoding="utf-8") as file:
        document = json.load(file)
    assert document["type"] == "FeatureCollection" and document["frame"] == frame
    assert document["resolution"] == {"width": shape[1], "height": shape[0]}
    counts = {}
    for feature in document["features"]:
        geometry, properties = feature["geometry"], feature["properties"]
        polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
        assert len(polygons) > 1 or geometry["type"] == "Polygon"
        count, area = by_level(counts, properties.get("level", 0), shape), 0
        for polygon in polygons:
            assert all(ring[0] == ring[-1] for ring in polygon)
            rings = [[tuple(position) for position in ring[:-1]] for ring in polygon]
            # RFC 7946: outlines and holes run in opposite directions.
            assert signed_area(rings[0]) > 0 and all(signed_area(ring) < 0 for ring in rings[1:])
            area += count.add(rings, fill_outlines)
        if MODULES["shapely"]:
            geometry = shapely.geometry.shape(geometry)
            assert geometry.is_valid and geometry.area == area, (geometry.is_valid, geometry.area, area)
    return {level: count.get() for level, count in counts.items()}


def decode_runs(segmentation):
    height, width = segmentation["size"]
    counts = segmentation["counts"]
    assert sum(counts) == width * height and all(counts[1:-1]), counts
    return numpy.repeat(numpy.arange(len(counts)) % 2, counts).reshape(width, height).T.astype(bool)


@functools.lru_cache(maxsize=1)
def coco_of(path):
    """The document, and as pycocotools has it."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if not MODULES["pycocotools"]:
        return document, None
    with contextlib.redirect_stdout(io.StringIO()):
        return document, pycocotools.coco.COCO(path)


def read_coco(folder, frame, shape):
    document, dataset = coco_of(f"{folder}/coco.json")
    image = document["images"][frame]
    assert (image["id"], image["width"], image["height"]) == (frame, shape[1], shape[0]), image
    categories = {category["id"]: category["name"] for category in document["categories"]}
    assert [annotation["id"] for annotation in document["annotations"]] == list(
        range(1, len(document["annotations"]) + 1))
    if dataset:
        assert len(dataset.getAnnIds(imgIds=[frame])) == sum(a["image_id"] == frame for a in document["annotations"])
    counts = {}
    for annotation in document["annotations"]:
        if annotation["image_id"] != frame:
            continue
        segmentation, count = annotation["segmentation"], by_level(counts, annotation["attributes"].get("level", 0), shape)
        assert annotation["iscrowd"] == 0 and categories[annotation["category_id"]] == "subject"
        x, y, w, h = annotation["bbox"]
        box = slice(y, y + h), slice(x, x + w)
        if isinstance(segmentation, dict):
            mask = decode_runs(segmentation)
            assert mask[box].sum() == mask.sum()
            mask = mask[box]
        else:
            rings = [[(px - x, py - y) for px, py in zip(polygon[::2], polygon[1::2])] for polygon in segmentation]
            mask = sum(fill_outlines([ring], (h, w)).astype(int) for ring in rings)
        count.pixels[box] += mask.astype(numpy.uint16)
        assert annotation["area"] == mask.sum()
        assert mask[0].any() and mask[-1].any() and mask[:, 0].any() and mask[:, -1].any(), "not the box"
        if dataset:
            theirs = dataset.annToMask(annotation)
            assert (theirs[box] == mask).all() and numpy.count_nonzero(theirs) == annotation["area"]
    return {level: count.get() for level, count in counts.items()}


def read_labelme(folder, frame, shape):
    with open(f"{folder}/{frame}.labelme.json", encoding="utf-8") as file:
        document = json.load(file)
    assert (document["imageWidth"], document["imageHeight"]) == (shape[1], shape[0])
    assert document["imagePath"] == f"{frame}.labelme.png" and document["frame"] == frame
    counts = {}
    for thing in document["shapes"]:
        assert thing["shape_type"] == "polygon" and thing["label"] == "subject" and len(thing["points"]) > 2
        ring = [(int(x), int(y)) for x, y in thing["points"]]
        count = by_level(counts, thing["attributes"].get("level", 0), shape)
        area = count.add([ring], fill_borders)
        if MODULES["PIL"]:  # as labelme.utils.shape_to_mask() does
            (moved,), _, size = crop([thing["points"]])
            picture = PIL.Image.new("1", size[::-1])
            PIL.ImageDraw.Draw(picture).polygon([tuple(point) for point in moved], outline=1, fill=1)
            assert (numpy.array(picture) == fill_borders(crop([ring])[0], size)[:size[0], :size[1]]).all(), area
    return {level: count.get() for level, count in counts.items()}


READERS = {"ndjson": read_ndjson, "csv": read_csv, "svg": read_svg, "geojson": read_geojson, "coco": read_coco,
           "labelme": read_labelme}


def render(path):
    """Through rsvg-convert: the grey values, and what is covered at all."""
    result = subprocess.run(["rsvg-convert", path], stdout=subprocess.PIPE, timeout=60, check=True)
    picture = numpy.array(PIL.Image.open(io.BytesIO(result.stdout)).convert("RGBA"))
    assert set(numpy.unique(picture[..., 3])) <= {0, 255}, "blurred edges"
    return picture[..., 0], picture[..., 3] == 255


def export(frames, analyser, folder):
    """Frames of one size through ANALYSER into all formats at once."""
    height, width = frames[0].shape
    with open(f"{folder}/frames", "wb") as file:
        for frame in frames:
            file.write(numpy.pad(frame, ((0, 0), (0, -width % 4))).tobytes())
    exports = " ! ".join(f"contourexport format={name} location={folder}/{path}" for name, path in FORMATS.items())
    launch(f"filesrc location={folder}/frames blocksize={height * (width + -width % 4)}"
           f" ! rawvideoparse width={width} height={height} format=gray8"
           f" ! {analyser} name=subject backend=cpu ! {exports} ! fakesink")
    assert not glob.glob(f"{folder}/*.part")


def check(frames, analyser, levels, shapes_of=lambda frame, level: frame >= level):
    """Exports FRAMES and reads them back; LEVELS are those that the analyser has, 0 the threshold."""
    with tempfile.TemporaryDirectory() as folder:
        export(frames, analyser, folder)
        for index, frame in enumerate(frames):
            expected = {level: shapes_of(frame, level or 128) for level in levels}
            for name, reader in READERS.items():
                got = reader(folder, index, frame.shape)
                for level, mask in expected.items():
                    mine = got.get(level, numpy.zeros(frame.shape, int))
                    wrong = numpy.argwhere(mine != mask)
                    assert not len(wrong), f"{analyser}, frame {index}, {name}, level {level}: {len(wrong)} pixels " \
                                           f"differ, the first at {wrong[0][::-1]}"
                assert set(got) <= set(expected)
            if MODULES["rsvg-convert"] and MODULES["PIL"]:
                grey, covered = render(f"{folder}/{index:04d}.svg")
                assert (covered == numpy.any(list(expected.values()), axis=0)).all()
                if levels != [0]:
                    top = numpy.max([level * mask for level, mask in expected.items()], axis=0)
                    assert (grey[covered] == top[covered]).all()
    print(f"{analyser}: {len(frames)} frames of {frames[0].shape[1]} x {frames[0].shape[0]}")


def scenes(width, height):
    """Masks in which lines touch, nest and end in every way."""
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[:height, :width]
    distance = numpy.maximum(abs(x - width // 2), abs(y - height // 2))
    angle = numpy.arctan2(y - height / 2, x - width / 2)
    masks = [x < 0, x >= 0, (x == 3) & (y == 2), (x + y) % 2 == 0, (x + y) % 2 == 1, distance % 2 == 0, distance % 4 < 2,
             x % 2 == 0, (x % 2 == 0) | (y == 0), (x % 2 == 0) & (y % 2 == 0), (x % 2 == 1) | (y % 2 == 1),
             abs(x - y) < 1, abs(x - y) % 5 == 0, (x - y) * (x + y - width) % 7 < 3,
             (distance + 4 * angle / numpy.pi).astype(int) % 4 < 2]
    masks += [random.random((height, width)) < share for share in (.03, .2, .4, .5, .6, .8, .97)]
    return [numpy.where(mask, 255, 0).astype(numpy.uint8) for mask in masks]


def fill_holes(mask):
    """Less what does not hang together with the outside by sides of pixels."""
    outside = numpy.pad(numpy.zeros(mask.shape, bool), 1, constant_values=True)
    while True:
        grown = outside.copy()
        grown[1:] |= outside[:-1]
        grown[:-1] |= outside[1:]
        grown[:, 1:] |= outside[:, :-1]
        grown[:, :-1] |= outside[:, 1:]
        grown[1:-1, 1:-1] &= ~mask
        if (grown == outside).all():
            return ~outside[1:-1, 1:-1]
        outside = grown


def read_picture(path):
    with tempfile.TemporaryDirectory() as folder:
        launch(f"filesrc location={path} ! decodebin ! videoconvert ! video/x-raw,format=GRAY8"
               f" ! contourexport location={folder}/size ! filesink location={folder}/samples")
        with open(f"{folder}/size", encoding="utf-8") as file:
            size = json.loads(file.readline())["resolution"]
        samples = numpy.fromfile(f"{folder}/samples", numpy.uint8)
    return samples.reshape(size["height"], -1)[:, :size["width"]]


def main():
    for name, there in MODULES.items():
        if not there:
            print(f"left out: {name} is not here")
    for size in ((33, 26), (8, 5), (1, 7), (1, 1)):
        frames = scenes(*size)
        for mode in ("list", "ccomp", "tree"):
            check(frames, f"cudaborders mode={mode}", [0])
        check(frames, "cudaborders mode=list approximation=none", [0])
        check(frames, "cudaborders mode=external", [0], lambda frame, level: fill_holes(frame >= level))
        for connectivity in (8, 4):
            check(frames, f"cudacrackcontour min-level=128 max-level=128 connectivity={connectivity}", [128])
    random = numpy.random.default_rng(2)
    grey = [random.integers(0, 256, (20, 31)).astype(numpy.uint8) for _ in range(3)]
    check(grey, "cudacrackcontour levels=40,80,120,200", [40, 80, 120, 200])
    check(grey, "cudacrackcontour hierarchy=levels levels=40,80,120,200", [40, 80, 120, 200])
    labels = [random.integers(0, 4, (20, 31)).astype(numpy.uint8) for _ in range(3)]
    check(labels, "cudacrackcontour mode=eq min-level=1 max-level=3", [1, 2, 3], lambda frame, level: frame == level)

    data, pictures = os.environ.get("CTR_TEST_DATA"), 0
    for path in (os.path.join(data, name) for name in PICTURES) if data else []:
        if os.path.exists(path):
            frame = read_picture(path)
            check([frame], "cudaborders mode=list", [0])
            check([frame], "cudacrackcontour levels=96,160", [96, 160])
            pictures += 1
    if data and not pictures:
        print("no pictures in CTR_TEST_DATA")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
