# SPDX-License-Identifier: GPL-2.0-only
"""The board's device (docs/board.md), as CPUs and the host access it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cpu import arch as cpu_arch
from emu.cpu.board import Board
from emu.cpu.io_window import IoWindow
from emu.kernel import arch as kernel_arch
from emu.kernel.host_calls import put
from emu.kernel.image import read_image
from emu.kernel.kmmio import Kmmio
from emu.kernel.memory import GuestMemory
from emu.machine import image_directory
from tests.cpu.bare import KERNEL, PD, Bare

START, SIZE = 0xF0_0000_0000, 16 << 10
ID, ACCESSES, END = 0x100, 0x108, 0x110
IO = KERNEL + (200 << 21)  # where the tests map it

OFFSETS = st.one_of(st.integers(0, END + 8), st.integers(SIZE - 16, SIZE + 8))
STEPS = st.lists(st.tuples(st.booleans(), OFFSETS, st.sampled_from([1, 2, 4]), st.integers(0, (1 << 32) - 1)), max_size=20)


@given(steps=STEPS)
def test_it_keeps_what_is_written(steps: list[tuple[bool, int, int, int]]) -> None:
    window = IoWindow(range(START, START + (16 << 20)))
    memory, count = bytearray(SIZE), 0
    memory[ID : ID + 3] = b"emu"
    for write, offset, size, value in steps:
        inside, value = offset + size <= SIZE, value & (1 << 8 * size) - 1
        memory[ACCESSES:END] = count.to_bytes(8, "little")
        if write:
            window.write(START + offset, size, value)
            if inside and (offset + size <= ID or offset >= END):
                memory[offset : offset + size] = value.to_bytes(size, "little")
        else:
            expected = int.from_bytes(memory[offset : offset + size], "little") if inside else (1 << 8 * size) - 1
            assert window.read(START + offset, size) == expected
        count += inside
    assert window.read(START + ACCESSES, 8) == count


def test_the_host_cannot_leave_it() -> None:
    window = IoWindow(range(START, START + (16 << 20)))
    for address in (0, START - 1, START + (16 << 20) - 3):
        with pytest.raises(ValueError, match="not in the window"):
            window.read(address, 4)


def test_all_cpus_find_the_same_device() -> None:
    bare = Bare(cpus=2)
    bare.word(PD + 200 * 8, START | 0x83)
    for cpu in range(2):
        bare.start(f"mov rbx, {IO:#x}; mov dword ptr [rbx + {4 * cpu}], {cpu + 7}; mov rcx, [rbx + {ACCESSES:#x}]; hlt", cpu=cpu)
    assert bare.run()
    io = bare.board.io
    assert io is not None
    assert io.read(START + ACCESSES, 4) == 6  # a write and the two halves of a read, each
    assert io.read(START, 8) == 7 | 8 << 32


def test_memory_ends_below_it() -> None:
    with pytest.raises(ValueError, match="at most 960 GiB"):
        Board(cpu_arch.load("x86_64"), 1, START + 4096, 1000, 0, 1_000_000_000)


def test_the_guest_knows_where_it_is_and_the_host_believes_nothing() -> None:
    """A host call with invalid addresses, or for an address outside the device, does nothing."""
    bare = Bare()
    bare.start("hlt")
    bare.run()
    bare.word(PD + 200 * 8, START | 0x83)
    arch, cpu, io = kernel_arch.load("x86_64"), bare.board.cpus[0], bare.board.io
    assert io is not None
    image = read_image(image_directory("x86_64") / "vmlinux", machine=arch.elf_machine)
    assert (image.constant("IO_WINDOW_START"), image.constant("IO_WINDOW_SIZE")) == (io.addresses.start, len(io.addresses))
    memory = GuestMemory(bare.board, image)
    kmmio, saved, rw = Kmmio(arch, memory), KERNEL + 0x60000, KERNEL + 0x61000
    for physical in (0, START - 1, START + len(io.addresses)):
        memory.set_member(rw, "mmiotrace_rw.phys", physical)
        assert kmmio.kmmio(cpu, saved, IO, rw, 4096) < 0
    memory.set_member(rw, "mmiotrace_rw.phys", START)
    for wild in (0, IO, (1 << 64) - 1):
        memory.set_member(saved, "pt_regs.ip", wild)
        assert kmmio.kmmio(cpu, saved, IO, rw, 4096) == 0
        assert kmmio.kmmio(cpu, wild, IO, rw, 4096) == 0
        with pytest.raises(LookupError):
            kmmio.kmmio(cpu, saved, IO, wild, 4096)
    assert io.device.accesses == 0
    assert put(cpu, IO, b"nothing") < 0
