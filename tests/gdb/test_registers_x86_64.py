# SPDX-License-Identifier: GPL-2.0-only
"""Registers of x86-64 that Unicorn has otherwise than gdb."""

from __future__ import annotations

from unicorn import x86_const as x86

from emu.gdb.arch.x86_64 import ARCH
from tests.lib.booted_machine import booted_machine

ONE_AND_A_HALF, MINUS_TWO = 0x3FFF_C000_0000_0000_0000, 0xC000_8000_0000_0000_0000


def test_the_registers_of_x87_are_counted_from_the_top_of_its_stack() -> None:
    with booted_machine("x86_64", cpus=1) as machine:
        cpu = machine.board.cpus[0]
        assert ARCH.write(cpu, "fstat", 6 << 11)
        assert ARCH.write(cpu, "st0", ONE_AND_A_HALF) and ARCH.write(cpu, "st3", MINUS_TWO)
        assert cpu.uc.reg_read(x86.UC_X86_REG_FP6) == (0xC000_0000_0000_0000, 0x3FFF)
        assert cpu.uc.reg_read(x86.UC_X86_REG_FP1) == (0x8000_0000_0000_0000, 0xC000)
        assert [ARCH.read(cpu, f"st{n}") for n in range(4)] == [ONE_AND_A_HALF, 0, 0, MINUS_TWO]
