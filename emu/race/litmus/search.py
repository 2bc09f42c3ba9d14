# SPDX-License-Identifier: GPL-2.0-only
"""Searches all executions of a litmus test: every order of the CPUs' instructions, and every possible fetch of each."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple, TypeVar

from emu.race.limits import INTERRUPTED, Limits
from emu.race.litmus.arch import CODE
from emu.race.litmus.bare_board import ENDED, RUNNING, BareBoard
from emu.race.litmus.code_versions import CodeMemory, CodeState, Rest
from emu.race.litmus.condition import holds
from emu.race.litmus.litmus_text import Litmus
from emu.race.litmus.litmus_verdict import FinalState, LitmusStep, LitmusVerdict
from emu.race.scenario.fetch import Fetch, model_of
from emu.race.scenario.fetch_model import FetchModel

__all__ = ["explore"]

_MOST_STATES = 1_000_000
_T = TypeVar("_T")


class _State(NamedTuple):
    """Everything that determines what may still happen.

    Attributes:
        cpus: the numbers of the CPUs' states.
        ends: of each CPU: see Executed.end.
        data: the contents of memory after the code.
        code: the contents of the code's memory, and what each CPU may still see of it.
        rests: of each CPU: the stores to be done before its next instruction.
    """

    cpus: tuple[int, ...]
    ends: tuple[str | None, ...]
    data: bytes
    code: CodeState
    rests: tuple[tuple[Rest, ...], ...]


class _Move(NamedTuple):
    """A CPU's next instruction, as it is fetched; None: the next part of its last store."""

    cpu: int
    fetch: Fetch | None


def explore(litmus: Litmus, fetch: str, limits: Limits | None = None) -> LitmusVerdict:
    """Executes a test in every order, with every fetch that a model permits.

    Raises:
        ValueError: the architecture has no such fetch model.
    """
    model = model_of(litmus.arch, fetch)
    began = time.perf_counter()
    with closing(BareBoard(litmus)) as board:
        search = _Search(litmus, model, board)
        try:
            why = search.run((limits or Limits(_MOST_STATES)).started())
        except KeyboardInterrupt:
            why = INTERRUPTED
        return LitmusVerdict(
            litmus, fetch, search.finals(), why, search.count, search.steps, None if why else search.endless(),
            assumptions(litmus, model), time.perf_counter() - began,
        )  # fmt: skip


def assumptions(litmus: Litmus, model: FetchModel) -> tuple[str, ...]:
    """What a verdict assumes."""
    return (
        f"Fetch model {model.name}: {model.meaning} ({model.source}).",
        "Data are sequentially consistent: there is no store buffer, and every store of data is seen whole.",
        "What one instruction loads and stores is done at once, with LOCK and without.",
        "A CPU's own stores to code are fetched as those of others.",
        "After a serialising instruction (V9: FLUSH, of any address; RISC-V: FENCE.I) a CPU fetches what memory holds.",
        "There are no interrupts; an exception ends its CPU.",
    )


