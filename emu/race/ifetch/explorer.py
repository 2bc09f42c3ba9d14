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

from collections.abc import Iterator
from dataclasses import dataclass

from emu.race.ifetch.herd_text import IfetchTest, Instruction, Value, register
from emu.race.ifetch.state import (
    Cpu,
    Since,
    State,
    Unsupported,
    Version,
    is_offset,
    number_of,
    put,
    raised,
    read,
    replaced,
    set_register,
    with_changes,
)  # fmt: skip

__all__ = ["ASSUMPTIONS", "Result", "explore", "format_result"]

ASSUMPTIONS = (
    "AArch64 without IDC and DIC: stores to code need DC CVAU and IC IVAU (Arm ARM, 'Concurrent modification and execution of "
    "instructions').",
    "Data are accessed in program order; a test whose accesses are not ordered by dependencies or barriers is not decided.",
    "Only NOP is stored, over an instruction that may be modified while others execute it (B, BL, NOP, BRK, SVC, HVC, SMC, ISB).",
)
_MOST_STATES = 200_000
_FULL = ("SY", "ISH", "OSH", "NSH", "")
# How many operands the instructions have that the lab knows.
_OPERANDS = {
    "NOP": (0,), "ISB": (0, 1), "DSB": (0, 1), "DMB": (0, 1), "DC CVAU": (1,), "IC IVAU": (1,), "LDR": (2,), "STR": (2,),
    "LDAR": (2,), "STLR": (2,), "B": (1,), "BL": (1,), "BR": (1,), "BLR": (1,), "RET": (0, 1), "CBZ": (2,), "CBNZ": (2,),
    "B.EQ": (1,), "BEQ": (1,),
    "B.NE": (1,), "BNE": (1,), "MOV": (2,), "ADD": (3,), "SUB": (3,), "EOR": (3,), "AND": (3,), "ORR": (3,), "CMP": (2,),
    "CSET": (2,), "ADR": (2,),
}  # fmt: skip
_BRANCHES = {"B.EQ": True, "BEQ": True, "B.NE": False, "BNE": False}


@dataclass(frozen=True)
class Result:
    """What was found.

    Attributes:
        finals: the final values of what the condition names, and whether it holds.
        why: why the test is not decided, as a sentence; "" if it is.
        states: the number of states.
        observation: whether the condition holds: Always, Sometimes or Never.
        ok: whether that is as the test claims; None if it is not decided.
    """

    finals: tuple[tuple[tuple[tuple[str, Value], ...], bool], ...] = ()
    why: str = ""
    states: int = 0
    observation: str = ""
    ok: bool | None = None


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
    ok = {"exists": true > 0, "~exists": true == 0, "forall": true == len(finals)}[test.quantifier]
    return Result(finals, "", count, word, ok and bool(finals))


