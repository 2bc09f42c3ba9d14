# SPDX-License-Identifier: GPL-2.0-only
"""Code that changes: a CPU executes what it has translated until its own fence.i, and what is in memory from there on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cpu.riscv64.bare import DATA, HOST_CALL, KERNEL, RELAX, STOP, A, Bare, D, R, V, W, X, assemble, entry, pytestmark  # noqa: F401

SITE, OTHER_SITE, ALIAS = 0x70000, 0x70800, 0x1_0000_0000 + KERNEL  # ALIAS: 1 GiB at physical 0 once more
NEW = 0x8082_4509  # li a0,2; ret
FLAG = KERNEL + DATA
CALL = f"li s0,{KERNEL + SITE:#x}; jalr s0;"
WAIT = f"li s1,{FLAG:#x}; 1: ld t0,{{}}(s1);" + HOST_CALL.format(RELAX) + "beqz t0,1b;"


def board(cpus: int = 1) -> Bare:
    bare = Bare(cpus)
    bare.word(0x8000 + 8 * 260, entry(0, V | R | W | X | A | D))
    for site in (SITE, OTHER_SITE):
        bare.put(site, "li a0,1; ret")
    return bare


STORE = f"li t0,{{address:#x}}; li t1,{NEW:#x}; sd t1,(t0);"


@pytest.mark.parametrize("address", [KERNEL + SITE, ALIAS + SITE])
def test_not_even_its_own_store_makes_a_cpu_forget(address: int) -> None:
    bare = board()
    bare.start(CALL + "mv s2,a0;" + STORE.format(address=address) + CALL + "mv s3,a0; fence.i;" + CALL + "mv s4,a0;" + STOP)
    assert bare.run()
    assert [bare.registers()[f"s{n}"] for n in (2, 3, 4)] == [1, 1, 2]


@pytest.mark.parametrize(("fence", "expected"), [("", [1, 1, 1]), ("fence.i;", [1, 2, 2]), ("fence rw,rw;", [1, 1, 1])])
@pytest.mark.parametrize("address", [KERNEL + SITE, ALIAS + SITE])
def test_another_cpus_store_is_seen_behind_the_own_fence(address: int, fence: str, expected: list[int]) -> None:
    """The writer's fence does nothing for others. The store is that of a CPU which has code of the page itself, or none of it."""
    for has_code in (False, True):
        bare = board(2)
        bare.start(CALL + f"mv s2,a0; li t0,1; li s1,{FLAG:#x}; sd t0,8(s1);" + WAIT.format(0) + fence + CALL + "mv s3,a0;"
                   + CALL + "mv s4,a0;" + STOP, cpu=1)  # fmt: skip
        bare.start((CALL if has_code else "") + WAIT.format(8) + STORE.format(address=address)
                   + f"fence.i; li t0,1; li s1,{FLAG:#x}; sd t0,(s1);" + STOP)  # fmt: skip
        assert bare.run(wanted=2)
        assert [bare.registers(1)[f"s{n}"] for n in (2, 3, 4)] == expected


def results(bare: Bare, loop: str) -> list[int]:
    """Calls the site for ever; the host changes it after the second call."""
    seen: list[int] = []
    bare.start(f"9: {CALL} {HOST_CALL.format(33)} {loop} j 9b")

    def on_call(cpu, number, arguments):
        seen.append(arguments[0])
        if len(seen) == 2:
            bare.board.write_code(SITE, assemble("li a0,2; ret"))
        cpu.answer(0)

    while len(seen) < 4:
        bare.board.run(on_call)
    return seen


def test_what_the_host_writes_is_seen_behind_a_fence() -> None:
    assert results(board(), "") == [1, 1, 1, 1]
    assert results(board(), "fence.i;") == [1, 1, 2, 2]


