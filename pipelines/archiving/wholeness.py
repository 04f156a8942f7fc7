# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that were cut short. Decoders play such files up to the cut without a word, so their own lengths are compared with that of
the file: JPEG by its end, AVI, MP4 and Matroska by the sizes in their headers. Other formats are left to their decoders."""
import struct

JPEG_END = b"\xff\xd9"
JPEG_TAIL = 65536  # bytes in which the end is looked for: some cameras append something


def problem_of(stream, size):
    """What is missing in the SIZE bytes of a seekable file, as a sentence, or None."""
    if size == 0:
        return "the file is empty"
    stream.seek(0)
    head = stream.read(16)
    if head[:3] == b"\xff\xd8\xff":
        stream.seek(max(find_jpeg_samples(stream, size), size - JPEG_TAIL))
        return None if JPEG_END in stream.read(JPEG_TAIL) else "the file is cut short: the JPEG has no end"
    wanted = None
    if head[:4] == b"RIFF":
        wanted = find_riff_end(stream, size)
    elif head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        wanted = find_boxes_end(stream, size)
    elif head[:4] == b"\x1a\x45\xdf\xa3":
        wanted = find_matroska_end(stream)
    if wanted is None or wanted <= size:
        return None
    return f"the file is cut short: {size} bytes of {wanted}"


def find_jpeg_samples(stream, size):
    """Where they begin. What precedes them may hold a small picture with an end of its own."""
    at = 2
    while at + 4 <= size:
        stream.seek(at)
        marker, length = struct.unpack(">HH", stream.read(4))
        if marker == 0xffff:  # any number of bytes 0xff may precede a marker
            at += 1
            continue
        if marker == 0xffda or marker < 0xff00:
            return at
        at += 2 + length
    return size


def find_riff_end(stream, size):
    """AVI files of more than 1 GiB are several of these. Some writers leave the size of the last one at 0."""
    at = 0
    while at + 8 <= size:
        stream.seek(at)
        name, length = struct.unpack("<4sI", stream.read(8))
        if name != b"RIFF" or length == 0:
            return None
        at += 8 + length + length % 2
    return at - 1 if at == size + 1 else at  # the last byte of padding may be missing


def find_boxes_end(stream, size):
    at = 0
    while at + 8 <= size:
        stream.seek(at)
        head = stream.read(16)
        length, = struct.unpack(">I", head[:4])
        if not head[4:8].isascii():
            return None  # what follows is no box
        if length == 1 and len(head) == 16:
            length, = struct.unpack(">Q", head[8:])
        if length < 8:  # 0: to the end of the file
            return None
        at += length
    return at


def read_number(stream):
    """A number of variable length of EBML, without its marker; None at the end of the file."""
    first = stream.read(1)
    if not first or not first[0]:
        return None
    width = 9 - first[0].bit_length()
    rest = stream.read(width - 1)
    if len(rest) < width - 1:
        return None
    return int.from_bytes(bytes([first[0] & (0xff >> width)]) + rest, "big"), width


def find_matroska_end(stream):
    stream.seek(4)
    header = read_number(stream)
    if header is None:
        return None
    at = 4 + header[1] + header[0]
    stream.seek(at)
    if stream.read(4) != b"\x18\x53\x80\x67":  # the segment
        return None
    segment = read_number(stream)
    if segment is None or segment[0] == (1 << 7 * segment[1]) - 1:
        return None
    return at + 4 + segment[1] + segment[0]
