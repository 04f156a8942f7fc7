#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""contourmqttsink against Debian's mosquitto: what arrives, what is lost when the broker is away, what is said of it, and how
long flushes, ends and stops take. Argument: the program feeder.

CTR_TEST_FULL=1 keeps the broker away for 30 s instead of 2. Longer than 500 lines: all tests share the broker and its clients.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from feeding import Feeder, free_port
from mosquittobroker import BROKER, READY, Broker, Subscriber

# Seconds for which the broker is away.
AWAY = 30 if os.environ.get("CTR_TEST_FULL") == "1" else 1 if os.environ.get("CTR_TEST_QUICK") == "1" else 2
PROGRAM = None
DOCUMENT = os.path.join(os.path.dirname(__file__), "../../docs/serial-format.md")
QUICK = 0.1  # seconds within which nothing may wait for a broker
# A sanitised program is slower, and so is a machine with other work.
SLACK = 0.15


def sink(port, settings=""):
    return (f"cudacca backend=cpu ! contourmqttsink name=sink address=127.0.0.1:{port} topic=t/%{{source}} source=cam "
            f"drain-timeout=20000000000 {settings}")


class MqttTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="contours-mqtt-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.broker = Broker(self.folder)
        self.addCleanup(self.broker.kill)

    def feed(self, elements):
        feeder = Feeder(PROGRAM, elements)
        self.addCleanup(feeder.process.kill)
        return feeder

    def listen(self, *arguments, **named):
        subscriber = Subscriber(*arguments, **named)
        self.addCleanup(subscriber.close)
        return subscriber

    def wait_until(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def wait_for_frames(self, subscribers, frames):
        """What the subscribers got together, as soon as this is FRAMES."""
        def seen():
            return {frame for subscriber in subscribers for _, _, frame in subscriber.frames()}
        self.wait_until(lambda: len(seen()) >= len(frames), f"not {len(frames)} frames")
        self.assertEqual(seen(), set(frames))

    def check_sums(self, stats, frames):
        self.assertEqual(stats["acknowledged"] + stats["queued"] + stats["lost"], frames, stats)


class Delivery(MqttTest):
    def test_every_frame(self):
        """1000 frames a second arrive, each once, in order, with what is in it."""
        for qos in 1, 2, 0:
            with self.subTest(qos=qos):
                subscriber = self.listen(self.broker)
                feeder = self.feed(sink(self.broker.port, f"delivery-qos={qos}"))
                self.assertEqual(feeder.play(), "ASYNC")
                started = time.monotonic()
                feeder.tell("push 2000 1000")
                self.assertEqual(feeder.ask("wait"), ["2000", "ok"])
                took = time.monotonic() - started
                feeder.end(25)
                stats = feeder.stats()
                self.check_sums(stats, 2000)
                self.assertEqual((stats["acknowledged"], stats["sent"], stats["reconnects"]), (2000, 2000, 0))
                self.wait_until(lambda s=subscriber: len(s.messages) >= 2000, "messages are missing")
                identities = subscriber.frames()
                self.assertEqual([frame for _, _, frame in identities], list(range(2000)))
                self.assertEqual({camera for camera, _, _ in identities}, {"cam"})
                self.assertEqual(len({epoch for _, epoch, _ in identities}), 1)
                for frame, message in enumerate(subscriber.messages):
                    self.assertIn(f'"count":{frame % 7 + 1},', message["payload"])
                    self.assertEqual(message["topic"], "t/cam")
                    user = message["properties"]["user-properties"]
                    self.assertEqual((user["camera"], user["frame"]), ("cam", str(frame)))
                    self.assertEqual(user["epoch"], identities[frame][1])
                print(f"QoS {qos}: 2000 frames in {took:.2f} s")
                self.assertEqual(feeder.errors + feeder.warnings, [])
                feeder.close()

    def test_version_311(self):
        """Without MQTT 5 the identity is in the JSON; what a topic has of the frame differs."""
        subscriber = self.listen(self.broker)
        feeder = self.feed(sink(self.broker.port, "mqtt-version=3.1.1").replace("t/%{source}", "%{host}/%%/%{frame}/%{format}"))
        feeder.play()
        feeder.tell("push 3 0")
        feeder.ask("wait")
        feeder.end(25)
        self.wait_until(lambda: len(subscriber.messages) >= 3, "messages are missing")
        topics = [message["topic"].split("/", 1)[1] for message in subscriber.messages]
        self.assertEqual(topics, ["%/0/json", "%/1/json", "%/2/json"])
        self.assertEqual([frame for _, _, frame in subscriber.frames()], [0, 1, 2])
        feeder.close()

    def test_text(self):
        """The text of contourextract gets the same identity as the JSON of frames."""
        subscriber = self.listen(self.broker)
        texts = []
        for way in "", "contourextract name=e e.src ! fakesink async=false e.json_src ! queue ! ":
            feeder = self.feed(sink(self.broker.port).replace("contourmqttsink", way + "contourmqttsink"))
            feeder.play()
            feeder.tell("push 3 0")
            feeder.ask("wait")
            feeder.end(25)
            self.wait_until(lambda: len(subscriber.messages) >= 3, "messages are missing")
            texts.append([re.sub('"epoch":"[^"]*"', "", message["payload"]) for message in subscriber.messages])
            self.assertEqual([message["properties"]["user-properties"]["frame"] for message in subscriber.messages],
                             ["0", "1", "2"])
            subscriber.messages.clear()
            feeder.close()
        self.assertEqual(*texts)

    def test_no_identity(self):
        """Without json-identity the JSON is that of contourexport."""
        subscriber = self.listen(self.broker)
        feeder = self.feed(sink(self.broker.port, "json-identity=false"))
        feeder.play()
        feeder.tell("push 1 0")
        feeder.ask("wait")
        feeder.end(25)
        self.wait_until(lambda: subscriber.messages, "the message is missing")
        self.assertTrue(subscriber.messages[0]["payload"].startswith('{"schema":"gst-cuda-contours/1","frame":0,"pts":0,'))
        feeder.close()

    def test_bytes(self):
        """Messages of bytes, as the function in the document reads them."""
        with open(DOCUMENT, encoding="utf-8") as file:
            code = re.search(r"^```text\n(def read_message.*?)^```", file.read(), re.MULTILINE | re.DOTALL)[1]
        functions = {"struct": struct}
        exec(code, functions)
        subscriber = subprocess.Popen(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.broker.port), "-t", "t/#", "-t", READY,
                                       "-F", "%x", "-C", "4", "-W", "30"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(subscriber.kill)
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.broker.port), "-r", "-t", READY, "-m", "ready"], check=True)
        self.assertEqual(bytes.fromhex(subscriber.stdout.readline()), b"ready")
        feeder = self.feed("cudacca backend=cpu ! " + sink(self.broker.port, "format=binary"))
        feeder.play()
        feeder.tell("push 3 0")
        feeder.ask("wait")
        feeder.end(25)
        messages = [functions["read_message"](bytes.fromhex(line)) for line in subscriber.stdout]
        subscriber.wait()
        subscriber.stdout.close()
        self.assertEqual([(camera, frame) for (camera, _, frame), _ in messages], [("cam", 0), ("cam", 1), ("cam", 2)])
        for (_, epoch, frame), results in messages:
            self.assertRegex(epoch, r"^\d{8}T\d{6}\.\d{6}Z$")
            self.assertEqual([result[:8] for result in results], [b"CTRFRAME"] * 2)
            # The first section of the components, of one row: two numbers of 8 bytes, width, height and count of 4 bytes each.
            at = results[0].index(b"CTRESULT") + 40 + 16
            self.assertEqual(struct.unpack_from("<4I", results[0], at + 16)[:3], (32, 32, frame % 7 + 1))
        feeder.close()

    def test_status(self):
        """Who subscribes later learns whether the element is there, also when it was killed."""
        def status():
            done = subprocess.run(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.broker.port), "-t", "status/cam",
                                   "-C", "1", "-W", "5"], capture_output=True, text=True, check=False)
            return done.stdout.strip()
        for kill in False, True:
            feeder = self.feed(sink(self.broker.port, "status-topic=status/%{source}"))
            feeder.play()
            self.assertEqual(status(), "online")
            if kill:
                feeder.process.kill()
                feeder.process.wait()
            else:
                feeder.ask("state null")
            self.wait_until(lambda: status() == "offline", "the status stays online")
            if not kill:
                feeder.close()


