#!/usr/bin/env python3
"""Part of vcluster: the switch of a cluster with delays, in user space.

usage: vcluster_switch.py check NODES SPEC
       vcluster_switch.py run NODES SPEC KEEPER

`check` ends with 2 where SPEC is none. `run` makes the tap devices `head` and v0 .. v(NODES-1) in its network
namespace, for vcluster to move into the nodes, prints `ready` and then carries frames between them until the
process KEEPER, which keeps that namespace, is gone. A frame that is read at time t is written at
t + delay of its link, or with the last one of its link, whatever comes later: a link keeps its order. The
process sleeps until then on a timerfd, which, unlike the time-out of a poll, has no slack. Since an idle core
takes long to wake up, it is set early by what earlier wake-ups were late, and only the rest is spun away.
"""
import ctypes
import fcntl
import heapq
import os
import random
import re
import select
import struct
import sys
import time

UNITS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}
DURATION = r"(\d+(?:\.\d+)?)(ns|us|ms|s)"
ENTRY = re.compile(rf"(?:(head|\d+|\*)-(head|\d+|\*)|\*)={DURATION}(?:\+-{DURATION})?")
LONGEST = 10 * UNITS["s"]
LONGEST_LEAD = 60 * UNITS["us"]
MOST_HELD = 100000  # frames; then new ones are lost

TUNSETIFF, SIOCGIFHWADDR = 0x400454CA, 0x8927
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
LONGEST_FRAME = 1 << 16
TFD_TIMER_ABSTIME = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def nanoseconds(number, unit):
    return round(float(number) * UNITS[unit]) if number else 0


def parse(spec, nodes):
    """[(from, to, delay, jitter)] of an ordered list; "*" is any node, None as `from` and `to`."""
    rules = []
    for entry in spec.split(","):
        match = ENTRY.fullmatch(entry)
        if not match:
            raise ValueError(f"'{entry}' is no delay")
        ends = [None if end in (None, "*") else end for end in match.group(1, 2)]
        for end in ends:
            if end not in (None, "head") and (int(end) >= nodes or end != str(int(end))):
                raise ValueError(f"'{entry}': there is no node {end}")
        delay, jitter = nanoseconds(*match.group(3, 4)), nanoseconds(*match.group(5, 6))
        if jitter > delay:
            raise ValueError(f"'{entry}': the jitter is greater than the delay")
        if delay > LONGEST:
            raise ValueError(f"'{entry}': more than {LONGEST // UNITS['s']} s")
        rules.append((*ends, delay, jitter))
    return rules


class Link:
    """One direction between two ports."""

    def __init__(self, delay, jitter):
        self.shortest = delay - jitter
        self.width = 2 * jitter
        self.last_due = 0

    def due(self, now):
        wait = self.shortest + (random.randint(0, self.width) if self.width else 0)
        self.last_due = max(self.last_due, now + wait)
        return self.last_due


class Links(dict):
    """(from, to) -> Link, made at first use; of several rules for a link the last one counts."""

    def __init__(self, rules):
        super().__init__()
        self.rules = rules

    def __missing__(self, ends):
        def fits(wanted, end):
            return end != "head" if wanted is None else wanted == end

        delay, jitter = 0, 0
        for source, target, *values in self.rules:
            if fits(source, ends[0].name) and fits(target, ends[1].name):
                delay, jitter = values
        self[ends] = Link(delay, jitter)
        return self[ends]


class Port:
    """A tap device: what is written to `fd` arrives in the node, what the node sends is read from it."""

    def __init__(self, name, device):
        self.name = name
        self.fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(self.fd, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP | IFF_NO_PI))
        self.address = fcntl.ioctl(self.fd, SIOCGIFHWADDR, bytes(40))[18:24]

    def send(self, frame):
        try:
            os.write(self.fd, frame)
        except OSError:
            pass  # the node is gone, or not there yet


class Timer:
    """Wakes the poll up shortly before a time."""

    def __init__(self):
        self.fd = LIBC.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self.set_to = 0
        self.lead = 0  # mean lateness, in ns

    def set(self, due):
        when = max(due - self.lead, 1)
        if when != self.set_to:
            value = struct.pack("@4l", 0, 0, *divmod(when, UNITS["s"]))
            LIBC.timerfd_settime(self.fd, TFD_TIMER_ABSTIME, value, None)
            self.set_to = when

    def expired(self):
        try:
            os.read(self.fd, 8)
        except BlockingIOError:
            return
        late = min(time.monotonic_ns() - self.set_to, LONGEST_LEAD)
        self.lead += (late - self.lead) // 8
        self.set_to = 0


class Switch:
    def __init__(self, ports, rules):
        self.ports = {port.fd: port for port in ports}
        self.by_address = {port.address: port for port in ports}
        self.links = Links(rules)
        self.held = []  # heap of (due, count, port, frame); the count keeps the order of equal times
        self.count = 0
        self.timer = Timer()
        self.poll = select.epoll()

    def receive(self, port):
        try:
            frame = os.read(port.fd, LONGEST_FRAME)
        except BlockingIOError:
            return
        except OSError:  # the node is gone, and the device with it
            self.poll.unregister(port.fd)
            del self.by_address[port.address]
            os.close(self.ports.pop(port.fd).fd)
            return
        target = self.by_address.get(frame[:6])
        if target:
            self.carry(port, target, frame)
        else:
            for other in self.ports.values():
                if other is not port:
                    self.carry(port, other, frame)

    def carry(self, source, target, frame):
        now = time.monotonic_ns()
        due = self.links[source, target].due(now)
        if due <= now:
            target.send(frame)
        elif len(self.held) < MOST_HELD:
            self.count += 1
            heapq.heappush(self.held, (due, self.count, target, frame))

    def release(self):
        while self.held and self.held[0][0] <= time.monotonic_ns() + self.timer.lead:
            due, _, target, frame = heapq.heappop(self.held)
            while time.monotonic_ns() < due:
                pass
            if target.fd in self.ports:
                target.send(frame)
        if self.held:
            self.timer.set(self.held[0][0])

    def run(self, keeper):
        for fd in (keeper, self.timer.fd, *self.ports):
            self.poll.register(fd, select.EPOLLIN)
        while True:
            for fd, _ in self.poll.poll():
                if fd == keeper:
                    return
                if fd == self.timer.fd:
                    self.timer.expired()
                else:
                    self.receive(self.ports[fd])
            self.release()


def detach():
    """Keeps no pipe or terminal of the caller open."""
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def main(arguments):
    command, nodes, spec = arguments[0], int(arguments[1]), arguments[2]
    try:
        rules = parse(spec, nodes)
    except ValueError as error:
        print(f"vcluster: --delay: {error}, see --help", file=sys.stderr)
        return 2
    if command == "check":
        return 0
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.setsid()
    try:
        # Nodes are many, cores are few: a frame that is due does not queue behind programs.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass
    try:
        keeper = os.pidfd_open(int(arguments[3]))
        names = ["head", *map(str, range(nodes))]
        ports = [Port(name, name if name == "head" else f"v{name}") for name in names]
        switch = Switch(ports, rules)
    except OSError as error:
        print(f"vcluster: cannot make the switch: {error}", file=sys.stderr)
        return 1
    print("ready", flush=True)
    detach()
    switch.run(keeper)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
