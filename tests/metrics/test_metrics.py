# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tracer contourmetrics: its HTTP endpoint is scraped, and its numbers are those of probes, messages and properties.
Exit status 77 without the Python bindings of GStreamer. With an argument, only the tests whose names contain it run."""
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


PORT = free_port()
os.environ["GST_TRACERS"] = f"contourmetrics(port={PORT})"
try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError):
    print("There are no Python bindings of GStreamer here.")
    sys.exit(77)
try:
    from prometheus_client.parser import text_string_to_metric_families as parse
except ImportError:
    parse = None

CAPS = "video/x-raw,format=GRAY8,width=320,height=240,framerate=25/1"


def scrape(port=PORT):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain"), answer.headers["Content-Type"]
        return answer.read().decode()


def read_samples(text):
    """{(name, pipeline, element, le or stat): value} of a scrape, by the parser of the Prometheus client or, where that is
    missing, by splitting lines."""
    samples = {}
    if parse:
        found = ((s.name, s.labels, s.value) for family in parse(text) for s in family.samples)
    else:
        found = []
        for line in text.splitlines():
            if not line.startswith("#"):
                name, _, rest = line.partition("{")
                labels, _, value = rest.rpartition("} ")
                found.append((name or line.split()[0], dict(part.split("=", 1) for part in labels.replace('"', "").split(",") if part),
                              float(value or line.split()[1])))
    for name, labels, value in found:
        key = name, labels.get("pipeline"), labels.get("element"), labels.get("le") or labels.get("stat")
        assert key not in samples or name.startswith("exposer"), f"two series {key}"
        samples[key] = value
    return samples


class Run:
    """A pipeline called NAME that has been played to its end, and what the endpoint says of it."""

    def __init__(self, name, description, frames=0, prepare=None):
        self.pipeline = Gst.parse_launch(description)
        self.pipeline.set_name(name)
        self.received, self.qos = {}, {}
        for element in self.elements():
            for pad in element.sinkpads:
                pad.add_probe(Gst.PadProbeType.BUFFER, self.count, element.get_name())
        if prepare:
            prepare(self)
        self.pipeline.set_state(Gst.State.PLAYING)
        source = self.pipeline.get_by_name("in")
        for number in range(frames):
            buffer = Gst.Buffer.new_wrapped(bytes(320 * 240))
            buffer.pts, buffer.duration = number * 40 * Gst.MSECOND, 40 * Gst.MSECOND
            assert source.emit("push-buffer", buffer) == Gst.FlowReturn.OK
        if source:
            source.emit("end-of-stream")
        self.wait()
        # Before the end of the pipeline, whose queues are empty and whose threads have nothing more to do.
        self.samples = read_samples(scrape())
        self.pipeline.set_state(Gst.State.NULL)

    def elements(self):
        iterator = self.pipeline.iterate_elements()
        while (step := iterator.next())[0] == Gst.IteratorResult.OK:
            yield step[1]

    def count(self, _pad, _info, name):
        self.received[name] = self.received.get(name, 0) + 1
        return Gst.PadProbeReturn.OK

    def wait(self):
        while message := self.pipeline.get_bus().timed_pop_filtered(
                20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.QOS):
            if message.type == Gst.MessageType.EOS:
                return
            assert message.type == Gst.MessageType.QOS, message.parse_error()
            self.qos[message.src.get_name()] = self.qos.get(message.src.get_name(), 0) + 1
        raise AssertionError("the pipeline has not ended within 20 s")

    def __call__(self, name, element, extra=None):
        return self.samples["contours_" + name, self.pipeline.get_name(), element, extra]


def test_frames():
    """Every frame that is pushed is counted once at each element, also in bins, whose pads are not elements."""
    run = Run("frames", f"appsrc name=in format=time caps={CAPS} ! queue name=q ! cudacca backend=cpu name=cca"
              " ! identity name=half drop-buffer-flags=0 ! fakesink name=out sync=false", frames=40)
    for element in "q", "cca", "half", "out":
        assert run("frames_received_total", element) == run.received[element] == 40, element
        assert run("processing_seconds_count", element) == 40, element
        assert run("latency_seconds_count", element) == 40, element
    for element in "in", "q", "cca", "half":
        assert run("frames_sent_total", element) == 40, element
    assert run("frames_late_total", "out") == 0
    assert run("queue_frames", "q") == run("queue_bytes", "q") == run("queue_seconds", "q") == 0
    assert run("stat", "out", "rendered") == 40
    assert run("frames_received_total", "in") == 0


def test_leaks():
    """What a leaky queue drops is what came in and did not go out."""
    run = Run("leaks", f"appsrc name=in format=time caps={CAPS} ! queue name=q leaky=downstream max-size-buffers=3"
              " ! identity name=slow sleep-time=20000 ! fakesink name=out sync=false", frames=60)
    dropped = 60 - run.received["out"]
    assert dropped > 0, "the queue has dropped nothing"
    assert run("frames_received_total", "q") == 60
    assert run("frames_received_total", "q") - run("frames_sent_total", "q") - run("queue_frames", "q") == dropped
    assert run("frames_received_total", "out") == 60 - dropped


def test_late():
    """Frames that are late are counted by what drops them: filters, which post a message for each, and sinks."""
    run = Run("late", f"videotestsrc is-live=true num-buffers=40 ! {CAPS} ! identity name=slow sleep-time=60000"
              " ! cudacca backend=cpu name=cca qos=true ! fakesink name=out sync=true qos=true max-lateness=1000000")
    assert run.qos.get("cca", 0) > 0, "nothing was late"
    assert run("frames_late_total", "cca") == run.qos["cca"]
    assert run("frames_received_total", "cca") - run("frames_sent_total", "cca") == run.qos["cca"]
    assert run("frames_late_total", "out") == run("frames_received_total", "out") - run("stat", "out", "rendered")


def test_times():
    """Latency and processing time against clocks in probes, and the buckets against the counts."""
    started, latencies = {}, []

    def prepare(run):
        # A probe comes after the push is noted, and before the arrival is.
        run.pipeline.get_by_name("in").get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, lambda _pad, info: note(info.get_buffer(), started.__setitem__))
        run.pipeline.get_by_name("out").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, lambda _pad, info: note(
                info.get_buffer(), lambda pts, now: latencies.append(now - started[pts])))

    def note(buffer, use):
        use(buffer.pts, time.monotonic())
        return Gst.PadProbeReturn.OK

    run = Run("times", f"appsrc name=in format=time caps={CAPS} ! identity name=slow sleep-time=20000"
              " ! identity name=slower sleep-time=30000 ! queue name=q ! fakesink name=out sync=false", frames=30, prepare=prepare)
    expected, told = sum(latencies), run("latency_seconds_sum", "out")
    assert len(latencies) == run("latency_seconds_count", "out") == 30
    assert expected >= 1.5 and abs(told - expected) < 0.1 * expected, f"latency: {told} s, the probes say {expected} s"
    assert 0.6 <= run("processing_seconds_sum", "slow") < 0.9 <= run("processing_seconds_sum", "slower") < 1.5
    assert run("processing_seconds_sum", "out") < 0.3, "the sink has the time of the elements before"
    for name in "latency_seconds", "processing_seconds":
        for element in "slow", "out":
            buckets = sorted((float(le), value) for (metric, pipeline, of, le), value in run.samples.items()
                             if (metric, pipeline, of) == (f"contours_{name}_bucket", "times", element))
            counts = [value for _, value in buckets]
            assert counts == sorted(counts) and buckets[-1] == (float("inf"), run(name + "_count", element))
    assert run("latency_seconds_bucket", "out", "0.01") == 0, "20 ms are counted below 10 ms"


def test_gpu_time():
    """Each frame of an element on the GPU has a time, which is there when the next one has come. Elements on the CPU and those
    of others have none."""
    line = f"appsrc name=in format=time caps={CAPS} ! cudacca name=cca backend={{}} ! identity name=other ! fakesink name=out sync=false"
    names = {key[0] for key in Run("host", line.format("cpu"), frames=20).samples}
    assert "contours_latency_seconds_count" in names and "contours_gpu_seconds_count" not in names
    probe = Gst.parse_launch("cudacca backend=cuda")
    has_gpu = probe.set_state(Gst.State.PAUSED) != Gst.StateChangeReturn.FAILURE
    probe.set_state(Gst.State.NULL)
    if not has_gpu:
        print("There is no GPU here.")
        return
    run = Run("gpu", line.format("cuda"), frames=20)
    assert 19 <= run("gpu_seconds_count", "cca") <= 20
    assert 0 < run("gpu_seconds_sum", "cca") < 20
    assert not {key for key in run.samples if key[0].startswith("contours_gpu") and key[2] != "cca"}
    samples = read_samples(scrape())  # The element has stopped, and the last time is there.
    assert samples["contours_gpu_seconds_count", "gpu", "cca", None] == 20
    run = Run("gpu", line.format("cuda"), frames=5)
    assert 24 <= run("gpu_seconds_count", "cca") <= 25, "an element that is made anew goes on counting"


def test_names():
    """An element that is made anew goes on counting, and elements in bins have the names of these."""
    description = f"appsrc name=in format=time caps={CAPS} ! bin.( name=inner identity name=x ) ! fakesink name=out sync=false"
    first = Run("again", description.replace("bin.(", "("), frames=7)
    second = Run("again", description.replace("bin.(", "("), frames=5)
    assert first("frames_received_total", "inner/x") == 7
    assert second("frames_received_total", "inner/x") == second("frames_received_total", "out") == 12


def test_broker():
    """The numbers of a sink for a broker that is not there."""
    if not Gst.ElementFactory.find("contourmqttsink"):
        print("There is no contourmqttsink here.")
        return
    run = Run("broker", f"appsrc name=in format=time caps={CAPS} ! cudacca backend=cpu ! contourmqttsink name=out"
              f" address=127.0.0.1:{free_port()} topic=contours drain-timeout=100000000", frames=5)
    assert run("frames_received_total", "out") == 5
    assert run("stat", "out", "queued") + run("stat", "out", "lost") == 5
    assert run("stat", "out", "acknowledged") == run("stat", "out", "connected") == 0


def launch(tracer, *elements):
    return subprocess.run(["gst-launch-1.0", "-q", *(elements or ("fakesrc", "num-buffers=3", "!", "fakesink"))],
                          env=os.environ | {"GST_TRACERS": tracer}, capture_output=True, text=True, check=False, timeout=30)


def test_idle_clients():
    """Clients that connect and ask for nothing hold up no scrape for as long as Prometheus waits, which is 10 s."""
    idle = [socket.create_connection(("127.0.0.1", PORT)) for _ in range(6)]
    started = time.monotonic()
    assert "exposer" in scrape()
    assert time.monotonic() - started < 8, f"{time.monotonic() - started} s"
    for client in idle:
        client.close()


def test_refusals():
    """A port that is taken, and parameters that make no sense, cost the metrics and not the pipeline."""
    if not shutil.which("gst-launch-1.0"):
        return
    done = launch(f"contourmetrics(port={PORT})")
    assert done.returncode == 0 and f"Port {PORT} of 127.0.0.1 cannot be opened" in done.stderr, done.stderr
    done = launch("contourmetrics(port=65535,address=203.0.113.9)")  # which has no next one
    assert "cannot be opened" in done.stderr and "port=9464" in done.stderr and "65536" not in done.stderr, done.stderr
    for params in "port=0", "port=many", "prot=9464", "address=7":
        done = launch(f"contourmetrics({params})")
        assert done.returncode == 0 and f'"{params}" is not understood' in done.stderr, done.stderr
    done = launch(f"contourmetrics(port={free_port()})")
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_text():
    """The text is what Prometheus' own tool takes."""
    if not shutil.which("promtool"):
        print("There is no promtool here.")
        return
    done = subprocess.run(["promtool", "check", "metrics"], input=scrape(), capture_output=True, text=True, check=False)
    assert "contours_" not in done.stderr and "parse" not in done.stderr, done.stderr


def main():
    Gst.init(None)
    if not parse:
        print("There is no parser of python3-prometheus-client here: lines are split instead.")
    for name, test in list(globals().items()):
        if name.startswith("test_") and all(word in name for word in sys.argv[1:]):
            started = time.monotonic()
            test()
            print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)


main()
