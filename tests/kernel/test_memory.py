# SPDX-License-Identifier: GPL-2.0-only
"""Host access to the guest kernel's memory: both mappings, and their ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from emu.cpu import arch as cpu_arch
from emu.cpu.board import Board
from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.kernel.memory import GuestMemory
from emu.machine import image_directory

SIZE = 32 << 20


@pytest.fixture(scope="module")
def board(arch: str) -> Iterator[Board]:
    with closing(Board(cpu_arch.load(arch), 1, SIZE, 1000, 0, 100_000_000)) as made:
        yield made


@pytest.fixture(scope="module")
def memory(arch: str, board: Board) -> GuestMemory:
    return GuestMemory(board, read_image(image_directory(arch) / "vmlinux", machine=kernel_arch.load(arch).elf_machine))


def test_both_mappings_are_of_the_same_memory(board: Board, memory: GuestMemory) -> None:
    memory.write_word(board.arch.direct_map + 0x5000, 0x0102030405060708)
    assert memory.read_word(board.arch.kernel_map + 0x5000) == 0x0102030405060708
    first = {"little": 8, "big": 1}[board.arch.byte_order]
    assert board.ram[0x5000] == memory.read_word(board.arch.direct_map + 0x5000, 1) == first
    memory.write_word(board.arch.direct_map + 0x5000, -2, 4)
    assert memory.read_word(board.arch.direct_map + 0x5000, 4) == 0xFFFFFFFE


# Functions that access eight bytes.
USES: dict[str, Callable[[GuestMemory, int], object]] = {
    "read": lambda memory, address: memory.read(address, 8),
    "write": lambda memory, address: memory.write(address, bytes(8)),
    "read_word": lambda memory, address: memory.read_word(address),
    "write_word": lambda memory, address: memory.write_word(address, 0),
    "member": lambda memory, address: memory.member(address - memory.image.offset("upcall.argument"), "upcall.argument"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("mapping", ["direct_map", "kernel_map"])
def test_memory_ends_where_the_mapping_does(board: Board, memory: GuestMemory, mapping: str, use: str) -> None:
    start = getattr(board.arch, mapping)
    USES[use](memory, start)
    USES[use](memory, start + SIZE - 8)
    for address in (start - 1, start + SIZE - 7, start + SIZE):
        with pytest.raises(LookupError):
            USES[use](memory, address)


def test_a_text_ends_at_its_nul_or_with_its_member(board: Board, memory: GuestMemory) -> None:
    task = board.arch.direct_map + 0x6000
    size = memory.image.size("task_struct.comm")
    memory.write(task + memory.image.offset("task_struct.comm"), b"x" * (size + 1))
    assert memory.text(task, "task_struct.comm") == "x" * size
    memory.write(task + memory.image.offset("task_struct.comm"), b"sh\0\xff")
    assert memory.text(task, "task_struct.comm") == "sh"
