# SPDX-License-Identifier: GPL-2.0-only
"""What a boot loader puts into RAM for Linux's 64-bit boot protocol (Linux's documents: x86/boot, "64-bit Boot Protocol", and
x86/zero-page)."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

from emu.cpu.pc import acpi

if TYPE_CHECKING:
    from emu.linux.image import Kernel

__all__ = ["PAGE_TABLES", "ZERO_PAGE", "check_memory", "load"]

# Physical addresses of what the loader makes, all below 1 MiB
ZERO_PAGE, SETUP_DATA, COMMAND_LINE, PAGE_TABLES, _ACPI = 0x10000, 0x11000, 0x20000, 0x80000, 0xF0000
COMMAND_LINE_SIZE = 2048  # COMMAND_LINE_SIZE of Linux, with the NUL at the end
_CONVENTIONAL_END, _UPPER_START = 0x9FC00, 0x100000

# Offsets in the zero page
_RSDP, _MAP_ENTRIES, _SETUP_HEADER, _LOADER, _LOAD_FLAGS = 0x70, 0x1E8, 0x1F1, 0x210, 0x211
_INITRD, _COMMAND_LINE_POINTER, _SETUP_DATA, _MAP = 0x218, 0x228, 0x250, 0x2D0
_UNKNOWN_LOADER, _LOADED_HIGH = 0xFF, 1
_USABLE, _RESERVED = 1, 2
_RANDOM_SEED = 9  # SETUP_RNG_SEED
_PAGE = 4096
_PRESENT_WRITABLE, _LARGE = 3, 0x83
_GIGABYTES = 4  # that the first page tables map
_WORKING_ROOM = 32 << 20  # bytes that a kernel needs besides its image and the initramfs, until it has freed something


def check_memory(memory: int, kernel: Kernel, initramfs: int) -> None:
    """Checks whether so many bytes of RAM are possible, with an initramfs of so many bytes, of which unpacking makes a copy.

    Raises:
        ValueError: they are too few, or no whole pages.
    """
    least = max(segment.physical + segment.memory_size for segment in kernel.segments) + 2 * initramfs + _WORKING_ROOM
    if memory < least or memory % _PAGE:
        raise ValueError(f"{memory} bytes of memory: this kernel and initramfs need {-(-least >> 20)} MiB, in whole pages")


def load(ram: memoryview, kernel: Kernel, initramfs: bytes, command_line: str, cpus: int, seed: int) -> None:
    """Puts everything into RAM, which is as `check_memory` wants it, for the kernel to be started at its entry, with PAGE_TABLES
    and ZERO_PAGE.

    Raises:
        ValueError: the command line is too long, or has a NUL.
    """
    memory = len(ram)
    text = command_line.encode(errors="surrogateescape") + b"\0"
    if len(text) > COMMAND_LINE_SIZE:
        raise ValueError(f"a kernel command line of {len(text) - 1} bytes: at most {COMMAND_LINE_SIZE - 1} are possible")
    if b"\0" in text[:-1]:
        raise ValueError("the kernel's command line cannot hold a NUL byte")

    def put(address: int, data: bytes | memoryview) -> None:
        ram[address : address + len(data)] = data

    for segment in kernel.segments:
        put(segment.physical, segment.data)
    initrd = memory - len(initramfs) & -_PAGE
    put(initrd, initramfs)
    put(COMMAND_LINE, text)
    put(_ACPI, acpi.tables(_ACPI, cpus))
    random = hashlib.sha256(f"emu seed {seed}".encode()).digest()  # what random numbers of the kernel begin with
    put(SETUP_DATA, struct.pack("<QII", 0, _RANDOM_SEED, len(random)) + random)
    put(ZERO_PAGE, _zero_page(kernel.setup_header, memory, initrd, len(initramfs)))
    put(PAGE_TABLES, _page_tables())


def _zero_page(setup_header: bytes, memory: int, initrd: int, initrd_size: int) -> bytes:
    page = bytearray(_PAGE)
    page[_SETUP_HEADER : _SETUP_HEADER + len(setup_header)] = setup_header
    page[_LOADER] = _UNKNOWN_LOADER
    page[_LOAD_FLAGS] |= _LOADED_HIGH
    struct.pack_into("<II", page, _INITRD, initrd, initrd_size)
    struct.pack_into("<I", page, _COMMAND_LINE_POINTER, COMMAND_LINE)
    struct.pack_into("<Q", page, _SETUP_DATA, SETUP_DATA)
    struct.pack_into("<Q", page, _RSDP, _ACPI)
    ranges = (
        (0, _CONVENTIONAL_END, _USABLE),
        (_CONVENTIONAL_END, 0xA0000, _RESERVED),
        (_ACPI, _UPPER_START, _RESERVED),
        (_UPPER_START, memory, _USABLE),
    )
    page[_MAP_ENTRIES] = len(ranges)
    for n, (start, end, kind) in enumerate(ranges):
        struct.pack_into("<QQI", page, _MAP + 20 * n, start, end - start, kind)
    return bytes(page)


def _page_tables() -> bytes:
    """Tables that map the first gigabytes to themselves, in pages of 2 MiB."""
    top = struct.pack("<Q", PAGE_TABLES + _PAGE | _PRESENT_WRITABLE).ljust(_PAGE, b"\0")
    directories = [PAGE_TABLES + (2 + n) * _PAGE | _PRESENT_WRITABLE for n in range(_GIGABYTES)]
    middle = struct.pack(f"<{_GIGABYTES}Q", *directories).ljust(_PAGE, b"\0")
    pages = [n << 21 | _LARGE for n in range(512 * _GIGABYTES)]
    return top + middle + struct.pack(f"<{len(pages)}Q", *pages)
