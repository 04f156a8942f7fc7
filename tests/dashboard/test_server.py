# SPDX-License-Identifier: LGPL-2.1-or-later
"""The web server of the dashboard: who may change settings, and clients that read slowly or not at all.

Argument: the program that generates scenes. CTR_DASHBOARD_SECONDS is how long the rate of frames is measured each time (4).
"""
import asyncio
import os
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from dashboard import PASSWORD, ROOT, Dashboard, make_film, need

need("aiohttp", "gi")
import aiohttp

SECONDS = float(os.environ.get("CTR_DASHBOARD_SECONDS", "4"))
TOLERANCE = 0.1         # of the rate of frames, with clients and without
STALLED_BYTES = 2 << 20  # that a client which read nothing for a while finds at most: some pictures, not all of them
MEMORY = 64 << 20       # that clients may take in all


async def state(session, url):
    async with session.get(url + "api/state") as response:
        return await response.json()


async def first_frame(session, url):
    end = time.monotonic() + 60
    while not (await state(session, url))["cameras"][0]["frame"]:
        assert time.monotonic() < end, "no frame comes"
        await asyncio.sleep(0.1)


async def post(session, url, body, **headers):
    async with session.post(url, json=body, headers=headers) as response:
        return response.status, (await response.json()), response


async def check_access(film):
    with Dashboard(film, "--holes=1:2", "--host-name=line3.example", password=PASSWORD) as dashboard:
        jar = aiohttp.CookieJar(unsafe=True)  # of an address
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            url, change = dashboard.url, dashboard.url + "api/camera/0/settings"
            await first_frame(session, url)
            async with session.get(url) as response:
                policy = response.headers["Content-Security-Policy"]
                assert "default-src 'self'" in policy and "unsafe" not in policy and "://" not in await response.text(), policy
            for host, status in {"line3.example": 200, "attacker.example": 403}.items():
                async with session.get(url, headers={"Host": host}) as response:
                    assert response.status == status, (host, response.status)
            for path in "camera/7/picture.jpg", "camera/0/failure/999.jpg", "camera/x/picture.mjpeg", "api/nothing", "dashboard.py":
                async with session.get(url + path) as response:
                    assert response.status == 404, (path, response.status)

            status, answer, _ = await post(session, change, {"threshold": 5, "mode": "fixed"})
            assert status == 403 and "logged in" in answer["error"]
            status, _, response = await post(session, url + "api/login", {"password": PASSWORD}, Origin="http://attacker.example")
            assert status == 403 and "Set-Cookie" not in response.headers
            status, answer, response = await post(session, url + "api/login", {"password": PASSWORD})
            cookie = response.headers["Set-Cookie"]
            assert status == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
            token = {"X-Dashboard-Token": answer["token"]}
            for headers in {}, {"X-Dashboard-Token": "x"}, token | {"Origin": "http://attacker.example"}:
                assert (await post(session, change, {"threshold": 5}, **headers))[0] == 403, headers
            try:
                await session.ws_connect(url + "live", headers={"Origin": "http://attacker.example"})
                raise AssertionError("a page of another server gets the data")
            except aiohttp.WSServerHandshakeError as problem:
                assert problem.status == 403
            assert (await state(session, url))["cameras"][0]["settings"]["mode"] == "otsu"

            status, answer, _ = await post(session, change, {"threshold": 200, "mode": "fixed"}, **token, Origin=url.rstrip("/"))
            assert status == 200 and answer["settings"]["threshold"] == 200, answer
            end = time.monotonic() + 20
            while ((await state(session, url))["cameras"][0]["frame"] or {}).get("threshold") != 200:
                assert time.monotonic() < end, "the threshold does not apply"
                await asyncio.sleep(0.1)
            for body, sentence in ({"threshold": 1e9}, "whole number"), ({"region": {"x": 1}}, "lacks a field"), ([], "fields other"):
                status, answer, _ = await post(session, change, body, **token)
                assert status == 400 and sentence in answer["error"], answer
            async with session.post(change, data=b"x" * 100000, headers=token) as response:
                assert response.status == 413, response.status

            status, _, _ = await post(session, url + "api/logout", {}, **token)
            assert status == 200 and (await post(session, change, {"threshold": 6}, **token))[0] == 403
            statuses = [(await post(session, url + "api/login", {"password": f"guess {n}"}))[0] for n in range(7)]
            assert statuses == [403] * 5 + [429] * 2, statuses
            assert (await post(session, url + "api/login", {"password": PASSWORD}))[0] == 429, "the right one has to wait, too"
    print("changes need the password, the session and its token")


