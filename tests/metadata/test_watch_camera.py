# SPDX-License-Identifier: LGPL-2.1-or-later
"""watch_camera.py with Aravis' imitated GigE Vision camera and with an RTSP server, which drop out and return."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WATCH = [sys.executable, sys.argv[1], "--wait=10"]
REST = "cudaborders backend=cpu threshold-mode=otsu ! contourexport location={} append=true ! fakesink sync=false"
SERVER = """
import gi, sys
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, GstRtspServer, Gst
Gst.init(None)
server = GstRtspServer.RTSPServer(address="127.0.0.1", service=sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory(launch="( videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,"
                                         "height=240,framerate=20/1 ! jpegenc ! rtpjpegpay name=pay0 )", shared=True)
server.get_mount_points().add_factory("/camera", factory)
assert server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
"""


def have(element):
    try:
        return subprocess.run(["gst-inspect-1.0", element], stdout=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


class AravisCamera:
    drop_outs = 5
    source = "aravissrc ! video/x-raw,width=128,height=128"
    width = 128

    def start(self):
        self.process = subprocess.Popen([*PLAIN_SOCKETS, "arv-fake-gv-camera-0.8", "-i", "127.0.0.1"])

    def stop(self):
        self.process.kill()
        self.process.wait()


class RtspCamera:
    drop_outs = 2
    width = 320
    port = "0"

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-c", SERVER, self.port], stdout=subprocess.PIPE, text=True)
        self.port = self.process.stdout.readline().strip()
        assert self.port, "the server has not started"
        self.source = f"rtspsrc protocols=tcp location=rtsp://127.0.0.1:{self.port}/camera ! rtpjpegdepay ! jpegdec"

    def stop(self):
        self.process.kill()
        self.process.communicate()


def count_lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            return sum(line.endswith("\n") for line in file)
    except FileNotFoundError:
        return 0


def wait_for(what, happened, watch):
    deadline = time.monotonic() + 30
    while not happened():
        assert watch.poll() is None, f"it ended with {watch.returncode} before {what}"
        assert time.monotonic() < deadline, f"no {what} within 30 s"
        time.sleep(0.05)


def check(camera, path):
    """All lines are those of whole frames, of one numbering and of rising times, and Ctrl+C ends it well."""
    camera.start()
    said = path + ".log"
    with open(said, "w", encoding="utf-8") as log:
        watch = subprocess.Popen([*PLAIN_SOCKETS, *WATCH, camera.source, REST.format(path)], stderr=log)
    try:
        for drop_out in range(camera.drop_outs + 1):
            before = count_lines(path)
            wait_for("ten more frames", lambda: count_lines(path) >= before + 10, watch)
            if drop_out < camera.drop_outs:
                camera.stop()
                wait_for("word of the loss", lambda: count_losses(said) > drop_out, watch)
                camera.start()
        watch.send_signal(signal.SIGINT)
        assert watch.wait(20) == 0
    finally:
        watch.kill()
        camera.stop()
        with open(said, encoding="utf-8") as log:
            print(log.read())
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert [line["frame"] for line in lines] == list(range(len(lines)))
    assert all(line["resolution"]["width"] == camera.width and line["count"] > 0 and line["utc"] for line in lines)
    times = [line["running_time"] for line in lines]
    assert times == sorted(times), times
    print(f"{type(camera).__name__}: {len(lines)} frames, {count_losses(said)} losses")


def count_losses(path):
    with open(path, encoding="utf-8") as file:
        return file.read().count("camera lost")


def refuses(text, status, *arguments):
    result = subprocess.run([*WATCH, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == status and text in result.stderr and "Traceback" not in result.stderr, result


if not have("cudaborders"):
    print("skipped: no cudaborders, or no gst-inspect-1.0 here")
    sys.exit(77)
# With the right to raw sockets Aravis reads packets before the system does, and finds none on the loopback.
PLAIN_SOCKETS = ["setpriv", "--bounding-set=-net_raw"] if os.geteuid() == 0 else []
refuses("no element", 2, "nosuchsource")
refuses("could not link", 2, "videotestsrc ! fakesink")
refuses("no free input", 2, "videotestsrc", "videotestsrc ! fakesink")
refuses("Could not open", 1, "videotestsrc", "contourexport location=/no/such/folder/file ! fakesink")
with tempfile.TemporaryDirectory() as folder:
    if shutil.which("arv-fake-gv-camera-0.8") and have("aravissrc"):
        check(AravisCamera(), f"{folder}/aravis.ndjson")
    else:
        print("no Aravis here")
    if subprocess.run([sys.executable, "-c", SERVER.split("\nfrom")[0].replace(", sys", "")], check=False).returncode == 0:
        check(RtspCamera(), f"{folder}/rtsp.ndjson")
    else:
        print("no RTSP server here")
