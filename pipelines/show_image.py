#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows an image in the terminal: show_image.py FILE.ppm

Each character shows two pixels, the upper one in the foreground colour and the lower one in the background colour."""
import shutil
import sys


def read_ppm(path):
    """Returns width, height and samples of a binary PPM file, as pnmenc writes it: with comments before the numbers."""
    with open(path, "rb") as file:
        words = []
        while len(words) < 4:
            line = file.readline()
            if not line.startswith(b"#"):
                words += line.split()
        return int(words[1]), int(words[2]), file.read()


def main(path):
    width, height, pixels = read_ppm(path)
    terminal = shutil.get_terminal_size()
    columns = min(terminal.columns, width)
    rows = max(1, round(columns * height / width / 2))
    if rows > terminal.lines - 4:
        columns, rows = max(1, columns * (terminal.lines - 4) // rows), max(1, terminal.lines - 4)

    def mean(column, row):
        """Returns the mean colour of half a character, of up to 6 x 6 of its pixels."""
        left, right = column * width // columns, max((column + 1) * width // columns, column * width // columns + 1)
        top, bottom = row * height // (2 * rows), max((row + 1) * height // (2 * rows), row * height // (2 * rows) + 1)
        places = [3 * (y * width + x) for y in range(top, bottom, (bottom - top) // 6 + 1)
                  for x in range(left, right, (right - left) // 6 + 1)]
        return ";".join(str(sum(pixels[place + channel] for place in places) // len(places)) for channel in range(3))

    for row in range(rows):
        print("".join(f"\033[38;2;{mean(column, 2 * row)}m\033[48;2;{mean(column, 2 * row + 1)}m▀"
                      for column in range(columns)) + "\033[0m")


if __name__ == "__main__":
    main(sys.argv[1])
