#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the image of contours in docs/cudacanny.md: chains.py [FOLDER]

Runs cudacanny contours=true on the scene of stages.py and draws each chain in a colour of its own over the scene. Fails
unless the chains are those of the edges: each link of two edge pixels belongs to one chain, chains end at junctions and free
ends only, and they come in the order of their first pixels.
Needs a "meson devenv -C build" shell. Exit status 77 without NumPy or gst-launch-1.0.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # not into the folder of the documents
import stages  # noqa: E402 - exits with 77 without NumPy

np = stages.np
WIDTH, HEIGHT = stages.WIDTH, stages.HEIGHT
LEFT, TOP, RIGHT, BOTTOM = 16, 24, 246, 196  # the part that is drawn
CELL = 4
COLOURS = np.array([(230, 97, 0), (86, 180, 233), (0, 200, 120), (240, 228, 66), (204, 121, 167), (120, 140, 255)])
JUNCTION, FREE_END = (255, 255, 255), (255, 40, 40)


def run_element(scene):
    """Returns the edges of SCENE and the chains, as contourexport writes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, edges, result = (os.path.join(folder, name) for name in ("in", "edges", "chains"))
        scene.tofile(source)
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={scene.size}",
             "!", "rawvideoparse", "format=rgb", f"width={WIDTH}", f"height={HEIGHT}",
             "!", "cudacanny", "contours=true", "!", "contourexport", f"location={result}",
             "!", "filesink", f"location={edges}"], check=True, timeout=60)
        with open(result, encoding="utf-8") as file:
            line = json.loads(file.readline())
        return np.fromfile(edges, np.uint8).reshape(scene.shape)[..., 0] > 0, line["contours"]


def find_links(edges):
    """Returns the pairs of linked pixels, each with the first one in raster order first."""
    links = set()
    for y, x in np.argwhere(edges):
        for dx, dy in (1, 0), (-1, 1), (0, 1), (1, 1):
            if not (0 <= x + dx < WIDTH and y + dy < HEIGHT and edges[y + dy, x + dx]):
                continue
            if dx == 0 or dy == 0 or not (edges[y, x + dx] or edges[y + dy, x]):
                links.add(((x, y), (x + dx, y + dy)))
    return links


def are_chains(edges, chains):
    """Are CHAINS those of EDGES?"""
    links, degree = find_links(edges), np.zeros(edges.shape, int)
    for ends in links:
        for x, y in ends:
            degree[y, x] += 1
    found, starts = [], []
    for chain in chains:
        points = [tuple(p) for p in chain["points"]]
        line = points if chain["open"] else points + points[:1]
        found += [tuple(sorted(pair, key=lambda p: p[::-1])) for pair in zip(line, line[1:])]
        inside = points[1:-1] if chain["open"] else points
        starts.append(points[0][::-1])
        if any(degree[y, x] != 2 for x, y in inside):
            return False
        for (x, y), key in (points[0], "start_junction"), (points[-1], "end_junction"):
            if chain[key] != (degree[y, x] > 2) or chain["open"] != (degree[y, x] != 2):
                return False
    covered = {tuple(p) for chain in chains for p in chain["points"]}
    return (len(found) == len(links) and set(found) == links and starts == sorted(starts)
            and covered == {(x, y) for y, x in np.argwhere(edges)})


def draw(scene, chains):
    """The part of SCENE, darker, with its chains."""
    picture = scene.astype(float) * 0.45
    for i, chain in enumerate(chains):
        for x, y in chain["points"]:
            picture[y, x] = COLOURS[i % len(COLOURS)]
    for chain in chains:
        for (x, y), key in (chain["points"][0], "start_junction"), (chain["points"][-1], "end_junction"):
            if chain["open"]:
                picture[y, x] = JUNCTION if chain[key] else FREE_END
    return picture[TOP:BOTTOM, LEFT:RIGHT].repeat(CELL, 0).repeat(CELL, 1).astype(np.uint8)


def main(folder):
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is not installed")
        return 77
    scene = stages.draw_scene()
    edges, chains = run_element(scene)
    if not are_chains(edges, chains):
        print("the element's chains are not those of its edges")
        return 1
    os.makedirs(folder, exist_ok=True)
    stages.write_png(os.path.join(folder, "chains.png"), draw(scene, chains))
    print(f"{edges.sum()} edge pixels, {len(chains)} chains, {sum(not c['open'] for c in chains)} of them closed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
