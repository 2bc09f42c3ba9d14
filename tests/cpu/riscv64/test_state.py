# SPDX-License-Identifier: GPL-2.0-only
"""Atomic operations between CPUs, floating point, saved states, and instructions of no sense."""

from __future__ import annotations

import hashlib
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from emu.cpu.arch.riscv64.state import Env
from emu.cpu.snapshot.cpus import CpuStates
from tests.cpu.riscv64.bare import (
    DATA,
    FRAME,
    HOST_CALL,
    KERNEL,
    RELAX,
    STOP,
    TIMER,
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
    pytestmark,  # noqa: F401
)

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("quantum", [1, 7, 100])
@pytest.mark.parametrize(
    "increment",
    [
        "li t0,1; amoadd.d t1,t0,(s0);",
        "2: lr.d t0,(s0); addi t0,t0,1; sc.d t1,t0,(s0); bnez t1,2b;",
        "2: lr.d t0,(s0); bltz t0,9f; addi t0,t0,1; 9: sc.d t1,t0,(s0); bnez t1,2b;",
    ],
)
def test_no_increment_is_lost_whatever_the_turns(increment: str, quantum: int) -> None:
    bare = Bare(3, quantum=quantum)
    for cpu in range(3):
        bare.start(f"li s0,{KERNEL + DATA:#x}; li s1,200; 1: {increment} addi s1,s1,-1; bnez s1,1b;" + STOP, cpu=cpu)
    assert bare.run(4000, wanted=3)
    assert bare.read(DATA) == 600


@pytest.mark.parametrize(
    ("between", "fails"),
    [("", 0), ("nop;", 0), ("csrr t5,sepc;", 0), ("j 8f; 8:", 0), ("mv s5,a0; li a7,9; li a0,0; ecall;", 0), ("c.ebreak;", 1)],
)
def test_a_trap_ends_a_reservation(between: str, fails: int) -> None:
    bare = Bare()
    bare.put(VECTOR, "csrr t4,sepc; addi t4,t4,2; csrw sepc,t4; sret")
    bare.start(f"li s0,{KERNEL + DATA:#x}; li t1,7; lr.d t0,(s0); {between} sc.d a0,t1,(s0);" + STOP)
    assert bare.run()
    assert bare.calls[-1][2][0] == fails
    assert bare.read(DATA) == (0 if fails else 7)


def test_a_store_of_another_cpu_ends_a_reservation_if_it_changes_the_value() -> None:
    """By the manual any store does. Unicorn compares values: docs/board.md says so."""
    for written, fails in ((2, 1), (0, 0)):
        bare = Bare(2, quantum=50)
        bare.start(f"li s0,{KERNEL + DATA:#x}; li t4,9; lr.d t0,(s0); li t2,1; sd t2,8(s0); 1: ld t3,16(s0);"
                   + HOST_CALL.format(RELAX) + "beqz t3,1b; sc.d a0,t4,(s0);" + STOP)  # fmt: skip
        bare.start(f"li s0,{KERNEL + DATA:#x}; 1: ld t3,8(s0);" + HOST_CALL.format(RELAX)
                   + f"beqz t3,1b; li t0,{written}; sd t0,(s0); li t0,1; sd t0,16(s0);" + STOP, cpu=1)  # fmt: skip
        assert bare.run(wanted=2)
        assert [arguments[0] for cpu, number, arguments in bare.calls if (cpu, number) == (0, 60)] == [fails]


OFF, INITIAL, CLEAN, DIRTY = range(4)


@pytest.mark.parametrize(
    ("instructions", "status", "result", "flags"),
    [
        ("nop", INITIAL, 0, 0),
        ("fmv.x.d a0,f1", INITIAL, 0, 0),
        ("li t1,5; fmv.d.x f1,t1; fmv.x.d a0,f1", DIRTY, 5, 0),
        ("li t1,1; fcvt.d.l f1,t1; fmv.d.x f2,zero; fdiv.d f1,f1,f2; fmv.x.d a0,f1", DIRTY, 0x7FF0 << 48, 8),
        ("li t1,1; fcvt.d.l f1,t1; li t1,3; fcvt.d.l f2,t1; fdiv.d f1,f1,f2; fmv.x.d a0,f1", DIRTY, 0x3FD5_5555_5555_5555, 1),
        ("fsrmi 3;li t1,1;fcvt.d.l f1,t1;li t1,3;fcvt.d.l f2,t1;fdiv.d f1,f1,f2;fmv.x.d a0,f1", DIRTY, 0x3FD5555555555556, 1),
        ("li t1,0x3ff80000; sw t1,-8(sp); flw f1,-8(sp); fmv.x.d a0,f1", DIRTY, 0xFFFF_FFFF_3FF8_0000, 0),
        ("fsrmi 3", DIRTY, 0, 0),
    ],
)
def test_floating_point(instructions: str, status: int, result: int, flags: int) -> None:
    bare = Bare()
    bare.put(VECTOR, STOP)
    bare.start(f"li a0,0; li t0,0x2000; csrs sstatus,t0; {instructions}; csrr a1,sstatus; frflags a2;" + STOP)
    assert bare.run()
    assert bare.calls[-1][2][0] == result
    assert bare.calls[-1][2][1] >> 13 & 3 == status
    assert bare.calls[-1][2][1] >> 63 == (status == DIRTY)
    assert bare.calls[-1][2][2] == flags


