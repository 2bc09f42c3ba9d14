# SPDX-License-Identifier: GPL-2.0-only
"""Has workers do units, and puts what they have found into the journal."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event
from typing import TYPE_CHECKING

from emu.campaign.connection import LOST, CannotConnect, Connection
from emu.campaign.journal import Journal
from emu.campaign.unit import Unit
from emu.campaign.worker import Done

if TYPE_CHECKING:
    from distributed import Future

__all__ = ["Engine", "Progress"]

_BATCH = 0.5  # seconds of processor time that a batch should take
_LARGEST = 1000  # units
_STRETCH = 4  # how much larger a batch gets, so that it ends together with a group
_LOOK = 0.2  # seconds between two looks whether it was stopped
_RETRIES = 3  # reconnections without a unit done between
_DIED = "the worker died in it, several times"


@dataclass
class Progress:
    """How far a campaign is.

    Attributes:
        units: how many it has.
        done: how many are done.
        failed: how many have failed.
        workers: how many units can be done at once.
        began: when this process began with it, by time.monotonic().
        done_before: how many were done then.
    """

    units: int
    done: int
    failed: int = 0
    workers: int = 0
    began: float = 0.0
    done_before: int = 0

    @property
    def has_got_on(self) -> bool:
        """Whether this process has done any of it."""
        return self.done + self.failed > self.done_before

    @property
    def to_go(self) -> float | None:
        """About how many seconds it will take; None: it cannot be said yet."""
        ended = self.done + self.failed - self.done_before
        passed = time.monotonic() - self.began
        return (self.units - self.done - self.failed) * passed / ended if ended else None

    @property
    def ended(self) -> str:
        """A line about what is done."""
        return f"{self.done} of {self.units} units{f', {self.failed} failed' if self.failed else ''}"

    @property
    def text(self) -> str:
        """A line for while it runs."""
        workers = f", {self.workers} worker{'s' * (self.workers != 1)}" if self.workers else ""
        left = self.to_go
        return f"{self.ended}{workers}{'' if left is None else f', {_clock(left)} to go'}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Engine:
    """Does units that are not in the journal yet.

    Args:
        journal: gets what is found.
        connect: makes a connection to workers. It is called again when the scheduler was lost.
        progress: is kept up to date.
        stop: ends it, as ^C does, when it is set.
        limit: seconds of processor time that all units of the journal may take; None: any.

    Attributes:
        limited: whether the limit has ended it.
    """

    def __init__(
        self,
        journal: Journal,
        connect: Callable[[], Connection],
        progress: Progress,
        stop: Event,
        limit: float | None = None,
    ) -> None:
        self.limited = False
        self._journal = journal
        self._connect = connect
        self._progress = progress
        self._stop = stop
        self._limit = limit
        self._seconds = 0.0  # about what a unit takes
        self._todo: deque[Unit] = deque()
        self._suspects: deque[Unit] = deque()  # units whose worker has died; each is done while no other is

    def run(self, units: Iterable[Unit]) -> None:
        """Does the units.

        Raises:
            CannotConnect: there is no scheduler or no worker, or it was lost and does not come back.
            OSError: the journal cannot be written.
            KeyboardInterrupt: the user, or `stop`, has ended it.
        """
        waiting = {unit.key: unit for unit in units}
        retries = 0
        while waiting and not self.limited:
            before = len(self._journal.entries)
            try:
                with self._connect() as connection:
                    self._todo, self._suspects = deque(sorted(waiting.values(), key=lambda unit: unit.group)), deque()
                    self._run(connection)
            except _Lost:
                retries = 0 if len(self._journal.entries) > before else retries + 1
                if retries > _RETRIES:
                    raise CannotConnect("the scheduler or its workers were lost again and again") from None
            else:
                return
            finally:
                ended = self._journal.entries.keys() | self._journal.failures.keys()
                waiting = {key: unit for key, unit in waiting.items() if key not in ended}

    def _run(self, connection: Connection) -> None:
        running: dict[str, list[Unit]] = {}
        completed: SimpleQueue[Future] = SimpleQueue()
        while True:
            self._progress.workers = connection.threads
            threads = max(connection.threads, 1)  # without workers, some may come
            alone = not running and not self._todo
            most = 1 if alone else 2 * threads
            while len(running) < most and not self._is_limited() and (units := self._next(threads, alone)):
                future = connection.submit(units)
                running[future.key] = units
                future.add_done_callback(completed.put)
            if not running:
                return
            while True:
                if self._stop.is_set():
                    raise KeyboardInterrupt
                if not connection.keep_up():
                    raise _Lost
                with suppress(Empty):
                    future = completed.get(timeout=_LOOK)
                    break
            self._take(future, running.pop(future.key), connection, alone)

    def _is_limited(self) -> bool:
        if self._limit is not None and self._journal.cpu >= self._limit and (self._todo or self._suspects):
            self.limited = True
        return self.limited

    def _next(self, threads: int, alone: bool) -> list[Unit]:
        """The next batch: small ones first, until it is known how long units take, and at the end. Suspects come last."""
        if alone:
            return [self._suspects.popleft()] if self._suspects else []
        fair = -(-len(self._todo) // (4 * threads))
        fast = int(_BATCH / self._seconds) if self._seconds else 1
        most = min(max(fast, 1), max(fair, 1), _LARGEST)
        batch = [self._todo.popleft() for _ in range(min(most, len(self._todo)))]
        while self._todo and len(batch) < _STRETCH * most and batch[0].group and self._todo[0].group == batch[-1].group:
            batch.append(self._todo.popleft())
        return batch

    def _take(self, future: Future, units: Sequence[Unit], connection: Connection, alone: bool) -> None:
        from distributed import KilledWorker

        try:
            reply = future.result()
        except KilledWorker:
            # dask says so of all batches that the worker had, not only of the one that it was doing
            if alone:
                self._note(units[0], Done(None, _DIED, 0.0))
            else:
                self._suspects.extend(units)
            return
        except LOST:
            raise _Lost from None
        except Exception as error:  # the worker cannot take a batch: emu is not installed there, say
            raise CannotConnect(f"a worker cannot do units: {' '.join(str(error).split())}") from None
        if reply.refused:
            connection.refuse(reply.worker, reply.refused)
            connection.check()
            self._todo.extendleft(reversed(units))
            return
        for unit, done in zip(units, reply.done, strict=True):
            self._note(unit, done)

    def _note(self, unit: Unit, done: Done) -> None:
        if done.measures is None:
            self._journal.fail(unit, done.failed, done.cpu)
            self._progress.failed += 1
        else:
            self._journal.add(unit, done.measures, done.cpu)
            self._progress.done += 1
        self._seconds = done.cpu if not self._seconds else 0.9 * self._seconds + 0.1 * done.cpu


class _Lost(Exception):
    """The scheduler, or every worker, was lost."""
