#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the images of docs/cudacanny.md: stages.py [FOLDER]

Draws a scene, computes the steps of cudacanny as core/canny/canny.h describes them, and writes a PNG for each step. The
last five images come from the element; the script fails if they differ from those computed here.
Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

WIDTH, HEIGHT = 400, 264
SIGMA, LOW, HIGH = 2, 50, 150  # the element's defaults

STRONG, KEPT, DROPPED = (255, 255, 255), (70, 160, 255), (235, 90, 40)


def write_png(path, picture):
    """PICTURE: height x width (grey) or height x width x 3 bytes."""
    height, width = picture.shape[:2]
    rows = np.ascontiguousarray(picture).reshape(height, -1).astype(int)
    step = rows.shape[1] // width
    left = np.pad(rows, ((0, 0), (step, 0)))[:, :-step]
    above = np.pad(rows, ((1, 0), (0, 0)))[:-1]
    filtered = [rows, rows - left, rows - above, rows - (left + above) // 2]  # PNG's filters 0 to 3
    best = min((zlib.compress(np.insert(f & 255, 0, kind, axis=1).astype(np.uint8).tobytes(), 9)
                for kind, f in enumerate(filtered)), key=len)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        header = struct.pack(">IIBBBBB", width, height, 8, 2 if step == 3 else 0, 0, 0, 0)
        for name, data in (b"IHDR", header), (b"IDAT", best), (b"IEND", b""):
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))


def draw_scene():
    """A gear, a nut, a washer and a bolt on a belt that is lit from the right, with shadows and a camera's noise."""
    fine = 3  # subpixels per pixel and axis
    y, x = (np.mgrid[:HEIGHT * fine, :WIDTH * fine] + 0.5) / fine
    light = 0.55 + 0.75 * (x / WIDTH) ** 1.5
    scene = np.array([62, 66, 72]) * light[..., None]

    def ring(cx, cy, outer, inner):
        distance = np.hypot(x - cx, y - cy)
        return (distance < outer) & (distance >= inner)

    def gear(cx, cy, radius, teeth):
        angle, distance = np.arctan2(y - cy, x - cx), np.hypot(x - cx, y - cy)
        rim = radius * (1 + 0.11 * np.clip(3 * np.cos(teeth * angle), -1, 1))
        arms = (np.abs(distance - 0.56 * radius) < 0.15 * radius) & (np.cos(5 * angle) > -0.35)
        return (distance < rim) & ~arms & (distance >= 0.17 * radius)

    def nut(cx, cy, radius, turn):
        inside = np.hypot(x - cx, y - cy) >= 0.55 * radius
        for side in range(6):
            angle = turn + side * np.pi / 3
            inside &= (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle) < radius
        return inside

    def bolt(x0, cy):
        head = (np.abs(x - x0) < 13) & (np.abs(y - cy) < 27)
        thread = 3 * np.clip(2 * np.sin((x + 0.15 * (y - cy)) * 0.75), -1, 1) * (x > x0 + 45)
        shaft = (x >= x0) & (x < x0 + 140) & (np.abs(y - cy) < 13 + thread)
        return head | shaft

    def line(x0, y0, x1, y1, width):
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, 1)
        return np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) < width / 2

    parts = [
        (gear(108, 118, 76, 14), (206, 164, 74)),
        (nut(252, 80, 42, 0.2), (176, 184, 196)),
        (ring(345, 82, 38, 18), (124, 118, 114)),
        (bolt(222, 204), (190, 192, 190)),
    ]
    for ends in (16, 232, 120, 250), (40, 14, 176, 24), (150, 240, 190, 214), (300, 150, 392, 138), (310, 158, 384, 150):
        scene += 48 * line(*ends, 5)[..., None]  # scratches on the belt
    for mask, _ in parts:  # all shadows lie under all parts
        shadow = np.roll(mask, (5 * fine, 4 * fine), (0, 1)).astype(float)
        for axis in 0, 1:
            for _ in range(2):
                shadow = sum(np.roll(shadow, i, axis) for i in range(-6, 7)) / 13
        scene *= (1 - 0.45 * shadow)[..., None]
    for mask, colour in parts:
        scene = np.where(mask[..., None], np.array(colour) * (0.72 + 0.4 * light)[..., None], scene)
    scene -= 60 * ring(252, 80, 34, 30.5)[..., None]  # the nut's chamfer
    scene = scene.reshape(HEIGHT, fine, WIDTH, fine, 3).mean(axis=(1, 3))
    scene += np.random.RandomState(1).normal(0, 2, (HEIGHT, WIDTH, 1))
    return np.clip(np.rint(scene), 0, 255).astype(np.uint8)


