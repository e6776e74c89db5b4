"""Streams of a trace directory: finding them, their order, and stepping through their events.

A stream has at most one current event; `step` replaces it by the next one. Clocks are corrected by the offset
of the stream and may not decrease."""

import os
import struct

import metadata
from errors import Rejected, require

MAGIC = b"ovni\x01\x00\x00\x00"
HEADER = struct.Struct("<Bxxxq")
HEADER_SIZE = 12
JUMBO = 0x10


class Event:
    __slots__ = ("mcv", "raw_clock", "payload", "jumbo", "begin", "end")

    def __init__(self, data, begin):
        require(begin + HEADER_SIZE <= len(data), "incomplete event")
        flags, self.raw_clock = HEADER.unpack_from(data, begin)
        self.mcv = data[begin + 1 : begin + 4].decode("latin-1")
        self.jumbo = bool(flags & JUMBO)
        payload = begin + HEADER_SIZE
        if self.jumbo:
            require(payload + 4 <= len(data), "incomplete event")
            size = 4 + struct.unpack_from("<I", data, payload)[0]
        else:
            size = flags & 0x0F
            size += 1 if size else 0
        self.begin, self.end = begin, payload + size
        require(self.end <= len(data), "incomplete event")
        self.payload = data[payload : self.end]


class Stream:
    def __init__(self, relative_path, meta, data):
        self.relative_path = relative_path
        self.meta = meta
        self.data = data
        self.thread = None
        self.offset = 0
        self.position = len(MAGIC)
        self.active = len(data) > len(MAGIC)
        self.event = None
        self.clock = 0

    def step(self):
        if self.position == len(self.data):
            self.active, self.event = False, None
            return
        try:
            event = Event(self.data, self.position)
        except Rejected as error:
            raise Rejected(f"{self.relative_path}:{self.position}: {error}") from None
        clock = event.raw_clock + self.offset
        if clock < self.clock:
            raise Rejected(f"{self.relative_path}:{self.position}: clock goes backwards {self.clock} -> {clock}")
        self.event, self.clock, self.position = event, clock, event.end


def load(trace):
    require(os.path.isdir(trace), f"{trace}: no directory")
    trace = trace.rstrip("/") or "/"
    streams = []
    for folder, _, files in os.walk(trace, followlinks=True):
        if "stream.json" in files and os.path.isfile(os.path.join(folder, "stream.json")):
            streams.append(load_one(folder, folder[len(trace) :].lstrip("/")))
    streams.sort(key=lambda stream: os.fsencode(stream.relative_path))
    return streams


def load_one(folder, relative_path):
    meta = metadata.parse(read(os.path.join(folder, "stream.json")), relative_path)
    version = meta.get("version")
    require(version is not None, f"{relative_path}: no version")
    require(metadata.integer(version) == 3, f"{relative_path}: version {version}, not 3")
    data = read(os.path.join(folder, "stream.obs"))
    require(len(data) >= len(MAGIC), f"{relative_path}: stream of {len(data)} bytes")
    require(data.startswith(MAGIC), f"{relative_path}: wrong magic or version")
    return Stream(relative_path, meta, data)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Rejected(f"{path}: {error.strerror}") from None
