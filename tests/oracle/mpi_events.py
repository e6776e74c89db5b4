"""Events of the model mpi, as include/ovni/mpi_events.h describes them: made, and read again."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "scripts"))

import mpi_table  # noqa: E402

ANY, WORLD, REGION_MARK = -1, 1, 99
MEMBERS, WINDOW = 8, 1

TABLE = mpi_table.read_table(os.path.join(os.path.dirname(mpi_table.__file__), "..", "src", "model", "mpi_functions.txt"))
BY_NAME = {"MPI_" + function.name: function for function in TABLE}
RECORD = {name: mpi_table.record_of(function) for name, function in BY_NAME.items()}
BY_NUMBER = {function.number: name for name, function in BY_NAME.items() if function.number}
BY_CODE = {code: (name, step) for name, function in BY_NAME.items() if not function.number
           for step, code in (("enter", function.enter), ("leave", function.leave))}
PEER_RECORDS = ("Send", "PostedSend", "Receive", "PostedReceive", "Exchange")


def six(value):
    return struct.pack("<Q", value)[:6]


def code_and_payload(name, step, payload):
    function = BY_NAME[name]
    head = struct.pack("<H", function.number) if function.number else b""
    return getattr(function, step), head + payload


def communicator(number, identity, rank, members):
    """The data of MXC: rank 0 lists the members."""
    flags = MEMBERS if rank == 0 else 0
    data = struct.pack("<IIQiIII", number, flags, identity, rank, len(members), 0, 0)
    return data + (struct.pack(f"<{len(members)}i", *members) if rank == 0 else b"")


def window(number, of_communicator):
    return struct.pack("<III", number, WINDOW, of_communicator) + b"window\0"


class Step:
    """An event of a function, or what stands between its enter and its leave."""

    def __init__(self, event):
        self.clock, self.kind, self.name = event.raw_clock, "", None
        payload, mcv = event.payload, event.mcv
        if mcv in ("MX[", "MX]"):
            self.name = BY_NUMBER[struct.unpack_from("<H", payload)[0]]
            self.kind, payload = ("enter" if mcv == "MX[" else "leave"), payload[2:]
            self.has_number = True
        elif mcv in BY_CODE:
            self.name, self.kind = BY_CODE[mcv]
            self.has_number = False
        elif mcv == "MXc":
            self.kind = "ended"
            self.request, self.how = struct.unpack("<II", payload)
        elif mcv == "MXr":
            self.kind = "message"
            self.bytes, self.peer, self.tag = struct.unpack("<Qii", payload)
        elif mcv == "MXb":
            self.kind = "bytes"
            self.bytes = struct.unpack("<Q", payload)[0]
        if self.kind in ("enter", "leave"):
            getattr(self, self.kind)(payload)

    def enter(self, payload):
        record = RECORD[self.name]
        self.request = self.sent = 0
        if record in PEER_RECORDS and payload:
            self.peer, self.tag, self.object, self.request = struct.unpack("<iiII", payload)
        elif record == "Completion" and payload:
            self.request = struct.unpack("<I", payload)[0]
        elif record == "Probe" and payload:
            self.peer, self.tag, self.object = struct.unpack("<iiI", payload)
        elif record in ("Collective", "Synchronisation", "CommunicatorMaker") and payload:
            self.root, self.object = struct.unpack_from("<iI", payload)
            self.sent = int.from_bytes(payload[8:], "little")

    def leave(self, payload):
        record = RECORD[self.name]
        self.received = self.request = 0
        self.found = None
        if record in ("Send", "PostedSend", "Receive", "Exchange") and payload:
            self.bytes, self.peer, self.tag = struct.unpack("<Qii", payload)
        elif record == "Probe" and payload:
            self.found = struct.unpack_from("<ii", payload)
        elif record == "Collective" and payload:
            size = 6 if self.has_number else 8
            self.received = int.from_bytes(payload[:size], "little")
            if len(payload) > size:
                self.request = struct.unpack_from("<I", payload, size)[0]
