# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's memory is read through its image, its direct map and its page table."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

import pytest

from emu.linux import arch
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols
from tests.linux.made_kernels import PHYSICAL, TEXT, kallsyms, kernel_with

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

RAM = 32 << 20
START = PHYSICAL
IMAGE = TEXT
TABLE, VARIABLE, END = IMAGE + 0x1000, IMAGE + 0x5000, IMAGE + 0x6000
DIRECT = 0xFFFF_9000_0000_0000
VMALLOC = 0xFFFF_C900_0000_0000
PRESENT, WRITABLE, LARGE, NO_EXECUTE = 1, 2, 0x80, 1 << 63


def made_symbols(folder: Path, *left_out: str) -> Symbols:
    found = [(IMAGE, "T", "_text"), (TABLE, "D", "init_top_pgt"), (VARIABLE, "D", "page_offset_base"), (END, "B", "_end")]
    others = [(END + 0x40 * n, "t", f"function_{n}") for n in range(300)]
    return Symbols(kernel_with(kallsyms([*(one for one in found if one[2] not in left_out), *others], "6.4", b""), folder))


def entry(ram: memoryview, table: int, index: int, value: int) -> None:
    struct.pack_into("<Q", ram, table + 8 * index, value)


@pytest.fixture
def ram() -> memoryview:
    """Four pages at VMALLOC, of which the third is not there; behind them, a large page; behind that, memory that is no RAM."""
    made = memoryview(bytearray(RAM))
    for start in (0, 0x20_0000, RAM - 0x1_0000):
        made[start : start + 251 * 64] = bytes(range(251)) * 64
    made[:0x8000] = (bytes(range(251)) * 131)[:0x8000]
    top, second, third, last = (START + 0x1000 * n for n in range(1, 5))
    made[top : last + 0x1000] = bytes(4 * 0x1000)
    entry(made, top, VMALLOC >> 39 & 511, second | PRESENT)
    entry(made, second, VMALLOC >> 30 & 511, third | PRESENT)
    entry(made, third, 0, last | PRESENT)
    entry(made, third, 1, 0x20_0000 | PRESENT | LARGE | WRITABLE)
    entry(made, third, 2, RAM | PRESENT | LARGE)
    entry(made, last, 0, 0x7000 | PRESENT | NO_EXECUTE)
    entry(made, last, 1, 0x3000 | PRESENT | NO_EXECUTE)
    entry(made, last, 2, 0x4000)
    entry(made, last, 3, 0x5000 | PRESENT)
    struct.pack_into("<Q", made, VARIABLE - arch.KERNEL_HALF, DIRECT)
    return made


@pytest.fixture
def memory(ram: memoryview, tmp_path: Path, cache: Path) -> LinuxMemory:
    return LinuxMemory(ram, made_symbols(tmp_path))


def test_the_image_and_the_direct_map(memory: LinuxMemory, ram: memoryview) -> None:
    assert memory.word(VARIABLE) == DIRECT == memory.word(DIRECT + VARIABLE - arch.KERNEL_HALF)
    assert memory.read(DIRECT + 0xFFE, 0x2004) == ram[0xFFE:0x3002]
    assert memory.read(DIRECT + RAM - 4, 4) == ram[-4:]
    ram[0x1000:0x1004] = b"\x01\x82\x03\x84"
    assert [memory.word(DIRECT + 0x1000, size) for size in (1, 2, 4)] == [1, 0x8201, 0x84038201]
    assert memory.read(0, 0) == b""


def test_what_the_page_table_maps(memory: LinuxMemory, ram: memoryview) -> None:
    assert memory.read(VMALLOC + 0xFFD, 6) == bytes(ram[0x7FFD:0x8000]) + bytes(ram[0x3000:0x3003])
    assert memory.read(VMALLOC + 0x3FFF, 1) == ram[0x5FFF:0x6000]
    assert memory.read(VMALLOC + 0x20_0FFF, 0x2002) == ram[0x20_0FFF:0x20_3001]


