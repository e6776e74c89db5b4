"""How a wrapper hands the arguments of an MPI call to the classes of mpi/interpose/records/details.hpp: initialisers of
their members, as text of C++."""
import re

HANDLE_ARRAYS = {"MPI_Comm": "Comms", "MPI_Datatype": "Types", "MPI_Win": "Wins", "MPI_File": "Files",
                 "MPI_Request": "Requests", "MPI_Message": "Messages", "MPI_Status": "Statuses",
                 "MPI_Info": "SpawnInfos"}
HANDLES = {"MPI_Comm": "comm_of", "MPI_Datatype": "type_of", "MPI_Win": "win_of", "MPI_File": "file_of",
           "MPI_Op": "op_of", "int": "integer", "MPI_Count": "large_integer"}
NUMBERS = ("int", "MPI_Count")

# The roles that a member may come from; the first that the function has.
SEND = {"peer": ("dest",), "tag": ("tag", "sendtag"), "comm": ("comm",), "count": ("count", "sendcount"),
        "type": ("datatype", "sendtype")}
RECEIVE = {"peer": ("source",), "tag": ("tag", "recvtag"), "comm": ("comm",)}
REQUEST = {"newrequest": ("newrequest",)}
STATUS = {"status": ("status",)}
COLLECTIVE = {"flow": (), "comm": ("comm",), "root": ("root", "=MPI_ANY_SOURCE"),
              "sent": {"buffer": ("sendbuf", "buf"),
                       "count": ("sendcount", "count", "recvcount"),
                       "counts": ("sendcounts", "recvcounts"),
                       "type": ("sendtype", "datatype"),
                       "types": ("sendtypes",)},
              "received": {"buffer": ("recvbuf", "buf"),
                           "count": ("recvcount", "count"),
                           "counts": ("recvcounts",),
                           "type": ("recvtype", "datatype"),
                           "types": ("recvtypes",)},
              "language": (), **REQUEST}
MEMBERS = {
    "Plain": {},
    "Send": SEND,
    "PostedSend": {"send": SEND, **REQUEST},
    "Receive": {**RECEIVE, **STATUS},
    "PostedReceive": {**RECEIVE, **REQUEST},
    "Exchange": {"send": SEND, **STATUS},
    "PostedExchange": {"send": SEND, "source": ("source",), "recvtag": ("recvtag",),
                       "recvcount": ("recvcount", "count"), "recvtype": ("recvtype", "datatype"), **REQUEST},
    "Probe": {**RECEIVE, **STATUS, "flag": ("flag",), "newmessage": ("newmessage",)},
    "MatchedReceive": {"message": ("message",), **STATUS},
    "PostedMatchedReceive": {"message": ("message",), **REQUEST},
    "PersistentSend": {"send": SEND, "partitions": ("partitions", "=-1"), **REQUEST},
    "PersistentReceive": {**RECEIVE, "count": ("count",), "type": ("datatype",),
                          "partitions": ("partitions", "=-1"), **REQUEST},
    "Start": {"count": ("=1",), "many": (), "requests": ("request",)},
    "Starts": {"count": ("count",), "many": (), "requests": ("requests",)},
    "RequestUse": {"request": ("request",)},
    "Request": REQUEST,
    "Completion": {"request": ("request",), **STATUS, "flag": ("flag",)},
    "Completions": {"count": ("count", "incount"), "requests": ("requests",), "statuses": ("status", "statuses"),
                    "first": (), "flag": ("flag",), "index": ("index",), "outcount": ("outcount",),
                    "indices": ("indices",)},
    "Collective": COLLECTIVE,
    "PersistentCollective": COLLECTIVE,
    "OneSided": {"target": ("target",), "win": ("win",), "count": ("target_count", "=1"),
                 "type": ("target_datatype", "datatype"), "gives": (), "takes": (),
                 "op": ("op", "=op_null()"), **REQUEST},
    "Synchronisation": {"target": ("target", "=MPI_ANY_SOURCE"), "win": ("win",)},
    "Transfer": {"file": ("file",), "count": ("count", "=0"), "type": ("datatype", "=MPI_Datatype()"), **STATUS,
                 **REQUEST, "has_status": ()},
    "FileUse": {"file": ("file",)},
    "CommunicatorMaker": {"comm": ("comm", "=comm_null()"), "root": ("root", "=MPI_ANY_SOURCE"),
                          "distinction": ("tag", "stringtag", "=0"), "joins_two": (), "newcomm": ("newcomm",),
                          "language": (), **REQUEST},
    "SpawnMaker": {"comm": ("comm",), "root": ("root",), "count": ("count", "=1"),
                   "infos": ("array_of_info", "info"), "newcomm": ("newcomm",)},
    "CommunicatorEnd": {"comm": ("comm",)},
    "WindowMaker": {"comm": ("comm",), "newwin": ("newwin",)},
    "WindowEnd": {"win": ("win",)},
    "FileMaker": {"comm": ("comm",), "name": ("filename",), "newfile": ("newfile",)},
    "FileEnd": {"file": ("file",)},
    "CommunicatorNaming": {"comm": ("comm",), "name": ("comm_name",)},
    "WindowNaming": {"win": ("win",), "name": ("win_name",)},
}


