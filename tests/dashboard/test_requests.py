# SPDX-License-Identifier: LGPL-2.1-or-later
"""The web server in this process, without a pipeline: requests that make no sense, many at a time, and readers that go away.
Exit status 77 without aiohttp."""
import asyncio
import json
import os
import sys
import time

from dashboard import PASSWORD, ROOT, need

need("aiohttp")
import aiohttp
from aiohttp import web

sys.path.insert(0, os.path.join(ROOT, "pipelines"))
del sys.modules["dashboard"]  # that of pipelines/ has the same name
from dashboard import access, record, server, settings

BODIES = b"[" * 16000, b"5", b"null", b'{"password": 7}', b'{"password": "\\ud800"}', b"\xff\xfe"


class Still:
    """A camera that delivers nothing, and takes its time for a change."""
    kind, name, picture_url = "live", "still", None

    def __init__(self, url=None):
        self.record, self.settings, self.viewers = record.Record("still"), settings.Settings(), 0
        if url:
            self.kind, self.picture_url = "mqtt", url

    def change(self, new):
        time.sleep(0.2)
        self.settings = new

    def want_measure(self, name):
        pass


async def serve(*cameras):
    """The server, and the URL of its page."""
    made = server.Server("Test", access.Access(PASSWORD), False)
    for camera in cameras:
        made.add(camera)
    runner = web.AppRunner(made.application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=0.1).start()
    return made, runner, f"http://127.0.0.1:{runner.addresses[0][1]}/"


async def ask(url, path, body=b"", **headers):
    """Sends a request as it is. Returns the status and the headers."""
    reader, writer = await begin(url, path, len(body), **headers)
    writer.write(body)
    return await answer_of(reader, writer)


async def begin(url, path, length, **headers):
    """Sends all but the body."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    headers = {"Host": f"{host}:{port}", "Content-Length": str(length), "Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{'POST' if length else 'GET'} /{path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    writer.write("\r\n".join(lines).encode("utf-8", "surrogateescape"))
    await writer.drain()
    return reader, writer


async def answer_of(reader, writer):
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode()
    writer.close()
    return int(head.split()[1]), head


async def check_nonsense():
    """No request makes the server fail, and all answers have the headers that protect pages."""
    camera = Still()
    made, runner, url = await serve(camera)
    try:
        for headers in {"Host": "["}, {"Host": "[::1"}, {"Host": "evil.example"}:
            assert (await ask(url, "", **headers))[0] == 403, headers
        for path in "api/login", "live":
            assert (await ask(url, path, b"{}" if path != "live" else b"", Origin="http://["))[0] == 403, path
        session, token = made.access.log_in(PASSWORD, "127.0.0.1")
        cookie = {"Cookie": f"{access.COOKIE}={session}"}
        assert (await ask(url, "api/camera/0/settings", b"{}", **cookie, X_Dashboard_Token="\udcff"))[0] == 403
        for body in BODIES:
            made.access.attempts.clear()
            made.access.all_attempts.clear()
            assert (await ask(url, "api/login", body))[0] in (400, 403), body
            assert (await ask(url, "api/camera/0/settings", body, **cookie, X_Dashboard_Token=token))[0] == 400, body
        for kind in "application/json; charset=nonsense", "application/json; charset=utf-16":
            status, _ = await ask(url, "api/camera/0/settings", b"{}", **cookie, X_Dashboard_Token=token, Content_Type=kind)
            assert status == 400, kind
        huge = json.dumps({"limits": [{"name": "area", "low": 10**400, "high": None}]}).encode()
        assert (await ask(url, "api/camera/0/settings", huge, **cookie, X_Dashboard_Token=token))[0] == 400
        status, head = await ask(url, "camera/<b>/picture.jpg")
        assert status == 404 and "nosniff" in head and "default-src 'self'" in head, head
    finally:
        await runner.cleanup()
    print("requests that make no sense are refused")


async def check_passwords():
    """Passwords that are sent at the same time are not tried all."""
    made, runner, url = await serve(Still())
    try:
        body = json.dumps({"password": "wrong horse"}).encode()
        begun = [await begin(url, "api/login", len(body)) for _ in range(20)]
        await asyncio.sleep(0.2)  # all of them are being read
        for _, writer in begun:
            writer.write(body)
        statuses = [(await answer_of(*connection))[0] for connection in begun]
        assert sorted(statuses) == [403] * access.ATTEMPTS + [429] * (20 - access.ATTEMPTS), statuses
        assert len(made.access.all_attempts) == access.ATTEMPTS
    finally:
        await runner.cleanup()
    print("many passwords at a time are no way around the limit")


async def check_changes():
    """Of two changes at the same time none undoes the other."""
    camera = Still()
    made, runner, url = await serve(camera)
    try:
        session, token = made.access.log_in(PASSWORD, "127.0.0.1")
        headers = {"Cookie": f"{access.COOKIE}={session}", "X_Dashboard_Token": token}
        answers = await asyncio.gather(ask(url, "api/camera/0/settings", b'{"threshold": 9}', **headers),
                                       ask(url, "api/camera/0/settings", b'{"mode": "fixed"}', **headers))
        assert [status for status, _ in answers] == [200, 200]
        assert (camera.settings.threshold, camera.settings.mode) == (9, "fixed"), camera.settings.as_json()
    finally:
        await runner.cleanup()
    print("changes at the same time are made one after the other")


async def check_readers():
    """A reader of a lost camera who goes away is not counted for ever."""
    server.STALLED_SECONDS = 0.3
    camera = Still()
    made, runner, url = await serve(camera)
    try:
        for _ in range(5):
            _, writer = await begin(url, "camera/0/picture.mjpeg", 0)
            await asyncio.sleep(0.1)
            writer.close()
        end = time.monotonic() + 5
        while made.streams["picture"] or camera.viewers:
            assert time.monotonic() < end, made.streams
            await asyncio.sleep(0.1)
    finally:
        await runner.cleanup()
    print("readers of a lost camera may go")


async def check_policy():
    """Pictures of other servers are allowed by the origin alone: the rest of a URL may end the policy."""
    made, runner, url = await serve(Still("http://user:word@camera-1:81/a;b/c.jpg?x=1, 2"), Still("https://camera-2/x"))
    try:
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            policy = response.headers["Content-Security-Policy"]
            assert policy.endswith(" img-src 'self' data: http://camera-1:81 https://camera-2"), policy
    finally:
        await runner.cleanup()
    print("the policy has the origins of pictures")


async def main():
    for check in check_nonsense, check_passwords, check_changes, check_readers, check_policy:
        await check()


asyncio.run(main())