def interrupted_sums() -> Bare:
    """Two CPUs with timers compute with integers, floating point, its flags and atomic operations."""
    bare = Bare(2, quantum=20)
    bare.put(VECTOR, f"addi sp,sp,-64; sd t0,(sp); sd a0,16(sp); sd a7,24(sp); li t0,{KERNEL + DATA:#x}; sd a0,64(t0);"
             "rdcycle a0; addi a0,a0,97;" + HOST_CALL.format(TIMER)
             + "ld t0,(sp); ld a0,16(sp); ld a7,24(sp); addi sp,sp,64; sret")  # fmt: skip
    for cpu in (0, 1):
        bare.start("li a0,100;" + HOST_CALL.format(TIMER) + f"li t0,0x2002; csrs sstatus,t0; li s0,{KERNEL + DATA:#x};"
                   "li s1,100000; li s2,3; fcvt.d.l f1,s2; 1: mul s2,s2,s1; amoadd.d s3,s2,(s0);"
                   "fcvt.d.l f2,s3; fdiv.d f1,f2,f1; fsd f1,8(s0);"
                   "frflags s4; fsflags zero; addi s1,s1,-1; bnez s1,1b;" + STOP, cpu=cpu)  # fmt: skip
    return bare


def run_until(bare: Bare, cycles: int) -> None:
    bare.board.limit = cycles
    while bare.board.run(lambda cpu, number, arguments: None):
        pass


def digest(bare: Bare) -> str:
    states = (bytes(Env.from_address(cpu.env)) + struct.pack("<2Q", cpu.cycles, cpu.instructions) for cpu in bare.board.cpus)
    return hashlib.sha256(bytes(bare.board.ram) + b"".join(states)).hexdigest()


@pytest.mark.parametrize("at", [4990, 5000, 5037])
def test_a_saved_state_goes_on_as_it_did(at: int) -> None:
    """Registers, CSRs, floating point and its flags: flags that are pending inside Unicorn, too."""
    bare = interrupted_sums()
    run_until(bare, at)
    then, ram, record = digest(bare), bytes(bare.board.ram), bare.board.record.words.copy()
    states = [CpuStates(cpu) for cpu in bare.board.cpus]
    saved = [state.save() for state in states]
    run_until(bare, 9000)
    end = digest(bare)
    for state, one in zip(states, saved, strict=True):
        state.put_back(one)
    bare.board.ram[:], bare.board.record.words[:] = ram, record
    assert digest(bare) == then != end
    run_until(bare, 9000)
    assert digest(bare) == end
    other = interrupted_sums()
    run_until(other, 9000)
    assert digest(other) == end


# Instructions of no sense: a child executes them, because they might crash Unicorn.

OPCODES = (0x03, 0x07, 0x0F, 0x13, 0x17, 0x1B, 0x23, 0x27, 0x2F, 0x33, 0x37, 0x3B, 0x43, 0x47, 0x4B, 0x4F, 0x53, 0x57, 0x63, 0x67,
           0x6F, 0x73, 0x77, 0x7B, 0x0B, 0x2B, 0x5B, 0x6B)  # fmt: skip
VALUES = (0, 1, 0x1800, 0x2008, 0x3001, 1 << 63, (1 << 64) - 1)


def words(seed: int, count: int) -> list[int]:
    chosen, found = random.Random(seed), []
    for _ in range(count):
        word = chosen.getrandbits(32)
        if chosen.random() < 0.6:
            word = word & ~0x7F | chosen.choice(OPCODES)
        if chosen.random() < 0.2:
            word = word & ~(7 << 12) & ~(3 << 25) | chosen.randrange(8) << 12
        found.append(word)
    return found


def execute(seed: int, count: int, *, privileged: bool) -> None:
    """Executes random instructions, one step each. Each is written to descriptor 2 first."""
    bare, chosen = Bare(), random.Random(seed)
    bare.put(VECTOR, "1: j 1b")
    for page in range(1, 4):
        bare.map(page << 12, FRAME + (page << 12), V | R | W | X | A | D | (0 if privileged else U))
    bare.start("1: j 1b")
    cpu = bare.board.cpus[0]
    for _ in range(12):
        cpu.step()
    env, satp = Env.from_address(cpu.env), Env.from_address(cpu.env).satp
    for word in words(seed, count):
        os.write(2, f"{word:08x}\n".encode())
        bare.bytes(FRAME + 0x1100, struct.pack("<I", word) + b"\x02\x90" * 4)
        cpu.forget(np.array([[FRAME + 0x1100, FRAME + 0x1110]], np.uint64))
        for n in range(1, 32):
            env.gpr[n] = chosen.choice([*VALUES, chosen.getrandbits(64)])
        env.priv, env.pc, env.satp, env.stvec = int(privileged), USER + 0x100, satp, KERNEL + VECTOR
        env.mstatus = env.mstatus & ~0x100_6000 | chosen.choice([0, 0x2000, 0x6000])
        cpu.record.status = 1
        cpu.step()
        cpu.record.request = 0


@pytest.mark.parametrize("privileged", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_random_instructions_do_not_crash_unicorn(seed: int, privileged: bool) -> None:
    code = f"from tests.cpu.riscv64.test_state import execute; execute({seed}, 1500, privileged={privileged})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"the last instructions: {done.stderr[-300:]}"
    assert done.stderr.count("\n") == 1500
