# SPDX-License-Identifier: GPL-2.0-only
"""Branch predictors: native code compared with plain Python, and what they predict well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.timing import Ending
from emu.cpu.timing.composition import AS_EXPECTED, MISPREDICTED, RETURNED, TAKEN, TURNED
from tests.cpu.timing.reference.predictors import Predictors
from tests.cpu.timing.small_core import SMALL, SmallBoard, predict_block

Block = tuple[Ending, int, int]  # how it ends, before which address, and where the next one begins
STEP = 0x10  # bytes from one block to the next

_addresses = st.integers(1, 12).map(lambda n: 0x40_0000 + n * STEP)
_blocks = st.builds(
    lambda ending, end, target, falls: (ending, end, end if falls else target),
    st.sampled_from(sorted(Ending)),
    _addresses,
    _addresses,
    st.booleans(),
)


class Native:
    def __init__(self) -> None:
        self._small = SmallBoard()

    def block(self, ending: Ending, end: int, address: int) -> int:
        return predict_block(self._small.records[0], ending, end, address)

    @property
    def counts(self) -> dict[str, int]:
        return self._small.counts()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(_blocks, st.tuples(st.just(Ending.CONDITIONAL), _addresses, _addresses)), max_size=120),
    st.integers(1, 4),
)
def test_native_code_predicts_as_python_does(blocks: list[Block], times: int) -> None:
    native, python = Native(), Predictors(SMALL.predictor)
    for n, block in enumerate(blocks * times):
        assert native.block(*block) == python.block(*block), (n, block)
    assert native.counts == python.counts


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=4),
    st.integers(30, 80),
)
def test_native_code_learns_patterns_as_python_does(patterns: list[list[bool]], rounds: int) -> None:
    """Each branch repeats a pattern, so entries of the tables by history come and go."""
    native, python = Native(), Predictors(SMALL.predictor)
    for n in range(rounds):
        for branch, pattern in enumerate(patterns):
            end = 0x1000 + branch * STEP
            block = Ending.CONDITIONAL, end, end if pattern[n % len(pattern)] else end + 5 * STEP
            assert native.block(*block) == python.block(*block), (n, branch)
    assert native.counts == python.counts


# Accuracy


def outcomes(blocks: Iterable[Block]) -> list[int]:
    native = Native()
    return [native.block(*block) for block in blocks]


def calls(depth: int) -> Iterator[Block]:
    """Nested calls, and their returns."""
    for n in range(depth):
        yield Ending.CALL, 0x1000 * n + 5, 0x1000 * (n + 1)
    for n in reversed(range(depth)):
        yield Ending.RETURN, 0x1000 * (n + 1) + 1, 0x1000 * n + 5


@pytest.mark.parametrize("more", [0, 1, 2, 3])
def test_returns_are_known_as_far_as_the_stack_goes(more: int) -> None:
    """The stack is a ring: each call beyond its size costs one return, and no more."""
    depth = SMALL.predictor.return_stack + more
    assert outcomes(calls(depth))[depth:] == [RETURNED] * SMALL.predictor.return_stack + [MISPREDICTED] * more


def test_a_diverted_return_is_wrong_and_the_next_is_right() -> None:
    diverted = [(Ending.CALL, 0x1005, 0x2000), (Ending.CALL, 0x2005, 0x3000), (Ending.RETURN, 0x3001, 0x7000)]
    assert outcomes([*diverted, (Ending.RETURN, 0x7001, 0x1005)])[2:] == [MISPREDICTED, RETURNED]


def test_what_falls_through_or_traps_is_no_branch() -> None:
    assert outcomes([(Ending.FALLS, 0x10, 0x10), (Ending.TRAPS, 0x20, 0x9000)]) == [AS_EXPECTED] * 2


def test_a_jump_is_known_the_second_time() -> None:
    jump = Ending.JUMP, 0x1002, 0x2000
    assert outcomes([jump, jump, (Ending.JUMP, 0x1002, 0x3000)]) == [TURNED, TAKEN, TURNED]


@pytest.mark.parametrize(("targets", "right"), [(1, 8), (2, 4), (4, 0), (8, 0)])
def test_an_indirect_jump_is_known_by_where_it_went(targets: int, right: int) -> None:
    """As measured: of two alternating targets, one is predicted; of more, none."""
    found = outcomes((Ending.INDIRECT_JUMP, 0x1002, 0x2000 + n % targets * 0x340) for n in range(80))
    assert found[-8:].count(TAKEN) == right


def loop(times: int, rounds: int) -> Iterator[Block]:
    for _ in range(rounds):
        for n in range(times):
            yield Ending.CONDITIONAL, 0x1010, 0x1010 if n == times - 1 else 0x1000


def test_the_end_of_a_short_loop_is_learnt_and_that_of_a_long_one_is_not() -> None:
    longest = SMALL.predictor.histories[1]
    short, long = (outcomes(loop(times, 60)) for times in (longest, 5 * longest))
    assert MISPREDICTED not in short[-10 * longest :]
    assert long[-25 * longest :].count(MISPREDICTED) == 5
