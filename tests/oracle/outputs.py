"""Paraver files: lines of a PRV bound to channels, types and values of a PCF, labels of a ROW."""

import os

from errors import Rejected, require

SKIPPING = {"SKIPDUP", "SKIPDUPNULL", "EMITDUP"}
COLORS = """
0 0 0; 0 130 200; 217 217 217; 230 25 75; 60 180 75; 255 225 25; 245 130 48; 145 30 180; 70 240 240; 240 50 230
210 245 60; 250 190 212; 0 128 128; 128 128 128; 220 190 255; 170 110 40; 255 250 200; 128 0 0; 170 255 195
128 128 0; 255 215 180; 0 0 128; 0 0 255
"""
PCF_HEAD = """\
DEFAULT_OPTIONS

LEVEL               THREAD
UNITS               NANOSEC
LOOK_BACK           100
SPEED               1
FLAG_ICONS          ENABLED
NUM_OF_STATE_COLORS 1000
YMAX_SCALE          37


DEFAULT_SEMANTIC

THREAD_FUNC         State As Is


STATES_COLOR
"""


def encode(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def int32(value):
    return (value + 2**31) % 2**32 - 2**31


class Time:
    """The time of the event under way; one for all outputs."""

    now = 0


class Binding:
    """The lines that a (row, type) pair of an output shows of its channel."""

    UNSET = object()

    def __init__(self, output, row, prv_type, channel, flags):
        require(len(SKIPPING & set(flags)) <= 1, f"type {prv_type}: contradictory flags {flags}")
        self.output, self.channel = output, channel
        self.head, self.tail = f"2:0:1:1:{row + 1}:", f":{prv_type}:"
        self.emit_dup, self.skip_dup = "EMITDUP" in flags, "SKIPDUP" in flags
        self.skip_null, self.next, self.zero = "SKIPDUPNULL" in flags, "NEXT" in flags, "ZERO" in flags
        self.previous = self.UNSET

    def emit(self):
        value = self.channel.read()
        if not self.emit_dup:
            if self.previous is not self.UNSET and self.previous == value:
                if self.skip_dup or (self.skip_null and value is None):
                    return
                if not self.skip_null:
                    raise Rejected(f"{self.channel.name}: duplicated value {value}")
            self.previous = value
        number = 0
        if value is not None:
            number = value + 1 if self.next else value
            require(number != 0 or self.zero, f"{self.channel.name}: value 0")
        self.output.lines.append(f"{self.head}{self.output.time.now}{self.tail}{number}\n")


class Pcf:
    def __init__(self):
        self.types = {}  # id -> (label, {value: label})

    def add_type(self, number, label, values=()):
        require(number not in self.types, f"PCF type {number} twice")
        self.types[number] = (encode(label), {})
        for value, value_label in values:
            self.add_value(number, value, value_label)

    def add_value(self, number, value, label):
        values = self.types[number][1]
        require(int32(value) not in values, f"PCF value {value} of type {number} twice")
        values[int32(value)] = encode(label)

    def add_task_type(self, number, gid, label):
        known = self.types[number][1].get(gid)
        if known is None:
            self.add_value(number, gid, label)
        require(known in (None, label), f"labels {known} and {label} have the same number {gid}")

    def text(self):
        text = PCF_HEAD.encode()
        for number, color in enumerate(COLORS.strip().replace("\n", ";").split(";")):
            red, green, blue = map(int, color.split())
            text += b"%-3d {%3d, %3d, %3d}\n" % (number, red, green, blue)
        for number, (label, values) in self.types.items():
            text += b"\n\nEVENT_TYPE\n0 %-10d %s\nVALUES\n" % (number, label)
            text += b"".join(b"%-4d %s\n" % value for value in values.items())
        return text


class Output:
    """One PRV with its PCF and ROW."""

    def __init__(self, name, rows, time):
        self.name, self.rows, self.time = name, rows, time
        self.lines = []
        self.pcf = Pcf()
        self.labels = [None] * rows

    def bind(self, row, prv_type, channel, flags):
        channel.emit_callbacks.append(Binding(self, row, prv_type, channel, flags).emit)

    def close(self, folder):
        self.write(folder, "prv", self.prv_text(self.time.now))
        self.write(folder, "pcf", self.pcf.text())
        require(None not in self.labels, f"{self.name}.row: row without label")
        self.write(folder, "row", self.row_text())

    def leave_unfinished(self, folder):
        self.write(folder, "prv", self.prv_text(0))
        self.write(folder, "pcf", b"")
        self.write(folder, "row", b"")

    def prv_text(self, duration):
        head = f"#Paraver (19/01/38 at 03:14):{duration:020d}_ns:0:1:1({self.rows}:1)\n"
        return (head + "".join(self.lines)).encode()

    def row_text(self):
        head = b"LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %d\n" % self.rows
        return head + b"".join(encode(label) + b"\n" for label in self.labels)

    def write(self, folder, extension, content):
        with open(os.path.join(folder, f"{self.name}.{extension}"), "wb") as file:
            file.write(content)
