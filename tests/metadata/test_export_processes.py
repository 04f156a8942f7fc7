# SPDX-License-Identifier: LGPL-2.1-or-later
"""contourexport in processes that are killed in the middle, that have no standard output, and that write to the same
file. Exit status 77 without gst-launch-1.0."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

if not shutil.which("gst-launch-1.0"):
    print("no gst-launch-1.0 here")
    sys.exit(77)

# A ball that moves, and a second analyser that sees other things.
SOURCE = ("videotestsrc pattern=ball {} ! video/x-raw,format=GRAY8,width=64,height=48,framerate=500/1"
          " ! cudacca backend=cpu name=blob ! cudaborders backend=cpu name=edge")
LIVE = SOURCE.format("is-live=true")
RECOVER = "gst-launch-1.0 fakesrc num-buffers=0 ! contourexport format=coco location={}/coco.json ! fakesink"


@contextlib.contextmanager
def start(line, redirections="", **options):
    """A process, which does not live on."""
    with subprocess.Popen(f"exec gst-launch-1.0 -q {line} {redirections}", shell=True, stderr=subprocess.PIPE,
                          text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def run(line, redirections="", **options):
    """Exit status and what was said."""
    with start(line, redirections, **options) as process:
        said = process.communicate(timeout=60)[1] or ""
        return process.returncode, said


def recover(folder):
    result = subprocess.run(RECOVER.format(folder), shell=True, capture_output=True, text=True, timeout=60, check=True)
    return result.stdout + result.stderr


def wait_for_lines(path, lines):
    for _ in range(3000):
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read().count(b"\n") >= lines:
                    return
        time.sleep(0.01)
    raise AssertionError(f"no {lines} lines in {path}")


def export(folder, name, frames):
    """The document of so many frames, of a run that ends by itself."""
    status, said = run(f"{SOURCE.format(f'num-buffers={frames}')} ! contourexport format=coco location={folder}/{name}"
                       " ! fakesink")
    assert status == 0 and not said, said
    return read_document(f"{folder}/{name}")


def read_document(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def without_times(document):
    for image in document["images"]:
        for name in ("pts", "timestamp", "running_time", "utc"):
            image.pop(name, None)
    return document


def check_kill(deadly):
    """Whatever kills it: the next start completes the document, with all frames that were whole."""
    with tempfile.TemporaryDirectory() as folder:
        with start(f"{LIVE} ! contourexport format=coco location={folder}/coco.json ! fakesink") as process:
            wait_for_lines(f"{folder}/coco.json.frames.part", 50)
            process.send_signal(deadly)
            process.wait()
            assert process.returncode == -deadly, process.returncode
        assert sorted(os.listdir(folder)) == ["coco.json.frames.part", "coco.json.part"], os.listdir(folder)
        with open(f"{folder}/coco.json.frames.part", encoding="utf-8") as file:
            whole = sum(line.endswith("\n") and "\t" in line for line in file)
        said = recover(folder)
        assert f"with its {whole} complete frames" in said, said
        assert os.listdir(folder) == ["coco.json"], os.listdir(folder)
        recovered = read_document(f"{folder}/coco.json")
        assert len(recovered["images"]) == whole >= 45
        assert {category["name"] for category in recovered["categories"]} == {"blob", "edge"}
        assert without_times(recovered) == without_times(export(folder, "whole.json", whole))
        assert "WARNING" not in recover(folder)
        assert not read_document(f"{folder}/coco.json")["images"]  # a run like any other
        print(f"{deadly.name}: {whole} frames recovered")


def check_spool():
    """To a pipe: the document is whole, and nothing is left in the folder for temporary files, wherever it is."""
    with tempfile.TemporaryDirectory() as folder:
        expected = export(folder, "coco.json", 20)
        os.mkdir(f"{folder}/tmp")
        line = f"{SOURCE.format('num-buffers=20')} ! contourexport format=coco ! fakesink"
        status, said = run(line, f"| cat > {folder}/piped.json", env=os.environ | {"TMPDIR": f"{folder}/tmp"})
        assert status == 0 and not said, said
        assert read_document(f"{folder}/piped.json") == expected
        assert not os.listdir(f"{folder}/tmp")
        status, said = run(line, f"> {folder}/piped.json", env=os.environ | {"TMPDIR": f"{folder}/missing"})
        assert status != 0 and "TMPDIR" in said, said
    print("pipe: the document is whole")


def check_stdout():
    """Where there is none, that is one error, not silence."""
    line = f"{SOURCE.format('num-buffers=3')} ! contourexport ! fakesink"
    for closed in (">&-", "<&- >&-"):
        status, said = run(line, closed)
        assert status != 0 and said.count("ERROR: from") == 1 and "The standard output is closed" in said, (closed, said)
    status, _ = run(line, "<&- >&- 2>&-")
    assert status != 0
    ours, theirs = socket.socketpair()  # as some programs make for those they start
    with theirs:
        status, said = run(line, stdout=theirs)
    assert status == 0 and not said, said
    with ours, ours.makefile() as file:
        assert [json.loads(text)["frame"] for text in file] == [0, 0, 1, 1, 2, 2]
    print("standard output: told")


def check_two(text_format, part):
    """The second of two processes is refused while the first one lives, however that ends."""
    with tempfile.TemporaryDirectory() as folder:
        end = f"contourexport format={text_format} location={folder}/out ! fakesink"
        with start(f"{LIVE} ! {end}"):
            wait_for_lines(f"{folder}/out{part}", 10)
            status, said = run(f"{SOURCE.format('num-buffers=3')} ! {end}")
            assert status != 0 and f'"{folder}/out{part}"' in said and "another program writes to it" in said, said
            with open(f"{folder}/out{part}", "rb") as file:
                assert file.read().count(b"\n") >= 10
        status, said = run(f"{SOURCE.format('num-buffers=3')} ! {end}")
        assert status == 0, said
    print(f"{text_format}: one process at a time")


def main():
    check_kill(signal.SIGKILL)
    check_kill(signal.SIGTERM)
    check_spool()
    check_stdout()
    check_two("ndjson", "")
    check_two("csv", "")
    check_two("coco", ".part")
    return 0


if __name__ == "__main__":
    sys.exit(main())
