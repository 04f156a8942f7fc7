# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedding examples: read_components in C and in Python print the same table. Arguments: their paths."""
import re
import subprocess
import sys

SOURCE = "videotestsrc pattern=ball num-buffers=5 ! video/x-raw,format=NV12,width=640,height=480"
program, script = sys.argv[1:]

try:
    import gi

    gi.require_version("GstContours", "1.0")
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def run(*command, status=0):
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == status, f"{command}: exit status {result.returncode}\n{result.stderr}"
    return result


outputs = [run(*command, *arguments).stdout
           for command in ([program], [sys.executable, script]) for arguments in ([], [SOURCE])]
assert all(output == outputs[0] for output in outputs), outputs
assert len(re.findall(r"^\d+\.\d{3} s: 1 components$", outputs[0], re.MULTILINE)) == 5, outputs[0]
# A disc of 80 pixels: its area in the second column.
areas = [int(area) for area in re.findall(r"^ {6}1 +(\d+)(?: +-?[\d.]+){7}$", outputs[0], re.MULTILINE)]
assert len(areas) == 5 and all(1000 < area < 1300 for area in areas), outputs[0]

for command in ([program], [sys.executable, script]):
    result = run(*command, f"{SOURCE} ! contourexport location=/nonexistent/out", status=1)
    assert "/nonexistent/out" in result.stderr and not result.stdout, result
    result = run(*command, "no-such-element", status=1)
    assert result.stderr == 'no element "no-such-element"\n' and not result.stdout, result
