# SPDX-License-Identifier: GPL-2.0-only
"""Return probes: actions when calls of a function return."""

from __future__ import annotations

from collections.abc import Iterator

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer, Rethook, RethookNode, RethookPool
from emu.ftrace.native.trace_values import RETHOOK_NODES
from emu.ftrace.sites.callbacks import listen
from emu.kernel.kernel import Kernel

__all__ = ["Rethooks"]

_LEAST = 10  # the default for calls under way at once


class Rethooks:
    """All return probes of a machine.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: where native code finds the nodes.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, guest: Guest, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._pool: RethookPool | None = None
        self._rethooks: dict[int, Rethook] = {}  # by the address of the consumer that acts at the return
        self._of_guest, self._guest_knows = Rethook.allocate(), Consumer.allocate()
        trampoline = kernel.image.function_at(kernel.image.symbol("arch_rethook_trampoline"))
        assert trampoline is not None
        self._replacements = range(trampoline.address - arch.return_offset, trampoline.address + trampoline.size)

    def add(self, acting: Consumer, maxactive: int) -> Rethook:
        """Makes a consumer act when calls of a function return.

        Args:
            acting: the consumer. Its `missed` counts calls that could not be watched.
            maxactive: how many calls, of all tasks, may be under way at once; 0: the default.

        Returns: the consumer that must act at the function's entry.
        """
        self.use()
        rethook = Rethook.allocate()
        rethook.handler = self._arch.rethook_callbacks(self._guest).entry
        rethook.left = maxactive or max(_LEAST, 2 * len(self._kernel.board.cpus))
        rethook.at_return = acting
        self._rethooks[acting.address] = rethook
        return rethook

    def __contains__(self, acting: Consumer) -> bool:
        """Whether a consumer acts at returns."""
        return acting.address in self._rethooks

    def use(self) -> None:
        """Must be called before the first call is watched."""
        if self._pool is None:
            self._pool = self._begin()

    def _begin(self) -> RethookPool:
        from emu.ftrace.native import redirect  # imported when needed: it is compiled

        pool = RethookPool.allocate()
        self._of_guest.at_return, self._of_guest.left = self._guest_knows, RETHOOK_NODES
        self._guest_knows.handler = redirect.go_on
        self._guest_knows.target = self._kernel.image.symbol("kretprobe_trap")
        pool.of_guest = self._of_guest
        for array in self._records.arrays:
            array.rethooks = pool
        listen(self._kernel, self._arch.rethook_callbacks(self._guest)[1:])
        return pool

    def remove(self, acting: Consumer) -> Rethook:
        """Stops a consumer, also for calls that are under way. Returns the consumer at the function's entry."""
        rethook = self._rethooks.pop(acting.address)
        rethook.at_return = None
        for node in self._nodes():
            if node.rethook is not None and node.rethook.address == rethook.address:
                node.rethook = None
        return rethook

    def _nodes(self) -> Iterator[RethookNode]:
        """All nodes that have been used."""
        if self._pool is not None:
            yield from map(self._pool.nodes.__getitem__, range(self._pool.used))

    def resolve(self, task: int, frame: int, address: int) -> int:
        """The return address that a return probe has replaced in a task's frame by `address`; otherwise `address` (for
        backtraces)."""
        pool = self._pool
        if address not in self._replacements or pool is None or not task:
            return address
        owner = self._kernel.memory.host_address(task)
        number = self._kernel.memory.member(task, "task_struct.rethooks")
        for _ in range(pool.used):
            node = pool.nodes[number - 1] if 0 < number <= pool.used else None
            if node is None or node.task is None or node.task.address != owner:
                break
            if node.frame == frame:
                address = node.returns_to
            number = node.next
        return address
