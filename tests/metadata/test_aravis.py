# SPDX-License-Identifier: LGPL-2.1-or-later
"""No frame of Aravis' imitated GigE Vision camera is lost on its way through cudaborders to the export."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ATTEMPTS = 5
FULL = os.environ.get("CTR_TEST_FULL") == "1"
# Format in the caps, frames, frames a second. The camera knows no Mono12. Packets of large frames at high
# rates overflow the receiver's socket whenever Aravis has to wait for a processor.
RUNS = [("GRAY8", 10000, 250), ("GRAY16_LE", 10000 if FULL else 500, 50)]
# With the right to raw sockets Aravis reads packets before the system does, and finds none on the loopback.
PLAIN_SOCKETS = ["setpriv", "--bounding-set=-net_raw"] if os.geteuid() == 0 else []


def have(element):
    try:
        return subprocess.run(["gst-inspect-1.0", element], stdout=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


def run(video_format, frames, rate, path):
    """Aravis' own statistics, which it prints when it stops."""
    # Aravis has room for two seconds of frames, as long as a loaded machine may take its time.
    result = subprocess.run(
        [*PLAIN_SOCKETS, "gst-launch-1.0", "-q", "aravissrc", f"num-buffers={frames}", f"num-arv-buffers={2 * rate}",
         "packet-size=8192", "!",
         f"video/x-raw,format={video_format},width=128,height=128,framerate={rate}/1", "!", "cudaborders", "backend=cpu",
         "threshold-mode=otsu", "!", "contourexport", f"location={path}", "!", "fakesink", "sync=false"],
        env={**os.environ, "ARV_DEBUG": "stream:2"}, capture_output=True, text=True, timeout=300, check=False)
    said = result.stdout + result.stderr
    assert result.returncode == 0, said
    return {name: int(number) for name, number in re.findall(r"\b(n_\w+)\s*=\s*(\d+)", said)}


def check(video_format, frames, rate, path):
    # The system drops packets on their way to Aravis while others keep the processors busy.
    for _ in range(ATTEMPTS):
        begin = time.monotonic()
        statistics = run(video_format, frames, rate, path)
        took = time.monotonic() - begin
        if statistics["n_missing_packets"] == 0:
            break
        print(f"{video_format}: {statistics['n_missing_packets']} packets have not reached Aravis", flush=True)
        os.remove(path)
    else:
        raise AssertionError("the network has lost packets in each attempt")
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert [line["frame"] for line in lines] == list(range(frames)), len(lines)
    assert all(line["resolution"] == {"width": 128, "height": 128} and line["count"] > 0 for line in lines)
    assert not any("dropped" in line or "corrupted" in line for line in lines)
    times = [line["running_time"] for line in lines]
    assert all(a < b for a, b in zip(times, times[1:]))
    assert statistics["n_completed_buffers"] >= frames, statistics
    for name in ("n_failures", "n_underruns", "n_timeouts", "n_missing_frames", "n_size_mismatch_errors", "n_missing_packets"):
        assert statistics[name] == 0, statistics
    print(f"{video_format}: {frames} frames in {took:.1f} s, {statistics['n_received_packets']} packets, none lost", flush=True)


if not have("cudaborders") or not have("aravissrc") or not shutil.which("arv-fake-gv-camera-0.8"):
    print("skipped: no cudaborders, gst-inspect-1.0 or Aravis here")
    sys.exit(77)
camera = subprocess.Popen([*PLAIN_SOCKETS, "arv-fake-gv-camera-0.8", "-i", "127.0.0.1"])
try:
    time.sleep(1)
    assert camera.poll() is None, "the camera has not started"
    with tempfile.TemporaryDirectory() as folder:
        for which, count, speed in RUNS:
            check(which, count, speed, f"{folder}/{which}.ndjson")
finally:
    camera.kill()
    camera.wait()
