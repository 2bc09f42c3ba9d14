# SPDX-License-Identifier: GPL-2.0-only
"""osnoise and timerlat: the contents of their files in osnoise/, and the guest's measuring threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.kernel.memory import GuestMemory
from emu.kernel.work import Work, WorkKind

__all__ = ["OPTIONS", "WORKLOAD", "Osnoise"]

OPTIONS = ("OSNOISE_WORKLOAD", "PANIC_ON_STOP", "OSNOISE_PREEMPT_DISABLE", "OSNOISE_IRQ_DISABLE")  # bits from 1 on
WORKLOAD = "OSNOISE_WORKLOAD"
_IRQ_DISABLE = "OSNOISE_IRQ_DISABLE"
_CPUS = "osnoise_data.cpus"


class Osnoise:
    """The settings, stored in the guest's memory (`struct osnoise_data`), and the workload: a thread on each chosen CPU.

    Args:
        memory: the guest's memory.
        work: starts and stops threads.
        cpus: the number of CPUs.
    """

    def __init__(self, memory: GuestMemory, work: Work, cpus: int) -> None:
        self._memory = memory
        self._work = work
        self._cpus = cpus
        self._running: bool | None = None  # start()'s `timerlat`; None: no workload is running
        self._users: list[ArrayRecords] = []

    # Settings

    def get(self, name: str) -> int:
        """A member of `struct osnoise_data`."""
        return self._memory.member(self._data, f"osnoise_data.{name}")

    def set(self, name: str, value: int) -> None:
        """Sets a member. The threads see it at their next check."""
        self._memory.set_member(self._data, f"osnoise_data.{name}", value)

    @property
    def options(self) -> frozenset[str]:
        """The names of the options that are on."""
        bits = self.get("options")
        return frozenset(name for bit, name in enumerate(OPTIONS, 1) if bits >> bit & 1)

    def choose_options(self, options: frozenset[str]) -> None:
        """Sets these options, and no others."""
        bits = sum(1 << bit for bit, name in enumerate(OPTIONS, 1) if name in options)
        self._apply(partial(self.set, "options", bits))

    @property
    def cpus(self) -> frozenset[int]:
        """The CPUs that have a thread while the workload runs."""
        return self._memory.cpumask(self._data, _CPUS) & frozenset(range(self._cpus))

    def choose_cpus(self, cpus: frozenset[int]) -> None:
        """Gives each of these CPUs a thread, and no others."""
        self._apply(partial(self._memory.set_cpumask, self._data, _CPUS, cpus))

    @property
    def _data(self) -> int:
        return self._memory.image.symbol("osnoise_data")

    # The workload

    @property
    def silence(self) -> int:
        """Nanoseconds for which a thread may take no interrupts."""
        return self.get("sample_runtime") * 1000 if _IRQ_DISABLE in self.options else 0

    def start(self, user: ArrayRecords, timerlat: bool) -> None:
        """Starts the threads of timerlat or osnoise, unless they run for another array already. `user`: the array's records."""
        if user not in self._users:
            self._users.append(user)
        if self._running is None:
            self._running = timerlat
            self._work.ask(WorkKind.OSNOISE_START, int(timerlat))

    def stop(self, user: ArrayRecords, then: Callable[[], None] = lambda: None) -> None:
        """An array no longer needs the threads. They stop if no array does.

        Args:
            user: the array's records.
            then: called when they have recorded for the last time for this array.
        """
        if user in self._users:
            self._users.remove(user)
        if self._running is None or self._users:
            then()
        else:
            self._running = None
            self._work.ask(WorkKind.OSNOISE_STOP, on_done=partial(_then, then))

    def _apply(self, change: Callable[[], None]) -> None:
        """Makes a change while no thread runs: running threads are stopped and started again."""
        if self._running is None:
            change()
        else:
            self._work.ask(WorkKind.OSNOISE_STOP, on_done=partial(_then, change))
            self._work.ask(WorkKind.OSNOISE_START, int(self._running))


def _then(change: Callable[[], None], result: int) -> None:
    change()
