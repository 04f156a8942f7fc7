# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hands tasks to workers, actors of Ray, and starts new ones in place of those that die."""
import collections
import time
from typing import NamedTuple

import ray
from ray.exceptions import RayError, RayTaskError

from .parts import Part
from .store import StoreError
from .worker import Failure, Worker

ATTEMPTS = 3  # of a part whose worker dies
START_FAILURES = 3  # of workers, with none that starts between them
BATCH_BYTES = 64 << 20
LOOK = 1  # seconds between looks at workers that do not answer
WAIT_NOTICE = 30  # seconds without any worker before a word is said


class ClusterError(Exception):
    """No worker can work. WRONG_USAGE: because of the settings. Its text is for the user."""

    def __init__(self, text, wrong_usage=False):
        super().__init__(text)
        self.wrong_usage = wrong_usage


class Task(NamedTuple):
    parts: list
    attempts: int = 0
    is_plan: bool = False  # of a video that is to be split


def make_tasks(files, size):
    """Tasks of up to SIZE pictures. A video is alone, and so is a picture of more than BATCH_BYTES."""
    batch, weight = [], 0
    for file in files:
        if not file.is_picture:
            yield Task([Part(file)], is_plan=True)
            continue
        if batch and (len(batch) == size or weight + file.size > BATCH_BYTES):
            yield Task(batch)
            batch, weight = [], 0
        batch.append(Part(file))
        weight += file.size
    if batch:
        yield Task(batch)


class Job:
    """Analyses what LEDGER does not know of FILES. SHOW has the methods add(parts), advance(parts, frames) and say(text)."""

    def __init__(self, settings, ledger, files, batch, show):
        self.settings, self.ledger, self.show = settings, ledger, show
        self.make_worker, self.wanted = None, 0
        self.queue = collections.deque()
        # Videos first: to split one takes a worker, and the others can do pictures meanwhile.
        for task in make_tasks(sorted(files, key=lambda file: file.is_picture), batch):
            todo = [part for part in task.parts if not ledger.is_complete(part.file)]
            show.advance(len(task.parts) - len(todo), 0)
            if todo:
                self.queue.append(task._replace(parts=todo))
        self.calls = {}  # the worker and the task of each answer that is awaited; no task: the worker is starting
        self.idle = []
        self.version = None
        self.start_failures = 0
        self.frames, self.seconds, self.deaths = 0, 0.0, 0

    def run(self, workers, resources):
        """Until there is nothing left to do. RESOURCES are those of a worker, as ray.remote() takes them."""
        self.make_worker = ray.remote(max_restarts=0, max_task_retries=0, **resources)(Worker).remote
        self.wanted = workers
        asked = time.monotonic()
        while self.queue or any(task for _, task in self.calls.values()):
            self.fill()
            answers, _ = ray.wait(list(self.calls), timeout=LOOK)
            for answer in answers:
                worker, task = self.calls.pop(answer)
                try:
                    self.take(worker, task, ray.get(answer))
                except RayError as problem:
                    if isinstance(problem, RayTaskError) and isinstance(problem.cause, StoreError):
                        raise problem.cause from problem
                    self.bury(worker, task, problem)
            if self.version is None and time.monotonic() > asked + WAIT_NOTICE:
                self.show.say("waiting for the cluster to start a worker: are there CPUs and GPUs enough?")
                asked = float("inf")
            self.ledger.save(1)

    def fill(self):
        """Gives each idle worker a task, and starts workers that are wanting. All get the settings of the first."""
        while self.idle and self.queue:
            worker, task = self.idle.pop(), self.queue.popleft()
            call = worker.split.remote(task.parts[0].file) if task.is_plan else worker.analyse.remote(task.parts)
            self.calls[call] = worker, task
        alive = len(self.calls) + len(self.idle)
        for _ in range(min(self.wanted - alive, len(self.queue))):
            worker = self.make_worker(self.settings)
            self.calls[worker.check.remote()] = worker, None

    def take(self, worker, task, result):
        if task is None:
            self.take_worker(worker, *result)
            return
        if task.is_plan:
            self.take_plan(task, result)
        elif not self.take_outcome(task, result):
            ray.kill(worker)  # It may be to blame.
            return
        self.idle.append(worker)

    def take_worker(self, worker, problem, whole, version, place):
        if problem:
            raise ClusterError(f"{problem} ({place})", wrong_usage=True)
        if self.version not in (None, version):
            raise ClusterError(f"the plugin has version {version} at {place}, but {self.version} elsewhere: install one version "
                               "on all nodes")
        if self.version is None:
            self.version = version
            settings = {"elements": self.settings.elements, "segment": self.settings.segment, "version": version}
            self.ledger.store.check_settings(settings, record=True)
            if whole and self.settings.segment and any(task.is_plan for task in self.queue):
                self.show.say(f"{whole}: videos are not split")
            if whole or not self.settings.segment:
                self.queue = collections.deque(task._replace(is_plan=False) for task in self.queue)
        self.start_failures = 0
        self.idle.append(worker)

    def take_plan(self, task, result):
        if isinstance(result, Failure):
            self.fail(task.parts[0], result.error)
            return
        self.ledger.keep_only(result)
        todo = [Task([part]) for part in result if not self.ledger.is_known(part)]
        self.show.add(len(result) - 1)
        self.show.advance(len(result) - len(todo), 0)
        self.queue.extendleft(reversed(todo))

    def take_outcome(self, task, outcome):
        """Returns whether the worker can go on."""
        self.ledger.add_done(outcome.task, outcome.keys)
        self.frames += outcome.frames
        self.seconds += outcome.seconds
        self.show.advance(len(outcome.keys), outcome.frames)
        parts = {part.key: part for part in task.parts}
        works = True
        for failure in outcome.failures:
            if failure.retry and task.attempts + 1 < ATTEMPTS:
                self.queue.append(Task([parts[failure.key]], task.attempts + 1))
                works = False
            else:
                self.fail(parts[failure.key], failure.error)
        return works

    def bury(self, worker, task, problem):
        """A worker has died, or cannot be reached."""
        ray.kill(worker)
        reason = str(problem).strip().splitlines()[-1] if str(problem).strip() else type(problem).__name__
        if task is None:
            self.start_failures += 1
            if self.start_failures == START_FAILURES:
                raise ClusterError(f"workers cannot be started: {reason}")
            return
        self.deaths += 1
        if len(task.parts) > 1:  # Which of them was it?
            self.queue.extend(Task([part]) for part in task.parts)
        elif task.attempts + 1 < ATTEMPTS:
            self.queue.append(task._replace(attempts=task.attempts + 1))
        else:
            self.fail(task.parts[0], f"the worker died {ATTEMPTS} times while it analysed this: {reason}")

    def fail(self, part, error):
        self.ledger.add_failure(part.key, error)
        self.show.advance(1, 0)
