#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""collect.py between a broker and a database that this test starts: every message is one row, whatever it contains and whoever
is killed. Arguments: the folder pipelines/plant. Exit status 77 if something that it needs is missing."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import servers  # noqa: E402

try:
    from paho.mqtt import publish
except ImportError:
    publish = None

EPOCH = "20300131T235959.123456Z"


def find_missing():
    for program in "mosquitto", "psql":
        if not shutil.which(program):
            return f"There is no {program} here."
    if not servers.find_postgres():
        return "There is no PostgreSQL server here."
    done = subprocess.run([sys.executable, "-c", "import paho.mqtt.client, psycopg, systemd.daemon"], capture_output=True,
                          text=True, check=False)
    return f"A module of Python is missing here: {done.stderr.splitlines()[-1]}." if done.returncode else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def message(frame, camera="cam", epoch=EPOCH, lines=1, **more):
    return "".join(json.dumps({"schema": "gst-cuda-contours/1", "camera": camera, "epoch": epoch, "frame": frame, "source": f"e{i}",
                               "count": 0} | more) + "\n" for i in range(lines))


class Bench:
    def __init__(self, folder, plant):
        self.folder, self.plant, self.port = folder, plant, free_port()
        server, self.database = servers.make_database(f"{folder}/database")
        self.commands = {
            "database": server,
            "broker": servers.make_broker(f"{folder}/broker", f"{plant}/mosquitto-queues.conf", "127.0.0.1", self.port),
            "collector": [sys.executable, f"{plant}/collect.py", "--host=127.0.0.1", f"--port={self.port}"]}
        self.log = open(f"{folder}/log", "ab")
        self.running = {}

    def start(self, name, **environment):
        self.running[name] = subprocess.Popen(self.commands[name], env=os.environ | self.database | environment,
                                              stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def read_log(self):
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as log:
            return log.read()

    def kill(self, name):
        self.running[name].kill()
        return self.running.pop(name).wait()

    def close(self):
        for name in [name for name in self.running if name != "database"]:
            self.kill(name)
        if "database" in self.running:  # which has processes of its own
            self.running["database"].terminate()
            self.running["database"].wait()
        self.log.close()

    def psql(self, *arguments, check=True):
        return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *arguments], env=os.environ | self.database,
                              capture_output=True, text=True, check=check)

    def query(self, text):
        return json.loads(self.psql("-c", f"SELECT coalesce(json_agg(q), '[]') FROM ({text}) AS q").stdout)

    def publish(self, *payloads, topic="contours/cam"):
        """Returns when the broker has acknowledged all of them."""
        publish.multiple([{"topic": topic, "payload": payload, "qos": 1} for payload in payloads], hostname="127.0.0.1",
                         port=self.port)

    def wait_for(self, what, condition):
        started = time.monotonic()
        while not condition():
            assert time.monotonic() < started + 15, f"{what}: not within 15 s"
            time.sleep(0.05)
        print(f"  {what}: after {time.monotonic() - started:.1f} s", flush=True)

    def has_broker(self, port=None):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port or self.port)) == 0

    def count(self, table="frames"):
        return self.query(f"SELECT count(*) AS n FROM plant.{table}")[0]["n"]


def test_rows(bench):
    """One row a frame, in any order, with all lines; what comes twice is refused and counted."""
    bench.publish(message(1), message(0, lines=2, utc="2030-02-01T00:00:00.25Z"), message(4), message(1), message(1),
                  message(0, epoch="20300201T000000.000001Z"))
    bench.publish(message(0, camera="other \"camera\" ü"), topic="contours/other \"camera\" ü/lines")
    bench.wait_for("the rows", lambda: bench.count() == 5)
    bench.wait_for("the duplicates", lambda: bench.count("duplicates") == 1)
    report = bench.query("SELECT camera, extract(epoch FROM epoch)::text AS epoch, received, last_frame, missing, gaps,"
                         " duplicates_refused FROM plant.report")
    first = {"camera": "cam", "epoch": "1896134399.123456", "received": 3, "last_frame": 4, "missing": 2, "gaps": 1,
             "duplicates_refused": 2}
    other = {"received": 1, "last_frame": 0, "missing": 0, "gaps": 0, "duplicates_refused": 0}
    assert report == [first, {"camera": "cam", "epoch": "1896134400.000001"} | other,
                      {"camera": "other \"camera\" ü", "epoch": "1896134399.123456"} | other], report
    assert bench.query("SELECT first, last, missing FROM plant.gaps") == [{"first": 2, "last": 3, "missing": 2}]
    row = bench.query("SELECT captured, lines FROM plant.frames WHERE frame = 0 AND camera = 'cam' ORDER BY epoch LIMIT 1")[0]
    assert row["captured"] == "2030-02-01T00:00:00.25+00:00", row["captured"]
    assert row["lines"] == [json.loads(line) for line in message(0, lines=2, utc="2030-02-01T00:00:00.25Z").splitlines()]


def test_at_most_once(bench):
    """A message that the sender does not want acknowledged is a row, too."""
    before = bench.count()
    publish.single("contours/cam", message(50), qos=0, hostname="127.0.0.1", port=bench.port)
    bench.wait_for("the row", lambda: bench.count() == before + 1)


