# SPDX-License-Identifier: LGPL-2.1-or-later
"""Limits, verdicts, histograms, failures, passwords and arguments of the dashboard, without a pipeline."""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

from dashboard import ROOT

sys.path.insert(0, os.path.join(ROOT, "pipelines"))
del sys.modules["dashboard"]  # that of pipelines/ has the same name
from dashboard import access, limits, record, settings


def refuses(sentence, function, *arguments):
    try:
        function(*arguments)
    except ValueError as problem:
        assert sentence in str(problem), problem
    else:
        raise AssertionError(f"{arguments} were accepted")


def contour(number, area, box, hole=False, parent=None, **more):
    return {"id": number, "hole": hole, "parent": parent, "area": area, "perimeter": 40.0,
            **dict(zip("xywh", box)), **more}


def line(contours, frame=0):
    return json.dumps({"schema": "gst-cuda-contours/1", "frame": frame, "pts": 40, "source": "finder", "threshold": 9, "count": len(contours),
                       "resolution": {"width": 100, "height": 80}, "contours": contours})


def check_limits():
    assert limits.parse_range("area", "5:7") == limits.Limit("area", 5, 7)
    assert limits.parse_range("area", "5:") == limits.Limit("area", 5, math.inf)
    assert limits.parse_range("area", ":7") == limits.Limit("area", -math.inf, 7)
    assert limits.parse_range("holes", "2") == limits.Limit("holes", 2, 2)
    assert limits.parse_limits("circularity:0.8:, feret-max::120") == [limits.Limit("circularity", 0.8), limits.Limit("feret-max", high=120)]
    refuses("takes MIN:MAX", limits.parse_range, "area", "large")
    refuses("neither", limits.parse_range, "area", ":")
    refuses("above its maximum", limits.parse_range, "area", "7:5")
    refuses("not a number", limits.new_limit, "area", float("nan"), None)
    refuses("not a number", limits.new_limit, "area", True, None)
    refuses("not a number", limits.new_limit, "area", 10**400, None)
    refuses("no measure is called 'size'", limits.parse_limits, "size:1:2")
    refuses("two limits", limits.check_limits, limits.parse_limits("area:1:, area::2"))
    refuses("too many", limits.check_limits, limits.parse_limits(", ".join(f"{name}:1:" for name in list(limits.MEASURES)[:17])))
    assert limits.features_for(["area", "circularity", "feret-max"]) == "feret+hull"
    assert limits.features_for(["area"]) == "none"


def check_verdicts():
    text = line([contour(0, 100, (0, 0, 10, 10)), contour(1, 30, (2, 2, 5, 5), True, 0), contour(2, 8, (50, 50, 4, 2), circularity=None)])
    frame = limits.evaluate(text, limits.parse_limits("area:70:, holes:1:1, width:4:9"))
    assert (frame.number, frame.pts, frame.size, frame.threshold) == (0, 40, (100, 80), 9)
    assert [(part.number, part.box, part.values["area"], part.values["holes"]) for part in frame.parts] == [
        (1, (0, 0, 10, 10), 70, 1), (2, (50, 50, 4, 2), 8, 0)]
    assert [part.reasons for part in frame.parts] == [("width above 9",), ("area below 70", "holes below 1")]
    assert frame.failed == 2
    assert limits.evaluate(text, limits.parse_limits("circularity:0:")).parts[1].reasons == ("circularity undefined",)
    components = json.dumps({"frame": 3, "resolution": None, "components": [{"label": 1, "area": 5, "x": 1, "y": 2, "w": 3, "h": 4, "mean": 9.5}]})
    part, = limits.evaluate(components, [limits.new_limit("mean", 9, 10)]).parts
    assert part.values["mean"] == 9.5 and part.box == (1, 2, 3, 4) and not part.reasons
    assert limits.evaluate('{"frame": 1, "source": null}', []).parts == []
    good = {"id": 0, "hole": False, "parent": None, "area": 9, "perimeter": 9, "x": 1, "y": 1, "w": 3, "h": 3}
    for wrong in ({"frame": "1"}, {"frame": -1}, {"frame": True}, {"frame": 1.5}, {"epoch": 5}, {"source": []}, {"threshold": "x"},
                  {"resolution": {"width": "9", "height": 9}}, {"resolution": {"width": 0, "height": 9}}, {"contours": [good | {"area": "9"}]},
                  {"contours": [good | {"perimeter": math.nan}]}, {"contours": [good | {"area": 10**400}]}, {"contours": [good | {"x": None}]}):
        limits.evaluate(json.dumps({"frame": 1, "contours": [good]}), [])
        refuses("", limits.evaluate, json.dumps({"frame": 1, "contours": [good]} | wrong), [])
    for text in "", "[]", "{", '{"frame": 1, "contours": 5}', '{"contours": []}', '{"frame": 1, "components": [{"area": 1}]}', "[" * 100000:
        refuses("", limits.evaluate, text, [])


