#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calibrates a camera from pictures of a chessboard, for calibration-location of the analysers (docs/calibration.md).

Take ten or more pictures of a flat chessboard with the fixed camera and lens: near the middle and the corners of the picture, upright
and turned by up to 45 degrees about each axis. Take one more of the board lying on the plane of the parts, and name it with
--plane: it tells where the plane is. Without it the calibration only undistorts.

  pipelines/calibrate.py --columns 9 --rows 6 --square 20 --unit mm --plane table.png --to camera.yml board-*.png
"""
import argparse
import math
import os
import sys
import tempfile

try:
    import cv2
    import numpy as np
except ImportError as missing:
    sys.exit(f"calibrate.py: {missing}. Install the Debian packages python3-opencv and python3-numpy.")

MIN_PICTURES = 3
LARGE_ERROR = 1.0  # pixels


def fail(message):
    sys.exit(f"calibrate.py: {message}")


def flags_of(coefficients):
    return {4: cv2.CALIB_FIX_K3, 5: 0, 8: cv2.CALIB_RATIONAL_MODEL,
            12: cv2.CALIB_RATIONAL_MODEL | cv2.CALIB_THIN_PRISM_MODEL,
            14: cv2.CALIB_RATIONAL_MODEL | cv2.CALIB_THIN_PRISM_MODEL | cv2.CALIB_TILTED_MODEL}[coefficients]


def read_picture(path):
    if not os.path.exists(path):
        fail(f"no such picture: {path}")
    picture = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    if picture is None:
        fail(f"not a picture that OpenCV can read: {path}")
    return picture


def find_corners(picture, columns, rows):
    """The inner corners of the board, (columns * rows) x 2, or None. They are where the edges of the squares cross, to parts of a
    pixel."""
    flags = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE
    found, corners = cv2.findChessboardCorners(picture, (columns, rows), flags=flags)
    if not found:
        return None
    corners = corners.reshape(rows, columns, 2)
    # The window around a corner must not reach the next one.
    steps = [np.linalg.norm(np.diff(corners, axis=axis), axis=2).min() for axis in (0, 1)]
    half = int(max(2, min(11, min(steps) / 3)))
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 100, 1e-4)
    refined = cv2.cornerSubPix(picture, np.ascontiguousarray(corners.reshape(-1, 1, 2), np.float32), (half, half), (-1, -1),
                               criteria)
    return refined.reshape(-1, 2).astype(np.float64)


def board_points(options):
    """The corners on the board: x along its columns, y along its rows."""
    return np.array([(column * options.square, row * options.square)
                     for row in range(options.rows) for column in range(options.columns)])


def find_all(options):
    """Corners by path, and the size of the pictures. Pictures without the whole board are left out, and said."""
    corners, size, first = {}, None, None
    paths = list(dict.fromkeys(options.pictures + ([options.plane] if options.plane else [])))
    for path in paths:
        picture = read_picture(path)
        if size is None:
            size, first = picture.shape[::-1], path
        elif picture.shape[::-1] != size:
            fail("the pictures must be of one size: {} has {} x {} pixels, {} has {} x {}".format(
                first, *size, path, *picture.shape[::-1]))
        found = find_corners(picture, options.columns, options.rows)
        if found is not None:
            corners[path] = found
        else:
            print(f"{path}: no board of {options.columns} x {options.rows} inner corners; left out")
    if options.plane and options.plane not in corners:
        fail(f"the picture of the plane, {options.plane}, does not show the whole board: take another one")
    if len(corners) < MIN_PICTURES:
        fail(f"the board was found in {len(corners)} of {len(paths)} pictures, but {MIN_PICTURES} or more are needed, better "
             f"ten: check that --columns {options.columns} and --rows {options.rows} count inner corners, one less than squares")
    return corners, size


def calibrate(options, corners, size):
    """Camera matrix and distortion coefficients. Prints the errors."""
    board = np.hstack([board_points(options), np.zeros((options.columns * options.rows, 1))]).astype(np.float32)
    seen = [points.astype(np.float32).reshape(-1, 1, 2) for points in corners.values()]
    try:
        error, matrix, distortion, rotations, translations = cv2.calibrateCamera(
            [board] * len(seen), seen, size, None, None, flags=flags_of(options.coefficients))
    except cv2.error as problem:
        fail(f"OpenCV cannot calibrate with these pictures: {problem.err or problem}")
    distortion = distortion.reshape(1, -1)[:, :options.coefficients]
    if not (math.isfinite(error) and np.isfinite(matrix).all() and np.isfinite(distortion).all()):
        fail("OpenCV found no camera that fits: take pictures of the board from more directions")
    for path, points, rotation, translation in zip(corners, seen, rotations, translations):
        projected, _ = cv2.projectPoints(board, rotation, translation, matrix, distortion)
        off = np.linalg.norm((projected - points).reshape(-1, 2), axis=1)
        print(f"{path}: reprojection error {math.sqrt((off ** 2).mean()):.3f} pixels, at most {off.max():.3f}")
    print(f"{len(corners)} pictures: reprojection error {error:.3f} pixels (root mean square)")
    normals = np.array([cv2.Rodrigues(rotation)[0][:, 2] for rotation in rotations])
    turned = np.degrees(np.arccos(np.clip(np.abs(normals @ normals.T), 0, 1))).max()
    if turned < 10:
        fail(f"all pictures show the board at one angle, within {turned:.1f} degrees: turn it by up to 45 degrees about each axis")
    if error > LARGE_ERROR:
        print(f"warning: the error exceeds {LARGE_ERROR:g} pixel: is the board flat, are the pictures sharp, did focus or zoom "
              "change between them?")
    return matrix, distortion


def find_plane(options, corners, matrix, distortion):
    """The homography from undistorted pixels to units. Prints how well it fits."""
    flat = cv2.undistortPoints(corners[options.plane].reshape(-1, 1, 2), matrix, distortion, None, None, matrix).reshape(-1, 2)
    board = board_points(options)
    homography, _ = cv2.findHomography(flat, board)
    if homography is None or not np.isfinite(homography).all():
        fail(f"the picture of the plane, {options.plane}, gives no homography: take another one")
    off = np.linalg.norm(cv2.perspectiveTransform(flat.reshape(1, -1, 2), homography)[0] - board, axis=1)
    print(f"{options.plane}: the plane fits to {math.sqrt((off ** 2).mean()):.4g} {options.unit}, at most {off.max():.4g}")
    middle = flat.mean(axis=0)
    ends = cv2.perspectiveTransform(np.array([[middle, middle + (1, 0)]]), homography)[0]
    print(f"a pixel in the middle of the board is {np.linalg.norm(ends[1] - ends[0]):.4g} {options.unit} wide")
    return homography


def save(path, size, unit, matrix, distortion, homography):
    """Writes the file at once or not at all."""
    suffix = os.path.splitext(path)[1]
    storage = cv2.FileStorage("memory" + suffix, cv2.FileStorage_WRITE + cv2.FileStorage_MEMORY)
    storage.write("image_width", int(size[0]))
    storage.write("image_height", int(size[1]))
    if homography is not None:
        storage.write("unit", unit)
    storage.write("camera_matrix", matrix)
    storage.write("distortion_coefficients", distortion)
    if homography is not None:
        storage.write("homography", homography)
    text = storage.releaseAndGetString()
    try:
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path) or ".", delete=False, encoding="utf-8") as file:
            file.write(text if text.endswith("\n") else text + "\n")
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    except OSError as problem:
        fail(f"cannot write {path}: {problem.strerror}")


def positive(text):
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} must be above 0")
    return value


def corner_count(text):
    value = int(text)
    if not 3 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text} must be 3 to 100")
    return value


def unit_name(text):
    if not text or len(text.encode()) > 15 or any(not c.isprintable() or c.isspace() for c in text):
        raise argparse.ArgumentTypeError(f"'{text}' must be a name of 1 to 15 bytes without blanks, such as mm")
    return text


def file_name(text):
    if os.path.splitext(text)[1] not in (".yml", ".yaml", ".json"):
        raise argparse.ArgumentTypeError(f"{text} must end in .yml, .yaml or .json")
    return text


def parse(arguments):
    parser = argparse.ArgumentParser(prog="calibrate.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=corner_count, required=True, help="inner corners in a row of the board: squares less 1")
    parser.add_argument("--rows", type=corner_count, required=True, help="inner corners in a column of the board")
    parser.add_argument("--square", type=positive, required=True, help="side of a square, in units")
    parser.add_argument("--unit", type=unit_name, default="mm", help="name of the unit (default: mm)")
    parser.add_argument("--plane", metavar="PICTURE", help="picture of the board that lies on the plane of the parts")
    parser.add_argument("--coefficients", type=int, choices=(4, 5, 8, 12, 14), default=5,
                        help="distortion coefficients (default: 5; 8 for wide angles)")
    parser.add_argument("--to", metavar="FILE", type=file_name, default="calibration.yml", help="FILE.yml or FILE.json to write "
                        "(default: calibration.yml)")
    parser.add_argument("pictures", nargs="+", metavar="PICTURE", help="pictures of the board")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    corners, size = find_all(options)
    matrix, distortion = calibrate(options, corners, size)
    homography = find_plane(options, corners, matrix, distortion) if options.plane else None
    if homography is None:
        print("no --plane: the calibration undistorts, and measures in pixels")
    save(options.to, size, options.unit, matrix, distortion, homography)
    print(f"written: {options.to}")


if __name__ == "__main__":
    main(sys.argv[1:])