def test_others(bench):
    """What is no frame is kept as it came, and holds nothing up."""
    long = os.urandom(10000).hex()  # which no index takes, even compressed
    bench.publish(message(7, camera=long), topic=f"contours/{long}")
    others = ["", "no JSON", b"\xff\xfe", "[1]\n", "5\n", "null\n", message(7, camera=None), message(7, epoch="yesterday"),
              message("x"), message(-1), message(2**63), message(1.5), message(7, name="\0"), '{"camera":"cam"', "{}\n" * 3,
              "[" * 100000, message(8) + message(9), message(8, camera="cam2")]
    before = bench.count()
    bench.publish(*others, message(100))
    bench.wait_for("the frame behind them", lambda: bench.count() == before + 1)
    kept = bench.query("SELECT encode(payload, 'hex') AS payload, reason, topic FROM plant.unreadable ORDER BY arrived")
    assert kept.pop(0)["topic"] == f"contours/{long}"
    expected = [other if isinstance(other, bytes) else other.encode() for other in others]
    assert [bytes.fromhex(row["payload"]) for row in kept] == expected, kept
    assert all(row["reason"] and row["topic"] == "contours/cam" for row in kept)


def test_kills(bench):
    """What was published while the collector or the database were away arrives; the collector ends when it cannot write."""
    before = bench.count()
    bench.kill("collector")
    bench.publish(*(message(frame) for frame in range(200, 230)))
    bench.start("collector")
    bench.wait_for("what the broker kept", lambda: bench.count() == before + 30)
    bench.kill("database")
    bench.publish(message(230))
    bench.wait_for("the end of the collector", lambda: bench.running["collector"].poll() is not None)
    assert bench.running["collector"].returncode == 1
    bench.start("database")
    bench.wait_for("the database", lambda: bench.psql("-c", "SELECT", check=False).returncode == 0)
    bench.start("collector")
    bench.wait_for("the frame that could not be written", lambda: bench.count() == before + 31)
    # The broker ends in order, with what nobody has fetched yet, and the collector with it.
    bench.kill("collector")
    bench.publish(message(231))
    bench.running["broker"].terminate()
    bench.running.pop("broker").wait()
    bench.start("broker")
    bench.wait_for("the broker", bench.has_broker)
    bench.start("collector")
    bench.wait_for("what the broker kept over its restart", lambda: bench.count() == before + 32)


def test_usage(bench):
    """Options that make no sense are told, without a traceback."""
    for option, told in ("--topic=a/#/b", "subscription filter"), ("--port=0", "port number"):
        done = subprocess.run([*bench.commands["collector"], "--client-id=wrong", option], env=os.environ | bench.database,
                              capture_output=True, text=True, check=False, timeout=20)
        assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr, done


def test_rights(bench):
    """With the listener for a network: TLS, passwords, and each camera under its own name."""
    if not shutil.which("openssl"):
        print("There is no openssl here.")
        return
    folder, port = f"{bench.folder}/guarded", free_port()
    bench.commands["guarded"] = servers.make_guarded_broker(folder, bench.plant, port, {"collector": "c", "camera-1": "one"})
    bench.start("guarded")
    bench.wait_for("the broker", lambda: bench.has_broker(port))
    options = [f"--port={port}", "--host=localhost", f"--ca-file={folder}/ca.crt", "--client-id=guarded"]
    bench.commands["reader"] = [*bench.commands["collector"], *options, "--user=collector"]
    bench.start("reader", MQTT_PASSWORD="wrong")
    assert bench.running["reader"].wait(20) == 1
    assert "not authorised" in bench.read_log().lower().replace("z", "s")
    said = bench.read_log().count("Collecting contours/#")
    bench.start("reader", MQTT_PASSWORD="c")
    bench.wait_for("the collector", lambda: bench.read_log().count("Collecting contours/#") > said)
    before = bench.count()
    send = {"qos": 1, "hostname": "localhost", "port": port, "auth": {"username": "camera-1", "password": "one"},
            "tls": {"ca_certs": f"{folder}/ca.crt"}}
    publish.single("contours/camera-2", message(300, camera="camera-2"), **send)
    publish.single("contours/camera-1", message(301, camera="camera-2"), **send)
    publish.single("contours/camera-1", message(302, camera="camera-1"), **send)
    bench.wait_for("the frame under the right name", lambda: bench.count() > before)
    assert bench.query("SELECT camera, frame FROM plant.frames WHERE frame >= 300") == [{"camera": "camera-1", "frame": 302}]


def main(plant):
    if reason := find_missing():
        print(reason)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through the end below
    with tempfile.TemporaryDirectory(prefix="plant-") as folder:
        os.chmod(folder, 0o755)
        bench = Bench(folder, plant)
        try:
            for name in "database", "broker":
                bench.start(name)
            bench.wait_for("the database", lambda: bench.psql("-c", "SELECT", check=False).returncode == 0)
            bench.wait_for("the broker", bench.has_broker)
            for _ in range(2):  # the second time changes nothing
                bench.psql("-f", f"{plant}/schema.sql")
            bench.start("collector")
            bench.wait_for("the subscription", lambda: "Collecting contours/#" in bench.read_log())
            for name, test in list(globals().items()):
                if name.startswith("test_"):
                    started = time.monotonic()
                    test(bench)
                    print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
        finally:
            bench.close()
    return 0


sys.exit(main(sys.argv[1]))
