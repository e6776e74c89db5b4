"""Mark types and hardware counters, united over the metadata of all threads."""

import re

from channels import ALLOW_DUP
from errors import require
from metadata import find
from tables import EXTRA_FLAGS, ChannelSpec

LABEL_LIMIT = 511
LIMIT = 100
DECIMAL = re.compile(r"[+-]?[0-9]+")


def decimal(text):
    require(DECIMAL.fullmatch(text), f"'{text}' is no number")
    return int(text)


def check_text(text, what):
    require(isinstance(text, str), f"no {what}")
    require(len(text.encode("utf-8", "surrogateescape")) <= LABEL_LIMIT, f"{what} too long")


class Mark:
    def __init__(self, number, title, kind):
        self.number, self.title, self.kind = number, title, kind
        self.labels = {}

    def channel_spec(self):
        return ChannelSpec(
            name=f"mark {self.number}",
            kind=self.kind,
            prv_type=100 + self.number,
            flags=EXTRA_FLAGS["mark"],
            duplicates=ALLOW_DUP,
            thread_track="active",
            title_thread=self.title,
            title_cpu=self.title,
            values=list(self.labels.items()),
        )


def collect(threads):
    """Mark types in the order of their first definition."""
    marks = {}
    for thread in threads:
        table = find(thread.meta, "ovni.mark")
        require(table is None or isinstance(table, dict), "ovni.mark is no object")
        for key, definition in (table or {}).items():
            number = decimal(key)
            require(0 <= number < LIMIT, f"mark type {number} out of range")
            title, kind = find(definition, "title"), find(definition, "chan_type")
            check_text(title, f"title of mark type {number}")
            require(kind in ("single", "stack"), f"mark type {number}: chan_type {kind}")
            mark = marks.setdefault(number, Mark(number, title, kind))
            require((mark.title, mark.kind) == (title, kind), f"mark type {number} defined in two ways")
            add_labels(mark, find(definition, "labels"))
    return list(marks.values())


def add_labels(mark, labels):
    require(labels is None or isinstance(labels, dict), f"labels of mark type {mark.number} are no object")
    for key, label in (labels or {}).items():
        check_text(label, f"label {key} of mark type {mark.number}")
        known = mark.labels.setdefault(decimal(key), label)
        require(known == label, f"mark type {mark.number}: value {key} is '{known}' and '{label}'")


def collect_counters(threads):
    """Channels of the hardware counters, by index."""
    names, count = {}, None
    for thread in threads:
        table = find(thread.meta, "nosv.hwc")
        if not table:
            continue
        require(isinstance(table, dict), "nosv.hwc is no object")
        count = len(table) if count is None else count
        require(len(table) == count, f"{count} and {len(table)} hardware counters")
        for key, definition in table.items():
            index, name = decimal(key), find(definition, "name")
            require(0 <= index < min(count, LIMIT), f"hardware counter {index} out of range")
            check_text(name, f"name of hardware counter {index}")
            require(names.setdefault(index, name) == name, f"hardware counter {index} with two names")
    require(len(names) == (count or 0), "hardware counters without name")
    return [counter_spec(index, names[index]) for index in sorted(names)]


def counter_spec(index, name):
    return ChannelSpec(
        name=f"counter {name}",
        kind="single",
        prv_type=200 + index,
        flags=EXTRA_FLAGS["counter"],
        duplicates=ALLOW_DUP,
        thread_track="active",
        title_thread=name,
        title_cpu=name,
    )
