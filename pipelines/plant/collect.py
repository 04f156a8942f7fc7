#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the messages of contourmqttsink into PostgreSQL: collect.py [OPTION]...

Messages are acknowledged when the database has committed them, and the broker keeps for this client what is not acknowledged, so
nothing is lost while this program or the database is down. What comes twice, the primary key refuses. Any failure ends the
program: systemd starts it again, and the broker delivers again. The environment variables of libpq (PGHOST, PGDATABASE,
…) choose the database; MQTT_PASSWORD is the password at the broker. Needs the Debian packages python3-paho-mqtt,
python3-psycopg and python3-systemd.
"""
import argparse
import os
import signal
import sys

import paho.mqtt.client as mqtt
import psycopg
from systemd import daemon

AT_LEAST_ONCE = 1
MOST_WAITING = 100  # messages of one transaction


class EarlierClient(mqtt.Client):
    """Adds to version 1.6 what version 2 has as manual_ack."""

    def _send_puback(self, _number):
        return mqtt.MQTT_ERR_SUCCESS

    def ack(self, number, _qos):
        return super()._send_puback(number)


def make_client(client_id):
    """A client that acknowledges a message when ack() is called."""
    if hasattr(mqtt.Client, "ack"):
        return mqtt.Client(mqtt.CallbackAPIVersion.VERSION1, client_id=client_id, clean_session=False, manual_ack=True)
    return EarlierClient(client_id=client_id, clean_session=False)


class Collector:
    def __init__(self, arguments):
        self.topic = arguments.topic
        self.frames = 0
        self.ended = self.refused = None
        self.waiting = []  # numbers of the messages of the open transaction
        self.database = psycopg.connect()
        self.client = make_client(arguments.client_id)
        self.client.on_connect, self.client.on_subscribe, self.client.on_message = self.subscribe, self.begin, self.take
        if arguments.user:
            self.client.username_pw_set(arguments.user, os.environ.get("MQTT_PASSWORD"))
        if arguments.ca_file:
            self.client.tls_set(arguments.ca_file)
        self.client.connect(arguments.host, arguments.port, keepalive=15)

    def subscribe(self, client, _data, _flags, code):
        if code:
            self.refused = mqtt.connack_string(code)
            return
        client.subscribe(self.topic, AT_LEAST_ONCE)

    def begin(self, _client, _data, _number, granted):
        if granted[0] != AT_LEAST_ONCE:
            self.refused = f"it does not grant {self.topic} to this user"
            return
        print(f"Collecting {self.topic}", flush=True)
        daemon.notify("READY=1")

    def take(self, _client, _data, message):
        self.database.execute("SELECT plant.take_message(%s, %s)", (message.topic, message.payload), prepare=True)
        self.waiting.append(message.mid)

    def settle(self):
        """What has come while the disk was busy with one transaction is the next one."""
        self.database.commit()
        for number in filter(None, self.waiting):  # a message that was sent at most once has no number
            self.client.ack(number, AT_LEAST_ONCE)
        self.frames += len(self.waiting)
        self.waiting.clear()

    def run(self):
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "ended", True))
        signal.signal(signal.SIGINT, lambda *_: setattr(self, "ended", True))
        while not self.ended:
            before = len(self.waiting)
            code = self.client.loop(timeout=0 if self.waiting else 1)
            if self.refused or code:
                print(f"The broker cannot be used: {self.refused or mqtt.error_string(code)}", file=sys.stderr)
                return 1
            if self.waiting and (len(self.waiting) == before or before >= MOST_WAITING):
                self.settle()
            daemon.notify(f"WATCHDOG=1\nSTATUS={self.frames} messages")
        self.client.disconnect()
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="localhost", help="the broker (%(default)s)")
    parser.add_argument("--port", type=int, default=1883, help="its port (%(default)s; with TLS usually 8883)")
    parser.add_argument("--topic", default="contours/#", help="what to subscribe to (%(default)s)")
    parser.add_argument("--client-id", default="contours-collector",
                        help="name under which the broker keeps messages; one running collector has it (%(default)s)")
    parser.add_argument("--user", help="user name at the broker")
    parser.add_argument("--ca-file", help="certificates of the authorities that are trusted; switches TLS on")
    arguments = parser.parse_args()
    try:
        return Collector(arguments).run()
    except (OSError, psycopg.Error) as error:
        print(f"The collector ends, to be started again: {error}", file=sys.stderr)
        return 1
    except ValueError as error:  # of the client: a port or a topic
        print(f"The options make no sense: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
