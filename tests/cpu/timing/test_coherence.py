# SPDX-License-Identifier: GPL-2.0-only
"""Coherent caches: native code compared with plain Python, and invariants after every access."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.timing.core import Cache
from tests.cpu.timing.reference.caches import Coherent, Sets, State
from tests.cpu.timing.small_core import LINES, SMALL, SmallBoard, access, fetch, lose

CORE = SMALL.caches
READ, WRITE, FETCH, LOSE, PASS = range(5)
Step = tuple[int, int, int]  # what, which CPU, which line; or how much time passes

# Few lines, which share few sets; some are far from them, and some are adjacent.
_lines = st.one_of(st.integers(0, 11), st.integers(0, 11).map(lambda n: n * 8), st.integers(0, LINES - 1))
_steps = st.one_of(
    st.tuples(st.sampled_from([READ, READ, READ, WRITE, WRITE, FETCH, FETCH, LOSE]), st.integers(0, 7), _lines),
    st.tuples(st.just(PASS), st.just(0), st.integers(0, 4)),
)


class Contents(NamedTuple):
    """The contents of a CPU's caches: in each set the lines with their states, the most recently used first."""

    l1i: list[list[tuple[int, State]]]
    l1d: list[list[tuple[int, State]]]
    l2: list[list[tuple[int, State]]]


class Native:
    """The caches of native code in the form of the reference."""

    def __init__(self, cpus: int) -> None:
        self.small = SmallBoard(cpus)

    def step(self, what: int, index: int, line: int) -> int:
        cpu, board = self.small.cpus[index], self.small.board
        if what == PASS:
            for one in self.small.cpus:
                one.cycles += line << 16
            return 0
        if what == LOSE:
            lose(board, line)
            return 0
        return fetch(cpu, board, line) if what == FETCH else access(cpu, board, line, what == WRITE)

    def _sets(self, name: str, shape: Cache, index: int) -> list[list[tuple[int, State]]]:
        words = self.small.words(name, index)
        sets = [words[n : n + shape.ways] for n in range(0, len(words), shape.ways)]
        for entries in sets:
            used = sum(entry != 0 for entry in entries)
            assert all(entries[:used]), "what is free is behind the others"
        return [[(entry >> 2, State(entry & 3)) for entry in entries if entry] for entries in sets]

    def contents(self, index: int) -> Contents:
        return Contents(*(self._sets(*one, index) for one in (("l1i", CORE.l1i), ("l1d", CORE.l1d), ("l2", CORE.l2))))

    def llc(self) -> list[list[tuple[int, int]]]:
        """In each set, the lines and when they were used."""
        words = self.small.words("llc")
        sets = [words[n : n + CORE.llc.ways] for n in range(0, len(words), CORE.llc.ways)]
        return [[((entry & 0xFFFF_FFFF) >> 2, entry >> 32) for entry in entries if entry] for entries in sets]

    def directory(self) -> tuple[dict[int, set[int]], dict[int, int]]:
        """By line, the CPUs that have it, and the one that may write it."""
        sharers, owners = {}, {}
        for line in range(LINES):
            entry = self.small.shared.directory[line]
            if entry.sharers:
                sharers[line] = {cpu for cpu in range(8) if entry.sharers >> cpu & 1}
            if entry.owner:
                owners[line] = entry.owner - 1
        return sharers, owners


def _newest_first(sets: Sets) -> list[list[tuple[int, State]]]:
    return [list(reversed(lines.items())) for lines in sets.sets]


def step(coherent: Coherent, what: int, index: int, line: int) -> int:
    if what == PASS:
        coherent.now += line
        return 0
    if what == LOSE:
        coherent.lose(line)
        return 0
    return coherent.fetch(index, line) if what == FETCH else coherent.access(index, line, what == WRITE)


