# SPDX-License-Identifier: GPL-2.0-only
"""Where a kernel's file has its BTF."""

from __future__ import annotations

from emu.ftrace.btf import BadBtf, Btf
from emu.linux.image import Kernel
from emu.linux.symbols import NoSymbols, Symbols

__all__ = ["NoBtf", "kernel_btf"]


class NoBtf(ValueError):
    """A kernel without BTF. The message is one line, and names the file."""


def kernel_btf(kernel: Kernel) -> Btf:
    """A kernel's BTF.

    Raises:
        NoBtf: it was built without.
        BadBtf: it is damaged.
    """
    if (found := kernel.section(".BTF")) is None and (found := _between_symbols(kernel)) is None:
        raise NoBtf(f"{kernel.path}: the kernel has no types (CONFIG_DEBUG_INFO_BTF)")
    try:
        return Btf(found)
    except BadBtf as error:
        raise BadBtf(f"{kernel.path}: {error}") from None


def _between_symbols(kernel: Kernel) -> memoryview | None:
    try:
        symbols = Symbols(kernel)
        begin, end = symbols.address("__start_BTF"), symbols.address("__stop_BTF")
        return None if begin is None or end is None else kernel.contents(begin, end)
    except (NoSymbols, LookupError):
        return None
