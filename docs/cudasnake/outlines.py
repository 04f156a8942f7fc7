#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the images of docs/cudasnake.md: outlines.py [FOLDER]

tracked.png shows frames of a noisy sequence in which cudasnake tracks two targets, failures.png the results for scenes that
are not two homogeneous regions, evolution.png the polygons of one search. Fails if an outline is not as close to its target, or not as far from it, as the
document says. Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
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

WIDTH, HEIGHT = 216, 144
FRAMES = 41
SCALE = 2
GAP = 8
COLOURS = [(255, 170, 40), (70, 220, 255)]
TRUTH = (90, 235, 110)
X, Y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)


def blob(x, y, radius, turned):
    """Returns the pixels of a shape with lobes around x, y."""
    angle = np.arctan2(Y - y, X - x) - turned
    lobes = 1 + 0.18 * np.cos(2 * angle) + 0.12 * np.cos(3 * angle) + 0.08 * np.cos(5 * angle)
    return np.hypot(X - x, Y - y) <= radius * lobes


def ellipse(x, y, a, b, turned):
    u = (X - x) * np.cos(turned) + (Y - y) * np.sin(turned)
    v = (Y - y) * np.cos(turned) - (X - x) * np.sin(turned)
    return (u / a) ** 2 + (v / b) ** 2 <= 1


def samples(noise):
    return np.clip(np.rint(noise), 0, 255).astype(np.uint8)


def moving_scene(random, t):
    """Returns samples and targets of frame T: one is brighter than the background, one has the same mean and less noise."""
    first = blob(52 + 2.6 * t, 52 + 9 * np.sin(t / 7), 24 + 3 * np.sin(t / 5), 0.12 * t)
    second = ellipse(166 - 2.4 * t, 108 - 5 * np.sin(t / 6), 26, 17, -0.07 * t)
    mean = np.where(first, 128, 96)
    deviation = np.where(second, 9, 27)
    return samples(random.normal(mean, deviation)), [first, second]


def failing_scenes(random):
    """Yields samples and target of scenes that are not two homogeneous regions."""
    disc = ellipse(108, 72, 38, 38, 0)
    two_tones = np.where(disc, np.where(X < 108, 112, 200), 96)
    yield samples(random.normal(two_tones, 8)), disc
    shade = 60 + 0.6 * X + np.where(disc, 22, 0)
    yield samples(random.normal(shade, 8)), disc
    left, right = ellipse(62, 72, 34, 34, 0), ellipse(164, 72, 28, 28, 0)
    yield samples(random.normal(np.where(left, 120, np.where(right, 200, 90)), 12)), left
    ring = disc & ~ellipse(108, 72, 20, 20, 0)
    yield samples(random.normal(np.where(ring, 130, 95), 10)), ring