def check(native: Native, cpus: int, what: int, line: int) -> None:
    """Checks the invariants that hold after every access.

    Raises:
        AssertionError: one does not hold.
    """
    contents = [native.contents(index) for index in range(cpus)]
    data, code, second = (
        [dict(pair for one in getattr(found, name) for pair in one) for found in contents] for name in ("l1d", "l1i", "l2")
    )
    sharers, owners = native.directory()
    for index in range(cpus):
        assert data[index].keys() | code[index].keys() <= second[index].keys(), "the L2 holds what the L1s hold"
        assert second[index].keys() == {line for line, who in sharers.items() if index in who}, "the directory knows who has it"
        for own, state in data[index].items():
            assert (owners.get(own) == index) == (state is not State.SHARED), "who may write silently is the owner"
            if state is not State.SHARED:
                assert sharers[own] == {index}, "who may write silently is the only one that has it"
                assert own not in code[index], "who writes an instruction has to say so"
    for own, index in owners.items():
        assert sharers[own] == {index}, "an owner is alone"
    if what == WRITE:
        assert all(line not in one for one in code), "what was written is in no cache for instructions"
    if what == LOSE:
        assert line not in sharers


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 8), st.lists(_steps, max_size=80))
def test_native_code_caches_as_python_does(cpus: int, steps: list[Step]) -> None:
    native, python = Native(cpus), Coherent(CORE, cpus)
    for n, (what, index, line) in enumerate(steps):
        index %= cpus
        assert native.step(what, index, line) == step(python, what, index, line), n
        check(native, cpus, what, line)
    sharers, owners = native.directory()
    assert sharers == {line: who for line in range(LINES) if (who := python.sharers(line))}
    assert owners == python.owners
    assert native.llc() == [[(line, python.used[line]) for line, _ in lines] for lines in _newest_first(python.llc)]
    for index, cpu in enumerate(python.cpus):
        assert native.contents(index) == Contents(*map(_newest_first, (cpu.l1i, cpu.l1d, cpu.l2)))
        assert native.small.counts(index) == cpu.counts


# Costs


def latencies(steps: list[Step], cpus: int = 2) -> list[int]:
    native = Native(cpus)
    return [native.step(*one) for one in steps]


def test_a_line_comes_from_where_it_is() -> None:
    """Lines of one set evict each other from the L1, then from the L2, then from the last level."""

    def again(others: int) -> int:
        lines = [64 * n for n in range(others + 1)]  # far apart: nothing is prefetched
        return latencies([(READ, 0, line) for line in [*lines, 0]])[-1]

    by_others = [again(others) for others in range(CORE.llc.ways + 1)]
    sizes = CORE.l1d.ways, CORE.l2.ways, CORE.llc.ways
    assert by_others == [0] * sizes[0] + [CORE.l2_hit] * (sizes[1] - sizes[0]) + [CORE.llc_hit] * (sizes[2] - sizes[1]) + [
        CORE.memory
    ]


def test_the_last_level_keeps_what_is_used() -> None:
    """Others that share it with the machine evict lines that are not used."""
    kept = CORE.llc_kept >> 16
    far = [(READ, 0, 64 * n) for n in range(1, CORE.l2.ways + 1)]  # they evict line 0 from the L2
    assert latencies([(READ, 0, 0), *far, (PASS, 0, kept), (READ, 0, 0)])[-1] == CORE.llc_hit
    assert latencies([(READ, 0, 0), *far, (PASS, 0, kept + 1), (READ, 0, 0)])[-1] == CORE.memory


def test_a_line_that_another_cpu_has_written_is_transferred() -> None:
    assert latencies([(WRITE, 0, 5), (READ, 1, 5), (READ, 1, 5)])[1:] == [CORE.transfer, 0]
    assert latencies([(WRITE, 0, 5), (WRITE, 1, 5), (WRITE, 0, 5)])[1:] == [CORE.transfer] * 2


def test_a_line_that_others_share_is_upgraded_once() -> None:
    shared = [(WRITE, 0, 5), (READ, 1, 5)]
    assert latencies([*shared, (WRITE, 1, 5), (WRITE, 1, 5)])[2:] == [CORE.upgrade, 0]


def test_a_line_that_nobody_shares_is_written_for_nothing() -> None:
    assert latencies([(READ, 0, 5), (WRITE, 0, 5)])[1] == 0


@pytest.mark.parametrize("writer", [0, 1], ids=["the same CPU", "another CPU"])
def test_written_code_is_fetched_again(writer: int) -> None:
    found = latencies([(FETCH, 0, 5), (FETCH, 0, 5), (WRITE, writer, 5), (FETCH, 0, 5)])
    assert found[1] == 0
    assert found[3] == (CORE.l2_hit if writer == 0 else CORE.transfer)


def test_lines_in_order_are_prefetched_within_a_page() -> None:
    page = 64
    up, down = [(READ, 0, line) for line in range(8)], [(READ, 0, line) for line in reversed(range(page, page + 8))]
    for steps in (up, down):
        assert latencies(steps) == [CORE.memory] + [CORE.l2_hit] * 7
    assert latencies([(READ, 0, page - 1), (READ, 0, page)]) == [CORE.memory] * 2
    assert latencies([(READ, 0, 0), (READ, 0, 2)]) == [CORE.memory] * 2


def test_a_transfer_ends_the_turn_and_shortens_those_that_follow() -> None:
    native = Native(2)
    cpu, board = native.small.cpus[1], native.small.board
    cpu.turn_end = cpu.deadline = 1000
    native.step(WRITE, 0, 5)
    assert board.pace == 0
    native.step(WRITE, 1, 6)
    assert cpu.turn_end == 1000
    native.step(WRITE, 1, 5)
    assert cpu.turn_end == cpu.deadline == 0
    assert board.pace > 0