class _Machine:
    def __init__(self, test: IfetchTest, accessed: dict[str, set[int]]) -> None:
        self._test, self._accessed = test, accessed
        self._patched = {place for place, cpus in accessed.items() if place.startswith("P")}

    def run(self, limit: int) -> tuple[set[tuple[tuple[tuple[str, Value], ...], bool]], int]:
        test = self._test
        cpus = tuple(
            Cpu((n, 0), tuple(test.registers.get((n, number), 0) for number in range(32))) for n in range(len(test.columns))
        )
        initial = (*test.registers.values(), *test.words.values())
        names = {value[1:] for value in initial if isinstance(value, str) and value[0] == "&"}
        first = State(cpus, tuple(sorted({**dict.fromkeys(names, 0), **test.words}.items())), ())
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

    def _values(self, state: State) -> dict[str, Value]:
        registers = {f"{n}:X{k}": value for n, cpu in enumerate(state.cpus) for k, value in enumerate(cpu.registers)}
        return {**dict(state.words), **registers}

    # Fetches

    def _moves(self, state: State, cpu: int) -> Iterator[State]:
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
            after = replaced(me, bounds=raised(me.bounds, stored.dropped))
            yield self._execute(put(state, cpu, after), cpu, Instruction("NOP"))

    def _note(self, place: str, cpu: int, *, fetch: bool = False) -> bool:
        """Notes an access. Returns whether the place is shared."""
        if fetch and place not in self._patched:
            return False
        cpus = self._accessed.setdefault(place, set())
        cpus.add(cpu)
        return len(cpus) > 1

    # Instructions

    def _execute(self, state: State, cpu: int, it: Instruction) -> State:
        me = state.cpus[cpu]
        column, at = me.pc
        name, operands = it.name, it.operands
        if len(operands) not in _OPERANDS.get(name, ()):
            raise Unsupported(f"the lab has no {name} {', '.join(operands)}".rstrip())
        me = replaced(me, pc=(column, at + 1))
        if name in ("NOP", "ISB", "DSB", "DMB", "DC CVAU", "IC IVAU"):
            return self._ordering(state, cpu, me, it)
        if name in ("LDR", "STR", "LDAR", "STLR"):
            return self._access(state, cpu, me, it)
        if name in ("B", "BL", "BR", "BLR", "RET", "CBZ", "CBNZ", *_BRANCHES):
            return put(state, cpu, self._branch(me, column, at, it))
        return put(state, cpu, self._compute(me, column, name, operands))

    def _branch(self, me: Cpu, column: int, at: int, it: Instruction) -> Cpu:
        name, operands = it.name, it.operands
        if name in ("CBZ", "CBNZ"):
            number = number_of(operands[0])
            value = read(me, number)
            if number in me.tainted:
                me = replaced(me, since=me.since._replace(control=True))
            taken = (value == 0) == (name == "CBZ")
            return replaced(me, pc=self._target(column, operands[1])) if taken else me
        if name in _BRANCHES:
            if me.equal[1]:
                me = replaced(me, since=me.since._replace(control=True))
            return replaced(me, pc=self._target(column, operands[0])) if me.equal[0] == _BRANCHES[name] else me
        if name in ("B", "BL"):
            to = self._target(column, operands[0])
        else:
            number = number_of(operands[0]) if operands else 30
            if number in me.tainted:
                me = replaced(me, since=me.since._replace(control=True))
            to = self._address(read(me, number))
        if name in ("BL", "BLR"):
            me = set_register(me, 30, f"P{column}:{at + 1}", tainted=False)
        return replaced(me, pc=to)

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

    def _compute(self, me: Cpu, column: int, name: str, operands: tuple[str, ...]) -> Cpu:
        numbers = [register(operand) for operand in operands]
        tainted = any(number in me.tainted for number in numbers[1:])

        def value(n: int) -> Value:
            number = numbers[n]
            if number is not None:
                return read(me, number)
            try:
                return int(operands[n].removeprefix("#"), 0)
            except ValueError:
                raise Unsupported(f"the lab has no {name} with {operands[n]}") from None

        if name == "CMP":
            tainted = any(number in me.tainted for number in numbers)
            return replaced(me, equal=(value(0) == value(1), tainted))
        target = numbers[0]
        if target is None:
            raise Unsupported(f"the lab has no {name} {', '.join(operands)}")
        if name == "CSET":
            if operands[1].upper() not in ("EQ", "NE"):
                raise Unsupported(f"the lab has no CSET {operands[1]}")
            return set_register(me, target, int(me.equal[0] == (operands[1].upper() == "EQ")), tainted=me.equal[1])
        if name == "ADR":
            return set_register(me, target, f"P{column}:{operands[1]}", tainted=False)
        if name == "MOV":
            return set_register(me, target, value(1), tainted=tainted)
        left, right = value(1), value(2)
        if name == "EOR" and left == right:
            return set_register(me, target, 0, tainted=tainted)
        if not (isinstance(left, int) and isinstance(right, int)):
            if name == "ADD" and 0 in (left, right):
                return set_register(me, target, left if right == 0 else right, tainted=tainted)
            if name == "AND" and 0 in (left, right):
                return set_register(me, target, 0, tainted=tainted)
            raise Unsupported(f"{name} of an address or of code")
        results = {"ADD": left + right, "SUB": left - right, "EOR": left ^ right, "AND": left & right, "ORR": left | right}
        return set_register(me, target, results[name], tainted=tainted)

    def _access(self, state: State, cpu: int, me: Cpu, it: Instruction) -> State:
        loads = it.name in ("LDR", "LDAR")
        value, base = number_of(it.operands[0]), it.operands[1].strip("[] ").split(",")
        numbers = [number_of(base[0]), *(number for part in base[1:] if (number := register(part)) is not None)]
        offset = any(part.strip(" #0") for part in base[1:] if is_offset(part))
        if offset or any(read(me, number) != 0 for number in numbers[1:]):
            raise Unsupported(f"the lab has no {it.name} {', '.join(it.operands)}")
        place = self._place(read(me, numbers[0]))
        by_address = any(number in me.tainted for number in numbers)
        by_data = not loads and value in me.tainted
        shared = self._note(place, cpu)
        if shared:
            self._check(me.since, place, loads=loads, dependent=by_address or by_data)
            access = "" if it.name == "LDAR" else "R" if loads else "W"
            me = replaced(me, since=Since(access, place), tainted=frozenset(), open=place, loaded=me.loaded or loads)
        if loads:
            code = dict(state.code).get(place)
            if place.startswith("P"):
                column, at = self._address(place)
                first = "NOP" if self._test.columns[column][at].name == "NOP" else f"code {place}"
                known: Value = code[-1].code if code else first
            else:
                known = dict(state.words).get(place, 0)
            return put(state, cpu, set_register(me, value, known, tainted=shared))
        stored = read(me, value)
        if place.startswith("P"):
            versions = dict(state.code).get(place, ())
            version = Version(stored, state.dropped)
            return put(with_changes(state, code={**dict(state.code), place: (*versions, version)}), cpu, me)
        return put(with_changes(state, words={**dict(state.words), place: stored}), cpu, me)

    def _check(self, since: Since, place: str, *, loads: bool, dependent: bool) -> None:
        """Checks that an access is ordered behind the last one."""
        ordered = (
            not since.access or since.place == place
            or (since.access == "R" and (dependent or since.loads or (since.control and not loads) or since.synchronised))
            or (since.access == "W" and since.stores and not loads)
        )  # fmt: skip
        if not ordered:
            raise Unsupported(f"the accesses to {since.place} and {place} are not ordered by a dependency or a barrier")

    def _ordering(self, state: State, cpu: int, me: Cpu, it: Instruction) -> State:
        kind = it.operands[0].upper() if it.operands else ""
        if it.name == "ISB":
            since = me.since._replace(synchronised=me.since.control or me.since.synchronised)
            loose = me.loose or (me.loaded and not since.synchronised)
            bounds = raised(me.bounds, state.dropped)
            return put(state, cpu, replaced(me, since=since, loose=loose, bounds=bounds, undone=frozenset()))
        if it.name in ("DC CVAU", "IC IVAU"):
            return self._maintain(state, cpu, me, it)
        if it.name in ("DSB", "DMB"):
            if kind in _FULL:
                me = replaced(me, since=Since(), tainted=frozenset())
                state = with_changes(state, cleaned=raised(state.cleaned, me.cleaning))
                me = replaced(me, cleaning=())
                me = replaced(me, fenced=it.name == "DMB" and bool(me.open))
                if it.name == "DSB":
                    me = replaced(me, open="", loaded=False)
                    state = with_changes(state, dropped=raised(state.dropped, me.dropping))
                    me = replaced(me, dropping=(), undone=me.undone | {place for place, _ in me.dropping})
            else:
                only_stores = kind.endswith("ST")
                since = me.since._replace(loads=me.since.loads or not only_stores, stores=me.since.stores or only_stores)
                if it.name == "DSB" and not only_stores and since.access == "R":
                    since = Since()
                    me = replaced(me, loaded=False)
                me = replaced(me, since=since)
        return put(state, cpu, me)

    def _maintain(self, state: State, cpu: int, me: Cpu, it: Instruction) -> State:
        number = number_of(it.operands[0])
        place = self._place(read(me, number))
        since = me.since
        cleans = it.name == "DC CVAU"
        same = since.access == "W" and since.place == place
        if since.access and not same and number not in me.tainted and not since.synchronised:
            raise Unsupported(f"{it.name} is not ordered behind the access to {since.place}")
        if not cleans and me.open and number not in me.tainted and not since.synchronised and me.fenced:
            raise Unsupported(f"{it.name} is ordered behind the access to {me.open} by a DMB only")
        if cleans:
            me = replaced(me, open=me.open or place)
            versions = dict(state.code).get(place, ())
            return put(state, cpu, replaced(me, cleaning=raised(me.cleaning, ((place, len(versions)),))))
        cleaned = dict(state.cleaned).get(place, 0)
        return put(state, cpu, replaced(me, dropping=raised(me.dropping, ((place, cleaned),))))


def format_result(test: IfetchTest, result: Result) -> str:
    """The result, as herd7 writes it."""
    if result.why:
        return f"Test {test.name}\nNot decided: {result.why}\n"
    true = sum(holds for _, holds in result.finals)
    ok = "Ok" if result.ok else "No"
    states = [" ".join(f"{name}={value};" for name, value in values) for values, _ in result.finals]
    return "\n".join([
        f"Test {test.name}", f"States {len(states)}", *states, ok, f"Condition {test.condition}",
        f"Observation {test.name} {result.observation} {true} {len(states) - true}", f"Searched {result.states:,} states", "",
    ])  # fmt: skip
