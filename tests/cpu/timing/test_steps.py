# SPDX-License-Identifier: GPL-2.0-only
"""Calculated addresses: native code compared with plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.native.cpu_records import Board, Cpu
from emu.cpu.native.timing import calculate
from emu.cpu.native.timing.layout import layouts
from emu.cpu.native.timing.record import Timing
from emu.cpu.native.timing.summary_record import step_word
from emu.cpu.timing.steps import MOST_STEPS, Step, Steps, calculation
from emu.native.functions import Native, njit, shared
from emu.native.records import HOST, Values, i64, u64
from tests.cpu.timing.reference import steps as reference

_MEMORY = 3 * 4096
_FS, _GS = 16, 17  # words of the CPU's state
_NOWHERE = u64((1 << 64) - 1)


@njit
def _find(cpu: Cpu, timing: Timing, board: Board, address: u64) -> u64:
    """Virtual addresses are RAM addresses."""
    return address


_calculate = calculate.build(Native(HOST), (_FS, _GS), _find)


@shared
def _run(cpu: Cpu, timing: Timing, board: Board, steps: Values[i64], count: u64) -> u64:
    address, known = _calculate(cpu, timing, board, steps, count)
    return address if known else _NOWHERE


class _Cpu:
    """A CPU with registers, and some RAM."""

    def __init__(self) -> None:
        self.ram = np.random.default_rng(3).integers(0, 256, _MEMORY, np.uint8)
        self.env = np.zeros(18, np.uint64)
        self._board, self._cpu, self._timing = Board.allocate(), Cpu.allocate(), Timing.allocate(layouts(ZEN3))
        self._board.ram, self._board.ram_size, self._cpu.env = self.ram.ctypes.data, _MEMORY, self.env.ctypes.data

    def native(self, steps: Steps) -> int:
        words = np.array([step_word(*step) for step in steps], np.int64)
        return _run(self._cpu, self._timing, self._board, Values[i64](words.ctypes.data), len(words))

    def plain(self, steps: Steps) -> int:
        env = [int(word) for word in self.env]
        try:
            return reference.calculate(steps, env[:16], env[16:], self._load)
        except reference.NotInRam:
            return int(_NOWHERE)

    def _load(self, address: int, size: int) -> int:
        if address >= _MEMORY or address % 4096 + size > 4096:
            raise reference.NotInRam
        return int.from_bytes(self.ram[address : address + size].tobytes(), "little")


_ONE = _Cpu()
_sizes = st.sampled_from([1, 2, 4, 8])
_pushed = st.one_of(
    st.tuples(st.just(Step.REGISTER), st.integers(0, 15)),
    st.tuples(st.just(Step.CONSTANT), st.one_of(st.integers(-(1 << 55), (1 << 55) - 1), st.integers(-9, _MEMORY))),
)
_changed = st.one_of(
    st.tuples(st.sampled_from([Step.LOAD, Step.ZERO_EXTEND, Step.SIGN_EXTEND]), _sizes),
    st.tuples(st.sampled_from([Step.SHIFT_LEFT, Step.SHIFT_RIGHT, Step.SHIFT_SIGNED]), st.integers(0, 63)),
    st.tuples(st.just(Step.SEGMENT), st.integers(1, 2)),
)
_combined = st.tuples(st.sampled_from([step for step in Step if Step.ADD <= step < Step.OPERAND]), st.just(0))
_steps = st.recursive(
    _pushed.map(lambda step: (step,)),
    lambda inner: st.one_of(
        st.builds(lambda steps, step: (*steps, step), inner, _changed),
        st.builds(lambda first, second, step: (*first, *second, step), inner, inner, _combined),
    ),
    max_leaves=6,
)
_numbers = st.one_of(st.integers(0, _MEMORY), st.integers(0, (1 << 64) - 1), st.just(0))


@settings(max_examples=300, deadline=None)
@given(st.lists(_numbers, min_size=18, max_size=18), _steps)
def test_native_calculations_give_what_python_does(numbers: list[int], steps: Steps):
    _ONE.env[:] = numbers
    assert _ONE.native(steps) == _ONE.plain(steps)


def test_what_is_too_long_or_too_large_is_not_known():
    register: Steps = ((Step.REGISTER, 0),)
    long: Steps = register * MOST_STEPS
    assert calculation(register, {0: long}, None) == long
    assert calculation((*register, (Step.ZERO_EXTEND, 4)), {0: long}, None) is None
    assert calculation(register, {}, None) is None
    assert calculation(((Step.OPERAND, 8),), {}, None) is None
    assert calculation(((Step.CONSTANT, 1 << 55),), {}, None) is None
