# SPDX-License-Identifier: LGPL-2.1-or-later
"""pipelines/archive.py on a Ray cluster of this machine: its rows against those of contourexport, whatever the number of workers and
segments; drivers and workers that are killed; bad files. README.md says what it takes."""
import fcntl
import glob
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ARCHIVE = os.path.abspath(sys.argv[1])
RAY_FOLDER = os.environ.get("CTR_TEST_RAY")
if RAY_FOLDER:
    sys.path.insert(0, RAY_FOLDER)
    os.environ["PYTHONPATH"] = os.pathsep.join([RAY_FOLDER, os.environ.get("PYTHONPATH", "")])
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
try:
    import pyarrow
    import ray
    import tqdm  # noqa: F401
    from pyarrow import compute, parquet
except ImportError as missing:
    print(f"{missing}: install ray, pyarrow, tqdm and numpy 2, or set CTR_TEST_RAY to the folder that has them")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import archivesample as sample

FULL = "CTR_TEST_FULL" in os.environ
MARK = "CTR_ARCHIVE_TEST"  # in the environment of all processes that belong to this test
LIMIT = 120  # seconds of one command
SLOW = "identity sleep-time={} ! " + sample.ELEMENTS  # microseconds a frame


class Folder:
    """Samples that all tests share, a cluster, and the rows of all good samples, in segments and by two workers."""
    root = tempfile.mkdtemp(prefix="archive-test-")
    all = f"{root}/out-all"

    @classmethod
    def make(cls):
        os.environ[MARK] = cls.root
        sample.make_pictures(f"{cls.root}/pictures", 12)
        cls.segments = sample.make_videos(f"{cls.root}/videos")
        cls.bad = sample.make_bad(f"{cls.root}/bad", cls.root)
        ray.init(address="local", num_cpus=4, include_dashboard=False, object_store_memory=100 << 20, logging_level="error",
                 log_to_driver=False)
        cls.address = ray.get_runtime_context().gcs_address
        cls.inputs = [f"{cls.root}/pictures", f"{cls.root}/videos/*"]
        archive(cls.all, "--segment", str(sample.SECONDS), "--batch", "5", *cls.inputs)


def command(to, *arguments, elements=sample.ELEMENTS, workers=2, address=True):
    where = ["--address", Folder.address] if address else []
    return [sys.executable, ARCHIVE, "--to", to, "--elements", elements, "--workers", str(workers), *where, *arguments]


