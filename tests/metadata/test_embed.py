# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedding examples embed.c and embed.py on a picture of known parts. Arguments: a command that runs one of them."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # into the sources
from plate import draw

if not shutil.which("gst-launch-1.0"):
    print("skipped: no gst-launch-1.0 here")
    sys.exit(77)
command = [os.path.abspath(word) if os.path.exists(word) else word for word in sys.argv[1:]]
python = command[-1].endswith(".py")
if python:
    try:
        import gi
        import numpy

        gi.require_version("GstContours", "1.0")
    except (ImportError, ValueError) as missing:
        print(f"skipped: {missing}")
        sys.exit(77)

PLATE = 100 * 60 - 10 * 10 - 12 * 8
CX = (6000 * 69.5 - 100 * 34.5 - 96 * 85.5) / PLATE
CY = (6000 * 59.5 - 100 * 44.5 - 96 * 53.5) / PLATE
CORNERS = "20,30 20,89 119,89 119,30"  # anticlockwise, through the centres of the pixels
FRAME = (r"frame {}: 3 components, 3 contours of 12 points, threshold \d+" "\n"
         f"  largest component: {PLATE} pixels, box 20,30 100x60, centroid {CX:.2f},{CY:.2f}\n"
         f"  largest contour: area {99 * 59}, perimeter 316.0, 4 points: {CORNERS}\n"
         + (f"  its polygon: area {99 * 59}, centroid 69.50,59.50\n" if python else ""))


def run(*arguments):
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)


def expect_shapes(source, frames):
    result = run(source)
    expected = "".join(FRAME.format(number) for number in range(frames))
    expected += f"largest contour of {frames} frames: area {99 * 59}: {CORNERS}\n"
    assert result.returncode == 0 and re.fullmatch(expected, result.stdout), (source, result, expected)


def expect_refusal(text, *arguments, status=1):
    result = run(*arguments)
    assert result.returncode == status and text in result.stderr and not result.stdout, (arguments, result)
    assert "Traceback" not in result.stderr and "CRITICAL" not in result.stderr, result


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    draw(1, "pngenc ! filesink location=parts.png")
    draw(3, "video/x-raw,format=I420 ! avimux ! filesink location=parts.avi")
    expect_shapes("parts.png", 1)
    expect_shapes("file://" + os.path.abspath("parts.avi"), 3)

    # Lines from the test source, which ends by itself.
    result = run("--frames=2")
    assert result.returncode == 0 and result.stdout.count("frame ") == 2, result
    assert result.stdout.splitlines()[-1].startswith("largest contour of 2 frames: area 10"), result

    # Ctrl+C in the middle: an orderly end.
    with subprocess.Popen([*command, "--frames=-1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as process:
        lines = []
        while not lines or lines[-1] and not lines[-1].startswith("frame 3"):
            lines.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        lines += process.stdout.readlines()
        status = process.wait(60)
    assert status == 0 and lines[0].startswith("frame 0: 1 components, 1 contours"), (status, lines[:9])
    assert lines[-1].startswith("largest contour of "), lines[-9:]

    with open("text.png", "w", encoding="utf-8") as file:
        file.write("This is a text, not a picture.")
    subprocess.run("gst-launch-1.0 -q audiotestsrc num-buffers=5 ! wavenc ! filesink location=sound.wav", shell=True,
                   check=True, timeout=60, env=os.environ | {"GST_REGISTRY": os.path.abspath("registry"),
                                                             "GST_PLUGIN_PATH": ""})
    expect_refusal(os.path.abspath("absent.png") + ": Resource not found.", "absent.png")
    expect_refusal(os.path.abspath("") + ": ", "")
    expect_refusal("", "text.png")
    expect_refusal("", "sound.wav")
    expect_refusal("arguments" if python else "only one FILE-OR-URI", "parts.png", "parts.png", status=2 if python else 1)
    expect_refusal("nknown option --wrong" if not python else "--wrong", "--wrong", status=2 if python else 1)
    os.environ |= {"GST_PLUGIN_PATH": "", "GST_REGISTRY": os.path.abspath("registry-empty")}
    expect_refusal("There is no element 'cudacca'", "parts.png")
