# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program feeder (feeder.c) as a Python object, and what tests of broker sinks have in common."""
import os
import queue
import re
import socket
import subprocess
import threading
import time

PATIENCE = 30  # seconds after which an answer is late


class Feeder:
    """Elements that take frames. Messages collect in errors, warnings and elements, texts as they were printed."""

    def __init__(self, program, elements):
        self.errors, self.warnings, self.elements = [], [], []
        self.answers = queue.Queue()
        self.process = subprocess.Popen([program, *elements.split()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        kinds = {"error": self.errors, "warning": self.warnings, "element": self.elements}
        for line in self.process.stdout:
            kind, _, text = line.rstrip("\n").partition(": ")
            if kind in kinds:
                kinds[kind].append(text)
            else:
                self.answers.put(line.split())
        self.answers.put(None)

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command):
        """The words of the answer behind its first one."""
        self.tell(command)
        answer = self.answers.get(timeout=PATIENCE)
        assert answer, f"feeder has ended at '{command}'"
        return answer[1:]

    def play(self):
        return self.ask("state playing")[0]

    def end(self, seconds):
        """Ends the stream; after how many seconds it has ended."""
        took, = self.ask(f"eos {seconds}")
        assert took != "never", f"no end of the stream within {seconds} s; {self.stats()} {self.warnings} {self.elements}"
        return float(took)

    def stats(self):
        return {name: int(value) for name, value in
                re.findall(r"([a-z-]+)=\(guint64\)(\d+)", " ".join(self.ask("stats")))}

    def processor_time(self):
        """In seconds."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for(self, condition, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not condition(self):
            assert time.monotonic() < end, f"{what}: not within {seconds} s; {self.stats()} {self.warnings} {self.elements}"
            time.sleep(0.02)

    def count_lost(self):
        """What the element messages say: each since the one before, and the last total."""
        counts = [re.search(r"count=\(guint64\)(\d+), total=\(guint64\)(\d+)", text) for text in self.elements
                  if text.startswith("contour-broker-lost")]
        return sum(int(found[1]) for found in counts), int(counts[-1][2]) if counts else 0

    def close(self):
        """Ends the program; a leak or an invalid access fails it."""
        self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE)
        self.reader.join()
        self.process.stdout.close()
        assert status == 0, f"feeder: exit status {status}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, process, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while True:
        assert process.poll() is None, f"the broker ended with {process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end, f"nobody listens at port {port}"
            time.sleep(0.02)
