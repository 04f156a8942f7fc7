# SPDX-License-Identifier: LGPL-2.1-or-later
"""The folder of results. Every task has a file of its own in frames/, components/ and contours/. It is written under another name and
renamed when it is complete, frames/ last: a task is done if, and only if, its file in frames/ is there. The footer of that file names
the parts that it holds, so a job that goes on knows what is done."""
import contextlib
import fcntl
import json
import os
import uuid
from concurrent.futures import ThreadPoolExecutor

from pyarrow import fs, parquet

from .inputs import InputError, open_system, split_uri

TABLES = ("contours", "components", "frames")  # in the order in which they are renamed
PARTS = b"gst-cuda-contours:parts"  # in the footer
READERS = 16


class StoreError(Exception):
    """A folder that cannot be used. Its text is for the user."""


@contextlib.contextmanager
def using(root, what):
    """Errors of the file system are for the user."""
    try:
        yield
    except OSError as problem:
        raise StoreError(f"cannot {what} {root}: {problem}") from problem


class Store:
    """The folder at a path or URI. Workers open it, too."""

    def __init__(self, where):
        try:
            self.uri, self.root = split_uri(where)
            self.system = open_system(self.uri)
        except InputError as problem:  # which says what to say of the URI
            raise StoreError(f"--to: {problem}") from problem
        except (OSError, ValueError) as problem:
            raise StoreError(f"--to {where}: {problem}") from problem
        self.where = where if self.uri else self.root  # for other processes
        self.lock = None

    def path(self, *names):
        return "/".join((self.root, *names))

    def temporary(self):
        return self.path(".tmp", uuid.uuid4().hex)

    def prepare(self):
        """Makes the folder, and sees to it that no other process works on it: on a shared file system, if that has locks."""
        try:
            for name in (*TABLES, ".tmp"):
                self.system.create_dir(self.path(name), recursive=True)
            if not self.uri:
                self.lock = open(self.path(".lock"), "w", encoding="utf-8")
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise StoreError(f"another archive.py writes to {self.root}") from problem
        except OSError as problem:
            raise StoreError(f"cannot write to {self.root}: {problem}") from problem

    def check_settings(self, settings, record=False):
        """The folder belongs to a job of the same settings, or to none yet; then they can be recorded."""
        before = self.read_json("settings.json")
        for name, value in settings.items():
            if before is not None and before.get(name) != value:
                raise StoreError(f"{self.root} was made with {name} {before.get(name)!r}, not {value!r}: choose another folder with --to")
        if before is None and record:
            self.write_json("settings.json", settings)

    def read_json(self, name):
        try:
            with (using(self.root, "read from"), contextlib.suppress(FileNotFoundError),
                  self.system.open_input_stream(self.path(name)) as stream):
                return json.loads(stream.read())
        except ValueError as problem:
            raise StoreError(f"{self.path(name)} is no JSON ({problem}): move it away, or choose another folder with --to") from problem
        return None

    def write_json(self, name, content):
        temporary = self.temporary()
        with using(self.root, "write to"):
            with self.system.open_output_stream(temporary) as stream:
                stream.write(json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8", "replace"))
            self.publish({temporary: self.path(name)})

    def publish(self, moves):
        """Gives files their names, in order. Their contents come first, also where the power fails."""
        for temporary in () if self.uri else moves:
            with open(temporary, "rb") as file:
                os.fsync(file.fileno())
        for temporary, path in moves.items():
            self.system.move(temporary, path)

    def list_tasks(self, table):
        found = self.system.get_file_info(fs.FileSelector(self.path(table), allow_not_found=True))
        return {os.path.basename(info.path)[:-len(".parquet")] for info in found if info.path.endswith(".parquet")}

    def read_parts(self, task):
        """The keys of the parts of a task that is done, each a list: name, size and change of the file, number and count."""
        path = self.path("frames", task + ".parquet")
        try:
            return json.loads(parquet.read_metadata(path, filesystem=self.system).metadata[PARTS])
        except (KeyError, TypeError, ValueError) as problem:  # the last one also of pyarrow
            raise StoreError(f"{path} is damaged, or not of this program: remove the files of this name from frames/, components/ and "
                             "contours/, and its pictures or videos are analysed again") from problem

    def clear(self):
        """Removes the files that killed workers have left half written. No worker may be writing."""
        if self.system.get_file_info(self.path(".tmp")).type == fs.FileType.Directory:
            self.system.delete_dir_contents(self.path(".tmp"))

    def scan(self):
        """Removes what was left half done. Returns the parts of each task that is done."""
        with using(self.root, "read from"):
            self.clear()
            done = self.list_tasks("frames")
            self.keep_only(done)
            with ThreadPoolExecutor(READERS) as pool:
                return dict(zip(sorted(done), pool.map(self.read_parts, sorted(done))))

    def keep_only(self, tasks):
        """Takes back what all others have written."""
        with using(self.root, "write to"):
            for task in set().union(*map(self.list_tasks, TABLES)) - tasks:
                self.remove(task)

    def remove(self, task):
        """Takes back what a task has written."""
        for table in reversed(TABLES):
            with contextlib.suppress(FileNotFoundError):
                self.system.delete_file(self.path(table, task + ".parquet"))


class TaskWriter:
    """Writes the tables of one task."""

    def __init__(self, store, task, schemas):
        self.store = store
        self.task = task
        self.schemas = schemas
        self.temporary = {name: store.temporary() for name in TABLES}
        self.writers = {}

    def write(self, table, rows):
        with using(self.store.root, "write to"):
            self._writer(table).write_table(rows)

    def _writer(self, table):
        if table not in self.writers:
            self.writers[table] = parquet.ParquetWriter(self.temporary[table], self.schemas[table], filesystem=self.store.system,
                                                        compression="zstd")
        return self.writers[table]

    def commit(self, keys):
        """The parts of these keys are done."""
        with using(self.store.root, "write to"):
            self._writer("frames").add_key_value_metadata({PARTS: json.dumps([json.loads(key) for key in keys]).encode()})
            for table in TABLES:
                self._writer(table).close()
            self.store.publish({self.temporary[table]: self.store.path(table, self.task + ".parquet") for table in TABLES})

    def abort(self):
        for table, writer in self.writers.items():
            with contextlib.suppress(OSError):
                writer.close()
                self.store.system.delete_file(self.temporary[table])
