# SPDX-License-Identifier: GPL-2.0-only
"""Values of a Linux guest for the text of events: numbers, by their names in its source, and strings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from emu.ftrace.btf import BadBtf, Btf
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols

__all__ = ["LinuxValues"]

_VARIABLES = ("jiffies", "vmemmap_base")  # of eight bytes
_SECOND = 10**9  # nanoseconds
_SIZE = re.compile(r"sizeof\(((?:struct )?\w+)\)")


class _Constants:
    """Enumerators by name, `sizeof(struct page)`, and HZ. Each is looked up when it is asked for."""

    def __init__(self, btf: Btf, memory: LinuxMemory, symbols: Symbols) -> None:
        self._btf, self._memory, self._symbols = btf, memory, symbols
        self._known: dict[str, int | None] = {}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __getitem__(self, name: str) -> int:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def _find(self, name: str) -> int | None:
        if name == "HZ":
            return self._ticks()
        if name not in self._known:
            self._known[name] = self._in_btf(name)
        return self._known[name]

    def _in_btf(self, name: str) -> int | None:
        try:
            if size := _SIZE.fullmatch(name):
                return self._btf.size(size[1].removeprefix("struct "))
            return self._btf.enumerator(name)
        except (LookupError, BadBtf):
            return None

    def _ticks(self) -> int | None:
        """The ticks of a second. The macro has left no trace but the length of a tick, which the kernel computes at boot."""
        address = self._symbols.address("tick_nsec")
        length = self._memory.word(address) if address else 0
        return round(_SECOND / length) if length else None


class LinuxValues:
    """The numbers of a Linux.

    Args:
        btf, symbols: its kernel's.
        memory: its memory.

    Attributes:
        constants: of the kernel, by name.
    """

    def __init__(self, btf: Btf, symbols: Symbols, memory: LinuxMemory) -> None:
        self._memory = memory
        self._variables = {name: address for name in _VARIABLES if (address := symbols.address(name)) is not None}
        self.constants = _Constants(btf, memory, symbols)

    def variables(self) -> Mapping[str, int]:
        """The present values of variables, by name."""
        return {name: self._memory.word(address) for name, address in self._variables.items()}

    def string_at(self, address: int) -> str | None:
        """The string at an address; None if there is none."""
        try:
            return self._memory.string(address)
        except LookupError:
            return None
