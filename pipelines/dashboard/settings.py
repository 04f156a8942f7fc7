# SPDX-License-Identifier: LGPL-2.1-or-later
"""What may change while the pipeline runs: the threshold, the region, the limits. Read from requests and checked."""
from .limits import check_limits, new_limit

MODES = ("fixed", "otsu", "triangle", "adaptive-mean", "adaptive-gaussian", "hysteresis")
LARGEST_THRESHOLD = 65535


class Settings:
    """Replaced as a whole, never changed: several threads read them."""

    def __init__(self, mode="otsu", threshold=128, invert=False, region="", limits=(), extra=()):
        self.mode, self.threshold, self.invert, self.region = mode, threshold, invert, region
        self.limits = tuple(limits)
        self.extra = tuple(extra)  # pairs: other properties of cudaborders, from the command line

    def changed(self, **values):
        return Settings(**{**self.__dict__, **values})

    def as_json(self):
        return {"mode": self.mode, "threshold": self.threshold, "invert": self.invert, "region": self.region,
                "limits": [limit.as_json() for limit in self.limits]}


def read_region(value, size):
    """The text of the property "region" for {x, y, width, height}, or none for null. It must lie within the frame."""
    if value is None:
        return ""
    numbers = [value[name] for name in ("x", "y", "width", "height")]
    if any(isinstance(n, bool) or not isinstance(n, int) for n in numbers):
        raise ValueError(f"a region has whole numbers of pixels, not {numbers}")
    x, y, width, height = numbers
    if size is None:
        raise ValueError("no frame has come yet: wait for the first one, then draw the region")
    if min(x, y) < 0 or min(width, height) < 1 or x + width > size[0] or y + height > size[1]:
        raise ValueError(f"the region {x},{y},{width},{height} reaches outside of the frame of {size[0]} x {size[1]} pixels")
    return f"{x},{y},{width},{height}"


def read_settings(sent, old, size):
    """The settings that a page wants. ValueError has the sentence for the user."""
    if not isinstance(sent, dict) or not sent or set(sent) - {"mode", "threshold", "invert", "region", "limits"}:
        raise ValueError("the request has fields other than mode, threshold, invert, region and limits, or none")
    values = {}
    if "mode" in sent:
        if sent["mode"] not in MODES:
            raise ValueError(f"no threshold mode '{sent['mode']}': the modes are {', '.join(MODES)}")
        values["mode"] = sent["mode"]
    if "threshold" in sent:
        number = sent["threshold"]
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= LARGEST_THRESHOLD:
            raise ValueError(f"a threshold is a whole number from 0 to {LARGEST_THRESHOLD}, not {number!r}")
        values["threshold"] = number
    if "invert" in sent:
        if not isinstance(sent["invert"], bool):
            raise ValueError("'invert' is true or false")
        values["invert"] = sent["invert"]
    if "region" in sent:
        values["region"] = read_region(sent["region"], size)
    if "limits" in sent:
        values["limits"] = tuple(check_limits(
            [new_limit(limit["name"], limit.get("low"), limit.get("high")) for limit in sent["limits"]]))
    return old.changed(**values)