class Interruption(MqttTest):
    def interrupt(self, settings, rate=1000):
        """Pushes frames while the broker is killed, away, and back. Returns the feeder and what two subscribers got: one in
        the connection that was cut, one with a session that goes on."""
        live = self.listen(self.broker)
        lasting = self.listen(self.broker, name="lasting")
        self.broker.save()
        feeder = self.feed(sink(self.broker.port, settings))
        feeder.play()
        frames = int((AWAY + 1) * rate)
        feeder.tell(f"push {frames} {rate}")
        time.sleep(0.5)
        self.broker.kill()
        time.sleep(AWAY)
        self.broker.begin()
        return feeder, (live, lasting), frames

    def check_story(self, feeder):
        """The connection was lost and came back: messages and a warning say so."""
        self.assertEqual(len([text for text in feeder.elements if "connected=(boolean)false" in text]), 1, feeder.elements)
        self.assertEqual(len([text for text in feeder.elements if "connected=(boolean)true" in text]), 2, feeder.elements)
        self.assertEqual(len([text for text in feeder.warnings if "The connection to the broker" in text]), 1, feeder.warnings)
        self.assertEqual(feeder.errors, [])

    def test_nothing_lost(self):
        """The broker is killed and comes back: the queue had room, so every frame arrives."""
        feeder, subscribers, frames = self.interrupt("max-queue-messages=100000 leaky=upstream")
        self.assertEqual(feeder.ask("wait"), [str(frames), "ok"])
        feeder.end(30)
        stats = feeder.stats()
        self.check_sums(stats, frames)
        self.assertEqual((stats["acknowledged"], stats["lost"], stats["reconnects"]), (frames, 0, 1))
        self.wait_for_frames(subscribers, range(frames))
        self.check_story(feeder)
        feeder.close()

    def test_blocked(self):
        """A queue that is full holds the pipeline up: the frames come later, and all of them."""
        feeder, subscribers, frames = self.interrupt("max-queue-messages=50", rate=400)
        self.assertEqual(feeder.ask("wait"), [str(frames), "ok"])
        feeder.end(30)
        self.assertEqual(feeder.stats()["lost"], 0)
        self.wait_for_frames(subscribers, range(frames))
        self.check_story(feeder)
        feeder.close()

    def test_losses_are_counted(self):
        """A queue that is too small: exactly what was counted is missing, at the end that leaky says."""
        for leaky in "upstream", "downstream":
            with self.subTest(leaky=leaky):
                feeder, subscribers, frames = self.interrupt(f"max-queue-messages=200 leaky={leaky}")
                self.assertEqual(feeder.ask("wait"), [str(frames), "ok"])
                feeder.end(30)
                stats = feeder.stats()
                self.check_sums(stats, frames)
                self.assertEqual(stats["queued"], 0)
                self.assertGreater(stats["lost"], 0)
                self.wait_until(lambda s=stats: len({frame for subscriber in subscribers for _, _, frame in subscriber.frames()})
                                >= frames - s["lost"], "messages are missing")
                time.sleep(0.2)
                seen = {frame for subscriber in subscribers for _, _, frame in subscriber.frames()}
                self.assertEqual(len(seen), frames - stats["lost"])
                self.assertEqual(feeder.count_lost(), (stats["lost"], stats["lost"]))
                self.assertTrue([text for text in feeder.warnings if " are lost" in text], feeder.warnings)
                if leaky == "downstream":
                    self.assertLessEqual(set(range(frames - 100, frames)), seen, "new messages were dropped, not old ones")
                print(f"leaky={leaky}: {stats['lost']} of {frames} lost")
                feeder.close()
                for subscriber in subscribers:
                    subscriber.close()

    def test_late_broker(self):
        """A broker that is not there at the start may come later."""
        self.broker.kill()
        feeder = self.feed(sink(self.broker.port))
        feeder.play()
        feeder.tell("push 10 0")
        feeder.wait_for(lambda f: f.warnings, "a warning")
        self.assertRegex(feeder.warnings[0], "no connection: Connection refused. .*tries again")
        self.broker.begin()
        feeder.ask("wait")
        feeder.end(25)
        self.assertEqual(feeder.stats()["acknowledged"], 10)
        self.assertEqual((len(feeder.warnings), feeder.errors), (1, []))
        feeder.close()


