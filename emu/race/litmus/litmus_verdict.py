# SPDX-License-Identifier: GPL-2.0-only
"""The results of a litmus test's executions, in herd7's format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from emu.race.litmus.condition import FinalValue, Quantifier
from emu.race.litmus.litmus_text import Litmus
from emu.race.scenario.fetch import MODELS

__all__ = ["FinalState", "LitmusStep", "LitmusVerdict", "format_verdict", "format_witness"]

_TEST = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}
_LARGEST_DECIMAL = 9


@dataclass(frozen=True)
class LitmusStep:
    """One instruction of a schedule.

    Attributes:
        cpu: the CPU that executes it.
        address: the instruction's address.
        fetched: its bytes, as the CPU fetched them; b"" for the rest of a non-atomic store.
        memory: the bytes in memory at that moment.
        text: the instruction.
        end: why the CPU stops, if an exception ends it.
    """

    cpu: int
    address: int
    fetched: bytes
    memory: bytes
    text: str
    end: str = ""


@dataclass(frozen=True)
class FinalState:
    """One way in which all CPUs may end.

    Attributes:
        values: the values that the test shows.
        faults: the exceptions that ended CPUs, by CPU.
        holds: whether the proposition holds.
        schedule: a shortest schedule that leads here.
    """

    values: tuple[tuple[FinalValue, int], ...]
    faults: tuple[tuple[int, str], ...]
    holds: bool
    schedule: tuple[LitmusStep, ...]

    def __str__(self) -> str:
        shown = [f"{value}={number if number <= _LARGEST_DECIMAL else hex(number)};" for value, number in self.values]
        return " ".join([*shown, *(f"{cpu}:fault={name};" for cpu, name in self.faults)])


@dataclass(frozen=True)
class LitmusVerdict:
    """The result of a search of one litmus test under one fetch model.

    Attributes:
        litmus: the test.
        fetch: the name of the fetch model.
        finals: all final states found, in order.
        why: the limit that was reached before all states were seen; "" if none was.
        states: the number of distinct states seen.
        steps: the number of executed instructions.
        endless: the number of states from which the CPUs never end; None if unknown.
        assumptions: what the result assumes, a sentence each.
        seconds: the duration of the search. It is not compared.
    """

    litmus: Litmus
    fetch: str
    finals: tuple[FinalState, ...]
    why: str = ""
    states: int = 0
    steps: int = 0
    endless: int | None = 0
    assumptions: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def positive(self) -> int:
        """The number of final states that support the quantifier; for `~exists`, those for which the proposition is false."""
        return sum(state.holds != (self.litmus.quantifier is Quantifier.NOT_EXISTS) for state in self.finals)

    @property
    def negative(self) -> int:
        return len(self.finals) - self.positive

    @property
    def ok(self) -> bool | None:
        """Whether the claim holds; None if that is undecided. CPUs that never end prove nothing."""
        if not (self.finals or self.why):
            return False
        if self.litmus.quantifier is Quantifier.EXISTS:
            return True if self.positive else None if self.why else False
        return False if self.negative else None if self.why else True

    @property
    def witness(self) -> FinalState | None:
        """The final state that proves the result: one for which the proposition is true, or, for `forall`, false."""
        wanted = self.litmus.quantifier is not Quantifier.FORALL
        found = [state for state in self.finals if state.holds == wanted]
        return min(found, key=lambda state: len(state.schedule), default=None)


def format_verdict(verdict: LitmusVerdict) -> str:
    """A verdict in herd7's format, with final states counted instead of executions; then the size of the search."""
    litmus = verdict.litmus
    true = sum(state.holds for state in verdict.finals)
    false = len(verdict.finals) - true
    observation = "Sometimes" if true and false else "Always" if true else "Never"
    ok = {True: "Ok", False: "No", None: f"Not decided: {verdict.why}"}[verdict.ok]
    lines = [
        f"Test {litmus.name} {_TEST[litmus.quantifier]}",
        f"Fetch {verdict.fetch}: {MODELS[verdict.fetch].meaning}",
        f"States {len(verdict.finals)}",
        *map(str, verdict.finals),
        ok,
        "Witnesses",
        f"Positive: {verdict.positive} Negative: {verdict.negative}",
        f"Condition {litmus.condition_text}",
        f"Observation {litmus.name} {observation} {true} {false}",
        f"Searched {verdict.states:,} states, {verdict.steps:,} instructions{_rest(verdict)}",
    ]
    return "\n".join(lines) + "\n"


def _rest(verdict: LitmusVerdict) -> str:
    if verdict.why and verdict.ok is not None:
        return f"; not all: {verdict.why}"
    return f"; from {verdict.endless:,} states the CPUs never come to an end" if verdict.endless else ""


def format_witness(verdict: LitmusVerdict) -> str:
    """The instructions of the witness, with a column for each CPU; "" if there is no witness.

    The fetched bytes are below an instruction if memory held others.
    """
    witness = verdict.witness
    if witness is None:
        return ""
    rows = [("", [f"P{cpu}" for cpu in range(verdict.litmus.cpus)])]
    for number, step in enumerate(witness.schedule, 1):
        for line, text in enumerate(_cell(verdict.litmus, step)):
            row = [""] * verdict.litmus.cpus
            row[step.cpu] = text
            rows.append((str(number) if line == 0 else "", row))
    widths = [max(len(row[cpu]) for _, row in rows) for cpu in range(verdict.litmus.cpus)]
    left = max(len(number) for number, _ in rows)
    lines = [
        f"{number:>{left}}  {' | '.join(f'{text:{width}}' for text, width in zip(row, widths, strict=True))}".rstrip()
        for number, row in rows
    ]
    return "\n".join([*lines, f"=> {witness}"]) + "\n"


def _cell(litmus: Litmus, step: LitmusStep) -> Iterator[str]:
    """The lines of a step in a table."""
    labels = "".join(f"{name}: " for name, address in litmus.program.labels.items() if address == step.address and step.fetched)
    yield labels + step.text
    if step.fetched != step.memory:
        yield f"  fetched {step.fetched.hex(' ')}"
        yield f"  memory  {step.memory.hex(' ')}"
    if step.end:
        yield f"  {step.end}"
