# SPDX-License-Identifier: GPL-2.0-only
"""Traps reach the guest's vector with the manual's cause, address and status; what no CPU can take ends the machine."""

from __future__ import annotations

import pytest

from emu.cpu.cpu import CpuFault
from tests.cpu.riscv64.bare import (
    CODE,
    DATA,
    FRAME,
    HOST_CALL,
    KERNEL,
    MEMORY,
    RELAX,
    SAVE,
    STOP,
    USER,
    VECTOR,
    A,
    Bare,
    D,
    R,
    U,
    V,
    W,
    X,
    assemble,
    pytestmark,  # noqa: F401
)

FAR = KERNEL + (5 << 30)  # not mapped
ILLEGAL, BREAKPOINT, LOAD_MISALIGNED, STORE_MISALIGNED, USER_CALL, FETCH, LOAD, STORE = 2, 3, 4, 6, 8, 12, 13, 15
SUM, SDT, SPP, SPIE, SIE = 1 << 18, 1 << 24, 1 << 8, 1 << 5, 1 << 1


@pytest.mark.parametrize(
    ("before", "instruction", "cause", "value"),
    [
        ("", ".option norvc; ebreak", BREAKPOINT, 0),
        ("", "c.ebreak", BREAKPOINT, 0),
        ("", ".4byte 0x0000007f", ILLEGAL, 0),
        ("", ".2byte 0", ILLEGAL, 0),
        ("", "csrr a0,mstatus", ILLEGAL, 0),
        ("", "csrw cycle,a0", ILLEGAL, 0),
        ("", "mret", ILLEGAL, 0),
        ("", "fadd.d f0,f0,f0", ILLEGAL, 0),  # FS is off
        (f"li a0,{FAR:#x}", "ld a1,(a0)", LOAD, FAR),
        (f"li a0,{FAR:#x}", "sd a1,(a0)", STORE, FAR),
        ("li a0,0x0123456789abcdef", "lb a1,(a0)", LOAD, 0x0123456789ABCDEF),
        (f"li a0,{FAR:#x}", "amoadd.d a1,a1,(a0)", STORE, FAR),
        (f"li a0,{FAR:#x}", "amoswap.w.aqrl a1,a1,(a0)", STORE, FAR),
        (f"li a0,{FAR:#x}", "lr.d a1,(a0)", LOAD, FAR),
        (f"li a0,{KERNEL + DATA + 1:#x}", "amoadd.w a1,a1,(a0)", STORE_MISALIGNED, KERNEL + DATA + 1),
        (f"li a0,{KERNEL + DATA + 4:#x}", "lr.d a1,(a0)", LOAD_MISALIGNED, KERNEL + DATA + 4),
    ],
)
def test_an_exception_of_the_kernel(before: str, instruction: str, cause: int, value: int) -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.start(f"csrsi sstatus,2; {before}; la s0,9f; 9: {instruction}; j 9b")
    assert bare.run()
    assert bare.trapped() == [cause, bare.registers()["s0"], value]
    assert bare.read(DATA + 24) & (SPP | SPIE | SIE) == SPP | SPIE


def test_a_jump_to_nowhere_is_a_fault_there() -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.start(f"li a0,{FAR:#x}; jr a0")
    assert bare.run()
    assert bare.trapped() == [FETCH, FAR, FAR]


def test_plain_accesses_may_be_misaligned() -> None:
    bare = Bare()
    bare.word(DATA, 0x1122334455667788)
    bare.word(DATA + 8, 0x99)
    bare.start(f"li a1,{KERNEL + DATA + 1:#x}; ld a0,(a1); sd a0,15(a1);" + STOP)
    assert bare.run()
    assert bare.calls[-1][2][0] == bare.read(DATA + 16) == 0x9911223344556677


