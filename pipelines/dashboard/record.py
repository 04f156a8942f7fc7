# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the page shows of one camera: the latest frame, the pass rate over time, the latest parts and failures.

One thread adds frames; others take snapshots. Memory is bounded, whatever the length of the stream."""
import collections
import dataclasses
import math
import threading
import time

BUCKET_SECONDS = 2
BUCKETS = 150           # five minutes
RECENT_PARTS = 2000     # of the histogram
BINS = 24
MAX_FAILURES = 12
MAX_ROWS = 40           # parts of the latest frame, in the table
FORGET_SECONDS = 1.0    # a failure that is not seen for so long and then again is another one
SAME_PLACE = 0.3        # overlap of boxes: the same part in the next frame
RATE_SECONDS = 3.0      # over which the rate of frames is measured


@dataclasses.dataclass
class Failure:
    id: int
    time: float       # of the system, when it was first seen
    frame: int
    box: tuple
    reasons: tuple
    seen: int = 1     # in how many frames
    last: float = 0   # monotonic time when it was last seen
    picture: bytes = None


def overlap(a, b):
    """The area that two boxes share, by the area that they cover."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)


def histogram(values, bins=BINS):
    """Edges, and for each bin the numbers of parts that pass and that fail, of pairs (value, passes)."""
    numbers = [value for value, _ in values]
    if not numbers:
        return {"edges": [], "passed": [], "failed": []}
    low, high = min(numbers), max(numbers)
    raw = (high - low) / bins or 1
    # Steps of 1, 2 or 5 times a power of ten, so that edges are round; whole ones for whole numbers.
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
    if all(float(number).is_integer() for number in numbers):
        step = max(1, step)
    first = math.floor(low / step)
    count = math.floor(high / step) - first + 1
    passed, failed = [0] * count, [0] * count
    for value, passes in values:
        (passed if passes else failed)[min(count - 1, math.floor(value / step) - first)] += 1
    return {"edges": [round((first + i) * step, 10) for i in range(count + 1)], "passed": passed, "failed": failed}


