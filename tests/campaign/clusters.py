# SPDX-License-Identifier: GPL-2.0-only
"""dask's scheduler and workers as processes of their own, as a cluster has them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Cluster:
    """A scheduler on loopback, which can be restarted, and its workers."""

    def __init__(self, folder: Path, workers: int, *options: str, protocol: str = "tcp") -> None:
        self.port = free_port()
        self.address = f"{protocol}://127.0.0.1:{self.port}"
        self._secrets = options if protocol == "tls" else ()
        self.workers: list[subprocess.Popen[bytes]] = []
        self._folder = folder
        self._start_scheduler()
        self.add_workers(workers, *options)

    def _start_scheduler(self) -> None:
        place = ("--host", self.address.rpartition(":")[0], "--port", str(self.port), "--no-dashboard")
        self._scheduler = self._start("dask_scheduler", *place, *self._secrets)

    def add_workers(self, count: int, *options: str) -> None:
        for _ in range(count):
            place = ("--host", self.address.rpartition(":")[0], "--local-directory", str(self._folder))
            one = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
            self.workers.append(self._start("dask_worker", self.address, *place, *one, *options))

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            return subprocess.Popen(command, cwd=self._folder, env=environment, stdout=log, stderr=log)

    def restart_scheduler(self) -> None:
        """Kills the scheduler. Its workers end; another scheduler with the same address, and as many workers, begin."""
        count = len(self.workers)
        self.close()
        self.workers.clear()
        self._start_scheduler()
        self.add_workers(count)

    def close(self) -> None:
        for process in (self._scheduler, *self.workers):
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path, workers: int, *options: str, protocol: str = "tcp") -> Iterator[Cluster]:
    made = Cluster(folder, workers, *options, protocol=protocol)
    try:
        yield made
    finally:
        made.close()