def luma(rgb):
    red, green, blue = (rgb[..., i].astype(int) for i in range(3))
    return (9798 * red + 19235 * green + 3735 * blue + 16384) >> 15


def blur(grey):
    radius = (int(np.rint(6 * SIGMA + 1)) | 1) // 2
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / SIGMA) ** 2)
    weights, error = np.zeros(2 * radius + 1, int), 0.0
    for i in range(radius):
        wanted = 256 * kernel[i] / kernel.sum() + error
        weights[i] = weights[-1 - i] = np.rint(wanted)
        error = wanted - weights[i]
    weights[radius] = 256 - weights.sum()
    padded = np.pad(grey, radius, "reflect")
    rows = sum(w * padded[:, i:i + WIDTH] for i, w in enumerate(weights))
    return (sum(w * rows[i:i + HEIGHT] for i, w in enumerate(weights)) + 32768) >> 16


def gradient(blurred):
    p = np.pad(blurred, 1, "edge")
    across = p[:, 2:] - p[:, :-2]
    down = p[2:] - p[:-2]
    return (across[:-2] + 2 * across[1:-1] + across[2:], down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:])


def sectors(dx, dy):
    """The direction of the gradient: across, upright, rising to the right, else falling."""
    flat = 32768 * np.abs(dy) < 13573 * np.abs(dx)
    steep = 32768 * np.abs(dy) > (13573 + 65536) * np.abs(dx)
    return flat, steep, (dx < 0) != (dy < 0)


def candidates(dx, dy, magnitude):
    """Greater than LOW, and a maximum along the gradient."""
    m = np.pad(magnitude, 1)

    def at(y, x):
        return m[1 + y:1 + y + HEIGHT, 1 + x:1 + x + WIDTH]

    c = magnitude
    along = np.select(sectors(dx, dy), [
        (c > at(0, -1)) & (c >= at(0, 1)),
        (c > at(-1, 0)) & (c >= at(1, 0)),
        (c > at(-1, 1)) & (c > at(1, -1)),
    ], (c > at(-1, -1)) & (c > at(1, 1)))
    return along & (c > LOW)


def hysteresis(candidate, strong):
    """What hangs together with a strong candidate."""
    edges = strong
    while True:
        p = np.pad(edges, 1)
        grown = candidate & np.logical_or.reduce(
            [p[y:y + HEIGHT, x:x + WIDTH] for y in range(3) for x in range(3)])
        if (grown == edges).all():
            return edges
        edges = grown


def run_element(scene, properties):
    """What cudacanny makes of SCENE, RGB."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=rgb", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudacanny", *properties, "!", "filesink", f"location={result}"], check=True, timeout=60)
        return np.fromfile(result, np.uint8).reshape(scene.shape)


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = draw_scene()
    grey = luma(scene)
    blurred = blur(grey)
    dx, dy = gradient(blurred)
    magnitude = np.abs(dx) + np.abs(dy)
    candidate = candidates(dx, dy, magnitude)
    strong = candidate & (magnitude > HIGH)
    edges = hysteresis(candidate, strong)

    element = run_element(scene, [])
    if not (element == np.where(edges, 255, 0)[..., None]).all():
        print("the element's edges differ from those worked out here")
        return 1
    shown = run_element(scene, ["output=mask"])
    if not (shown == np.where(edges[..., None], scene, 0)).all():
        print("the element's mask shows something else than the scene through the edges")
        return 1
    outputs = {
        "gradient": np.minimum(magnitude, 255),
        "direction": np.where(magnitude > LOW, np.select(sectors(dx, dy), [64, 192, 255], 128), 0),
        "candidates": np.where(strong, 255, np.where(candidate, 128, 0)),
    }
    for name, expected in outputs.items():
        output = run_element(scene, ["output=" + name])
        if not (output == expected[..., None]).all():
            print(f"the element's {name} differs from that worked out here")
            return 1
        outputs[name] = output[..., 0]

    kinds = np.zeros_like(scene)
    kinds[candidate & ~edges] = DROPPED
    kinds[edges] = KEPT
    kinds[strong] = STRONG
    os.makedirs(folder, exist_ok=True)
    for name, picture in [
            ("1-scene", scene), ("2-grey", grey), ("3-blur", blurred),
            ("4-gradient", 255 * np.sqrt(magnitude / magnitude.max())), ("5-candidates", kinds),
            ("6-edges", element[..., 0]), ("7-mask", shown), ("8-output-gradient", outputs["gradient"]),
            ("9-output-direction", outputs["direction"]), ("10-output-candidates", outputs["candidates"])]:
        write_png(os.path.join(folder, name + ".png"), picture.astype(np.uint8))
    print(f"{candidate.sum()} candidates, {strong.sum()} of them strong; {edges.sum()} edge pixels")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
