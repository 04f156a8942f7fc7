# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of known parts that the tests of the examples look at: a plate with two holes, a block, a speck."""
import os
import subprocess

# Brightness, x, y, width, height.
SHAPES = [("white", 20, 30, 100, 60), ("black", 30, 40, 10, 10), ("black", 80, 50, 12, 8),
          ("white", 200, 100, 40, 40), ("white", 300, 20, 4, 4)]


def draw(frames, end):
    """FRAMES frames of it to the elements END. Made without this project's plugin: gst-launch-1.0 may not be able to load it."""
    pads = [f"sink_{i}::xpos={x} sink_{i}::ypos={y}" for i, (_, x, y, _, _) in enumerate(SHAPES)]
    sources = [f"videotestsrc num-buffers={frames} pattern={name} ! video/x-raw,width={w},height={h},framerate=25/1"
               f" ! mix.sink_{i}" for i, (name, _, _, w, h) in enumerate(SHAPES)]
    ground = f"videotestsrc num-buffers={frames} pattern=black ! video/x-raw,width=320,height=240,framerate=25/1"
    environment = {name: value for name, value in os.environ.items() if name != "GST_PLUGIN_PATH"}
    subprocess.run(f"gst-launch-1.0 -q compositor name=mix sink_9::zorder=0 {' '.join(pads)} ! {end} "
                   f"{' '.join(sources)} {ground} ! mix.sink_9",
                   shell=True, check=True, timeout=60, env=environment | {"GST_REGISTRY": os.path.abspath("registry")})
