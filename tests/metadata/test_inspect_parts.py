# SPDX-License-Identifier: LGPL-2.1-or-later
"""The inspection example on pictures of known parts. Argument: the path of inspect_parts."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # into the sources
from plate import draw

if not shutil.which("gst-launch-1.0"):
    print("skipped: no gst-launch-1.0 here")
    sys.exit(77)
program = os.path.abspath(sys.argv[1])

# As printed, the lowest first; a line goes through the centres of the pixels beside the edge, and around a hole.
BLOCK = (39 * 39, 4 * 39, 200, 100, 40, 40, 0)
PLATE = (99 * 59 - (11 * 11 - 2) - (13 * 9 - 2), 2 * (99 + 59), 20, 30, 100, 60, 2)
SPECK = (9, 12, 300, 20, 4, 4, 0)
GROUND = (319 * 239 - (41 * 41 - 2) - (101 * 61 - 2) - (5 * 5 - 2), 2 * (319 + 239), 0, 0, 320, 240, 3)


def inspect(*arguments):
    """Exit status, measures, verdicts, and what was said of the whole."""
    result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
    rows = re.findall(r"^ +\d+((?: +[\d.]+){7})  ([PF].*)$", result.stdout, re.MULTILINE)
    return (result.returncode, [tuple(float(n) for n in numbers.split()) for numbers, _ in rows],
            [verdict for _, verdict in rows], re.findall(r"^\d+ parts.*", result.stdout, re.MULTILINE), result.stderr)


def expect(arguments, status, parts, verdicts, last):
    got = inspect(*arguments, "parts.png")
    assert got == (status, parts, verdicts, [f"{len(parts)} part{'s' * (len(parts) != 1)}, {last}; threshold 128"], ""), (arguments, got)


def expect_refusal(arguments, text):
    status, parts, _, _, said = inspect(*arguments)
    assert status == 2 and not parts and text in said, (arguments, status, said)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    draw(1, "pngenc ! filesink location=parts.png")
    draw(3, "video/x-raw,format=I420 ! avimux ! filesink location=parts.avi")

    fixed = ["--threshold=128"]
    expect(fixed, 0, [BLOCK, PLATE, SPECK], ["PASS"] * 3, "3 passed, 0 failed")
    expect(fixed + ["--ignore=10"], 0, [BLOCK, PLATE], ["PASS"] * 2, "2 passed, 0 failed")
    one_hole = (99 * 59 - (11 * 11 - 2), *PLATE[1:6], 1)
    expect(fixed + ["--ignore=117"], 0, [BLOCK, one_hole], ["PASS"] * 2, "2 passed, 0 failed")
    expect(fixed + ["--area=:1521", "--holes=0"], 1, [BLOCK, PLATE, SPECK],
           ["PASS", "FAIL: area above 1521, holes above 0", "PASS"], "2 passed, 1 failed")
    expect(fixed + ["--area=9:5607", "--perimeter=12:", "--width=40:100", "--height=4:60", "--holes=:2"], 1,
           [BLOCK, PLATE, SPECK], ["PASS", "PASS", "FAIL: width below 40"], "2 passed, 1 failed")
    expect(fixed + ["--invert", "--holes=3"], 1, [(11 * 7, 36, 80, 50, 12, 8, 0), (81, 36, 30, 40, 10, 10, 0), GROUND],
           ["FAIL: holes below 3"] * 2 + ["PASS"], "1 passed, 2 failed")
    expect(fixed + ["--ignore=1e6"], 1, [], [], "0 passed, 0 failed")

    # The picture has two grey levels, dark and bright: the mean of a neighbourhood with both lies between them.
    adaptive = "3 passed, 0 failed; threshold 0"
    for arguments in ["--adaptive=255"], ["--color=red=128-255"], ["--color=luma=128-255,saturation=0-5"]:
        status, parts, verdicts, last, said = inspect(*arguments, "parts.png")
        assert (status, parts, last, said) == (0, [BLOCK, PLATE, SPECK], [f"3 parts, {adaptive}"], ""), (arguments, parts, last, said)
    status, parts, _, _, _ = inspect("--adaptive=3", "parts.png")
    assert parts and parts != [BLOCK, PLATE, SPECK], parts  # the insides of the parts are even
    status, parts, _, last, _ = inspect("--invert", "--color=luma=128-255", "--holes=3", "parts.png")
    assert parts[-1] == GROUND and len(parts) == 3, parts

    status, parts, _, _, _ = inspect("--split=3", *fixed, "parts.png")  # its parts do not touch
    assert status == 0 and parts == [BLOCK, (99 * 59, *PLATE[1:6], 0), SPECK], parts

    status, parts, _, _, said = inspect("--region=0,0,160,240;280,0,40,40", *fixed, "parts.png")
    assert (status, parts, said) == (0, [PLATE, SPECK], ""), (parts, said)  # region by region

    status, parts, _, last, _ = inspect("--holes=0:2", "--ignore=10", "parts.avi")
    assert (status, parts, len(last)) == (0, 3 * [BLOCK, PLATE], 3), (status, parts, last)

    with open("text.png", "w", encoding="utf-8") as file:
        file.write("This is a text, not a picture.")
    expect_refusal(["text.png"], "text.png: ")
    expect_refusal(["absent.png"], "absent.png: Resource not found.")
    expect_refusal(["parts.png", "parts.png"], "--help lists the options")
    for bad in "--ignore=-1", "--split=-1", "--split=1025", "--split=nan":
        expect_refusal([bad, "parts.png"], "--help lists the options")
    for text in "", "x", "1", "2", "150", "257", "-3", "5.0":
        expect_refusal([f"--adaptive={text}", "parts.png"], f"--adaptive takes an odd number of pixels from 3 to 255, not '{text}'")
    for text in "", "x", "hue", "hue=1-256", "hue=1,hue=2", "rot=1-2":
        expect_refusal([f"--color={text}", "parts.png"], f"--color takes ranges of channels such as hue=170-10,saturation=100-255, not '{text}'")
    for text in "", "x", "1,2,3", "polygon: 1,2":
        expect_refusal([f"--region={text}", "parts.png"], f"--region takes rectangles and polygons such as 10,20,300,200;polygon: 0,0 90,0 45,60, not '{text}'")
    for both in ["--threshold=5", "--adaptive=51"], ["--adaptive=51", "--color=red=1-2"], ["--color=red=1-2", "--threshold=5"]:
        expect_refusal([*both, "parts.png"], "exclude one another")
    for text in "", "x", "5:3", "3:x", "nan", "1:2:3":
        expect_refusal([f"--area={text}", "parts.png"], f"--area takes MIN:MAX, MIN:, :MAX or a single number, not '{text}'")