@pytest.mark.parametrize(
    ("program", "cause", "offset", "value"),
    [
        ("li a0,7; ecall", USER_CALL, 2, 0),
        ("c.ebreak", BREAKPOINT, 0, 0),
        ("csrr a0,sstatus", ILLEGAL, 0, 0),
        ("csrw sie,zero", ILLEGAL, 0, 0),
        ("sret", ILLEGAL, 0, 0),
        ("wfi", ILLEGAL, 0, 0),
        ("sfence.vma", ILLEGAL, 0, 0),
        ("rdcycle a0", ILLEGAL, 0, 0),  # scounteren is 0
        (f"li a0,{KERNEL:#x}; ld a1,(a0)", LOAD, 6, KERNEL),
        ("li a0,0x1000; sd a1,(a0)", STORE, 2, 0x1000),  # read-only
        ("li a0,0x1000; amoadd.d a1,a1,(a0)", STORE, 2, 0x1000),
        ("li a0,0x2000; jr a0", FETCH, 0x1000, 0x2000),  # not executable
        ("lui a0,7; ld a1,(a0)", LOAD, 2, 0x7000),
        ("lui a0,7; amoadd.d a1,a1,(a0)", STORE, 2, 0x7000),
    ],
)
def test_an_exception_of_a_program(program: str, cause: int, offset: int, value: int) -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.start_program(program)
    assert bare.run()
    assert bare.trapped() == [cause, USER + offset, value]
    assert bare.read(DATA + 24) & SPP == 0


def test_a_trap_sets_sdt_and_sret_clears_it() -> None:
    """Ssdbltrp: with SDT set, SIE is clear, and another trap is fatal; sret clears SDT for the code to which it returns."""
    bare = Bare()
    bare.put(VECTOR, "csrr s1,sstatus; csrsi sstatus,2; csrr s2,sstatus; csrr t1,sepc; addi t1,t1,2; csrw sepc,t1; sret")
    bare.start("csrr s0,sstatus; csrsi sstatus,2; c.ebreak; csrr s3,sstatus; li t0,0x1000000; csrs sstatus,t0; csrr s4,sstatus;"
               "csrc sstatus,t0; csrsi sstatus,2; csrr s5,sstatus;" + STOP)  # fmt: skip
    assert bare.run()
    seen = [bare.registers()[f"s{n}"] & (SDT | SIE) for n in range(6)]
    assert seen == [0, SDT, SDT, SIE, SDT, SIE]


@pytest.mark.parametrize("handler", ["c.ebreak", "csrr t0,sepc; ld t1,(zero)"])
def test_a_trap_in_entry_code_ends_the_machine(handler: str) -> None:
    bare = Bare()
    bare.put(VECTOR, handler)
    bare.start("c.ebreak; nop")
    with pytest.raises(CpuFault):
        bare.run()
    assert bare.registers()["scause"] == BREAKPOINT
    assert bare.registers()["sepc"] == KERNEL + CODE + bare.board.ram[CODE : CODE + 64].tobytes().index(b"\x02\x90")


def test_a_trap_behind_entry_code_is_an_ordinary_one() -> None:
    bare = Bare()
    bare.put(VECTOR, "csrr s1,sepc; li t0,0x1000000; csrc sstatus,t0; beqz s0,1f;" + SAVE + STOP + "1: li s0,1; c.ebreak")
    bare.start("li s0,0; c.ebreak")
    assert bare.run()
    cause, address, _ = bare.trapped()
    assert cause == BREAKPOINT
    assert KERNEL + VECTOR < address < KERNEL + VECTOR + 0x100


@pytest.mark.parametrize("vector", [0x123000, KERNEL + (64 << 20)])
def test_a_missing_vector_ends_the_machine(vector: int) -> None:
    """Otherwise the CPU would trap for ever: without a block, no time passes."""
    bare = Bare()
    bare.put(CODE, f"li t0,{vector:#x}; csrw stvec,t0; c.ebreak")
    bare.board.cpus[0].start(KERNEL + CODE, 0, 0)
    with pytest.raises(CpuFault):
        bare.run()


