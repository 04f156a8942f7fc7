# SPDX-License-Identifier: LGPL-2.1-or-later
"""The web server: the page, its live data over a WebSocket, pictures as MJPEG, changes of settings.

A slow reader gets the newest data and pictures, and misses those in between; one that reads nothing is disconnected."""
import asyncio
import json
import math
import os
import socket
import urllib.parse

from aiohttp import WSMsgType, web

from . import limits as limits_module
from .access import COOKIE, SESSION_SECONDS
from .settings import read_settings

FOLDER = os.path.dirname(os.path.abspath(__file__))
CHARTS = "/usr/share/javascript/chart.js/chart.min.js"
FILES = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js", "/charts.js": "charts.js", "/settings.js": "settings.js"}
UPDATES_PER_SECOND = 4
STALLED_SECONDS = 20
MAX_STREAMS = 64         # of data and of pictures, each
MAX_REQUEST = 16384      # bytes
SEND_BUFFER = 131072     # bytes, of a connection with pictures
BOUNDARY = "frame"


class View:
    """The newest picture of a camera, for everyone who waits for one."""

    def __init__(self):
        self.picture, self.event = None, asyncio.Event()

    def publish(self, picture):
        self.picture = picture
        self.event.set()
        self.event = asyncio.Event()


def refuse(status, sentence, **headers):
    return web.json_response({"error": sentence}, status=status, headers=headers)


