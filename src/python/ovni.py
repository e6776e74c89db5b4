"""Regions, marks and pauses of Python programs in traces of ovnirun. Without ovnirun all of this does nothing.

    import ovni

    with ovni.region("solve"):          # or @ovni.region("solve"), or @ovni.region above a function
        ...
    with ovni.paused():                 # or ovni.pause(), ovni.resume()
        ...
    phase = ovni.Mark(1, "phase", {7: "assembly"})
    with phase(7):                      # or phase.push(7), phase.pop(7)
        ...

Regions are those of MPI_Pcontrol, with MPI and without. A mistake in an argument is a ValueError, traced or not.
"""
import contextlib
import ctypes
import os
import sys
import threading

__all__ = ["INSTANT", "STACK", "VALUE", "Mark", "flush", "is_traced", "measure_clocks", "pause", "paused", "region", "resume"]

# Kinds of marks: values that replace each other, values that are pushed and popped, instants.
VALUE, STACK, INSTANT = 0, 1, 2

_REGION_TYPE, _REGION_TITLE = 99, "MPI_Pcontrol region"
_LARGEST_TYPE = 97  # 98 and 99 are those of MPI_Pcontrol
_LARGEST_VALUE = 2**63 - 1
_LONGEST_NAME = 127  # bytes
_OPENS, _CLOSES, _PAUSES, _RESUMES, _MEASURES = 1, -1, 0, 1, 3  # levels of MPI_Pcontrol
_MASK = 0xFFFFFFFF


def _tracer():
    """What ovnirun has loaded into this process, or None."""
    process = ctypes.CDLL(None)
    try:
        opened, define, label = (getattr(process, "ovni_private_" + name) for name in ("thread_open", "mark_type", "mark_label"))
        push, pop, put = process.ovni_mark_push, process.ovni_mark_pop, process.ovni_mark_set
    except AttributeError:
        return None
    opened.restype = ctypes.c_int
    define.argtypes = ctypes.c_int32, ctypes.c_long, ctypes.c_char_p
    label.argtypes = ctypes.c_int32, ctypes.c_int64, ctypes.c_char_p
    for function in (push, pop, put):
        function.argtypes, function.restype = (ctypes.c_int32, ctypes.c_int64), None
    return process


_process = _tracer()
_is_paused = False
_defined = threading.local()  # marks that the stream of a thread knows
# A child has streams of its own.
os.register_at_fork(after_in_child=lambda: _defined.__dict__.clear())


class _Mpi:
    """The MPI of the process, however and whenever the program loads it."""

    def __init__(self):
        self._modules, self._asks = -1, None

    def _search(self):
        # Libraries come with imports, and reading the list takes its time.
        if self._modules == len(sys.modules):
            return
        self._modules = len(sys.modules)
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = {line.split(maxsplit=5)[5].strip() for line in maps if "/libmpi" in line}
        for path in paths:
            try:
                library = ctypes.CDLL(path)
                self._asks = library.PMPI_Initialized, library.PMPI_Finalized
                return
            except (AttributeError, OSError):
                continue

    def runs(self):
        if not self._asks:
            self._search()
        if not self._asks:
            return False
        begun, ended = ctypes.c_int(), ctypes.c_int()
        for ask, answer in zip(self._asks, (begun, ended)):
            ask(ctypes.byref(answer))
        return bool(begun.value) and not ended.value


_mpi = _Mpi()


def _control(level, text=None):
    """MPI_Pcontrol; False if there is no MPI that could be called."""
    if not _mpi.runs():
        return False
    try:
        _process.MPI_Pcontrol(ctypes.c_int(level), ctypes.c_char_p(text))
    except AttributeError:  # a build without MPI
        return False
    return True


def is_traced():
    """True below ovnirun."""
    return _process is not None


def pause():
    """Stops all recording of the process; unless --control decides about it. Regions that begin now are left out."""
    global _is_paused
    _is_paused = True
    if _process and not _control(_PAUSES):
        _process.ovni_private_pause(ctypes.c_int(1))


def resume():
    global _is_paused
    _is_paused = False
    if _process and not _control(_RESUMES):
        _process.ovni_private_pause(ctypes.c_int(0))


@contextlib.contextmanager
def paused():
    if _is_paused:
        yield
        return
    pause()
    try:
        yield
    finally:
        resume()


def flush():
    """Writes out what was recorded so far."""
    if _process:
        _process.ovni_private_flush_all()


def measure_clocks():
    """Measures the clocks of the nodes again; collective. Without MPI nothing happens."""
    if _process:
        _control(_MEASURES)


