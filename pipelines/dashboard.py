#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows the live results of one or several cameras in a browser: dashboard.py [SOURCE]... [OPTION]...

SOURCE is an image or a video, a URI that GStreamer plays, such as rtsp://camera/stream, a device /dev/videoN, "camera" (the first
one), "aravis" or "aravis:NAME" (GigE Vision, USB3 Vision), or "scene:NAME", a generated scene; the default is scene:parts.
Parts are bright on a dark background, or dark on a bright one with --dark. Films begin again when they end.

  pipelines/dashboard.py --area=2000: --holes=1:2 /dev/video0 rtsp://camera/stream
  pipelines/dashboard.py --password-file=password.txt        # settings may be changed in the browser
  pipelines/dashboard.py --mqtt=broker:1883 --topic='line/+/parts'

docs/dashboard.md explains the page.
"""
import argparse
import os
import shutil
import subprocess
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(FOLDER)
sys.path.insert(0, FOLDER)

from dashboard import limits as limits_module
from dashboard.access import Access, part_of, read_password, tls_context
from dashboard.settings import LARGEST_THRESHOLD, MODES, Settings

SHORT_LIMITS = ("area", "perimeter", "width", "height", "holes")
CHARTS = "/usr/share/javascript/chart.js/chart.min.js"
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(2, message)


def fail(status, sentence):
    print(f"dashboard.py: {sentence}", file=sys.stderr)
    sys.exit(status)


def threshold(text):
    mode, _, value = text.partition(":")
    if mode.isdigit() and not value:
        mode, value = "fixed", mode
    if mode not in MODES or (value and not value.isdigit()) or int(value or 0) > LARGEST_THRESHOLD:
        raise argparse.ArgumentTypeError(f"takes a number up to {LARGEST_THRESHOLD}, or one of {', '.join(MODES)}, also with a "
                                         f"number as in hysteresis:90, not '{text}'")
    return mode, int(value or 128)


def address(text):
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"takes HOST:PORT, not '{text}'")
    return host, int(port)


def assignment(text):
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"takes PROPERTY=VALUE, not '{text}'")
    return name, value


def number(low, high):
    def parse(text):
        if not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"takes a whole number from {low} to {high}, not '{text}'")
        return int(text)
    return parse


def parse_options(arguments):
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
                    usage="dashboard.py [SOURCE]... [OPTION]...")
    parser.add_argument("sources", nargs="*", metavar="SOURCE")
    parts = parser.add_argument_group("parts")
    for name in SHORT_LIMITS:
        parts.add_argument(f"--{name}", metavar="MIN:MAX", help="tolerance; MIN or MAX may be missing" if name == "area" else None)
    parts.add_argument("--select", default="", metavar="LIST",
                       help='tolerances of any measure, such as "circularity:0.8:, feret-max::120"')
    parts.add_argument("--ignore", type=number(0, 1 << 30), default=100, metavar="PIXELS",
                       help="ignores parts and holes with a smaller area (%(default)s)")
    parts.add_argument("--whole", action="store_true", help="ignores parts that touch the border of the frame")
    parts.add_argument("--bright", dest="invert", action="store_false", default=False, help="parts are bright (default)")
    parts.add_argument("--dark", dest="invert", action="store_true", help="parts are dark; the last of both options counts")
    parts.add_argument("--threshold", type=threshold, default=("otsu", 128), metavar="MODE[:VALUE]",
                       help=f"a number, or one of {', '.join(MODES)} (otsu)")
    parts.add_argument("--region", default="", metavar="X,Y,W,H[;...]", help="inspects these rectangles and polygons only")
    parts.add_argument("--set", type=assignment, action="append", default=[], metavar="PROPERTY=VALUE",
                       help="another property of cudaborders, such as split-touching=3")
    page = parser.add_argument_group("page")
    page.add_argument("--port", type=number(0, 65535), default=8080, help="of the web server; 0: any that is free (%(default)s)")
    page.add_argument("--bind", default="127.0.0.1", metavar="ADDRESS", help="address of the web server (%(default)s)")
    page.add_argument("--host-name", action="append", default=[], metavar="NAME", help="another name that browsers use for this server")
    page.add_argument("--tls-cert", metavar="FILE", help="certificate for https, PEM")
    page.add_argument("--tls-key", metavar="FILE", help="its key, PEM")
    page.add_argument("--password-file", metavar="FILE",
                      help="its first line is the password for changes; else that of the environment, DASHBOARD_PASSWORD; without "
                           "one the page is read-only")
    page.add_argument("--title", default="Inspection", help="heading of the page (%(default)s)")
    page.add_argument("--picture-rate", type=number(1, 60), default=10, metavar="N", help="pictures per second at most (%(default)s)")
    page.add_argument("--picture-width", type=number(64, 7680), default=960, metavar="PIXELS", help="of pictures at most (%(default)s)")
    page.add_argument("--fast", action="store_true", help="plays films as fast as they are analysed, not at their own rate")
    feed = parser.add_argument_group("results by MQTT in place of sources")
    feed.add_argument("--mqtt", type=address, metavar="HOST:PORT", help="broker; its messages are NDJSON, as contourexport writes it")
    feed.add_argument("--topic", metavar="TOPIC", help="each topic that matches is a camera")
    feed.add_argument("--mqtt-user", metavar="NAME")
    feed.add_argument("--mqtt-password-file", metavar="FILE")
    feed.add_argument("--mqtt-ca", metavar="FILE", help="certificates of authorities, PEM: connects by TLS")
    feed.add_argument("--picture-url", action="append", default=[], metavar="URL", help="picture of the first topic, of the second, …")
    options = parser.parse_intermixed_args(arguments)
    try:
        check_options(options)
    except (OSError, ValueError) as problem:
        fail(2, problem)
    return options


def check_options(options):
    if bool(options.mqtt) != bool(options.topic):
        raise ValueError("--mqtt and --topic belong together: give both")
    if options.mqtt and options.sources:
        raise ValueError(f"--mqtt takes no sources, such as {options.sources[0]}")
    if bool(options.tls_cert) != bool(options.tls_key):
        raise ValueError("--tls-cert and --tls-key belong together: give both")
    if wrong := next((url for url in options.picture_url if part_of(url, "scheme") not in ("http", "https")), None):
        raise ValueError(f"--picture-url takes a URL that begins with http:// or https://, not '{wrong}'")
    options.tls = tls_context(options.tls_cert, options.tls_key) if options.tls_cert else None
    options.limits = limits_module.parse_limits(options.select)
    for name in SHORT_LIMITS:
        if text := getattr(options, name):
            options.limits.append(limits_module.parse_range(name, text))
    limits_module.check_limits(options.limits)
    options.password = read_password(options.password_file, os.environ)
    options.mqtt_password = None
    if options.mqtt_password_file:
        with open(options.mqtt_password_file, encoding="utf-8") as file:
            options.mqtt_password = file.readline().rstrip("\r\n")
    if not options.mqtt and not options.sources:
        options.sources = [""]
        if not options.limits:  # as count-parts.sh has it
            options.limits, options.whole = [limits_module.new_limit("holes", 1, 2)], True


def run_helper(*arguments, **how):
    """Runs dashboard/sources.sh, whose messages begin with the name of this command."""
    script = os.path.join(FOLDER, "dashboard", "sources.sh")
    done = subprocess.run(["bash", "-c", 'script=$1 && shift && . "$script"', "dashboard.py", script, *arguments], text=True,
                          check=False, **how)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def find_scene():
    """The program that generates scenes, of the build that the plugin is from."""
    places = [os.path.join(path, "..", "..") for path in os.environ.get("GST_PLUGIN_PATH", "").split(":") if path]
    names = [os.path.normpath(os.path.join(place, "pipelines", "scene")) for place in [*places, os.path.join(ROOT, "build")]]
    return next((name for name in names if os.access(name, os.X_OK)), None)


def has_plugin():
    return (shutil.which("gst-inspect-1.0") and subprocess.run(["gst-inspect-1.0", "contourextract"], stdout=subprocess.DEVNULL,
                                                                stderr=subprocess.DEVNULL, check=False).returncode == 0)


def has_modules(*names):
    return subprocess.run([sys.executable, "-c", "\n".join(names)], stderr=subprocess.DEVNULL, check=False).returncode == 0


def prepare(options):
    """Installs and builds what is missing. A plugin that GStreamer finds, as in a "meson devenv", is used as it is."""
    if options.mqtt:
        if not has_modules("import aiohttp", "import paho.mqtt.client") or not os.path.exists(CHARTS):
            run_helper("packages", "python3-aiohttp", "libjs-chart.js", "python3-paho-mqtt")
        return
    complete = has_modules("import aiohttp", "import gi", "gi.require_version('GstVideo', '1.0')") and os.path.exists(CHARTS)
    generated = any(source == "" or source.startswith("scene:") for source in options.sources)
    if not complete or not has_plugin() or (generated and not find_scene()):
        run_helper("build")
        os.environ["GST_PLUGIN_PATH"] = os.path.join(ROOT, "build", "gst", "elements") + (
            f":{os.environ['GST_PLUGIN_PATH']}" if os.environ.get("GST_PLUGIN_PATH") else "")
        os.environ["GST_REGISTRY"] = os.path.join(ROOT, "build", "demo-registry.bin")


def describe_sources(options):
    """Kind, name and elements of each source."""
    lines = run_helper("describe", os.getcwd(), *options.sources, stdout=subprocess.PIPE).splitlines()
    return [line.split("\t") for line in lines]


def announce(options, port):
    scheme = "https" if options.tls_cert else "http"
    host = f"[{options.bind}]" if ":" in options.bind else options.bind
    print(f"Dashboard: {scheme}://{host}:{port}/", flush=True)
    if options.bind not in LOOPBACK and not options.tls_cert:
        print(f"Everyone who reaches {options.bind} can see the pictures, and passwords are sent unencrypted: give --tls-cert and "
              "--tls-key, or put a server with TLS in front.", file=sys.stderr, flush=True)
    if options.password is None:
        print("There is no password, so the page is read-only.", flush=True)


def main(arguments):
    options = parse_options(arguments)
    prepare(options)
    sources = [] if options.mqtt else describe_sources(options)
    from dashboard.run import serve  # it needs what has been installed just now

    settings = Settings(*options.threshold, options.invert, options.region, options.limits,
                        [("min-area", str(options.ignore)), ("clear-border", str(options.whole).lower()), *options.set])
    access = Access(options.password, options.host_name)
    try:
        return serve(options, sources, settings, access, find_scene(), lambda port: announce(options, port))
    except ValueError as problem:
        fail(2, problem)
    except OSError as problem:
        fail(1, f"the web server does not start: {problem.strerror or problem}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
