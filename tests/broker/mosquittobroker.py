# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's mosquitto on the loopback interface, and its clients that listen."""
import json
import os
import shutil
import signal
import subprocess
import threading
import time

from feeding import PATIENCE, free_port, wait_for_port

BROKER = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin")

READY = "ready"  # a topic with a retained message: who gets it has subscribed


class Broker:
    """A broker with the lines of SETTINGS in its configuration. It may be stopped, killed and begun again."""

    def __init__(self, folder, settings=("allow_anonymous true",), port=None):
        self.port = port or free_port()
        self.folder = folder
        self.configuration = os.path.join(folder, f"mosquitto-{self.port}.conf")
        lines = [f"listener {self.port} 127.0.0.1", "max_queued_messages 0", "persistence true",
                 f"persistence_location {folder}/", f"persistence_file broker-{self.port}.db", "autosave_interval 0",
                 *settings]
        if os.getuid() == 0:
            lines.append("user root")
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.process = None
        self.begin()

    def begin(self):
        with open(os.path.join(self.folder, "mosquitto.log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([BROKER, "-c", self.configuration], stdout=log, stderr=log)
        wait_for_port(self.port, self.process)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def hang(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def save(self):
        """Has the broker remember who has subscribed, also when it is killed."""
        self.process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + 10
        while not os.path.exists(os.path.join(self.folder, f"broker-{self.port}.db")):
            assert time.monotonic() < end, "the broker does not save its sessions"
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Subscriber:
    """mosquitto_sub, whose messages collect as dictionaries in the order in which they come. With NAME it has a session
    that outlives its connection, and gets what comes meanwhile."""

    def __init__(self, broker, topic="#", name=None, arguments=()):
        self.messages = []
        at = ["-h", "127.0.0.1", "-p", str(broker.port), "-V", "5", *arguments]
        subprocess.run(["mosquitto_pub", *at, "-r", "-t", READY, "-m", "ready"], timeout=PATIENCE, check=True)
        command = ["mosquitto_sub", *at, "-t", topic, "-t", READY, "-F", "%j", "-q", "1" if name else "0"]
        if name:
            command += ["-i", name, "-c", "-x", "3600"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ready = threading.Event()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        assert self.ready.wait(PATIENCE), "the subscription does not begin"

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message["topic"] == READY:
                self.ready.set()
            else:
                self.messages.append(message)

    def frames(self):
        """Camera, epoch and frame of each message that has come."""
        identities = []
        for message in list(self.messages):
            if message["payload"].startswith("{"):
                line = json.loads(message["payload"].splitlines()[0])
                identities.append((line["camera"], line["epoch"], line["frame"]))
        return identities

    def close(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