def _checked_name(name):
    if not isinstance(name, str):
        raise ValueError(f"a name is a str, not {name!r}")
    encoded = name.encode()
    if not 0 < len(encoded) <= _LONGEST_NAME or any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in name):
        raise ValueError(f"a name has 1 to {_LONGEST_NAME} bytes and no control characters, not {name!r}")
    return encoded


def _label_value(label):
    """The number of a label in traces: `label_value` of src/core/label_hash.hpp."""
    a = b = 0x9E3779B9
    c = 0xFEEDBEEF

    def word(at):
        return int.from_bytes(label[at:at + 4], "little")

    def mix(a, b, c):
        for right, left, last in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
            a = ((a - b - c) ^ (c >> right)) & _MASK
            b = ((b - c - a) ^ (a << left)) & _MASK
            c = ((c - a - b) ^ (b >> last)) & _MASK
        return a, b, c

    at = 0
    while len(label) - at >= 12:
        a, b, c = mix((a + word(at)) & _MASK, (b + word(at + 4)) & _MASK, (c + word(at + 8)) & _MASK)
        at += 12
    # The low byte of c holds the length.
    c += len(label) + (int.from_bytes(label[at + 8:at + 11], "little") << 8)
    c = mix((a + word(at)) & _MASK, (b + word(at + 4)) & _MASK, c & _MASK)[2]
    value = (c + 666) & 0x7FFFFFFF
    return value + 1000 if value < 1000 else value


def _define(type_, flags, title, value=None, label=None):
    """True if events of the calling thread are recorded; its stream then knows the type, and the value's label."""
    if not _process.ovni_private_thread_open():
        return False
    known = _defined.__dict__.setdefault("known", set())
    if (type_, value) not in known:
        _process.ovni_private_mark_type(type_, flags, title.encode())
        if label:
            _process.ovni_private_mark_label(type_, value, label.encode())
        known.add((type_, value))
    return True


class region(contextlib.ContextDecorator):  # noqa: N801: reads as a function
    """region(name): the calling thread is in it. Regions nest. A decorated generator is in it while it is made."""

    def __new__(cls, name):
        self = super().__new__(cls)
        if callable(name):
            self.__init__(name.__qualname__)
            return self(name)
        return self

    def __init__(self, name):
        self._name = _checked_name(name)
        self._close = None

    def _recreate_cm(self):
        return region(self._name.decode())

    def __enter__(self):
        self._close = self._open() if _process else None
        return self

    def __exit__(self, *_):
        close, self._close = self._close, None
        if close:
            close()
        return False

    def _open(self):
        """What closes the region again; None if nothing was opened."""
        # MPI_Pcontrol would end the pause.
        if _is_paused:
            return None
        if _control(_OPENS, self._name):
            return lambda: _control(_CLOSES, self._name)
        value = _label_value(self._name)
        if not _define(_REGION_TYPE, STACK, _REGION_TITLE, value, self._name.decode()):
            return None
        _process.ovni_mark_push(_REGION_TYPE, value)
        return lambda: _process.ovni_mark_pop(_REGION_TYPE, value)


class Mark:
    """Values over time, each thread its own. `labels` are names of values; `kind` is STACK, VALUE or INSTANT."""

    def __init__(self, type_, title, labels=None, kind=STACK):
        if not isinstance(type_, int) or not 0 <= type_ <= _LARGEST_TYPE:
            raise ValueError(f"a type is a number from 0 to {_LARGEST_TYPE}, not {type_!r}")
        if kind not in (VALUE, STACK, INSTANT):
            raise ValueError(f"a kind is VALUE, STACK or INSTANT, not {kind!r}")
        _checked_name(title)
        self._type, self._title, self._kind = type_, title, kind
        self._labels = dict(labels or {})
        for value, label in self._labels.items():
            self._checked_value(value)
            _checked_name(label)

    @staticmethod
    def _checked_value(value):
        if not isinstance(value, int) or not 0 < value <= _LARGEST_VALUE:
            raise ValueError(f"a value is a number above 0 of 63 bits, not {value!r}")

    def _emit(self, function, value, is_of_stack):
        self._checked_value(value)
        if is_of_stack != (self._kind == STACK):
            raise ValueError(f"values of {self._title!r} are {'set' if is_of_stack else 'pushed and popped'}")
        if _process and _define(self._type, self._kind, self._title, value, self._labels.get(value)):
            getattr(_process, function)(self._type, value)

    def push(self, value):
        self._emit("ovni_mark_push", value, True)

    def pop(self, value):
        self._emit("ovni_mark_pop", value, True)

    def set(self, value):
        self._emit("ovni_mark_set", value, False)

    @contextlib.contextmanager
    def __call__(self, value):
        """As a context: `value` is pushed, and popped at its end. Also a decorator."""
        self.push(value)
        try:
            yield self
        finally:
            self.pop(value)
