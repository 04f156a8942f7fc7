#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of docs/cudaborders.md: nesting.py [FOLDER]

Draws a tray of parts, follows its borders with cudaborders, and colours them by their depth. Fails if the contours of the
element, their order, points or parents differ from those computed here as the document describes. Needs
a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cudacanny"))
from stages import write_png

WIDTH, HEIGHT = 420, 280
THRESHOLD = 128
# By depth, from outermost to innermost. Outer borders have even depths, holes odd ones.
COLOURS = np.array([(240, 228, 66), (86, 180, 233), (230, 97, 0), (0, 175, 128), (214, 130, 176), (255, 255, 255)])

# East, north-east, north and on, anticlockwise on the screen.
STEPS = [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)]
EAST, WEST_SLOT = 0, 2


def draw_scene():
    """Draws a tray with three compartments that hold a gear, nuts and washers, some with pins in their holes."""
    fine = 3  # subpixels per pixel and axis
    y, x = (np.mgrid[:HEIGHT * fine, :WIDTH * fine] + 0.5) / fine
    shade = 0.8 + 0.25 * x / WIDTH
    scene = np.full(x.shape, 36.0)

    def paint(where, brightness):
        scene[where] = (brightness * shade)[where]

    def disc(cx, cy, radius):
        return np.hypot(x - cx, y - cy) < radius

    def box(left, top, width, height, round_by):
        dx = np.abs(x - left - width / 2) - width / 2 + round_by
        dy = np.abs(y - top - height / 2) - height / 2 + round_by
        return np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) < round_by

    def hexagon(cx, cy, radius):
        return np.logical_and.reduce([np.abs((x - cx) * np.cos(a) + (y - cy) * np.sin(a)) < radius
                                      for a in (0.3, 0.3 + np.pi / 3, 0.3 + 2 * np.pi / 3)])

    paint(box(14, 14, 392, 252, 26), 176)
    for compartment in (box(30, 30, 196, 220, 18), box(242, 30, 148, 100, 18), box(242, 146, 148, 104, 18)):
        paint(compartment, 30)
    angle, distance = np.arctan2(y - 140, x - 128), np.hypot(x - 128, y - 140)
    paint(distance < 82 * (1 + 0.09 * np.clip(3 * np.cos(16 * angle), -1, 1)), 205)
    for i in range(5):
        at = (128 + 46 * np.cos(1.26 * i + 0.2), 140 + 46 * np.sin(1.26 * i + 0.2))
        paint(disc(*at, 17), 40)
        if i % 2:
            paint(disc(*at, 11), 220)
            paint(disc(*at, 5), 30)
    paint(disc(128, 140, 15), 40)
    for cx, cy, radius, inner in (280, 70, 24, 14), (340, 88, 28, 17):
        paint(hexagon(cx, cy, radius), 215)
        paint(disc(cx, cy, inner), 34)
    paint(disc(340, 88, 9), 225)
    paint(box(336, 80, 8, 16, 2), 30)
    for cx, cy, radius in (284, 188, 28), (350, 204, 32):
        paint(disc(cx, cy, radius), 190)
        paint(disc(cx, cy, 0.6 * radius), 34)
    paint(hexagon(350, 204, 12), 230)
    paint(disc(318, 234, 6), 210)
    paint(disc(258, 226, 5), 210)
    return np.clip(np.rint(scene.reshape(HEIGHT, fine, WIDTH, fine).mean(axis=(1, 3))), 0, 255).astype(np.uint8)