# The row of mpi/interpose/records/collective_flow.hpp.
def flow_of(name):
    name = re.sub(r"^I(?=[a-z])", "", name)
    name = name[0].upper() + name[1:]
    name = re.sub(r"(gather|catter|alltoall)[vw]$", r"\1", name, flags=re.IGNORECASE)
    if name.startswith("Reduce_scatter"):
        name = "Reduce_scatter"
    return {"Scan": "Allreduce", "Exscan": "Allreduce"}.get(name, name)


# Makers of communicators whose two sides have different arguments.
JOINS = {"Intercomm_create", "Intercomm_create_from_groups", "Comm_accept", "Comm_connect", "Comm_join"}


# Members that no argument says.
def constant(function, member, language):
    return {
        "language": f"Language::{language}",
        "first": "first_index(spelling)" if language == "fortran" else "0",
        "flow": f"flows::{flow_of(function.kin)}",
        "gives": "true" if function.gives() else "false",
        "takes": "true" if function.takes() else "false",
        "many": "true" if function.has("requests") else "false",
        "has_status": "true" if function.has("status") else "false",
        "joins_two": "true" if function.name in JOINS else "false",
    }[member]


# One argument, as the member wants it.
def value_in_c(function, parameter):
    base = parameter.type.removeprefix("const ").rstrip("* ")
    points = parameter.array or parameter.type.endswith("*")
    if parameter.is_text():
        return f"text_of({parameter.name}, 0, Language::c)"
    if base in HANDLE_ARRAYS and (points or base in ("MPI_Request", "MPI_Info")):
        address = "" if points else "&"
        return f"{HANDLE_ARRAYS[base]}({address}{parameter.name}, Language::c)"
    return parameter.name


def value_in_fortran(function, parameter):
    base = parameter.type.removeprefix("const ").rstrip("* ")
    points = parameter.array or parameter.type.endswith("*")
    if parameter.is_text():
        texts = [p.name for p in function.parameters if p.is_text()]
        return f"text_of({parameter.name}, length{texts.index(parameter.name)}, Language::fortran)"
    if base in HANDLE_ARRAYS and (points or base in ("MPI_Request", "MPI_Info")):
        return f"{HANDLE_ARRAYS[base]}({parameter.name}, Language::fortran)"
    if base in NUMBERS and points:
        return f"static_cast<const {base}*>({parameter.name})"
    if base in HANDLES and not points:
        return f"{HANDLES[base]}({parameter.name})"
    return parameter.name


def value_of(function, alternatives, language):
    for name in alternatives:
        if name.startswith("="):
            return name[1:]
        if parameter := function.role(name):
            return (value_in_c if language == "c" else value_in_fortran)(function, parameter)
    return None


# The alternatives that count: a side of a collective that has a count of its own needs no other.
def usable(function, member, alternatives):
    if member == "counts" and function.role("sendcount", "count") and "sendcounts" in alternatives:
        return ("sendcounts",)
    return alternatives


def initialiser(function, members, language):
    values = []
    for member, alternatives in members.items():
        if isinstance(alternatives, dict):
            value = initialiser(function, alternatives, language)
        elif not alternatives:
            value = constant(function, member, language)
        else:
            value = value_of(function, usable(function, member, alternatives), language)
            if value and member == "buffer" and language == "fortran":
                value = f"buffer_of({value}, spelling)"
        if value is not None:
            values.append(f".{member} = {value}")
    return "{" + ", ".join(values) + "}"


def details(function, record, language):
    return initialiser(function, MEMBERS[record], language)


# The expression that replaces that argument because the call may get another one; `read` gives it.
def stand_in(record, parameter, read):
    base = parameter.type.removeprefix("const ").rstrip("* ")
    if base == "MPI_Info" and parameter.name in MEMBERS[record].get("infos", ()):
        by_value = read == "for_c()" and not parameter.array
        return f"{'*' if by_value else ''}details.{read}"
    if base == "MPI_Status":
        for member in ("status", "statuses"):
            if parameter.name in MEMBERS[record].get(member, ()):
                return f"details.{member}.{read}"
    return None
