# SPDX-License-Identifier: GPL-2.0-only
"""The effects of RISC-V's emulated instructions on a struct pt_regs equal those on the CPU, here Unicorn without a board."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import unicorn
from unicorn import riscv_const as riscv

from emu.ftrace.native.arch import riscv64_emulate
from emu.ftrace.native.arch.riscv64_emulate import is_emulated
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.native.functions import Native
from emu.native.records import u64
from tests.images import IMAGES

_PC, _SIZE = 0x4000_0000, 1 << 12
_WORDS = 36  # of struct pt_regs
_NUMBERS = (0, 1, 5, 1 << 31, 1 << 63, (1 << 63) - 1, (1 << 64) - 1)


class Both:
    """Executes an instruction on a CPU, and by emulation. Registers are the program counter, and then x1 and so on."""

    def __init__(self) -> None:
        self._uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
        self._uc.mem_map(_PC, _SIZE)
        image = read_image(IMAGES / "riscv64/vmlinux", machine="EM_RISCV")
        guest = Guest.of(image, kernel_arch.load("riscv64").saved_registers(image))
        emulate = riscv64_emulate.build(guest.layouts)

        @Native(guest.layouts).shared
        def emulated(regs: PtRegs, word: u64) -> None:
            emulate(regs, word)

        self._emulate = emulated

    def in_cpu(self, word: int, registers: list[int]) -> list[int]:
        self._uc.mem_write(_PC, word.to_bytes(4, "little"))
        self._uc.ctl_remove_cache(_PC, _PC + 4)
        for number, value in enumerate(registers[1:], 1):
            self._uc.reg_write(riscv.UC_RISCV_REG_X0 + number, value)
        try:
            self._uc.emu_start(_PC, 0, count=1)
        except unicorn.UcError as error:  # of the next instruction
            assert error.errno == unicorn.UC_ERR_FETCH_UNMAPPED
        return [self._uc.reg_read(riscv.UC_RISCV_REG_PC), *(self._uc.reg_read(riscv.UC_RISCV_REG_X0 + n) for n in range(1, 32))]

    def emulated(self, word: int, registers: list[int]) -> list[int]:
        saved = np.array([*registers, *[0] * (_WORDS - 32)], np.uint64)
        self._emulate(PtRegs(saved.ctypes.data), word)
        return [int(value) for value in saved[:32]]


@pytest.fixture(scope="module")
def both() -> Both:
    return Both()


def _registers(rng: random.Random) -> list[int]:
    return [_PC, *(rng.choice([rng.choice(_NUMBERS), rng.getrandbits(64)]) for _ in range(31))]


def _long(rng: random.Random) -> Iterator[int]:
    for rd in range(32):
        for opcode in (0x17, 0x6F):
            yield opcode | rd << 7 | rng.getrandbits(20) << 12
        for rs1 in (0, rd, rng.randrange(32)):
            yield 0x67 | rd << 7 | rs1 << 15 | rng.getrandbits(12) << 20
    for condition, rs1 in itertools.product((0, 1, 4, 5, 6, 7), range(0, 32, 3)):
        for rs2 in (rs1, rng.randrange(32), rng.randrange(32)):
            yield 0x63 | condition << 12 | rs1 << 15 | rs2 << 20 | rng.getrandbits(7) << 25 | rng.getrandbits(5) << 7


def _short(rng: random.Random) -> Iterator[int]:
    for bits in range(0, 1 << 11, 9):
        yield 0xA001 | bits << 2
        if bits % 2 == 0:
            yield 0xC001 | bits << 2
            yield 0xE001 | bits << 2
    for rs1 in range(1, 32):
        yield 0x8002 | rs1 << 7
        yield 0x9002 | rs1 << 7


@pytest.mark.parametrize("instructions", [_long, _short])
def test_emulated_instructions_do_what_the_cpu_does(both: Both, instructions: Callable[[random.Random], Iterator[int]]) -> None:
    rng = random.Random(0)
    for word in instructions(rng):
        assert is_emulated(word), hex(word)
        registers = _registers(rng)
        if word & 0x7F == 0x67 or word & 0xE003 == 0x8002:  # to a place in memory that Unicorn can show
            registers = [_PC, *(_PC + (rng.getrandbits(8) & ~1) for _ in range(31))]
        expected = both.in_cpu(word, registers)
        assert both.emulated(word, registers) == expected, (hex(word), registers)
