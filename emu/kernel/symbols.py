# SPDX-License-Identifier: GPL-2.0-only
"""Names for addresses in the guest kernel and its modules."""

from __future__ import annotations

from emu.kernel.image import Image, Symbol
from emu.kernel.modules import Modules

__all__ = ["Symbols"]


class Symbols:
    """The functions of a kernel image, and of the modules that are or were loaded."""

    def __init__(self, image: Image, modules: Modules) -> None:
        self._image = image
        self._modules = modules

    def is_code(self, address: int) -> bool:
        """Whether an address is in a function of the kernel or of a module."""
        return self.function_at(address) is not None

    def function_at(self, address: int) -> tuple[Symbol, str] | None:
        """The function at an address, and the name of its module ("" for the kernel)."""
        function = self._image.function_at(address)
        if function is not None:
            return function, ""
        found = self._modules.find(address)
        return None if found is None else (found[1], found[0].name)

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`, followed by ` [module]` for a module's function; or the plain address."""
        found = self.function_at(address)
        if found is None:
            return f"{address:#x}"
        function, module = found
        return f"{function.name}+{address - function.address:#x}/{function.size:#x}{f' [{module}]' if module else ''}"
