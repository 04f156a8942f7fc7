# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which parts are done, and which have failed: from the folder of results at the start, then from what workers report."""
import collections
import json
import time

SAVE_SECONDS = 1  # between two versions of failed.json, which is written as a whole


class Ledger:
    """FILES are all of the job. With RETRY, failures of an earlier run are forgotten."""

    def __init__(self, store, files, retry):
        self.store = store
        self.current = {file.name: (file.size, file.changed) for file in files}
        self.done = collections.defaultdict(dict)  # of each file: the task of each (number, count)
        self.failed = collections.defaultdict(dict)  # likewise: the entry in failed.json
        self.saved = 0
        self.unsaved = False
        self.outside = set()  # files that are not of this job, whose rows went with those of a file that has changed
        for task, keys in store.scan().items():
            self.add_known(task, keys)
        for entry in store.read_json("failed.json") or []:
            name, size, changed, number, count = json.loads(entry["part"])
            if self.is_current(name, size, changed) and not (retry and name in self.current):
                self.failed[name][number, count] = entry
            else:
                self.unsaved = True

    def is_current(self, name, size, changed):
        """False of a file that has changed. Files that are not of this job stay as they are."""
        return self.current.get(name, (size, changed)) == (size, changed)

    def add_known(self, task, keys):
        """A task of an earlier run. It is taken back if a file has changed since, or if another task holds one of its parts, too."""
        if any(not self.is_current(*key[:3]) or tuple(key[3:]) in self.done[key[0]] for key in keys):
            self.store.remove(task)
            self.outside.update(key[0] for key in keys if key[0] not in self.current)
            return
        for name, _, _, number, count in keys:
            self.done[name][number, count] = task

    def is_known(self, part):
        """Is it done, or has it failed?"""
        place = part.number, part.count
        return place in self.done.get(part.file.name, ()) or place in self.failed.get(part.file.name, ())

    def is_complete(self, file):
        """Are all parts of it known, in whatever number of parts?"""
        known = set(self.done.get(file.name, ())) | set(self.failed.get(file.name, ()))
        return any(number == 0 and all((i, count) in known for i in range(count)) for number, count in known)

    def keep_only(self, parts):
        """The file of these parts has no others: what an earlier run knew of it as other parts is taken back."""
        name, count = parts[0].file.name, parts[0].count
        for place, task in list(self.done.get(name, {}).items()):
            if place[1] != count:
                self.store.remove(task)
                del self.done[name][place]
        for place in [place for place in self.failed.get(name, ()) if place[1] != count]:
            del self.failed[name][place]
            self.unsaved = True

    def add_done(self, task, keys):
        for name, _, _, number, count in map(json.loads, keys):
            self.done[name][number, count] = task

    def add_failure(self, key, error):
        name, _, _, number, count = json.loads(key)
        self.failed[name][number, count] = {"file": name, "segment": number, "segments": count, "error": error, "part": key}
        self.unsaved = True
        self.save(SAVE_SECONDS)

    def tidy(self):
        """Removes what no task of the ledger has written: a worker may die between its results and its answer."""
        self.store.clear()
        self.store.keep_only({task for places in self.done.values() for task in places.values()})

    def failures(self):
        """Those of the files of this job, in their order."""
        return [self.failed[name][place] for name in sorted(self.failed) if name in self.current for place in sorted(self.failed[name])]

    def save(self, pause=0):
        """Writes failed.json, unless that was less than PAUSE seconds ago."""
        if self.unsaved and time.monotonic() >= self.saved + pause:
            self.store.write_json("failed.json", [self.failed[name][place] for name in sorted(self.failed)
                                                  for place in sorted(self.failed[name])])
            self.saved, self.unsaved = time.monotonic(), False
