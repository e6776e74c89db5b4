"""Times as people write and read them."""
import re
from argparse import ArgumentTypeError

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class Time(int):
    """Nanoseconds that remember the unit in which the user gave them."""

    unit = "ns"

    def __str__(self):
        return self.of(self)

    def of(self, ns):
        """Another time in the same unit."""
        return f"{ns / UNITS[self.unit]:.9f}".rstrip("0").rstrip(".") + f" {self.unit}"


def parse_time(text):
    """The time of a text such as 12, 3.5ms or 2s; without unit ns."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s)?", text)
    if not match:
        raise ArgumentTypeError(f"not a time: {text}")
    unit = match[2] or "ns"
    time = Time(round(float(match[1]) * UNITS[unit]))
    time.unit = unit
    return time


def time_unit(span_ns):
    """(name, ns) of the unit in which a span of time reads well."""
    return next(((name, ns) for name, ns in UNITS.items() if span_ns >= 2 * ns), ("ns", 1))


def unit_of_all(times):
    """(name, ns) of the largest unit in which the smallest of some times is not below 0.1."""
    smallest = min((t for t in times if t > 0), default=0)
    return next(((name, ns) for name, ns in UNITS.items() if smallest >= 0.1 * ns), ("ns", 1))


def read(ns):
    """One time by itself: 1 us, 12.5 ms."""
    name, one = next(((name, one) for name, one in UNITS.items() if ns >= one), ("ns", 1))
    return f"{ns / one:.4g} {name}"
