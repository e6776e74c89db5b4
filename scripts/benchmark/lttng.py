"""A session daemon of LTTng for programs of the benchmark, as long as a context lasts."""
import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from measure import BenchError

EVENT = "writer_bench:pair"


class Lttng:
    """Uses the daemon that runs already, if there is one. All its files go into `folder`."""

    def __init__(self, folder):
        # Nothing is lost: a full buffer blocks the program, as ours does.
        self.environment = {"LTTNG_HOME": str(folder), "HOME": str(folder), "LTTNG_UST_REGISTER_TIMEOUT": "-1", "LTTNG_UST_ALLOW_BLOCKING": "1"}
        self._daemon = None
        self._before = self._shared_memory()

    @staticmethod
    def is_installed():
        return bool(shutil.which("lttng") and shutil.which("lttng-sessiond"))

    def __enter__(self):
        self._daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            for _ in range(50):
                if self._lttng("--no-sessiond", "list").returncode == 0:
                    return self
                time.sleep(0.1)
            raise BenchError("no session daemon of LTTng")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self._daemon.poll() is None:
            self._daemon.terminate()
        try:
            self._daemon.wait(20)
        except subprocess.TimeoutExpired:  # its consumer may wait for the buffers of a program that has ended
            os.killpg(self._daemon.pid, signal.SIGKILL)
            self._daemon.wait()
        for file in self._shared_memory() - self._before:  # which LTTng never removes
            file.unlink(missing_ok=True)

    @staticmethod
    def _shared_memory():
        return set(Path("/dev/shm").glob("lttng-ust-wait-*"))

    @contextlib.contextmanager
    def session(self, out, event=EVENT, when_full=("--blocking-timeout=inf",)):
        """Records `event` into the directory `out`. Complete when the context ends."""
        name = f"ovni-bench-{os.getpid()}"
        self._need("create", name, f"--output={out}")
        try:
            self._need("enable-channel", "-u", "-s", name, *when_full, "--subbuf-size=1M", "--num-subbuf=4", "channel")
            self._need("enable-event", "-u", "-s", name, "-c", "channel", event)
            self._need("start", name)
            yield
        finally:
            self._lttng("destroy", name)

    def _lttng(self, *words):
        return subprocess.run(["lttng", *words], env={**os.environ, **self.environment}, capture_output=True, text=True)

    def _need(self, *words):
        done = self._lttng(*words)
        if done.returncode != 0:
            raise BenchError(f"lttng {words[0]}: {done.stderr.strip()}")
