# SPDX-License-Identifier: GPL-2.0-only
"""Names of addresses in the guest kernel and its modules."""

from __future__ import annotations

from emu.kernel.image import Image
from emu.kernel.modules import Modules

__all__ = ["Symbols"]


class Symbols:
    """The functions of a kernel image, and of the modules that are or were loaded."""

    def __init__(self, image: Image, modules: Modules) -> None:
        self._image = image
        self._modules = modules

    def is_code(self, address: int) -> bool:
        """Whether an address is in a function of the kernel or of a module."""
        return self._image.function_at(address) is not None or self._modules.find(address) is not None

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`, with ` [module]` if it is a module's, or the bare address."""
        function, module = self._image.function_at(address), ""
        if function is None:
            found = self._modules.find(address)
            if found is None:
                return f"{address:#x}"
            function, module = found[1], f" [{found[0].name}]"
        return f"{function.name}+{address - function.address:#x}/{function.size:#x}{module}"
