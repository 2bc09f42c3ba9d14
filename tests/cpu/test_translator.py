# SPDX-License-Identifier: GPL-2.0-only
"""Blocks account for themselves: the counters include every block, however it was translated."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import unicorn

from emu.cpu import cpu as cpu_module
from emu.cpu.board import Board
from emu.cpu.native.cpu_records import TRANSLATION_BUFFER
from emu.machine import Machine
from tests.cpu.bare import Bare

# A host call, then a loop of three instructions.
LOOP = "mov eax, 33; out 0xe0, eax; mov rcx, 1000; l: add rbx, rcx; dec rcx; jnz l; cli; hlt"
BEFORE_AND_AFTER = 30  # instructions, at most


def loop(prepare: Callable[[Board], None]) -> tuple[int, int]:
    """Cycles and instructions of the loop on a board that `prepare` changes after the host call."""
    bare = Bare()
    bare.start(LOOP)
    bare.run(1)
    assert len(bare.calls) == 1
    prepare(bare.board)
    assert bare.run()
    (cpu,) = bare.board.cpus
    return cpu.cycles, cpu.instructions


def watched_by(look: Callable[[int, int], None]) -> Callable[[Board], None]:
    """Calls `look` for each block that begins, with its address and size."""

    def watch(board: Board) -> None:
        for cpu in board.cpus:
            cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, lambda uc, address, size, data: look(address, size))
            cpu.uc.ctl_flush_tb()

    return watch


def test_a_loop_is_counted_whoever_else_sees_its_blocks() -> None:
    alone = loop(lambda _: None)
    assert 3000 < alone[1] < 3000 + BEFORE_AND_AFTER
    assert loop(watched_by(lambda address, size: None)) == alone


def test_a_hook_of_unicorn_sees_every_block() -> None:
    seen: list[tuple[int, int]] = []
    loop(watched_by(lambda address, size: seen.append((address, size))))
    (often,) = {block for block in seen if seen.count(block) > 900}
    assert seen.count(often) == 999  # at first, the loop's body is the end of the block before it
    assert often[1] == 3 + 3 + 2


def test_what_is_translated_again_is_counted_as_before(arch: str) -> None:
    """Also after the buffer of translated code has been flushed, which reuses the records of blocks.

    A loop of the shell needs few pages. With more, translation replaces entries of SPARC's own TLB, which the guest fills.
    """
    command = "i=0; while [ $i -lt 20 ]; do i=$((i + 1)); done"
    if arch == "x86_64":
        command += "; ls /proc > /dev/null"
    counted = []
    for flushes in (False, True):
        with Machine(arch=arch, cpus=1) as machine:
            (cpu,) = machine.board.cpus
            machine.run("true")
            used = cpu.record.blocks_used
            if flushes:
                cpu.uc.ctl_flush_tb()
            machine.run(command)
            if flushes:
                assert cpu.record.blocks_used < used
            counted.append((cpu.cycles, cpu.instructions))
    assert counted[0] == counted[1]


def test_a_full_buffer_is_emptied(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's output is the same. So are the counters, unless translation replaces entries of the guest's own TLB."""
    found = []
    for size in (TRANSLATION_BUFFER, 1 << 20):
        monkeypatch.setattr(cpu_module, "TRANSLATION_BUFFER", size)
        with Machine(arch=arch, cpus=1) as machine:
            done = machine.run("for n in 1 2 3; do ls -l /bin | wc; seq 50 | sort -r | head -n 3; done")
            (cpu,) = machine.board.cpus
            found.append((done.output, *((cpu.cycles, cpu.instructions) if arch == "x86_64" else ())))
            used = cpu.record.blocks_used
    assert found[0] == found[1]
    assert used < 2000  # it was emptied


def test_a_uc_that_is_no_cpu_is_left_alone() -> None:
    Bare()  # Unicorn's translator has been changed
    uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    uc.mem_map(0, 0x1000)
    uc.mem_write(0, bytes.fromhex("48ffc0 48ffc0 ebf8"))  # l: inc rax; inc rax; jmp l
    blocks = []
    uc.hook_add(unicorn.UC_HOOK_BLOCK, lambda _uc, address, size, _: blocks.append(size) or (len(blocks) == 10 and uc.emu_stop()))
    uc.emu_start(0, 0x100)
    assert blocks == [8] * 10
    assert uc.reg_read(unicorn.x86_const.UC_X86_REG_RAX) in (18, 20)
