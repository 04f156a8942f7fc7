# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of files: a picture or a video as a whole, or a segment of a video.

A segment is a range of time, and a frame belongs to the one in which its own time lies, so to exactly one. A plan first reads the times of
all frames without decoding them: they number the frames, and every segment proves that it has found exactly its own. It then tries every seam.
Videos whose index or seams are not exact stay whole."""
import bisect
import hashlib
import itertools
import json
from typing import NamedTuple, Optional, Tuple

from gi.repository import Gst

from . import media
from .inputs import File

# Their demuxers seek by an index of frames, and give a frame the same time after a seek.
SPLIT_DEMUXERS = {"qtdemux", "matroskademux", "avidemux"}
# One frame in the file is one picture.
SPLIT_CODECS = {"image/jpeg", "image/png", "video/mpeg", "video/x-av1", "video/x-h264", "video/x-h265", "video/x-raw", "video/x-vp9"}
MAX_FRAMES = 10_000_000  # of an index: beyond, the video stays whole


class Part(NamedTuple):
    file: File
    number: int = 0  # of the part, from 0
    count: int = 1  # parts of the file
    first: int = 0  # number of its first frame in the file
    start: Optional[int] = None  # stream time to seek to: that of the frame before, None at the beginning
    times: Optional[Tuple[int, ...]] = None  # stream times of its frames in nanoseconds, None if it is the whole file

    @property
    def key(self):
        """What tells it from all other parts, also of the same file after a change."""
        return json.dumps([self.file.name, self.file.size, self.file.changed, self.number, self.count])


def name_task(parts):
    """A name for files of results, the same for the same parts."""
    return hashlib.sha256("\n".join(part.key for part in parts).encode()).hexdigest()[:24]


def list_elements(pipeline, kind):
    return [element for element in pipeline.iterate_recurse() if kind in element.get_metadata("klass")]


def read_index(file, segment, timeout):
    """The sorted times of the frames in a video that is longer than SEGMENT nanoseconds, or None if it is not, or cannot be split."""
    with media.Media(file, "parsebin ! multiqueue ! appsink name=out sync=false max-buffers=64", timeout) as pipeline:
        pipeline.pause()
        caps = pipeline.out.get_static_pad("sink").get_current_caps()
        demuxers = [element.get_factory().get_name() for element in list_elements(pipeline.pipeline, "Demux")]
        known, duration = pipeline.pipeline.query_duration(Gst.Format.TIME)
        if not known or duration <= segment or not caps or media.describe_caps(caps)[0] not in SPLIT_CODECS:
            return None
        if len(demuxers) != 1 or demuxers[0] not in SPLIT_DEMUXERS:
            return None
        times = []
        pipeline.play()
        for sample in pipeline.samples():
            buffer, bounds = sample.get_buffer(), sample.get_segment()
            if buffer.pts == Gst.CLOCK_TIME_NONE or len(times) == MAX_FRAMES:
                return None
            shown = buffer.pts >= bounds.start and (bounds.stop == Gst.CLOCK_TIME_NONE or buffer.pts < bounds.stop)
            if shown and not buffer.has_flags(Gst.BufferFlags.DECODE_ONLY):
                times.append(media.time_of(sample))
    times.sort()
    if len(set(times)) < len(times):
        return None
    return times


def is_seam_exact(part, timeout):
    """Does a seek to the part find its first frame?"""
    frames = media.read_frames(part.file, "identity", timeout, part.start)
    try:
        return next((frame.time for frame in frames if frame.time is not None and frame.time >= part.times[0]), None) == part.times[0]
    except media.MediaError:
        return False
    finally:
        frames.close()


def split_video(file, segment, timeout):
    """The parts of a video: segments of SEGMENT nanoseconds, counted from the time 0, or all of it, with 0 always. MediaError where it
    cannot be read."""
    whole = [Part(file)]
    times = read_index(file, segment, timeout) if segment else None
    if not times:
        return whole
    groups = [list(group) for _, group in itertools.groupby(times, lambda time: time // segment)]
    parts = []
    for number, group in enumerate(groups):
        first = bisect.bisect_left(times, group[0])
        parts.append(Part(file, number, len(groups), first, times[first - 1] if first else None, tuple(group)))
    if len(parts) == 1 or not all(is_seam_exact(part, timeout) for part in parts[1:]):
        return whole
    return parts


def read_part(part, elements, timeout):
    """Analyses a part: yields the number of each frame in its file and the frame. MediaError where it does not have exactly the frames
    that it should."""
    found = 0
    for frame in media.read_frames(part.file, elements, timeout, part.start):
        if part.times is not None:
            if frame.time is not None and frame.time < part.times[0]:
                continue
            if frame.time != part.times[found]:
                raise media.MediaError(f"frame {part.first + found} of segment {part.number} is missing or out of order: analyse this "
                                       "video with --segment=0")
        yield part.first + found, frame
        found += 1
        if part.times is not None and found == len(part.times):
            return
    if part.times is not None:
        raise media.MediaError(f"segment {part.number} has {found} frames instead of {len(part.times)}: analyse this video with "
                               "--segment=0")
    if not found:
        raise media.MediaError("the file has no frame")
