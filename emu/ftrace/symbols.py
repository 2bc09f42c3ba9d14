# SPDX-License-Identifier: GPL-2.0-only
"""The image's functions, as the text of traces names them."""

from __future__ import annotations

from emu.ftrace.text import SymbolTable
from emu.kernel.image import Image

__all__ = ["KernelSymbols"]


class KernelSymbols(SymbolTable):
    """Symbols of a kernel image. `irq_entry_text` is where the functions lie by which interrupts enter."""

    def __init__(self, image: Image) -> None:
        names: dict[int, str] = {}
        for function in image.functions:
            names.setdefault(function.address, function.name)
        super().__init__(names, max(f.address + max(f.size, 1) for f in image.functions))
        self._image = image
        self.irq_entry_text = range(image.symbol("__irqentry_text_start"), image.symbol("__irqentry_text_end"))

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`."""
        found = self._image.function_at(address)
        if found is None:
            return f"{address:#x}"
        return f"{found.name}+{address - found.address:#x}/{found.size:#x}"
