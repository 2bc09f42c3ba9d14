# SPDX-License-Identifier: GPL-2.0-only
"""The workers of a campaign: processes on this host, or a cluster of dask.distributed that is there."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from emu.campaign.unit import Unit
from emu.campaign.worker import Batch, perform, refusal
from emu.cpu.host_signals import Held

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster
    from distributed.security import Security

__all__ = ["LOST", "CannotConnect", "Connection", "Tls"]

PATIENCE = 30.0  # seconds until a scheduler must have answered, and a first worker must be there
_AGAIN = 5.0  # seconds between two attempts to replace local workers
_CLOSING = 2.0  # seconds that closing a connection may take
_LOCAL = "127.0.0.1"
_FILES = ".workers"  # a folder
_OF_TERMINALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)

_QUIET = {  # dask's configuration for local workers: what it watches by itself would take some percent of the host
    "logging.distributed": "critical",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "10s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.deploy.lost-worker-timeout": "10s",  # from then on a worker can be replaced
}

LOST = (CancelledError, OSError)
"""What a future's result raises if the scheduler has lost it."""


class CannotConnect(Exception):
    """There is no scheduler, or it has no worker that may do the work. The text is one line."""


class Tls(NamedTuple):
    """dask's files for encrypted and authenticated connections: PEM files with the authority, the certificate and its key."""

    ca_file: Path
    certificate: Path
    key: Path

    def security(self) -> Security:
        """The same for dask."""
        from distributed.security import Security

        mine = {"tls_client_cert": str(self.certificate), "tls_client_key": str(self.key)}
        return Security(tls_ca_file=str(self.ca_file), require_encryption=True, **mine)


class Connection:
    """Workers that may do a campaign's units.

    Args:
        build, modules: what a worker must be: see Batch.
        scheduler: the address of a scheduler; None: processes of this host, which listen on loopback alone.
        workers: the number of local processes.
        tls: files for a scheduler that wants TLS.
        patience: seconds to wait for the scheduler and a first worker; default: PATIENCE.
        place: the folder in which local workers have their files.

    Attributes:
        refused: why workers may not do units, by address.

    Raises:
        CannotConnect: see there.
    """

    def __init__(
        self,
        build: Mapping[str, str],
        modules: Mapping[str, str],
        scheduler: str | None = None,
        workers: int = 1,
        tls: Tls | None = None,
        patience: float | None = None,
        place: Path = Path(),
    ) -> None:
        self.refused: dict[str, str] = {}
        self._build, self._modules = build, modules
        self._submitted = 0
        self._cluster: LocalCluster | None = None
        self._wanted = workers
        self._asked = self._seen = time.monotonic()  # when workers were replaced, and when there was one
        patience = PATIENCE if patience is None else patience
        with ExitStack() as opened:
            _silence()
            self._client: Client
            if scheduler is None:
                self._cluster, self._client = _local(opened, workers, place)
            else:
                self._client = _remote(opened, scheduler, tls, patience)
            self._await_workers(scheduler or "this host", patience)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends local workers; leaves those of a cluster. Work that is under way there is cancelled."""
        with Held(), suppress(OSError, TimeoutError):
            self._opened.close()

    def _await_workers(self, where: str, patience: float) -> None:
        end = time.monotonic() + patience
        while not self.workers:
            if time.monotonic() > end:
                raise CannotConnect(f"{where} has no workers")
            time.sleep(0.05)
        answers: dict[str, object] = self._client.run(refusal, self._build, self._modules, on_error="return")
        for address, why in answers.items():
            if why:
                self.refuse(address, why if isinstance(why, str) else f"it cannot import emu's campaigns: {why}")
        self.check()

    def refuse(self, worker: str, why: str) -> None:
        """Gives a worker no more units."""
        self.refused[worker] = why

    def check(self) -> None:
        """Raises CannotConnect if every worker was refused."""
        if self.workers and not self._allowed():
            worker, why = next(iter(self.refused.items()))
            raise CannotConnect(f"no worker may do the units; {worker}: {why}")

    @property
    def workers(self) -> dict[str, int]:
        """The workers that are there, with the number of their threads."""
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        return {str(address): int(of["nthreads"]) for address, of in known.items()}

    def _allowed(self) -> dict[str, int]:
        return {address: threads for address, threads in self.workers.items() if address not in self.refused}

    @property
    def threads(self) -> int:
        """How many units can be done at once."""
        return sum(self._allowed().values())

    def keep_up(self) -> bool:
        """Replaces local workers that are lost: dask restarts one that has died, but not one that dies while it starts.

        Returns whether there are workers, or there were some not long ago.
        """
        now, threads = time.monotonic(), self.threads
        if threads:
            self._seen = now
        if self._cluster is not None and threads < self._wanted and now - self._asked > _AGAIN:
            self._asked = now
            self._cluster.scale(self._wanted)
        return now - self._seen < PATIENCE

    def submit(self, units: Sequence[Unit]) -> Future:
        """Has a worker do units. The future's result is a Reply."""
        self._submitted += 1
        only = {"workers": list(self._allowed()), "allow_other_workers": False} if self.refused else {}
        batch = Batch(units, self._build, self._modules)
        return self._client.submit(perform, batch, key=f"emu-{os.getpid()}-{id(self):x}-{self._submitted}", pure=False, **only)


def _silence() -> None:
    """Keeps dask from writing about connections that are lost, which the campaign says in its own words."""
    import distributed  # sets levels when it is imported

    logging.getLogger(distributed.__name__).setLevel(logging.CRITICAL)
    for name in ("client", "scheduler", "nanny", "core", "comm", "batched", "worker"):
        logging.getLogger(f"{distributed.__name__}.{name}").setLevel(logging.CRITICAL)


def _local(opened: ExitStack, workers: int, place: Path) -> tuple[LocalCluster, Client]:
    """A scheduler in this process, and workers that are its children."""
    import dask
    from distributed import Client, LocalCluster

    opened.enter_context(dask.config.set(_QUIET))
    folder = place / _FILES
    shutil.rmtree(folder, ignore_errors=True)  # of a campaign that was killed
    opened.callback(shutil.rmtree, folder, ignore_errors=True)
    with Held(), _blocked():
        try:
            cluster = opened.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host=_LOCAL,
                    dashboard_address=f"{_LOCAL}:0",
                    memory_limit=0,
                    local_directory=str(folder),
                    silence_logs=logging.CRITICAL,
                )
            )
        except RuntimeError as error:
            guard = "a script that runs a campaign needs the line: if __name__ == '__main__':"
            raise CannotConnect(f"workers cannot be started: {error} ({guard})") from None
        return cluster, _closing(opened, Client(cluster))


@contextmanager
def _blocked() -> Iterator[None]:
    """Processes that are started meanwhile do not get the signals of a terminal. They are for this process, which ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
    try:
        resource_tracker.ensure_running()  # a process, too; starting it unblocks some of them
        signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _closing(opened: ExitStack, client: Client) -> Client:
    """A client that is closed even if its scheduler does not answer any more."""
    opened.callback(client.close, timeout=_CLOSING)
    return client


def _remote(opened: ExitStack, scheduler: str, tls: Tls | None, patience: float) -> Client:
    from distributed import Client

    security = {} if tls is None else {"security": tls.security()}
    try:
        return _closing(opened, Client(scheduler, timeout=patience, **security))
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise CannotConnect(f"cannot reach the scheduler {scheduler}: {said}") from None
