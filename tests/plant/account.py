# SPDX-License-Identifier: LGPL-2.1-or-later
"""The account of a plant: what each start of each camera handed to its sink, what the sink said became of it, and what is in
the table.

The independent witness of a start is the file that contourexport wrote in the same pipeline before the sink: it has the
line of a frame before the sink has the frame, and survives a kill."""
import calendar
import dataclasses
import glob
import json
import os
import time

IDENTITY = "camera", "epoch"
CLOCKS = "utc",  # of the system, read once by each of the two elements
SAVE_INTERVAL = 10  # seconds between two saves of the broker, as mosquitto-queues.conf has it


@dataclasses.dataclass
class Start:
    camera: str
    time: float  # by the clock of the camera's host
    witnessed: dict  # frame: lines
    times: dict  # frame: when it was captured, by the clock of the camera's host
    reports: list = dataclasses.field(default_factory=list)  # what its sink said, the last one last
    table: dict = dataclasses.field(default_factory=dict)  # frame: lines
    duplicates: int = 0

    @property
    def state(self):
        return self.reports[-1]["state"] if self.reports else "unheard"

    @property
    def said(self):
        return self.reports[-1] if self.reports else {"acknowledged": 0, "lost": 0}


def parse_time(text):
    """Seconds since 1970 of "2030-01-31T23:59:59.123456", in UTC."""
    seconds, _, fraction = text.partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) + float("0." + (fraction or "0"))


def without(line, names):
    return {name: value for name, value in line.items() if name not in names}


def read_witness(path):
    """The lines and the time of each frame. A process that was killed may have left half a line, of a frame that went no
    further."""
    frames, times = {}, {}
    with open(path, encoding="utf-8") as file:
        for text in file:
            if text.endswith("\n"):
                line = json.loads(text)
                times[line["frame"]] = parse_time(line["utc"].removesuffix("Z"))
                frames.setdefault(line["frame"], []).append(without(line, CLOCKS))
    return frames, times


def read_starts(folder, camera):
    """The starts of CAMERA, in order: FOLDER has CAMERA-TIME.ndjson of each, and CAMERA.log with what all of them said."""
    starts = []
    for path in glob.glob(f"{folder}/{camera}-*.ndjson"):
        started = float(os.path.basename(path)[len(camera) + 1:-len(".ndjson")])
        starts.append(Start(camera, started, *read_witness(path)))
    starts.sort(key=lambda start: start.time)
    with open(f"{folder}/{camera}.log", encoding="utf-8", errors="replace") as file:
        current = None
        for line in file:
            if line.startswith("start "):
                current = next((start for start in starts if start.time == float(line.split()[1])), None)
            elif line.startswith("{") and line.endswith("}\n") and current:
                current.reports.append(json.loads(line))
    return starts


def add_table(starts, rows, duplicates):
    """Gives each row of the table to its start: an epoch is that of the last start before it, by the same clock."""
    def start_of(camera, epoch):
        before = [start for start in starts if start.camera == camera and start.time <= parse_time(epoch)]
        assert before, f"the table has the epoch {epoch} of {camera}, which did not start then"
        return before[-1]

    for row in rows:
        start = start_of(row["camera"], row["epoch"])
        assert row["frame"] not in start.table, f"two epochs are of the start of {start.camera} at {start.time}"
        start.table[row["frame"]] = [without(line, IDENTITY + CLOCKS) for line in row["lines"]]
    for row in duplicates:
        start_of(row["camera"], row["epoch"]).duplicates += row["refused"]


def check(start, broker_kills, most_at_risk):
    """What is wrong with the account of START, in sentences, and what is true, as a dict. BROKER_KILLS: when the broker was
    killed, by the clock of the camera's host: that may have lost what it had acknowledged since its last save. MOST_AT_RISK:
    frames that a sender which is killed may take with it, in its queue and since its last report."""
    faults = []
    strange = sorted(set(start.table) - set(start.witnessed))
    if strange:
        faults.append(f"the table has frames that were never sent: {strange[:5]}")
    changed = [frame for frame, lines in start.table.items() if start.witnessed.get(frame) != lines]
    if set(changed) - set(strange):
        faults.append(f"the table has other contents than were sent, of the frames {changed[:5]}")
    missing = set(start.witnessed) - set(start.table)
    last = max(start.table, default=-1)
    within = sum(frame < last for frame in missing)
    # The last report of a sender that was killed may lack its last acknowledgements, but a frame that came later has arrived.
    by_broker = max(0, start.said["acknowledged"] - len(start.table), within - start.said["lost"])
    unsaid = len(missing) - start.said["lost"] - by_broker
    excused = sum(any(kill - SAVE_INTERVAL - 2 < start.times[frame] < kill + 1 for kill in broker_kills) for frame in missing)
    if by_broker > excused:
        faults.append(f"{by_broker} frames are missing and not said to be lost, but only {excused} can be those of a killed broker")
    if start.state == "ended" and unsaid:
        faults.append(f"{len(missing)} frames are missing, but the sink said {start.said['lost']}")
    if start.state != "ended" and not 0 <= unsaid <= most_at_risk:
        faults.append(f"{unsaid} frames are missing beyond what the sink said, but up to {most_at_risk} can have died with it")
    if start.state == "ended" and start.said["frames"] != len(start.witnessed):
        faults.append(f"the sink had {start.said['frames']} frames, the witness {len(start.witnessed)}")
    facts = {"camera": start.camera, "state": start.state, "sent": len(start.witnessed), "table": len(start.table),
             "missing": len(missing), "said_lost": start.said["lost"], "lost_by_broker": by_broker,
             "died_with_sender": 0 if start.state == "ended" else max(0, unsaid),
             "gaps_missing": within, "duplicates": start.duplicates}
    return faults, facts
