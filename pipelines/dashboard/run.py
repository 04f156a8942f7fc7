# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the cameras and the web server until it is interrupted."""
import asyncio
import signal

from aiohttp import web

from .server import Server

STOP_SECONDS = 2


def new_cameras(options, sources, settings, scene, server, loop):
    """Adds the cameras of sources to SERVER. Cameras of the same name get a number."""
    from .camera import Camera, start_gstreamer

    start_gstreamer(settings)
    names = [source[1] for source in sources]
    for index, source in enumerate(sources):
        def publish(picture, index=index):
            loop.call_soon_threadsafe(server.views[index].publish, picture)

        camera = Camera(source, settings, options, scene, publish)
        if names.count(source[1]) > 1:
            camera.record.name = f"{source[1]} {names[:index].count(source[1]) + 1}"
        server.add(camera)


async def run(options, sources, settings, access, scene, announce):
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    server = Server(options.title, access, bool(options.tls_cert))
    if options.mqtt:
        from .feed import Feed

        started = [Feed(options, settings, lambda camera: loop.call_soon_threadsafe(server.add, camera))]
    else:
        new_cameras(options, sources, settings, scene, server, loop)
        started = server.cameras
    for number in signal.SIGINT, signal.SIGTERM:
        loop.add_signal_handler(number, end.set)
    runner = web.AppRunner(server.application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, options.bind, options.port, ssl_context=options.tls, shutdown_timeout=STOP_SECONDS)
        await site.start()
        for camera in started:
            camera.start()
        announce(runner.addresses[0][1])
        await end.wait()
    finally:
        for camera in started:
            await loop.run_in_executor(None, camera.stop)
        await asyncio.wait_for(runner.cleanup(), 2 * STOP_SECONDS + 1)


def serve(*arguments):
    """Returns the exit status."""
    asyncio.run(run(*arguments))
    return 0
