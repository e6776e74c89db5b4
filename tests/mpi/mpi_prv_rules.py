#!/usr/bin/env python3
"""Checks mpi.prv, with its PCF and ROW, by the rules of the tools that read it.

usage: mpi_prv_rules.py [--no-states] [--with-gaps] [--partial] FILE.prv...

    --no-states  the file has no lines of states
    --with-gaps  parts of the run are missing: the members of a communicator need not agree on their collectives
    --partial    the trace ended with an error: states and calls need not last to its end

Prints what is wrong, a rule and a place in each line; exits 1 if anything is. Last comes a line that counts what was seen.
"""
import bisect
import collections
import pathlib
import re
import sys

MPI_TYPES = range(50000001, 50000006)
MESSAGE_TYPES = (50000001, 50000002, 50000003, 50000004)
COLLECTIVE, OTHER = 50000002, 50000003
SENT, RECEIVED, ROOT, COMMUNICATOR = 50100001, 50100002, 50100003, 50100004
SIZES = (SENT, RECEIVED, 50001000, 50000110)
FIRST_ILLEGAL_FUNCTION = 195
INIT = 31
TRAFFIC = (320, 321)  # wait state, critical path
# Bcast, Reduce, Gather.., Scatter.. and what does not block of them.
ROOTED = {7, 9, 13, 14, 15, 16, 154, 157, 162, 163, 164, 165}
PCF_TRAPS = ("600000", "610000", "630000", "631000", "632000", "640000", "641000", "642000", "9200001")
BURST_TRAP = "40000018:2"
MOST = 2**31 - 1
HEADER = re.compile(r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):(\d+):(\d+)\(([\d:,]+)\),(\d+)$")


