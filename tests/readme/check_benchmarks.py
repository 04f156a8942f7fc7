#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the measurements in docs/benchmarks complete, and is every number in the tables of docs/performance.md one of them?
A section of that page links its run; a number is compared as it is written there. Arguments: the page, the folder.
"""
import csv
import datetime
import glob
import os
import re
import sys

COLUMNS = ["date", "commit", "machine", "command", "benchmark", "case", "implementation", "metric", "unit", "value"]
UNITS = {"us", "ms", "Gpix/s", "TB/s", "frames/s", "lines/s", "%", "ratio", "count", "B"}


def problem_of_row(row, machines):
    if None in row or None in row.values() or not all(row.values()):
        return "a column is missing or empty"
    try:
        datetime.date.fromisoformat(row["date"])
        float(row["value"])
    except ValueError as error:
        return str(error)
    if not re.fullmatch("[0-9a-f]{7,40}", row["commit"]):
        return f"no commit: {row['commit']}"
    if row["unit"] not in UNITS:
        return f"unknown unit {row['unit']}"
    return None if row["machine"] in machines else f"protocol.md does not describe the machine {row['machine']}"


def read_run(path, machines):
    """Its rows, and what is wrong with them."""
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    problems = [] if reader.fieldnames == COLUMNS else [f"columns: {reader.fieldnames}"]
    for number, row in enumerate(rows, 2):
        if not problems and (problem := problem_of_row(row, machines)):
            problems.append(f"line {number}: {problem}")
    keys = [tuple(row.get(name) for name in COLUMNS[:-2]) for row in rows]
    problems += [f"twice: {key}" for key in sorted(set(keys)) if keys.count(key) > 1] if len(set(keys)) < len(keys) else []
    return rows, problems or ([] if rows else ["no rows"])


def numbers_of(section):
    """The numbers in its tables, without the first column, which names the case."""
    for line in section.splitlines():
        if line.startswith("| ") and "---" not in line:
            for cell in line.strip("|").split("|")[1:]:
                if re.fullmatch(r"[\d,]+(\.\d+)?", cell.strip()):
                    yield cell.strip().replace(",", "")


def main(page_path, folder):
    with open(os.path.join(folder, "protocol.md"), encoding="utf-8") as file:
        machines = re.findall(r"^\| `(\w+)` \|", file.read().partition("## Machines")[2].partition("\n## ")[0], re.MULTILINE)
    runs, wrong = {}, []
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        name = os.path.basename(path)
        runs[name], problems = read_run(path, machines)
        wrong += [f"{name}: {problem}" for problem in problems]
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    count = 0
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        linked = re.findall(r"\(benchmarks/([^)]+\.csv)\)", section)
        values = {row["value"] for name in linked for row in runs.get(name, [])}
        numbers = list(numbers_of(section))
        count += len(numbers)
        wrong += [f"{page_path}: {section.splitlines()[0]}: {number} is in none of {linked}" for number in numbers
                  if number not in values]
    print("\n".join(wrong) or f"{sum(map(len, runs.values()))} values in {len(runs)} runs, {count} numbers of the page")
    return bool(wrong) or not runs or count < 50


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
