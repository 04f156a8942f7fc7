# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results by MQTT in place of a pipeline: each topic is a camera. A message is one frame or several, a line of NDJSON each."""
import sys

import paho.mqtt.client as mqtt

from . import limits as limits_module
from .record import Record

MAX_TOPICS = 16
MAX_MESSAGE = 16 << 20  # bytes


class TopicCamera:
    """A topic, with the interface of Camera as far as the server uses it. Only its limits may change."""
    kind = "mqtt"

    def __init__(self, topic, settings, picture_url):
        self.name, self.settings, self.picture_url = topic, settings, picture_url
        self.record = Record(topic)
        self.viewers = 0

    def change(self, settings):
        self.settings = settings
        self.record.clear()

    def want_measure(self, name):
        """Measures are computed by whoever sends the messages."""

    def take(self, payload):
        if len(payload) > MAX_MESSAGE:
            self.record.report("lost", f"A message of {len(payload)} bytes is too long: {MAX_MESSAGE} are allowed.")
            return
        for line in payload.splitlines():
            if not line.strip():
                continue
            try:
                frame = limits_module.evaluate(line, self.settings.limits)
            except ValueError as problem:
                self.record.report("lost", f"A message was not understood: {problem}.")
                continue
            self.record.add(frame)


class Feed:
    """The connection to the broker. found() is called with each new camera, in a thread of its own."""

    def __init__(self, options, settings, found):
        self.options, self.settings, self.found = options, settings, found
        self.cameras = {}
        self.refused, self.problem = False, ""
        version = getattr(mqtt, "CallbackAPIVersion", None)  # paho 2 asks for the kind of callbacks
        self.client = mqtt.Client(version.VERSION1) if version else mqtt.Client()
        self.client.on_connect, self.client.on_message = self.on_connect, self.on_message
        self.client.on_disconnect = self.on_disconnect
        self.client.on_connect_fail = self.on_connect_fail
        if options.mqtt_user:
            self.client.username_pw_set(options.mqtt_user, options.mqtt_password)
        if options.mqtt_ca:
            self.client.tls_set(options.mqtt_ca)

    def start(self):
        host, port = self.options.mqtt
        self.client.connect_async(host, port)
        self.client.loop_start()

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()

    def complain(self, sentence):
        """On the page, where there is a camera on it, and once on the standard error output."""
        for camera in list(self.cameras.values()):
            camera.record.report("lost", sentence)
        self.note(sentence)

    def note(self, sentence):
        if sentence != self.problem:
            print(f"dashboard.py: {sentence}", file=sys.stderr, flush=True)
        self.problem = sentence

    def on_connect(self, client, _data, _flags, code):
        self.refused = bool(code)
        if code:
            self.complain(f"The broker refuses the connection: {mqtt.connack_string(code)}")
            return
        self.problem = ""
        client.subscribe(self.options.topic)

    def on_connect_fail(self, _client, _data):
        host, port = self.options.mqtt
        self.complain(f"The broker at {host}:{port} does not answer; it is tried again.")

    def on_disconnect(self, _client, _data, code):
        if code and not self.refused:
            self.complain("The connection to the broker is lost; it is tried again.")

    def on_message(self, _client, _data, message):
        camera = self.cameras.get(message.topic)
        if not camera:
            if len(self.cameras) == MAX_TOPICS:
                return self.note(f"More than {MAX_TOPICS} topics match {self.options.topic}: the others are not shown. Give a narrower "
                                 "--topic.")
            urls = self.options.picture_url
            camera = TopicCamera(message.topic, self.settings, urls[len(self.cameras)] if len(self.cameras) < len(urls) else None)
            self.cameras[message.topic] = camera
            self.found(camera)
        return camera.take(message.payload)
