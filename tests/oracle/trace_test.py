"""The common parts of tests of the oracle on small traces."""

import os
import tempfile
import unittest

from command import parser
from emulation import emulate
from trace_builder import TraceBuilder, event, execute

NOSV, NANOS6 = {"nosv": "2.7.0"}, {"nanos6": "1.1.0"}


def options(*words, **changed):
    """As the command line gives them, or by name."""
    chosen = parser().parse_args(words)
    for name, value in changed.items():
        setattr(chosen, name, value)
    return chosen


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


class TraceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.fresh()

    def fresh(self):
        self.trace = tempfile.mkdtemp(dir=self.folder)
        self.builder = TraceBuilder(self.trace)
        return self.builder

    def emulate(self, **changed):
        return emulate(self.trace, self.trace, options(**changed))

    def accepted(self, **changed):
        self.assertEqual(self.emulate(**changed), [])

    def rejected(self, words_of_error="", **changed):
        errors = self.emulate(**changed)
        self.assertTrue(errors)
        self.assertIn(words_of_error, errors[0])

    def lines(self, name="thread"):
        return read(self.trace, f"{name}.prv").decode().splitlines()[1:]

    def one_thread(self, *events, end=1000, **settings):
        """A thread that executes on CPU 0 at 0 and ends."""
        return self.fresh().stream(execute(0), *events, event("OHe", end), **settings)
