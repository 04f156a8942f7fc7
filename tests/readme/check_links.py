#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the documents' links lead somewhere? Files, pictures, headings within documents, and the paths of sources that a
document names in backticks. Is every page in a folder of documents reached from the first document? Arguments: that one,
the other documents or folders of them.
"""
import glob
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


def links_of(document):
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", read_prose(document)) if "://" not in link]


def missing_sources(document, root):
    """The paths that look like the project's own and do not exist; with capitals in them they are patterns."""
    named = re.findall(r"`((?:core|cpu|cuda|docs|gst|include|pipelines|tests)/[\w./*-]*)`", read_prose(document))
    return [path for path in named if not re.search("[A-Z]{3}", path) and not glob.glob(os.path.join(root, path))]


def unreached(first, documents):
    """The documents to which no chain of links leads from the first one."""
    todo, seen = [first], {first}
    while todo:
        document = todo.pop()
        targets = {os.path.normpath(os.path.join(os.path.dirname(document), link.partition("#")[0])) for link in
                   links_of(document)}
        todo += [target for target in documents if target in targets - seen]
        seen |= targets
    return [document for document in documents if document not in seen]


def main(arguments):
    documents = []
    for argument in map(os.path.abspath, arguments):
        documents += sorted(glob.glob(f"{argument}/**/*.md", recursive=True)) if os.path.isdir(argument) else [argument]
    root = os.path.dirname(documents[0])
    links = [(document, link) for document in documents for link in links_of(document)]
    problems = [(document, link, problem_of(document, link)) for document, link in links]
    problems += [(document, path, "no such path") for document in documents for path in missing_sources(document, root)]
    problems += [(document, "", f"no link leads here from {documents[0]}") for document in
                 unreached(documents[0], documents) if f"{root}/docs/api/" not in document]
    for document, link, problem in problems:
        if problem:
            print(f"{document}: {link}: {problem}")
    print(f"{len(links)} links in {len(documents)} documents")
    return not links or any(problem for _, _, problem in problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
