#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stands in for systemd where it is not PID 1, as in the simulation: supervise.py [--watchdog SECONDS] COMMAND...

Does what the units of pipelines/plant/ ask for: Restart=always, RestartSec=1, Type=notify, WatchdogSec with SIGKILL, and
TimeoutStopSec. SIGTERM ends the command for good.
"""
import argparse
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time


STOP_TIMEOUT = 15  # seconds


def say(text):
    print(f"supervise: {text}", flush=True)


class Supervisor:
    def __init__(self, command, watchdog, folder):
        self.command, self.watchdog = command, watchdog
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(os.path.join(folder, "notify"))
        self.process, self.stopping, self.deadline = None, False, None
        self.environment = os.environ | {"NOTIFY_SOCKET": os.path.join(folder, "notify")}
        if watchdog:
            self.environment["WATCHDOG_USEC"] = str(int(watchdog * 1e6))

    def stop(self, *_):
        self.stopping = True
        self.deadline = time.monotonic() + STOP_TIMEOUT
        if self.process:
            with contextlib.suppress(ProcessLookupError):  # it may have just ended
                os.killpg(self.process.pid, signal.SIGTERM)

    def read_word(self):
        """As systemd does, begins to watch with the first READY=1, and expects WATCHDOG=1 from then on."""
        words = self.socket.recv(4096).decode().splitlines()
        if self.stopping:
            return
        if "READY=1" in words and self.watchdog or "WATCHDOG=1" in words and self.deadline:
            self.deadline = time.monotonic() + self.watchdog

    def run_once(self):
        self.deadline = None
        self.process = subprocess.Popen(self.command, env=self.environment, start_new_session=True)
        while self.process.poll() is None:
            if select.select([self.socket], [], [], 0.1)[0]:
                self.read_word()
            if self.deadline and time.monotonic() > self.deadline:
                say(f"no end within {STOP_TIMEOUT} s" if self.stopping else f"no sign of life for {self.watchdog:g} s")
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        say(f"{self.process.pid} has ended with status {self.process.returncode}")

    def run(self):
        signal.signal(signal.SIGTERM, self.stop)
        while not self.stopping:
            self.run_once()
            if not self.stopping:
                time.sleep(1)
        return self.process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchdog", type=float, default=0, metavar="SECONDS")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return Supervisor(arguments.command, arguments.watchdog, folder).run()


if __name__ == "__main__":
    sys.exit(main())
