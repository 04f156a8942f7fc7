# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small pictures and videos, good and bad, and what the elements find in them by another way: the NDJSON of contourexport."""
import json
import os
import subprocess

ELEMENTS = ("cudacca name=cca backend=cpu threshold=100 features=moments+grey+percentiles+inscribed+contrast+skeleton"
            " ! cudaborders name=borders backend=cpu threshold=100 mode=tree features=moments+hull+circle subpixel=threshold")
SIZE = "video/x-raw,width=160,height=120,framerate=25/1"
SECONDS = 0.97  # of a segment: seams lie within frames
FRAMES = 80  # of a video
RINGS = "videotestsrc pattern=zone-plate kx2=20 ky2=20 kt=2"
VIDEOS = [  # name, encoder, elements
    ("jpeg.avi", "jpegenc", "jpegenc ! avimux"),
    ("h264.mp4", "openh264enc", "openh264enc gop-size=15 ! h264parse ! mp4mux"),
    # B-frames, also in front of a key frame
    ("h265.mp4", "x265enc", "x265enc key-int-max=15 speed-preset=ultrafast option-string=bframes=3:open-gop=1 ! h265parse ! mp4mux"),
    ("vp9.webm", "vp9enc", "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=15 ! webmmux"),
    # Frames in the file that are not shown
    ("whole-vp8.webm", "vp8enc", "vp8enc deadline=1 keyframe-max-dist=15 auto-alt-ref=true lag-in-frames=10 ! webmmux"),
]


def launch(*words):
    subprocess.run(["gst-launch-1.0", "-q", *" ".join(words).split()], check=True, timeout=60, stdout=subprocess.DEVNULL)


def have(element):
    return subprocess.run(["gst-inspect-1.0", "--exists", element], check=False).returncode == 0


def make_pictures(folder, count):
    """Rings that move, in PNG and JPEG."""
    os.makedirs(f"{folder}/inner")
    launch(f"{RINGS} num-buffers={count} ! {SIZE} ! tee name=t ! queue ! videoconvert ! video/x-raw,format=GRAY8"
           f" ! pngenc ! multifilesink location={folder}/rings-%02d.png t. ! queue ! jpegenc ! multifilesink"
           f" location={folder}/inner/rings-%02d.jpg")


def make_videos(folder):
    """Returns the number of segments of each."""
    os.makedirs(folder)
    segments = {}
    for name, encoder, elements in VIDEOS:
        if have(encoder):
            launch(f"{RINGS} num-buffers={FRAMES} ! {SIZE} ! videoconvert ! {elements} ! filesink location={folder}/{name}")
            segments[f"{folder}/{name}"] = 1 if name.startswith("whole") else -(-FRAMES // 25)
    return segments


def cut(source, target, share):
    with open(source, "rb") as file:
        content = file.read()
    with open(target, "wb") as file:
        file.write(content[:int(len(content) * share)])


def make_bad(folder, good):
    os.makedirs(folder)
    cut(f"{good}/pictures/rings-00.png", f"{folder}/cut.png", 0.6)
    cut(f"{good}/pictures/inner/rings-00.jpg", f"{folder}/cut.jpg", 0.6)
    cut(f"{good}/videos/jpeg.avi", f"{folder}/cut.avi", 0.6)
    with open(f"{folder}/empty.png", "w", encoding="utf-8"):
        pass
    with open(f"{folder}/text.png", "w", encoding="utf-8") as file:
        file.write("This is no picture.\n" * 20)
    with open(f"{folder}/zeros.mp4", "wb") as file:
        file.write(bytes(5000))
    return {f"{folder}/{name}" for name in ("cut.png", "cut.jpg", "cut.avi", "empty.png", "text.png", "zeros.mp4")}


def export(path, elements, to):
    """The lines of NDJSON of a file, two a frame."""
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin", "!", "videoconvert", "!", *elements.split(),
                    "!", "contourexport", f"location={to}", "!", "fakesink", "sync=false"], check=True, timeout=60)
    with open(to, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
