# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of pipelines/archive.py by themselves, without Ray: patterns, files that were cut short, elements that remember frames, files
and results in a bucket, for which a folder stands in."""
import os
import shutil
import sys
import tempfile
import time
import unittest
from unittest import mock

RAY_FOLDER = os.environ.get("CTR_TEST_RAY")
if RAY_FOLDER:
    sys.path.insert(0, RAY_FOLDER)
try:
    from pyarrow import fs, parquet
except ImportError as missing:
    print(f"{missing}: install pyarrow and numpy 2, or set CTR_TEST_RAY to the folder that has them")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))
import archivesample as sample
from archiving import inputs, ledger, media, parts, store, wholeness, worker

ROOT = tempfile.mkdtemp(prefix="archive-test-")
BUCKET = "s3://bucket?region=here"
SEGMENTS = {}  # of each video


def open_system(uri):
    """The folder as a bucket."""
    return fs.SubTreeFileSystem(ROOT, fs.LocalFileSystem()) if uri else fs.LocalFileSystem()


class Inputs(unittest.TestCase):
    def names(self, *texts):
        found, _ = inputs.find_files([f"{ROOT}/bucket/{text}" for text in texts])
        return [os.path.relpath(file.name, f"{ROOT}/bucket/pictures") for file in found]

    def test_patterns(self):
        pictures = [f"rings-{i:02}.png" for i in range(3)]
        inner = [f"inner/rings-{i:02}.jpg" for i in range(3)]
        self.assertEqual(self.names("pictures"), inner + pictures)
        self.assertEqual(self.names("pictures/*.png"), pictures)
        self.assertEqual(self.names("pictures/*"), pictures)
        self.assertEqual(self.names("**/*.jpg", "pictures/inner"), inner)
        self.assertEqual(self.names("pictures/rings-0[!0].???"), pictures[1:])
        with self.assertRaisesRegex(inputs.InputError, "no pictures or videos in"):
            self.names("**/*.gif")
        with self.assertRaisesRegex(inputs.InputError, "no such file or folder"):
            self.names("nothing")
        with self.assertRaisesRegex(inputs.InputError, "no way to read"):
            inputs.find_files(["ftp://host/folder"])

    def test_uris(self):
        self.assertEqual(inputs.split_uri("s3://bucket/a b/*.png?region=x&endpoint_override=h:1"),
                         ("s3://bucket?region=x&endpoint_override=h:1", "bucket/a b/*.png"))
        for text in "s3://key:secret@bucket/a", "gs://secret@bucket":
            with self.assertRaisesRegex(inputs.InputError, "takes no key") as caught:
                inputs.split_uri(text)
            self.assertNotIn("secret@", str(caught.exception))
        with self.assertRaisesRegex(store.StoreError, "^--to: s3:// takes no key"):
            store.Store("s3://key:secret@bucket/a")
        self.assertEqual(inputs.split_uri("s3://bucket/a?.png"), ("s3://bucket", "bucket/a?.png"))
        self.assertEqual(inputs.split_uri("file:///tmp/a%20b"), ("", "/tmp/a b"))


class Wholeness(unittest.TestCase):
    def problem_of(self, content):
        with open(f"{ROOT}/short", "wb") as file:
            file.write(content)
        with open(f"{ROOT}/short", "rb") as file:
            return wholeness.problem_of(file, len(content))

    def test_every_length(self):
        for path, kept in ((f"{ROOT}/bucket/pictures/inner/rings-00.jpg", 1), *((path, 16) for path in SEGMENTS)):
            with open(path, "rb") as file:
                content = file.read()
            self.assertIsNone(self.problem_of(content), path)
            size = len(content)
            for length in {0, *range(200, size - kept, max(1, size // 50)), size - kept}:
                self.assertIsNotNone(self.problem_of(content[:length]), (path, length))

    def test_small_picture_in_it(self):
        """The end of a JPEG in the head of another one is not the end of that."""
        with open(f"{ROOT}/bucket/pictures/inner/rings-00.jpg", "rb") as file:
            content = file.read()
        both = content[:2] + b"\xff\xe1" + (len(content) + 2).to_bytes(2, "big") + content + content[2:]
        self.assertIsNone(self.problem_of(both))
        self.assertIsNotNone(self.problem_of(both[:-100]))


    def test_fill_bytes(self):
        """Any number of bytes 0xff may precede a marker."""
        with open(f"{ROOT}/bucket/pictures/inner/rings-00.jpg", "rb") as file:
            content = file.read()
        filled = content[:2] + b"\xff" * 3 + content[2:]
        self.assertIsNone(self.problem_of(filled))
        self.assertIsNotNone(self.problem_of(filled[:-100]))


class Elements(unittest.TestCase):
    def test_memory(self):
        for elements in (sample.ELEMENTS, "videoscale ! cudaforeground ! cudacca", "cudasnake", "queue ! cudacanny contours=true"):
            self.assertEqual(media.describe(elements), (None, None), elements)
        for elements in ("cudasnake track=true", "cudacca strip-mode=true", "cudabackground ! cudacca", "identity ! cudacca"):
            problem, reason = media.describe(elements)
            self.assertIsNone(problem)
            self.assertIsNotNone(reason, elements)
        for elements in ("cudacc", "cudacca ! fakesink", "videoconvert", "cudacca thresold=1"):
            self.assertIsNotNone(media.describe(elements)[0], elements)


def analyse_all(file, segment, to, folder):
    """The rows of a video, as text, and the number of its parts. The results are removed again."""
    results = store.Store(to)
    results.prepare()
    one = worker.Worker(worker.Settings(sample.ELEMENTS, segment, 10, to))
    found = one.split(file)
    for part in found:
        outcome = one.analyse([part])
        assert (outcome.keys, outcome.failures) == ([part.key], []), outcome
    assert sum(map(len, results.scan().values())) == len(found)
    rows = []
    for table, order in (("frames", []), ("components", ["source", "label"]), ("contours", ["source", "contour"])):
        content = parquet.read_table(f"{folder}/{table}").sort_by([(name, "ascending") for name in ["frame", *order]])
        rows.append(repr(content.drop_columns(["file"]).to_pylist()))
    for task in results.scan():
        results.remove(task)
    assert results.scan() == {}
    if results.lock:
        results.lock.close()
    return rows, len(found)


class Buckets(unittest.TestCase):
    def test_segments(self):
        """A video in a bucket, in segments, gives the rows of the same video in a folder as a whole. Results can be in a bucket."""
        for path, segments in SEGMENTS.items():
            name = os.path.basename(path)
            (here,), _ = inputs.find_files([path])
            (there,), _ = inputs.find_files([f"s3://bucket/videos/{name}?region=here"])
            self.assertEqual((there.name, there.system, there.size), (f"s3://bucket/videos/{name}", BUCKET, here.size))
            whole = analyse_all(here, 0, f"{ROOT}/out", f"{ROOT}/out")
            split = analyse_all(there, sample.SECONDS, "s3://bucket/out?region=here", f"{ROOT}/bucket/out")
            self.assertEqual((whole[1], split[1]), (1, segments), name)
            self.assertEqual(whole[0], split[0], name)


    def test_seek_while_reading(self):
        """A seek does not give a demuxer what was read for the position before, also where it comes between a push and its use."""
        push = media.Bucket.push

        def push_and_wait(*arguments):
            push(*arguments)
            time.sleep(0.005)
        path, segments = next(iter(SEGMENTS.items()))
        (file,), _ = inputs.find_files([f"s3://bucket/videos/{os.path.basename(path)}?region=here"])
        with mock.patch.object(media.Bucket, "push", push_and_wait):
            found = parts.split_video(file, round(sample.SECONDS * 1e9), 10)
            self.assertEqual(len(found), segments)
            for part in found:
                self.assertEqual(len(list(parts.read_part(part, "identity", 10))), len(part.times))


class Failing:
    """A file of pyarrow that cannot be read beyond a position."""

    def __init__(self, stream, limit):
        self.stream, self.limit = stream, limit

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def read(self, length):
        if self.stream.tell() + length > self.limit:
            raise OSError("the bucket is gone")
        return self.stream.read(length)


class Lost(unittest.TestCase):
    def test_bucket(self):
        """What cannot be read is told at once, as what it is."""
        (file,), _ = inputs.find_files(["s3://bucket/videos/jpeg.avi?region=here"])
        with media.Media(file, "decodebin ! appsink name=out sync=false", 30) as pipeline:
            pipeline.bucket.stream = Failing(pipeline.stream, file.size // 2)
            pipeline.play()
            with self.assertRaisesRegex(media.MediaError, "the file cannot be read: the bucket is gone"):
                for _ in pipeline.samples():
                    pass


class Hanging(unittest.TestCase):
    def test_element(self):
        """An element that hangs fails within the time limits, and another worker tries again."""
        media.STOP_SECONDS = 1
        self.addCleanup(setattr, media, "STOP_SECONDS", 10)
        (file, *_), _ = inputs.find_files([f"{ROOT}/bucket/pictures"])
        results = store.Store(f"{ROOT}/hanging")
        results.prepare()
        self.addCleanup(results.lock.close)
        started = time.monotonic()
        outcome = worker.Worker(worker.Settings("identity sleep-time=30000000 ! cudacca", 0, 1, results.where)).analyse([parts.Part(file)])
        self.assertLess(time.monotonic() - started, 15)
        self.assertIn("an element hangs", outcome.failures[0].error)
        self.assertTrue(outcome.failures[0].retry)


class Results(unittest.TestCase):
    def setUp(self):
        self.to = f"{ROOT}/results-{self.id().rpartition('.')[2]}"
        self.store = store.Store(self.to)
        self.store.prepare()
        self.addCleanup(self.store.lock.close)
        self.files, _ = inputs.find_files([f"{ROOT}/bucket/pictures"])
        self.worker = worker.Worker(worker.Settings(sample.ELEMENTS, 0, 10, self.to))

    def analyse(self, files):
        outcome = self.worker.analyse([parts.Part(file) for file in files])
        self.assertEqual(outcome.failures, [])
        return outcome

    def names(self):
        return {os.path.join(table, name) for table in store.TABLES for name in os.listdir(f"{self.to}/{table}")}

    def test_mended_file(self):
        """A failure of a file that has changed since is not listed any more."""
        before = self.files[0]._replace(changed=1)
        first = ledger.Ledger(self.store, [before], False)
        first.add_failure(parts.Part(before).key, "the file is empty")
        first.save()
        self.assertEqual(len(self.store.read_json("failed.json")), 1)
        second = ledger.Ledger(self.store, self.files, False)
        second.save()
        self.assertEqual(self.store.read_json("failed.json"), [])

    def test_lost_answer(self):
        """The results of a worker that dies before it answers are there twice, for its pictures are analysed again: they go."""
        known = ledger.Ledger(self.store, self.files, False)
        self.analyse(self.files[:2])
        for file in self.files[:2]:
            outcome = self.analyse([file])
            known.add_done(outcome.task, outcome.keys)
        self.assertEqual(len(os.listdir(f"{self.to}/frames")), 3)
        known.tidy()
        self.assertEqual(self.names(), {f"{table}/{parts.name_task([parts.Part(file)])}.parquet" for table in store.TABLES
                                        for file in self.files[:2]})

    def test_changed_file(self):
        """The rows of pictures go with those of one that has changed: this is said of those that are not analysed again."""
        self.analyse(self.files[:3])
        changed = self.files[0]._replace(changed=1)
        self.assertEqual(ledger.Ledger(self.store, [changed, self.files[1]], False).outside, {self.files[2].name})
        self.assertEqual(self.names(), set())

    def test_damage(self):
        """A file that cannot be read is told, and what to do about it."""
        for content in b"", b"PAR1", b"x" * 1000:
            with open(f"{self.to}/frames/0123.parquet", "wb") as file:
                file.write(content)
            with self.assertRaisesRegex(store.StoreError, "0123.parquet is damaged.*remove the files of this name"):
                self.store.scan()
        os.remove(f"{self.to}/frames/0123.parquet")
        with open(f"{self.to}/settings.json", "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaisesRegex(store.StoreError, "settings.json is no JSON.*move it away"):
            self.store.check_settings({"elements": "cudacca"})
        shutil.rmtree(f"{self.to}/.tmp")
        with self.assertRaisesRegex(store.StoreError, f"cannot write to {self.to}"):
            self.store.write_json("failed.json", [])

    def test_power(self):
        """A file has its name when its contents are on the disk."""
        synced = []

        def fsync(number):
            path = os.readlink(f"/proc/self/fd/{number}")
            self.assertTrue(path.startswith(f"{self.to}/.tmp/") and not self.names(), path)
            synced.append(path)

        real, store.os.fsync = os.fsync, fsync
        try:
            self.analyse(self.files[:1])
        finally:
            store.os.fsync = real
        self.assertEqual(len(synced), len(store.TABLES))
        self.assertEqual(len(self.names()), len(store.TABLES))


class Refused(unittest.TestCase):
    def test_results(self):
        """What cannot be told in the tables is an error, and leaves no file."""
        (file, *_), _ = inputs.find_files([f"{ROOT}/bucket/pictures"])
        for elements, message in (("cudacanny", "carries no results"), ("cudacca ! videocrop left=8", "carries no results"),
                                  ("cudacca ! videoscale ! video/x-raw,width=80,height=60", "not in pixels of its frame")):
            results = store.Store("s3://bucket/out?region=here")
            results.prepare()
            outcome = worker.Worker(worker.Settings(elements, 0, 10, results.where)).analyse([parts.Part(file)])
            self.assertEqual((outcome.keys, outcome.frames), ([], 0), elements)
            self.assertIn(message, outcome.failures[0].error)
            self.assertEqual([name for _, _, names in os.walk(f"{ROOT}/bucket/out") for name in names], [])


class Segments(unittest.TestCase):
    def test_missing_frame(self):
        """A segment that does not have exactly its frames is an error."""
        (file,), _ = inputs.find_files([next(path for path in SEGMENTS if path.endswith(".avi"))])
        found = parts.split_video(file, round(sample.SECONDS * 1e9), 10)
        second, last = found[1], found[-1]
        for part, times, message in ((second, second.times[:3] + second.times[4:], "missing or out of order"),
                                     (second, second.times[:3] + (second.times[3] - 1,) + second.times[3:], "missing or out of order"),
                                     (last, last.times + (last.times[-1] + 1,), "instead of")):
            with self.assertRaisesRegex(media.MediaError, message):
                for _ in parts.read_part(part._replace(times=times), "identity", 10):
                    pass


if __name__ == "__main__":
    inputs.open_system = store.open_system = open_system
    try:
        worker.Gst.init(None)
        sample.make_pictures(f"{ROOT}/bucket/pictures", 3)
        SEGMENTS.update(sample.make_videos(f"{ROOT}/bucket/videos"))
        unittest.main(argv=sys.argv[:1] + sys.argv[2:])
    finally:
        shutil.rmtree(ROOT)
