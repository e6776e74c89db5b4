#!/usr/bin/env python3
"""Every golden case, byte for byte, and the command itself."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from emulation import emulate  # noqa: E402
from trace_builder import event  # noqa: E402
from trace_test import NOSV, TraceTest, options, read  # noqa: E402

GOLDEN = os.path.join(HERE, "..", "golden", "cases")


class GoldenTest(unittest.TestCase):
    def test_cases(self):
        for name in sorted(os.listdir(GOLDEN)):
            with self.subTest(name), tempfile.TemporaryDirectory() as out:
                self.check(os.path.join(GOLDEN, name), out)

    def check(self, case, out):
        about = json.loads(read(case, "case.json"))
        chosen = options(*about["emulator_args"], sort=about["sort"])
        errors = emulate(os.path.join(case, "trace"), out, chosen)
        self.assertEqual(not errors, about["accepted"], errors)
        if about["accepted"]:
            expected = sorted(os.listdir(os.path.join(case, "expected")))
            self.assertEqual(sorted(os.listdir(out)), expected)
            for name in expected:
                self.assertEqual(read(out, name), read(case, "expected", name), name)


class CommandTest(TraceTest):
    def test_batch(self):
        self.one_thread(event("VSh", 5), require=NOSV)
        lines = f"{self.trace} {self.trace}/plain\n-l {self.trace} {self.trace}/lint\n"
        ran = subprocess.run(
            [os.path.join(HERE, "oracle"), "--batch", "-"], input=lines, text=True, capture_output=True, check=True
        )
        statuses = [line.split("\t")[:2] for line in ran.stdout.splitlines()]
        self.assertEqual(statuses, [["0", self.trace], ["1", self.trace]])
        self.assertEqual(read(self.trace, "plain", "thread.prv"), read(self.trace, "lint", "thread.prv"))


if __name__ == "__main__":
    unittest.main()
