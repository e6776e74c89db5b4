"""An event model driven by its table; models with more than a table derive from it."""

from errors import Rejected, require
from machine import is_active, is_running
from tracks import ChannelGroup

OPERATIONS = {"set", "push", "pop"}


class Model:
    """Phases in order: create, connect, event (many times), finish."""

    lint_channel = None
    lint_needs_completion = True

    def __init__(self, emulation, spec):
        self.emulation, self.spec = emulation, spec
        self.indices = {channel.name: index for index, channel in enumerate(spec.channels)}

    def create(self):
        self.group = ChannelGroup(self.emulation, self.spec.channels)

    def connect(self):
        self.group.connect()
        self.connect_extras()
        for index, spec in enumerate(self.spec.channels):
            if spec.initial is not None:
                for thread in self.emulation.system.threads:
                    self.group.of(thread, index).set(spec.initial)

    def connect_extras(self):
        pass

    def channel(self, thread, name):
        return self.group.of(thread, self.indices[name])

    def guard(self, thread):
        """Whether the thread may have an event of this model now."""
        return is_running(thread)

    def event(self, thread, event, time):
        require(self.guard(thread), f"thread {thread.tid} may not do that now")
        row = self.spec.events.get(event.mcv)
        require(row is not None, f"unknown event of model {self.spec.name}")
        action = row["action"]
        if action in OPERATIONS:
            getattr(self.channel(thread, row["channel"]), action)(row["value"])
        elif not action.startswith("ignore"):
            self.special(thread, event)

    def special(self, thread, event):
        raise Rejected(f"no rule for {event.mcv}")

    def finish(self):
        self.finish_extras()
        complete = self.emulation.complete or not self.lint_needs_completion
        if self.emulation.options.lint and self.lint_channel is not None and complete:
            self.lint()

    def finish_extras(self):
        pass

    def lint(self):
        for thread in self.emulation.system.threads:
            depth = len(self.channel(thread, self.lint_channel).values)
            require(depth == 0, f"thread {thread.tid} ended with {depth} stacked {self.spec.name} {self.lint_channel}s")


class Nodes(Model):
    lint_channel = "subsystem"


class Tampi(Model):
    lint_channel = "subsystem"


class Mpi(Model):
    lint_channel = "function"


class Kernel(Model):
    def guard(self, thread):
        return True

    def event(self, thread, event, time):
        if event.mcv in ("KCO", "KCI"):
            thread.out_of_cpu = event.mcv == "KCO"
        super().event(thread, event, time)


def active_and_on_cpu(thread):
    return is_active(thread) and not thread.out_of_cpu
