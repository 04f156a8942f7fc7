#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is every element introduced in full? For each of the plugin: what gst-inspect-1.0 says of it and of its properties, its
section of README.md with a launch line and all properties, its page with all properties. Arguments: README.md, the folder of
pages. Exit status 77 without gst-inspect-1.0.
"""
import os
import re
import shutil
import subprocess
import sys

# Pages that are not called as their element.
PAGES = {"contourexport": "export-schema.md"}
# From GStreamer's own classes, which say nothing of states.
INHERITED = {"name", "parent", "qos"}


def inspect(name):
    done = subprocess.run(["gst-inspect-1.0", name], capture_output=True, text=True, check=True, timeout=60,
                          env=os.environ | {"LC_ALL": "C.UTF-8"})
    return done.stdout


def properties(text):
    """Name, text and flags of each."""
    listed = text.partition("Element Properties:\n")[2].partition("\nElement Signals")[0]
    return re.findall(r"^  (\S+) +: (.*)\n +flags: (.*)$", listed, re.MULTILINE)


def problems_of(element, readme, page):
    text = inspect(element)
    for field in "Long-name", "Klass", "Description", "Author":
        if not re.search(rf"^  {field} +\S", text, re.MULTILINE):
            yield f"no {field}"
    section = re.search(rf"^### {element}\n(.*?)(?=^##)", readme, re.MULTILINE | re.DOTALL)
    if not section:
        yield "no section in README.md"
        return
    if not re.search(rf"^gst-launch-1\.0 [^`]*! {element}\b", section[1], re.MULTILINE):
        yield "no launch line in its section of README.md"
    listed = properties(text)
    if len(listed) < 4:
        yield f"properties: {listed}"
    for name, blurb, flags in listed:
        if not re.match(r"\S.{7,}", blurb):
            yield f"{name}: what is it? '{blurb}'"
        if name in INHERITED:
            continue
        if "changeable" not in flags:
            yield f"{name}: changeable when? {flags}"
        for place, document in (("its section of README.md", section[1]), ("its page", page)):
            if f"`{name}`" not in document:
                yield f"{name} is not in {place}"


def main(readme_path, pages):
    if not shutil.which("gst-inspect-1.0"):
        print("no gst-inspect-1.0 here")
        return 77
    with open(readme_path, encoding="utf-8") as file:
        readme = file.read()
    elements = re.findall(r"^  ([a-z0-9]+): ", inspect("cudacontours"), re.MULTILINE)
    wrong = [] if len(elements) >= 7 else [f"elements: {elements}"]
    for element in elements:
        with open(os.path.join(pages, PAGES.get(element, f"{element}.md")), encoding="utf-8") as file:
            wrong += [f"{element}: {problem}" for problem in problems_of(element, readme, file.read())]
    print("\n".join(wrong) or f"{len(elements)} elements as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