def run_element(frames, properties):
    """Returns the outlines that cudasnake finds in each of FRAMES, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        np.stack(frames).tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={WIDTH * HEIGHT}",
             "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudasnake", *properties, "!", "contourexport", f"location={result}", "!", "fakesink"],
            check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            return [json.loads(line)["contours"] for line in file]


def inside(points):
    """Returns the pixels inside an outline: those whose row more edges cross upwards than downwards, up to their column."""
    up = np.zeros((HEIGHT, WIDTH + 1), int)
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
        (xa, ya), (xb, yb) = sorted([(x0, y0), (x1, y1)], key=lambda point: point[1])
        for y in range(ya, yb):
            up[y, xa - (y - ya) * (xa - xb) // (yb - ya)] += 1 if y0 > y1 else -1
    return np.cumsum(up, axis=1)[:, :WIDTH] > 0


def overlap(outline, target):
    """Returns the intersection over union of an outline and its target."""
    mask = inside([(int(x), int(y)) for x, y in outline["points"]])
    return np.count_nonzero(mask & target) / np.count_nonzero(mask | target)


def draw_line(picture, points, colour, width=1.0, strength=1.0):
    """Draws an antialiased closed line between corners of pixels."""
    height, across = picture.shape[:2]
    points = np.array(points, float) * SCALE
    for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, 0)):
        left, right = int(max(min(x0, x1) - 3, 0)), int(min(max(x0, x1) + 4, across))
        top, bottom = int(max(min(y0, y1) - 3, 0)), int(min(max(y0, y1) + 4, height))
        x, y = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5)
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1)
        distance = np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0))
        weight = np.clip(width + 0.5 - distance, 0, 1)[..., None] * strength
        part = picture[top:bottom, left:right]
        part[:] = part * (1 - weight) + np.array(colour) * weight


def draw_edge(picture, target, colour):
    """Draws the dotted border of a set of pixels."""
    for axis in (0, 1):
        rows, columns = np.nonzero(np.diff(target.astype(int), axis=axis))
        for row, column in zip(rows, columns):
            if (row + column) % 4 < 2:
                x, y = (column, row + 1) if axis == 0 else (column + 1, row)
                picture[y * SCALE - 1:y * SCALE + 1 + SCALE * axis, x * SCALE - 1:x * SCALE + 1 + SCALE * (1 - axis)] = \
                    colour


def panel(frame):
    frame = frame & 0xF0 | 8  # fewer levels make smaller files
    return np.repeat(np.repeat(frame, SCALE, 0), SCALE, 1)[..., None].repeat(3, 2).astype(float)


def write_panels(path, panels, columns):
    across, down = WIDTH * SCALE + GAP, HEIGHT * SCALE + GAP
    sheet = np.full((down * -(-len(panels) // columns) - GAP, across * columns - GAP, 3), 255.0)
    for i, picture in enumerate(panels):
        y, x = i // columns * down, i % columns * across
        sheet[y:y + HEIGHT * SCALE, x:x + WIDTH * SCALE] = picture
    write_png(path, np.rint(sheet).astype(np.uint8))


def make_tracked(path, random):
    """Returns an error, or None."""
    frames, targets = zip(*(moving_scene(random, t) for t in range(FRAMES)))
    outlines = run_element(frames, ["track=true", "window=4,4,96,96;112,56,100,84"])
    overlaps = []
    for t in range(FRAMES):
        if [outline["object"] for outline in outlines[t]] != [0, 1]:
            return f"frame {t} has the outlines of {len(outlines[t])} objects"
        overlaps += [overlap(outline, target) for outline, target in zip(outlines[t], targets[t])]
    print(f"{FRAMES} frames: overlap of outline and target {min(overlaps):.3f} to {max(overlaps):.3f}, "
          f"{np.mean(overlaps):.3f} on average; {np.mean([o['iterations'] for f in outlines[:1] for o in f]):.0f} steps "
          f"at first, then {np.mean([o['iterations'] for f in outlines[1:] for o in f]):.0f}")
    panels = []
    for t in range(0, FRAMES, 8):
        picture = panel(frames[t])
        for which, colour in enumerate(COLOURS):
            for before in range(max(t - 8, 0), t, 2):
                draw_line(picture, outlines[before][which]["points"], colour, 0.5, 0.35)
            draw_line(picture, outlines[t][which]["points"], colour, 1.2)
        panels.append(picture)
    write_panels(path, panels, 3)
    return None if min(overlaps) > 0.85 and np.mean(overlaps) > 0.92 else "an outline is off its target"


def make_failures(path, random):
    panels = []
    for frame, target in failing_scenes(random):
        outlines = run_element([frame], [])[0]
        picture = panel(frame)
        draw_edge(picture, target, TRUTH)
        for outline in outlines:
            draw_line(picture, outline["points"], COLOURS[0], 1.2)
        panels.append(picture)
        measured = overlap(outlines[0], target) if outlines else 0
        print(f"failure {len(panels)}: overlap {measured:.3f}")
        if measured > 0.8:
            return f"scene {len(panels)} does not fail"
    write_panels(path, panels, 2)
    return None


def draw_points(picture, points, colour):
    for x, y in np.array(points, int) * SCALE:
        picture[max(y - 2, 0):y + 2, max(x - 2, 0):x + 2] = colour


def make_evolution(path, random):
    """Returns an error, or None."""
    target = blob(120, 70, 44, 0.4)
    frame = samples(random.normal(np.where(target, 124, 96), 28))
    outline, = run_element([frame], ["history=true", "start=rectangle", "rectangle=40,20,70,60", "max-step=16"])[0]
    history = outline["history"]
    for before, after in zip(history, history[1:]):
        if after["kind"] == "moved" and not after["criterion"] < before["criterion"]:
            return f"the criterion does not fall in iteration {after['iteration']}"
    if sorted(history[-1]["points"]) != sorted(outline["points"]):
        return "the history does not end with the outline"
    moved = [state for state in history if state["kind"] == "moved"]
    last_of_step = {state["step"]: state for state in moved if state["iteration"] < history[-1]["iteration"]}
    before_pruning = next(a for a, b in zip(history, history[1:]) if b["kind"] == "pruned")
    shown = [history[0], moved[2], last_of_step[16], last_of_step[8], before_pruning, history[-1]]
    panels = []
    for number, state in enumerate(shown):
        picture = panel(frame)
        draw_edge(picture, target, TRUTH)
        for former in shown[number - 1:number]:
            draw_line(picture, former["points"], COLOURS[1], 0.5, 0.35)
        draw_line(picture, state["points"], COLOURS[0], 1.2)
        draw_points(picture, state["points"], (255, 255, 255))
        panels.append(picture)
        print(f"{state['kind']}, iteration {state['iteration']}, step {state['step']}: {len(state['points'])} points, "
              f"overlap {overlap(state, target):.3f}")
    write_panels(path, panels, 3)
    return None if overlap(shown[-1], target) > 0.93 > 0.6 > overlap(shown[0], target) else "the search ends elsewhere"


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    os.makedirs(folder, exist_ok=True)
    random = np.random.Generator(np.random.PCG64(7))
    problem = (make_tracked(os.path.join(folder, "tracked.png"), random)
               or make_failures(os.path.join(folder, "failures.png"), random)
               or make_evolution(os.path.join(folder, "evolution.png"), random))
    if problem:
        print(problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
