# SPDX-License-Identifier: GPL-2.0-only
"""Native code caches where a block leads from a state of the core; the results do not depend on this cache."""

from __future__ import annotations

import functools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from emu.cpu import arch
from emu.cpu.arch.x86_64.operations import Operations
from emu.cpu.native.timing import record, summary_record
from emu.cpu.native.timing.layout import layouts
from emu.cpu.native.timing.record import Timing
from emu.cpu.timing import CYCLE
from emu.cpu.timing.composition import AS_EXPECTED, MISPREDICTED, RETURNED, TAKEN, TURNED, Composition
from emu.cpu.timing.summaries import Summaries
from emu.cpu.timing.summarise import Summariser
from tests.cpu.timing.blocks import BLOCKS
from tests.cpu.timing.small_core import SMALL, compose_block, forget_states, settle

NO_STATE = int(record.NO_STATE)
LAYOUTS = layouts(SMALL)
CHASE, ADDS, WINDOW_FULL, NOPS, FEW_NOPS = range(len(BLOCKS) - 5, len(BLOCKS))  # blocks
Step = tuple[int, int, int, int, int]  # block, outcome, and the delays in parts of a cycle

# The board has only these delays: instructions by half cycles, data by cycles; some are long enough to fill the window.
_data = st.sampled_from([0, 0, 0, 0, 7, 42, 50, 60, 100, 330, 2000]).map(lambda cycles: cycles * CYCLE)
_steps = st.tuples(
    st.integers(0, len(BLOCKS) - 1),
    st.sampled_from([AS_EXPECTED, AS_EXPECTED, AS_EXPECTED, TAKEN, TAKEN, RETURNED, TURNED, MISPREDICTED]),
    st.sampled_from([0, 0, 0, 1, 8, 330]).map(lambda halves: halves * CYCLE // 2),
    _data,
    _data,
)


_SUMMARISER = Summariser(SMALL, Operations(SMALL), arch.load("x86_64").timing())
SUMMARIES = [_SUMMARISER.summarise(code, address) for address, code in BLOCKS]


@functools.cache
def table(name: str) -> Summaries:
    """A table that contains cached states."""
    return Summaries(lambda code, address: SUMMARIES[address], name, [])


class Core:
    """The times of a core according to native code. Cores with the same table name share their cached states.

    Args:
        forgets: whether all cached states are dropped before each block.
        full: whether there is room for only one more state before each block.
        stands: whether the CPU's turn ends after each block.
    """

    def __init__(self, name: str, *, forgets: bool = False, full: bool = False, stands: bool = False) -> None:
        self._forgets, self._full, self._stands = forgets, full, stands
        self._summaries = table(name)
        self._tables = self._summaries.tables
        self.timing = Timing.allocate(LAYOUTS)
        self.timing.state = NO_STATE

    def block(self, block: int, outcome: int, front: int, data: int, late: int) -> None:
        if self._forgets:
            settle(self.timing, self._tables)
            forget_states(self._tables)
        if self._full:
            self._tables.states_used = max(self._tables.states_used, summary_record.MOST_STATES - 1)
        summary = self._summaries.summary(self._summaries.offset(b"", block))
        compose_block(self.timing, self._tables, summary, outcome, front, data, late)
        if self._stands:
            settle(self.timing, self._tables)

    def settled(self) -> Timing:
        """The record as it would be at the end of the CPU's turn."""
        copy = Timing.allocate(LAYOUTS)
        copy.words[:] = self.timing.words
        settle(copy, self._tables)
        return copy

    def times(self) -> list[int]:
        """The whole state, in the form of `times_of`."""
        settled = self.settled()
        return [settled.issue, *(settled.times[n] for n in range(record.BRANCHED + 1))]


def times_of(python: Composition) -> list[int]:
    """The next block's dispatch, and relative to it: when each register is ready, all has retired, the branch ends."""
    later = [*python._ready, python.retire, python._branch]
    return [python.issue, *(max(time - python.issue, 0) for time in later)]


@settings(max_examples=40, deadline=None)
@given(st.lists(_steps, max_size=40), st.integers(1, 3))
@example([(CHASE, AS_EXPECTED, 0, 330 * CYCLE, 0)] * 300, 1)
@example([(CHASE, AS_EXPECTED, 0, 330 * CYCLE, 0), *[(NOPS, AS_EXPECTED, 0, 0, 0)] * 10], 5)
@example([(WINDOW_FULL, AS_EXPECTED, 0, 1000 * CYCLE, 1000 * CYCLE)] * 10, 1)
@example([(ADDS, AS_EXPECTED, 0, 0, 330 * CYCLE), (NOPS, TAKEN, 0, 0, 75 * CYCLE)] * 10, 1)
def test_native_code_composes_as_python_does_whatever_it_remembers(steps: list[Step], times: int) -> None:
    python = Composition(SMALL)
    cores = [Core("shared"), Core("shared", stands=True), Core("forgetting", forgets=True), Core("full", full=True)]
    for n, (block, *rest) in enumerate(steps * times):
        python.block(SUMMARIES[block], *rest)
        for core in cores:
            core.block(block, *rest)
            assert core.times() == times_of(python), (n, cores.index(core))


def test_states_are_forgotten_when_there_are_too_many() -> None:
    core = Core("full", full=True)
    before = core._tables.forgotten
    for n in range(6):
        core.block(CHASE, AS_EXPECTED, 0, CYCLE * n, 0)
    assert core._tables.forgotten >= before + 2


def test_a_row_of_blocks_is_computed_once() -> None:
    core = Core("row")
    for _ in range(100):
        for block in range(4):
            core.block(block, TAKEN, 0, 0, 0)
    assert core._tables.computed < 40


def test_what_is_remembered_does_not_depend_on_how_full_the_window_was() -> None:
    """Two paths to one state of the core: with data late enough to fill the window, and without."""
    full, other = [(NOPS, 50), (NOPS, 53)], [(FEW_NOPS, 5)]
    for ways in (full, other), (other, full):
        forget_states(table("ways").tables)
        for way in ways:
            python, native = Composition(SMALL), Core("ways")
            for block, cycles in [*way, (NOPS, 50)]:
                for core in (python, native):
                    core.block(SUMMARIES[block] if core is python else block, AS_EXPECTED, 0, 0, cycles * CYCLE)
                assert native.times() == times_of(python)
