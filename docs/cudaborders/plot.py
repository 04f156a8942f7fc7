# SPDX-License-Identifier: LGPL-2.1-or-later
"""Panels with axes, grid and curves, drawn with Pillow and the font DejaVu Sans, where AVAILABLE: what diameters.py needs of a plot.

Everything is drawn FINE times as large and reduced at the end, so that lines are antialiased. Lengths are pixels of the result.
"""
import math
import struct

REGULAR, BOLD = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"
try:
    from PIL import Image, ImageDraw, ImageFont, PngImagePlugin
    for name in REGULAR, BOLD:
        ImageFont.truetype(name)
    AVAILABLE = True
except (ImportError, OSError):
    AVAILABLE = False

FINE = 4
TEXT, FRAME, GRID, BAND, GROUND = (32, 34, 38), (120, 124, 130), (222, 224, 228), (236, 246, 240), (255, 255, 255)


class Axis:
    """Maps values to 0 to 1 between FIRST and LAST, after SCALE, with a label at each of TICKS."""

    def __init__(self, first, last, ticks, scale=math.log10):
        self.scale, self.ticks = scale, ticks
        self.first, self.length = scale(first), scale(last) - scale(first)

    def __call__(self, value):
        return (self.scale(value) - self.first) / self.length


class Plot:
    """An image of WIDTH x HEIGHT pixels."""

    def __init__(self, width, height):
        self.image = Image.new("RGB", (width * FINE, height * FINE), GROUND)
        self.pen = ImageDraw.Draw(self.image)

    def write(self, x, y, text, size=17, anchor="mm", upright=False, bold=False):
        """ANCHOR as Pillow has it. UPRIGHT: from the bottom to the top, centred."""
        font = ImageFont.truetype(BOLD if bold else REGULAR, size * FINE)
        if not upright:
            self.pen.text((x * FINE, y * FINE), text, TEXT, font, anchor)
            return
        left, top, right, bottom = font.getbbox(text)
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).text((-left, -top), text, 255, font)
        mask = mask.rotate(90, expand=True)
        self.image.paste(TEXT, (round(x * FINE - mask.width / 2), round(y * FINE - mask.height / 2)), mask)

    def line(self, points, colour, width=1, dash=None):
        """DASH: lengths of dash and gap, which go on around corners."""
        def stroke(p, q):
            self.pen.line([tuple(v * FINE for v in p), tuple(v * FINE for v in q)], colour, round(width * FINE))
        passed = 0
        for p, q in zip(points, points[1:]):
            length = math.dist(p, q)
            cuts = [0, length]
            if dash:
                period = sum(dash)
                first = math.floor(passed / period)
                starts = [k * period - passed for k in range(first, first + math.ceil(length / period) + 2)]
                cuts = [min(max(v, 0), length) for start in starts for v in (start, start + dash[0])]
            for a, b in zip(cuts[::2], cuts[1::2]):
                if b > a:
                    stroke(*([p[i] + (q[i] - p[i]) * t / length for i in (0, 1)] for t in (a, b)))
            passed += length

    def mark(self, x, y, shape, colour, filled=True, size=5):
        """A marker of one of the shapes circle, square, diamond, triangle."""
        corners = {"circle": (64, 0, 1), "square": (4, 0.5, 1.25), "diamond": (4, 0, 1.3), "triangle": (3, 0.75, 1.35)}
        count, turn, factor = corners[shape]
        ring = [tuple(FINE * (v + size * factor * f(2 * math.pi * (k + turn) / count)) for v, f in ((x, math.cos), (y, math.sin)))
                for k in range(count)]
        self.pen.polygon(ring, colour if filled else GROUND)
        self.pen.line([*ring, *ring[:2]], colour, round(1.6 * FINE), joint="curve")

    def draw_sample(self, place, text, shape, colour, solid=True):
        """An entry of the legend: a piece of a curve and what it means."""
        x, y = place
        self.draw_curve([(x, y), (x + 44, y)], colour, solid)
        self.mark(x + 22, y, shape, colour, solid)
        self.write(x + 54, y, text, 17, "lm")

    def draw_curve(self, places, colour, solid):
        self.line(places, colour, 2 if solid else 1.5, None if solid else (6, 4))

    def draw_band(self, box, edges=2):
        """A ground with dotted lines along its upper edge or both."""
        left, top, right, bottom = box
        self.pen.rectangle([v * FINE for v in box], BAND)
        for y in (top, bottom)[:edges]:
            self.line([(left, y), (right, y)], FRAME, 1.5, (3, 3))

    def save(self, path, texts):
        """Writes a PNG file with TEXTS, which read_text() finds."""
        info = PngImagePlugin.PngInfo()
        for key, text in texts.items():
            info.add_text(key, text)
        small = self.image.resize((self.image.width // FINE, self.image.height // FINE), Image.LANCZOS)
        small.convert("P", palette=Image.ADAPTIVE, colors=128, dither=Image.NONE).save(path, pnginfo=info, optimize=True)


def read_text(path, key):
    """Returns the text KEY of the PNG file, or None. Does without Pillow."""
    start = key.encode("latin-1") + b"\0"
    with open(path, "rb") as file:
        file.seek(8)
        while header := file.read(8):
            length, kind = struct.unpack(">I4s", header)
            data = file.read(length + 4)[:-4]
            if kind == b"tEXt" and data.startswith(start):
                return data[len(start):].decode("latin-1")
    return None


class Panel:
    """A rectangle of PLOT with axes X and Y."""

    def __init__(self, plot, box, x, y):
        self.plot, self.box, self.x, self.y = plot, box, x, y

    def at(self, x, y):
        left, top, right, bottom = self.box
        return left + (right - left) * self.x(x), bottom + (top - bottom) * self.y(y)

    def draw_ground(self, band, x_labels, y_labels):
        """The grid and its labels. BAND: lowest and highest value of Y where the ground has a colour; None: from the bottom."""
        left, top, right, bottom = self.box
        low, high = band
        above = self.at(self.x.ticks[0], high)[1]
        if low is None:
            self.plot.draw_band((left, above, right, bottom), 1)
        else:
            self.plot.draw_band((left, above, right, self.at(self.x.ticks[0], low)[1]))
        for tick in self.x.ticks:
            x = self.at(tick, self.y.ticks[0])[0]
            self.plot.line([(x, top), (x, bottom)], GRID)
            if x_labels:
                self.plot.write(x, bottom + 16, f"{tick:g}", 16)
        for tick in self.y.ticks:
            y = self.at(self.x.ticks[0], tick)[1]
            if tick not in band:
                self.plot.line([(left, y), (right, y)], FRAME if tick == 0 else GRID)
            if y_labels:
                self.plot.write(left - 9, y, f"{tick:g}".replace("-", "\N{MINUS SIGN}"), 16, "rm")

    def draw_frame(self):
        left, top, right, bottom = self.box
        self.plot.line([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], FRAME, 1.25)

    def draw_curve(self, points, shape, colour, solid=True):
        places = [self.at(*point) for point in points]
        self.plot.draw_curve(places, colour, solid)
        for place in places:
            self.plot.mark(*place, shape, colour, solid)
