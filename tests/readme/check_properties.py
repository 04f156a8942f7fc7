#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does each element introduce itself in full, and is the table of properties on its page true? The table has exactly the
element's own properties, each with its type, range and default. What a property means is not compared.

Arguments: README.md, the folder of pages. Exit status 77 without gst-inspect-1.0.
"""
import os
import re
import shutil
import subprocess
import sys

INHERITED = {"name", "parent", "qos",  # from GStreamer's classes; docs/elements.md describes qos
             "async", "blocksize", "enable-last-sample", "last-sample", "max-bitrate", "max-lateness", "processing-deadline",
             "render-delay", "sync", "throttle-time", "ts-offset"}  # of sinks
NO_LIMIT = 2**31 - 1  # a range that ends here or later is open in the table
COLUMNS = "| property | type | default | meaning |"


def inspect(name):
    done = subprocess.run(["gst-inspect-1.0", name], capture_output=True, text=True, check=True, timeout=60,
                          env=os.environ | {"LC_ALL": "C.UTF-8"})
    return done.stdout


def describe_number(kind, low, high):
    return f"{kind}, {low:.15g} or more" if high >= NO_LIMIT else f"{kind}, {low:.15g} to {high:.15g}"


def describe(value):
    """Type and default as the table writes them, of what gst-inspect-1.0 says below a property's flags."""
    names = ", ".join(f"`{name}`" for name in re.findall(r"^ +\(\S+\): (\S+)", value, re.MULTILINE))
    if found := re.match(r'(?:Unsigned )?(Integer|Double)\S* Range: +(\S+) - +(\S+) Default: +(\S+)', value):
        kind = "integer" if found[1] == "Integer" else "number"
        return describe_number(kind, float(found[2]), float(found[3])), f"`{float(found[4]):.15g}`"
    if found := re.match(r'Boolean\. Default: (\w+)', value):
        return "boolean", f"`{found[1]}`"
    if found := re.match(r'String\. Default: (?:"(.*)"|null)', value):
        return "string", f"`{found[1]}`" if found[1] else "empty"
    if found := re.match(r'Enum "\w+" Default: -?\d+, "(.*)"', value):
        return "one of " + names, f"`{found[1]}`"
    if found := re.match(r'Flags "\w+" Default: \w+, "(.*)"', value):
        return "any of " + names, "none" if found[1] == "(none)" else f"`{found[1]}`"
    if 'Boxed pointer of type "GstStructure"' in value:
        return "structure", ""
    return value.strip(), ""


def properties_of(text):
    """Name, blurb, flags, type and default of each property in the output of gst-inspect-1.0."""
    listed = text.partition("Element Properties:\n")[2].partition("\nElement Signals")[0]
    for name, blurb, flags, value in re.findall(
            r"^  (\S+?) *: (.*)\n +flags: (.*)\n +(.*(?:\n {20}.*)*)", listed, re.MULTILINE):
        yield name, blurb, flags, *describe(value)


def parse_default(text):
    """Defaults compare as numbers, in any base, or as sets of flags."""
    text = text.strip("`")
    try:
        return float(int(text, 0)) if text.startswith("0x") else float(text)
    except ValueError:
        return frozenset(text.split("+"))


def rows_of(page):
    """Name, type and default of each row of the page's table of properties."""
    table = page.partition(COLUMNS + "\n")[2].partition("\n\n")[0]
    rows = []
    for line in table.splitlines()[1:]:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        rows.append((cells[0].strip("`"), cells[1], cells[2]))
    return rows


def problems_of_table(properties, rows):
    names = [name for name, _, _ in rows]
    for name in sorted(set(names) - {entry[0] for entry in properties}):
        yield f"the page's table has {name}, and the element has no such property"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"the page's table has {name} more than once"
    for name, _, _, kind, default in properties:
        row = next((row for row in rows if row[0] == name), None)
        if not row:
            yield f"{name} is not in the page's table"
            continue
        if row[1] != kind:
            yield f"{name}: the type is '{kind}', and the page says '{row[1]}'"
        if parse_default(row[2]) != parse_default(default):
            yield f"{name}: the default is {default}, and the page says {row[2]}"


def problems_of(element, readme, page):
    text = inspect(element)
    for field in "Long-name", "Klass", "Description", "Author":
        if not re.search(rf"^  {field} +\S", text, re.MULTILINE):
            yield f"no {field}"
    if not re.search(rf"^gst-launch-1\.0 (?:[^`]*! )?{element}\b", readme, re.MULTILINE):
        yield "no launch line in README.md"
    if f"(docs/{element}.md)" not in readme:
        yield "no link to its page in README.md"
    properties = [entry for entry in properties_of(text) if entry[0] not in INHERITED]
    if not properties:
        yield "no properties"
    for name, blurb, flags, _, _ in properties:
        if not re.match(r"\S.{7,}", blurb):
            yield f"{name}: what is it? '{blurb}'"
        if "writable" in flags and "changeable" not in flags:
            yield f"{name}: changeable when? {flags}"
    yield from problems_of_table(properties, rows_of(page))


def main(readme_path, pages):
    if not shutil.which("gst-inspect-1.0"):
        print("no gst-inspect-1.0 here")
        return 77
    with open(readme_path, encoding="utf-8") as file:
        readme = file.read()
    elements = re.findall(r"^  ([a-z0-9]+): ", inspect("cudacontours"), re.MULTILINE)
    wrong = [] if len(elements) >= 7 else [f"elements: {elements}"]
    if COLUMNS in readme:
        wrong.append("README.md has a table of properties: it belongs to the element's page")
    for element in elements:
        with open(os.path.join(pages, f"{element}.md"), encoding="utf-8") as file:
            wrong += [f"{element}: {problem}" for problem in problems_of(element, readme, file.read())]
    print("\n".join(wrong) or f"{len(elements)} elements as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
