"""Who waits for whom in MPI, and what that costs: wait states as Scalasca defines them, delay costs, the critical path.

A wait is (begin, end, ...) of a process in a call: E is the enter of a call, L its leave."""

from mpi_processes import collectives, matched

KINDS = ("", "Late sender", "Late receiver", "Wait at barrier", "Wait at n to n", "Late broadcast", "Early reduce", "Early scan",
         "Completion of a collective", "Late sender, wrong order", "Failed tests", "Wait for neighbours, at most", "Wait at fence",
         "Wait at start or end", "Wait for all members", "Wait for members, at most",
         "Late post, at most", "Late complete, at most", "Wait for a lock, at most")
N_TO_N = ("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block")
NEIGHBOURS = tuple("neighbor_" + name for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"))
FLOW = {"barrier": "barrier", "scan": "scan", "exscan": "scan", "win_fence": "fence",
        **dict.fromkeys(N_TO_N, "n to n"), **dict.fromkeys(NEIGHBOURS, "neighbours"),
        **dict.fromkeys(("bcast", "scatter", "scatterv"), "from root"), **dict.fromkeys(("gather", "gatherv", "reduce"), "to root")}
MEMBERS = ("comm_dup", "comm_split", "comm_split_type", "comm_create", "comm_free", "cart_create", "intercomm_merge")
FLOW.update(dict.fromkeys(MEMBERS, "members"))
LOOKED_AT = 100


def flow_of(name):
    name = name.removeprefix("MPI_").lower()
    return FLOW.get(name) or FLOW.get(name.removeprefix("i"), "none")


class Wait:
    def __init__(self, kind, process, call, end, cause=None, cause_time=None, begin=None):
        self.kind, self.process, self.call, self.cause, self.cause_time = kind, process, call, cause, cause_time
        self.begin, self.end = call.enter if begin is None else begin, end
        self.ns = self.end - self.begin
        self.function, self.region = call.name, process.region_at(self.begin)

    def key(self):
        return -self.ns, self.begin, self.process.rank, KINDS.index(self.kind)

    def is_certain(self):
        return self.cause is None or self.cause.host == self.process.host


def only_asks(call):
    return call.name.startswith("MPI_Test")


def longest_of_calls(waits):
    best = {}
    for wait in waits:
        if wait.ns > 0 and (wait.call not in best or wait.ns > best[wait.call].ns):
            best[wait.call] = wait
    return best


def of_receivers(messages):
    """Messages of one receiver: late senders, and those who send in another order than they are received."""
    messages.sort(key=lambda m: (m[1].completion.leave, m[0].process.rank, m[0].post.enter))
    found = []
    for at, (send, receive) in enumerate(messages):
        call = receive.completion
        if receive.probe:
            found.append(of_probe(send, receive))
        if only_asks(call):
            found.append(failed_tests(send, receive.process, call, receive.post.enter))
            continue
        later = messages[at + 1:at + 1 + LOOKED_AT]
        is_overtaken = any(r.completion.leave > call.leave and s.post.enter < send.post.enter for s, r in later)
        kind = "Late sender, wrong order" if is_overtaken else "Late sender"
        found.append(Wait(kind, receive.process, call, min(send.post.enter, call.leave), send.process, send.post.enter))
    return longest_of_calls(found)


def of_probe(send, receive):
    """MPI_Probe waits as a receive does; a loop of MPI_Iprobe is a run of failed tests."""
    call = receive.probe
    if call.name.startswith("MPI_I"):
        return failed_tests(send, receive.process, call, -1)
    return Wait("Late sender", receive.process, call, min(send.post.enter, call.leave), send.process, send.post.enter)


def failed_tests(send, process, last, since):
    """The run of tests that ends with the one that completes the receive: of MPI_Test those of the same request since it was
    posted, of others calls of that function without another call between them. What counts is the time in them before the send."""
    calls = process.calls[:process.calls.index(last) + 1]
    run = []
    for call in reversed(calls):
        if call.enter <= since:
            break
        is_same = call.name == last.name and call.request == last.request
        if not is_same and last.name != "MPI_Test":
            break
        if is_same:
            run.append(call)
    wait = Wait("Failed tests", process, last, send.post.enter, send.process, send.post.enter)
    spent = [(call.enter, min(call.leave, send.post.enter)) for call in run if call.enter < send.post.enter]
    wait.ns = sum(end - begin for begin, end in spent)
    if spent:
        wait.begin, wait.end = min(begin for begin, _ in spent), max(end for _, end in spent)
        wait.region = process.region_at(wait.begin)
    return wait


def of_senders(messages, waiting):
    messages = sorted(messages, key=lambda m: (m[0].process.rank, m[0].post.enter))
    found = []
    for send, receive in messages:
        call = send.completion
        if call and not only_asks(call) and call not in waiting and call.leave > receive.post.enter:
            found.append(Wait("Late receiver", send.process, call, receive.post.enter, receive.process, receive.post.enter))
    return longest_of_calls(found)


def at_collective(parts):
    """Waits of all members of one."""
    flow = flow_of(parts[0].post.name)
    moves_data = any(part.sent + part.received > 0 for part in parts)
    by = {"barrier": at_barrier, "fence": at_barrier, "n to n": at_n_to_n, "from root": at_from_root, "to root": at_to_root,
          "scan": at_scan, "neighbours": at_neighbours, "members": at_members}
    if flow == "none" or (not moves_data and flow not in ("barrier", "fence", "scan", "members")):
        return []
    return [wait for wait in by[flow](parts, flow) if wait.ns > 0]


def one(kind, part, cause):
    call = part.completion
    if call is None or cause is None or only_asks(call):
        return []
    return [Wait(kind, part.process, call, min(cause.post.enter, call.leave), cause.process, cause.post.enter)]


def latest(parts):
    return max(parts, key=lambda part: (part.post.enter, -part.rank)) if parts else None


def completion(part, since):
    call = part.completion
    if call is None or only_asks(call):
        return []
    return [Wait("Completion of a collective", part.process, call, call.leave, begin=max(since, call.enter))]


def first_leave(parts):
    return min(part.completion.leave for part in parts if part.completion)


def at_barrier(parts, flow):
    last = latest(parts)
    since = max(first_leave(parts), last.post.enter)
    kind = "Wait at barrier" if flow == "barrier" else "Wait at fence"
    return [wait for part in parts for wait in one(kind, part, last) + completion(part, since)]


def at_n_to_n(parts, _):
    """Where a member leaves before the last one enters, they overlap in part: those who receive wait for the last who sends."""
    last, counted = latest(parts), parts
    if first_leave(parts) < last.post.enter:
        last = latest([part for part in parts if part.sent > 0])
        counted = [part for part in parts if last and (part is last or (part.received > 0 and part.post.enter < last.post.enter))]
    if not counted:
        return []
    since = max(first_leave(counted), last.post.enter)
    return [wait for part in counted for wait in one("Wait at n to n", part, last) + completion(part, since)]


def at_from_root(parts, _):
    root = next(part for part in parts if part.rank == part.root)
    return [wait for part in parts if part is not root for wait in one("Late broadcast", part, root)]


def at_to_root(parts, _):
    root = next(part for part in parts if part.rank == part.root)
    return one("Early reduce", root, latest([part for part in parts if part is not root]))


def at_scan(parts, _):
    return [wait for part in parts for wait in one("Early scan", part, latest([p for p in parts if p.rank < part.rank]))]


def at_neighbours(parts, _):
    """Nothing tells who is a neighbour: at most a member waits for the last that enters before it leaves."""
    return [wait for part in parts if part.completion
            for wait in one("Wait for neighbours, at most", part, latest([p for p in parts if p.post.enter <= part.completion.leave]))]


def at_members(parts, _):
    """A call that makes or frees something: all wait for the last if none leaves before; else at most for the last that came in time."""
    ended = [part for part in parts if part.completion]
    last = latest(parts)
    if len(parts) == parts[0].size and all(part.completion.leave >= last.post.enter for part in ended):
        return [wait for part in ended for wait in one("Wait for all members", part, last)]
    return [wait for part in ended
            for wait in one("Wait for members, at most", part, latest([p for p in parts if p.post.enter <= part.completion.leave]))]


LOCKS = ("MPI_Win_lock", "MPI_Win_lock_all", "MPI_Win_flush", "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all")
UNLOCKS = ("MPI_Win_unlock", "MPI_Win_unlock_all")
WAITS_FOR = {"MPI_Win_start": ("Late post, at most", ("MPI_Win_post",)), "MPI_Win_complete": ("Late post, at most", ("MPI_Win_post",)),
             "MPI_Win_wait": ("Late complete, at most", ("MPI_Win_complete",)),
             **dict.fromkeys(LOCKS + UNLOCKS, ("Wait for a lock, at most", UNLOCKS))}


def at_windows(processes):
    """At most until the last call of another member that was entered meanwhile."""
    calls = [(process, *of) for process in processes for of in process.window_calls]
    found = []
    for process, call, rank, target, window in calls:
        if call.name not in WAITS_FOR:
            continue
        kind, names = WAITS_FOR[call.name]
        causes = [(other.enter, other_rank, by) for by, other, other_rank, other_target, of in calls
                  if of == window and other_rank != rank and other.name in names and call.enter < other.enter <= call.leave
                  and (not kind.startswith("Wait for a lock")
                       or ((target >= 0 or other_target >= 0) and (target < 0 or other_target < 0 or target == other_target)))]
        if causes:
            enter, _, by = max(causes, key=lambda of: of[:2])
            found.append(Wait(kind, process, call, enter, by, enter))
    return found


def at_start_or_end(processes, name):
    """MPI_Init or MPI_Finalize: nobody is known to have waited if one leaves before all have entered."""
    calls = [(process, call) for process in processes for call in process.calls if call.name == name]
    late, last = max(calls, key=lambda of: (of[1].enter, -of[0].rank))
    if min(call.leave for _, call in calls) < last.enter:
        return []
    return [Wait("Wait at start or end", process, call, last.enter, late, last.enter) for process, call in calls if call.enter < last.enter]


def find_waits(processes):
    messages = matched(processes)
    found = []
    for process in processes:
        mine = [message for message in messages if message[1].process is process]
        late = of_receivers(mine)
        found += late.values()
        found += of_senders([message for message in messages if message[0].process is process], late).values()
    for parts in collectives(processes):
        found += at_collective(parts)
    for name in ("MPI_Init", "MPI_Finalize"):
        found += at_start_or_end(processes, name)
    return found + at_windows(processes)


# Delay costs: D. Boehme and others, Identifying the root causes of wait states in large-scale parallel applications, ICPP 2010.

def synchronisations(processes):
    """(time, members) of the collectives that none leaves before all have entered."""
    found = []
    for parts in collectives(processes):
        last = latest(parts).post.enter
        is_blocking = all(part.completion is part.post for part in parts)
        if flow_of(parts[0].post.name) in ("barrier", "fence", "n to n", "members") and is_blocking and first_leave(parts) >= last:
            found.append((last, {part.process for part in parts}))
    return found


def profile(process, begin, end):
    spent = {}
    for function, region, since, until in process.stretches(begin, end):
        spent[function, region] = spent.get((function, region), 0) + until - since
    return spent


def delay_costs(processes, waits):
    """{(rank, function, region): [short-term, long-term]} in ns. Of each share the fraction of a ns is dropped."""
    together = synchronisations(processes)
    passed_on, costs = {}, {}
    for wait in sorted(waits, key=lambda wait: -wait.end):
        late, process = wait.cause, wait.process
        if late is None or late is process:
            continue
        pair = {process, late}
        since = [other.end for other in waits if other.end <= wait.begin and {other.process, other.cause} == pair]
        since += [time for time, members in together if time <= wait.begin and pair <= members]
        since = max(since, default=-1)
        mine = profile(process, since, wait.begin)
        since = max(since, late.began)  # nobody is to blame for waits in MPI_Init
        until = min(wait.cause_time, wait.end)
        own = [(other, min(other.end - max(other.begin, since), other.ns)) for other in waits
               if other.process is late and since < other.end <= until and other.end < wait.end]
        late_profile = profile(late, since, until)
        for other, overlap in own:
            key = other.function, other.region
            late_profile[key] = late_profile.get(key, 0) - overlap
        delays = {key: ns - mine.get(key, 0) for key, ns in late_profile.items() if ns > mine.get(key, 0)}
        whole = max(sum(delays.values()) + sum(overlap for _, overlap in own), wait.ns)
        longer = passed_on.get(wait, 0)
        for (function, region), ns in delays.items():
            cost = costs.setdefault((late.rank, function, region), [0, 0])
            cost[0] += wait.ns * ns // whole
            cost[1] += longer * ns // whole
        for other, overlap in own:
            passed_on[other] = passed_on.get(other, 0) + (wait.ns + longer) * overlap // whole
    return {key: cost for key, cost in costs.items() if any(cost)}


def critical_path(processes, waits):
    """(process, begin, end) of its parts, from the last to the first: back from the rank that comes last to MPI_Finalize, and
    from each wait behind MPI_Init to the process that was waited for."""
    last = max(processes, key=lambda process: (process.ended, -process.rank))
    left = {process: sorted((wait for wait in waits if wait.process is process and wait.cause and wait.function != "MPI_Init"),
                            key=lambda wait: (wait.end, wait.begin, wait.cause.rank)) for process in processes}
    process, time, parts = last, last.ended, []
    while True:
        while left[process] and left[process][-1].end > time:
            left[process].pop()
        begin = left[process][-1].end if left[process] else process.began
        if begin < time:
            parts.append((process, begin, time))
        if not left[process]:
            return parts
        time, process = min(time, begin), left[process].pop().cause
