"""The rules of windows and files in an OTF2 archive."""
import sys
from collections import Counter, defaultdict

from otf2.enums import IoOperationMode
from otf2.events import (IoCreateHandle, IoDestroyHandle, IoOperationBegin, IoOperationComplete, IoOperationIssued, RmaAtomic,
                         RmaCollectiveBegin, RmaCollectiveEnd, RmaGet, RmaOpCompleteNonBlocking, RmaOpCompleteRemote, RmaPut,
                         RmaWinCreate, RmaWinDestroy)

OPERATIONS = {RmaPut: ("MPI_Put", "MPI_Rput"), RmaGet: ("MPI_Get", "MPI_Rget"),
              RmaAtomic: ("MPI_Accumulate", "MPI_Raccumulate", "MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op",
                          "MPI_Compare_and_swap")}
COLLECTIVES = ("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic", "MPI_Win_free",
               "MPI_Win_fence")


def fail(what):
    sys.exit(f"otf2_rules: {what}")


class Objects:
    """take() gets every event with its row and the name of the innermost region."""

    def __init__(self):
        self.operations = {}  # by number: event, row; those that are not complete everywhere
        self.finished = set()
        self.windows, self.handles = defaultdict(set), defaultdict(set)  # of rows, of processes
        self.collectives, self.calls, self.transfers = Counter(), Counter(), {}
        self.to_nobody = 0
        self.bytes = Counter()

    def take(self, row, process, event, region):
        if isinstance(event, tuple(OPERATIONS)):
            self.begin(row, event, region)
        elif isinstance(event, (RmaOpCompleteNonBlocking, RmaOpCompleteRemote)):
            known = self.operations.get(event.matching_id)
            if known is None or known[1] != row or known[0].win != event.win:
                fail(f"completes what was not begun: {event}")
            self.finished.add(event.matching_id)
            if isinstance(event, RmaOpCompleteRemote):
                del self.operations[event.matching_id]
        elif isinstance(event, RmaWinCreate):
            self.windows[row].add(event.win)
        elif isinstance(event, RmaWinDestroy):
            self.windows[row].remove(event.win)
        elif isinstance(event, (RmaCollectiveBegin, RmaCollectiveEnd)):
            self.collectives[row] += 1 if isinstance(event, RmaCollectiveBegin) else -1
            self.calls[row, "collectives"] += isinstance(event, RmaCollectiveEnd)
        elif isinstance(event, IoCreateHandle):
            self.handles[process].add(event.handle)
        elif isinstance(event, IoDestroyHandle):
            self.handles[process].remove(event.handle)
        elif isinstance(event, (IoOperationBegin, IoOperationIssued, IoOperationComplete)):
            self.transfer(process, event)
        else:
            return False
        return True

    def begin(self, row, event, region):
        if event.matching_id in self.operations or event.matching_id in self.finished:
            fail(f"an operation is begun twice: {event}")
        if region not in OPERATIONS[type(event)]:
            fail(f"an operation in {region}: {event}")
        if event.win not in self.windows[row]:
            fail(f"an operation on a window that is not there: {event}")
        self.operations[event.matching_id] = event, row
        self.calls[row, region] += 1
        self.bytes["put"] += getattr(event, "bytes", 0) if isinstance(event, RmaPut) else 0

    def transfer(self, process, event):
        key = event.handle, event.matching_id
        if event.handle not in self.handles[process]:
            fail(f"a transfer of a file that is not open: {event}")
        if isinstance(event, IoOperationBegin):
            if key in self.transfers:
                fail(f"a transfer is begun twice: {event}")
            self.transfers[key] = event
            self.calls["transfers"] += 1
            return
        if key not in self.transfers:
            fail(f"a transfer that was not begun: {event}")
        if isinstance(event, IoOperationComplete):
            begun = self.transfers.pop(key)
            if event.bytes_result > begun.bytes_request:
                fail(f"more is transferred than was asked for: {begun}, {event}")
            names = {IoOperationMode.READ: "read", IoOperationMode.WRITE: "write"}
            self.bytes[names.get(begun.mode)] += event.bytes_result

    def finish(self):
        if any(self.collectives.values()):
            fail(f"collectives on windows without end: {self.collectives}")
        if open_ones := [event for number, (event, _) in self.operations.items() if number not in self.finished]:
            fail(f"operations that are never complete: {open_ones[:3]}")
        if any(self.windows.values()) or any(self.handles.values()) or self.transfers:
            fail(f"windows, files or transfers are left open: {self.windows}, {self.handles}, {self.transfers}")

    def compare(self, files):
        """Calls to MPI_PROC_NULL do nothing and have no event."""
        names = {name for of_kind in OPERATIONS.values() for name in of_kind}
        found = Counter(part.name for (_, title), parts in files.all_slices().items() if title == "MPI function" for part in parts)
        mine = Counter()
        for key, count in self.calls.items():
            if isinstance(key, tuple):
                mine[key[1]] += count
        if more := {name for name in names if mine[name] > found[name]}:
            fail(f"more operations than calls: {more}")
        if mine["collectives"] != sum(found[name] for name in COLLECTIVES):
            fail(f"{mine['collectives']} collectives on windows, {[(name, found[name]) for name in COLLECTIVES]} in lines")
        self.to_nobody = sum(found[name] - mine[name] for name in names)

    def counts(self):
        return {"operations": sum(count for key, count in self.calls.items() if isinstance(key, tuple) and key[1] != "collectives"),
                "to_nobody": self.to_nobody, "transfers": self.calls["transfers"], "written": self.bytes["write"],
                "read": self.bytes["read"]}