@pytest.mark.parametrize("instruction", ["ld a1,(a0)", "sd a1,(a0)", "jr a0"])
def test_what_is_beyond_ram_ends_the_machine(instruction: str) -> None:
    bare = Bare()
    bare.put(VECTOR, STOP)
    bare.start(f"li a0,{KERNEL + MEMORY:#x}; {instruction}")
    with pytest.raises(CpuFault):
        bare.run()


def program_across_pages(code: str, at: int, *, mapped: bool) -> Bare:
    """A program that begins at `at` in its page and leads into the next one, which is elsewhere in RAM."""
    bare = Bare()
    bare.put(VECTOR, SAVE + "mv a1,s5;" + STOP)
    bare.start_program("nop")
    body, size = assemble(code), 0x1000 - at
    bare.bytes(FRAME + at, body[:size])
    bare.bytes(FRAME + 0x9000, body[size:])
    bare.map(USER + 0x1000, FRAME + 0x9000, V | R | X | U | A if mapped else 0)
    bare.start(f"li s5,0; li a0,0; li t0,{USER + at:#x}; csrw sepc,t0; li t0,0x100; csrc sstatus,t0; sret")
    return bare


ACROSS = "{} .option norvc; addi a0,x0,1234; .option rvc; c.ebreak"


@pytest.mark.parametrize("before", [0, 1, 2, 700])
def test_an_instruction_across_two_pages(before: int) -> None:
    bare = program_across_pages(ACROSS.format("c.addi s5,1;" * before), 0xFFE - 2 * before, mapped=True)
    assert bare.run()
    assert bare.trapped() == [BREAKPOINT, USER + 0x1002, 0]
    assert bare.calls[-1][2][:2] == [1234, before]


@pytest.mark.parametrize("before", [0, 1, 2, 3, 300, 700])
def test_an_instruction_whose_second_page_is_missing_faults_there_and_those_before_it_are_executed(before: int) -> None:
    """sepc is the instruction's address, and stval the one that is not mapped."""
    words = "c.addi s5,1; addi s6,s6,1000;" if before == 3 else "c.addi s5,1;" * before
    bare = program_across_pages(ACROSS.format(words), 0xFFE - (6 if before == 3 else 2 * before), mapped=False)
    assert bare.run()
    assert bare.trapped() == [FETCH, USER + 0xFFE, USER + 0x1000]
    assert bare.calls[-1][2][:2] == [0, 1 if before == 3 else before]
    cpu = bare.board.cpus[0]
    assert cpu.instructions < before + 60


def test_stepping_through_such_a_fault() -> None:
    bare = program_across_pages(ACROSS.format("c.addi s5,1; c.addi s5,1;"), 0xFFA, mapped=False)
    cpu, counts = bare.board.cpus[0], []
    for _ in range(60):
        if cpu.in_user_mode:
            counts.append((cpu.pc, bare.registers()["s5"]))
        cpu.step()
        if cpu.record.request:
            break
    assert counts == [(USER + 0xFFA, 0), (USER + 0xFFC, 1)]  # the fetch of the third instruction faults within the second step
    assert bare.registers()["s5"] == 2
    assert bare.trapped() == [FETCH, USER + 0xFFE, USER + 0x1000]


def test_compressed_code_runs_to_the_end_of_a_page_and_on() -> None:
    bare = program_across_pages("c.addi s5,1;" * 2048 + "c.addi s5,2; c.addi s5,2; c.ebreak", 0, mapped=True)
    assert bare.run()
    assert bare.calls[-1][2][1] == 2048 + 4
    assert bare.trapped()[1] == USER + 0x1004


def test_a_jump_into_an_instruction_finds_another() -> None:
    bare = Bare()
    bare.start("j 1f+2; 1: .2byte 0x0537; .2byte 0x4515; c.li a1,3;" + STOP)
    assert bare.run()
    assert bare.calls[-1][2][:2] == [5, 3]


def test_a_program_makes_no_host_calls() -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.start_program(HOST_CALL.format(RELAX) + HOST_CALL.format(33))
    assert bare.run()
    assert [number for _, number, _ in bare.calls] == [60]
    assert bare.trapped()[0] == USER_CALL


