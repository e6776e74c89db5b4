#!/usr/bin/env python3
"""The checker of mpi.prv finds nothing in a good file, and each fault that is planted in it by its rule."""
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
from mpi_prv_rules import Checker

PRV = """#Paraver (19/01/38 at 03:14):00000000000000010000_ns:2(2,1):1:2(2:1,1:2),2
c:1:1:2:1:2
c:1:2:1:2
1:1:1:1:1:0:100:2
1:2:1:1:2:0:10000:2
1:3:1:2:1:0:10000:14
2:3:1:2:1:0:50000003:31
2:3:1:2:1:0:50000003:0
1:1:1:1:1:100:10000:1
2:1:1:1:1:100:50000003:31:25:1
2:1:1:1:1:200:50000003:0:25:0
2:1:1:1:1:1000:50000001:1:25:13
3:1:1:1:1:1000:2000:3:1:2:1:1500:4000:1024:7
2:3:1:2:1:1500:50000001:2:25:13
2:1:1:1:1:2000:50000001:0:25:0
2:1:1:1:1:3000:50000002:7:25:30:50100001:8:50100002:0:50100003:1:50100004:1
2:3:1:2:1:4000:50000001:0:25:0
2:3:1:2:1:4500:50000002:7:25:30:50100001:0:50100002:8:50100004:1
2:3:1:2:1:4500:320:1
2:3:1:2:1:4900:320:0
2:1:1:1:1:5000:50000002:0:25:0
2:3:1:2:1:5000:50000002:0:25:0
2:3:1:2:1:6000:50000002:8:25:30:50100001:0:50100002:0:50100004:2
2:3:1:2:1:6100:50000002:0:25:0
"""
STATES = ["Idle", "Running", "Not created", "a", "b", "c", "d", "e", "f", "g", "h", "i", "I/O", "j", "k", "l", "m", "n"]
TYPES = {50000001: (1, 2), 50000002: (7, 8), 50000003: (31,), 25: (1, 13, 30), 320: (1,),
         50100001: (), 50100002: (), 50100003: (), 50100004: ()}
PCF = "DEFAULT_OPTIONS\n\nSTATES\n" + "".join(f"{n} {label}\n" for n, label in enumerate(STATES)) + "\n\n" + "".join(
    f"EVENT_TYPE\n0 {kind} label\nVALUES\n0 Outside\n" + "".join(f"{value} label\n" for value in values) + "\n\n"
    for kind, values in TYPES.items())
ROW = """LEVEL CPU SIZE 3
01.a
02.a
03.b

LEVEL NODE SIZE 2
a
b

LEVEL THREAD SIZE 3
THREAD 1.1.1
THREAD 1.1.2
THREAD 1.2.1
"""