def check_histograms():
    found = record.histogram([(value, value != 3) for value in (0, 1, 1, 3)])
    assert found == {"edges": [0, 1, 2, 3, 4], "passed": [1, 2, 0, 0], "failed": [0, 0, 0, 1]}, found
    assert record.histogram([]) == {"edges": [], "passed": [], "failed": []}
    for values in [0.1, 0.2, 0.9], [5], [-3.5, 12000.25], [7, 7, 7]:
        found = record.histogram([(value, True) for value in values])
        edges = found["edges"]
        assert sum(found["passed"]) == len(values) and edges[0] <= min(values) and edges[-1] > max(values) - 1e-9, found
        assert len(edges) == len(found["passed"]) + 1 <= 60


def check_record():
    kept, wanted = record.Record("camera"), limits.parse_limits("holes:1:")
    bad = lambda x, frame: limits.evaluate(line([contour(0, 50, (x, 0, 10, 10)), contour(1, 90, (60, 0, 10, 10)), contour(2, 4, (62, 2, 3, 3), True, 1)],
                                                frame), wanted)
    (part, failure), = kept.add(bad(0, 0), 10)
    assert part.number == 1 and failure.reasons == ("holes below 1",)
    failure.picture = b"JPEG"
    assert kept.add(bad(2, 3), 10.1) == [], "the part has moved, and has its picture"
    assert failure.seen == 2 and kept.picture_of(failure.id) == b"JPEG" and kept.picture_of(99) is None
    assert len(kept.add(bad(40, 4), 10.2)) == 1, "another part"
    assert len(kept.add(bad(2, 5), 12)) == 1, "the first part again, after a while"
    assert kept.totals == {"frames": 4, "parts": 8, "failed": 4, "skipped": 2}
    kept.begin()
    kept.add(bad(2, 1), 12.1)
    assert kept.totals["skipped"] == 3, "frame 0 of the next stream did not come"
    shown = kept.snapshot("area")
    assert shown["frame"]["parts"] == 2 and shown["frame"]["failed"] == 1 and shown["frame"]["area"] == 50 + 86, shown
    assert sum(shown["histogram"]["passed"]) == sum(shown["histogram"]["failed"]) == 5
    assert [bucket[1:] for bucket in shown["series"]] == [[6, 3], [4, 2]]
    assert [failure["seen"] for failure in shown["failures"]] == [2, 1, 2]
    for number in range(100):
        kept.add(bad(2, number), 100 + 2 * number)
    time.sleep(0.01)
    (_, anew), = record.Record("camera").add(bad(0, 0), 10)
    assert anew.id > failure.id, "another run has the numbers of this one"
    assert len(kept.failures) == record.MAX_FAILURES and len(kept.buckets) <= record.BUCKETS
    json.dumps(kept.snapshot("circularity"))


def check_streams():
    """Brokers deliver messages again, and an element for each analyser writes a line of a frame."""
    def add(number, epoch=None, source="finder"):
        text = json.dumps({"frame": number, "source": source, "epoch": epoch, "components": [{"area": 9, "x": 0, "y": 0, "w": 3, "h": 3}]})
        kept.add(limits.evaluate(text, []), 10)
        return kept.totals["frames"], kept.totals["skipped"], kept.totals["parts"]

    kept = record.Record("topic")
    assert add(5000) == (1, 0, 1), "the first message may have any number"
    assert add(5000, source="other") == (1, 0, 2), "the same frame"
    assert add(5003) == (2, 2, 3) and add(5003, source="other") == (2, 2, 4)
    assert add(1) == (3, 3, 5), "another stream"
    kept = record.Record("topic")
    assert [add(number, "first") for number in (7, 8, 9, 8, 9, 7)] == [(1, 0, 1), (2, 0, 2)] + [(3, 0, 3)] * 4, "what came again"
    assert add(10, "first") == (4, 0, 4) and add(2, "second") == (5, 2, 5)


