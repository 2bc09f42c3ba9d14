# SPDX-License-Identifier: GPL-2.0-only
"""Patches Unicorn 2.1.4's code.

Stores to pages that may be executed, but have no translated code, become fast again after the first (native.code_pages). The
kernel may execute all of its memory, so all of its stores would be slow.

The code is compared byte by byte before it is patched; other builds of Unicorn are refused.
"""

from __future__ import annotations

import ctypes
import functools

from emu.cpu.internals import UnknownUnicorn, address_of
from emu.cpu.library_code import CODE, store

__all__ = ["apply"]

# notdirty_write, by its distance from an exported function: the TLB entry allows execution, or not.
#   before  cmpq $-1, addr_code(%rbp); je set_dirty
#   after   cmpq $-1, addr_code(%rbp); jmp set_dirty
_NEAR, _DISTANCE = "tlb_reset_dirty_by_vaddr_riscv64", 0x4DD
_BEFORE, _AFTER = bytes.fromhex("48837d10ff 747c"), bytes.fromhex("48837d10ff eb7c")


@functools.cache
def apply() -> None:
    """Applies the repair, once per process.

    Raises:
        UnknownUnicorn: the library's code is not as expected.
        OSError: the host does not allow a process to change its code.
    """
    place = address_of(_NEAR) + _DISTANCE
    if ctypes.string_at(place, len(_BEFORE)) != _BEFORE:
        raise UnknownUnicorn("the code that is to be repaired is not as expected")
    store(place, _AFTER, CODE)
