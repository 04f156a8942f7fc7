#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""run_camera.py as systemd sees it, and the units as systemd reads them. Arguments: the folder pipelines/plant. Exit status 77
if something that it needs is missing."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SOURCE = "videotestsrc is-live=true {} ! video/x-raw,format=GRAY8,width=64,height=48,framerate=50/1"
WATCHDOG = 0.9  # seconds


class Runner:
    """run_camera.py with a socket in the place of systemd's."""

    def __init__(self, plant, folder, pipeline, *options):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = os.path.join(folder, f"notify-{time.monotonic_ns()}")
        self.socket.bind(path)
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", sys.executable, f"{plant}/run_camera.py", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(int(WATCHDOG * 1e6)), "PIPELINE": pipeline})

    def words(self, seconds):
        """What systemd hears within SECONDS."""
        heard, limit = [], time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            self.socket.settimeout(left)
            with contextlib.suppress(TimeoutError):
                heard += self.socket.recv(4096).decode().splitlines()
        return [word for word in heard if not word.startswith("STATUS=")]

    def wait_ready(self):
        self.socket.settimeout(20)
        words = self.socket.recv(4096).decode().splitlines()
        assert words[:2] == ["READY=1", "WATCHDOG=1"], words

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.communicate(timeout=20), self.process.returncode


def test_frames(plant, folder):
    """One READY=1, then WATCHDOG=1 more often than it must be, and an orderly end."""
    runner = Runner(plant, folder, SOURCE.format("") + " ! fakesink sync=false")
    runner.wait_ready()
    words = runner.words(3 * WATCHDOG)
    assert set(words) == {"WATCHDOG=1"} and 5 <= len(words) <= 10, words
    said, status = runner.end()
    assert status == 0 and said == ("", ""), (status, said)
    assert runner.words(0.1)[-1:] == ["STOPPING=1"]


def test_stall(plant, folder):
    """Without frames, or where one of two sinks hangs, there is no sign of life, although the program runs."""
    runner = Runner(plant, folder, SOURCE.format("") + " ! tee name=t ! queue ! fakesink sync=false async=false"
                    " t. ! queue leaky=downstream ! fakesink sync=true async=false ts-offset=100000000000")
    runner.wait_ready()
    words = runner.words(3 * WATCHDOG)
    assert len(words) <= 1, words  # one, if the sink that hangs had its only frame after the first word
    runner.process.kill()
    runner.process.communicate()
    runner = Runner(plant, folder, SOURCE.format("") + " ! valve drop=true ! fakesink sync=false async=false")
    assert runner.words(2 * WATCHDOG) == [], "READY=1 before the first frame"
    runner.process.kill()
    runner.process.communicate()


def test_ends(plant, folder):
    """The end of the stream is an end, an error is a failure, and both are said."""
    runner = Runner(plant, folder, SOURCE.format("num-buffers=5") + " ! fakesink sync=false")
    assert runner.process.wait(20) == 0
    runner.process.communicate()
    runner = Runner(plant, folder, SOURCE.format("") + " ! identity error-after=5 name=bad ! fakesink sync=false")
    assert runner.process.wait(20) == 1
    assert runner.process.communicate()[1].startswith("bad: ")
    runner = Runner(plant, folder, "nosuchelement ! fakesink")
    assert runner.process.wait(20) == 2
    assert "The pipeline cannot be made: no element \"nosuchelement\"" in runner.process.communicate()[1]
    runner = Runner(plant, folder, "")
    assert runner.process.wait(20) == 2
    assert "there is no pipeline" in runner.process.communicate()[1]


def test_signals(plant, folder):
    """A second SIGTERM ends what does not end with its stream."""
    runner = Runner(plant, folder, SOURCE.format("") + " ! tee name=t ! queue ! fakesink sync=false async=false"
                    " t. ! queue leaky=downstream ! identity sleep-time=1000000000 ! fakesink sync=false async=false")
    runner.wait_ready()
    runner.process.send_signal(signal.SIGTERM)
    assert "STOPPING=1" in runner.words(1) and runner.process.poll() is None
    assert runner.end()[1] == -signal.SIGTERM


def test_usage(plant, folder):
    for value in "-5", "nan":
        runner = Runner(plant, folder, "fakesrc ! fakesink", f"--report={value}")
        assert runner.process.wait(20) == 2
        assert "takes 0 to 86400 seconds" in runner.process.communicate()[1]


def test_units(plant, folder):
    """systemd reads the units without complaint, but for the programs that are not installed here."""
    if not shutil.which("systemd-analyze"):
        print("There is no systemd-analyze here.")
        return
    for name in "gst-contours@.service", "gst-contours-collector.service":
        with open(f"{plant}/{name}", encoding="utf-8") as file:
            text = file.read()
        program = next(line.split()[0] for line in text.split("ExecStart=")[1:])
        assert os.access(os.path.join(plant, os.path.basename(program)), os.X_OK), program
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/local/lib/gst-contours", os.path.realpath(plant)))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", os.path.join(folder, name)], capture_output=True,
                              text=True, check=False, timeout=30)
        assert done.returncode == 0 and name not in done.stderr.replace("@i.", "@."), done.stderr


def main(plant):
    if not shutil.which("setpriv"):
        print("There is no setpriv here.")
        return 77
    done = subprocess.run([sys.executable, "-c", "import systemd.daemon, gi; gi.require_version('Gst', '1.0')"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        print(f"A module of Python is missing here: {done.stderr.splitlines()[-1]}.")
        return 77
    with tempfile.TemporaryDirectory(prefix="plant-") as folder:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                started = time.monotonic()
                test(plant, folder)
                print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
    return 0


sys.exit(main(sys.argv[1]))
