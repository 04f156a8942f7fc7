# SPDX-License-Identifier: LGPL-2.1-or-later
"""The dashboard fed by MQTT: each topic is a camera. Exit status 77 without mosquitto, paho or aiohttp."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

from dashboard import Dashboard, need, skip

PATH = os.environ["PATH"] + ":/usr/sbin"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(found, what):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.1)
    raise AssertionError(f"not within 30 s: {what}")


def reachable(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def line(frame, areas):
    parts = [{"label": i + 1, "area": area, "x": 20 * i, "y": 5, "w": 10, "h": 10} for i, area in enumerate(areas)]
    return json.dumps({"schema": "gst-cuda-contours/1", "frame": frame, "source": "cudacca0", "threshold": 7,
                       "resolution": {"width": 320, "height": 240}, "count": len(parts), "components": parts})


def new_client():
    import paho.mqtt.client as mqtt

    version = getattr(mqtt, "CallbackAPIVersion", None)
    return mqtt.Client(version.VERSION1) if version else mqtt.Client()


def check(port):
    sender = new_client()
    sender.connect("127.0.0.1", port)
    sender.loop_start()
    until(sender.is_connected, "the connection of the sender")
    with Dashboard(f"--mqtt=127.0.0.1:{port}", "--topic=line/+/parts", "--area=50:") as dashboard:
        def cameras():
            with urllib.request.urlopen(dashboard.url + "api/state") as response:
                return {camera["name"]: camera for camera in json.load(response)["cameras"]}

        def send(topic, text):
            sender.publish(topic, text).wait_for_publish()

        # Whether the dashboard has subscribed by now shows by the first message that arrives.
        until(lambda: send("line/1/parts", line(0, [60])) or cameras().get("line/1/parts"), "the first message")
        send("line/1/parts", line(10, [60, 40, 30]) + "\n" + line(11, [60, 40]))
        send("line/2/parts", line(500, [80]))
        send("other/parts", line(0, [1]))
        until(lambda: len(cameras()) == 2 and cameras()["line/1/parts"]["frame"]["number"] == 11, "the frames")
        first, second = cameras()["line/1/parts"], cameras()["line/2/parts"]
        assert (first["frame"]["parts"], first["frame"]["failed"], first["frame"]["threshold"]) == (2, 1, 7), first["frame"]
        assert second["totals"] == {"frames": 1, "parts": 1, "failed": 0, "skipped": 0}, second["totals"]
        assert first["picture"] is None and [failure["reasons"] for failure in first["failures"]] == [["area below 50"]] * 2
        send("line/2/parts", "no frame")
        until(lambda: "not understood" in cameras()["line/2/parts"]["message"], "the complaint")
        for wrong in line("x", [80]), line(501, [80]).replace("240", '"240"'), line(502, ["80"]), line(503, [80]).replace(": 80", ": NaN"):
            send("line/2/parts", wrong)
        send("line/2/parts", line(501, [80]))
        until(lambda: cameras()["line/2/parts"]["state"] == "running", "the next frame")
        for number in range(3, 40):
            send(f"line/{number}/parts", line(0, [60]))
        send("line/1/parts", line(12, []))
        until(lambda: cameras()["line/1/parts"]["frame"]["number"] == 12, "the last frame")
        assert len(cameras()) == 16, len(cameras())
    assert dashboard.errors.count("More than 16 topics match line/+/parts") == 1, dashboard.errors
    with Dashboard(f"--mqtt=127.0.0.1:{free_port()}", "--topic=line/+/parts") as dashboard:
        time.sleep(2)
    assert dashboard.errors.count("does not answer") == 1, dashboard.errors
    sender.loop_stop()
    print("two topics as sent; a message that is none is said; 16 topics at most")


def main():
    need("aiohttp", "paho.mqtt.client")
    broker = shutil.which("mosquitto", path=PATH)
    if not broker:
        skip("no mosquitto here")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        configuration = os.path.join(folder, "mosquitto.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        process = subprocess.Popen([broker, "-c", configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(lambda: reachable(port), "the broker")
            check(port)
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
