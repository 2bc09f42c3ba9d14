# SPDX-License-Identifier: GPL-2.0-only
"""The heap from which Unicorn's library allocates: libc's guarantees, and that all of it belongs to the board."""

from __future__ import annotations

import ctypes
import gc
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import unicorn

from emu.cpu import library_imports
from emu.cpu.heap import Heap
from emu.cpu.native import heap as native
from emu.cpu.snapshot import Snapshots
from emu.machine import Machine
from tests.lib.busy_machine import act, busy_machine

_WORD = ctypes.c_uint64


def _function(name: str, *arguments: type) -> Callable[..., int]:
    return ctypes.CFUNCTYPE(_WORD, *arguments)(native.FUNCTIONS[name])


malloc, calloc = _function("malloc", _WORD), _function("calloc", _WORD, _WORD)
realloc, free = _function("realloc", _WORD, _WORD), _function("free", _WORD)
posix_memalign = _function("posix_memalign", ctypes.c_void_p, _WORD, _WORD)


def test_blocks_keep_what_they_hold() -> None:
    """3,000 calls: no two blocks overlap, and each keeps its content wherever it moves."""
    heap, chosen = Heap(256 << 20), random.Random(1)
    blocks: dict[int, bytes] = {}
    for _ in range(3_000):
        size = chosen.choice([0, 1, 24, 100, 4096, 70_000]) + chosen.randrange(9)
        kept = b""
        with heap:
            match chosen.randrange(5):
                case 0:
                    address = malloc(size)
                case 1:
                    address = calloc(size, 3)
                    assert ctypes.string_at(address, 3 * size) == bytes(3 * size)
                case 2:
                    found = _WORD()
                    alignment = chosen.choice([8, 64, 4096])
                    assert posix_memalign(ctypes.byref(found), alignment, size) & 0xFFFF_FFFF == 0
                    address = found.value
                    assert address % alignment == 0
                case 3 if blocks:
                    old = chosen.choice(list(blocks))
                    kept = blocks.pop(old)
                    address = realloc(old, size)
                    kept = kept[:size]
                case _:
                    if blocks:
                        freed = chosen.choice(list(blocks))
                        assert ctypes.string_at(freed, len(blocks[freed])) == blocks.pop(freed)
                        free(freed)
                    continue
        assert heap.address < address <= heap.address + heap.size - size and address % 16 == 0
        assert ctypes.string_at(address, len(kept)) == kept
        blocks[address] = kept + chosen.randbytes(size - len(kept))
        ctypes.memmove(address, blocks[address], size)
    assert all(ctypes.string_at(address, len(data)) == data for address, data in blocks.items())


def test_a_full_heap_gives_nothing() -> None:
    heap = Heap(1 << 20)
    with heap:
        assert malloc(2 << 20) == 0 == calloc(1 << 10, 1 << 11)
        found = _WORD(7)
        assert posix_memalign(ctypes.byref(found), 64, 2 << 20) & 0xFFFF_FFFF == 12
        block = malloc(100)
        assert realloc(block, 2 << 20) == 0
        free(block)
        assert malloc(100) == block


def test_without_a_heap_libc_is_asked() -> None:
    block = realloc(malloc(10), 1000)
    assert block and not int(native.CONTROL) <= block < int(native.CONTROL + native.MOST_HEAPS * native.STRIDE)
    free(block)


_ALLOCATING = {"malloc": 1, "calloc": 2, "realloc": 2, "posix_memalign": 3}  # and the number of arguments


@pytest.fixture
def asked_of_libc() -> Iterator[list[str]]:
    """Unicorn's allocations without a heap in use."""
    asked: list[str] = []
    in_use = _WORD.from_address(int(native.CONTROL))
    kept = []

    def noting(name: str, count: int) -> Any:
        kind = ctypes.CFUNCTYPE(_WORD, *[_WORD] * count)
        original = kind(native.FUNCTIONS[name])

        def allocate(*arguments: int) -> int:
            if not in_use.value:
                asked.append(name)
            return original(*arguments)

        return kind(allocate)

    for name, count in _ALLOCATING.items():
        kept.append(noting(name, count))
        library_imports.replace(name, ctypes.cast(kept[-1], ctypes.c_void_p).value or 0)
    yield asked
    for name in _ALLOCATING:
        library_imports.replace(name, native.FUNCTIONS[name])


def test_all_that_unicorn_allocates_for_a_cpu_comes_from_its_heap(arch: str, asked_of_libc: list[str]) -> None:
    """Whatever is done with a machine. A Uc that is not a CPU of a board gets its memory from libc."""
    gc.collect()  # of other tests: closing their CPUs calls libc, whenever they are collected
    with busy_machine(arch, seed=2) as machine:
        asked_of_libc.clear()
        for number in range(10):
            act(machine, number)
        machine.board.cpus[1].forget(np.array([[0, machine.board.memory]], np.uint64))
        machine.advance(1000)
        snapshots = Snapshots(machine.board, [machine])
        snapshots.restore(snapshots.base)
        assert asked_of_libc == []
    unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64).mem_map(0, 4096)
    assert asked_of_libc


def test_a_heap_lasts_as_long_as_its_cpus(arch: str) -> None:
    """A Uc of a closed machine can be kept and freed later."""
    with Machine(arch=arch, memory=32 << 20) as machine:
        kept = machine.board.cpus[0].uc
    del machine
    assert isinstance(kept.ctl_get_page_size(), int)
    del kept
