# SPDX-License-Identifier: GPL-2.0-only
"""The virtual addresses at which blocks have host functions."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from emu.cpu.native import callouts as native
from emu.cpu.native.cpu_records import Board, Callout, Callouts, Cpu
from emu.cpu.python_handler import PythonHandler
from emu.native.functions import Compiled
from emu.native.records import Layouts, Shape, Words, u64

__all__ = ["CalloutTable", "Handler"]

Handler: TypeAlias = Compiled[[Cpu, u64], None] | PythonHandler

_FEWEST_SLOTS = 64


class CalloutTable:
    """The table of a board's callouts. It knows nothing of translations: a block that was translated before its address came into
    the table does not call its function.

    Args:
        board: the board's record.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._use(_table(_FEWEST_SLOTS))

    def _use(self, table: Callouts) -> None:
        self._table = table
        self._board.callouts = table

    def set_handler(self, places: NDArray[np.uint64], handler: Handler | None, arguments: NDArray[np.uint64]) -> None:
        """Sets the native function for addresses, and the argument that it gets at each; None removes it."""
        self.make_room(len(places))
        places, arguments = np.ascontiguousarray(places), np.ascontiguousarray(arguments)
        example = Callout.allocate()
        example.handler = handler
        native.set_handlers(self._table, Words(places.ctypes.data), Words(arguments.ctypes.data), len(places), example)
        if handler is None:
            self._copy(self._table.last + 1)

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

    def notice(self, place: int, function: Handler | None) -> None:
        """Sets the function by which the host follows the guest's state at an address; None removes it."""
        self.make_room()
        example = Callout.allocate()
        example.noticed = function
        native.set_noticed(self._table, place, example)
        if function is None:
            self._copy(self._table.last + 1)

    def __contains__(self, place: int) -> bool:
        return bool(native.is_known(self._table, place))

    def replace_returns(self, function: Handler) -> None:
        """Replaces all functions for returns by another one."""
        example = Callout.allocate()
        example.returned = function
        native.replace_returns(self._table, example)

    def take_returns(self) -> NDArray[np.uint64]:
        """Removes the functions for returns. Returns the addresses that are no longer in the table."""
        places = np.zeros(self._table.used, np.uint64)
        count = native.take_returns(self._table, Words(places.ctypes.data))
        self._copy(self._table.last + 1)
        return places[:count]


def _table(slots: int) -> Callouts:
    table = Callouts.allocate(Layouts({Callouts: Shape(counts={"slots": slots})}))
    table.last = slots - 1
    return table
