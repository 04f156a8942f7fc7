#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the examples of documents as they stand there: every gst-launch-1.0 line, every program of the build, every Python
program; every piece of C is compiled. Arguments: the build folder, the documents or folders of them.

Their inputs come from the folder of real images CTR_TEST_DATA, or are drawn. A camera is replaced by a test picture
that plays live, a screen by fakesink, a message broker by one of the test's own. What needs an element or module that is
missing (an NVIDIA decoder, GObject Introspection) is left out, and said. Exit status 77 without GStreamer's command line tools.
"""
import contextlib
import glob
import importlib.util
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile

# Name in the documents: file in CTR_TEST_DATA, or the pipeline that draws one.
INPUTS = {
    "page.png": ("documents/page.png", "videotestsrc num-buffers=1 pattern=circular ! pngenc"),
    "parts.png": ("industrial/detect_blob.png", "videotestsrc num-buffers=1 pattern=ball ! pngenc"),
    "clip.mp4": ("video/bottles.mp4", "videotestsrc num-buffers=15 ! openh264enc ! h264parse ! mp4mux"),
    "clip.avi": ("video/bolts_mjpeg.avi", "videotestsrc num-buffers=15 pattern=ball ! jpegenc ! avimux"),
}
SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BATCHES = ["videotestsrc num-buffers=3 pattern=ball ! pngenc ! multifilesink location=part-%02d.png",
           "videotestsrc num-buffers=3 pattern=ball ! pngenc ! multifilesink location=slice-%03d.png"]
STAND_INS = [
    (r"\buridecodebin uri=rtsp://\S+", "videotestsrc is-live=true num-buffers=10"),
    (r"\baravissrc( camera-name=\S+)?", "videotestsrc is-live=true num-buffers=10"),
    (r"\bv4l2src( device=\S+)?", "videotestsrc is-live=true num-buffers=10"),
    (r"\bautovideosink\b", "fakesink"),
]


BROKER = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin")


@contextlib.contextmanager
def begin_broker():
    """An MQTT broker in place of the documents' one: its address. Without the program nobody is there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Without a configuration it serves its own computer alone.
    process = BROKER and subprocess.Popen([BROKER, "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        yield f"localhost:{port}"
    finally:
        if process:
            process.kill()
            process.wait()


@contextlib.contextmanager
def begin_kafka():
    """The same for Kafka, simulated."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "broker", "kafkabroker.py")
    with subprocess.Popen([sys.executable, program, "--auto-create"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        yield f"localhost:{process.stdout.readline().strip()}"
        process.stdin.close()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def command_lines(text):
    for block in blocks(text, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith(("gst-launch-1.0 ", "build/pipelines/")):
                yield line


def known(name):
    """Is there an element or plugin NAME?"""
    return subprocess.run(["gst-inspect-1.0", name], stdout=subprocess.DEVNULL, check=False).returncode == 0


def missing_elements(line):
    if not line.startswith("gst-launch-1.0 "):
        return []
    words = [word for word in shlex.split(line)[1:] if re.fullmatch("[a-z][a-z0-9]*", word)]
    return [word for word in words if not known(word)]


def provide_inputs():
    """Puts what can be had of INPUTS in the current folder."""
    for name, (real, source) in INPUTS.items():
        real = os.path.join(os.environ.get("CTR_TEST_DATA", ""), real)
        line = f"gst-launch-1.0 -q {source} ! filesink location={name}"
        if os.path.exists(real):
            shutil.copy(real, name)
        elif absent := missing_elements(line):
            print(f"no {name} here: {', '.join(absent)} missing")
        else:
            subprocess.run(line, shell=True, timeout=60, check=True)
    with open("scale.yml", "w", encoding="utf-8") as file:  # by printf in the document
        file.write("scale: 0.05\nunit: mm\n")
    for batch in BATCHES:
        subprocess.run("gst-launch-1.0 -q " + batch, shell=True, timeout=60, check=True)


def results_of(line):
    """The files it leaves; of several, the first."""
    names = re.findall(r"\b(?:contourexport|filesink|multifilesink)\b[^!]*\blocation=(\S+)", line)
    return [re.sub(r"%\d*d", lambda field: field[0] % 0, name) for name in names]


def run(command, title, expected=None):
    """Runs COMMAND; True when it went well, printed EXPECTED and left no result of its title empty."""
    print(f"--- {title}", flush=True)
    try:
        done = subprocess.run(command, shell=isinstance(command, str), stdout=subprocess.PIPE, text=True, timeout=60,
                              check=False)
    except subprocess.TimeoutExpired:
        print("FAILED: no end within 60 s")
        return False
    print(done.stdout[:1000], flush=True)
    empty = [name for name in results_of(title) if not os.path.exists(name) or not os.path.getsize(name)]
    fault = (f"exit status {done.returncode}" if done.returncode
             else "nothing in " + ", ".join(empty) if empty
             else f"'{expected}' not printed" if expected and not re.search(expected, done.stdout) else None)
    if fault:
        print(f"FAILED: {fault}", flush=True)
    return not fault


def compile_pieces(text):
    """Whether each piece of C is accepted: as it is when it has functions, else as the inside of one with a buffer."""
    if not shutil.which("cc") or not shutil.which("pkg-config"):
        print("--- left out, cc or pkg-config missing: the pieces of C")
        return []
    flags = subprocess.run(["pkg-config", "--cflags", "gstreamer-1.0", "gstreamer-video-1.0"], capture_output=True, text=True,
                           check=True).stdout.split()
    results = []
    for piece in blocks(text, "c"):
        body = piece if piece.startswith("static ") else f"static void example (GstBuffer *buffer)\n{{\n{piece}}}\n"
        with open("piece.c", "w", encoding="utf-8") as file:
            file.write("#include <gst/contours/gstcontours.h>\n" + body)
        results.append(run(["cc", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                            "-Wno-unused-parameter", "-I", os.path.join(SOURCES, "include"), *flags, "piece.c"], piece))
    return results


def main(build, arguments):
    if not shutil.which("gst-launch-1.0") or not shutil.which("gst-inspect-1.0"):
        print("no gst-launch-1.0 and gst-inspect-1.0 here")
        return 77
    if not known("cudacontours"):
        print("the plugin is not found: GST_PLUGIN_PATH is", os.environ.get("GST_PLUGIN_PATH"))
        return 1
    text = ""
    for document in [path for argument in arguments for path in
                     (sorted(glob.glob(f"{argument}/*.md")) if os.path.isdir(argument) else [argument])]:
        with open(document, encoding="utf-8") as file:
            text += file.read()
    results = []
    with tempfile.TemporaryDirectory() as folder, begin_broker() as address, begin_kafka() as kafka:
        os.chdir(folder)
        provide_inputs()
        for line in command_lines(text):
            line = re.sub(r"^build/", lambda _: f"{shlex.quote(build)}/", line)
            for pattern, replacement in [*STAND_INS, (r"\blocalhost:1883\b", address),
                                             (r"\blocalhost:9092\b", kafka)]:
                line = re.sub(pattern, replacement, line)
            absent = missing_elements(line) + [name for name in INPUTS if name in line and not os.path.exists(name)]
            if absent:
                print(f"--- left out, {', '.join(absent)} missing: {line}")
                continue
            for name in results_of(line):
                if os.path.exists(name):
                    os.remove(name)
            results.append(run(line, line))
        if "GI_TYPELIB_PATH" in os.environ and importlib.util.find_spec("gi"):
            for program in blocks(text, "python"):
                results.append(run([sys.executable, "-c", program], program,
                                   r"\d+ (components, threshold \d+\n1|contours, threshold \d+\n0) "
                                   r"|level \d+: \d+ contours around [1-9]\d* pixels\n"
                                   r"|[1-9]\d* bytes of codes, [1-9]\d* of points\n"
                                   r"|object \d+: [1-9]\d* pixels of [\d.]+ ± [\d.]+ in "
                                   r"|object \d+: [1-9]\d* voxels\n"
                                   r"|[1-9]\d* contours in [1-9]\d* bytes from cudaborders0\n"
                                   r"|[\d.]+ to [\d.]+\n"
                                   r"|\d+ [\d.]+ mm from "
                                   r"|moved by \d+ in iteration \d+: criterion -?\d"))
        else:
            print("--- left out, no GObject Introspection: the Python programs")
        results += compile_pieces(text)
    print(f"{len(results)} examples ran, {results.count(False)} failed")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), [os.path.abspath(path) for path in sys.argv[2:]]))