class Record:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()
        self.state, self.message, self.note = "waiting", "No frame has come yet.", ""
        self.buckets = collections.deque(maxlen=BUCKETS)
        self.totals = {"frames": 0, "parts": 0, "failed": 0, "skipped": 0}
        self.failures = collections.deque(maxlen=MAX_FAILURES)
        self.next_failure = time.time_ns() // 10**6  # not those of an earlier run, whose pictures browsers keep
        self.arrivals = collections.deque()  # times, and how many frames had come by then
        self.epoch = self.last_number = None
        self.sources = set()  # elements that have analysed the last frame, each of which gives a line
        self.clear()

    def clear(self):
        """Forgets the latest frames, as other settings apply."""
        with self.lock:
            self.frame = None
            self.recent = collections.deque(maxlen=RECENT_PARTS)

    def begin(self):
        """A stream begins whose first frame has the number 0."""
        with self.lock:
            self.epoch, self.last_number = None, -1

    def report(self, state, message=""):
        with self.lock:
            self.state, self.message = state, message

    def set_note(self, note):
        """A sentence on the pictures; empty: they are as they should be."""
        with self.lock:
            self.note = note

    def add(self, frame, now=None):
        """Takes the next frame. Returns the failures in it that are new or have no picture, each with its part."""
        now = time.monotonic() if now is None else now
        with self.lock:
            is_new, lost = self._place(frame)
            if lost is None:
                return []
            self.frame, self.state, self.message = frame, "running", ""
            failed = frame.failed
            self.totals["frames"] += is_new
            self.totals["skipped"] += lost
            self.totals["parts"] += len(frame.parts)
            self.totals["failed"] += failed
            self.arrivals.append((now, self.totals["frames"] + self.totals["skipped"]))
            while now - self.arrivals[0][0] > RATE_SECONDS:
                self.arrivals.popleft()
            start = math.floor(now / BUCKET_SECONDS) * BUCKET_SECONDS
            if not self.buckets or self.buckets[-1][0] != start:
                self.buckets.append([start, 0, 0])
            self.buckets[-1][1] += len(frame.parts)
            self.buckets[-1][2] += failed
            self.recent.extend((part.values, not part.reasons) for part in frame.parts)
            return [(part, failure) for part in frame.parts if part.reasons
                    for failure in [self._note_failure(frame, part, now)] if failure.picture is None]

    def _place(self, frame):
        """Whether the frame is another one than the last, and how many are missing between both. Brokers deliver messages
        again, also out of order: such a frame has (False, None)."""
        same_stream = frame.epoch == self.epoch
        if same_stream and frame.number == self.last_number and frame.source not in self.sources:
            self.sources.add(frame.source)
            return False, 0
        if self.last_number is None:  # of messages the first one may have any number
            lost = 0
        elif same_stream and frame.number > self.last_number:
            lost = frame.number - self.last_number - 1
        elif same_stream and frame.epoch is not None:
            return False, None
        else:  # numbers begin again with each stream
            lost = frame.number
        self.epoch, self.last_number, self.sources = frame.epoch, frame.number, {frame.source}
        return True, lost

    def _note_failure(self, frame, part, now):
        for failure in self.failures:
            if (now - failure.last < FORGET_SECONDS and failure.reasons == part.reasons
                    and overlap(failure.box, part.box) >= SAME_PLACE):
                failure.box, failure.last, failure.seen = part.box, now, failure.seen + 1
                return failure
        failure = Failure(self.next_failure, time.time(), frame.number, part.box, part.reasons, last=now)
        self.next_failure += 1
        self.failures.append(failure)
        return failure

    def picture_of(self, number):
        """The picture of failure NUMBER, a JPEG file; None: there is none, or no longer."""
        with self.lock:
            return next((failure.picture for failure in self.failures if failure.id == number), None)

    def measures(self):
        """The measures that the latest parts have."""
        with self.lock:
            return list(self.recent[-1][0]) if self.recent else ["area"]

    def rate(self, now):
        """Frames per second of the stream, those included that were not evaluated."""
        if len(self.arrivals) < 2 or now - self.arrivals[-1][0] > RATE_SECONDS:
            return 0
        (first, low), (last, high) = self.arrivals[0], self.arrivals[-1]
        return (high - low) / max(last - first, 1e-6)

    def snapshot(self, measure):
        """What the page shows, ready for JSON. MEASURE is that of the histogram."""
        now = time.monotonic()
        with self.lock:
            frame, recent, buckets = self.frame, list(self.recent), [list(bucket) for bucket in self.buckets]
            failures = [{"id": f.id, "time": f.time, "frame": f.frame, "reasons": f.reasons, "seen": f.seen,
                         "picture": f.picture is not None} for f in reversed(self.failures)]
            found = {"name": self.name, "state": self.state, "message": self.message or self.note, "totals": dict(self.totals),
                     "rate": self.rate(now)}
        values = [(values[measure], passes) for values, passes in recent
                  if isinstance(values.get(measure), (int, float))]
        found["measure"] = measure
        found["histogram"] = histogram(values)
        found["failures"] = failures
        found["series"] = [[bucket[0] - now, bucket[1], bucket[2]] for bucket in buckets]
        found["frame"] = self._describe(frame) if frame else None
        return found

    @staticmethod
    def _describe(frame):
        areas = [part.values["area"] for part in frame.parts if part.values.get("area") is not None]
        names = [name for name in frame.parts[0].values if name not in "xy"] if frame.parts else []
        return {"number": frame.number, "threshold": frame.threshold, "size": frame.size, "refused": frame.refused,
                "parts": len(frame.parts), "failed": frame.failed, "area": sum(areas),
                "smallest": min(areas, default=None), "largest": max(areas, default=None), "columns": names,
                "rows": [{"number": part.number, "values": [part.values.get(name) for name in names],
                          "reasons": part.reasons} for part in frame.parts[:MAX_ROWS]]}
