# SPDX-License-Identifier: GPL-2.0-only
"""Values of the guest kernel for the text of events: numbers, by their names in its source, and strings."""

from __future__ import annotations

from collections.abc import Mapping

from emu.kernel.memory import GuestMemory

__all__ = ["ARRAYS", "GuestValues"]

_VARIABLES = ("jiffies", "vmemmap_base", "VMEMMAP_BASE")  # of eight bytes
ARRAYS = ("_stext",)  # symbols whose name stands for the address


class GuestValues:
    """The numbers of emu's own kernel.

    Attributes:
        constants: the constants of the layout table, by name; the size of a structure is `sizeof(struct page)`.
    """

    def __init__(self, memory: GuestMemory) -> None:
        self._memory = memory
        self.constants: Mapping[str, int] = {
            f"sizeof(struct {name})" if size else name: size or value
            for name, (value, size) in memory.image.layout.items()
            if "." not in name
        } | {name: memory.image.symbol(name) for name in ARRAYS}

    def variables(self) -> Mapping[str, int]:
        """The present values of variables, by name."""
        symbols = self._memory.image.symbols
        return {name: self._memory.read_word(symbols[name]) for name in _VARIABLES if name in symbols}

    def string_at(self, address: int) -> str | None:
        """The string at an address; None if there is none."""
        try:
            return self._memory.string(address)
        except LookupError:
            return None
