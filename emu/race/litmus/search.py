# SPDX-License-Identifier: GPL-2.0-only
"""Searches all executions of a litmus test: every order of the CPUs' instructions, and every possible fetch of each."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, TypeVar

from emu.race.limits import INTERRUPTED, Limits
from emu.race.litmus.arch import CODE, DATA, Decoded, Order, load
from emu.race.litmus.assembler import TAKES
from emu.race.litmus.bare_board import ENDED, RUNNING, BareBoard, Stored
from emu.race.litmus.code_versions import CodeMemory, CodeState
from emu.race.litmus.condition import holds
from emu.race.litmus.footprints import Access, Footprints
from emu.race.litmus.litmus_text import Litmus
from emu.race.litmus.litmus_verdict import FinalState, LitmusStep, LitmusVerdict
from emu.race.litmus.store_buffer import MOST_STORES, Buffer, BufferedStore, forwarded
from emu.race.scenario.fetch import Fetch, model_of
from emu.race.scenario.fetch_model import FetchModel

__all__ = ["explore"]

_MOST_STATES = 1_000_000
_MOST_ALONE = 8
_NEAR = 64  # bytes behind a name
_T = TypeVar("_T")


class _State(NamedTuple):
    """Everything that determines what may still happen.

    Attributes:
        cpus: the numbers of the CPUs' states.
        ends: of each CPU: see Executed.end.
        data: the contents of memory after the code.
        code: the contents of the code's memory, and what each CPU may still see of it.
        buffers: of each CPU: its stores that are not in memory yet.
        fenced: of each CPU: whether its loads and stores wait until its buffer is empty.
        sent: of each CPU: whether an interrupt has been sent to it.
    """

    cpus: tuple[int, ...]
    ends: tuple[str | None, ...]
    data: bytes
    code: CodeState
    buffers: tuple[Buffer, ...]
    fenced: tuple[bool, ...]
    sent: tuple[bool, ...]


class _Move(NamedTuple):
    """A CPU's next instruction, as it is fetched; None: its oldest store reaches memory."""

    cpu: int
    fetch: Fetch | None


class _Reached(NamedTuple):
    """The state after a move.

    Attributes:
        move: the move.
        state: the state.
        alone: whether other CPUs may as well make their moves afterwards.
    """

    move: _Move
    state: _State
    alone: bool


def explore(litmus: Litmus, fetch: str, limits: Limits | None = None, *, reduce: bool = True) -> LitmusVerdict:
    """Executes a test in every order, with every fetch that a model permits.

    Args:
        litmus: the test.
        fetch: the fetch model.
        limits: the limits of the search.
        reduce: whether orders that make no difference are left out (`footprints`).

    Raises:
        ValueError: the architecture has no such fetch model.
    """
    model = model_of(litmus.arch, fetch)
    began = time.perf_counter()
    with closing(BareBoard(litmus)) as board:
        footprints = Footprints(litmus.cpus) if reduce else None
        limits = (limits or Limits(_MOST_STATES)).started()
        search = _Search(litmus, model, board, footprints)
        try:
            why = search.run(limits)
            while footprints and footprints.changed and not (board.full or limits.reached(0)):
                search = _Search(litmus, model, board, footprints)
                why = search.run(limits)
        except KeyboardInterrupt:
            why = INTERRUPTED
        return LitmusVerdict(
            litmus, fetch, search.finals(), why, search.count, search.steps, None if why else search.endless(),
            assumptions(litmus, model), time.perf_counter() - began,
        )  # fmt: skip


def assumptions(litmus: Litmus, model: FetchModel) -> tuple[str, ...]:
    """What a verdict assumes."""
    arch = load(litmus.arch)
    own = "A CPU's own stores to code are fetched as those of others."
    if arch.jumps:
        own = "A CPU fetches its own stores to code behind a jump, if it stored through the linear address at which it fetches."
    ipi = "in order with its sender's stores" if model.ipi_in_order else "perhaps before its sender's earlier stores"
    return (
        f"Fetch model {model.name}: {model.meaning} ({model.source}).",
        f"Data: {arch.data_model}. Every load and store of data is whole, and at most {MOST_STORES} stores wait.",
        "An instruction loads at once, and stores later; without LOCK and its like, other CPUs come between.",
        own,
        "After a serialising instruction (V9: FLUSH, of any address; RISC-V: FENCE.I) a CPU fetches what memory holds.",
        *((f"An interrupt that `.ipi` sends arrives {ipi}.",) if litmus.program.signals else ()),
        "There are no other interrupts; an exception ends its CPU." if litmus.program.signals
        else "There are no interrupts; an exception ends its CPU.",
    )  # fmt: skip