def clean(value):
    """NaN and infinity are not in JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, (list, tuple)) else value


async def read_json(request):
    """What a request says. ValueError: it is no JSON."""
    try:
        return await request.json()
    except (LookupError, RecursionError):  # an encoding that does not exist, or lists of lists of lists
        raise ValueError("it is not understood") from None


def origin_of(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


class Server:
    def __init__(self, title, access, secure):
        self.title, self.access, self.secure = title, access, secure
        self.cameras, self.views = [], []
        self.streams = {"data": 0, "picture": 0}
        self.changing = asyncio.Lock()  # a change is made of the settings before it
        self.application = web.Application(client_max_size=MAX_REQUEST, middlewares=[self.guard])
        routes = [web.get(path, self.send_file) for path in FILES]
        routes += [web.get("/chart.js", self.send_charts), web.get("/live", self.send_live),
                   web.get("/api/state", self.send_state), web.post("/api/login", self.log_in),
                   web.post("/api/logout", self.log_out), web.get("/camera/{camera}/picture.jpg", self.send_picture),
                   web.get("/camera/{camera}/picture.mjpeg", self.send_pictures),
                   web.get("/camera/{camera}/failure/{failure}.jpg", self.send_failure),
                   web.post("/api/camera/{camera}/settings", self.change_settings)]
        self.application.add_routes(routes)

    def add(self, camera):
        self.cameras.append(camera)
        self.views.append(View())

    def picture_hosts(self):
        """Of the policy, which takes no queries and ends at a semicolon."""
        return " ".join(sorted({origin_of(camera.picture_url) for camera in self.cameras if getattr(camera, "picture_url", None)}))

    @web.middleware
    async def guard(self, request, handler):
        if not self.access.host_allowed(request.host):
            return refuse(403, f"This server has no name '{request.host}'. Use its address, or start it with --host-name.")
        try:
            response = await handler(request)
        except web.HTTPException as answer:
            self.protect(answer)
            raise
        if not response.prepared:
            self.protect(response)
        return response

    def protect(self, response):
        response.headers.update({
            "Content-Security-Policy": "default-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none';"
                                       f" img-src 'self' data: {self.picture_hosts()}",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"})
        response.headers.setdefault("Cache-Control", "no-store")

    # -- the page

    async def send_file(self, request):
        return web.FileResponse(os.path.join(FOLDER, FILES[request.path]), headers={"Cache-Control": "no-cache"})

    async def send_charts(self, _request):
        return web.FileResponse(CHARTS, headers={"Cache-Control": "no-cache"})

    # -- live data

    def state(self, wanted):
        cameras = []
        for number, camera in enumerate(self.cameras):
            measure = wanted.get(number, "area")
            found = camera.record.snapshot(measure)
            found |= {"measures": camera.record.measures(), "settings": camera.settings.as_json(), "kind": camera.kind,
                      "picture": getattr(camera, "picture_url", None) if camera.kind == "mqtt" else f"camera/{number}/picture"}
            cameras.append(found)
        return {"title": self.title, "measures": list(limits_module.MEASURES), "cameras": cameras}

    async def send_state(self, _request):
        return web.json_response(clean(self.state({})))

    def full(self, kind):
        return self.streams[kind] >= MAX_STREAMS and refuse(503, f"More than {MAX_STREAMS} pages are open.")

    async def send_live(self, request):
        # A browser opens WebSockets for pages of other servers as well.
        if not self.access.same_origin(request):
            return refuse(403, "The request comes from a page of another server.")
        if full := self.full("data"):
            return full
        live = web.WebSocketResponse(heartbeat=30, max_msg_size=MAX_REQUEST)
        wanted, sender = {}, None
        self.streams["data"] += 1
        try:
            await live.prepare(request)
            sender = asyncio.create_task(self.push(live, request, wanted))
            async for message in live:
                if message.type != WSMsgType.TEXT or not self.take_wish(message.data, wanted):
                    break
        finally:
            if sender:
                sender.cancel()
            self.streams["data"] -= 1
        return live

    def take_wish(self, text, wanted):
        """A page tells which measure it shows: {"camera": number, "measure": name}."""
        try:
            wish = json.loads(text)
            camera, measure = wish["camera"], wish["measure"]
            if measure in limits_module.MEASURES or measure in limits_module.COMPONENT_MEASURES:
                self.cameras[camera].want_measure(measure)
                wanted[camera] = measure
            return True
        except (ValueError, KeyError, TypeError, IndexError):
            return False

    async def push(self, live, request, wanted):
        """Sends the newest state a few times a second: a page that reads slowly misses those in between."""
        try:
            while not live.closed:
                state = self.state(wanted)
                state["token"], state["read_only"] = self.access.token_of(request), self.access.read_only
                await asyncio.wait_for(live.send_json(clean(state)), STALLED_SECONDS)
                await asyncio.sleep(1 / UPDATES_PER_SECOND)
        except (ConnectionError, asyncio.TimeoutError):
            if request.transport:
                request.transport.abort()

    # -- pictures

    def camera_of(self, request):
        text = request.match_info["camera"]
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else len(self.cameras)
        if number >= len(self.cameras):
            raise web.HTTPNotFound(text=f"There is no camera {text}.\n")
        return number, self.cameras[number]

    async def next_picture(self, number):
        view = self.views[number]
        await asyncio.wait_for(view.event.wait(), STALLED_SECONDS)
        return view.picture

    async def send_picture(self, request):
        number, camera = self.camera_of(request)
        camera.viewers += 1
        try:
            return web.Response(body=await self.next_picture(number), content_type="image/jpeg")
        except asyncio.TimeoutError:
            return refuse(503, "The camera delivers no picture.")
        finally:
            camera.viewers -= 1

    async def send_pictures(self, request):
        number, camera = self.camera_of(request)
        if full := self.full("picture"):
            return full
        response = web.StreamResponse(headers={"Content-Type": f"multipart/x-mixed-replace; boundary={BOUNDARY}",
                                               "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})
        self.streams["picture"] += 1
        camera.viewers += 1
        try:
            await response.prepare(request)
            # What is on its way is what a slow reader sees late, so buffers are small, the kernel's as well.
            if request.transport:
                request.transport.set_write_buffer_limits(high=65536)
                request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            while request.transport:  # none: the reader has gone
                try:
                    picture = await self.next_picture(number)
                except asyncio.TimeoutError:
                    continue  # the camera is lost; the connection waits for it
                part = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n".encode()
                await asyncio.wait_for(response.write(part + picture + b"\r\n"), STALLED_SECONDS)
        except (ConnectionError, asyncio.TimeoutError):
            if request.transport:
                request.transport.abort()
        finally:
            camera.viewers -= 1
            self.streams["picture"] -= 1
        return response

    async def send_failure(self, request):
        _, camera = self.camera_of(request)
        text = request.match_info["failure"]
        picture = camera.record.picture_of(int(text)) if text.isascii() and text.isdigit() and len(text) < 16 else None
        if picture is None:
            return refuse(404, f"There is no picture of failure {text}: only the last ones are kept.")
        return web.Response(body=picture, content_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})

    # -- changes

    async def log_in(self, request):
        if self.access.read_only:
            return refuse(403, "The dashboard was started without a password, so it is read-only.")
        if not self.access.same_origin(request):
            return refuse(403, "The request comes from a page of another server.")
        try:
            password = (await read_json(request))["password"]
            # Behind the last wait, so that many requests at a time cannot all be tried.
            if wait := self.access.seconds_to_wait(request.remote):
                return refuse(429, f"Too many wrong passwords: try again in {math.ceil(wait)} s.", **{"Retry-After": str(math.ceil(wait))})
            session = self.access.log_in(password, request.remote) if isinstance(password, str) else None
        except (ValueError, KeyError, TypeError):
            return refuse(400, "The request has no password.")
        if not session:
            return refuse(403, "The password is wrong.")
        response = web.json_response({"token": session[1]})
        response.set_cookie(COOKIE, session[0], max_age=SESSION_SECONDS, httponly=True, samesite="Strict", secure=self.secure,
                            path="/")
        return response

    async def log_out(self, request):
        if not self.access.may_change(request):
            return refuse(403, "Nobody is logged in.")
        self.access.log_out(request)
        response = web.json_response({})
        response.del_cookie(COOKIE, path="/")
        return response

    async def change_settings(self, request):
        number, camera = self.camera_of(request)
        if not self.access.may_change(request):
            return refuse(403, "Only who is logged in may change settings.")
        try:
            sent = await read_json(request)
            if camera.kind == "mqtt" and isinstance(sent, dict) and set(sent) != {"limits"}:
                raise ValueError("the camera is fed by MQTT: only its limits can be changed here")
            async with self.changing:
                frame = camera.record.frame
                settings = read_settings(sent, camera.settings, frame and frame.size)
                await asyncio.get_running_loop().run_in_executor(None, camera.change, settings)
        except (KeyError, TypeError, AttributeError) as problem:
            return refuse(400, f"Not changed: the request lacks a field, or one is of another type: {problem}.")
        except ValueError as problem:
            return refuse(400, f"Not changed: {problem}.")
        return web.json_response({"camera": number, "settings": clean(camera.settings.as_json())})
