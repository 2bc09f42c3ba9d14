# SPDX-License-Identifier: GPL-2.0-only
"""What SPARC V9's emulated instructions do to a struct pt_regs is what the CPU does."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.arch.sparc64.state import Env
from emu.ftrace.arch.sparc64_instructions import emulated, why_not
from emu.ftrace.native import array_record
from emu.ftrace.native.arch import sparc64_emulate, sparc64_registers
from emu.ftrace.native.guest_layout import GuestLayout
from emu.kernel import arch as kernel_arch
from emu.kernel.image import Image
from emu.native.record import Record
from tests.cpu.sparc64.bare import CODE, DATA, KERNEL, Bare, pytestmark  # noqa: F401
from tests.images import IMAGES

_PC = KERNEL + CODE + 0x1000
_REGS, _STACK = DATA, DATA + 0x1000  # physical
_BIAS = 2047
_WINDOWS = 8


class State:
    """Registers before an instruction: 32 by their numbers, the condition codes, and FSR."""

    def __init__(self, registers: list[int], codes: int, fsr: int, following: int) -> None:
        self.registers = [0, *registers]
        self.registers[14] = KERNEL + _STACK - _BIAS
        self.codes, self.fsr, self.following = codes, fsr, following


class Both:
    """Does an instruction in a CPU, and by emulation."""

    def __init__(self) -> None:
        self._bare = Bare()
        self._bare.start("nop; nop; nop; nop")
        cpu = self._cpu = self._bare.board.cpus[0]
        cpu.step()
        self._env = Env.from_address(cpu.env)
        image = Image(IMAGES / "sparc64/vmlinux", machine="EM_SPARCV9")
        guest = GuestLayout.of(image, kernel_arch.load("sparc64").saved_registers(image))
        self._guest, self._pt_regs = guest, image.size("pt_regs")
        self._registers = sparc64_registers.build(guest)
        self._emulate: Callable[..., None] = sparc64_emulate.build(guest, self._registers)
        self._array = Record(array_record.WORDS)
        ram = (ctypes.c_uint8 * len(self._bare.board.ram)).from_buffer(self._bare.board.ram)
        for field, value in (
            (array_record.DIRECT_START, KERNEL), (array_record.KERNEL_START, KERNEL),
            (array_record.RAM, ctypes.addressof(ram)), (array_record.RAM_SIZE, len(self._bare.board.ram)),
        ):  # fmt: skip
            self._array.set(field, value)
        self._ram = ctypes.addressof(ram)

    def close(self) -> None:
        self._bare.board.close()

    def in_cpu(self, word: int, state: State, cwp: int) -> tuple[list[int], int, int]:
        """The registers afterwards, the program counter and the next one."""
        env = self._env
        self._bare.board.write_code(_PC - KERNEL, word.to_bytes(4, "big"))
        self._bare.board.flush_page(_PC - KERNEL)
        env.cwp, env.regwptr = cwp, ctypes.addressof(env) + Env.regbase.offset + 128 * cwp
        window = (ctypes.c_uint64 * 24).from_address(env.regwptr)
        env.gregs[:], window[:] = state.registers[:8], state.registers[8:]
        env.cc_op, env.psr, env.xcc, env.fsr = 1, (state.codes & 15) << 20, state.codes >> 4 << 20, state.fsr
        env.pc, env.npc, env.tl = _PC, state.following, 0
        self._cpu.step()
        return [*env.gregs, *window], env.pc, env.npc

    def emulated(self, word: int, state: State, cwp: int, spilled: bool) -> tuple[list[int], int, int]:
        """The same as the trap's handler makes it, whose window is inside the one of the instruction."""
        env, board = self._env, self._bare.board
        env.cwp, env.canrestore = (cwp - 1) % _WINDOWS, 0 if spilled else 1
        env.regwptr = ctypes.addressof(env) + Env.regbase.offset + 128 * env.cwp
        ctypes.memset(ctypes.addressof(env) + Env.regbase.offset, 0xA5, Env.regbase.size)
        (ctypes.c_uint64 * 24).from_address(env.regwptr)[22] = state.registers[14]
        (ctypes.c_uint64 * 24).from_address(env.regwptr)[6] = KERNEL + _STACK - 0x200
        if spilled:
            board.ram[_STACK : _STACK + 128] = np.array(state.registers[16:], ">u8").tobytes()
        else:
            env.regbase[16 * cwp + 8 : 16 * cwp + 16] = state.registers[16:24]
            ins = (cwp + 1) % _WINDOWS * 16
            env.regbase[ins : ins + 8] = state.registers[24:]
        general = np.array([*state.registers[:16], state.codes << 32, _PC, state.following], ">u8").tobytes()
        board.ram[_REGS : _REGS + self._pt_regs] = general.ljust(self._pt_regs, b"\0")
        env.fsr = state.fsr
        address, array, regs = np.uint64(ctypes.addressof(env)), np.uint64(self._array.address), np.uint64(self._ram + _REGS)
        self._emulate(address, array, regs, np.uint64(word))
        image = np.zeros(36, np.uint64)
        self._registers.fill_from_trap(address, array, regs, np.uint64(image.ctypes.data))
        return image[:32].tolist(), int(image[33]), int(image[34])


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    made = Both()
    yield made
    made.close()


_number = st.integers(0, 31)
_target = _number.filter(lambda number: number != 14)  # %sp is odd
_values = st.one_of(st.sampled_from([0, 4, -4]), st.integers(-(1 << 63), (1 << 63) - 1))
_aligned = _values.map(lambda value: value & (1 << 64) - 4)
_states = st.builds(
    State, st.lists(_aligned, min_size=31, max_size=31), st.integers(0, 255),
    st.integers(0, 255).map(lambda fcc: (fcc & 3) << 10 | fcc >> 2 << 32),
    st.one_of(st.just(_PC + 4), st.just(KERNEL + CODE + 0x1800)),
)  # fmt: skip
_rest = st.integers(0, (1 << 22) - 1)
_branches = st.builds(
    lambda a, condition, kind, rest: a << 29 | condition << 25 | kind << 22 | rest,
    st.integers(0, 1), st.integers(0, 15), st.sampled_from([1, 2, 3, 5, 6]), _rest,
)  # fmt: skip
_calls = st.builds(lambda distance: 1 << 30 | distance, st.integers(0, (1 << 30) - 1))
_jumps = st.builds(
    lambda rd, rs1, rest: 2 << 30 | rd << 25 | 0x38 << 19 | rs1 << 14 | rest,
    st.integers(1, 31), _target, st.one_of(_target, st.integers(0, 0x7FF).map(lambda n: 1 << 13 | n << 2)),
)  # fmt: skip
_counters = st.builds(lambda rd: 2 << 30 | rd << 25 | 0x28 << 19 | 5 << 14, _number)
_words = st.one_of(_branches, _branches, _calls, _jumps, _counters).filter(lambda word: why_not(word) is None)


@settings(max_examples=400, deadline=None)
@given(word=_words, state=_states, cwp=st.integers(0, _WINDOWS - 1), spilled=st.booleans())
def test_emulated_instructions_do_what_the_cpu_does(both: Both, word: int, state: State, cwp: int, spilled: bool) -> None:
    assert emulated(word)
    expected = both.in_cpu(word, state, cwp)
    assert both.emulated(word, state, cwp, spilled) == expected