def check_settings():
    old = settings.Settings(limits=limits.parse_limits("area:1:"))
    region = {"x": 1, "y": 2, "width": 3, "height": 4}
    new = settings.read_settings({"mode": "fixed", "threshold": 9, "invert": True, "region": region,
                                  "limits": [{"name": "holes", "low": None, "high": 2}]}, old, (4, 6))
    assert new.as_json() == {"mode": "fixed", "threshold": 9, "invert": True, "region": "1,2,3,4",
                             "limits": [{"name": "holes", "low": None, "high": 2}]}
    assert settings.read_settings({"region": None}, new, None).region == "" and old.region == ""
    for sentence, sent in {
            "no threshold mode": {"mode": "x"}, "whole number from 0": {"threshold": -1}, "'invert' is": {"invert": 1},
            "outside of the frame": {"region": region | {"x": 2}}, "whole numbers": {"region": region | {"y": 1.5}},
            "or none": {}, "fields other": {"select": ""}, "not a number": {"limits": [{"name": "area", "low": "1"}]}}.items():
        refuses(sentence, settings.read_settings, sent, old, (4, 6))
    refuses("no frame has come", settings.read_settings, {"region": region}, old, None)


def check_access():
    guard = access.Access("correct horse", ["Line3.example"])
    assert all(map(guard.host_allowed, ("127.0.0.1:8080", "[::1]:8080", "localhost", "LINE3.example:80")))
    assert not any(map(guard.host_allowed, ("attacker.example:8080", "", "127.0.0.1.example", "[", "[::1")))
    for _ in range(access.ATTEMPTS):
        assert guard.seconds_to_wait("a") == 0 and guard.log_in("wrong horse", "a") is None
    assert 0 < guard.seconds_to_wait("a") <= access.WINDOW_SECONDS and guard.seconds_to_wait("b") == 0
    assert guard.log_in("correct horse", "b")
    for number in range(access.ALL_ATTEMPTS):
        guard.log_in("x", str(number))
    assert guard.seconds_to_wait("c") > 0, "attempts from many addresses"
    assert access.Access(None).log_in("", "a") is None
    for number in range(2 * access.MAX_SESSIONS):
        guard.log_in("correct horse", "b")
    assert len(guard.sessions) == access.MAX_SESSIONS
    refuses("less than 8", access.read_password, None, {"DASHBOARD_PASSWORD": "short"})
    assert access.read_password(None, {}) is None


def check_arguments(folder):
    command = [sys.executable, os.path.join(ROOT, "pipelines", "dashboard.py")]
    environment = {key: value for key, value in os.environ.items() if key != "DASHBOARD_PASSWORD"}

    def complains(sentence, *arguments):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False, env=environment)
        assert done.returncode == 2 and sentence in done.stderr and done.stderr.count("\n") == 1, (arguments, done)
        assert done.stderr.startswith("dashboard.py: "), done

    complains("area takes MIN:MAX", "--area=large")
    complains("no measure is called 'size'", "--select=size:1:")
    complains("unrecognized arguments: --frobnicate", "--frobnicate")
    complains("--mqtt and --topic belong together", "--mqtt=broker:1883")
    complains("takes HOST:PORT", "--mqtt=broker", "--topic=a")
    complains("takes a number up to 65535", "--threshold=70000")
    complains("No such file", f"--password-file={folder}/absent")
    with open(f"{folder}/short", "w", encoding="utf-8") as file:
        file.write("1234567\n")
    complains("less than 8 characters", f"--password-file={folder}/short")
    complains(f"--tls-cert {folder}/absent and", f"--tls-cert={folder}/absent", f"--tls-key={folder}/key")
    complains(f"--tls-key {folder}/short cannot", f"--tls-cert={folder}/short", f"--tls-key={folder}/short")
    complains("begins with http", "--picture-url=javascript:alert()")
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "--password-file" in done.stdout and not done.stderr, done


def check_sources(folder):
    """Names, which everyone sees, are without passwords. The folder of the program may have any name."""
    script = os.path.join(ROOT, "pipelines", "dashboard", "sources.sh")
    names = {"rtsp://admin:secret@camera": "camera", "rtsp://admin:s@c?ret@camera:554/": "camera_554", "rtsp://camera/a@b?x=1": "a_b"}
    done = subprocess.run(["bash", script, "describe", "/", *names], capture_output=True, text=True, timeout=60, check=True)
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == list(names.values()), done
    place = f"{folder}/a $(touch {folder}/injected) \"b"
    os.makedirs(place)
    os.symlink(os.path.join(ROOT, "pipelines", "dashboard"), f"{place}/dashboard")
    code = (f"import runpy; names = runpy.run_path({os.path.join(ROOT, 'pipelines', 'dashboard.py')!r}); helper = names['run_helper'];"
            f"helper.__globals__['FOLDER'] = {place!r}; helper('describe', '/', 'scene:none')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and done.stderr.startswith("dashboard.py: no scene 'none'"), done
    assert not os.path.exists(f"{folder}/injected")


check_limits()
check_verdicts()
check_histograms()
check_record()
check_streams()
check_settings()
check_access()
with tempfile.TemporaryDirectory() as place:
    check_arguments(place)
    check_sources(place)
print("limits, verdicts, histograms, failures, settings, passwords and arguments are as they should be")
