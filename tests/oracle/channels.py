"""The channel engine: channels that remember the last propagated value, the list of dirty ones, and muxes.

None is the null value."""

from errors import Rejected

STACK_LIMIT = 512
ERROR_DUP, ALLOW_DUP, IGNORE_DUP = range(3)


class Propagation:
    def __init__(self):
        self.dirty = []

    def run(self):
        dirty = self.dirty
        for channel in dirty:  # grows while it is walked
            callbacks = channel.dirty_callbacks
            k = 0
            while k < len(callbacks):
                callback = callbacks[k]
                callback()
                k = callbacks.index(callback) + 1
        for channel in dirty:
            for callback in channel.emit_callbacks:
                callback()
        for channel in dirty:
            channel.last = channel.read()
            channel.dirty = False
        dirty.clear()


class Channel:
    def __init__(self, propagation, name, duplicates=ERROR_DUP, dirty_write=False):
        self.propagation = propagation
        self.name = name
        self.duplicates = duplicates
        self.dirty_write = dirty_write
        self.dirty = False
        self.last = None
        self.dirty_callbacks = []
        self.emit_callbacks = []

    def set(self, _):
        raise Rejected(f"cannot set the stack {self.name}")

    def push(self, _):
        raise Rejected(f"cannot push on {self.name}, which is no stack")

    def pop(self, _):
        raise Rejected(f"cannot pop from {self.name}, which is no stack")

    def check_dirty(self):
        if self.dirty and not self.dirty_write:
            raise Rejected(f"{self.name} changes twice in one event")

    def ignores(self, value):
        """Whether a duplicate is to be ignored."""
        if value != self.last or self.duplicates == ALLOW_DUP:
            return False
        if self.duplicates == IGNORE_DUP:
            return True
        raise Rejected(f"{self.name} has the value {value} already")

    def mark_dirty(self):
        if not self.dirty:
            self.dirty = True
            self.propagation.dirty.append(self)


class Single(Channel):
    value = None

    def read(self):
        return self.value

    def set(self, value):
        self.check_dirty()
        if not self.ignores(value):
            self.value = value
            self.mark_dirty()


class Stack(Channel):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.values = []

    def read(self):
        return self.values[-1] if self.values else None

    def push(self, value):
        self.check_dirty()
        if self.ignores(value):
            return
        if len(self.values) >= STACK_LIMIT:
            raise Rejected(f"{self.name} is full")
        self.values.append(value)
        self.mark_dirty()

    def pop(self, expected):
        self.check_dirty()
        if self.read() != expected or not self.values:
            raise Rejected(f"{self.name}: expected {expected} on top, found {self.read()}")
        self.values.pop()
        self.mark_dirty()


class Mux:
    """Output of the input channel that `choose` returns for the value of the select channel, or a default."""

    def __init__(self, propagation, name, select, choose, default=None):
        self.select, self.choose, self.default = select, choose, default
        self.output = Single(propagation, name, ALLOW_DUP, dirty_write=True)
        self.input = None
        self.input_callback = self.on_input
        select.dirty_callbacks.append(self.on_select)

    def on_select(self):
        if self.input is not None:
            self.input.dirty_callbacks.remove(self.input_callback)
        self.input = self.choose(self.select.read())
        if self.input is None:
            self.output.set(self.default)
        else:
            self.input.dirty_callbacks.append(self.input_callback)
            self.output.set(self.input.read())

    def on_input(self):
        self.output.set(self.input.read())