class Endings(MqttTest):
    def test_broker_that_hangs(self):
        """Nobody waits for a broker that hangs: a flush, a stop, the end of the stream after its time."""
        feeder = self.feed(sink(self.broker.port, "max-queue-messages=5 drain-timeout=1000000000"))
        feeder.play()
        feeder.tell("push 1 0")
        feeder.wait_for(lambda f: f.stats()["acknowledged"] == 1, "the first message")
        self.broker.hang()
        feeder.tell("push 100 0")
        feeder.wait_for(lambda f: f.stats()["queued"] == 5, "a full queue")
        self.assertLess(float(feeder.ask("flush")[0]), QUICK)
        self.assertLess(float(feeder.ask("state ready")[1]), QUICK + SLACK)
        stats = feeder.stats()
        self.assertEqual((stats["queued"], stats["acknowledged"], stats["lost"]), (0, 1, 5))
        self.assertEqual(feeder.count_lost(), (5, 5))
        self.assertRegex(feeder.warnings[-1], "5 messages .* are lost: the element stopped")
        # The system still accepts connections for it.
        feeder.play()
        feeder.tell("push 3 0")
        feeder.ask("wait")
        self.assertAlmostEqual(feeder.end(5), 1, delta=0.5)
        self.assertRegex(feeder.warnings[-1], "3 messages .* are lost: the broker did not acknowledge them within 1 s")
        self.assertEqual(feeder.stats()["lost"], 3)
        self.assertLess(float(feeder.ask("state null")[1]), QUICK + SLACK)
        self.broker.resume()
        feeder.close()

    def test_states(self):
        """Starting and stopping again and again leaves no thread and no descriptor."""
        feeder = self.feed(sink(self.broker.port, "status-topic=s"))
        epochs = set()
        subscriber = self.listen(self.broker, topic="t/#")
        for turn in range(12):
            feeder.play()
            feeder.tell("push 2 0")
            feeder.ask("wait")
            if turn % 3 == 0:
                feeder.end(25)
            feeder.ask("state null" if turn % 2 else "state ready")
            if turn == 1:
                before = feeder.ask("resources")
        feeder.ask("state null")
        self.wait_until(lambda: all(int(now) <= int(then) for now, then in zip(feeder.ask("resources"), before)),
                        "threads or descriptors are left")
        self.wait_until(lambda: len(subscriber.messages) >= 8, "messages are missing")
        epochs = {epoch for _, epoch, _ in subscriber.frames()}
        self.assertGreaterEqual(len(epochs), 4)
        self.assertEqual(feeder.errors, [])
        feeder.close()

    def test_pause(self):
        """A pipeline that is paused while it waits for the broker goes on afterwards."""
        feeder = self.feed(sink(self.broker.port, "max-queue-messages=5"))
        feeder.play()
        self.broker.hang()
        feeder.tell("push 40 0")
        feeder.wait_for(lambda f: f.stats()["queued"] == 5, "a full queue")
        self.assertLess(float(feeder.ask("state paused")[1]), QUICK)
        self.broker.resume()
        feeder.play()
        feeder.ask("wait")
        feeder.end(25)
        self.assertEqual(feeder.stats()["acknowledged"], 40)
        feeder.close()