async def check_tls(folder, film):
    if not shutil.which("openssl"):
        print("no openssl here: https is not tested")
        return
    key, certificate = (os.path.join(folder, name) for name in ("key.pem", "certificate.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    with Dashboard(film, "--bind=0.0.0.0", f"--tls-cert={certificate}", f"--tls-key={key}", password=PASSWORD) as dashboard:
        async with aiohttp.ClientSession() as session:
            url = dashboard.url.replace("0.0.0.0", "127.0.0.1")
            trust = ssl.create_default_context(cafile=certificate)
            async with session.post(url + "api/login", json={"password": PASSWORD}, ssl=trust) as response:
                assert response.status == 200 and "Secure" in response.headers["Set-Cookie"], response
    assert "unencrypted" not in dashboard.errors, dashboard.errors
    with Dashboard(film, "--bind=0.0.0.0", password=PASSWORD) as dashboard:
        pass
    assert dashboard.errors.count("passwords are sent unencrypted") == 1, dashboard.errors
    print("https, and the sentence without it")


async def measure_rate(session, url):
    """Frames per second of the pipeline, those included that were not evaluated."""
    async def count():
        totals = (await state(session, url))["cameras"][0]["totals"]
        return totals["frames"] + totals["skipped"]
    first, start = await count(), time.monotonic()
    await asyncio.sleep(SECONDS)
    return (await count() - first) / (time.monotonic() - start)


async def stalled_client(url, path):
    """Asks, and reads nothing."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host}:{port}\r\n{upgrade if path == 'live' else ''}\r\n".encode())
    await writer.drain()
    writer.transport.pause_reading()
    return reader, writer


async def reading_client(session, url):
    async with session.get(url + "camera/0/picture.mjpeg") as response:
        async for _ in response.content.iter_chunked(65536):
            pass


def resident(process):
    with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


async def check_clients(film):
    with Dashboard(film, "--holes=1:2") as dashboard:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None), connector=aiohttp.TCPConnector(limit=0)) as session:
            url, rates = dashboard.url, {}
            await first_frame(session, url)
            rates["no client"] = await measure_rate(session, url)
            stalled = [await stalled_client(url, "camera/0/picture.mjpeg")]
            before = resident(dashboard.process)
            rates["1 that reads nothing"] = await measure_rate(session, url)
            for path in ["camera/0/picture.mjpeg"] * 2 + ["live"] * 3:
                stalled.append(await stalled_client(url, path))
            readers = [asyncio.create_task(reading_client(session, url)) for _ in range(5)]
            rates["5 that read, 6 that do not"] = await measure_rate(session, url)
            print({name: f"{rate:.1f} frames/s" for name, rate in rates.items()})
            print(f"{(resident(dashboard.process) - before) >> 20} MiB more")
            assert all(abs(rate / rates["no client"] - 1) <= TOLERANCE for rate in rates.values()), rates
            assert resident(dashboard.process) - before < MEMORY
            # What waits for the first one is bounded: it has missed the pictures in between.
            reader, writer = stalled[0]
            writer.transport.resume_reading()
            waiting, end = 0, time.monotonic() + 0.2
            while time.monotonic() < end:
                waiting += len(await reader.read(1 << 20))
            print(f"{waiting} bytes waited for the first one")
            assert 0 < waiting < STALLED_BYTES, waiting
            for _, writer in stalled:
                writer.transport.abort()
            for task in readers:
                task.cancel()
            await asyncio.gather(*readers, return_exceptions=True)


def check_port(film):
    """A port that is taken is told, and the command ends."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "pipelines", "dashboard.py"), f"--port={taken.getsockname()[1]}", film],
                              capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "address already in use" in done.stderr and "Traceback" not in done.stderr, done
    print("a port that is taken is told")


async def check(folder, scene):
    film = os.path.join(folder, "parts.avi")
    make_film(film, scene, 120)
    check_port(film)
    await check_clients(film)
    await check_access(film)
    await check_tls(folder, film)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(check(place, *sys.argv[1:]))
