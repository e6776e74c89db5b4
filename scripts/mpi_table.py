"""The table of MPI functions, src/model/mpi_functions.txt, as objects; for the generators of code."""
import pathlib
import re

ROW = re.compile(r"([123])\s+(\w+)\s+(M\S\S?)\s+(\S+)\s+((?:\w+ )?)(\w+)\((.*)\)$")

# Families without a Fortran binding, or with one that the bindings make of other routines.
NOT_IN_FORTRAN = {"conversion", "tool"}


class Parameter:
    def __init__(self, declared):
        self.declared = declared
        match = re.match(r"(.*?)(\w+)((?:\[\w*\])*)$", declared)
        self.type, self.name, self.array = match.group(1).strip(), match.group(2), match.group(3)

    # Fortran passes the length of a CHARACTER argument behind all arguments.
    def is_text(self):
        return self.type.removeprefix("const ").startswith("char")


class Function:
    def __init__(self, line):
        match = ROW.match(line)
        if not match:
            raise ValueError(f"not a row of the table: {line}")
        tier, self.family, first, second, result, self.name, declared = match.groups()
        self.tier = int(tier)
        self.number = int(second) if first == "MX" else 0
        self.enter, self.leave = (first, second) if not self.number else ("MX[", "MX]")
        self.result = result.strip() or "int"
        self.declared = declared
        # Counts of MPI_Count: its elder kin has the same name without the ending.
        self.is_large = self.name.endswith("_c")
        elder = self.name.removesuffix("_c")
        self.is_persistent_collective = self.family == "collective" and elder.endswith("_init")
        self.kin = elder.removesuffix("_init") if self.is_persistent_collective else elder
        self.variadic = declared.endswith("...")
        names = [] if declared == "void" else [d.strip() for d in declared.split(",")]
        self.parameters = [Parameter(d) for d in names if d != "..."]

    def role(self, *names):
        return next((p for p in self.parameters if p.name in names), None)

    def has(self, *names):
        return all(self.role(name) for name in names)

    # Data of the program that a call sends or writes; that it receives or reads.
    def gives(self):
        buffer = self.role("sendbuf", "buf", "inbuf", "origin_addr")
        return bool(buffer and (buffer.type.startswith("const") or self.has("dest") or self.kin.endswith("cast")))

    def takes(self):
        buffers = [self.role(name) for name in ("recvbuf", "result_addr", "buf", "origin_addr")]
        return any(buffer and not buffer.type.startswith("const") for buffer in buffers)

    def arguments(self):
        return ", ".join(p.name for p in self.parameters)

    def in_fortran(self):
        return self.family not in NOT_IN_FORTRAN

    # The arguments that the Fortran routine passes by address, without ierror.
    def fortran_arguments(self):
        return [p.name for p in self.parameters if not self.is_of_main(p)]

    # How many lengths of CHARACTER arguments follow them.
    def fortran_lengths(self):
        return sum(p.is_text() for p in self.parameters if not self.is_of_main(p))

    # An argument of main() that a function of C wants.
    def is_of_main(self, parameter):
        return self.has("argc") and parameter.name in ("argc", "argv")


# The details that are recorded of a call besides entering and leaving. The roles of its arguments choose the first row
# that fits. A name is a class of mpi/interpose/records/details.hpp, and a row of the tables in
# include/ovni/mpi_events.h.
RECORDS = [
    ("Completion", lambda f: f.family == "completion" and f.has("request") and f.role("status", "flag")
     and f.name != "Request_get_status"),
    ("Completions", lambda f: f.family == "completion" and f.has("requests")),
    ("RequestUse", lambda f: f.name in ("Cancel", "Request_free", "Request_get_status", "Grequest_complete", "Parrived")
     or f.name.startswith("Pready")),
    ("Start", lambda f: f.name == "Start"),
    ("Starts", lambda f: f.name == "Startall"),
    ("Exchange", lambda f: f.has("dest", "source", "status")),
    ("PostedExchange", lambda f: f.has("dest", "source", "newrequest")),
    ("PersistentSend", lambda f: f.family == "persistent" and f.has("dest", "newrequest")),
    ("PersistentReceive", lambda f: f.family == "persistent" and f.has("source", "newrequest")),
    ("PostedSend", lambda f: f.family == "p2p" and f.has("dest", "newrequest")),
    ("Send", lambda f: f.family == "p2p" and f.has("dest")),
    ("PostedReceive", lambda f: f.family == "p2p" and f.has("source", "newrequest")),
    ("Receive", lambda f: f.family == "p2p" and f.has("source", "count")),
    ("Probe", lambda f: f.family == "p2p" and f.has("source")),
    ("PostedMatchedReceive", lambda f: f.has("message", "newrequest")),
    ("MatchedReceive", lambda f: f.family == "p2p" and f.has("message")),
    ("PersistentCollective", lambda f: f.is_persistent_collective),
    ("Collective", lambda f: f.family == "collective" and f.has("comm")),
    ("SpawnMaker", lambda f: f.name.startswith("Comm_spawn")),
    ("CommunicatorMaker", lambda f: f.tier == 1 and f.has("newcomm")),
    ("WindowMaker", lambda f: f.has("newwin")),
    ("FileMaker", lambda f: f.has("newfile")),
    ("CommunicatorNaming", lambda f: f.tier == 1 and f.has("comm_name")),
    ("WindowNaming", lambda f: f.tier == 1 and f.has("win_name")),
    ("CommunicatorEnd", lambda f: f.name in ("Comm_free", "Comm_disconnect")),
    ("WindowEnd", lambda f: f.name == "Win_free"),
    ("FileEnd", lambda f: f.name == "File_close"),
    ("OneSided", lambda f: f.family == "rma" and f.has("target", "win") and f.role("target_disp")),
    ("Synchronisation", lambda f: f.family == "rma" and f.tier == 1 and f.has("win")),
    ("Transfer", lambda f: f.family == "io" and f.has("buf")),
    ("FileUse", lambda f: f.family == "io" and f.tier == 1 and f.has("file")),
    ("Request", lambda f: f.has("newrequest")),
]


# Calls that are followed even where they are not recorded, because later ones need to know of them.
FOLLOWED = ("Maker", "End", "Naming")

# Calls that programs make most: recorded inline in their wrappers.
FREQUENT = ("Send", "PostedSend", "Receive", "PostedReceive", "Probe", "Completion")


def record_of(function):
    return next((name for name, fits in RECORDS if fits(function)), "Plain")


def read_table(path):
    lines = [line.strip() for line in pathlib.Path(path).read_text().splitlines()]
    functions = [Function(line) for line in lines if line and not line.startswith("#")]
    further = [f.number for f in functions if f.number]
    if further != list(range(1, len(further) + 1)):
        raise ValueError("further functions are not numbered 1, 2, 3, ...")
    if any(f.number for f in functions[:len(functions) - len(further)]):
        raise ValueError("a further function stands before one with codes of its own")
    return functions
