# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of the tables of lists of contours: borders and cracks."""
import os

THREADS = len(os.sched_getaffinity(0))

# What a row shows: its label, the records it takes, and which of their times.
OURS = [
    ("ours, warm, minimum", ("ours", "warm"), "min_us"),
    ("ours, warm, median", ("ours", "warm"), "median_us"),
    ("ours, L2 flushed, median", ("ours", "flushed"), "median_us"),
    ("ours, buffers in turn, median", ("ours", "in-turn"), "median_us"),
    ("ours, host's time to queue it", ("ours", "queue"), "median_us"),
    ("ours, call to finished", ("ours", "run"), "median_us"),
    ("ours, finishing and fetching table and points", ("ours", "fetch"), "median_us"),
    ("ours, finishing and fetching points alone", ("ours", "fetch-points"), "median_us"),
    ("ours, finishing, packing and fetching codes", ("ours", "fetch-codes"), "median_us"),
    ("ours, all of it, image and lists in host memory", ("ours", "host-run"), "median_us"),
    ("ours, host backend, 1 thread", ("host", "host"), "median_us"),
    (f"ours, host backend, {THREADS} threads", ("host", "host-threads"), "median_us"),
]
DEVICE_MODES = ("warm", "flushed", "in-turn")
ROW_BYTES, POINT_BYTES, SUMS_BYTES, SHAPE_BYTES, SUBPIXEL_BYTES = 64, 4, 160, 144, 16


def ours_of(records):
    """Of the records of one work, the one that stands for us."""
    by_key = {(record["who"], record["mode"]): record for record in records}
    return by_key.get(("ours", "warm")) or by_key.get(("host", "host"))


def floor_us(record, copy_rate):
    """The mask read once, table, points, sums, shapes and subpixels written once."""
    size = (record["width"] * record["height"] + ROW_BYTES * record["contours"] + POINT_BYTES * record["points"]
            + (SUMS_BYTES * record["contours"] if (record.get("moments") or record.get("features") == "moments") else 0)
            + (SHAPE_BYTES * record["contours"] if record.get("features") in ("outlines", "shapes") else 0)
            + (SUBPIXEL_BYTES * record["points"] if record.get("subpixel") else 0))
    return size / copy_rate * 1e6


def differing(record):
    """What a peer finds otherwise."""
    if "contours" in record and "different" not in record:
        return f"{record['contours']} contours, {record['points']} points"
    return str(record.get("different", ""))
