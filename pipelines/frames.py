#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""frames.py PATTERN LOG: reads what a pipeline prints and counts its frames, the lines that match PATTERN. Says how it
goes on a terminal, and at the end how many frames there were and how fast they came. What else is printed goes to LOG."""
import re
import signal
import sys
import time

TOLD = re.compile("Analysing|WARNING")  # what the user should see at once


def main(pattern, path):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pipeline's: it ends in order, and so does this
    is_frame, terminal = re.compile(pattern).search, sys.stdout.isatty()
    frames, first, last, told, said, started = 0, 0, 0, 0, set(), time.monotonic()
    with open(path, "w", encoding="utf-8") as log:
        for line in sys.stdin:
            if TOLD.match(line) and line not in said:
                said.add(line)
                print(line, end="", flush=True)
            if "last-message = " not in line:
                log.write(line)
            if not is_frame(line):
                continue
            frames, last = frames + 1, time.monotonic()
            first = first or last
            if terminal and frames > 1 and last >= told + 0.5:
                print(f"\r{frames} frames, {(frames - 1) / (last - first):.0f} frames/s\033[K", end="", flush=True)
                told = last
        if terminal and told:
            print("\r\033[K", end="")
        summary = (f"{frames} frames in {last - first:.2f} s: {(frames - 1) / max(last - first, 1e-6):.0f} frames/s"
                   if frames > 1 else f"1 frame, {last - started:.2f} s after the start" if frames else "0 frames")
        print(summary)
        log.write(summary + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
