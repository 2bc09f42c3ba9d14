# SPDX-License-Identifier: GPL-2.0-only
"""The state of a RISC-V CPU in Unicorn, as far as native code accesses it."""

from __future__ import annotations

from emu.cpu.arch.riscv64 import state
from emu.cpu.internals import CpuStructures
from emu.cpu.native.cpu_records import shapes
from emu.native.records import GuestRecord, Layouts, Record, Shape, u64

__all__ = ["Env", "Registers", "env_shape", "layouts"]


class Registers(Record):
    """The integer registers by their names in the psABI, at the start of the state."""

    zero: u64
    ra: u64
    sp: u64
    gp: u64
    tp: u64
    t0: u64
    t1: u64
    t2: u64
    s0: u64
    s1: u64
    a0: u64
    a1: u64
    a2: u64
    a3: u64
    a4: u64
    a5: u64
    a6: u64
    a7: u64
    s2: u64
    s3: u64
    s4: u64
    s5: u64
    s6: u64
    s7: u64
    s8: u64
    s9: u64
    s10: u64
    s11: u64
    t3: u64
    t4: u64
    t5: u64
    t6: u64


assert tuple(Registers.__annotations__) == state.REGISTERS


class Env(GuestRecord):
    """CPURISCVState: other members of `state.Env`, at the same offsets."""

    pc: u64
    load_res: u64
    badaddr: u64
    priv: u64
    mstatus: u64
    mie: u64
    mideleg: u64
    scounteren: u64


def layouts(at: CpuStructures) -> Layouts:
    """The layouts of this and of Unicorn's other structures."""
    return Layouts(shapes(at) | {Env: env_shape()})


def env_shape() -> Shape:
    """The layout of `Env`."""
    return Shape({name: getattr(state.Env, name).offset for name in Env.__annotations__})
