# SPDX-License-Identifier: GPL-2.0-only
"""What ends a block: LONGEST_BLOCK instructions of whatever kind, and the instructions that may open the way for an interrupt."""

from __future__ import annotations

import pytest

from emu.cpu.native.arch.riscv64 import LONGEST_BLOCK
from tests.cpu.riscv64.bare import DATA, KERNEL, STOP, VECTOR, Bare, pytestmark  # noqa: F401

PLACE = 0x70000


def blocks(code: str) -> list[tuple[int, int]]:
    """The blocks of code at PLACE that are executed once: (offset, instructions)."""
    bare = Bare()
    bare.put(VECTOR, STOP)
    size = len(bare.put(PLACE, code + ";" + STOP))
    bare.start(f"li t0,0x6000; csrs sstatus,t0; li s0,{KERNEL + PLACE:#x}; li s1,{KERNEL + DATA:#x}; jr s0")
    assert bare.run()
    record = bare.board.cpus[0].record
    found = [record.blocks[n] for n in range(record.blocks_used)]
    return sorted((block.place - PLACE, block.instructions) for block in found if PLACE <= block.place < PLACE + size)


# Those that Unicorn needs most of its operations for, and one of each other kind
@pytest.mark.parametrize(
    "instruction",
    [
        "c.addi s5,1", "add s5,s5,s6", "div s5,s5,s6", "divu s5,s5,s6", "rem s5,s5,s6", "remu s5,s5,s6",
        "divw s5,s5,s6", "divuw s5,s5,s6", "remw s5,s5,s6", "remuw s5,s5,s6", "mulh s5,s5,s6", "mulhsu s5,s5,s6",
        "mulhu s5,s5,s6", "mulw s5,s5,s6", "sllw s5,s5,s6", "sraw s5,s5,s6", "slliw s5,s5,3", "slt s5,s5,s6",
        "ld s5,(s1)", "sd s5,(s1)", "lb s5,1(s1)", "c.ld a0,(s1)", "amoadd.w s5,s6,(s1)", "amomaxu.d.aqrl s5,s6,(s1)",
        "lr.w.aqrl s5,(s1)", "sc.w.aqrl s5,s6,(s1)", "sc.d s5,s6,(s1)", "fence rw,rw", "sfence.vma s5,s6",
        "fadd.s f0,f1,f2", "fadd.s f0,f1,f2,rup", "fmadd.d f0,f1,f2,f3", "fmadd.s f0,f1,f2,f3,rdn",
        "fnmsub.s f0,f1,f2,f3", "fdiv.d f0,f1,f2", "fsqrt.s f0,f1", "fsgnj.s f0,f1,f2", "fsgnjn.s f0,f1,f2",
        "fsgnjx.s f0,f1,f2", "fsgnjx.d f0,f1,f2", "fmin.s f0,f1,f2", "feq.s s5,f1,f2", "fclass.s s5,f1",
        "fcvt.s.l f0,s5", "fcvt.lu.s s5,f0", "fcvt.wu.d s5,f0", "fcvt.s.d f0,f1", "fmv.w.x f0,s5", "fmv.x.w s5,f0",
        "flw f0,(s1)", "fsw f0,(s1)", "fld f0,(s1)", "fsd f0,(s1)",
    ],
)  # fmt: skip
def test_a_block_is_as_long_as_it_may_be_whatever_it_consists_of(instruction: str) -> None:
    """TCG would end it at 4,000 operations, earlier if the block hook is called for it."""
    count = LONGEST_BLOCK + 40
    (first, *_) = blocks(f"{instruction};" * count)
    assert first == (0, LONGEST_BLOCK)


def test_changes_of_the_rounding_mode_take_operations_too() -> None:
    (first, *_) = blocks("fadd.s f0,f1,f2,rup; fadd.s f0,f1,f2,rdn;" * LONGEST_BLOCK)
    assert first == (0, LONGEST_BLOCK)


@pytest.mark.parametrize(
    ("instruction", "ends"),
    [
        ("nop", False), ("fence", False), ("fence.i", True), ("sfence.vma", False), ("csrr s5,sstatus", True),
        ("csrsi sstatus,2", True), ("csrw sscratch,s5", True), ("csrsi sie,2", True), ("rdcycle s5", True),
        ("lr.d s5,(s1)", False), ("fsrmi 0", True), ("li a7,9; ecall", True),
    ],
)  # fmt: skip
def test_what_ends_a_block(instruction: str, ends: bool) -> None:
    found = blocks(f"nop; {instruction}; nop; nop")
    before = 1 + instruction.count(";") + 1
    assert (found[0][1] == before) == ends
