#!/usr/bin/env python3
"""Examples whose outcome is known from the reference."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import region_sort  # noqa: E402
import streams  # noqa: E402
from emulation import Emulation  # noqa: E402
from errors import Rejected  # noqa: E402
from player import Player  # noqa: E402
from tasks import label_gid, label_hash  # noqa: E402
from trace_builder import event, execute, jumbo, mark, task_type, words  # noqa: E402
from trace_test import NANOS6, NOSV, TraceTest, options, read  # noqa: E402


class HeapTest(TraceTest):
    def order(self, order, *clocks):
        """Streams A, B, ... with events at these clocks, as the player delivers them."""
        self.fresh()
        for k, times in enumerate(clocks):
            self.builder.stream(*[event("OB.", time) for time in times], tid=k + 1)
        player = Player(streams.load(self.trace), order)
        played = []
        while (stream := player.next()) is not None:
            played.append(f"{'ABCD'[int(stream.relative_path[-1]) - 1]}{stream.clock}")
        return " ".join(played)

    def test_examples(self):
        for expected, clocks in {
            "A5 C5 B5 C6 B6 A6": [[5, 6], [5, 6], [5, 6]],
            "A5 C5 A5 C5 B5 B5": [[5, 5], [5, 5], [5, 5]],
            "A5 D5 C5 B5": [[5], [5], [5], [5]],
            "A1 B2 C3 D4 C5 D5 A5 B5": [[1, 5], [2, 5], [3, 5], [4, 5]],
            "A1 B1 A5 B5": [[1, 5], [1, 5]],
        }.items():
            self.assertEqual(self.order("exact", *clocks), expected)

    def test_canonical_order_is_by_stream_then_position(self):
        self.assertEqual(self.order("canonical", [5, 5], [5, 6], [4, 5]), "C4 A5 A5 B5 C5 B6")


class HashTest(unittest.TestCase):
    def test_vectors(self):
        for label, number, gid in [
            (b"", 0x0EE1C8AA, 249678660),
            (b"a", 0xFB48D8C3, 2068372317),
            (b"main", 0xD4D58044, 1423278814),
            (b"hey", 0x22FE933E, 587109848),
            (b"(unlabeled task type 1)", 0x51FDB2E9, 1375581571),
            (b"abcdefghijkl", 0x669D8E48, 1721602274),
            (b"abcdefghijklm", 0xE14154C7, 1631672161),
            (b"a longer label with more than twelve bytes", 0xE6818D87, 1719767073),
        ]:
            self.assertEqual((label_hash(label), label_gid(label)), (number, gid), label)


class RegionSortTest(TraceTest):
    def sort(self, text, look_back=region_sort.LOOK_BACK):
        pairs = [pair.split(":") for pair in text.split()]
        self.fresh().stream(*[event(mcv, int(clock)) for clock, mcv in pairs])
        stream = streams.load(self.trace)[0]
        region_sort.sort_stream(stream, look_back)
        events = region_sort.events_between(stream.data, 8, len(stream.data))
        return " ".join(f"{event.raw_clock}:{event.mcv}" for event in events)

    def test_examples(self):
        for before, after in [
            ("10:OHx 20:OB. 30:OB. 40:OU[ 22:6C[ 25:6C] 41:OU] 50:OHe",
             "10:OHx 20:OB. 22:6C[ 25:6C] 30:OB. 40:OU[ 41:OU] 50:OHe"),
            ("10:OHx 20:OB. 40:OU[ 20:6C[ 20:6Ma 41:OU] 50:OHe", "10:OHx 20:OB. 20:6C[ 20:6Ma 40:OU[ 41:OU] 50:OHe"),
            ("40:OU[ 12:6C[ 11:6C] 41:OU] 50:OHe", "11:6C] 12:6C[ 40:OU[ 41:OU] 50:OHe"),
        ]:  # fmt: skip
            self.assertEqual(self.sort(before), after)

    def test_region_older_than_the_look_back_is_an_error(self):
        with self.assertRaises(Rejected):
            self.sort("10:OHx 20:OB. 30:OB. 35:OB. 40:OU[ 12:6C[ 41:OU] 50:OHe", look_back=3)


class WorkedExampleTest(TraceTest):
    def test_one_stream_with_marks_and_nosv(self):
        marks = {"5": {"title": "phase", "chan_type": "stack"}, "6": {"title": "step", "chan_type": "single"}}
        self.builder.stream(
            execute(1000), task_type("VYc", 1001, 1, "hey"), mark("OM[", 1002, 3, 5), event("OHe", 1003),
            tid=4321, pid=4321, cpus=(10, 12), require=NOSV, mark=marks, rank=2, nranks=4,
        )  # fmt: skip
        self.accepted()
        types = ["0:6:1", "0:4:1", "0:2:4321", "0:105:0", "0:106:0", "0:15:0", "0:10:0", "0:11:0", "0:12:0", "0:13:0"]
        types += ["0:14:0", "0:16:100", "2:105:3", "3:4:3", "3:2:0", "3:6:0", "3:105:0", "3:16:0"]
        self.assertEqual(self.lines(), [f"2:0:1:1:1:{rest}" for rest in types])
        types = ["0:2:4321", "0:1:4321", "0:3:1", "0:7:0", "0:105:0", "0:106:0", "0:15:0", "0:10:0", "0:11:0", "0:12:0"]
        types += ["0:13:0", "0:14:0", "0:16:100", "2:105:3", "3:2:0", "3:1:0", "3:3:0", "3:105:0", "3:16:101"]
        self.assertEqual(self.lines("cpu"), [f"2:0:1:1:1:{rest}" for rest in types])
        head = b"#Paraver (19/01/38 at 03:14):00000000000000000003_ns:0:1:1(3:1)\n"
        self.assertTrue(read(self.trace, "cpu.prv").startswith(head))
        self.assertTrue(read(self.trace, "cpu.row").endswith(b"SIZE 3\n CPU 0.10\n CPU 0.12\nvCPU 0.*\n"))

    def test_breakdown(self):
        able = {"require": NOSV, "meta": {"nosv": {"can_breakdown": True}}, "cpus": (0, 1, 2), "rank": 2, "nranks": 3}
        self.builder.stream(
            execute(10), task_type("VYc", 11, 1, "alpha"), words("VTc", 12, 5, 1), words("VTx", 13, 5, 0),
            event("VAp", 14), words("VTp", 15, 5, 0), words("VTr", 18, 5, 0), event("VAP", 19),
            words("VTe", 20, 5, 0), event("OHe", 30), **able,
        )  # fmt: skip
        self.builder.stream(
            execute(10, 1), event("VSh", 16), event("VPr", 16), event("VPp", 22), event("VSf", 22), event("OHe", 31),
            tid=2, **able,
        )  # fmt: skip
        self.accepted(breakdown=True)
        expected = """1:0:0 2:0:0 3:0:2 2:0:2 3:3:660719635 3:4:15 2:6:6 2:6:15 3:6:101 2:9:101 3:9:660719635 2:10:2
                      3:10:101 3:12:6 3:12:2 3:20:101 2:21:101"""
        triples = [triple.split(":") for triple in expected.split()]
        self.assertEqual(
            self.lines("nosv-breakdown"), [f"2:0:1:1:{row}:{time}:17:{value}" for row, time, value in triples]
        )
        self.assertTrue(read(self.trace, "nosv-breakdown.row").endswith(b"~CPU    3\n~CPU    2\n~CPU    1\n"))
        executed = [line.split(":")[6:] for line in self.lines() if ":1:3:" in line]
        self.assertEqual(executed, [["13", "11"], ["15", "1"], ["10", "5"], ["11", "660719635"], ["12", "1"], ["14", "3"]])


class ObservedTest(TraceTest):
    def test_end_of_threads(self):
        self.builder.stream(execute(0))
        self.rejected("not dead")
        self.assertTrue(self.lines())
        self.fresh().stream()
        self.rejected("not dead")
        self.one_thread(event("OHe", 5), execute(6))
        self.accepted()

    def test_empty_directory(self):
        self.accepted()
        self.assertIn(b"1(0:1)", read(self.trace, "cpu.prv"))

    def test_affinity(self):
        self.one_thread(event("OAs", 5, b"\0\0\0\0"))
        self.accepted()
        self.assertFalse([line for line in self.lines() if ":5:" in line[8:]])
        self.one_thread(event("OAr", 5, b"\0\0\0\0\1\0\0\0"))
        self.rejected()
        self.one_thread(event("OAr", 5, b"\1\0\0\0\1\0\0\0"))
        self.accepted()
        self.assertIn("2:0:1:1:1:5:6:2", self.lines())

    def test_idle_is_progressing_at_first(self):
        self.one_thread(event("VPp", 5), require=NOSV)
        self.rejected("already")
        self.one_thread(event("VPr", 5), event("VPp", 6), require=NOSV)
        self.accepted()

    def crowd(self, **more):
        self.fresh()
        for tid in (1, 2):
            self.builder.stream(execute(0), event("OHe", tid * 10), tid=tid, **more)

    def test_two_running_threads_on_one_cpu(self):
        self.crowd()
        self.rejected("2 running threads")
        self.crowd(require=NANOS6)
        self.rejected("2 running threads", tolerate_crowded=True, lint=True)
        self.accepted(tolerate_crowded=True)
        self.assertIn("2:0:1:1:1:0:37:777", self.lines("cpu"))
        self.assertIn("2:0:1:1:1:10:40:100", self.lines("cpu"))

    def test_out_of_cpu(self):
        kernel = {"require": NANOS6 | {"kernel": "1.0.0"}}
        self.one_thread(event("KCO", 1), event("OHp", 2), **kernel)
        self.rejected("may not")
        self.one_thread(event("KCO", 1), event("6W[", 2), event("6W]", 3), event("KCI", 4), **kernel)
        self.accepted()

    def test_required_versions(self):
        for version, fine in {"2.8.0": False, "1.0.0": False, "2.0.99": True, "2.7": False, "2.7.0-rc": True}.items():
            self.one_thread(require={"nosv": version})
            (self.accepted if fine else self.rejected)()
        self.one_thread(require={"nobody": "what"})
        self.accepted()
        self.one_thread(event("VSh", 5))
        self.rejected("not enabled")
        self.accepted(all_models=True)

    def test_gate(self):
        for distance, fine in {3600 * 10**9: True, 3600 * 10**9 + 1: False}.items():
            self.fresh()
            for k in (0, 1):
                begin = 5 + k * distance
                self.builder.stream(execute(begin, k), event("OHe", begin + 1), tid=k + 1)
            (self.accepted if fine else self.rejected)()

    def test_offsets(self):
        for lines in ["0 node -1 0 0"], ["0 other 1 0 0"], [], ["0 node 5 0"], ["0 node 1 0 0", "1 node 1 0 0"]:
            self.one_thread().offsets(*lines)
            self.rejected()
        self.one_thread().stream(execute(5000), event("OHe", 6000), loom="other.1").offsets("0 node 5.9e3 0 0 more", "")
        self.accepted()
        self.assertIn("2:0:1:1:1:900:4:1", self.lines())
        self.one_thread()
        self.rejected("absent", offsets=os.path.join(self.trace, "absent"))

    def test_breakdown_needs_can_breakdown(self):
        self.one_thread(require=NOSV)
        self.rejected("can_breakdown", breakdown=True)
        self.one_thread(require=NOSV, meta={"nosv": {"can_breakdown": False}})
        self.accepted(breakdown=True)
        self.assertFalse(os.path.exists(os.path.join(self.trace, "nosv-breakdown.prv")))

    def test_open_subsystem_at_the_end(self):
        self.one_thread(event("VSh", 5), require=NOSV)
        self.accepted()
        self.rejected("stacked", lint=True)

    def test_depth_of_stacks(self):
        for depth, fine in {512: True, 513: False}.items():
            self.one_thread(*[event("VSh", 5)] * depth, require=NOSV)
            (self.accepted if fine else self.rejected)()


class MoreTest(TraceTest):
    def test_nested_nanos6_bodies_switch(self):
        self.one_thread(
            task_type("6Yc", 1, 1, "a"), words("6Tc", 2, 1, 1), words("6Tc", 3, 2, 1), words("6Tx", 4, 1),
            words("6Tx", 5, 2), words("6Te", 6, 2), words("6Te", 7, 1), require=NANOS6,
        )  # fmt: skip
        self.rejected("already")  # a second push of the same subsystem
        self.one_thread(
            task_type("6Yc", 1, 1, "a"), words("6Tc", 2, 1, 1), words("6Tc", 3, 2, 1), words("6Tx", 4, 1),
            event("6W[", 5), words("6Tx", 6, 2), words("6Te", 7, 2), event("6W]", 8), words("6Te", 9, 1), require=NANOS6,
        )  # fmt: skip
        self.accepted(lint=True)
        ids = [line.split(":")[5:] for line in self.lines() if ":35:" in line]
        self.assertEqual(ids, [["0", "35", "0"], ["4", "35", "1"], ["6", "35", "2"], ["7", "35", "1"], ["9", "35", "0"]])

    def test_hardware_counters(self):
        meta = {"nosv": {"hwc": {"0": {"name": "CYCLES"}, "1": {"name": "MISSES"}}}}
        values = (0).to_bytes(8, "little") + (-3).to_bytes(8, "little", signed=True)
        self.one_thread(jumbo("VWC", 5, values), jumbo("VWC", 6, values), require=NOSV, meta=meta)
        self.accepted()
        for time in (5, 6):
            self.assertIn(f"2:0:1:1:1:{time}:200:0", self.lines())
            self.assertIn(f"2:0:1:1:1:{time}:201:-3", self.lines("cpu"))
        self.assertIn(b"0 201        MISSES\nVALUES\n", read(self.trace, "cpu.pcf"))

    def test_lines_up_to_the_error_remain(self):
        self.one_thread(event("OF[", 5), event("OF[", 7))
        self.rejected("OF[ at 7")
        self.assertEqual(self.lines()[-1], "2:0:1:1:1:5:7:1")
        self.assertIn(b":00000000000000000007_ns:", read(self.trace, "thread.prv"))

    def test_metadata(self):
        for wrong in [
            {"finished": None}, {"finished": 2}, {"app_id": None}, {"app_id": 0}, {"loom_cpus": []}, {"rank": 0},
            {"rank": 2, "nranks": 2}, {"lib": None}, {"part": None}, {"loom_cpus": [{"index": 1, "phyid": 0}]},
        ]:  # fmt: skip
            self.one_thread(**wrong)
            self.rejected()
        self.one_thread(part="cpu")
        self.rejected("nobody")
        self.fresh().stream(part="cpu")
        self.accepted()

    def test_rows_follow_ranks_when_all_looms_have_them(self):
        for tid, loom, rank, cpus in [(1, "b.1", 3, (9, 4)), (2, "a.1", 5, (3,)), (3, "a.1", 1, (3,))]:
            self.builder.stream(tid=tid, pid=tid, loom=loom, rank=rank, nranks=6, cpus=cpus)
        emulation = Emulation(self.trace, options())
        self.assertEqual(
            [cpu.name for cpu in emulation.system.cpus], [" CPU 0.3", "vCPU 0.*", " CPU 1.4", " CPU 1.9", "vCPU 1.*"]
        )
        self.assertEqual([thread.tid for thread in emulation.system.threads], [3, 2, 1])


if __name__ == "__main__":
    unittest.main()
