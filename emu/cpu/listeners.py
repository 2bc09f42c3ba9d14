# SPDX-License-Identifier: GPL-2.0-only
"""Host functions that run before instructions are executed, wherever these are in their blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.cpu.native import cpu_records
from emu.cpu.native import listeners as native
from emu.cpu.native.cpu_records import Listener, ListenerTable
from emu.cpu.python_handler import PythonHandler
from emu.native.functions import Compiled
from emu.native.records import HOST, WORD, Layouts, Records, Shape, Words, u64

__all__ = ["Listeners", "Listening"]

_FEWEST_SLOTS = 64
_WORDS = HOST.size(Listener) // WORD
_HANDLER, _ARGUMENT = (HOST.fields(Listener)[name].offset // WORD for name in ("handler", "argument"))


@dataclass(frozen=True, eq=False)
class Listening:
    """A function that runs before instructions.

    Attributes:
        places: of the instructions, uint64[n].
        handler: the function.
        records: the listeners' records, uint64[n, words].
    """

    places: NDArray[np.uint64]
    handler: Compiled[[cpu_records.Cpu, u64], None] | PythonHandler
    records: NDArray[np.uint64]


class Listeners:
    """Listeners by the places of instructions, which are numbers other than 0.

    Args:
        is_called: whether native code waits for Python, so that it may go on to look at listeners that were removed.

    Attributes:
        table: what native code looks at. It is another one after `add`.
    """

    def __init__(self, is_called: Callable[[], bool]) -> None:
        self._is_called = is_called
        self._present: set[Listening] = set()
        self._removed: list[Listening] = []
        self.table = _table(_FEWEST_SLOTS)

    def __bool__(self) -> bool:
        return bool(self._present)

    def add(
        self,
        places: NDArray[np.uint64],
        handler: Compiled[[cpu_records.Cpu, u64], None] | PythonHandler,
        arguments: NDArray[np.uint64],
    ) -> Listening:
        """Adds a function to places, after those that are there. `arguments`: what it gets at each of them."""
        records = np.zeros((len(places), _WORDS), np.uint64)
        records[:, _HANDLER], records[:, _ARGUMENT] = handler.address, arguments
        new = Listening(np.ascontiguousarray(places, np.uint64), handler, records)
        slots = self.table.last + 1
        while 2 * (self.table.used + len(places)) > slots:
            slots *= 2
        if slots > self.table.last + 1:
            self._copy(slots)
        native.add(self.table, *_listed(new))
        self._present.add(new)
        self._free()
        return new

    def remove(self, old: Listening) -> bool:
        """Removes them. Returns whether they were there. The function is not called any more, from now on."""
        if old not in self._present:
            return False
        native.remove(self.table, *_listed(old))
        self._present.remove(old)
        self._removed.append(old)
        if not self._present:
            self._copy(_FEWEST_SLOTS)
        self._free()
        return True

    def _copy(self, slots: int) -> None:
        table = _table(slots)
        native.copy_used(self.table, table)
        self.table = table

    def _free(self) -> None:
        if not self._is_called():
            self._removed.clear()


def _listed(listening: Listening) -> tuple[Words, Records[Listener], int]:
    records = Records[Listener](listening.records.ctypes.data)
    return Words(listening.places.ctypes.data), records, len(listening.places)


def _table(slots: int) -> ListenerTable:
    table = ListenerTable.allocate(Layouts({ListenerTable: Shape(counts={"slots": slots})}))
    table.last = slots - 1
    return table
