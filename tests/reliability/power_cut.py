# SPDX-License-Identifier: LGPL-2.1-or-later
"""power_cut.py [KILLS] [SEED]: kills pipelines with contourexport by SIGKILL at random moments, in each format, and starts them
again with the same location. Every complete line and document is readable, what a run has completed stays, and what is left of the
rest is cleaned or ignored by the next start. Exit status 77 without gst-launch-1.0."""
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

if not shutil.which("gst-launch-1.0"):
    print("no gst-launch-1.0 here")
    sys.exit(77)

# Components and contours, and many of them, so that a kill hits the middle of a frame.
SOURCE = ("videotestsrc pattern=snow is-live=true {} ! video/x-raw,format=GRAY8,width=96,height=72,framerate=250/1"
          " ! cudacca backend=cpu name=blob min-area=2 ! cudaborders backend=cpu name=edge min-area=20")
LATEST = 0.25  # seconds from the first output to the kill


def start(line):
    return subprocess.Popen(f"exec gst-launch-1.0 {line}", shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def finish(line):
    """A run that ends by itself. Returns what it said."""
    with start(line) as process:
        said = process.communicate(timeout=60)[0]
    assert process.returncode == 0, said
    return said


def kill(line, folder, rng):
    """Kills a run some time after it has written the first byte, or when it is just about to."""
    with start(line) as process:
        begun, before = time.monotonic(), size_of(folder)
        while size_of(folder) == before and time.monotonic() < begun + 20:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, LATEST) if rng.random() < 0.9 else 0)
        assert process.poll() is None, process.communicate()[0]
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -signal.SIGKILL


def size_of(folder):
    total = 0
    for entry in os.scandir(folder):
        try:
            total += 1 + entry.stat().st_size
        except FileNotFoundError:  # renamed meanwhile
            return -1
    return total


def read(path):
    with open(path, "rb") as file:
        return file.read()


def complete_part(data):
    return data[:data.rfind(b"\n") + 1]


class Lines:
    """ndjson and csv: one file, which every run continues."""

    def __init__(self, text_format, folder):
        self.format = text_format
        self.path = f"{folder}/out.{text_format}"
        self.end = f"contourexport format={text_format} append=true location={self.path} ! fakesink"
        self.kept = b""

    def check(self, _said=None):
        data = read(self.path)
        lines = complete_part(data)
        assert lines.startswith(self.kept), "a later run has changed what was complete"
        self.kept = lines
        text = lines.decode("utf-8")
        if self.format == "ndjson":
            for line in text.splitlines():
                assert {"schema", "frame", "pts"} <= set(json.loads(line)), line
        else:
            rows = list(csv.reader(io.StringIO(text)))
            assert len({len(row) for row in rows}) <= 1, "a row has other columns"
            assert [row[0] for row in rows].count("frame") == (1 if rows else 0), "the head is there more than once"
        return len(text.splitlines())

    def check_end(self, said):
        assert read(self.path) == complete_part(read(self.path))
        assert self.check() > 0 and "ERROR" not in said, said


class Documents:
    """svg, geojson and labelme: one file for each frame."""

    def __init__(self, text_format, folder):
        self.format = text_format
        self.folder = folder
        self.end = f"contourexport format={text_format} location={folder}/%06d.{text_format} ! fakesink"

    def check(self, _said=None):
        names = sorted(os.listdir(self.folder))
        parts = [name for name in names if name.endswith(".part")]
        whole = [name for name in names if not name.endswith(".part")]
        for name in whole:
            data = read(f"{self.folder}/{name}").decode("utf-8")
            if self.format == "svg":
                assert xml.etree.ElementTree.fromstring(data).tag.endswith("svg")
            else:
                assert json.loads(data)
        assert all(re.fullmatch(r"\d{6}\.\w+(\.part)?", name) for name in names), names
        return len(whole), parts

    def check_end(self, said):
        assert "WARNING" not in said, said
        whole, parts = self.check()
        # A run of as many frames has completed the one that was begun.
        assert whole >= 20 and not [name for name in parts if int(name[:6]) < 20], parts


class Document:
    """coco: one file for all frames. The next start completes what a killed run has left."""

    def __init__(self, text_format, folder):
        self.folder = folder
        self.path = f"{folder}/coco.json"
        self.end = f"contourexport format={text_format} location={self.path} ! fakesink"
        self.frames = 0

    def check(self, _said=None):
        names = set(os.listdir(self.folder))
        assert names <= {"coco.json", "coco.json.part", "coco.json.frames.part"}, names
        if "coco.json" in names:
            assert "images" in json.loads(read(self.path))
        self.frames = 0
        # A kill between the last steps of a run may leave a list of frames whose document has its name already.
        if names >= {"coco.json.part", "coco.json.frames.part"}:
            size = os.path.getsize(f"{self.path}.part")
            for line in complete_part(read(f"{self.path}.frames.part")).splitlines():
                if b"\t" in line and int(line.split(b"\t")[1]) > size:
                    break
                self.frames += b"\t" in line
        return self.frames

    def recover(self):
        """A run without frames keeps what it completes."""
        said = finish(f"fakesrc num-buffers=0 ! {self.end}")
        assert (f"with its {self.frames} complete frames" in said) == (self.frames > 0), said
        if self.frames > 0:
            assert len(json.loads(read(self.path))["images"]) == self.frames
        assert set(os.listdir(self.folder)) == {"coco.json"}

    def check_end(self, said):
        assert set(os.listdir(self.folder)) == {"coco.json"}, os.listdir(self.folder)
        assert len(json.loads(read(self.path))["images"]) == 20, said


FORMATS = {"ndjson": Lines, "csv": Lines, "svg": Documents, "geojson": Documents, "labelme": Documents, "coco": Document}


def check_format(name, kills, rng):
    with tempfile.TemporaryDirectory() as folder:
        output = FORMATS[name](name, folder)
        for _ in range(kills):
            kill(f"{SOURCE.format('')} ! {output.end}", folder, rng)
            output.check()
            if isinstance(output, Document) and rng.random() < 0.5:
                output.recover()
        said = finish(f"{SOURCE.format('num-buffers=20')} ! {output.end}")
        output.check_end(said)
    print(f"{name}: {kills} kills", flush=True)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("CTR_TEST_KILLS", "12"))
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    print(f"repeat with: power_cut.py {kills} {seed}", flush=True)
    rng = random.Random(seed)
    for i, name in enumerate(FORMATS):
        check_format(name, kills // len(FORMATS) + (i < kills % len(FORMATS)), rng)
    return 0


if __name__ == "__main__":
    sys.exit(main())
