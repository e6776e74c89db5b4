"""Emulates traces exactly as the specification of the reference emulator says, slowly and literally.

With --batch every line of the file is `[options] TRACE OUT`, and one line `STATUS TRACE [first error]` per trace,
separated by tabs, is printed on standard output. Status 0: accepted, 1: rejected, 2: the oracle itself failed."""

import argparse
import copy
import shlex
import sys
import traceback

from emulation import emulate
from player import ORDERS


def parser():
    words = argparse.ArgumentParser(prog="oracle", description=__doc__.split("\n")[0])
    words.add_argument("-a", dest="all_models", action="store_true", help="enable all models")
    words.add_argument("-b", dest="breakdown", action="store_true", help="write breakdown outputs")
    words.add_argument("-l", dest="lint", action="store_true", help="linter mode")
    words.add_argument("-c", dest="offsets", metavar="FILE", help="clock offset table")
    words.add_argument("-o", dest="out", metavar="OUT", help="where outputs go (default: the trace)")
    words.add_argument("--order", choices=sorted(ORDERS), default="exact", help="order of equal clocks")
    words.add_argument("--sort", action="store_true", help="sort the regions of streams first, in memory")
    words.add_argument("--tolerate-crowded", action="store_true", help="show 777 on a CPU with several running threads")
    words.add_argument("--batch", metavar="FILE", help="traces to emulate, one line each; - is standard input")
    words.add_argument("trace", nargs="?", metavar="TRACE")
    words.add_argument("out_folder", nargs="?", metavar="OUT")
    return words


def run(options):
    """Status and errors of one trace."""
    try:
        errors = emulate(options.trace, options.out_folder or options.out or options.trace, options)
    except Exception:
        traceback.print_exc()
        return 2, ["the oracle failed"]
    for error in errors:
        print(f"oracle: ERROR: {error}", file=sys.stderr)
    return (1 if errors else 0), errors


def run_batch(words, defaults):
    lines = sys.stdin if defaults.batch == "-" else open(defaults.batch, encoding="utf-8", errors="surrogateescape")
    worst = 0
    for line in lines:
        if not line.strip():
            continue
        options = words.parse_args(shlex.split(line), copy.copy(defaults))
        status, errors = run(options)
        worst = max(worst, status)
        print("\t".join([str(status), options.trace] + errors[:1]).replace("\n", " "), flush=True)
    return 2 if worst == 2 else 0


def main():
    words = parser()
    options = words.parse_args()
    if options.batch is not None:
        return run_batch(words, options)
    if options.trace is None:
        words.error("no trace given")
    return run(options)[0]
