# SPDX-License-Identifier: LGPL-2.1-or-later
"""unixfdsink and unixfdsrc carry the metadata to another process, byte for byte (GStreamer 1.24 and newer)."""
import hashlib
import os
import subprocess
import sys
import tempfile
import time

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstContours", "1.0")
from gi.repository import Gst, GstContours

FRAMES = 10
Gst.init(None)


def digest(buffer):
    """Of all metadata of a frame, as bytes."""
    metas = GstContours.component_metas(buffer) + GstContours.contour_metas(buffer)
    return [hashlib.sha256(meta.serialize().get_data()).hexdigest() for meta in metas]


def receive(path):
    # One of the plugin's elements loads it.
    pipeline = Gst.parse_launch(f"unixfdsrc socket-path={path} num-buffers={FRAMES} ! contourexport location=received.ndjson"
                                " ! fakesink name=out sync=false")

    def on_buffer(_, info):
        print(*digest(info.get_buffer()), flush=True)
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, on_buffer)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()


def main():
    if not Gst.ElementFactory.find("unixfdsink"):
        print("skipped: no unixfdsink here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        path = os.path.join(folder, "frames")
        pipeline = Gst.parse_launch(
            "videotestsrc pattern=ball is-live=true ! video/x-raw,format=GRAY8,width=160,height=120,framerate=25/1"
            " ! cudacca name=parts features=moments+grey labels=true backend=cpu ! cudaborders mode=tree features=moments backend=cpu"
            f" ! cudacrackcontour levels=64,128 hierarchy=levels backend=cpu ! unixfdsink name=out socket-path={path}")
        sent = []

        def on_buffer(_, info):
            sent.append(digest(info.get_buffer()))
            return Gst.PadProbeReturn.OK

        pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, on_buffer)
        pipeline.set_state(Gst.State.PLAYING)
        deadline = time.monotonic() + 30
        while not os.path.exists(path):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        other = subprocess.run([sys.executable, os.path.abspath(__file__), path], capture_output=True, text=True, check=False,
                               timeout=60)
        pipeline.set_state(Gst.State.NULL)
        assert other.returncode == 0, other.stderr
        received = [line.split() for line in other.stdout.splitlines()]
        assert len(received) == FRAMES and all(len(metas) == 3 for metas in received), received
        assert len({metas[0] for metas in received}) > 1, "all frames are alike"
        first = sent.index(received[0])
        assert received == sent[first:first + FRAMES], "frames differ"
        with open("received.ndjson", encoding="utf-8") as file:
            assert len(file.readlines()) == 3 * FRAMES


if len(sys.argv) > 1:
    receive(sys.argv[1])
else:
    main()
