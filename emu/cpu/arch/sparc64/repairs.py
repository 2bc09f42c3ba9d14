# SPDX-License-Identifier: GPL-2.0-only
"""Patches Unicorn 2.1.4's code for instructions that any program can execute and that crash Unicorn.

* A load, store or ldstub with an ASI that is only for twin loads (0xe2, 0xe3, 0xea, 0xeb and the privileged ones) fails an
  assertion. The patch makes it an illegal_instruction trap.
* BPr, MOVr and FMOVr with one of the two reserved conditions are translated to garbage. The patch makes them branches
  that are never taken, and moves that are never done; hardware would trap.

Both were found by tests/fuzz. The code is compared byte by byte before it is patched; other builds of Unicorn are refused.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
from pathlib import Path

from emu.cpu.internals import LIBRARY, UnknownUnicorn, address_of
from emu.cpu.library_code import CODE, CONSTANTS, store

__all__ = ["apply"]

_ILLEGAL_INSTRUCTION = 0x10
_HELPER_SIZE = 2048  # bytes, larger than either helper

# gen_tcg_cond_reg: TCG's inverse of each condition of a register, -1 for the two reserved ones.
_CONDITIONS = struct.pack("<8i", -1, 9, 11, 3, -1, 8, 10, 2)
_ALWAYS = 1
# g_assert_not_reached(): xor %edx, %edx; mov $line, %esi; lea file(%rip), %rdi; call
_ASSERTION = b"\x31\xd2\xbe%b\x48\x8d\x3d"
_ASSERTION_SIZE = 2 + 5 + 7 + 5
_HELPERS = {"helper_ld_asi_sparc64": 1302, "helper_st_asi_sparc64": 1559}  # line number of the assertion


def _constants() -> list[tuple[int, int]]:
    """The address and size of each read-only mapping of the library."""
    path = os.path.realpath(LIBRARY._name)
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[1].startswith("r--") and os.path.realpath(fields[5]) == path:
            start, end = (int(text, 16) for text in fields[0].split("-"))
            found.append((start, end - start))
    return found


def _repair_conditions() -> None:
    places = []
    for start, size in _constants():
        at = ctypes.string_at(start, size).find(_CONDITIONS)
        if at >= 0:
            places.append(start + at)
    if len(places) != 1:
        raise UnknownUnicorn("the conditions of SPARC's registers are not where they are expected")
    values = struct.unpack("<8i", _CONDITIONS)
    store(places[0], struct.pack("<8i", *(_ALWAYS if value < 0 else value for value in values)), CONSTANTS)


def _repair_assertion(helper: str, line: int) -> None:
    start = address_of(helper)
    code = ctypes.string_at(start, _HELPER_SIZE)
    pattern = _ASSERTION % struct.pack("<I", line)
    at = code.find(pattern)
    if at < 0 or code.find(pattern, at + 1) >= 0:
        raise UnknownUnicorn(f"{helper} is not as expected")
    # Here %rdi is still the CPU, and %r8 the caller's address in translated code: trap like other checks of an ASI.
    trap = b"\x4c\x89\xc2\xbe" + struct.pack("<I", _ILLEGAL_INSTRUCTION)  # mov %r8, %rdx; mov $trap, %esi
    call = start + at + len(trap)
    trap += b"\xe8" + struct.pack("<i", address_of("cpu_raise_exception_ra_sparc64") - (call + 5))
    store(start + at, trap.ljust(_ASSERTION_SIZE, b"\xcc"), CODE)


@functools.cache
def apply() -> None:
    """Applies the repairs, once per process.

    Raises:
        UnknownUnicorn: the library's code is not as expected.
        OSError: the host does not allow a process to change its code.
    """
    _repair_conditions()
    for helper, line in _HELPERS.items():
        _repair_assertion(helper, line)
