# SPDX-License-Identifier: GPL-2.0-only
"""Executes an AArch64 test in every order, with every fetch that the architecture permits.

The rules (Arm Architecture Reference Manual, "Concurrent modification and execution of instructions"; Simner and others, "ARMv8-A
System Semantics: Instruction Fetch in Relaxed Architectures", 2020), as they are here:

* A store to code is a new version of an instruction. A fetch may see each version that is not older than the CPU's bound.
* DC CVAU cleans the versions so far to where caches of instructions see them; a barrier behind it makes that certain.
* IC IVAU drops older versions than the cleaned one from the caches of instructions of all CPUs; a DSB behind it completes that.
* ISB drops what its CPU has fetched before: its bounds become those of the caches.
* A CPU fetches in program order: having fetched a version, it fetches nothing that was dropped before that version was stored.

A test is not decided if accesses of a CPU to shared memory, or its maintenance of caches, are not ordered by dependencies or
barriers, because here they are executed in program order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from emu.race.ifetch.herd_text import IfetchTest, Instruction, Value, register

__all__ = ["Result", "explore", "format_result"]

_MOST_STATES = 200_000
_FULL = ("SY", "ISH", "OSH", "NSH", "")
_BRANCHES = {"B.EQ": True, "BEQ": True, "B.NE": False, "BNE": False}


class Unsupported(Exception):
    """What the lab does not decide. Its text says why."""


class _Since(NamedTuple):
    """What a CPU has done since its last access to shared memory.

    Attributes:
        access: "R" or "W"; "": there was none, or what follows is ordered.
        place: the location of that access.
        control: whether a branch depends on what it has loaded.
        synchronised: whether an ISB came behind such a branch.
        loads: whether a barrier that orders loads only came; `stores`: one of stores.
    """

    access: str = ""
    place: str = ""
    control: bool = False
    synchronised: bool = False
    loads: bool = False
    stores: bool = False


class _Version(NamedTuple):
    """An instruction that was stored, and what had been dropped from caches of instructions before."""

    code: Value
    dropped: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class _Cpu:
    """A CPU.

    Attributes:
        pc: the CPU and the number of its next instruction.
        tainted: registers that depend on the last shared load.
        equal: the flag Z.
        bounds: by code: the oldest version that it may fetch, if that is not 0.
        cleaning: DC CVAU without a barrier behind: code and version; `dropping`: IC IVAU without a DSB.
        open: the location of the last access to shared memory, or of a DC CVAU, that no DSB came behind.
        loaded: whether there is such a load.
        loose: whether an ISB was not ordered behind a shared load; `undone`: code that it has invalidated itself since an ISB.
    """

    pc: tuple[int, int]
    registers: tuple[Value, ...]
    tainted: frozenset[int] = frozenset()
    equal: tuple[bool, bool] = (False, False)
    since: _Since = _Since()
    bounds: tuple[tuple[str, int], ...] = ()
    cleaning: tuple[tuple[str, int], ...] = ()
    dropping: tuple[tuple[str, int], ...] = ()
    open: str = ""
    loaded: bool = False
    loose: bool = False
    undone: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _State:
    """All CPUs, memory, the versions of code, and to which version it is cleaned and invalidated."""

    cpus: tuple[_Cpu, ...]
    words: tuple[tuple[str, Value], ...]
    code: tuple[tuple[str, tuple[_Version, ...]], ...]
    cleaned: tuple[tuple[str, int], ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Result:
    """What was found.

    Attributes:
        finals: the final values of what the condition names, and whether it holds.
        why: why the test is not decided, as a sentence; "" if it is.
        states: the number of states.
    """

    finals: tuple[tuple[tuple[tuple[str, Value], ...], bool], ...] = ()
    why: str = ""
    states: int = 0
    observation: str = field(default="", compare=False)

    @property
    def ok(self) -> bool | None:
        return None if self.why else self.observation != ""


def explore(test: IfetchTest, limit: int = _MOST_STATES) -> Result:
    """Executes a test."""
    accessed: dict[str, set[int]] = {}
    while True:
        before = {place: set(cpus) for place, cpus in accessed.items()}
        try:
            found, count = _Machine(test, accessed).run(limit)
        except Unsupported as error:
            return Result(why=str(error))
        if before == accessed:
            break
    finals = tuple(sorted(found, key=str))
    true = sum(holds for _, holds in finals)
    word = "Always" if true == len(finals) else "Sometimes" if true else "Never"
    return Result(finals, states=count, observation=word)


class _Machine:
    def __init__(self, test: IfetchTest, accessed: dict[str, set[int]]) -> None:
        self._test, self._accessed = test, accessed
        self._patched = {place for place, cpus in accessed.items() if place.startswith("P")}

    def run(self, limit: int) -> tuple[set[tuple[tuple[tuple[str, Value], ...], bool]], int]:
        test = self._test
        cpus = tuple(
            _Cpu((n, 0), tuple(test.registers.get((n, number), 0) for number in range(32))) for n in range(len(test.columns))
        )
        names = {value[1:] for value in (*test.registers.values(), *test.words.values()) if isinstance(value, str) and value[0] == "&"}
        first = _State(cpus, tuple(sorted({**dict.fromkeys(names, 0), **test.words}.items())), ())
        seen, todo = {first}, [first]
        finals = set()
        while todo:
            state = todo.pop()
            final = True
            for cpu in range(len(cpus)):
                for after in self._moves(state, cpu):
                    final = False
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
                        if len(seen) > limit:
                            raise Unsupported(f"the limit of {limit:,} states was reached")
            if final:
                values = self._values(state)
                finals.add((tuple((name, values.get(name, 0)) for name in test.shown), test.holds(values)))
        return finals, len(seen)

    def _values(self, state: _State) -> dict[str, Value]:
        registers = {f"{n}:X{k}": value for n, cpu in enumerate(state.cpus) for k, value in enumerate(cpu.registers)}
        return {**dict(state.words), **registers}

    # Fetches

    def _moves(self, state: _State, cpu: int) -> Iterator[_State]:
        me = state.cpus[cpu]
        column, at = me.pc
        if not 0 <= at < len(self._test.columns[column]):
            return
        place = f"P{column}:{at}"
        original = self._test.columns[column][at]
        versions = dict(state.code).get(place, ())
        self._note(place, cpu, fetch=True)
        newest, oldest = len(versions), dict(me.bounds).get(place, 0)
        if versions and place in me.undone:
            raise Unsupported("a CPU fetches code that it has invalidated itself, without an ISB between")
        if newest > oldest and me.loose:
            raise Unsupported("an ISB is not ordered behind a load of shared memory")
        for version in range(oldest, newest + 1):
            if not version:
                yield self._execute(state, cpu, original)
                continue
            stored = versions[version - 1]
            if stored.code != "NOP":
                raise Unsupported(f"the code {stored.code} is stored")
            after = _replaced(me, bounds=_raised(me.bounds, stored.dropped))
            yield self._execute(_put(state, cpu, after), cpu, Instruction("NOP"))

    def _note(self, place: str, cpu: int, *, fetch: bool = False) -> bool:
        """Notes an access. Returns whether the place is shared."""
        if fetch and place not in self._patched:
            return False
        cpus = self._accessed.setdefault(place, set())
        cpus.add(cpu)
        return len(cpus) > 1

    # Instructions

    def _execute(self, state: _State, cpu: int, it: Instruction) -> _State:
        me = state.cpus[cpu]
        column, at = me.pc
        name, operands = it.name, it.operands
        me = _replaced(me, pc=(column, at + 1))
        if name in ("NOP", "ISB", "DSB", "DMB", "DC CVAU", "IC IVAU"):
            return self._ordering(state, cpu, me, it)
        if name in ("LDR", "STR", "LDAR", "STLR"):
            return self._access(state, cpu, me, it)
        if name in ("B", "BL", "BR", "BLR", "RET", "CBZ", "CBNZ", *_BRANCHES):
            return _put(state, cpu, self._branch(me, column, at, it))
        if name in ("MOV", "ADD", "SUB", "EOR", "AND", "ORR", "CMP", "CSET", "ADR"):
            return _put(state, cpu, self._compute(me, column, name, operands))
        raise Unsupported(f"the lab has no {name}")

    def _branch(self, me: _Cpu, column: int, at: int, it: Instruction) -> _Cpu:
        name, operands = it.name, it.operands
        number = register(operands[0]) if operands else None
        if name in ("CBZ", "CBNZ"):
            assert number is not None
            value = me.registers[number]
            if number in me.tainted:
                me = _replaced(me, since=me.since._replace(control=True))
            taken = (value == 0) == (name == "CBZ")
            return _replaced(me, pc=self._target(column, operands[1])) if taken else me
        if name in _BRANCHES:
            if me.equal[1]:
                me = _replaced(me, since=me.since._replace(control=True))
            return _replaced(me, pc=self._target(column, operands[0])) if me.equal[0] == _BRANCHES[name] else me
        if name in ("B", "BL"):
            to = self._target(column, operands[0])
        else:
            number = 30 if name == "RET" and not operands else number
            assert number is not None
            if number in me.tainted:
                me = _replaced(me, since=me.since._replace(control=True))
            to = self._address(me.registers[number])
        if name in ("BL", "BLR"):
            me = _set(me, 30, f"P{column}:{at + 1}", tainted=False)
        return _replaced(me, pc=to)

    def _target(self, column: int, label: str) -> tuple[int, int]:
        found = self._test.labels.get(f"P{column}:{label}")
        if found is None:
            raise Unsupported(f"there is no label {label}")
        return found

    def _address(self, value: Value) -> tuple[int, int]:
        """The instruction at an address."""
        if isinstance(value, str) and value in self._test.labels:
            return self._test.labels[value]
        if isinstance(value, str) and value.startswith("P") and value.rpartition(":")[2].isdigit():
            column, _, at = value[1:].partition(":")
            return int(column), int(at)
        raise Unsupported(f"a CPU branches to {value}")

    def _place(self, value: Value) -> str:
        """The name of a location: of a word, or of code."""
        if isinstance(value, str) and value.startswith("&"):
            return value[1:]
        column, at = self._address(value)
        return f"P{column}:{at}"

    def _compute(self, me: _Cpu, column: int, name: str, operands: tuple[str, ...]) -> _Cpu:
        numbers = [register(operand) for operand in operands]
        tainted = any(number in me.tainted for number in numbers[1:])

        def value(n: int) -> Value:
            number = numbers[n]
            if number is not None:
                return me.registers[number] if number < 31 else 0
            try:
                return int(operands[n].removeprefix("#"), 0)
            except ValueError:
                raise Unsupported(f"the lab has no {name} with {operands[n]}") from None

        if name == "CMP":
            tainted = any(number in me.tainted for number in numbers)
            return _replaced(me, equal=(value(0) == value(1), tainted))
        target = numbers[0]
        if target is None or len(operands) < 2:
            raise Unsupported(f"the lab has no {name} {', '.join(operands)}")
        if name == "CSET":
            if operands[1].upper() not in ("EQ", "NE"):
                raise Unsupported(f"the lab has no CSET {operands[1]}")
            return _set(me, target, int(me.equal[0] == (operands[1].upper() == "EQ")), tainted=me.equal[1])
        if name == "ADR":
            return _set(me, target, f"P{column}:{operands[1]}", tainted=False)
        if name == "MOV":
            return _set(me, target, value(1), tainted=tainted)
        left, right = value(1), value(2)
        if name == "EOR" and left == right:
            return _set(me, target, 0, tainted=tainted)
        if not (isinstance(left, int) and isinstance(right, int)):
            if name == "ADD" and 0 in (left, right):
                return _set(me, target, left if right == 0 else right, tainted=tainted)
            if name == "AND" and 0 in (left, right):
                return _set(me, target, 0, tainted=tainted)
            raise Unsupported(f"{name} of an address or of code")
        results = {"ADD": left + right, "SUB": left - right, "EOR": left ^ right, "AND": left & right, "ORR": left | right}
        return _set(me, target, results[name], tainted=tainted)

    def _access(self, state: _State, cpu: int, me: _Cpu, it: Instruction) -> _State:
        loads = it.name in ("LDR", "LDAR")
        value, base = register(it.operands[0]), it.operands[-1].strip("[] ").split(",")
        numbers = [register(part) for part in base]
        offsets = [number for number in numbers[1:] if number is not None]
        if value is None or numbers[0] is None or any(me.registers[number] != 0 for number in offsets):
            raise Unsupported(f"the lab has no {it.name} {', '.join(it.operands)}")
        place = self._place(me.registers[numbers[0]])
        by_address = any(number in me.tainted for number in (numbers[0], *offsets))
        by_data = not loads and value in me.tainted
        shared = self._note(place, cpu)
        if shared:
            self._check(me.since, place, loads=loads, dependent=by_address or by_data)
            access = "" if it.name == "LDAR" else "R" if loads else "W"
            me = _replaced(me, since=_Since(access, place), tainted=frozenset(), open=place, loaded=me.loaded or loads)
        if loads:
            code = dict(state.code).get(place)
            if place.startswith("P"):
                column, at = self._address(place)
                known: Value = code[-1].code if code else "NOP" if self._test.columns[column][at].name == "NOP" else f"code {place}"
            else:
                known = dict(state.words).get(place, 0)
            return _put(state, cpu, _set(me, value, known, tainted=shared))
        stored: Value = me.registers[value] if value < 31 else 0
        if place.startswith("P"):
            versions = dict(state.code).get(place, ())
            version = _Version(stored, state.dropped)
            return _put(_with(state, code={**dict(state.code), place: (*versions, version)}), cpu, me)
        return _put(_with(state, words={**dict(state.words), place: stored}), cpu, me)

    def _check(self, since: _Since, place: str, *, loads: bool, dependent: bool) -> None:
        """Checks that an access is ordered behind the last one."""
        ordered = (
            not since.access or since.place == place
            or (since.access == "R" and (dependent or since.loads or (since.control and not loads) or since.synchronised))
            or (since.access == "W" and since.stores and not loads)
        )  # fmt: skip
        if not ordered:
            raise Unsupported(f"the accesses to {since.place} and {place} are not ordered by a dependency or a barrier")

    def _ordering(self, state: _State, cpu: int, me: _Cpu, it: Instruction) -> _State:
        kind = it.operands[0].upper() if it.operands else ""
        if it.name == "ISB":
            since = me.since._replace(synchronised=me.since.control or me.since.synchronised)
            loose = me.loose or (me.loaded and not since.synchronised)
            bounds = _raised(me.bounds, state.dropped)
            return _put(state, cpu, _replaced(me, since=since, loose=loose, bounds=bounds, undone=frozenset()))
        if it.name in ("DC CVAU", "IC IVAU"):
            return self._maintain(state, cpu, me, it)
        if it.name in ("DSB", "DMB"):
            if kind in _FULL:
                me = _replaced(me, since=_Since(), tainted=frozenset())
                state = _with(state, cleaned=_raised(state.cleaned, me.cleaning))
                me = _replaced(me, cleaning=())
                if it.name == "DSB":
                    me = _replaced(me, open="", loaded=False)
                    state = _with(state, dropped=_raised(state.dropped, me.dropping))
                    me = _replaced(me, dropping=(), undone=me.undone | {place for place, _ in me.dropping})
            else:
                only_stores = kind.endswith("ST")
                since = me.since._replace(loads=me.since.loads or not only_stores, stores=me.since.stores or only_stores)
                if it.name == "DSB" and not only_stores and since.access == "R":
                    since = _Since()
                    me = _replaced(me, loaded=False)
                me = _replaced(me, since=since)
        return _put(state, cpu, me)

    def _maintain(self, state: _State, cpu: int, me: _Cpu, it: Instruction) -> _State:
        number = register(it.operands[0]) if it.operands else None
        if number is None:
            raise Unsupported(f"the lab has no {it.name} without an address")
        place = self._place(me.registers[number])
        since = me.since
        cleans = it.name == "DC CVAU"
        same = cleans and since.place == place
        if since.access and not same and number not in me.tainted and not since.synchronised:
            raise Unsupported(f"{it.name} is not ordered behind the access to {since.place}")
        if not cleans and me.open and number not in me.tainted and not since.synchronised and not since.access:
            raise Unsupported(f"{it.name} is ordered behind the access to {me.open} by a DMB only")
        if cleans:
            me = _replaced(me, open=me.open or place)
            versions = dict(state.code).get(place, ())
            return _put(state, cpu, _replaced(me, cleaning=_sorted(dict(_raised(me.cleaning, ((place, len(versions)),))))))
        cleaned = dict(state.cleaned).get(place, 0)
        return _put(state, cpu, _replaced(me, dropping=_raised(me.dropping, ((place, cleaned),))))


def _set(me: _Cpu, number: int, value: Value, *, tainted: bool) -> _Cpu:
    if number == 31:
        return me
    registers = (*me.registers[:number], value, *me.registers[number + 1 :])
    return _replaced(me, registers=registers, tainted=me.tainted | {number} if tainted else me.tainted - {number})


def _replaced(me: _Cpu, **changes: object) -> _Cpu:
    return _Cpu(**{**me.__dict__, **changes})


def _with(state: _State, **changes: object) -> _State:
    return _State(**{**state.__dict__, **{name: _sorted(of) if isinstance(of, dict) else of for name, of in changes.items()}})


def _put(state: _State, cpu: int, me: _Cpu) -> _State:
    return _with(state, cpus=(*state.cpus[:cpu], me, *state.cpus[cpu + 1 :]))


def _sorted(of: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(sorted(of.items()))


def _raised(of: tuple[tuple[str, int], ...], by: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """The larger of two versions, by place."""
    found = dict(of)
    for place, version in by:
        found[place] = max(found.get(place, 0), version)
    return tuple(sorted(found.items()))


def format_result(test: IfetchTest, result: Result) -> str:
    """The result, as herd7 writes it."""
    if result.why:
        return f"Test {test.name}\nNot decided: {result.why}\n"
    true = sum(holds for _, holds in result.finals)
    states = [" ".join(f"{name}={value};" for name, value in values) for values, _ in result.finals]
    return "\n".join([
        f"Test {test.name}", f"States {len(states)}", *states, f"Condition {test.condition}",
        f"Observation {test.name} {result.observation} {true} {len(states) - true}", f"Searched {result.states:,} states", "",
    ])  # fmt: skip
