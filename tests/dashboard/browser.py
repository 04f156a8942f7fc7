# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium, driven by the DevTools protocol over a WebSocket."""
import asyncio
import base64
import os
import shutil
import subprocess
import time

import aiohttp

START_SECONDS = 60


def find_chromium():
    return shutil.which("chromium")


class Browser:
    """async with Browser(folder) as browser: one page. FOLDER takes the profile."""

    def __init__(self, folder):
        self.profile = os.path.join(folder, "profile")

    async def __aenter__(self):
        self.process = subprocess.Popen(
            [find_chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
             "--remote-debugging-port=0", f"--user-data-dir={self.profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = aiohttp.ClientSession()
        try:
            await self.connect()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def connect(self):
        path, end = os.path.join(self.profile, "DevToolsActivePort"), time.monotonic() + START_SECONDS
        while not os.path.exists(path) or not open(path, encoding="utf-8").read().strip():
            assert self.process.poll() is None, f"chromium ends with status {self.process.returncode}"
            assert time.monotonic() < end, "chromium does not start"
            await asyncio.sleep(0.1)
        port = open(path, encoding="utf-8").read().split()[0]
        async with self.session.get(f"http://127.0.0.1:{port}/json/list") as response:
            page = next(target for target in await response.json() if target["type"] == "page")
        self.socket = await self.session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0)
        self.number, self.answers, self.problems = 0, {}, []
        self.reader = asyncio.create_task(self.read())
        for domain in "Page", "Runtime", "Log":
            await self.call(f"{domain}.enable")

    async def __aexit__(self, *_):
        await self.session.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    async def read(self):
        async for message in self.socket:
            found = message.json()
            if "id" in found:
                self.answers.pop(found["id"]).set_result(found)
            elif found["method"] == "Runtime.exceptionThrown":
                self.problems.append(found["params"]["exceptionDetails"].get("exception", {}).get("description", "?"))
            elif found["method"] == "Log.entryAdded" and found["params"]["entry"]["level"] == "error":
                entry = found["params"]["entry"]
                self.problems.append(f"{entry['text']} {entry.get('url', '')}")

    async def call(self, method, **parameters):
        self.number += 1
        answer = self.answers[self.number] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": self.number, "method": method, "params": parameters})
        found = await asyncio.wait_for(answer, 60)
        assert "error" not in found, (method, found["error"])
        return found["result"]

    async def open(self, url):
        await self.call("Page.navigate", url=url)

    async def run(self, script):
        """The value of an expression of JavaScript; promises are awaited."""
        found = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, (script, found["exceptionDetails"])
        return found["result"].get("value")

    async def until(self, script, seconds=20):
        """Waits until the expression is true, and returns its value."""
        end, value = time.monotonic() + seconds, None
        while time.monotonic() < end:
            if value := await self.run(script):
                return value
            await asyncio.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {script}; the page: {(await self.run('document.body?.innerText ?? 0'))}")

    async def resize(self, width, height, scale=1):
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    async def prefer(self, **features):
        """prefers-NAME: VALUE, such as color_scheme="dark"."""
        await self.call("Emulation.setEmulatedMedia", features=[
            {"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()])

    async def screenshot(self, path, whole=False):
        found = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(found["data"]))

    async def mouse(self, kind, x, y):
        await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                        buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    async def drag(self, start, end):
        await self.mouse("mousePressed", *start)
        for step in range(1, 5):
            await self.mouse("mouseMoved", *(a + (b - a) * step / 4 for a, b in zip(start, end)))
        await self.mouse("mouseReleased", *end)

    async def click(self, selector):
        """Clicks with the mouse in the middle of an element, which it scrolls to."""
        x, y = await self.run(f"""(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});
            const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")
        await self.mouse("mousePressed", x, y)
        await self.mouse("mouseReleased", x, y)

    async def key(self, name, code):
        for kind in "keyDown", "keyUp":
            await self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                            **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))

    async def type(self, selector, text):
        """Replaces the value of a field by typing."""
        await self.run(f"(() => {{ const e = document.querySelector({selector!r}); e.focus(); e.select(); }})()")
        await self.call("Input.insertText", text=text)