# rule, file, what stands there, what is planted in its place
FAULTS = [
    ("header", "prv", "_ns:", "_xs:"),
    ("one-application", "prv", ":1:2(2:1,1:2)", ":2:2(2:1,1:2)"),
    ("task-without-thread", "prv", "2(2,1):1:2(2:1,1:2)", "2(2,1):1:2(2:1,0:2)"),
    ("node-without-thread", "prv", "2(2,1):1:2(2:1,1:2)", "2(3,0):1:2(2:1,1:1)"),
    ("node-size", "prv", "2(2,1)", "2(4,1)"),
    ("node", "prv", "(2:1,1:2)", "(2:1,1:3)"),
    ("communicator-line", "prv", "c:1:2:1:2\n", "i:1:2:1:1:2:2\n"),
    ("communicator-line", "prv", "c:1:2:1:2\n", "# a comment\nc:1:2:1:2\n"),
    ("communicator-count", "prv", "),2\n", "),3\n"),
    ("communicator", "prv", "c:1:2:1:2", "c:1:2:2:2"),
    ("communicator", "prv", "c:1:2:1:2", "c:1:3:1:2"),
    ("communicator", "prv", "c:1:2:1:2", "c:1:2:1:3"),
    ("world", "prv", "c:1:1:2:1:2", "c:1:1:1:1"),
    ("sorted", "prv", "2:1:1:1:1:200:", "2:1:1:1:1:90:"),
    ("duration", "prv", "2:3:1:2:1:6100:", "2:3:1:2:1:10001:"),
    ("thread", "prv", "2:3:1:2:1:6100:", "2:2:1:2:1:6100:"),
    ("thread", "prv", "2:3:1:2:1:6100:", "2:3:1:2:2:6100:"),
    ("line", "prv", "2:3:1:2:1:6100:50000002:0:25:0", "2:3:1:2:1:6100:50000002:0:25"),
    ("line", "prv", "2:3:1:2:1:6100:", "4:3:1:2:1:6100:"),
    ("end-of-file", "prv", "6100:50000002:0:25:0\n", "6100:50000002:0:25:0"),
    ("burst-trap", "prv", "1024:7", "40000018:27"),
    ("states-follow", "prv", "1:1:1:1:1:100:10000:1", "1:1:1:1:1:101:10000:1"),
    ("states-follow", "prv", "1:1:1:1:1:0:100:2", "1:1:1:1:1:0:150:2"),
    ("states-last", "prv", "1:1:1:1:1:100:10000:1", "1:1:1:1:1:100:9000:1"),
    ("states-last", "prv", "1:2:1:1:2:0:10000:2\n", ""),
    ("state-length", "prv", "1:2:1:1:2:0:10000:2", "1:2:1:1:2:0:10001:2"),
    ("state", "prv", "1:2:1:1:2:0:10000:2", "1:2:1:1:2:0:10000:18"),
    ("function", "prv", "50000002:7:25:30:50100001:8", "50000002:214:25:30:50100001:8"),
    ("mpi-first", "prv", "50000001:1:25:13", "25:12:50000001:1"),
    ("mpi-first", "prv", "50000001:1:25:13", "50000001:1:50000002:7"),
    ("root", "prv", "50100002:0:50100003:1:", "50100002:0:"),
    ("root", "prv", "50100002:8:50100004", "50100002:8:50100003:1:50100004"),
    ("root", "prv", "50100003:1", "50100003:0"),
    ("root", "prv", "8:25:30:50100001:0:50100002:0:", "8:25:30:50100001:0:50100002:0:50100003:1:"),
    ("collective", "prv", "50100001:8:50100002:0:50100003:1", "50100003:1"),
    ("collective", "prv", ":50100003:1:50100004:1", ":50100003:1"),
    ("collective", "prv", "50000001:1:25:13", "50000001:1:25:13:50100003:1"),
    ("member", "prv", "50100003:1:50100004:1", "50100003:1:50100004:2"),
    ("agree", "prv", "2:3:1:2:1:4500:50000002:7", "2:3:1:2:1:4500:50000002:8"),
    ("agree", "prv", "50100002:0:50100004:2", "50100002:0:50100004:1"),
    ("waits-alone", "prv", "4500:320:1", "4500:320:1:321:1"),
    ("waits-end", "prv", "2:3:1:2:1:4900:320:0\n", "2:3:1:2:1:4900:320:2\n"),
    ("size", "prv", "50100001:8", "50100001:3000000000"),
    ("size", "prv", ":1024:7", ":3000000000:7"),
    ("size", "prv", ":1024:7", ":1024:2147483648"),
    ("init", "prv", "2:3:1:2:1:0:50000003:31\n2:3:1:2:1:0:50000003:0\n", ""),
    ("calls-nest", "prv", "2:1:1:1:1:2000:50000001:0:25:0\n", ""),
    ("calls-end", "prv", "2:1:1:1:1:1000:50000001:1:25:13\n", ""),
    ("calls-end", "prv", "2:3:1:2:1:6100:50000002:0:25:0\n", ""),
    ("message-duration", "prv", "1500:4000:1024", "1500:10001:1024"),
    ("message-times", "prv", "1500:4000:1024", "1500:1400:1024"),
    ("message-in-call", "prv", "1500:4000:1024", "1400:4000:1024"),
    ("row-cpu", "row", "LEVEL CPU SIZE 3", "LEVEL CPU SIZE 2"),
    ("row-cpu", "row", "LEVEL CPU", "# names\nLEVEL CPU"),
    ("row-cpu", "row", "02.a\n", "\n"),
    ("row-node", "row", "LEVEL NODE SIZE 2", "LEVEL NODE SIZE 1"),
    ("row-levels", "row", "LEVEL NODE SIZE 2\na\nb\n\n", ""),
    ("row-thread", "row", "THREAD 1.2.1", "THREAD 1.1.3"),
    ("row-end", "row", "THREAD 1.2.1\n", "THREAD 1.2.1\n\n"),
    ("pcf-trap", "pcf", "0 50100001 label", "0 50100001 loop 630000"),
    ("pcf-type", "pcf", "0 50100003 label", "0 50100005 label"),
    ("pcf-value", "pcf", "7 label\n", ""),
    ("pcf-unused", "pcf", "7 label\n", "7 label\n9 label\n"),
    ("pcf-states", "pcf", "12 I/O", "12 Input"),
]


class FaultsTest(unittest.TestCase):
    def test_nothing_is_wrong_with_a_good_file(self):
        self.assertEqual(Checker(PRV, PCF, ROW).check(), [])

    def test_each_planted_fault_is_found_by_its_rule(self):
        for rule, name, there, planted in FAULTS:
            with self.subTest(rule=rule, planted=planted):
                texts = {"prv": PRV, "pcf": PCF, "row": ROW}
                self.assertIn(there, texts[name])
                texts[name] = texts[name].replace(there, planted, 1)
                found = Checker(texts["prv"], texts["pcf"], texts["row"]).check()
                self.assertIn(rule, {fault.split(":")[0] for fault in found}, found)

    def test_an_empty_pcf_and_states_that_should_not_be_there(self):
        self.assertIn("pcf-mpi", {fault.split(":")[0] for fault in Checker(PRV, "", ROW).check()})
        self.assertIn("no-states", {fault.split(":")[0] for fault in Checker(PRV, PCF, ROW, states=False).check()})

    def test_every_rule_has_a_planted_fault(self):
        source = pathlib.Path(__file__).with_name("mpi_prv_rules.py").read_text()
        rules = set(re.findall(r'self\.fault\("([\w-]+)"', source))
        planted = {rule for rule, *_ in FAULTS} | {"pcf-mpi", "no-states"}
        self.assertEqual(rules - planted, set())


if __name__ == "__main__":
    unittest.main()