class Settings(MqttTest):
    def refuse(self, elements, pattern):
        """One error, which PATTERN matches, no other message, and soon."""
        feeder = self.feed(elements)
        feeder.play()
        feeder.tell("push 2 0")
        feeder.wait_for(lambda f: f.errors, "an error", 25)
        time.sleep(0.3)
        self.assertRegex(feeder.errors[0], pattern)
        self.assertNotIn("secret", feeder.errors[0])
        mine = [text for text in feeder.errors if text.startswith("sink:")]
        # On a busy computer a broker may reset a connection before it could be told from one that was refused.
        warnings = [text for text in feeder.warnings if "TLS" not in pattern or "closed it before it answered" not in text]
        self.assertEqual((len(mine), warnings), (1, []), feeder.errors)
        self.assertLess(float(feeder.ask("state null")[1]), QUICK + SLACK)
        feeder.close()
        return feeder.errors[0]

    def test_unknown_host(self):
        self.refuse(sink(1).replace("127.0.0.1:1", "no-such-host.invalid"), "no-such-host.invalid:1883: the name of the host is unknown")

    def test_wrong_settings(self):
        port = self.broker.port
        for elements, pattern in (
                (sink(port).replace("topic=t/%{source}", ""), "No topic is set"),
                (sink(port).replace(f"address=127.0.0.1:{port}", ""), "No address is set"),
                (sink(port).replace("%{source}", "%{camera}"), r'topic="t/%\{camera\}": "%\{camera\}" begins with no field'),
                (sink(port).replace("%{source}", "%"), '"%" begins with no field'),
                (sink(port).replace("t/%{source}", "t/+"), r'topic becomes "t/\+", which is no topic'),
                (sink(port, "status-topic=a/%{x}"), 'status-topic="a/%{x}"'),
                (sink(port).replace(f"127.0.0.1:{port}", "http://a"), 'address="http://a" is no address'),
                (sink(port).replace(f"127.0.0.1:{port}", "[::1"), "is no address"),
                (sink(port).replace(f"127.0.0.1:{port}", "a:70000"), "is no address"),
                (sink(port).replace(f"127.0.0.1:{port}", "mqtt://me:secret@a:1"), 'address="…@a:1" is no address'),
                (sink(port, "password=p"), "a password is set, but no user"),
                (sink(port, "ca-file=/no/such/file"), "ca-file cannot be read: .*/no/such/file"),
                (sink(port, "cert-file=/etc/hostname key-file=/etc/hostname"), "Set all three of them")):
            with self.subTest(pattern=pattern):
                self.refuse(elements, pattern)

    def test_quality_of_service(self):
        """A broker that offers less: an error at once, and then nothing is left to do, also when the broker ends."""
        broker = Broker(self.folder, ["allow_anonymous true", "max_qos 0"])
        self.addCleanup(broker.kill)
        feeder = self.feed(sink(broker.port, "delivery-qos=1"))
        since = time.monotonic()
        feeder.play()
        feeder.wait_for(lambda f: f.errors, "an error", 25)
        self.assertLess(time.monotonic() - since, 8)
        self.assertRegex(feeder.errors[0], "the broker does not offer delivery-qos=1")
        broker.kill()
        before = feeder.processor_time()
        time.sleep(3)
        self.assertLess(feeder.processor_time() - before, 0.05)
        feeder.close()

    def test_binary_of_text(self):
        elements = sink(self.broker.port, "format=binary").replace(
            "contourmqttsink", "contourextract name=e e.src ! fakesink async=false e.json_src ! queue ! contourmqttsink")
        self.refuse(elements, "format=binary needs frames")


