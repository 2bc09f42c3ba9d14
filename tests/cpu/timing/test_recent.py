# SPDX-License-Identifier: GPL-2.0-only
"""The memory of recently accessed lines: a hit in it has the same effects as caches and TLBs."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.native.cpu_records import Board as BoardRecord
from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.timing.record import COUNTERS
from emu.native.records import Words
from tests.cpu.timing.small_core import (
    DIRECT_START,
    LINES,
    SMALL,
    SmallBoard,
    access_address,
    access_plainly,
    empty_tlbs,
    fetch,
    lose,
)

ACCESS, FETCH, LOSE, EMPTY = range(4)
PAGES = 2  # of a program: fewer than the TLB has entries, so that the order of their use does not matter
Step = tuple[int, int, int, bool]  # what, which CPU, a line, whether it is written

_lines = st.one_of(st.integers(0, 5), st.integers(0, LINES - 1))
_steps = st.tuples(st.sampled_from([ACCESS] * 8 + [FETCH, LOSE, EMPTY]), st.integers(0, 3), _lines, st.booleans())


class Board:
    """Caches and TLBs of some CPUs; `function` makes an access, with or without the memory of recent lines."""

    def __init__(self, cpus: int, function: Callable[[Cpu, BoardRecord, int, bool], int]) -> None:
        self.small = SmallBoard(cpus)
        self._access = function
        for page in range(PAGES):
            self.small.pages[1 + page] = page * 4096

    def step(self, what: int, index: int, line: int, write: bool) -> int:
        cpu, board = self.small.cpus[index], self.small.board
        if what == FETCH:
            return fetch(cpu, board, line)
        if what == LOSE:
            lose(board, line)
        elif what == EMPTY:
            empty_tlbs(self.small.records[index])
        else:
            mapped = line < PAGES * 64 and line % 3 == 0
            address = 4096 + line * 64 if mapped else DIRECT_START + line * 64
            return self._access(cpu, board, address, write)
        return 0

    def state(self) -> list[list[int]]:
        """All lasting state, without the recent lines and the page used last."""
        found = [[int(word) for word in self.small.shared.words]]
        for index, timing in enumerate(self.small.records):
            found += [self.small.words(name, index) for name in ("l1i", "l1d", "l2", "streams")]
            found.append([timing.counts[n] for n in range(len(COUNTERS))])
        return found


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 4), st.lists(_steps, max_size=120))
def test_it_changes_nothing(cpus: int, steps: list[Step]) -> None:
    found, plain = Board(cpus, access_address), Board(cpus, access_plainly)
    for n, (what, index, line, write) in enumerate(steps):
        answers = [board.step(what, index % cpus, line, write) for board in (found, plain)]
        assert answers[0] == answers[1], (n, steps[n])
    assert found.state() == plain.state()


def test_it_is_found() -> None:
    """Otherwise it would not be faster: a recent line is found without a lookup in the L1."""
    board = Board(1, access_address)
    assert board.step(ACCESS, 0, 5, True) == SMALL.caches.memory >> 3
    l1d = Words(board.small.records[0].caches.l1d.address)
    for n in range(len(board.small.words("l1d", 0))):
        l1d[n] = 0
    assert board.step(ACCESS, 0, 5, True) == board.step(ACCESS, 0, 5, False) == 0
    assert board.step(ACCESS, 0, 7, False) != 0
