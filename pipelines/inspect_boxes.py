#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Example application that knows nothing of this project: checks the size of each object, from standard metadata.

PIPELINE, in the syntax of gst-launch-1.0, ends with an element that attaches regions of interest or detections; the default
is a test source and cudacca. For each object the application prints its type, number, box, area if it is known, and PASS
or FAIL. The exit status is 0 if all objects pass, 1 if one fails or there is none, 2 if the pipeline fails.
inspect_boxes.c is the same in C.
"""
import argparse
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo

try:  # GStreamer 1.24 and newer
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GstAnalytics
except (ImportError, ValueError):
    GstAnalytics = None

TEST_PIPELINE = ("videotestsrc pattern=ball num-buffers=3 ! video/x-raw,width=640,height=480"
                 " ! cudacca attach-as=roi")
LARGEST_ID = 65535  # Python finds regions by their id only


def limit(text):
    """MIN:MAX, where one of both may be missing."""
    try:
        low, high = text.split(":")
        found = float(low or 0), float(high or "inf")
    except ValueError:
        found = 1, 0
    if found[0] > found[1]:
        raise argparse.ArgumentTypeError(f"takes MIN:MAX, MIN: or :MAX, not '{text}'")
    return found


def regions_of(frame):
    """Type, number, box and area of each region of interest."""
    left = frame.get_n_meta(GstVideo.video_region_of_interest_meta_api_get_type())
    for number in range(LARGEST_ID + 1):
        if left == 0:
            break
        if region := GstVideo.buffer_get_video_region_of_interest_meta_id(frame, number):
            left -= 1
            detection = region.get_param("detection")
            known, area = detection.get_double("area") if detection else (False, 0)
            yield (GLib.quark_to_string(region.roi_type), number, region.x, region.y, region.w, region.h,
                   area if known else None)


def detections_of(frame):
    """Likewise of each detection, whose area is not known."""
    meta = GstAnalytics and GstAnalytics.buffer_get_analytics_relation_meta(frame)
    for number in range(GstAnalytics.relation_get_length(meta) if meta else 0):
        found, detection = meta.get_od_mtd(number)
        if found:
            _, x, y, width, height, _ = detection.get_location()
            yield GLib.quark_to_string(detection.get_obj_type()), number, x, y, width, height, None


parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--width", type=limit, default=(0, float("inf")), metavar="MIN:MAX")
parser.add_argument("--height", type=limit, default=(0, float("inf")), metavar="MIN:MAX")
parser.add_argument("pipeline", nargs="?", default=TEST_PIPELINE, metavar="PIPELINE")
options = parser.parse_args()

Gst.init(None)
try:
    pipeline = Gst.parse_launch(f"{options.pipeline} ! appsink name=end sync=false max-buffers=4")
except GLib.Error as problem:
    print(problem.message, file=sys.stderr)
    sys.exit(2)
end = pipeline.get_by_name("end")
running = pipeline.set_state(Gst.State.PLAYING) != Gst.StateChangeReturn.FAILURE
passed = failed = 0
while running and (sample := end.emit("pull-sample")):
    print(f"{sample.get_buffer().pts / Gst.SECOND:.3f} s")
    objects = list(regions_of(sample.get_buffer())) or detections_of(sample.get_buffer())
    for kind, number, x, y, width, height, area in objects:
        passes = (options.width[0] <= width <= options.width[1] and options.height[0] <= height <= options.height[1])
        print(f"{kind or 'object'} {number}: {width} x {height} at {x}, {y}"
              f"{'' if area is None else f', area {area:g}'} {'PASS' if passes else 'FAIL'}")
        passed += passes
        failed += not passes
error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
if error:
    print(error.parse_error().gerror.message, file=sys.stderr)
    sys.exit(2)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