class Passwords(MqttTest):
    def setUp(self):
        super().setUp()
        file = os.path.join(self.folder, "passwords")
        subprocess.run(["mosquitto_passwd", "-b", "-c", file, "line", "right"], check=True)
        self.guarded = Broker(self.folder, ["allow_anonymous false", f"password_file {file}"])
        self.addCleanup(self.guarded.kill)

    def test_right(self):
        feeder = self.feed(sink(self.guarded.port, "username=line password=right"))
        feeder.play()
        feeder.tell("push 5 0")
        feeder.ask("wait")
        feeder.end(25)
        self.assertEqual(feeder.stats()["acknowledged"], 5)
        feeder.close()

    def test_wrong(self):
        for settings in "username=line password=wrong", "", "username=line password=wrong mqtt-version=3.1.1":
            with self.subTest(settings=settings):
                Settings.refuse(self, sink(self.guarded.port, settings), "the broker refuses the user")


class Certificates(MqttTest):
    def setUp(self):
        super().setUp()
        self.make_authority("ca")
        self.make_authority("other")
        self.sign("server", "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.sign("client", "ca", "subjectAltName=DNS:client")
        self.sign("stranger", "other", "subjectAltName=DNS:client")
        self.sign("elsewhere", "ca", "subjectAltName=DNS:elsewhere")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True, timeout=30)

    def make_authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                     "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")

    def sign(self, name, authority, names):
        with open(os.path.join(self.folder, f"{name}.ext"), "w", encoding="utf-8") as file:
            file.write(names + "\n")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                     "-keyout", f"{name}.key", "-out", f"{name}.csr")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                     "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext", "-out", f"{name}.pem")

    def secure_broker(self, server="server", *settings):
        broker = Broker(self.folder, ["allow_anonymous true", f"cafile {self.folder}/ca.pem",
                                      f"certfile {self.folder}/{server}.pem", f"keyfile {self.folder}/{server}.key", *settings])
        self.addCleanup(broker.kill)
        return broker

    def secure(self, broker, host="localhost", **files):
        settings = " ".join(f"{name.replace('_', '-')}={self.folder}/{file}" for name, file in files.items())
        return sink(broker.port, settings).replace(f"127.0.0.1:{broker.port}", f"mqtts://{host}:{broker.port}")

    def test_tls(self):
        """The right authority, with a name, an address, and the client's certificate where the broker asks for it."""
        plain, asking = self.secure_broker(), self.secure_broker("server", "require_certificate true")
        for elements in (self.secure(plain, ca_file="ca.pem"), self.secure(plain, "127.0.0.1", ca_file="ca.pem"),
                         self.secure(asking, ca_file="ca.pem", cert_file="client.pem", key_file="client.key")):
            feeder = self.feed(elements)
            feeder.play()
            feeder.tell("push 200 0")
            feeder.ask("wait")
            feeder.end(25)
            self.assertEqual(feeder.stats()["acknowledged"], 200)
            self.assertEqual(feeder.errors + feeder.warnings, [])
            feeder.close()

    def test_wrong(self):
        plain, asking = self.secure_broker(), self.secure_broker("server", "require_certificate true")
        elsewhere = self.secure_broker("elsewhere")
        # The reason was on its way when it did.
        closed = "the broker closed the connection without a reason|.*Connection reset by peer"
        stranger = {"cert_file": "stranger.pem", "key_file": "stranger.key"}
        for elements, pattern in (
                (self.secure(plain, ca_file="other.pem"), ".*certificate verify failed"),
                (self.secure(plain), ".*certificate verify failed"),
                (self.secure(elsewhere, ca_file="ca.pem"), "host name verification failed. Check"),
                (self.secure(asking, ca_file="ca.pem"), f"(.*certificate required|{closed})"),
                (self.secure(asking, ca_file="ca.pem", **stranger), f"(.*unknown ca|{closed})"),
                (self.secure(self.broker, ca_file="ca.pem"), "")):
            with self.subTest(elements=elements):
                print(Settings.refuse(self, elements, "TLS failed: " + pattern))

    def test_late_broker(self):
        """A broker with TLS that is not there at the start is no failure of TLS, and may come later."""
        broker = self.secure_broker()
        broker.kill()
        for host in "127.0.0.1", "localhost":
            feeder = self.feed(self.secure(broker, host, ca_file="ca.pem"))
            feeder.play()
            feeder.tell("push 10 0")
            feeder.wait_for(lambda f: f.warnings, "a warning")
            self.assertRegex(feeder.warnings[0], "(Connection refused|refused the connection, or closed it).*tries again")
            broker.begin()
            feeder.ask("wait")
            feeder.end(25)
            self.assertEqual(feeder.stats()["acknowledged"], 10)
            self.assertEqual((len(feeder.warnings), feeder.errors), (1, []))
            feeder.close()
            broker.kill()

    def test_back_with_another_certificate(self):
        """What would be an error at the start is a warning later, and the element goes on trying."""
        broker = self.secure_broker()
        feeder = self.feed(self.secure(broker, ca_file="ca.pem"))
        feeder.play()
        feeder.wait_for(lambda f: f.elements, "a connection")
        broker.kill()
        with open(broker.configuration, encoding="utf-8") as file:
            right = file.read()
        with open(broker.configuration, "w", encoding="utf-8") as file:
            file.write(right.replace("server.", "elsewhere."))
        broker.begin()
        feeder.tell("push 5 0")
        feeder.wait_for(lambda f: any("TLS failed" in text for text in f.warnings), "a warning")
        self.assertEqual(feeder.errors, [])
        broker.kill()
        with open(broker.configuration, "w", encoding="utf-8") as file:
            file.write(right)
        broker.begin()
        feeder.ask("wait")
        feeder.end(25)
        self.assertEqual(feeder.stats()["acknowledged"], 5)
        feeder.close()


def main(program):
    global PROGRAM
    absent = [name for name, path in (("mosquitto", BROKER), ("mosquitto_sub", shutil.which("mosquitto_sub")),
                                      ("openssl", shutil.which("openssl"))) if not path]
    if absent:
        print(f"no {' and no '.join(absent)} here")
        return 77
    PROGRAM = program
    return not unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=2, warnings="ignore").result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
