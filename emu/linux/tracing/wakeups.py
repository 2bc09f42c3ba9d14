# SPDX-License-Identifier: GPL-2.0-only
"""Follows wakeups of a Linux guest by functions of its scheduler.

They are no events' places, and compilers may inline them, so which ones a kernel has is looked up:

    ttwu_do_wakeup(rq, p, ...)      of 6.1: each wakeup but of the CPU's own task
    ttwu_do_activate(rq, p, ...)    of kernels without that function: a wakeup of a task that is on no run queue
    enqueue_task(rq, p, flags)      ... since 6.12 also: of one that was left on its run queue when it went to sleep
    post_init_entity_util_avg(p)    a new task has got its first CPU
    __switch_to_asm(prev, next)     on the stack of prev
    set_task_cpu(p, cpu)

Kernels without ttwu_do_wakeup do not tell when a task is woken that was about to sleep, but still runs or was preempted.
"""

from __future__ import annotations

from collections.abc import Mapping

from emu.cpu.callouts import Handler
from emu.ftrace.arrays.array_records import ArrayRecords, RecordLists
from emu.ftrace.btf import Btf
from emu.ftrace.native.arch import WakeupCalls
from emu.ftrace.tracers.wakeups import Wakeups
from emu.linux.symbols import Symbols
from emu.linux.tracing.kernel import LinuxKernel

__all__ = ["CallWakeups", "Wakers"]


class Wakers:
    """The functions of a kernel that tell of wakeups.

    Args:
        symbols, btf: the kernel's.

    Attributes:
        places: the address of each, by the name of the native function for it.
        missing: the name of the first one that the kernel lacks; None: it has all.
    """

    def __init__(self, symbols: Symbols, btf: Btf) -> None:
        self._symbols, self._btf = symbols, btf
        names = {"created": "post_init_entity_util_avg", "switched": "__switch_to_asm", "migrated": "set_task_cpu"}
        if self._takes_task("ttwu_do_wakeup"):
            names["woken"] = "ttwu_do_wakeup"
        else:
            names["woken"] = "ttwu_do_activate"
            if btf.has("task_struct.se.sched_delayed"):
                names["enqueued"] = "enqueue_task"
        found = {told: symbols.address(name) for told, name in names.items()}
        self.places: Mapping[str, int] = {told: place for told, place in found.items() if place is not None}
        self.missing = next((name for told, name in names.items() if found[told] is None), None)

    def _takes_task(self, function: str) -> bool:
        """Whether the kernel has a function whose second argument is a task."""
        if self._symbols.address(function) is None or (found := self._btf.prototype(function)) is None:
            return False
        kinds = [kind for _, kind in found.parameters]
        return len(kinds) > 1 and kinds[1].kind.name == "PTR" and self._btf.target(kinds[1]).name == "task_struct"


class CallWakeups(Wakeups):
    """Follows the wakeups of one trace array's tracer.

    Args:
        kernel: the guest's kernel.
        places: see `Wakers`.
        records: the records of all trace arrays.
        calls: the native functions.
    """

    def __init__(self, kernel: LinuxKernel, places: Mapping[str, int], records: RecordLists, calls: WakeupCalls) -> None:
        super().__init__(len(kernel.board.cpus))
        self._board, self._records = kernel.board, records
        self._noticed: Mapping[int, Handler] = {place: getattr(calls, name) for name, place in places.items()}

    def _listen(self, records: ArrayRecords | None) -> None:
        if records is not None:
            records.array.wakeup = self._record
        self._records.wakeups_are_of(records)
        for place, function in self._noticed.items():
            self._board.callouts.notice(place, None if records is None else function)