class Checker:
    def __init__(self, prv, pcf, row, states=True, gaps=False, partial=False):
        self.prv, self.pcf, self.row = prv, pcf, row
        self.with_states, self.gaps, self.partial = states, gaps, partial
        self.faults = []
        self.seen = collections.Counter()
        self.used = collections.defaultdict(set)     # event type -> values
        self.states_used = set()
        self.state_end = {}                          # (task, thread) -> end of its last state
        self.open = {}                               # (task, thread) -> (type, begin) of the call
        self.calls = collections.defaultdict(list)   # (task, thread) -> [begin, end, type]
        self.inits = set()
        self.waits = {}                              # (task, thread, type) -> value
        self.turns = collections.Counter()           # (communicator, task) -> collectives
        self.turn = collections.defaultdict(list)    # (communicator, turn) -> [(task, function, is root)]
        self.messages = []

    def fault(self, rule, what):
        if len(self.faults) < 100:
            self.faults.append(f"{rule}: {what}")

    def check(self):
        if BURST_TRAP in self.prv:
            self.fault("burst-trap", f"{BURST_TRAP} in the text")
        lines = self.prv.split("\n")
        if lines[-1] != "":
            self.fault("end-of-file", "the last line does not end")
        if self.check_header(lines):
            self.check_body(lines[1 + self.communicator_lines:-1])
            self.check_ends()
            self.check_collectives()
            self.check_messages()
            self.check_row()
            self.check_pcf()
        return self.faults

    # The header and the communicators.
    def check_header(self, lines):
        found = HEADER.match(lines[0])
        if not found:
            self.fault("header", lines[0][:80])
            return False
        self.end = int(found[1])
        self.node_sizes = [int(n) for n in found[3].split(",")]
        if int(found[4]) != 1:
            self.fault("one-application", f"{found[4]} applications")
        self.tasks = [tuple(int(n) for n in task.split(":")) for task in found[6].split(",")]
        if int(found[2]) != len(self.node_sizes) or int(found[5]) != len(self.tasks):
            self.fault("header", "lists are not as long as they say")
        if min(self.node_sizes) < 1:
            self.fault("node-without-thread", "a node has no thread")
        threads_of_node = collections.Counter()
        for number, (threads, node) in enumerate(self.tasks, 1):
            if threads < 1:
                self.fault("task-without-thread", f"task {number}")
            if not 1 <= node <= len(self.node_sizes):
                self.fault("node", f"task {number} is on node {node}")
            threads_of_node[node] += threads
        for node, size in enumerate(self.node_sizes, 1):
            if threads_of_node[node] != size:
                self.fault("node-size", f"node {node} has {threads_of_node[node]} threads, not {size}")
        self.cpus = {}
        cpu = 0
        for at in range(1, len(self.node_sizes) + 1):
            for task, (threads, node) in enumerate(self.tasks, 1):
                for thread in range(1, threads + 1 if node == at else 1):
                    cpu += 1
                    self.cpus[task, thread] = cpu
        return self.check_communicators(lines, int(found[7]))

    def check_communicators(self, lines, count):
        self.communicators = {}
        self.communicator_lines = 0
        for line in lines[1:]:
            if re.match(r"[123]:", line) or not line:
                break
            self.communicator_lines += 1
            if not line.startswith("c:"):
                self.fault("communicator-line", line[:80])
                continue
            fields = [int(n) for n in line[2:].split(":")]
            application, number, size, members = fields[0], fields[1], fields[2], fields[3:]
            if application != 1 or number != len(self.communicators) + 1 or size != len(members) or size < 1:
                self.fault("communicator", line[:80])
            if len(set(members)) != len(members) or not set(members) <= set(range(1, len(self.tasks) + 1)):
                self.fault("communicator", f"members of {number}")
            self.communicators[number] = members
        if count != self.communicator_lines:
            self.fault("communicator-count", f"{self.communicator_lines} lines, not {count}")
        if self.communicators.get(1) != list(range(1, len(self.tasks) + 1)):
            self.fault("world", "the first communicator is not that of all tasks")
        return True

    # The records.
    def check_body(self, lines):
        last = 0
        for number, line in enumerate(lines, 2 + self.communicator_lines):
            try:
                fields = [int(field) for field in line.split(":")]
            except ValueError:
                self.fault("line", f"{number}: {line[:60]}")
                continue
            self.at = number
            kind = fields[0]
            if kind not in (1, 2, 3) or len(fields) < 8:
                self.fault("line", f"{number}: {line[:60]}")
                continue
            time = fields[5]
            if time < last:
                self.fault("sorted", f"{number}: {time} after {last}")
            last = time
            if not 0 <= time <= self.end:
                self.fault("duration", f"{number}: {time}")
            if not self.is_thread(fields[1:5]):
                continue
            self.seen[{1: "states", 2: "events", 3: "messages"}[kind]] += 1
            {1: self.take_state, 2: self.take_event, 3: self.take_message}[kind](fields)

    def is_thread(self, place):
        cpu, application, task, thread = place
        if application != 1 or self.cpus.get((task, thread)) != cpu:
            self.fault("thread", f"{self.at}: {place}")
            return False
        return True

    def take_state(self, fields):
        thread, begin, end, state = (fields[3], fields[4]), fields[5], fields[6], fields[7]
        if not self.with_states:
            self.fault("no-states", f"{self.at}")
        if begin != self.state_end.get(thread, 0):
            self.fault("states-follow", f"{self.at}: begins at {begin}, the one before ends at {self.state_end.get(thread, 0)}")
        if end <= begin or end > self.end:
            self.fault("state-length", f"{self.at}: from {begin} to {end}")
        if not 0 <= state <= 17:
            self.fault("state", f"{self.at}: {state}")
        self.states_used.add(state)
        self.state_end[thread] = end

    def take_event(self, fields):
        thread, time = (fields[3], fields[4]), fields[5]
        if len(fields) % 2:
            self.fault("line", f"{self.at}: half a pair")
        pairs = list(zip(fields[6::2], fields[7::2]))
        types = [kind for kind, _ in pairs]
        mpi = [place for place, kind in enumerate(types) if kind in MPI_TYPES]
        for kind, value in pairs:
            self.used[kind].add(value)
            if kind in SIZES and not 0 <= value <= MOST:
                self.fault("size", f"{self.at}: {value}")
            if kind == ROOT and value != 1:
                self.fault("root", f"{self.at}: {value}")
        if set(TRAFFIC) & set(types):
            self.take_wait(thread, pairs)
        if len(mpi) > 1 or (mpi and mpi[0] != 0):
            self.fault("mpi-first", f"{self.at}: {types}")
        if not mpi or mpi[0] != 0:
            if {SENT, RECEIVED, ROOT, COMMUNICATOR} & set(types):
                self.fault("collective", f"{self.at}: details without a collective")
            return
        kind, function = pairs[0]
        if not 0 <= function < FIRST_ILLEGAL_FUNCTION:
            self.fault("function", f"{self.at}: {function}")
        self.take_call(thread, time, kind, function)
        if kind == OTHER and function == INIT:
            self.inits.add(thread[0])
        if kind == COLLECTIVE and function != 0:
            self.take_collective(thread[0], function, dict(pairs), types)
        elif {SENT, RECEIVED, ROOT, COMMUNICATOR} & set(types):
            self.fault("collective", f"{self.at}: details in another line than that of a collective")

    def take_wait(self, thread, pairs):
        self.seen.update({"events": -1, "waits": 1})
        kind, value = pairs[0]
        if len(pairs) > 1:
            self.fault("waits-alone", f"{self.at}: {pairs}")
        if (value == 0) == (self.waits.get((*thread, kind), 0) == 0):
            self.fault("waits-end", f"{self.at}: {kind}:{value}")
        self.waits[*thread, kind] = value

    def take_call(self, thread, time, kind, function):
        if function != 0:
            if thread in self.open:
                self.fault("calls-nest", f"{self.at}: {kind}:{function} in another call")
            self.open[thread] = (kind, time)
            self.seen["calls"] += 1
        elif self.open.get(thread, (0, 0))[0] != kind:
            self.fault("calls-end", f"{self.at}: the end of no call of {kind}")
        else:
            _, begin = self.open.pop(thread)
            self.calls[thread].append((begin, time, kind))

    def take_collective(self, task, function, details, types):
        self.seen["collectives"] += 1
        if not {SENT, RECEIVED} <= set(types):
            self.fault("collective", f"{self.at}: without its sizes")
        if COMMUNICATOR not in details:
            self.fault("collective", f"{self.at}: without a communicator")
            return
        number = details[COMMUNICATOR]
        if task not in self.communicators.get(number, []):
            self.fault("member", f"{self.at}: task {task} is not in communicator {number}")
        self.turns[number, task] += 1
        self.turn[number, self.turns[number, task]].append((task, function, ROOT in details))

    def take_message(self, fields):
        if len(fields) != 15:
            self.fault("line", f"{self.at}: {len(fields)} numbers")
            return
        ls, ps, lr, pr, size, tag = fields[5], fields[6], fields[11], fields[12], fields[13], fields[14]
        if not self.is_thread(fields[7:11]):
            return
        if max(ps, lr, pr) > self.end or min(ls, ps, lr, pr) < 0:
            self.fault("message-duration", f"{self.at}")
        if ps < ls or pr < lr:
            self.fault("message-times", f"{self.at}")
        if not 0 <= size <= MOST or not -MOST - 1 <= tag <= MOST:
            self.fault("size", f"{self.at}: {size}, tag {tag}")
        self.messages.append((self.at, (fields[3], fields[4]), ls))
        self.messages.append((self.at, (fields[9], fields[10]), lr))

    # Checks what is known only at the end.
    def check_ends(self):
        for task in range(1, len(self.tasks) + 1):
            if task not in self.inits:
                self.fault("init", f"task {task} has no MPI_Init")
        if self.partial:
            return
        for thread in self.cpus:
            if self.with_states and self.end > 0 and self.state_end.get(thread) != self.end:
                self.fault("states-last", f"thread {thread}: {self.state_end.get(thread)}, not {self.end}")
        for thread, (kind, begin) in self.open.items():
            self.fault("calls-end", f"thread {thread}: {kind} of {begin} is open")

    def check_collectives(self):
        for (number, turn), members in self.turn.items():
            if self.gaps or self.partial or len(members) != len(self.communicators.get(number, [])):
                continue
            functions = {function for _, function, _ in members}
            roots = sum(is_root for _, _, is_root in members)
            if len(functions) != 1:
                self.fault("agree", f"communicator {number}, {turn}: functions {sorted(functions)}")
            elif roots != (functions <= ROOTED):
                self.fault("root", f"communicator {number}, {turn}: function {functions} has {roots} roots")
        if not self.gaps and not self.partial:
            for number, members in self.communicators.items():
                turns = {self.turns[number, task] for task in members}
                if len(turns) != 1:
                    self.fault("agree", f"communicator {number}: members call {sorted(turns)} collectives")

    def check_messages(self):
        for calls in self.calls.values():
            calls.sort()
        for line, thread, time in self.messages:
            calls = self.calls[thread]
            i = bisect.bisect_right(calls, (time, MOST << 40, 0)) - 1
            inside = i >= 0 and calls[i][1] >= time or i >= 1 and calls[i - 1][1] >= time
            if not self.gaps and not self.partial and not (inside and calls[i][2] in MESSAGE_TYPES):
                self.fault("message-in-call", f"{line}: {time} of {thread} is in no call")

    def check_row(self):
        text = self.row
        if not text.startswith("LEVEL CPU SIZE "):
            self.fault("row-cpu", "the first line is another one")
        if not text.endswith("\n") or text.endswith("\n\n"):
            self.fault("row-end", "the last line is not that of a thread")
        sections = {}
        current = None
        for line in text.rstrip("\n").split("\n"):
            found = re.match(r"LEVEL (\w+) SIZE (\d+)$", line)
            if found:
                current = sections[found[1]] = (int(found[2]), [])
            elif current:
                current[1].append(line)
        names = list(sections)
        if names != ["CPU", "NODE", "THREAD"]:
            self.fault("row-levels", f"{names}")
            return
        threads = [f"THREAD 1.{task}.{thread}" for task, thread in sorted(self.cpus)]
        for name, size in (("CPU", len(threads)), ("NODE", len(self.node_sizes)), ("THREAD", len(threads))):
            labels = [label for label in sections[name][1] if label]
            if sections[name][0] != size or len(labels) != size:
                self.fault(f"row-{name.lower()}", f"{sections[name][0]} with {len(labels)} names, not {size}")
        if sections["THREAD"][1] != threads:
            self.fault("row-thread", "other threads than in the trace")

    def check_pcf(self):
        for trap in PCF_TRAPS:
            if trap in self.pcf:
                self.fault("pcf-trap", trap)
        if "500000" not in self.pcf:
            self.fault("pcf-mpi", "no type of MPI")
        states = dict(re.findall(r"^(\d+) +(\S.*)$", self.section("STATES"), re.M))
        if states.get("1") != "Running" or states.get("12") != "I/O" or len(states) != 18:
            self.fault("pcf-states", f"{states}")
        labels = collections.defaultdict(set)
        types = set()
        for block in self.pcf.split("EVENT_TYPE\n")[1:]:
            kinds = re.findall(r"^\d+ +(\d+) +\S", block.split("VALUES")[0], re.M)
            types.update(map(int, kinds))
            for kind in kinds:
                labels[int(kind)].update(int(v) for v in re.findall(r"^(\d+) +\S", block.partition("VALUES\n")[2], re.M))
        for kind in self.used.keys() - types:
            self.fault("pcf-type", f"{kind} has no label")
        for kind in (*MPI_TYPES, 25, *TRAFFIC):
            for value in self.used[kind] - labels[kind]:
                self.fault("pcf-value", f"{kind}:{value} has no label")
            for value in labels[kind] - self.used[kind] - {0}:
                self.fault("pcf-unused", f"{kind}:{value} is not in the trace")

    def section(self, name):
        return self.pcf.partition(f"\n{name}\n")[2].partition("\n\n")[0]


def main():
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    files = [pathlib.Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    if not files or options - {"--no-states", "--with-gaps", "--partial"}:
        print(__doc__.strip(), file=sys.stdout if "--help" in options else sys.stderr)
        sys.exit(0 if "--help" in options else 2)
    is_good = True
    for file in files:
        texts = [file.with_suffix(suffix).read_text() for suffix in (".prv", ".pcf", ".row")]
        checker = Checker(*texts, states="--no-states" not in options, gaps="--with-gaps" in options,
                          partial="--partial" in options)
        for fault in checker.check():
            print(f"{file}: {fault}")
            is_good = False
        print(f"{file}: " + " ".join(f"{name}={count}" for name, count in sorted(checker.seen.items())))
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
