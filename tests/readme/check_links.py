#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the documents' links lead somewhere? Files, pictures, and headings within documents. Arguments: the documents."""
import os
import re
import sys
import urllib.parse


def read_prose(path):
    """Without what stands in blocks of code."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.MULTILINE | re.DOTALL)


def anchors_of(path):
    """As GitHub and GitLab make them of headings."""
    headings = re.findall(r"^#+ +(.*?) *$", read_prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problem_of(document, link):
    path, _, anchor = urllib.parse.unquote(link).partition("#")
    target = os.path.join(os.path.dirname(document), path) if path else document
    if not os.path.exists(target):
        return "no such file"
    if anchor and anchor not in anchors_of(target):
        return "no such heading"
    return None


def main(documents):
    links = [(document, link) for document in documents
             for link in re.findall(r"\]\(([^)\s]+)\)", read_prose(document)) if "://" not in link]
    problems = [(document, link, problem_of(document, link)) for document, link in links]
    for document, link, problem in problems:
        if problem:
            print(f"{document}: {link}: {problem}")
    print(f"{len(links)} links in {len(documents)} documents")
    return not links or any(problem for _, _, problem in problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
