# SPDX-License-Identifier: GPL-2.0-only
"""The effects of SPARC V9's emulated instructions on a struct pt_regs equal those on the CPU."""

from __future__ import annotations

import ctypes
import itertools
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from emu.cpu.arch.sparc64.state import Env
from emu.ftrace.native.arch import sparc64_emulate, sparc64_registers, sparc64_windows
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.native.functions import Native
from emu.native.records import Values, Words, u64
from tests.cpu.sparc64.bare import CODE, DATA, KERNEL, MEMORY, Bare, pytestmark  # noqa: F401
from tests.images import IMAGES

_PC = KERNEL + MEMORY // 2  # no branch leaves the memory
_REGS, _STACK = DATA, DATA + 0x1000  # physical
_BIAS = 2047
_WINDOWS = 8


class State:
    """Registers before an instruction: 32 by number, the condition codes, and FSR."""

    def __init__(self, registers: list[int], codes: int, fsr: int, following: int) -> None:
        self.registers = [0, *registers]
        self.registers[14] = KERNEL + _STACK - _BIAS
        self.codes, self.fsr, self.following = codes, fsr, following


_Emulate = Callable[[sparc64_windows.Env, TraceArray, PtRegs, int, Values[u64]], None]


def _compiled(guest: Guest) -> _Emulate:
    """Emulates an instruction, and then stores what probes see."""
    here = guest.layouts.extended(sparc64_windows.SHAPES)
    registers = sparc64_registers.build(here)
    emulate, fill = sparc64_emulate.build(here, registers), registers.fill_from_trap

    @Native(here).shared
    def emulated(env: sparc64_windows.Env, array: TraceArray, regs: PtRegs, word: u64, image: Values[u64]) -> None:
        emulate(env, array, regs, word)
        fill(env, array, regs, image)

    return emulated


class Both:
    """Executes an instruction on a CPU, and by emulation."""

    def __init__(self) -> None:
        self._bare = Bare()
        self._bare.start("nop; nop; nop; nop")
        cpu = self._cpu = self._bare.board.cpus[0]
        cpu.step()
        self._env = Env.from_address(cpu.env)
        image = read_image(IMAGES / "sparc64/vmlinux", machine="EM_SPARCV9")
        guest = Guest.of(image, kernel_arch.load("sparc64").saved_registers(image))
        self._guest, self._pt_regs = guest, image.size("pt_regs")
        self._emulate = _compiled(guest)
        self._array = TraceArray.allocate()
        ram = (ctypes.c_uint8 * len(self._bare.board.ram)).from_buffer(self._bare.board.ram)
        self._array.direct_start = self._array.kernel_start = KERNEL
        self._array.ram, self._array.ram_size = ctypes.addressof(ram), len(self._bare.board.ram)
        self._ram = ctypes.addressof(ram)

    def close(self) -> None:
        self._bare.board.close()

    def in_cpu(self, word: int, state: State, cwp: int) -> tuple[list[int], int, int]:
        """The registers afterwards, the program counter and the next program counter."""
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
        """The same by the trap's handler, whose window is one below that of the instruction."""
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
        image = np.zeros(36, np.uint64)
        regs = PtRegs(self._ram + _REGS)
        self._emulate(sparc64_windows.Env(ctypes.addressof(env)), self._array, regs, word, Words(image.ctypes.data))
        return image[:32].tolist(), int(image[33]), int(image[34])


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    made = Both()
    yield made
    made.close()


_BPCC, _BICC, _BPR, _FBPFCC, _FBFCC = 1, 2, 3, 5, 6
_JMPL, _RD, _PC_REGISTER = 0x38, 0x28, 5
_TARGETS = [number for number in range(32) if number != 14]  # of jumps: %sp is odd


def _state(rng: random.Random, codes: int = 0, fcc: int = 0, **registers: int) -> State:
    values = [rng.getrandbits(64) & ~3 for _ in range(31)]
    for name, value in registers.items():
        values[int(name.removeprefix("r")) - 1] = value
    return State(values, codes, (fcc & 3) << 10 | fcc >> 2 << 32, rng.choice([_PC + 4, KERNEL + CODE]))


def _branches(rng: random.Random) -> Iterator[tuple[int, State]]:
    """Every condition, for all values on which it depends, with and without the annul bit."""
    for annul, condition in itertools.product(range(2), range(16)):
        word = annul << 29 | condition << 25
        for codes in range(16):
            yield word | _BICC << 22 | rng.getrandbits(22), _state(rng, codes | rng.getrandbits(4) << 4)
            yield word | _BPCC << 22 | rng.getrandbits(20), _state(rng, codes | rng.getrandbits(4) << 4)
            yield word | _BPCC << 22 | 2 << 20 | rng.getrandbits(20), _state(rng, codes << 4 | rng.getrandbits(4))
        for fcc in range(4):
            yield word | _FBFCC << 22 | rng.getrandbits(22), _state(rng, fcc=fcc | rng.getrandbits(6) << 2)
            for n in range(4):
                others = rng.getrandbits(8) & ~(3 << 2 * n)
                yield word | _FBPFCC << 22 | n << 20 | rng.getrandbits(20), _state(rng, fcc=fcc << 2 * n | others)
        if condition in (1, 2, 3, 5, 6, 7):
            for number, value in itertools.product((1, 9, 17, 25), (0, 1, 1 << 63, (1 << 64) - 1)):
                rest = rng.getrandbits(22) & ~(31 << 14) | number << 14
                yield word | _BPR << 22 | rest, _state(rng, **{f"r{number}": value})


def _others(rng: random.Random) -> Iterator[tuple[int, State]]:
    for number in range(32):
        yield 1 << 30 | rng.getrandbits(30), _state(rng)
        yield 2 << 30 | number << 25 | _RD << 19 | _PC_REGISTER << 14, _state(rng)
        if number:
            jump = 2 << 30 | number << 25 | _JMPL << 19
            yield jump | rng.choice(_TARGETS) << 14 | rng.choice(_TARGETS), _state(rng)
            yield jump | rng.choice(_TARGETS) << 14 | 1 << 13 | rng.getrandbits(11) << 2, _state(rng)


@pytest.mark.parametrize("instructions", [_branches, _others])
def test_emulated_instructions_do_what_the_cpu_does(
    both: Both, instructions: Callable[[random.Random], Iterator[tuple[int, State]]]
) -> None:
    rng = random.Random(0)
    for word, state in instructions(rng):
        cwp, spilled = rng.randrange(_WINDOWS), rng.random() < 0.5
        expected = both.in_cpu(word, state, cwp)
        assert both.emulated(word, state, cwp, spilled) == expected, (hex(word), vars(state), cwp, spilled)
