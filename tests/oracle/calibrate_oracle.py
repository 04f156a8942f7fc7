# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs pipelines/calibrate.py on chessboards that a known camera sees, and compares the calibration that the library reads
with this camera. Arguments: calibrate.py. Exit status 77 without OpenCV or the library."""
import os
import subprocess
import sys
import tempfile

from oracle import QUICK, cv2, np, skip

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstContours", "1.0")
    from gi.repository import Gst, GstContours
except (ImportError, ValueError) as missing:
    skip(missing)

WIDTH, HEIGHT, SAMPLES = 640, 480, 4
COLUMNS, ROWS, SQUARE = 9, 6, 25.0
FOCAL = np.array([700.0, 705.0])
CENTRE = np.array([325.5, 236.0])
K1, K2, P1, P2 = -0.22, 0.08, 0.0008, -0.0012


def distort(x, y):
    r2 = x * x + y * y
    radial = 1 + K1 * r2 + K2 * r2 * r2
    return x * radial + 2 * P1 * x * y + P2 * (r2 + 2 * x * x), y * radial + P1 * (r2 + 2 * y * y) + 2 * P2 * x * y


def rays():
    """The directions of all samples of the picture, by fixed-point iteration: the contraction is strong here."""
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5
    u = (np.arange(WIDTH)[:, None] + steps).reshape(-1)
    v = (np.arange(HEIGHT)[:, None] + steps).reshape(-1)
    goal_x, goal_y = np.meshgrid((u - CENTRE[0]) / FOCAL[0], (v - CENTRE[1]) / FOCAL[1])
    x, y = goal_x.copy(), goal_y.copy()
    for _ in range(25):
        got_x, got_y = distort(x, y)
        x, y = x + goal_x - got_x, y + goal_y - got_y
    return x, y


def rotation(about_x, about_y, about_z):
    a, b, c = np.radians([about_x, about_y, about_z])
    turn_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    turn_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    turn_z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return turn_z @ turn_y @ turn_x


class Pose:
    """A board in front of the camera: its middle at X, Y, Z."""

    def __init__(self, angles, middle):
        self.r = rotation(*angles)
        self.t = np.array(middle) - self.r @ [(COLUMNS - 1) * SQUARE / 2, (ROWS - 1) * SQUARE / 2, 0]

    def render(self, x, y, rng):
        """Squares from -1 to COLUMNS and ROWS, black where both coordinates are odd or both even, with a white margin."""
        plane = np.stack([self.r[:, 0], self.r[:, 1], self.t], axis=1)  # from the board to rays
        inverse = np.linalg.inv(plane)
        w = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
        column = np.floor((inverse[0, 0] * x + inverse[0, 1] * y + inverse[0, 2]) / w / SQUARE)
        row = np.floor((inverse[1, 0] * x + inverse[1, 1] * y + inverse[1, 2]) / w / SQUARE)
        on_board = (column >= -1) & (column < COLUMNS) & (row >= -1) & (row < ROWS)
        shades = np.where(on_board & ((column + row) % 2 == 0), 30.0, 225.0)
        grey = shades.reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES).mean(axis=(1, 3))
        return np.clip(grey + rng.normal(0, 2, grey.shape), 0, 255).round().astype(np.uint8)

    def project(self, points):
        """Where points of the board are seen."""
        at = points @ self.r[:, :2].T + self.t
        x, y = distort(at[:, 0] / at[:, 2], at[:, 1] / at[:, 2])
        return np.stack([x, y], axis=1) * FOCAL + CENTRE


def run(program, *arguments):
    return subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=100)


def check_refused(program, arguments, status, text):
    done = run(program, *arguments)
    assert done.returncode == status and text in done.stderr and "Traceback" not in done.stderr, (arguments, done)


def compare(path, table):
    """Positions on the plane as the library converts them, against the truth."""
    calibration = GstContours.Calibration.load(path)
    assert calibration.get_unit() == "mm" and calibration.get_size() == (WIDTH, HEIGHT)
    grid = np.array([(x, y) for x in np.linspace(-25, 225, 11) for y in np.linspace(-25, 150, 8)])
    seen = table.project(grid)
    inside = (seen > 0).all(axis=1) & (seen < (WIDTH, HEIGHT)).all(axis=1)
    assert inside.sum() > 60
    got = np.array([calibration.map_point(*point)[1:] for point in seen[inside]])
    off = np.linalg.norm(got - grid[inside], axis=1)
    # The board looks the same from both ends, so the origin may be the opposite corner.
    turned = np.array([(COLUMNS - 1) * SQUARE, (ROWS - 1) * SQUARE]) - got
    off = min(off, np.linalg.norm(turned - grid[inside], axis=1), key=lambda values: values.max())
    print(f"{path}: off by {off.mean():.4f} mm, at most {off.max():.4f}")
    assert off.max() < 0.05, off.max()


def main(program):
    rng = np.random.default_rng(4)
    x, y = rays()
    poses = [Pose((0, 0, 0), (0, 0, 420)), Pose((25, 0, 5), (10, 10, 430)), Pose((-30, 5, -5), (-10, 0, 420)),
             Pose((5, 30, 0), (0, 20, 430)), Pose((0, -30, 10), (20, -10, 420)), Pose((20, 20, -20), (-60, -30, 520)),
             Pose((-20, 25, 30), (60, 40, 520)), Pose((30, -20, 0), (60, -50, 560)), Pose((-25, -25, 15), (-70, 40, 560))]
    poses = poses[:6] if QUICK else poses
    table = Pose((18, -12, 8), (5, -5, 430))
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, pose in enumerate(poses + [table]):
            names.append(os.path.join(folder, f"board-{i}.png"))
            assert cv2.imwrite(names[-1], pose.render(x, y, rng))
        plane = names.pop()
        board = ["--columns", COLUMNS, "--rows", ROWS, "--square", SQUARE]
        for suffix in ("yml", "json"):
            to = os.path.join(folder, "camera." + suffix)
            done = run(program, *board, "--plane", plane, "--to", to, *names)
            print(done.stdout, done.stderr)
            assert done.returncode == 0, done
            assert float(done.stdout.partition("reprojection error ")[2].split()[0]) < 0.2, done.stdout
            compare(to, table)
        to = os.path.join(folder, "lens.yml")
        assert run(program, *board, "--to", to, *names).returncode == 0
        assert GstContours.Calibration.load(to).get_unit() == "px"

        small, empty, text = (os.path.join(folder, name) for name in ("small.png", "empty.png", "text.png"))
        cv2.imwrite(small, np.zeros((100, 100), np.uint8))
        cv2.imwrite(empty, np.zeros((HEIGHT, WIDTH), np.uint8))
        with open(text, "w", encoding="utf-8") as file:
            file.write("no picture")
        check_refused(program, [*board, *names, "nowhere.png"], 1, "no such picture: nowhere.png")
        check_refused(program, [*board, *names, text], 1, "not a picture that OpenCV can read")
        check_refused(program, [*board, *names, small], 1, "must be of one size")
        check_refused(program, [*board, *names[:2], empty], 1, "was found in 2 of 3 pictures")
        check_refused(program, [*board, *names, "--plane", empty], 1, "does not show the whole board")
        check_refused(program, ["--columns", 8, "--rows", 7, "--square", 5, *names[:3]], 1, "count inner corners")
        same = []
        for i in range(3):
            same.append(os.path.join(folder, f"same-{i}.png"))
            cv2.imwrite(same[-1], poses[0].render(x, y, rng))
        check_refused(program, [*board, *same], 1, "at one angle")
        check_refused(program, [*board, "--to", "/nowhere/a.yml", *names], 1, "cannot write /nowhere/a.yml")
        check_refused(program, [*board, "--to", "a.xml", *names], 2, "must end in .yml")
        check_refused(program, ["--columns", 2, "--rows", 6, "--square", 1, *names], 2, "must be 3 to 100")
        check_refused(program, ["--columns", 9, "--rows", 6, "--square", "nan", *names], 2, "must be above 0")
        check_refused(program, [*board, "--unit", "a b", *names], 2, "without blanks")
        check_refused(program, board, 2, "PICTURE")


Gst.init(None)
main(sys.argv[1])
