# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures of parts, limits on them, and the verdict on each part of a frame.

A frame is one line of NDJSON, as docs/export-schema.md defines it. Parts are components, or contours that are no holes."""
import dataclasses
import json
import math

# Name of a measure, as in "select": the feature of cudaborders that computes it.
MEASURES = {"area": None, "perimeter": None, "width": None, "height": None, "holes": None, "x": None, "y": None,
            "circularity": "hull", "hull-area": "hull", "hull-perimeter": "hull", "solidity": "hull",
            "defect-depth": "defect",
            "rectangle-width": "rectangle", "rectangle-height": "rectangle", "rectangularity": "rectangle",
            "feret-max": "feret", "feret-min": "feret", "circle-radius": "circle",
            "distance-mean": "distances", "distance-deviation": "distances", "distance-max": "distances",
            "roundness": "distances", "compactness": "hull",
            "line-deviation": "fits", "fit-circle-radius": "fits", "fit-circle-deviation": "fits",
            "ellipse-major": "fits", "ellipse-minor": "fits"}
# Those of components only, which come by MQTT.
COMPONENT_MEASURES = ("major-axis", "minor-axis", "eccentricity", "mean", "std", "median", "inscribed-radius", "contrast",
                      "skeleton-length", "skeleton-width")
FIELDS = {"width": "w", "height": "h"}  # where the name in the schema is another one
MAX_LIMITS = 16
MAX_PARTS = 65536  # of a frame that is evaluated
LARGEST_NUMBER = 1e15  # beyond, sums and histograms lose their digits


@dataclasses.dataclass(frozen=True)
class Limit:
    """Both ends belong to the range, in pixels, or in the unit of the measure."""
    name: str
    low: float = -math.inf
    high: float = math.inf

    def reason(self, value):
        """Why VALUE is outside of the range; None where it is inside."""
        if value is None:
            return f"{self.name} undefined"
        if value < self.low:
            return f"{self.name} below {self.low:g}"
        return f"{self.name} above {self.high:g}" if value > self.high else None

    def as_json(self):
        return {"name": self.name, "low": self.low if math.isfinite(self.low) else None,
                "high": self.high if math.isfinite(self.high) else None}


@dataclasses.dataclass
class Part:
    number: int     # in the frame, from 1
    box: tuple      # x, y, width, height, pixels of the frame
    values: dict    # measure: number, or None where it is not defined
    reasons: tuple  # why it fails; empty where it passes


@dataclasses.dataclass
class Frame:
    number: int
    pts: int
    source: str
    size: tuple       # width, height; None where it is not known
    threshold: int
    epoch: str        # that of the sender; None where it is not known
    refused: bool     # the frame exceeded a limit of the analyser, which did not search
    parts: list

    @property
    def failed(self):
        return sum(bool(part.reasons) for part in self.parts)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER


def new_limit(name, low, high):
    """Checks a limit, whose ends are numbers or None. ValueError has the sentence for the user."""
    if name not in MEASURES and name not in COMPONENT_MEASURES:
        raise ValueError(f"no measure is called '{name}': the names are {', '.join(MEASURES)}, and of components "
                         f"{', '.join(COMPONENT_MEASURES)}")
    ends = []
    for end, missing in (low, -math.inf), (high, math.inf):
        if end is not None and not is_number(end):
            raise ValueError(f"a limit of {name} is not a number up to {LARGEST_NUMBER:g}: {end!r:.40}")
        ends.append(missing if end is None else float(end))
    if ends == [-math.inf, math.inf]:
        raise ValueError(f"{name} has neither a minimum nor a maximum: give one of them, or drop the limit")
    if ends[0] > ends[1]:
        raise ValueError(f"the minimum of {name}, {ends[0]:g}, is above its maximum, {ends[1]:g}")
    return Limit(name, *ends)


def check_limits(limits):
    """Refuses two limits of one measure, and too many."""
    names = [limit.name for limit in limits]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{twice} has two limits: give one, MIN:MAX")
    if len(limits) > MAX_LIMITS:
        raise ValueError(f"{len(limits)} limits are too many: {MAX_LIMITS} are allowed")
    return list(limits)


def parse_range(name, text):
    """MIN:MAX, where one may be missing, or the only number that is allowed."""
    low, colon, high = text.partition(":")
    try:
        ends = [float(end) if end else None for end in (low, high if colon else low)]
    except ValueError:
        raise ValueError(f"{name} takes MIN:MAX, MIN:, :MAX or a single number, not '{text}'") from None
    return new_limit(name, *ends)


def parse_limits(text):
    """A list "name:min:max, …", as the property "select" has it."""
    limits = []
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, _, rest = item.partition(":")
        limits.append(parse_range(name, rest))
    return limits


def features_for(names):
    """The value of the property "features" of cudaborders that these measures need."""
    features = sorted({MEASURES[name] for name in names if MEASURES.get(name)})
    return "+".join(features) or "none"


def values_of(item, holes):
    """The measures that ITEM has; HOLES are the areas of the holes in a contour."""
    values = {}
    for name in MEASURES | dict.fromkeys(COMPONENT_MEASURES):
        field = FIELDS.get(name) or name.replace("-", "_")
        if field in item:
            values[name] = item[field]
    if holes is not None:
        values["area"] -= sum(holes)
        values["holes"] = len(holes)
    return values


def parts_of(line):
    """Box and measures of each part."""
    if "components" in line:
        for item in line["components"]:
            yield (item["x"], item["y"], item["w"], item["h"]), values_of(item, None)
        return
    holes = {}
    for item in line.get("contours", ()):
        if item.get("hole") and item.get("parent") is not None:
            holes.setdefault(item["parent"], []).append(item["area"])
    for item in line.get("contours", ()):
        if not item.get("hole") and not item.get("open"):
            yield (item["x"], item["y"], item["w"], item["h"]), values_of(item, holes.get(item["id"], []))


def check_line(line):
    """Refuses a line whose fields would stop whoever counts or draws them: anybody may send messages."""
    number, size = line["frame"], line.get("resolution")
    if not isinstance(number, int) or not is_number(number) or number < 0:
        raise ValueError(f"the number of the frame is {number!r:.40}")
    if any(not isinstance(line.get(name), (str, type(None))) for name in ("epoch", "source")):
        raise ValueError("'epoch' or 'source' is no text")
    if size and not all(isinstance(size[name], int) and 0 < size[name] < 1 << 20 for name in ("width", "height")):
        raise ValueError(f"the resolution is {size!r:.80}")
    if line.get("threshold") is not None and not is_number(line["threshold"]):
        raise ValueError(f"the threshold is {line['threshold']!r:.40}")


def check_part(box, values):
    for name, value in values.items():
        if value is not None and not is_number(value):
            raise ValueError(f"{name} is not a number up to {LARGEST_NUMBER:g}: {value!r:.40}")
    if not all(map(is_number, box)):
        raise ValueError(f"the box of a part is {box!r:.80}")


def evaluate(text, limits):
    """Reads one line of NDJSON and gives the verdict on its parts. ValueError: it is no such line."""
    try:
        line = json.loads(text)
        check_line(line)
        parts = []
        for box, values in parts_of(line):
            if len(parts) == MAX_PARTS:
                raise ValueError(f"a frame has more than {MAX_PARTS} parts")
            check_part(box, values)
            reasons = tuple(filter(None, (limit.reason(values.get(limit.name)) for limit in limits)))
            parts.append(Part(len(parts) + 1, box, values, reasons))
        size = line.get("resolution")
        return Frame(line["frame"], line.get("pts"), line.get("source"), size and (size["width"], size["height"]),
                     line.get("threshold"), line.get("epoch"), bool(line.get("limit_exceeded")), parts)
    except (KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ValueError(f"not a frame of the export schema: {problem!r}") from None
