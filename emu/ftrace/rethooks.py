# SPDX-License-Identifier: GPL-2.0-only
"""Return probes: what happens when the calls of a function return."""

from __future__ import annotations

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.ftrace.array_records import RecordLists
from emu.ftrace.native import array_record, consumer, event_context, rethook_node, rethook_pool, rethook_record, trace_records
from emu.ftrace.native.guest_layout import GuestLayout
from emu.kernel.kernel import Kernel
from emu.native.record import Record

__all__ = ["Rethooks"]

_LEAST = 10  # calls under way at once, if a probe does not say how many


class Rethooks:
    """All return probes of a machine.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: tell native code where the nodes are.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, guest: GuestLayout, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._pool: Record | None = None
        self._rethooks: dict[int, Record] = {}  # by the address of what acts at the return
        self._of_guest, self._guest_knows = Record(rethook_record.WORDS), trace_records.Consumer.allocate()
        trampoline = kernel.image.function_at(kernel.image.symbol("arch_rethook_trampoline"))
        assert trampoline is not None
        self._replacements = range(trampoline.address - arch.return_offset, trampoline.address + trampoline.size)

    def add(self, acting: Record, maxactive: int) -> Record:
        """Has a consumer act when calls of a function return.

        Args:
            acting: the consumer. Its MISSED counts the calls that are not watched.
            maxactive: how many calls may be under way at once, of all tasks; 0: as many as usual.

        Returns: the consumer that must act at the function's entry.
        """
        self.use()
        rethook = Record(rethook_record.WORDS)
        rethook.set(consumer.HANDLER, self._arch.rethook_callbacks(self._guest).entry)
        rethook.set(rethook_record.LEFT, maxactive or max(_LEAST, 2 * len(self._kernel.board.cpus)))
        rethook.set(rethook_record.CONSUMER, acting.address)
        self._rethooks[acting.address] = rethook
        return rethook

    def __contains__(self, acting: Record) -> bool:
        """Whether a consumer acts when calls return."""
        return acting.address in self._rethooks

    def use(self) -> None:
        """Must be called before the first call is watched."""
        if self._pool is None:
            self._pool = self._begin()

    def _begin(self) -> Record:
        from emu.ftrace.native import redirect  # when it is needed: it is compiled

        pool = Record(rethook_pool.WORDS)
        self._of_guest.set(rethook_record.CONSUMER, self._guest_knows.address)
        self._of_guest.set(rethook_record.LEFT, rethook_pool.LAST)
        self._guest_knows.set(consumer.HANDLER, redirect.build(event_context.GOES_ON_AT).address)
        self._guest_knows.set(consumer.TARGET, self._kernel.image.symbol("kretprobe_trap"))
        pool.set(rethook_pool.OF_GUEST, self._of_guest.address)
        self._records.set_in_all(array_record.RETHOOKS, pool.address)
        for label, function in self._arch.rethook_callbacks(self._guest)[1:]:
            self._kernel.board.dispatch(self._kernel.image.symbol(label), function)
        return pool

    def remove(self, acting: Record) -> Record:
        """A consumer acts no more, not even when calls return that are under way. Returns the one at the function's entry."""
        rethook = self._rethooks.pop(acting.address)
        rethook.set(rethook_record.CONSUMER, 0)
        of_nodes = self._nodes(rethook_node.RETHOOK)
        of_nodes[of_nodes == rethook.address] = 0
        return rethook

    def _nodes(self, field: np.uint64) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        """A field of all nodes that have been used."""
        assert self._pool is not None
        first = int(rethook_pool.NODES) // 8
        nodes = self._pool.words[first:].reshape(-1, rethook_node.WORDS)
        return nodes[: self._pool.get(rethook_pool.USED), int(field) // 8]

    def resolve(self, task: int, frame: int, address: int) -> int:
        """What a return probe has replaced in a task's call by `address`; the address itself, if none has (for backtraces)."""
        if address not in self._replacements or self._pool is None or not task:
            return address
        tasks, following = self._nodes(rethook_node.TASK), self._nodes(rethook_node.NEXT)
        frames, replaced = self._nodes(rethook_node.FRAME), self._nodes(rethook_node.RETURN)
        owner = self._kernel.memory.host_address(task)
        number = self._kernel.memory.member(task, "task_struct.rethooks")
        for _ in range(len(tasks)):
            if not 0 < number <= len(tasks) or tasks[number - 1] != owner:
                break
            if frames[number - 1] == frame:
                address = int(replaced[number - 1])
            number = int(following[number - 1])
        return address
