#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the messages that docs/troubleshooting.md explains those of the sources? A message is a quoted first cell of a table;
what lies between its "…" must be in a string of the sources, in one piece. Arguments: the page, folders of sources.
"""
import os
import re
import sys

SUFFIXES = (".c", ".h", ".cu", ".cuh", ".sh")
SHORTEST = 8  # characters of a piece that is looked for


def read_strings(folders):
    """The text of all sources, with the pieces of each string joined, conversions as "…" and without line breaks."""
    text = ""
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    with open(os.path.join(parent, name), encoding="utf-8") as file:
                        text += file.read()
    text = re.sub(r'"\s*G_G\w+_FORMAT\s*"', "u", text)
    return re.sub(r'"\s*"', "", text).replace('\\"', '"').replace("%%", "%")


def messages_of(page):
    return re.findall(r'^\| "(.*?)" \|', page, re.MULTILINE)


def main(page_path, *folders):
    with open(page_path, encoding="utf-8") as file:
        messages = messages_of(file.read())
    strings = read_strings(folders)
    missing = [(message, piece.strip(' "')) for message in messages for piece in message.split("…")
               if len(piece.strip(' "')) >= SHORTEST and piece.strip(' "') not in strings]
    for message, piece in missing:
        print(f'"{message}": no source says "{piece}"')
    print(f"{len(messages)} messages, {len(missing)} pieces not found")
    return bool(missing) or len(messages) < 20


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
