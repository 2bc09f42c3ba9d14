# SPDX-License-Identifier: GPL-2.0-only
"""The code of the busybox that a Linux guest runs: the offsets of its functions in the file, by what it calls."""

from __future__ import annotations

import functools
import io

import capstone
from elftools.elf.elffile import ELFFile

from emu.kernel.userland import find_busybox

__all__ = ["busybox_entry", "busybox_functions"]


@functools.cache
def _text() -> tuple[bytes, int, int, int]:
    """The executable segment: its contents, its address, its offset; and the entry's address."""
    elf = ELFFile(io.BytesIO(find_busybox("x86_64", "EM_X86_64").read_bytes()))
    (segment,) = (one for one in elf.iter_segments("PT_LOAD") if one.header.p_flags & 1)
    return segment.data(), segment.header.p_vaddr, segment.header.p_offset, elf.header.e_entry


def busybox_entry() -> int:
    """The offset of its first instruction."""
    _, address, offset, entry = _text()
    return int(entry - address + offset)


@functools.cache
def busybox_functions() -> list[int]:
    """The offsets of the functions that are called directly, those with the most calls first."""
    code, address, offset, _ = _text()
    called: dict[int, int] = {}
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.skipdata = True
    for _, _, name, operand in decoder.disasm_lite(code, address):
        if name == "call" and operand.startswith("0x"):
            target = int(operand, 16)
            called[target] = called.get(target, 0) + 1
    inside = [target for target in called if address <= target < address + len(code)]
    return [target - address + offset for target in sorted(inside, key=lambda target: (-called[target], target))]