def test_the_mmu_sets_accessed_and_dirty_bits() -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.start_program("lui a0,3; ld a1,(a0); lui a0,4; sd a1,(a0); c.ebreak")
    for page in (3, 4):
        bare.map(page << 12, FRAME + (page << 12), V | R | W | U)
    assert bare.run()
    bits = [bare.read(0xA000 + 8 * page) & 0xFF for page in (3, 4)]
    assert bits == [V | R | W | U | A, V | R | W | U | A | D]


@pytest.mark.parametrize(("bits", "instruction", "cause"), [
    (V | R | U | A, "ld a1,(a0)", LOAD), (V | R | W | U | A | D, "sd a1,(a0)", STORE), (V | X | A, "ld a1,(a0)", LOAD),
    (V | W | A, "ld a1,(a0)", LOAD), (V | R | X | U | A, "jr a0", FETCH),
])  # fmt: skip
def test_what_the_kernel_may_not_access(bits: int, instruction: str, cause: int) -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.map(0x3000, FRAME, bits)
    bare.start(f"lui a0,3; {instruction}")
    assert bare.run()
    assert (bare.trapped()[0], bare.trapped()[2]) == (cause, 0x3000)


def test_sum_and_mxr_allow_it_while_they_are_set() -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.word(FRAME, 0x111)
    bare.map(0x3000, FRAME, V | R | U | A)
    bare.map(0x4000, FRAME, V | X | A)
    bare.start("li t0,0xc0000; csrs sstatus,t0; lui s0,3; lui s1,4; ld s2,(s0); ld s3,(s1); csrc sstatus,t0; ld s4,(s0)")
    assert bare.run()
    assert [bare.registers()[name] for name in ("s2", "s3", "s4")] == [0x111, 0x111, 0]
    assert bare.trapped()[0] == LOAD


def test_pages_of_three_sizes() -> None:
    bare = Bare()
    bare.word(DATA, 0x777)
    bare.map(0x3000, DATA, V | R | A)
    bare.word(0x9000 + 8, V | R | A)  # 2 MiB at 2 MiB
    bare.word(0x8000 + 8, V | R | A)  # 1 GiB at 1 GiB
    bare.start(f"lui a0,3; ld s0,(a0); li a0,{(2 << 20) + DATA}; ld s1,(a0); li a0,{(1 << 30) + DATA}; ld s2,(a0);" + STOP)
    assert bare.run()
    assert [bare.registers()[f"s{n}"] for n in range(3)] == [0x777] * 3
    cpu = bare.board.cpus[0]
    for address in (0x3000, (2 << 20) + DATA, (1 << 30) + DATA, KERNEL + DATA):
        assert cpu.translate(address) == DATA
    for address in (0x5000, 3 << 30, 1 << 38, KERNEL - 8):
        assert cpu.translate(address) is None


def test_the_tlb_forgets_at_sfence_vma_and_with_another_address_space() -> None:
    """satp with another table and the same ASID may still show the old one: the manual allows that."""
    bare = Bare()
    for n, value in enumerate((0x111, 0x222)):
        bare.word(FRAME + 0x1000 * n, value)
    bare.map(0x3000, FRAME, V | R | A)
    bare.start(f"lui s0,3; ld s1,(s0); li t0,{KERNEL + 0xA018:#x}; li t1,{(FRAME + 0x1000) >> 12 << 10 | V | R | A}; sd t1,(t0);"
               "sfence.vma s0; ld s2,(s0); csrr t2,satp; li t3,1<<44; or t2,t2,t3;"
               f"li t1,{FRAME >> 12 << 10 | V | R | A}; sd t1,(t0); csrw satp,t2; ld s3,(s0);" + STOP)  # fmt: skip
    assert bare.run()
    assert [bare.registers()[f"s{n}"] for n in (1, 2, 3)] == [0x111, 0x222, 0x111]
