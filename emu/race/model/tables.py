# SPDX-License-Identifier: GPL-2.0-only
"""The automaton of one CPU, expanded once: afterwards a CPU's state is a number, and a move is a table lookup."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.race.limits import Limits
from emu.race.model.automaton import Automaton
from emu.race.model.cpu_state import Cpu, Move
from emu.race.model.native.search import NOT_ALLOWED, WRONG
from emu.race.model.patcher import Step
from emu.race.schedule.event import What

__all__ = ["NOT_ALLOWED", "WRONG", "Row", "Tables"]


@dataclass
class Row:
    """A CPU state at one position of the patcher.

    Attributes:
        cpu: the state.
        moves: the CPU's moves to other states, one per state; at most one that is wrong.
        targets: for each move, the number of the next state, at the same position, or WRONG.
        advance: for each of the patcher's steps: the number of the state at the step's position; or WRONG, or NOT_ALLOWED.
        why_wrong: a step's event, if that is WRONG.
        fetches: the number of distinct fetches.
        dies: whether something wrong may follow that does not count, and after which there is no state.
    """

    cpu: Cpu
    moves: list[Move] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    advance: list[int] = field(default_factory=list)
    why_wrong: Move | None = None
    fetches: int = 0
    dies: bool = False


class Tables:
    """All states that one CPU can reach.

    Every state that one CPU can reach alone is also reachable among others: they may do the same, one after another.

    Args:
        automaton: the automaton to expand.
        limits: when to give up. The states count if there are several patchers, whose positions are many.

    Attributes:
        automaton: the expanded automaton.
        rows: for each position, the states, by number. A CPU starts in state 0 of position 0.
        steps: for each position, the patcher's steps, to positions with higher numbers.
        limit: the limit that was reached, as a sentence, so that states are missing; "" if none was.
    """

    def __init__(self, automaton: Automaton, limits: Limits | None = None) -> None:
        self.automaton = automaton
        self.limit = ""
        self.rows: list[list[Row]] = []
        self._numbers: list[dict[Cpu, int]] = []
        self.steps: list[tuple[Step, ...]] = []
        self._count = 0
        self._number(0, automaton.first)
        many = bool(automaton.patcher.others)
        for position, rows in enumerate(self.rows):  # grows during the loop
            self.steps.append(() if self.limit else automaton.patcher.steps(position))
            self._grow(max((step.to for step in self.steps[-1]), default=0))
            for row in rows:  # grows during the loop
                self._count += many
                self.limit = self.limit or (limits.reached(self._count) if limits else "")
                if not self.limit:
                    self._fill(position, row)

    def _grow(self, position: int) -> None:
        while len(self.rows) <= position:
            self.rows.append([])
            self._numbers.append({})

    def _number(self, position: int, cpu: Cpu) -> int:
        self._grow(position)
        numbers = self._numbers[position]
        if cpu not in numbers:
            numbers[cpu] = len(numbers)
            self.rows[position].append(Row(cpu))
        return numbers[cpu]

    def _fill(self, position: int, row: Row) -> None:
        automaton, cpu = self.automaton, row.cpu
        here = self._numbers[position][cpu]
        for move in automaton.moves(position, cpu):
            row.fetches += move.event.what is What.FETCH
            if move.wrong is None and move.after is None:
                row.dies = True
                continue  # it is wrong, but the scenario does not count it
            target = WRONG if move.wrong or move.after is None else self._number(position, move.after)
            if target != here and target not in row.targets:
                row.moves.append(move)
                row.targets.append(target)
        for step in self.steps[position]:
            if not automaton.allows(position, cpu, step):
                row.advance.append(NOT_ALLOWED)
                continue
            move = automaton.advance(position, cpu, step)
            if move.wrong:
                row.advance.append(WRONG)
                row.why_wrong = move
            else:
                assert move.after is not None
                row.advance.append(self._number(step.to, move.after))
