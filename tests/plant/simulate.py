#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A plant in network namespaces: three camera hosts, a broker, a collector with its database. Hosts lose their power, cables
are pulled, a pipeline hangs, the broker is killed, and the clocks of the cameras are wrong. At the end an account is made of
every frame. Needs root; exit status 77 if something that it needs is missing.

  simulate.py [--minutes N] [--rate N] [--watchdog SECONDS] [--seed N] [--keep FOLDER]

GST_PLUGIN_PATH has to lead to this project's plugins.
"""
import argparse
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
PLANT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "pipelines", "plant")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import account  # noqa: E402
import hosts  # noqa: E402
import servers  # noqa: E402

PYTHON = "/usr/bin/python3"
CLOCKS = {"camera-1": 0, "camera-2": 3700, "camera-3": -86400}  # seconds by which they are wrong
# The queue is shorter than a cable is out, so that the sink loses frames and has to say so.
PIPELINE = ("videotestsrc is-live=true pattern=ball ! video/x-raw,format=GRAY8,width=64,height=48,framerate={rate}/1"
            " ! cudacca backend=cpu ! contourexport location={folder}/{name}-$started.ndjson"
            " ! contourmqttsink address={broker}:1883 topic=contours/{name} source={name} keep-alive=5"
            " leaky=downstream max-queue-messages={queue} drain-timeout=10000000000")
CABLE_OUT, QUEUED = 3, 2  # seconds


def say(text):
    print(f"{time.monotonic() - STARTED:6.1f} s  {text}", flush=True)


def find_missing():
    """Why this cannot run here, or None."""
    if os.geteuid() != 0:
        return "Network namespaces need root."
    for program in "ip", "mosquitto", "psql", "setpriv", "gst-inspect-1.0":
        if not shutil.which(program):
            return f"There is no {program} here."
    if not servers.find_postgres():
        return "There is no PostgreSQL server here."
    if not find_faketime():
        return "There is no libfaketime here."
    done = subprocess.run([PYTHON, "-c", "import paho.mqtt.client, psycopg, systemd.daemon, gi; gi.require_version('Gst', '1.0')"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return f"A module of Python is missing here: {done.stderr.splitlines()[-1]}."
    if subprocess.run(["gst-inspect-1.0", "contourmqttsink"], stdout=subprocess.DEVNULL, check=False).returncode:
        return "There is no contourmqttsink here."
    probe = f"ctr-probe{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode:
        return "Network namespaces cannot be made here."
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


def find_faketime():
    """libfaketime for programs with threads, or None. The program "faketime" would stand between supervisor and pipeline."""
    return next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


class Plant:
    def __init__(self, network, folder, rate, watchdog):
        self.network, self.folder, self.rate, self.watchdog = network, folder, rate, watchdog
        self.broker_kills = []
        self.broker, self.collector = self.network.add("broker"), self.network.add("collector")
        self.cameras = {name: self.network.add(name) for name in CLOCKS}
        self.prepare_broker()
        self.prepare_collector()
        for name, host in self.cameras.items():
            self.prepare_camera(name, host)

    def supervised(self, *command, watchdog=0):
        return [PYTHON, f"{HERE}/supervise.py", f"--watchdog={watchdog}", *command]

    def prepare_broker(self):
        command = servers.make_broker(f"{self.folder}/broker", f"{PLANT}/mosquitto-queues.conf", self.broker.address, 1883)
        self.broker.add_service(self.supervised(*command), f"{self.folder}/mosquitto.log")

    def prepare_collector(self):
        server, self.database = servers.make_database(f"{self.folder}/database")
        self.collector.add_service(self.supervised(*server), f"{self.folder}/postgres.log")
        self.collector.add_service(
            self.supervised(PYTHON, f"{PLANT}/collect.py", f"--host={self.broker.address}", watchdog=10 * self.watchdog),
            f"{self.folder}/collector.log", **self.database)

    def prepare_camera(self, name, host):
        pipeline = PIPELINE.format(rate=self.rate, queue=self.rate * QUEUED, folder=self.folder, name=name, broker=self.broker.address)
        # The supervisor has the right time: libfaketime breaks Python's sleep().
        script = (f'export LD_PRELOAD={find_faketime()} FAKETIME={CLOCKS[name]:+}s FAKETIME_DONT_FAKE_MONOTONIC=1; '
                  f'started=$(date +%s.%N); echo "start $started"; '
                  f'PIPELINE="{pipeline}" exec {PYTHON} {PLANT}/run_camera.py --report=0.5')
        host.add_service(
            self.supervised("sh", "-c", script, watchdog=self.watchdog), f"{self.folder}/{name}.log")

    def psql(self, *arguments, check=True):
        return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *arguments], env=os.environ | self.database,
                              capture_output=True, text=True, check=check)

    def has_database(self):
        return self.psql("-c", "SELECT", check=False).returncode == 0

    def query(self, text):
        """The rows of a query, as dicts."""
        self.wait_for("the database", self.has_database)
        return json.loads(self.psql("-c", f"SELECT coalesce(json_agg(row_to_json(q)), '[]') FROM ({text}) AS q").stdout)

    def start(self):
        self.collector.start()
        self.wait_for("the database", self.has_database)
        self.psql("-f", f"{PLANT}/schema.sql")
        self.broker.start()
        # A broker keeps nothing for a collector that has never been there.
        self.wait_for("the collector", lambda: "Collecting contours/#" in self.read("collector.log"))
        for pid in self.broker.find("mosquitto.conf"):
            os.kill(pid, signal.SIGUSR1)  # which saves that it knows this collector
        for host in self.cameras.values():
            host.start()
        self.wait_for("frames of all cameras",
                      lambda: len(self.query("SELECT DISTINCT camera FROM plant.frames")) == len(self.cameras))

    def read(self, name):
        try:
            with open(f"{self.folder}/{name}", encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_for(self, what, condition, seconds=300):
        limit = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < limit, f"{what}: not there within {seconds} s"
            time.sleep(0.3)

    # What happens.

    def pull_cable(self, name):
        say(f"the cable of {name} is pulled for {CABLE_OUT} s")
        host = self.cameras[name]
        host.plug("down")
        time.sleep(CABLE_OUT)
        host.plug("up")

    def kill_camera(self, name):
        say(f"{name} loses its power for 1 s")
        self.cameras[name].lose_power(1)

    def find_pipeline(self, name):
        """The process of a camera, when it delivers frames."""
        before = self.newest().get(name, 0)
        self.wait_for(f"frames of {name}", lambda: self.newest().get(name, 0) > before)
        return self.cameras[name].find("run_camera.py")[-1]

    def kill_pipeline(self, name):
        pid = self.find_pipeline(name)
        say(f"the pipeline of {name} is killed")
        os.kill(pid, signal.SIGKILL)

    def hang_pipeline(self, name):
        pid = self.find_pipeline(name)
        say(f"the pipeline of {name} hangs")
        os.kill(pid, signal.SIGSTOP)
        started = time.monotonic()
        self.wait_for("the supervisor's watchdog", lambda: pid not in self.cameras[name].pids())
        say(f"its supervisor has killed it after {time.monotonic() - started:.1f} s")

    def kill_broker(self):
        say("the broker is killed")
        os.kill(self.broker.find("mosquitto.conf")[-1], signal.SIGKILL)
        self.broker_kills.append(time.time())

    def kill_collector(self):
        say("the collector and the database lose their power for 1 s")
        self.collector.lose_power(1)

    def run(self, seconds, chance):
        """Rounds of all events, each to a camera by lot, with pauses by lot, for at least SECONDS."""
        end = time.monotonic() + seconds
        events = [lambda: self.pull_cable(chance.choice(list(CLOCKS))), lambda: self.kill_camera(chance.choice(list(CLOCKS))),
                  lambda: self.kill_pipeline(chance.choice(list(CLOCKS))), lambda: self.hang_pipeline(chance.choice(list(CLOCKS))),
                  self.kill_broker, self.kill_collector]
        pause = max(0.5, min(10, seconds / len(events) - 1))
        while time.monotonic() < end:
            for event in chance.sample(events, len(events)):
                event()
                time.sleep(chance.uniform(0.5, 1.5) * pause)
        self.wait_for("all cameras with frames, after the last event", self.all_send)

    def all_send(self):
        before = self.newest()
        time.sleep(1)
        after = self.newest()
        return all(after.get(name, 0) > before.get(name, 0) for name in CLOCKS)

    def newest(self):
        return {row["camera"]: row["n"] for row in self.query("SELECT camera, count(*) AS n FROM plant.frames GROUP BY camera")}

    def end(self):
        say("all cameras end")
        for host in self.cameras.values():
            host.stop(30)
        # The broker delivers in order, and the collector keeps what is no frame: behind this message nothing is left.
        publish = f"from paho.mqtt import publish; publish.single('contours/end', 'end', 1, hostname='{self.broker.address}')"
        subprocess.run(["ip", "netns", "exec", self.broker.space, PYTHON, "-c", publish], check=True)
        self.wait_for("the end of what the broker has",
                      lambda: self.query("SELECT 1 AS n FROM plant.unreadable WHERE topic = 'contours/end'"))


def settle(plant):
    """Prints the account; returns the faults."""
    starts = [start for name in CLOCKS for start in account.read_starts(plant.folder, name)]
    rows = plant.query("SELECT camera, epoch AT TIME ZONE 'UTC' AS epoch, frame, lines FROM plant.frames")
    account.add_table(starts, rows, plant.query("SELECT camera, epoch AT TIME ZONE 'UTC' AS epoch, refused FROM plant.duplicates"))
    faults, sums = [], {}
    for start in starts:
        wrong, facts = account.check(start, [kill + CLOCKS[start.camera] for kill in plant.broker_kills],
                                     plant.rate * (QUEUED + 1))
        faults += [f"{start.camera}, start at {start.time}: {text}" for text in wrong]
        say(" ".join(f"{name}={value}" for name, value in facts.items()))
        for name, value in facts.items():
            sums[name] = sums.get(name, 0) + value if isinstance(value, int) else f"{len(starts)} starts"
    say("in all: " + " ".join(f"{name}={value}" for name, value in sums.items() if name != "state"))
    report = plant.query("SELECT sum(received) AS received, sum(missing) AS missing, sum(duplicates_refused) AS refused FROM plant.report")
    say(f"the database's report: {report[0]}")
    if report[0] != {"received": sums["table"], "missing": sums["gaps_missing"], "refused": sums["duplicates"]}:
        faults.append("the database's report differs from this account")
    if unreadable := plant.query("SELECT topic, reason FROM plant.unreadable WHERE topic <> 'contours/end'"):
        faults.append(f"the collector could not read {len(unreadable)} messages: {unreadable[0]}")
    if len(starts) <= len(CLOCKS):
        faults.append("no camera was started again")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--rate", type=int, default=25, help="frames per second of each camera (%(default)s)")
    parser.add_argument("--watchdog", type=float, default=3, metavar="SECONDS",
                        help="how long a pipeline may be without frames (%(default)g); more on a machine that has no time")
    parser.add_argument("--seed", type=int, default=1, help="of the order and place of events")
    parser.add_argument("--keep", metavar="FOLDER", help="where logs and witnesses stay; everyone must be able to enter it")
    arguments = parser.parse_args()
    if reason := find_missing():
        print(reason)
        return 77
    folder = arguments.keep or tempfile.mkdtemp(prefix="plant-")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through the end below
    try:
        network = hosts.Network("ctr")
    except hosts.NoNetwork as error:
        print(error)
        shutil.rmtree(folder)
        return 77
    try:
        plant = Plant(network, folder, arguments.rate, arguments.watchdog)
        plant.start()
        say("all cameras send")
        plant.run(arguments.minutes * 60, random.Random(arguments.seed))
        plant.end()
        faults = settle(plant)
    finally:
        network.close()
        if not arguments.keep:
            shutil.rmtree(folder)
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"{len(faults)} faults")
    return bool(faults)


STARTED = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