class _Search:
    def __init__(self, litmus: Litmus, model: FetchModel, board: BareBoard, footprints: Footprints | None) -> None:
        self._litmus, self._board, self._footprints = litmus, board, footprints
        self._ipi_in_order = model.ipi_in_order
        self._signals = litmus.program.signals
        self._memory = CodeMemory(model, CODE)
        self._data: dict[bytes, bytes] = {}
        cpus = litmus.cpus
        code = self._memory.begin(litmus.program.code, cpus)
        columns = zip(litmus.program.begins, litmus.program.ends, strict=True)
        ends = tuple(RUNNING if begin != end else ENDED for begin, end in columns)
        none = (False,) * cpus
        first = _State(board.first, ends, board.data, code, ((),) * cpus, none, none)
        self._known = {first: 0}
        self._states = [first]
        self._parents = array("q", [-1])
        self._moves: list[_Move | None] = [None]
        self._edges = array("q")  # from, to, from, to ...
        self._finals: list[int] = []
        self._alone = array("q", [0])  # how many moves in a row have been made without trying others
        self.steps = 0

    @property
    def count(self) -> int:
        """The number of distinct states seen."""
        return len(self._states)

    def run(self, limits: Limits) -> str:
        """Searches breadth first. Returns why it stopped early, as a sentence; "" if it did not."""
        at = 0
        if self._footprints:
            self._footprints.begin()
        while at < len(self._states):
            state = self._states[at]
            reached: list[_Reached] = []
            for one in self._next(state):
                if why := self._board.full or limits.reached(len(self._states)):
                    return why
                # Not to a known state, and not for ever: so no CPU waits for ever while another one loops.
                if one.alone and one.state not in self._known and self._alone[at] < _MOST_ALONE:
                    reached = [one]
                    break
                reached.append(one)
            for one in reached:
                self._reach(one.state, at, one.move)
            if len(reached) == 1 and reached[0].alone and at in self._parents[-1:]:
                self._alone[-1] = self._alone[at] + 1
            if not reached and all(end is not RUNNING for end in state.ends):
                self._finals.append(at)
            at += 1
        return ""

    def _reach(self, state: _State, before: int, move: _Move) -> None:
        number = self._known.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
            self._parents.append(before)
            self._moves.append(move)
            self._alone.append(0)
        self._edges.extend((before, number))

    def _next(self, state: _State) -> Iterator[_Reached]:
        """The possible next moves."""
        board = self._board
        for cpu, end in enumerate(state.ends):
            if end is RUNNING:
                pc = board.pc(state.cpus[cpu])

                def length(code: bytes, pc: int = pc) -> int:
                    instruction = board.decode(code, pc)
                    return instruction.size if instruction else 0

                fetches = list(self._memory.fetches(state.code, cpu, pc, board.arch.longest, length))
                for fetch in fetches:
                    if after := self._executed(state, cpu, pc, fetch, only=len(fetches) == 1):
                        yield after
            if state.buffers[cpu]:
                yield self._stored(state, cpu)

    def _stored(self, state: _State, cpu: int) -> _Reached:
        """A CPU's oldest store reaches memory."""
        store, *rest = state.buffers[cpu]
        data, code = self._written(state.data, state.code, cpu, store)
        after = state._replace(
            data=data, code=code, buffers=_put(state.buffers, cpu, tuple(rest)),
            fenced=_put(state.fenced, cpu, state.fenced[cpu] and bool(rest)),
        )  # fmt: skip
        alone = self._notes(cpu, Access.STORE, [(store.address, len(store.data))])
        return _Reached(_Move(cpu, None), self._ended(after, cpu), alone)

    def _written(self, data: bytes, code: CodeState, cpu: int, store: BufferedStore) -> tuple[bytes, CodeState]:
        """Memory after a store."""
        if store.address < DATA:
            return data, self._memory.stored(code, cpu, store.address, store.data, store.own, store.jumped)
        data = forwarded(data, DATA, (store,))
        return self._data.setdefault(data, data), code

    def _executed(self, state: _State, cpu: int, pc: int, fetch: Fetch, *, only: bool) -> _Reached | None:
        """A CPU executes an instruction; None if it waits for its own stores, or for an interrupt.

        Args:
            only: whether no other fetch is possible.
        """
        board, buffer, fetched = self._board, state.buffers[cpu], fetch.code
        instruction = board.decode(fetched, pc)
        order = board.arch.order(instruction) if instruction else Order.NOTHING
        signal = self._signals.get(pc)
        here = range(pc, pc + len(fetched))
        if any(store.jumped and store.address < here.stop and here.start < store.address + len(store.data) for store in buffer):
            return None  # behind a jump, it fetches what it has stored itself
        if len(buffer) >= MOST_STORES or (buffer and order is Order.STORES) or (state.fenced[cpu] and order is Order.FENCES):
            return None
        sent = state.sent
        if signal is not None:
            if signal == TAKES and not sent[cpu]:
                return None
            if signal != TAKES and buffer and self._ipi_in_order:
                return None
            sent = _put(sent, cpu if signal == TAKES else signal, signal != TAKES)
        done = board.execute(
            cpu, state.cpus[cpu], forwarded(state.data, DATA, buffer), forwarded(state.code.now, CODE, buffer), fetched
        )
        if state.fenced[cpu] and (done.loads or done.stores):
            return None
        self.steps += 1
        memory, data = self._memory, state.data
        code = memory.seen(state.code, cpu, fetch.view)
        stores = [part for store in done.stores for part in self._parts(store)]
        if order is Order.STORES:
            for store in stores:
                data, code = self._written(data, code, cpu, store)
        else:
            buffer = (*buffer, *stores)
        jumps = board.arch.jumps
        if jumps and instruction and (jumps.match(instruction.mnemonic) and self._has_jumped(instruction, done.cpu, here.stop)):
            code = memory.jumped(code, cpu)
            if any(store.own and not store.jumped for store in buffer):
                buffer = tuple(store._replace(jumped=store.own) for store in buffer)
        if instruction and board.arch.serialises(instruction):
            code = memory.synchronised(code, cpu)
        alone = self._notes(cpu, Access.FETCH, [(pc, len(fetched))]) and only and signal is None
        alone &= self._notes(cpu, Access.LOAD, done.loads)
        if order is Order.STORES:
            alone &= self._notes(cpu, Access.STORE, [(store.address, len(store.data)) for store in done.stores])
        after = _State(
            _put(state.cpus, cpu, done.cpu), _put(state.ends, cpu, done.end), data, code, _put(state.buffers, cpu, buffer),
            _put(state.fenced, cpu, state.fenced[cpu] or (order is Order.LATER_ACCESSES and bool(buffer))), sent,
        )  # fmt: skip
        return _Reached(_Move(cpu, fetch), self._ended(after, cpu), alone)

    def _has_jumped(self, instruction: Decoded, after: int, following: int) -> bool:
        """Whether a jump was taken; one that is not conditional may go to the next instruction."""
        return self._board.pc(after) != following or not instruction.mnemonic.startswith(("j", "loop")) or (
            instruction.mnemonic == "jmp"
        )

    def _parts(self, store: Stored) -> Iterator[BufferedStore]:
        """The parts of a store that reach memory one by one: those of code do."""
        if store.address >= DATA:
            yield BufferedStore(store.address, store.data)
            return
        own = self._board.arch.jumps is not None and not store.aliased
        for address, data in self._memory.pieces(store.address, store.data):
            yield BufferedStore(address, data, own)

    def _notes(self, cpu: int, access: Access, ranges: Sequence[tuple[int, int]]) -> bool:
        """Notes accesses. Returns whether they are independent of those of other CPUs, as far as these are known."""
        if self._footprints is None:
            return False
        for address, size in ranges:
            self._footprints.add(cpu, access, address, size)
        return all(self._footprints.is_alone(cpu, access, address, size) for address, size in ranges)

    def _ended(self, state: _State, cpu: int) -> _State:
        """A CPU that has ended has no view any more."""
        if state.ends[cpu] is RUNNING or state.buffers[cpu]:
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
            store = before.buffers[cpu][0]
            return LitmusStep(cpu, store.address, b"", b"", f"(stored: {self._place(store)})")
        pc, fetched = self._board.pc(before.cpus[cpu]), move.fetch.code
        at = pc - CODE
        instruction = self._board.decode(fetched, pc)
        text = instruction.text if instruction else "no instruction"
        if fetched == program.code[at : at + len(fetched)]:
            text = program.lines.get(pc, text)
        return LitmusStep(cpu, pc, fetched, before.code.now[at : at + len(fetched)], text, after.ends[cpu] or "")

    def _place(self, store: BufferedStore) -> str:
        """The place and the bytes of a store that reaches memory."""
        names = {**self._litmus.addresses, **self._litmus.program.labels}
        at, name = max(((at, name) for name, at in names.items() if at <= store.address), default=(0, ""))
        offset = store.address - at
        near = name and offset < _NEAR
        place = f"{name} + {offset}" if near and offset else name if near else f"{store.address:#x}"
        return f"{place}: {store.data.hex(' ')}"

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

