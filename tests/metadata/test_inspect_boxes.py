# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples that read standard metadata only: they find the parts of a picture, as regions of interest and, where this
build knows them, as detections. Arguments: whether it does (yes, no), the command that runs the example."""
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
analytics = sys.argv[1] == "yes"
command = [os.path.abspath(part) for part in sys.argv[2:]]
PICTURE = "filesrc location=parts.png ! pngdec ! videoconvert ! "
# As the test's picture has them, the topmost first: type, number, box, area.
SPECK, PLATE, BLOCK = (4, 4, 300, 20), (100, 60, 20, 30), (40, 40, 200, 100)
COMPONENTS = [(*SPECK, 16), (*PLATE, 100 * 60 - 10 * 10 - 12 * 8), (*BLOCK, 1600)]
BORDERS = [(*BLOCK, 39 * 39), (*PLATE, 99 * 59), (*SPECK, 9)]  # the lowest first; a line through the centres of pixels


def inspect(*arguments):
    """Exit status, what was printed of the objects, the verdicts, the last line and what was said."""
    result = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)
    rows = re.findall(r"^(\w+) (\d+): (\d+) x (\d+) at (\d+), (\d+)(?:, area ([\d.]+))? (PASS|FAIL)$", result.stdout, re.MULTILINE)
    return (result.returncode, [(row[0], *(int(n) for n in row[1:6]), row[6] and float(row[6])) for row in rows],
            [row[-1] for row in rows], result.stdout.splitlines()[-1:], result.stderr)


def expect(arguments, status, objects, verdicts):
    passed = verdicts.count("PASS")
    got = inspect(*arguments)
    assert got == (status, objects, verdicts, [f"{passed} passed, {len(verdicts) - passed} failed"], ""), (arguments, got)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    draw(1, "pngenc ! filesink location=parts.png")
    cca, borders = "cudacca threshold=128 attach-as=", "cudaborders threshold=128 mode=tree attach-as="

    regions = [("component", i + 1, *box) for i, box in enumerate(COMPONENTS)]
    expect([PICTURE + cca + "roi"], 0, regions, ["PASS"] * 3)
    expect(["--width=5:", "--height=:59", PICTURE + cca + "native+roi"], 1, regions, ["FAIL", "FAIL", "PASS"])
    expect([PICTURE + cca + "roi min-area=100000"], 1, [], [])
    expect([PICTURE + cca + "native"], 1, [], [])
    # The plate has two holes, which follow it and are no objects.
    expect([PICTURE + borders + "roi"], 0, [("contour", number, *box) for number, box in zip((1, 2, 5), BORDERS)], ["PASS"] * 3)
    if analytics:
        expect(["--width=:50", PICTURE + cca + "analytics"], 1,
               [("component", i, *box[:4], "") for i, box in enumerate(COMPONENTS)], ["PASS", "FAIL", "PASS"])
        expect([PICTURE + borders + "analytics"], 0, [("contour", i, *box[:4], "") for i, box in enumerate(BORDERS)], ["PASS"] * 3)
        expect([PICTURE + cca + "roi+analytics"], 0, regions, ["PASS"] * 3)
    status, rows, verdicts, _, said = inspect()
    assert (status, len(rows), verdicts, said) == (0, 3, ["PASS"] * 3, ""), (rows, said)  # a disc in each of three frames
    status, rows, _, _, said = inspect("no-such-element")
    assert status == 2 and not rows and said == 'no element "no-such-element"\n', (status, said)
    status, rows, _, _, said = inspect(PICTURE.replace("parts", "absent") + cca + "roi")
    assert status == 2 and not rows and "not found" in said, (status, said)
    for text in "", "5", "5:3", "x:", "1:2:3":
        status, rows, _, _, said = inspect(f"--width={text}", PICTURE + cca + "roi")
        assert status == 2 and not rows and f"takes MIN:MAX, MIN: or :MAX, not '{text}'" in said, (text, status, said)
