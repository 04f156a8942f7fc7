# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which files there are: folders, files, globs and URIs become a sorted list."""
import functools
import os
import re
import urllib.parse
from typing import NamedTuple

from pyarrow import fs

PICTURES = {"bmp", "jpeg", "jpg", "pgm", "png", "pnm", "ppm", "tif", "tiff", "webp"}
VIDEOS = {"avi", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "ts", "webm", "wmv"}
BUCKETS = {"gs", "s3"}
WILDCARDS = re.compile(r"[*?\[]")


class File(NamedTuple):
    name: str  # an absolute path, or a URI without its query
    size: int  # bytes
    changed: int  # nanoseconds since 1970, 0 if unknown
    system: str = ""  # the URI that opens the file system, empty for this machine's

    @property
    def is_picture(self):
        return self.name.rpartition(".")[2].lower() in PICTURES

    @property
    def path(self):
        """In its file system."""
        return self.name.partition("://")[2] if self.system else self.name


class InputError(Exception):
    """An input that does not exist or cannot be read. Its text is for the user."""


@functools.lru_cache(maxsize=64)
def open_system(uri):
    """A file system by its URI; this machine's by an empty one."""
    return fs.FileSystem.from_uri(uri)[0] if uri else fs.LocalFileSystem()


def split_uri(text):
    """The URI of the file system of an input, and the path in it. The query of a URI, such as ?region=eu-central-1, is for the file
    system; what stands in the path is taken literally, blanks and percent signs, too."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return "", os.path.abspath(text)
    if scheme == "file":
        return "", os.path.abspath(urllib.parse.unquote(rest))
    if scheme not in BUCKETS:
        raise InputError(f"no way to read {text}: give a path, or a URI that begins with file://, s3:// or gs://")
    if "@" in rest.split("/")[0]:
        raise InputError(f"{scheme}:// takes no key in the URI, as it would be in all results: set AWS_ACCESS_KEY_ID and "
                         "AWS_SECRET_ACCESS_KEY, or what your bucket reads from the environment")
    path, mark, query = rest.rpartition("?") if re.search(r"\?\w+=", rest) else (rest, "", "")
    return f"{scheme}://{path.split('/')[0]}{mark}{query}", path.rstrip("/")


def compile_glob(pattern):
    """`*` and `?` stand for characters of one folder, `**` for any folders, `[...]` for one character."""
    text = ""
    for piece in re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", pattern, re.DOTALL):
        if piece == "**/":
            text += "(?:.*/)?"
        elif piece == "**":
            text += ".*"
        elif piece in "*?":
            text += "[^/]" + ("*" if piece == "*" else "")
        elif len(piece) > 1:
            text += piece.replace("[!", "[^")
        else:
            text += re.escape(piece)
    return re.compile(text, re.DOTALL)


def is_known(path):
    return path.rpartition(".")[2].lower() in PICTURES | VIDEOS


def find_below(system, folder):
    return [info for info in system.get_file_info(fs.FileSelector(folder, recursive=True)) if info.type == fs.FileType.File]


def find_one(text):
    """The files of one input, and how many others its folders hold."""
    uri, path = split_uri(text)
    try:
        system = open_system(uri)
        info = system.get_file_info(path)
        if info.type == fs.FileType.File:
            found, others = [info], 0
        elif info.type == fs.FileType.Directory:
            every = find_below(system, path)
            found = [entry for entry in every if is_known(entry.path)]
            others = len(every) - len(found)
        elif WILDCARDS.search(path):
            matches = compile_glob(path).fullmatch
            folder = WILDCARDS.split(path)[0].rpartition("/")[0] or "/"
            found, others = [entry for entry in find_below(system, folder) if matches(entry.path)], 0
        else:
            raise InputError(f"no such file or folder: {text}")
    except (OSError, ValueError) as problem:  # those of pyarrow, too
        raise InputError(f"{text} cannot be read: {problem}") from problem
    prefix = uri.partition("://")[0] + "://" if uri else ""
    return [File(prefix + entry.path, entry.size, entry.mtime_ns or 0, uri) for entry in found], others


def find_files(inputs):
    """All files of the inputs, each once, in the order of their names, and how many files of folders were left out because of
    their names. InputError where one is missing."""
    files, others = {}, 0
    for text in inputs:
        found, left = find_one(text)
        if not found:
            raise InputError(f"no pictures or videos in {text}")
        files.update((file.name, file) for file in found)
        others += left
    return [files[name] for name in sorted(files)], others