@pytest.mark.parametrize(
    ("address", "size"),
    [
        (VMALLOC + 0x2000, 1), (VMALLOC + 0x1FFF, 2), (VMALLOC + 0x4000, 1), (VMALLOC - 1, 1), (VMALLOC + 0x40_0000, 1), (0, 1),
        (END, 1), (END - 1, 2), (IMAGE - 1, 1), (DIRECT - 1, 1), (DIRECT + RAM, 1), (DIRECT + RAM - 1, 2), (1 << 64, 1), (-1, 1),
        (VMALLOC & (1 << 48) - 1, 1),
    ],
)  # fmt: skip
def test_what_is_not_mapped(memory: LinuxMemory, address: int, size: int) -> None:
    with pytest.raises(LookupError, match=r"^address -?0x[0-9a-f]+ is not (mapped|in RAM)$"):
        memory.read(address, size)


def test_strings(memory: LinuxMemory, ram: memoryview) -> None:
    ram[0x7FFC:0x8000], ram[0x3000:0x3004] = b"four", b"\xffer\0"
    assert memory.string(VMALLOC + 0xFFC) == "four\udcffer"
    assert memory.string(VMALLOC + 0xFFC, 7) == "four\udcffer"
    with pytest.raises(LookupError, match=r"has no end within 6 bytes$"):
        memory.string(VMALLOC + 0xFFC, 6)
    ram[0x3000:0x4000] = b"x" * 4096
    with pytest.raises(LookupError, match="is not mapped"):
        memory.string(VMALLOC + 0xFFC)


def test_host_addresses(memory: LinuxMemory, ram: memoryview) -> None:
    for address in (DIRECT + 0x1234, IMAGE + 0x10, VMALLOC + 0x1234, VMALLOC + 0x20_1234):
        assert ctypes.string_at(memory.host_address(address), 16) == memory.read(address, 16)
    with pytest.raises(LookupError):
        memory.host_address(VMALLOC + 0x2000)


def test_kernels_that_lack_the_symbols(ram: memoryview, tmp_path: Path, cache: Path) -> None:
    memory = LinuxMemory(ram, made_symbols(tmp_path, "page_offset_base"))
    assert memory.read(arch.DIRECT_MAP + 5, 2) == ram[5:7]
    struct.pack_into("<Q", ram, VARIABLE - arch.KERNEL_HALF, 0)  # so it is before the kernel is in RAM
    assert LinuxMemory(ram, made_symbols(tmp_path)).read(arch.DIRECT_MAP + 5, 2) == ram[5:7]
    memory = LinuxMemory(ram, made_symbols(tmp_path, "page_offset_base", "init_top_pgt", "_end"))
    for address in (VMALLOC, IMAGE):
        with pytest.raises(LookupError, match="is not mapped"):
            memory.read(address, 1)


def test_a_damaged_page_table(memory: LinuxMemory, ram: memoryview) -> None:
    for at in range(TABLE - arch.KERNEL_HALF, TABLE + 0x4000 - arch.KERNEL_HALF, 8):
        entry(ram, at, 0, (1 << 64) - 1 if at % 16 else 0x000F_FFFF_FFFF_F001)
    for page in range(0, 1 << 48, 1 << 37):
        try:
            memory.read(arch.KERNEL_START + page, 8)
        except LookupError as error:
            assert "not mapped" in str(error) or "not in RAM" in str(error)


def test_a_real_kernels_memory(machine: LinuxMachine, real_symbols: Symbols) -> None:
    """CPUs walk the same table: what they see, at addresses of each kind, is what is read."""
    memory = LinuxMemory(machine.board.ram, real_symbols)
    cpu = machine.board.cpus[0]
    banner = real_symbols.address("linux_banner")
    stack = cpu.read(real_symbols.address("init_task") or 0, 64)
    assert banner is not None and memory.string(banner).startswith("Linux version ")
    lines = machine.run("echo 1 > /proc/sys/kernel/kptr_restrict; cat /proc/vmallocinfo").output.decode().splitlines()
    mapped = [int(line.partition("-")[0], 16) for line in lines if "vmalloc" in line]
    assert len(mapped) > 20
    for address in (banner, real_symbols.address("init_task") or 0, arch.DIRECT_MAP + 0x10_0000, *mapped):
        assert memory.read(address, 64) == cpu.read(address, 64)
    assert stack == memory.read(real_symbols.address("init_task") or 0, 64)
