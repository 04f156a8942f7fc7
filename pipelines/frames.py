#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the frames of a pipeline by its messages: frames.py PATTERN LOG

Reads the messages from the standard input; each line that matches PATTERN is a frame. Shows the progress on a terminal,
and prints the number of frames and their rate at the end. All messages but those of "identity" go to LOG."""
import re
import signal
import sys
import time

SHOWN = re.compile("Analysing|WARNING")  # messages for the user


def main(pattern, path):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the pipeline ends this, too
    is_frame, terminal = re.compile(pattern).search, sys.stdout.isatty()
    frames, first, last, updated, shown, started = 0, 0, 0, 0, set(), time.monotonic()
    with open(path, "w", encoding="utf-8") as log:
        for line in sys.stdin:
            if SHOWN.match(line) and line not in shown:
                shown.add(line)
                print(line, end="", flush=True)
            if "last-message = " not in line:
                log.write(line)
            if not is_frame(line):
                continue
            frames, last = frames + 1, time.monotonic()
            first = first or last
            if terminal and frames > 1 and last >= updated + 0.5:
                print(f"\r{frames} frames, {(frames - 1) / (last - first):.0f} frames/s\033[K", end="", flush=True)
                updated = last
        if terminal and updated:
            print("\r\033[K", end="")
        summary = (f"{frames} frames in {last - first:.2f} s: {(frames - 1) / max(last - first, 1e-6):.0f} frames/s"
                   if frames > 1 else f"1 frame, {last - started:.2f} s after the start" if frames else "0 frames")
        print(summary)
        log.write(summary + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
