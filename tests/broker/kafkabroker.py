#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Kafka broker for tests: what a producer needs of the protocol, and faults that no real broker has at command.

It checks the sequence numbers of idempotent producers as Kafka does, which librdkafka's mock cluster does not: a batch
that comes again is answered and not stored again, a gap is an error. It writes each record that it stores to a file, as
a line of JSON. It listens on 127.0.0.1, prints its port, reads commands from the standard input, and answers each with
a line:

  down        closes its port and all connections        up        opens the port again
  hang        reads requests and does not answer         resume    answers them
  lose N      stores the next N batches of requests, and closes their connections instead of an answer
  refuse N    answers the next N requests to produce with an error that passes
  forbid      no longer lets anyone write                counts    prints batches stored, repeated and lost
  reload      reads its certificate and key again
"""
import argparse
import gzip
import json
import socket
import ssl
import struct
import sys
import threading

PRODUCE, FETCH, METADATA, SASL_HANDSHAKE, API_VERSIONS, INIT_PRODUCER_ID, SASL_AUTHENTICATE = 0, 1, 3, 17, 18, 22, 36
# Lowest and highest version of each request. Nobody fetches: clients take FETCH as a sign of record batches.
VERSIONS = {PRODUCE: (3, 7), FETCH: (4, 4), METADATA: (4, 4), SASL_HANDSHAKE: (0, 1), API_VERSIONS: (0, 2),
            INIT_PRODUCER_ID: (0, 1), SASL_AUTHENTICATE: (0, 0)}
UNKNOWN_TOPIC, NOT_LEADER, TOPIC_FORBIDDEN, UNSUPPORTED_MECHANISM = 3, 6, 29, 33
UNSUPPORTED_VERSION, OUT_OF_ORDER, AUTHENTICATION_FAILED = 35, 45, 58
KEPT_BATCHES = 5  # of each producer and partition, as Kafka keeps them


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def unpack(self, layout):
        values = struct.unpack_from('>' + layout, self.data, self.at)
        self.at += struct.calcsize('>' + layout)
        return values[0] if len(values) == 1 else values

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        size = self.unpack('h')
        return None if size < 0 else self.take(size).decode()

    def blob(self):
        size = self.unpack('i')
        return b'' if size < 0 else self.take(size)

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return (value >> 1) ^ -(value & 1)
            shift += 7

    def short_blob(self):
        size = self.varint()
        return None if size < 0 else self.take(size)


def string(text):
    return struct.pack('>h', -1) if text is None else struct.pack('>h', len(text.encode())) + text.encode()


def array(items):
    return struct.pack('>i', len(items)) + b''.join(items)


class Partition:
    def __init__(self):
        self.records = 0
        self.producers = {}  # id: (epoch, next sequence, [(sequence, offset)])


class Broker:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Condition()
        self.topics = {name: [Partition() for _ in range(options.partitions)] for name in options.topic}
        self.log = open(options.log, 'w', encoding='utf-8') if options.log else None
        self.connections = set()
        self.listener = None
        self.port = 0
        self.hanging = self.forbidden = False
        self.to_lose = self.to_refuse = 0
        self.stored = self.repeated = self.lost = 0
        self.next_producer = 1000
        self.tls = None
        if options.cert:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(options.cert, options.key)
        if options.ca:
            self.tls.load_verify_locations(options.ca)
            self.tls.verify_mode = ssl.CERT_REQUIRED

    # Connections.

    def up(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(('127.0.0.1', self.port))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def down(self):
        with self.lock:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            for connection in self.connections:
                # Not the function of TLS, which would take its state from the thread that reads.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def accept(self, listener):
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        stream = connection
        if self.tls:
            stream = self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        with self.lock:
            self.connections.add(stream)
        try:
            if self.tls:
                stream.do_handshake()
            user = None
            while True:
                request = receive(stream)
                with self.lock:
                    self.lock.wait_for(lambda: not self.hanging)
                    answer, user = self.handle(Reader(request), user)
                if answer is None:
                    break
                if answer:
                    stream.sendall(struct.pack('>i', len(answer)) + answer)
        except (OSError, EOFError):
            pass
        finally:
            with self.lock:
                self.connections.discard(stream)
            stream.close()

    # Requests. None as an answer closes the connection, nothing is no answer.

    def handle(self, request, user):
        key, version, correlation, _ = request.unpack('h'), request.unpack('h'), request.unpack('i'), request.string()
        head = struct.pack('>i', correlation)
        if key == API_VERSIONS:
            known = VERSIONS[key][0] <= version <= VERSIONS[key][1]
            apis = [struct.pack('>hhh', api, *span) for api, span in VERSIONS.items()]
            rest = struct.pack('>i', 0) if known and version > 0 else b''
            return head + struct.pack('>h', 0 if known else UNSUPPORTED_VERSION) + array(apis) + rest, user
        if key == SASL_HANDSHAKE:
            known = request.string() == 'PLAIN'
            return head + struct.pack('>h', 0 if known else UNSUPPORTED_MECHANISM) + array([string('PLAIN')]), user
        if key == SASL_AUTHENTICATE:
            _, name, password = request.blob().decode().split('\0')
            if [name, password] == [self.options.user, self.options.password]:
                return head + struct.pack('>h', 0) + string(None) + struct.pack('>i', 0), name
            return head + struct.pack('>h', AUTHENTICATION_FAILED) + string('Wrong user or password') \
                + struct.pack('>i', 0), None
        if self.options.user and not user:
            return None, None
        if key == METADATA:
            return head + self.metadata(request), user
        if key == INIT_PRODUCER_ID:
            self.next_producer += 1
            return head + struct.pack('>ihqh', 0, 0, self.next_producer, 0), user
        if key == PRODUCE:
            answer = self.produce(request, version)
            return (head + answer if answer else answer), user
        print(f'unknown request {key}', file=sys.stderr)
        return None, user

    def metadata(self, request):
        count = request.unpack('i')
        names = [request.string() for _ in range(count)] if count > 0 else list(self.topics)
        create = request.unpack('b')
        topics = []
        for name in names:
            if name not in self.topics and create and self.options.auto_create:
                self.topics[name] = [Partition() for _ in range(self.options.partitions)]
            partitions = [struct.pack('>hiiiiii', 0, i, 1, 1, 1, 1, 1) for i in range(len(self.topics.get(name, [])))]
            topics.append(struct.pack('>h', 0 if partitions else UNKNOWN_TOPIC) + string(name) + b'\0' + array(partitions))
        broker = struct.pack('>i', 1) + string('127.0.0.1') + struct.pack('>i', self.port) + string(None)
        return struct.pack('>i', 0) + array([broker]) + string('test') + struct.pack('>i', 1) + array(topics)

    def produce(self, request, version):
        request.string()
        acks, _ = request.unpack('hi')
        lose = self.to_lose > 0
        refuse = self.to_refuse > 0
        self.to_lose -= lose
        self.to_refuse -= refuse
        topics = []
        for _ in range(request.unpack('i')):
            name = request.string()
            partitions = []
            for _ in range(request.unpack('i')):
                index, records = request.unpack('i'), request.blob()
                error, offset = NOT_LEADER, -1
                if not refuse:
                    error, offset = self.append(name, index, records)
                partitions.append(struct.pack('>ihqq', index, error, offset, -1)
                                  + (struct.pack('>q', 0) if version >= 5 else b''))
            topics.append(string(name) + array(partitions))
        if lose:
            self.lost += 1
            return None
        return array(topics) + struct.pack('>i', 0) if acks else b''

    def append(self, topic, index, data):
        """Stores a batch of records; returns an error and the offset of its first record."""
        if self.forbidden:
            return TOPIC_FORBIDDEN, -1
        if index >= len(self.topics.get(topic, [])):
            return UNKNOWN_TOPIC, -1
        partition = self.topics[topic][index]
        batch = Reader(data)
        _, _, _, magic, _, attributes, _, _, _, producer, epoch, sequence, count = batch.unpack('qiibIhiqqqhii')
        assert magic == 2
        if producer >= 0:
            known_epoch, expected, kept = partition.producers.get(producer, (epoch, 0, []))
            if epoch != known_epoch:
                expected, kept = 0, []
            for kept_sequence, kept_offset in kept:
                if kept_sequence == sequence:
                    self.repeated += 1
                    return 0, kept_offset
            if sequence != expected:
                return OUT_OF_ORDER, -1
            kept = (kept + [(sequence, partition.records)])[-KEPT_BATCHES:]
            partition.producers[producer] = (epoch, (sequence + count) & 0x7fffffff, kept)
        offset = partition.records
        partition.records += count
        self.stored += 1
        if self.log:
            self.write(index, offset, attributes, Reader(data[batch.at:]), count)
        return 0, offset

    def write(self, index, offset, attributes, records, count):
        compression = attributes & 7
        if compression == 1:
            records = Reader(gzip.decompress(records.data))
        elif compression:
            raise ValueError(f'compression {compression} is not known here')
        for i in range(count):
            records.varint()
            records.take(1)
            records.varint()
            records.varint()
            key, value = records.short_blob(), records.short_blob()
            headers = [(records.short_blob().decode(), records.short_blob().decode()) for _ in range(records.varint())]
            self.log.write(json.dumps({'partition': index, 'offset': offset + i, 'key': key and key.decode(),
                                       'headers': dict(headers), 'value': value.decode('utf-8', 'backslashreplace')}) + '\n')
        self.log.flush()

    # Commands.

    def obey(self, command, number):
        if command == 'up':
            self.up()
        elif command == 'down':
            self.down()
        else:
            with self.lock:
                if command in ('hang', 'resume'):
                    self.hanging = command == 'hang'
                    self.lock.notify_all()
                elif command == 'lose':
                    self.to_lose = number
                elif command == 'refuse':
                    self.to_refuse = number
                elif command == 'forbid':
                    self.forbidden = True
                elif command == 'reload':
                    self.tls.load_cert_chain(self.options.cert, self.options.key)
                elif command == 'counts':
                    return f'{self.stored} {self.repeated} {self.lost}'
                else:
                    return f'unknown command {command}'
        return 'ok'


def receive(stream):
    def read(size):
        data = b''
        while len(data) < size:
            part = stream.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data
    return read(struct.unpack('>i', read(4))[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--topic', action='append', default=[], help='a topic that exists')
    parser.add_argument('--partitions', type=int, default=2)
    parser.add_argument('--auto-create', action='store_true', help='create topics that a client asks for')
    parser.add_argument('--log', help='file for the records')
    parser.add_argument('--user', help='who has to authenticate with SASL PLAIN')
    parser.add_argument('--password')
    parser.add_argument('--cert', help='certificate, for TLS')
    parser.add_argument('--key', help='its private key')
    parser.add_argument('--ca', help='who may have signed the certificate that each client has to show')
    broker = Broker(parser.parse_args())
    broker.up()
    print(broker.port, flush=True)
    for line in sys.stdin:
        command, *number = line.split()
        print(broker.obey(command, int(number[0]) if number else 1), flush=True)


if __name__ == '__main__':
    main()