def archive(to, *arguments, expected=0, **options):
    done = subprocess.run(command(to, *arguments, **options), capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == expected, f"exit status {done.returncode} instead of {expected}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def read_sorted(to, table):
    rows = parquet.read_table(f"{to}/{table}")
    order = {"frames": [], "components": ["source", "label"], "contours": ["source", "contour"]}[table]
    return rows.sort_by([(name, "ascending") for name in ["file", "frame", *order]])


def as_comparable(table):
    """NaN equals NaN here."""
    return [json.dumps(row, default=str, sort_keys=True) for row in table.to_pylist()]


def read_all(to):
    return {name: read_sorted(to, name) for name in ("frames", "components", "contours")}


def parts_of(path):
    footer = parquet.read_metadata(path).metadata
    return json.loads(footer[b"gst-cuda-contours:parts"])


def failures_of(to):
    with open(f"{to}/failed.json", encoding="utf-8") as file:
        return {entry["file"]: entry["error"] for entry in json.load(file)}


def busy_workers():
    """The workers of archive.py that this test has started."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{folder}/cmdline", "rb") as command_line, open(f"{folder}/environ", "rb") as environment:
                if command_line.read().startswith(b"ray::Worker") and f"{MARK}={Folder.root}".encode() in environment.read():
                    found.append(int(folder.split("/")[2]))
        except OSError:  # it has ended
            continue
    return found


def workers_with(path):
    """Those that have this file open."""
    found = []
    for process in busy_workers():
        for link in glob.glob(f"/proc/{process}/fd/*"):
            try:
                if os.readlink(link) == path:
                    found.append(process)
            except OSError:
                continue
    return found


class Killer(threading.Thread):
    """Kills the workers that have a file open, up to a number of times."""

    def __init__(self, path, times):
        super().__init__(daemon=True)
        self.path, self.times, self.killed, self.ended = path, times, set(), threading.Event()

    def run(self):
        while len(self.killed) < self.times and not self.ended.wait(0.05):
            for process in workers_with(self.path):
                if process not in self.killed:
                    self.killed.add(process)
                    os.kill(process, signal.SIGKILL)


class Case(unittest.TestCase):
    def setUp(self):
        self.to = f"{Folder.root}/out-{self.id().rpartition('.')[2]}"

    def assert_same(self, one, other):
        one, other = read_all(one), read_all(other)
        for name in one:
            self.assertEqual(one[name].schema, other[name].schema)
            self.assertEqual(as_comparable(one[name]), as_comparable(other[name]), name)


class Rows(Case):
    @classmethod
    def setUpClass(cls):
        cls.rows = read_all(Folder.all)

    def compare(self, name, exported, row):
        if exported is None:
            self.assertTrue(row is None or math.isnan(row), name)
        else:
            self.assertEqual(exported, row, name)

    def test_against_export(self):
        files = {}
        for name, rows in self.rows.items():
            for row in rows.to_pylist():
                files.setdefault(row["file"], {}).setdefault(row["frame"], {}).setdefault(name, []).append(row)
        self.assertEqual(len(files), 24 + len(Folder.segments))
        same = {"components": ["label", "area", "cx", "cy", "orientation", "major_axis", "minor_axis", "eccentricity", "min", "max", "mean", "std",
                               "p5", "p25", "median", "p75", "p95", "inscribed_radius", "inscribed_x", "inscribed_y", "ring_mean", "contrast",
                               "skeleton_length", "skeleton_width", "skeleton_pixels"],
                "contours": ["hole", "area", "perimeter", "circularity", "hull_area", "hull_perimeter", "solidity", "circle_x", "circle_y",
                             "circle_radius"]}
        other = {"left": "x", "top": "y", "width": "w", "height": "h"}
        compared = 0
        for path, frames in files.items():
            lines = sample.export(path, sample.ELEMENTS, f"{Folder.root}/direct.ndjson")
            self.assertEqual(sorted(frames), sorted({line["frame"] for line in lines}), path)
            for line in lines:
                frame = frames[line["frame"]]
                head, = frame["frames"]
                self.assertEqual((head["pts"], head["time"], head["width"], head["height"]),
                                 (line["pts"], line["timestamp"], line["resolution"]["width"], line["resolution"]["height"]), path)
                table = "components" if "components" in line else "contours"
                self.assertEqual(head[table], line["count"])
                analysis, = [entry for entry in head["analyses"] if entry["source"] == line["source"]]
                self.assertEqual((analysis["result"], analysis["count"], analysis["threshold"], analysis["connectivity"]),
                                 (table, line["count"], line["threshold"], line["connectivity"]))
                rows = frame.get(table, [])
                self.assertEqual(len(rows), line["count"])
                for row, found in zip(rows, line[table]):
                    for name in same[table]:
                        self.compare(name, found[name], row[name])
                    for name, exported in other.items():
                        self.compare(name, found[exported], row[name])
                    if table == "contours":
                        self.compare_line(found, row)
                    compared += 1
        self.assertGreater(compared, 1000)

    def compare_line(self, found, row):
        self.assertEqual((found["id"], -1 if found["parent"] is None else found["parent"]), (row["contour"], row["parent"]))
        self.assertEqual(found["points"], [list(point) for point in zip(row["x"], row["y"])])
        for i, refined in enumerate(found["subpixels"]):
            flags = row["subpixel_flags"][i]
            self.assertEqual(refined is None, flags != 0)
            if refined:
                x, y, angle, strength = refined
                self.assertEqual((x, y, strength), tuple(row[f"subpixel_{name}"][i] for name in ("x", "y", "strength")))
                self.assertAlmostEqual(angle, row["subpixel_normal"][i], 9)  # the angle was made of a vector
        if row["m00"]:
            self.assertAlmostEqual(found["cx"], row["m10"] / row["m00"], 9)
        self.assertEqual(row["m00"], row["area"])

    def test_totals(self):
        frames = self.rows["frames"].to_pylist()
        self.assertEqual(sum(row["components"] for row in frames), len(self.rows["components"]))
        self.assertEqual(sum(row["contours"] for row in frames), len(self.rows["contours"]))
        self.assertEqual(sum(row["points"] for row in frames), sum(map(len, self.rows["contours"].column("x").to_pylist())))
        with open(f"{Folder.all}/settings.json", encoding="utf-8") as file:
            settings = json.load(file)
        self.assertEqual({(row["elements"], row["version"]) for row in frames}, {(sample.ELEMENTS, settings["version"])})

    def test_segments(self):
        """A video is as many tasks as it has segments, each with its own frames: those whose times lie in it."""
        times = {}
        counts = {}
        for path in glob.glob(f"{Folder.all}/frames/*"):
            parts = parts_of(path)
            if parts[0][0] in Folder.segments:
                (name, _, _, number, count), = parts
                self.assertEqual(count, Folder.segments[name], name)
                counts.setdefault(name, set()).add(number)
                rows = parquet.read_table(path)
                times.setdefault(name, []).extend(rows.column("time").to_pylist())
                if count > 1:
                    self.assertEqual({int(time // (sample.SECONDS * 1e9)) for time in rows.column("time").to_pylist()}, {number})
            else:
                self.assertLessEqual(len(parts), 5)
        self.assertEqual({name: len(numbers) for name, numbers in counts.items()}, Folder.segments)
        for name, found in times.items():
            self.assertEqual((len(found), len(set(found))), (sample.FRAMES, sample.FRAMES), name)

    def test_whole_by_one_worker(self):
        archive(self.to, "--segment", "0", *Folder.inputs, workers=1)
        self.assert_same(self.to, Folder.all)

    def test_nothing_left(self):
        """Without Ray: there is nothing to do."""
        before = {path: os.stat(path).st_mtime_ns for path in glob.glob(f"{Folder.all}/*/*")}
        said = archive(Folder.all, "--segment", str(sample.SECONDS), *Folder.inputs, address=False)
        self.assertIn("0 frames", said)
        self.assertEqual(before, {path: os.stat(path).st_mtime_ns for path in glob.glob(f"{Folder.all}/*/*")})
        said = archive(Folder.all, "--segment", "5", *Folder.inputs, expected=2)
        self.assertIn("was made with segment 0.97, not 5", said)

    def test_readers(self):
        """pandas and DuckDB, where they are installed, agree with Arrow."""
        rows, area = len(self.rows["components"]), sum(self.rows["components"].column("area").to_pylist())
        try:
            import pandas
            found = pandas.read_parquet(f"{Folder.all}/components")
            self.assertEqual((len(found), found["area"].sum()), (rows, area))
        except ImportError as missing:
            print(f"without pandas: {missing}")
        try:
            import duckdb
            found, = duckdb.sql(f"select count(*), sum(area) from '{Folder.all}/components/*.parquet'").fetchall()
            self.assertEqual(found, (rows, area))
            (points,), = duckdb.sql(f"select sum(len(x)) from '{Folder.all}/contours/*.parquet'").fetchall()
            self.assertEqual(points, sum(map(len, self.rows["contours"].column("x").to_pylist())))
        except ImportError as missing:
            print(f"without DuckDB: {missing}")


class Interrupted(Case):
    elements = SLOW.format(100000)

    @classmethod
    def setUpClass(cls):
        cls.inputs = [f"{Folder.root}/pictures"]

    def kill_driver(self, **options):
        """Lets it do a few of the 24 tasks."""
        words = command(self.to, "--batch", "1", *self.inputs, elements=self.elements, **options)
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as driver:
            deadline = time.monotonic() + LIMIT
            while len(glob.glob(f"{self.to}/frames/*")) < 3:
                self.assertIsNone(driver.poll(), "it ended before it could be killed")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            driver.kill()
        deadline = time.monotonic() + LIMIT
        while busy_workers():
            self.assertLess(time.monotonic(), deadline, "workers have outlived their driver")
            time.sleep(0.1)
        return {path: os.stat(path).st_mtime_ns for path in glob.glob(f"{self.to}/frames/*")}

    def assert_complete(self):
        """The rows are those of the pictures in the common results, but for the element that slows them down."""
        for name, rows in read_all(self.to).items():
            wanted = read_sorted(Folder.all, name)
            wanted = wanted.filter(compute.starts_with(wanted["file"], f"{Folder.root}/pictures"))
            columns = [column for column in rows.column_names if column != "elements"]
            self.assertEqual(as_comparable(rows.select(columns)), as_comparable(wanted.select(columns)), name)

    def check_resumed(self, **options):
        """The next driver does the rest, and nothing twice."""
        before = self.kill_driver(**options)
        self.assertLess(len(before), 24)
        # What a kill at the worst moment leaves behind.
        for name in (".tmp/half", "components/0123.parquet"):
            with open(f"{self.to}/{name}", "wb") as file:
                file.write(b"PAR1")
        # A worker is killed, too, in the middle of several pictures.
        killer = Killer(f"{Folder.root}/pictures/rings-09.png", 1)
        killer.start()
        try:
            archive(self.to, "--batch", "4", *self.inputs, elements=self.elements, **options)
        finally:
            killer.ended.set()
        self.assertEqual(len(killer.killed), 1)
        after = {path: os.stat(path).st_mtime_ns for path in glob.glob(f"{self.to}/frames/*")}
        self.assertEqual(before, {path: after[path] for path in before})
        self.assertEqual(os.listdir(f"{self.to}/.tmp"), [])
        self.assert_complete()

    def test_killed(self):
        self.check_resumed()

    @unittest.skipUnless(FULL, "CTR_TEST_FULL=1 starts clusters for it")
    def test_killed_with_its_cluster(self):
        self.check_resumed(address=False)


class Bad(Case):
    def test_bad_files(self):
        killer_file = f"{Folder.root}/bad/killer.avi"
        shutil.copy(f"{Folder.root}/videos/jpeg.avi", killer_file)
        self.pictures = f"{Folder.root}/copies"
        os.mkdir(self.pictures)
        for path in glob.glob(f"{Folder.root}/pictures/*.png"):
            shutil.copy(path, self.pictures)
        inputs = [f"{Folder.root}/bad", f"{self.pictures}/*.png"]
        killer = Killer(killer_file, 10)
        killer.start()
        try:
            said = archive(self.to, *inputs, elements=SLOW.format(20000), expected=1)
        finally:
            killer.ended.set()
        self.assertEqual(len(killer.killed), 3)
        failures = failures_of(self.to)
        self.assertEqual(set(failures), Folder.bad | {killer_file})
        for path, error in failures.items():
            self.assertIn(f"{path}: {error}".splitlines()[0], said)
        errors = {os.path.basename(path): error for path, error in failures.items()}
        self.assertIn("died 3 times", errors["killer.avi"])
        self.assertIn("empty", errors["empty.png"])
        self.assertIn("cut short", errors["cut.avi"])
        self.assertIn("cut short", errors["cut.jpg"])
        self.assertIn("text", errors["text.png"])
        good = {f"{self.pictures}/rings-{i:02}.png" for i in range(12)}
        self.assertEqual(set(read_sorted(self.to, "frames").column("file").to_pylist()), good)

        # They stay listed, and no worker is started for them.
        said = archive(self.to, *inputs, elements=SLOW.format(20000), expected=1)
        self.assertIn("0 frames", said)
        self.assertEqual(failures_of(self.to), failures)

        # They are tried again on request. A file that has changed is, too, and its old rows go.
        shutil.copy(f"{Folder.root}/pictures/rings-00.png", f"{Folder.root}/bad/cut.png")
        shutil.copy(f"{self.pictures}/rings-01.png", f"{self.pictures}/rings-02.png")
        archive(self.to, "--retry-failed", *inputs, elements=SLOW.format(20000), expected=1)
        mended = f"{Folder.root}/bad/cut.png"
        self.assertEqual(set(failures_of(self.to)), Folder.bad - {mended})
        frames = read_sorted(self.to, "frames").column("file").to_pylist()
        self.assertEqual(frames, sorted([*good, mended] + [killer_file] * sample.FRAMES))
        rows = read_sorted(self.to, "components").to_pylist()
        one, two = ([row["area"] for row in rows if row["file"].endswith(f"/copies/rings-{i:02}.png")] for i in (1, 2))
        self.assertEqual(one, two)

    def test_usage(self):
        picture = f"{Folder.root}/pictures/rings-05.png"
        self.assertIn("no such file or folder", archive(self.to, f"{Folder.root}/nothing", expected=2))
        self.assertIn("no property", archive(self.to, picture, elements="cudacca thresold=1", expected=2))
        self.assertFalse(os.path.exists(f"{self.to}/settings.json"))
        with open(f"{self.to}/.lock", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("another archive.py writes to", archive(self.to, picture, expected=2))
        self.assertIn("Ray reports 0 GPUs", archive(self.to, "--gpus-per-worker", "1", picture, expected=2))


if __name__ == "__main__":
    try:
        Folder.make()
        unittest.main(argv=sys.argv[:1] + sys.argv[2:])
    finally:
        ray.shutdown()
        shutil.rmtree(Folder.root)
