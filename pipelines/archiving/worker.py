# SPDX-License-Identifier: LGPL-2.1-or-later
"""A worker: a process of Ray that analyses one task after the other, each a list of parts."""
import os
import platform
import time
from typing import NamedTuple

from gi.repository import GLib, Gst

from . import media, parts, store, tables


class Settings(NamedTuple):
    elements: str
    segment: float  # seconds, 0 for whole videos
    timeout: float  # seconds without a frame
    to: str


class Failure(NamedTuple):
    key: str  # of the part
    error: str
    retry: bool  # by another worker


class Outcome(NamedTuple):
    task: str  # as store.Store names it
    keys: list  # of the parts that are done
    failures: list
    frames: int
    seconds: float  # of the CPU


class Worker:
    def __init__(self, settings):
        Gst.init(None)
        self.settings = settings
        self.version = media.plugin_version()
        self.store = store.Store(settings.to)

    def check(self):
        """What is wrong with the elements here, why videos cannot be split, the version of the plugin, and where this is."""
        problem, reason = media.describe(self.settings.elements)
        return problem, reason, self.version, f"{platform.node()}, process {os.getpid()}"

    def split(self, file):
        """The parts of a video, or a Failure."""
        try:
            return parts.split_video(file, round(self.settings.segment * Gst.SECOND), self.settings.timeout)
        except (media.MediaError, GLib.Error, OSError) as problem:
            return Failure(parts.Part(file).key, str(problem), False)

    def analyse(self, task):
        started = time.process_time()
        name = parts.name_task(task)
        writer = store.TaskWriter(self.store, name, tables.SCHEMAS)
        done, failures, frames = [], [], 0
        try:
            for part in task:
                rows = tables.Tables(self.settings.elements, self.version)
                try:
                    count = self.read(part, rows, writer if len(task) == 1 else None)
                except (media.MediaError, GLib.Error, OSError) as problem:
                    retry = isinstance(problem, GLib.Error) or getattr(problem, "retry", False)
                    failures.append(Failure(part.key, getattr(problem, "message", str(problem)), retry))
                    continue
                self.write(rows, writer)
                done.append(part.key)
                frames += count
            if done:
                writer.commit(done)
            else:
                writer.abort()
        except BaseException:
            writer.abort()
            raise
        return Outcome(name, done, failures, frames, time.process_time() - started)

    def read(self, part, rows, writer):
        """Adds the frames of a part to the rows, and writes them in between if there is a writer. Returns their number."""
        count = 0
        for number, frame in parts.read_part(part, self.settings.elements, self.settings.timeout):
            rows.add_frame(part.file, number, frame)
            count += 1
            if writer and rows.bytes >= tables.FLUSH_BYTES:
                self.write(rows, writer)
        return count

    @staticmethod
    def write(rows, writer):
        for table, content in rows.flush().items():
            writer.write(table, content)
