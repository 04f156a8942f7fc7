# SPDX-License-Identifier: LGPL-2.1-or-later
"""What soak.py makes of its notes, without a pipeline: it takes no noise for growth, and no growth for noise."""
import math
import random

import soak

INTERVAL, NOTES, SERIES = 30, 90, 400


def noise(seed, correlation):
    """Of standard deviation 1: each value has CORRELATION with the one before."""
    generator = random.Random(seed)
    value = generator.gauss(0, 1)
    for _ in range(NOTES):
        yield value
        value = correlation * value + math.sqrt(1 - correlation**2) * generator.gauss(0, 1)


TIMES = [i * INTERVAL for i in range(NOTES)]


def alarms(correlation, growth, errors):
    """How many series of noise with GROWTH an hour have a slope that is more than so many standard errors above 0."""
    count = 0
    for seed in range(SERIES):
        values = [value + growth * time / 3600 for time, value in zip(TIMES, noise(seed, correlation))]
        rise, error = soak.slope(TIMES, values)
        count += rise > errors * error
    return count


def check_line():
    rise, error = soak.slope(TIMES, [5 + 2 * time / 3600 for time in TIMES])
    assert abs(rise - 2) < 1e-9 and error < 1e-6, (rise, error)
    assert soak.slope(TIMES, [7.0] * NOTES) == (0, 0)


def check_noise():
    """Two errors are exceeded upwards in one of 44 series by chance: 9 of 400. Without regard to the correlation, it is 100 at 0.75."""
    for correlation, most in ((0, 16), (0.5, 24), (0.75, 32)):
        count = alarms(correlation, 0, 2)
        assert count <= most, f"correlation {correlation}: {count} false alarms"
        assert alarms(correlation, 12, 2) > SERIES * 0.95, f"correlation {correlation}: growth is not found"


def notes(rise, deviation):
    """The other columns stay as they are."""
    return [[time, 50 + rise * time / 3600 + deviation * value, math.nan, 30, 8, 1, 1, 1] for time, value in zip(TIMES, noise(1, 0))]


def check_verdicts():
    minutes = NOTES * INTERVAL / 60
    assert soak.judge(notes(0, 0.01), minutes) == ([], [])
    grows, may_grow = soak.judge(notes(2, 0.01), minutes)
    assert len(grows) == 1 and grows[0].startswith("memory grows by ") and not may_grow, (grows, may_grow)
    grows, may_grow = soak.judge(notes(1, 0.2), minutes)
    assert not grows and len(may_grow) == 1 and may_grow[0].startswith("memory may grow by "), (grows, may_grow)
    assert soak.judge(notes(2, 0.01), 9) == ([], [])


check_line()
check_noise()
check_verdicts()
print("slopes, their errors and the verdicts are as they should be")
