# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hosts of a simulated plant: a network namespace each, with a cable to a switch, which is a namespace of its own too. What
runs in a host is seen by its namespace, so a host can lose its power with all that runs in it."""
import os
import signal
import subprocess
import time


def ip(*arguments):
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True).stdout


class NoNetwork(Exception):
    """This system cannot have namespaces with a bridge: in a changed root, for instance."""


class Network:
    def __init__(self, prefix):
        self.prefix = f"{prefix}{os.getpid()}"
        self.switch = f"{self.prefix}-switch"
        self.hosts = []
        try:
            ip("netns", "add", self.switch)
            ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
            ip("-n", self.switch, "link", "set", "bridge", "up")
        except subprocess.CalledProcessError as error:
            subprocess.run(["ip", "netns", "del", self.switch], stderr=subprocess.DEVNULL, check=False)
            raise NoNetwork(f"skipped: no bridge between network namespaces can be made here: {error.stderr.strip()}") from error

    def add(self, name):
        host = Host(self, name, len(self.hosts) + 1)
        self.hosts.append(host)
        return host

    def close(self):
        for host in self.hosts:
            host.kill_all()
        for name in [host.space for host in self.hosts] + [self.switch]:
            subprocess.run(["ip", "netns", "del", name], check=False)


class Host:
    def __init__(self, network, name, number):
        self.name, self.address = name, f"10.77.0.{number}"
        self.network, self.space, self.port = network, f"{network.prefix}-{name}", f"port{number}"
        self.services = []
        self.running = []
        ip("netns", "add", self.space)
        ip("-n", self.space, "link", "set", "lo", "up")
        ip("-n", self.space, "link", "add", "eth0", "type", "veth", "peer", "name", self.port, "netns", network.switch)
        ip("-n", self.space, "address", "add", f"{self.address}/24", "dev", "eth0")
        ip("-n", self.space, "link", "set", "eth0", "up")
        ip("-n", network.switch, "link", "set", self.port, "master", "bridge", "up")

    def add_service(self, command, log, **environment):
        """A service that start() starts. LOG, a path, takes what it says, of all its starts."""
        self.services.append((command, log, environment))

    def start(self):
        for command, log, environment in self.services:
            with open(log, "ab") as output:
                self.running.append(subprocess.Popen(
                    ["ip", "netns", "exec", self.space, *command], env=os.environ | environment,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output))

    def plug(self, state):
        """The cable: "up" or "down"."""
        ip("-n", self.network.switch, "link", "set", self.port, state)

    def pids(self):
        return [int(pid) for pid in ip("netns", "pids", self.space).split()]

    def find(self, word):
        """The processes that have WORD in their command line, the newest last, without those that supervise them."""
        found = []
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    command = file.read()
                if word.encode() in command and b"supervise.py" not in command:
                    found.append(pid)
            except OSError:
                pass  # it has ended
        return sorted(found)

    def kill_all(self):
        while pids := self.pids():
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)
        for process in self.running:
            process.wait()
        self.running.clear()

    def lose_power(self, seconds):
        """Without a farewell on the network. Then it boots."""
        self.plug("down")
        self.kill_all()
        time.sleep(seconds)
        self.plug("up")
        self.start()

    def stop(self, timeout):
        for process in self.running:
            process.terminate()
        for process in self.running:
            process.wait(timeout)
        self.running.clear()
