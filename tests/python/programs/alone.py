"""Regions and marks of a program without MPI: in the main thread, in another one, in a child."""
import os
import threading

import ovni

phase = ovni.Mark(1, "phase", {7: "assembly", 8: "solution"})
step = ovni.Mark(2, "step", kind=ovni.VALUE)
tick = ovni.Mark(3, "tick", {1: "beat"}, ovni.INSTANT)


@phase(8)
def solve():
    step.set(5)


def work():
    with ovni.region("helper"), phase(7):
        tick.set(1)


with ovni.region("main"):
    with phase(7):
        pass
    solve()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    child = os.fork()
    if child == 0:
        with ovni.region("child"), phase(7):
            pass
        os._exit(0)
    os.waitpid(child, 0)
print("traced" if ovni.is_traced() else "alone")
