# SPDX-License-Identifier: GPL-2.0-only
"""Host functions that run before blocks and instructions of the guest's code, by virtual addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from emu.cpu.listeners import Listeners, Listening
from emu.cpu.native import callouts as native
from emu.cpu.native import cpu_records
from emu.cpu.native.cpu_records import Callout, Cpu
from emu.cpu.python_handler import PythonHandler
from emu.native.functions import Compiled
from emu.native.records import Layouts, Shape, Words, u64

__all__ = ["Callouts", "Handler", "Listening"]

Handler: TypeAlias = Compiled[[Cpu, u64], None] | PythonHandler

_FEWEST_SLOTS = 64


class Callouts:
    """The host's functions for blocks of a board's CPUs.

    Args:
        board: the board's record.
        forget: makes all CPUs drop their translations of places in code, given by virtual addresses.
        is_called: whether native code waits for Python.
        listens: whether the architecture has calls before instructions.
    """

    def __init__(
        self,
        board: cpu_records.Board,
        forget: Callable[[NDArray[np.uint64]], None],
        is_called: Callable[[], bool],
        listens: bool,
    ) -> None:
        self._board, self._forget, self._listens = board, forget, listens
        self._listeners, self._named = Listeners(is_called), Listeners(is_called)
        self._use_listeners()
        self._use(_table(_FEWEST_SLOTS))

    def look_at_blocks(self, start: int, end: int, handler: Handler | None = None, others: Handler | None = None) -> None:
        """Makes all blocks that begin in a range of virtual addresses call the block hook, and a native function before them.

        CPUs run old translations until they `forget` them.

        `others`: runs before blocks elsewhere that call the hook for another reason. The first one after an instruction that may
        let interrupts come always does, so this function sees when the kernel has left for a program.
        """
        self._board.looked_at_start, self._board.looked_at_end = start, end
        self._board.at_each_block, self._board.at_other_block = handler, others

    def notice(self, address: int, function: Handler | None) -> None:
        """Runs a native function before each block that begins at a virtual address, and before the one of `dispatch`: the host
        follows the guest's state by it. None removes it."""
        known = address in self
        self.make_room()
        example = Callout.allocate()
        example.noticed = function
        native.set_noticed(self._table, address, example)
        if function is None:
            self._copy(self._table.last + 1)
        if not known or address not in self:
            self._forget(np.array([address], np.uint64))

    def dispatch(self, address: int, function: Handler | None) -> None:
        """Runs a native function before each block that begins at a virtual address; None removes it."""
        self.dispatch_all(np.array([address], np.uint64), function)

    def dispatch_all(
        self, addresses: NDArray[np.uint64], function: Handler | None, arguments: NDArray[np.uint64] | None = None
    ) -> None:
        """The same for many addresses. CPUs drop their translations of these places.

        `arguments`: what the function gets at each; default: the addresses.
        """
        self.replace_handlers(addresses, function, addresses if arguments is None else arguments)
        self._forget(addresses)

    def replace_handlers(
        self, addresses: NDArray[np.uint64], function: Handler | None, arguments: NDArray[np.uint64]
    ) -> None:
        """The same for addresses that have a function already."""
        self.make_room(len(addresses))
        addresses, arguments = np.ascontiguousarray(addresses), np.ascontiguousarray(arguments)
        example = Callout.allocate()
        example.handler = function
        native.set_handlers(self._table, Words(addresses.ctypes.data), Words(arguments.ctypes.data), len(addresses), example)
        if function is None:
            self._copy(self._table.last + 1)

    def forget_returns(self) -> None:
        """Removes all functions that native code has set where calls return to."""
        places = np.zeros(self._table.used, np.uint64)
        count = native.take_returns(self._table, Words(places.ctypes.data))
        self._copy(self._table.last + 1)
        self._forget(places[:count])

    def listen(self, address: int, handler: Handler, argument: int) -> Listening:
        """Runs handler(cpu, argument), native, before the instruction at a virtual address, wherever it is in its block.

        It runs once for each execution. A repeated string instruction that is interrupted, and an instruction that faults, are
        executed again. Several functions run in the order in which they came, after those for blocks. A function finds all
        registers and the program counter in the CPU's state, and the flags as helper_read_eflags() does. It may change nothing
        of the guest. Blocks, clocks and interrupts are as if nobody listened. CPUs drop their translations of the place.

        Raises:
            NotImplementedError: the architecture has no calls before instructions.
        """
        return self.listen_all(np.array([address], np.uint64), handler, np.array([argument], np.uint64))

    def listen_all(self, addresses: NDArray[np.uint64], handler: Handler, arguments: NDArray[np.uint64]) -> Listening:
        """The same for many addresses."""
        if not self._listens:
            raise NotImplementedError("this architecture has no calls before instructions")
        new = self._listeners.add(addresses, handler, arguments)
        self._use_listeners()
        self._forget(new.places)
        return new

    def listen_in_programs(self, places: NDArray[np.uint64], handler: Handler, arguments: NDArray[np.uint64]) -> Listening:
        """The same before instructions of programs, given by the names of their pages plus the offset there (`name_pages`).

        CPUs run old translations until they `forget` them.
        """
        new = self._named.add(places, handler, arguments)
        self._use_listeners()
        return new

    def name_pages(self, function: Handler | None, data: int = 0) -> None:
        """Names the pages of programs by a native function(cpu, page), given a RAM address, when code there is translated in
        user mode. It stores in `Cpu.page_name` a multiple of the page's size, or 0 if nobody listens there; `data` is its
        record, in `Board.page_names`. None: no page has a name any more.
        """
        self._board.name_page, self._board.page_names = function, data

    def _use_listeners(self) -> None:
        self._board.listeners, self._board.named_listeners = self._listeners.table, self._named.table

    def unlisten(self, listening: Listening) -> None:
        """Ends what one of these has begun. The function is not called any more, not even for this instruction."""
        if self._listeners.remove(listening):
            self._forget(listening.places)
        self._named.remove(listening)
        self._use_listeners()

    def __contains__(self, address: int) -> bool:
        return bool(native.is_known(self._table, address))

    def make_room(self, more: int = 1) -> None:
        """Makes the table larger unless it has room for so many more addresses."""
        slots = self._table.last + 1
        while 2 * (self._table.used + more) > slots:
            slots *= 2
        if slots > self._table.last + 1:
            self._copy(slots)

    def _copy(self, slots: int) -> None:
        larger = _table(slots)
        native.copy_used(self._table, larger)
        self._use(larger)

    def _use(self, table: cpu_records.Callouts) -> None:
        self._table = table
        self._board.callouts = table


def _table(slots: int) -> cpu_records.Callouts:
    table = cpu_records.Callouts.allocate(Layouts({cpu_records.Callouts: Shape(counts={"slots": slots})}))
    table.last = slots - 1
    return table