@pytest.mark.parametrize("drops", ["nothing", "the place", "all", "before"])
def test_what_a_cpu_sees_does_not_depend_on_its_translations(drops: str) -> None:
    """A place that the CPU has not executed yet is as old as its page. What drops translations shows nothing new."""
    bare = board()
    seen: list[int] = []
    other = f"li s0,{KERNEL + OTHER_SITE:#x}; jalr s0;" + HOST_CALL.format(33)
    bare.start(CALL + HOST_CALL.format(33) + CALL + HOST_CALL.format(33) + other + "fence.i;" + other + STOP)

    def drop(cpu) -> None:
        if drops == "all":
            cpu.forget_all()
        elif drops != "nothing":
            cpu.forget(np.array([[SITE, SITE + 4], [OTHER_SITE, OTHER_SITE + 4]], np.uint64))

    def on_call(cpu, number, arguments):
        seen.append(arguments[0])
        if len(seen) == 1:
            if drops == "before":
                drop(cpu)
            for site in (SITE, OTHER_SITE):
                bare.board.write_code(site, assemble("li a0,2; ret"))
            drop(cpu)
        cpu.answer(0)

    while len(seen) < 4:
        bare.board.run(on_call)
    assert seen == [1, 1, 1, 2]


def test_a_cpu_fetches_anew_where_it_is_told_to() -> None:
    """Only there, if it is told about a part of a page."""
    bare = board()
    call = "li s0,{:#x}; jalr s0;" + HOST_CALL.format(33)
    bare.start("".join(call.format(KERNEL + site) for site in (SITE, OTHER_SITE, SITE, OTHER_SITE, OTHER_SITE)) + STOP)
    seen: list[int] = []

    def on_call(cpu, number, arguments):
        seen.append(arguments[0])
        if len(seen) == 2:
            for site in (SITE, OTHER_SITE):
                bare.board.write_code(site, assemble("li a0,2; ret"))
            cpu.fetch_anew(np.array([[SITE, SITE + 4]], np.uint64))
        if len(seen) == 4:
            cpu.fetch_anew(np.array([[SITE, SITE + 0x1000]], np.uint64))
        cpu.answer(0)

    while len(seen) < 5:
        bare.board.run(on_call)
    assert seen == [1, 1, 2, 1, 2]


def test_a_fence_drops_what_has_changed_and_nothing_else() -> None:
    bare = board()
    count = "li t2,20; 1: fence.i; addi t2,t2,-1; bnez t2,1b;"
    bare.start(CALL + count + HOST_CALL.format(33) + STORE.format(address=KERNEL + SITE) + count + STOP)
    assert bare.run()
    assert bare.board.record.code_drops == 1


def test_a_fence_is_executed_where_it_stands() -> None:
    """Also right before the changed instruction, right after it in the same block, and with reserved fields."""
    for fence in ("fence.i", ".4byte 0x0000100f | 5 << 7 | 6 << 15 | 0x123 << 20"):
        bare = board()
        at = KERNEL + 0x71000
        new = int.from_bytes(assemble("c.li a1,2; c.nop"), "little")
        bare.put(0x71000, f"c.li a1,1; c.nop; addi a2,a2,1; {fence}; c.nop; c.nop; beqz a3,1f; jr a4; 1: ret")
        bare.start(f"li s0,{at:#x}; li a3,0; jalr s0; mv s2,a1; li t0,{at:#x}; li t1,{new:#x}; sw t1,(t0); jalr s0; mv s3,a1;"
                   "jalr s0; mv s4,a1;" + STOP)  # fmt: skip
        assert bare.run()
        assert [bare.registers()[f"s{n}"] for n in (2, 3, 4)] == [1, 1, 2]


def test_a_fence_costs_the_same_whatever_is_stale() -> None:
    times = set()
    for change in (STORE.format(address=KERNEL + SITE), STORE.format(address=KERNEL + DATA + 64)):
        bare = board()
        bare.start(CALL + change + "rdcycle s2; fence.i; rdcycle s3;" + CALL + "rdcycle s4; sub s3,s3,s2; sub s4,s4,s2;" + STOP)
        assert bare.run()
        times.add((bare.registers()["s3"], bare.registers()["s4"]))
    assert len(times) == 1


def test_stores_near_code_stay_right() -> None:
    """A page with code and data: stores before and after its translation, and after a fence."""
    bare = board()
    count = f"li t0,{KERNEL + SITE + 0x100:#x}; ld t1,(t0); addi t1,t1,1; sd t1,(t0);"
    bare.start((count + CALL + count + "fence.i;" + CALL + count) * 2 + f"li t0,{KERNEL + SITE + 0x100:#x}; ld a0,(t0);" + STOP)
    assert bare.run()
    assert bare.calls[-1][2][0] == 6
