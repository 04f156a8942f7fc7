# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts dashboard.py for the tests, makes films, and says what the export finds in them."""
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PASSWORD = "correct horse battery"
FINDER = "cudaborders backend=cpu mode=ccomp min-area=100"
SKIPPED = 77


def skip(sentence):
    print(sentence)
    sys.exit(SKIPPED)


def need(*modules):
    """Ends with status 77 where a module or one of the programs that all tests need is missing."""
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            skip(f"no Python module {module} here")
    for program in "gst-launch-1.0", "gst-inspect-1.0", "gst-typefind-1.0", "bash":
        if not shutil.which(program):
            skip(f"no {program} here")
    if not os.path.exists("/usr/share/javascript/chart.js/chart.min.js"):
        skip("no Chart.js here: the Debian package is libjs-chart.js")


def launch(*elements, **how):
    subprocess.run(["gst-launch-1.0", "-q", *" ".join(elements).split()], check=True, timeout=120, **how)


def make_film(path, scene, frames=30, name="parts"):
    """An AVI file of 480 x 270 pixels, 30 frames per second."""
    with subprocess.Popen([scene, name, str(frames)], stdout=subprocess.PIPE) as source:
        launch("fdsrc ! y4mdec ! videoconvert ! videoscale ! video/x-raw,format=I420,width=480,height=270 ! jpegenc quality=95 ! avimux"
               f" ! filesink location={path}", stdin=source.stdout)


def lines_of(film, properties="threshold-mode=otsu"):
    """What contourexport writes of each frame of a film, analysed with these properties."""
    path = film + ".ndjson"
    launch(f'uridecodebin uri=file://{film} ! videoconvert ! {FINDER} {properties} ! contourexport location={path} ! fakesink')
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def measure(line):
    """Area without holes and number of holes of each part in a line: a second reading of the schema."""
    contours = json.loads(line)["contours"]
    found = []
    for outer in contours:
        if not outer["hole"]:
            inner = [hole["area"] for hole in contours if hole["hole"] and hole["parent"] == outer["id"]]
            found.append((outer["area"] - sum(inner), len(inner)))
    return found


class Dashboard:
    """with Dashboard(…) as dashboard: the command runs, and dashboard.url is its page. In the end dashboard.errors has its messages."""

    def __init__(self, *arguments, password=None):
        environment = {key: value for key, value in os.environ.items() if key != "DASHBOARD_PASSWORD"}
        if password:
            environment["DASHBOARD_PASSWORD"] = password
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(ROOT, "pipelines", "dashboard.py"), "--port=0", *arguments], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = self.process.stdout.readline().split()
        assert first[:1] == ["Dashboard:"], self.process.communicate()
        self.url = first[1]
        self.errors = ""

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        try:
            _, self.errors = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, self.errors = self.process.communicate()
            raise
        print(self.errors, end="")
        if kind is None:
            assert self.process.returncode == 0, self.process.returncode
            assert "Traceback" not in self.errors