class _Search:
    def __init__(self, litmus: Litmus, model: FetchModel, board: BareBoard) -> None:
        self._litmus, self._board = litmus, board
        self._memory = CodeMemory(model, CODE)
        self._data: dict[bytes, bytes] = {}
        cpus = litmus.cpus
        code = self._memory.begin(litmus.program.code, cpus)
        columns = zip(litmus.program.begins, litmus.program.ends, strict=True)
        ends = tuple(RUNNING if begin != end else ENDED for begin, end in columns)
        first = _State(board.first, ends, board.data, code, ((),) * cpus)
        self._known = {first: 0}
        self._states = [first]
        self._parents = array("q", [-1])
        self._moves: list[_Move | None] = [None]
        self._edges = array("q")  # from, to, from, to ...
        self._finals: list[int] = []
        self.steps = 0

    @property
    def count(self) -> int:
        """The number of distinct states seen."""
        return len(self._states)

    def run(self, limits: Limits) -> str:
        """Searches breadth first. Returns why it stopped early, as a sentence; "" if it did not."""
        at = 0
        while at < len(self._states):
            state = self._states[at]
            final = True
            for move in self._next(state):
                final = False
                if why := self._board.full or limits.reached(len(self._states)):
                    return why
                self._reach(self._after(state, move), at, move)
            if final:
                self._finals.append(at)
            at += 1
        return ""

    def _reach(self, state: _State, before: int, move: _Move) -> None:
        number = self._known.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
            self._parents.append(before)
            self._moves.append(move)
        self._edges.extend((before, number))

    def _next(self, state: _State) -> Iterator[_Move]:
        """The possible next moves."""
        board = self._board
        for cpu, end in enumerate(state.ends):
            if state.rests[cpu]:
                yield _Move(cpu, None)
            elif end is RUNNING:
                pc = board.pc(state.cpus[cpu])

                def length(code: bytes, pc: int = pc) -> int:
                    instruction = board.decode(code, pc)
                    return instruction.size if instruction else 0

                for fetch in self._memory.fetches(state.code, cpu, pc, board.arch.longest, length):
                    yield _Move(cpu, fetch)

    def _after(self, state: _State, move: _Move) -> _State:
        cpu, memory = move.cpu, self._memory
        if move.fetch is None:
            rest, *more = state.rests[cpu]
            code = memory.stored(state.code, _with(state.code.now, rest))
            return self._ended(state._replace(code=code, rests=_put(state.rests, cpu, tuple(more))), cpu)
        self.steps += 1
        fetched = move.fetch.code
        done = self._board.execute(cpu, state.cpus[cpu], state.data, state.code.now, fetched)
        code, rests = memory.seen(state.code, cpu, move.fetch.view), state.rests
        if done.code != state.code.now:
            first, *more = memory.pieces(state.code.now, done.code)
            code = memory.stored(code, _with(state.code.now, first))
            rests = _put(rests, cpu, tuple(more))
        instruction = self._board.decode(fetched, self._board.pc(state.cpus[cpu]))
        if instruction and self._board.arch.serialises(instruction):
            code = memory.synchronised(code, cpu)
        data = self._data.setdefault(done.data, done.data)
        return self._ended(_State(_put(state.cpus, cpu, done.cpu), _put(state.ends, cpu, done.end), data, code, rests), cpu)

    def _ended(self, state: _State, cpu: int) -> _State:
        """A CPU that has ended has no view any more."""
        if state.ends[cpu] is RUNNING or state.rests[cpu]:
            return state
        return state._replace(code=self._memory.synchronised(state.code, cpu))

    def finals(self) -> tuple[FinalState, ...]:
        """The final states found."""
        found: dict[object, FinalState] = {}
        for number in self._finals:
            state = self._states[number]
            values = self._board.values(state.cpus, state.data, self._litmus.shown)
            faults = {cpu: end for cpu, end in enumerate(state.ends) if end}
            key = (tuple(values.items()), tuple(faults.items()))
            if key not in found:
                true = holds(self._litmus.condition, values, faults)
                found[key] = FinalState(*key, true, self._schedule(number))
        return tuple(sorted(found.values(), key=lambda final: (final.values, final.faults)))

    def _schedule(self, number: int) -> tuple[LitmusStep, ...]:
        """A shortest schedule to a state."""
        steps = []
        while (move := self._moves[number]) is not None:
            before = self._states[self._parents[number]]
            steps.append(self._step(before, move, self._states[number]))
            number = self._parents[number]
        return tuple(reversed(steps))

    def _step(self, before: _State, move: _Move, after: _State) -> LitmusStep:
        program, cpu = self._litmus.program, move.cpu
        if move.fetch is None:
            rest = before.rests[cpu][0]
            return LitmusStep(cpu, CODE + rest.offset, b"", b"", f"the rest of the store: {rest.data.hex(' ')}")
        pc, fetched = self._board.pc(before.cpus[cpu]), move.fetch.code
        at = pc - CODE
        instruction = self._board.decode(fetched, pc)
        text = instruction.text if instruction else "no instruction"
        if fetched == program.code[at : at + len(fetched)]:
            text = program.lines.get(pc, text)
        return LitmusStep(cpu, pc, fetched, before.code.now[at : at + len(fetched)], text, after.ends[cpu] or "")

    def endless(self) -> int:
        """The number of states from which no final state can be reached."""
        into: dict[int, list[int]] = {}
        for n in range(0, len(self._edges), 2):
            into.setdefault(self._edges[n + 1], []).append(self._edges[n])
        todo = list(self._finals)
        ends = set(todo)
        while todo:
            for before in into.get(todo.pop(), ()):
                if before not in ends:
                    ends.add(before)
                    todo.append(before)
        return len(self._states) - len(ends)


def _put(values: tuple[_T, ...], index: int, value: _T) -> tuple[_T, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _with(code: bytes, rest: Rest) -> bytes:
    """The code after a part of a store."""
    return code[: rest.offset] + rest.data + code[rest.offset + len(rest.data) :]
