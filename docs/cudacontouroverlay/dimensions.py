#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates images of docs/cudacontouroverlay.md and docs/calibration.md: dimensions.py [FOLDER [BUILD]]

Measures the washer of pipelines/scene.c, which has 400 and 210 pixels, with a scale of 0.05 mm, and draws the result. Then it shows
a washer of the same size to a camera with a lens that distorts, at an angle, and measures it with that camera's calibration. Fails if a
diameter is off by more than 0.01 mm (0.2 pixels), or nothing is drawn. Needs a "meson devenv -C build" shell. Exit status 77
without NumPy, text in the overlay, or libyaml.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # not into the folder of the documents
sys.path.insert(0, os.path.join(HERE, os.pardir, "cudacanny"))

import stages  # noqa: E402 - exits with 77 without NumPy

np = stages.np
WIDTH, HEIGHT, SAMPLES, BAND = 960, 540, 4, 20
OUTER, INNER = 20.0, 10.5  # mm
MATRIX = np.array([[900, 0, 470.0], [0, 905, 275.0], [0, 0, 1]])
K1, K2, P1, P2 = -0.3, 0.1, 0.001, -0.0005
PLANE = np.array([[33.0, -2.5, 480], [2, 31.0, 262], [0.004, 0.006, 1]])  # from mm around the washer to undistorted pixels
LINE = (230, 159, 0)


def measure(build, source, calibration, result):
    """Both diameters in mm."""
    sink = f"videoconvert ! video/x-raw,format=RGB ! filesink location={result}"
    done = subprocess.run([os.path.join(build, "pipelines", "measure_rings"), f"--calibration={calibration}", f"--draw={sink}",
                           source], capture_output=True, text=True, timeout=60, check=False)
    row = re.search(r"^ +1 +([\d.]+) +([\d.]+) .* mm$", done.stdout, re.MULTILINE)
    if not row:
        print(done.stdout, done.stderr)
        sys.exit(77 if re.search("text support|reads no YAML", done.stderr) else 1)
    return float(row[1]), float(row[2])


def check(what, diameters):
    print(f"{what}: outer {diameters[0]:.4f} mm, inner {diameters[1]:.4f} mm")
    if abs(diameters[0] - OUTER) > 0.01 or abs(diameters[1] - INNER) > 0.01:
        sys.exit(f"{what} is measured wrongly")


def undistort(x, y):
    """In units of the focal length, by fixed-point iteration."""
    goal_x, goal_y = x, y
    for _ in range(15):
        r2 = x * x + y * y
        radial = 1 + K1 * r2 + K2 * r2 * r2
        x, y = ((goal_x - 2 * P1 * x * y - P2 * (r2 + 2 * x * x)) / radial,
                (goal_y - P1 * (r2 + 2 * y * y) - 2 * P2 * x * y) / radial)
    return x, y


def photograph(top):
    """BAND rows of the washer as the camera sees it at an angle: the mean of SAMPLES x SAMPLES points in a pixel."""
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5
    u, v = np.meshgrid((np.arange(WIDTH)[:, None] + steps).reshape(-1), (np.arange(top, top + BAND)[:, None] + steps).reshape(-1))
    x, y = undistort((u - MATRIX[0, 2]) / MATRIX[0, 0], (v - MATRIX[1, 2]) / MATRIX[1, 1])
    at = np.linalg.inv(PLANE) @ np.stack([(x * MATRIX[0, 0] + MATRIX[0, 2]).ravel(), (y * MATRIX[1, 1] + MATRIX[1, 2]).ravel(),
                                          np.ones(x.size)])
    radius = np.hypot(at[0] / at[2] - 0.4, at[1] / at[2] - 0.3)
    shades = np.where((radius < OUTER / 2 * 0.6) & (radius > INNER / 2 * 0.6), 190.0, 45.0)
    return shades.reshape(BAND, SAMPLES, WIDTH, SAMPLES).mean(axis=(1, 3)).round().astype(np.uint8)


def write_calibration(path):
    """The plane in mm of the washer, which is drawn 0.6 times as large to fit in."""
    homography = np.linalg.inv(PLANE @ np.diag([0.6, 0.6, 1]))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{{\"image_width\": {WIDTH}, \"image_height\": {HEIGHT}, \"unit\": \"mm\", \"camera_matrix\": {MATRIX.tolist()}, "
                   f"\"distortion_coefficients\": {[K1, K2, P1, P2]}, \"homography\": {homography.tolist()}}}")


def main(folder, build):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        source, result, calibration = (os.path.join(temporary, name) for name in ("washer.y4m", "out.rgb", "camera.json"))
        with open(source, "wb") as file:
            subprocess.run([os.path.join(build, "pipelines", "scene"), "washer", "1"], stdout=file, check=True, timeout=60)
        with open(calibration, "w", encoding="utf-8") as file:
            file.write('{"scale": 0.05, "unit": "mm"}')
        check("seen from above", measure(build, source, calibration, result))
        picture = np.fromfile(result, np.uint8).reshape(HEIGHT, WIDTH, 3)
        drawn = (abs(picture.astype(int) - LINE).max(axis=2) < 12).sum()
        print(f"{drawn} pixels of dimension lines")
        if drawn < 1000:
            return 1
        stages.write_png(os.path.join(folder, "dimensions.png"), picture)
        source = os.path.join(temporary, "photograph.png")
        stages.write_png(source, np.repeat(np.vstack([photograph(top) for top in range(0, HEIGHT, BAND)])[:, :, None], 3, axis=2))
        write_calibration(calibration)
        check("by a lens, at an angle", measure(build, source, calibration, result))
        stages.write_png(os.path.join(folder, "perspective.png"), np.fromfile(result, np.uint8).reshape(HEIGHT, WIDTH, 3))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else HERE, sys.argv[2] if len(sys.argv) > 2 else "build"))