def run_element(scene):
    """Returns the contours that cudaborders finds in SCENE, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudaborders", "mode=tree", "approximation=none", f"threshold={THRESHOLD}",
             "!", "contourexport", f"location={result}", "!", "fakesink"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            return json.loads(file.readline())["contours"]


class Borders:
    """The borders of a mask. A node is a visit of a border to a pixel; its eight neighbours determine the next one."""

    def __init__(self, mask):
        self.mask = np.pad(mask, 1)
        self.cycles = []  # lists of nodes (x, y, slot), each from its start
        self.keys = []  # for each cycle: position of the start, whether it is a hole
        self.cycle_of = {}
        for y, x in np.argwhere(self.mask):
            for slot in self.slots(x, y):
                if (x, y, slot) not in self.cycle_of:
                    self.follow((x, y, slot))

    def zeros(self, x, y):
        return [not self.mask[y + dy, x + dx] for dx, dy in STEPS]

    def slots(self, x, y):
        z = self.zeros(x, y)
        if all(z):
            return [WEST_SLOT]
        return [k for k in range(4) if z[2 * k] and not (z[2 * k - 1] and z[2 * k - 2])]

    def ahead(self, node):
        """Returns the background neighbours of a node, and the direction of the next node, or None for a single pixel."""
        x, y, slot = node
        z = self.zeros(x, y)
        if all(z):
            return list(range(8)), None
        run, d = [], 2 * slot
        while z[d % 8]:
            run.append(d % 8)
            d += 1
        d_back = 2 * slot - 1
        while z[d_back % 8]:
            run.append(d_back % 8)
            d_back -= 1
        return run, d % 8

    def next(self, node):
        _, direction = self.ahead(node)
        if direction is None:
            return node
        x, y = node[0] + STEPS[direction][0], node[1] + STEPS[direction][1]
        return x, y, ((((direction + 4) & 7 | 1) + 1) & 7) >> 1

    def key(self, node):
        """Returns the positions at which a raster scan could find the border at this node, and whether it is a hole."""
        run, _ = self.ahead(node)
        position = node[1] * self.mask.shape[1] + node[0]
        events = [(position, False)] if 2 * WEST_SLOT in run else []
        return events + ([(position + 1, True)] if EAST in run else [])

    def follow(self, node):
        cycle = [node]
        while (node := self.next(node)) != cycle[0]:
            cycle.append(node)
        key, start = min((key, i) for i, n in enumerate(cycle) for key in self.key(n))
        for n in cycle:
            self.cycle_of[n] = len(self.cycles)
        self.cycles.append(cycle[start:] + cycle[:start])
        self.keys.append(key)

    def parent(self, index):
        """Returns the parent of the cycle INDEX, or None: the border to the west of its start, across pixels of one kind."""
        x, y, _ = self.cycles[index][0]
        hole = self.keys[index][1]
        if hole:
            while self.mask[y, x - 1]:
                x -= 1
        else:
            while x > 0 and not self.mask[y, x - 1]:
                x -= 1
            if x == 0:
                return None
            x -= 1
        side = 2 * WEST_SLOT if hole else EAST
        around = next(self.cycle_of[x, y, slot] for slot in self.slots(x, y) if side in self.ahead((x, y, slot))[0])
        return around if self.keys[around][1] != hole else self.parent(around)

    def tree(self):
        """Returns points, hole and row of the parent of all borders: parents first, siblings by descending keys."""
        children = {}
        for index in sorted(range(len(self.cycles)), key=lambda i: self.keys[i], reverse=True):
            children.setdefault(self.parent(index), []).append(index)
        rows = []

        def add(index, parent_row):
            rows.append(([[x - 1, y - 1] for x, y, _ in self.cycles[index]], self.keys[index][1], parent_row))
            row = len(rows) - 1
            for child in children.get(index, []):
                add(child, row)

        for index in children.get(None, []):
            add(index, None)
        return rows


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = draw_scene()
    contours = run_element(scene)
    expected = Borders(scene >= THRESHOLD).tree()
    if [([[int(v) for v in point] for point in points], hole, parent) for points, hole, parent in expected] \
            != [(c["points"], c["hole"], c["parent"]) for c in contours]:
        print("the contours of the element differ from those computed here")
        return 1

    scale = 2
    picture = np.repeat(np.repeat(scene // 3, scale, 0), scale, 1)[..., None].repeat(3, 2)
    depths = []
    for c in contours:
        depths.append(0 if c["parent"] is None else depths[c["parent"]] + 1)
        for x, y in c["points"]:
            picture[y * scale:(y + 1) * scale, x * scale:(x + 1) * scale] = COLOURS[depths[-1]]
    os.makedirs(folder, exist_ok=True)
    write_png(os.path.join(folder, "nesting.png"), picture.astype(np.uint8))
    print(f"{len(contours)} contours of {sum(len(c['points']) for c in contours)} points; by depth: "
          + ", ".join(str(depths.count(depth)) for depth in range(max(depths) + 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
