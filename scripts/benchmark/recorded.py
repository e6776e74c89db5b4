"""The record of the reference (user + system seconds, peak MB, on a virtual machine with 2 cores), and the goals."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Recorded:
    cpu: float
    peak_mb: float = None


REFERENCE = {
    "mix 32 16M": Recorded(5.45, 257),
    "mix 512 16M": Recorded(12.3, 710),
    "mix 2048 4M": Recorded(27.5, 5100),
    "tasks 32 4M": Recorded(7.0, 1500),
    "ovnidump": Recorded(3.5),
    "ovnitop": Recorded(0.92),
}

# Yardsticks at most, by mix and streams.
YARDSTICKS = {("mix", 32): 1.6, ("mix", 512): 1.9, ("mix", 2048): 2.5, ("tasks", 32): 1.8}
# Peak memory below that many MB, by streams.
PEAK_MB = {2048: 120}
# --exact-order: at most that many times the default order.
EXACT_ORDER = 1.6
# Tools: that many times as fast as recorded.
FASTER = {"ovnidump": 5, "ovnitop": 3}
# Two ranks or threads: that part of the speed-up of two runs on half of the trace each.
RANKS = 0.9
