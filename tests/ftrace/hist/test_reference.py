# SPDX-License-Identifier: GPL-2.0-only
"""Histograms of random definitions and events, compared with a short implementation in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.tracefs import TraceFS
from emu.machine import Machine

EVENT = "events/sched/sched_switch"
NUMBERS = ("prev_pid", "prev_prio", "prev_state", "next_pid", "common_pid")
STRINGS = ("prev_comm", "next_comm")
U64 = (1 << 64) - 1
OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: (a & U64) // (b & U64) if b & U64 else -1,
}
Entry = Mapping[str, int | str]


@dataclass(frozen=True)
class Part:
    """A key or a value: its text, and a function of the entry. Numbers are unsigned, as they are printed."""

    text: str
    of: Callable[[Entry], int | str]
    shown: Callable[[int | str], str]
    order: Callable[[int | str], int | bytes]

    @property
    def name(self) -> str:
        return self.text.partition(".")[0] if re.fullmatch(r"\w+(\.\w+(=\d+)?)?", self.text) else self.text


def signed(number: int | str) -> int:
    assert isinstance(number, int)
    return number - (1 << 64) if number >> 63 else number


def number(name: str) -> Callable[[Entry], int]:
    return lambda entry: int(entry[name]) & U64


def plain(name: str) -> Part:
    return Part(name, number(name), "{:>10}".format, signed)


def hexadecimal(name: str) -> Part:
    return Part(f"{name}.hex", number(name), "{:x}".format, signed)


def log2(name: str) -> Part:
    def power(entry: Entry) -> int:
        value = number(name)(entry)
        return next(n for n in range(65) if value <= 1 << n)

    return Part(f"{name}.log2", power, "~ 2^{:<2}".format, int)


def bucket(name: str, size: int) -> Part:
    def shown(start: int | str) -> str:
        return f"~ {start}-{int(start) + size - 1}"

    return Part(f"{name}.buckets={size}", lambda entry: number(name)(entry) // size * size, shown, int)


def operation(left: Part, operator: str, right: Part) -> Part:
    def value(entry: Entry) -> int:
        return OPERATORS[operator](int(left.of(entry)), int(right.of(entry))) & U64

    return Part(f"{left.text}{operator}{right.text}", value, "{:>10}".format, left.order)


def negated(part: Part) -> Part:
    return Part(f"-({part.text})", lambda entry: -int(part.of(entry)) & U64, "{:>10}".format, part.order)


def constant(value: int) -> Part:
    return Part(str(value), lambda entry: value, "{:>10}".format, int)


def string(name: str) -> Part:
    def order(text: int | str) -> bytes:
        return str(text).encode()

    return Part(name, lambda entry: str(entry[name])[:15], "{:<50}".format, order)


fields = st.sampled_from(NUMBERS).map(plain)
terms = st.tuples(fields, st.sampled_from("*/"), st.integers(1, 9).map(constant)).map(lambda parts: operation(*parts))
sums = st.tuples(fields | terms, st.sampled_from("+-"), fields | terms).map(lambda parts: operation(*parts))
expressions = terms | sums | st.tuples(fields, st.just("+"), fields).map(lambda parts: negated(operation(*parts)))
keys = (
    fields
    | st.sampled_from(STRINGS).map(string)
    | st.sampled_from(NUMBERS).map(hexadecimal)
    | st.sampled_from(NUMBERS).map(log2)
    | st.builds(bucket, st.sampled_from(NUMBERS), st.integers(1, 100))
    | expressions
)
values = fields | st.sampled_from(NUMBERS).map(hexadecimal) | expressions
HITCOUNT = Part("hitcount", lambda entry: 1, "{:>10}".format, int)


@dataclass(frozen=True)
class Definition:
    """A hist trigger. `sort`: indices of hitcount, values and keys, in this order, and whether descending."""

    keys: Sequence[Part]
    values: Sequence[Part]
    sort: Sequence[tuple[int, bool]]
    size: int
    condition: int | None

    @property
    def sortable(self) -> Sequence[Part]:
        return [HITCOUNT, *self.values, *self.keys]

    def __str__(self) -> str:
        """The text as the file shows it."""
        names = [self.sortable[index].text + ".descending" * down for index, down in self.sort]
        vals = ",".join(part.text for part in [HITCOUNT, *self.values])
        condition = "" if self.condition is None else f" if prev_pid != {self.condition}"
        keys = ",".join(key.text for key in self.keys)
        return f"hist:keys={keys}:vals={vals}:sort={','.join(names)}:size={self.size}{condition}"

    def table(self, entries: Sequence[Entry]) -> str:
        """The text of the file `hist`."""
        rows: dict[tuple[int | str, ...], list[int]] = {}
        drops = 0
        for entry in entries:
            key = tuple(part.of(entry) for part in self.keys)
            if entry["prev_pid"] == self.condition:
                continue
            if key not in rows and len(rows) == self.size:
                drops += 1
                continue
            row = rows.setdefault(key, [0] * (1 + len(self.values)))
            row[:] = [(was + int(part.of(entry))) & U64 for was, part in zip(row, [HITCOUNT, *self.values], strict=True)]
        found = list(rows.items())
        for index, down in reversed(self.sort):  # equal rows stay in their order, also if descending
            part = self.sortable[index]
            if index <= len(self.values):
                found.sort(key=lambda row, at=index: row[1][at], reverse=down)  # type: ignore[misc]  # a lambda's default
            else:
                at = index - 1 - len(self.values)
                found.sort(key=lambda row, at=at, part=part: part.order(row[0][at]), reverse=down)  # type: ignore[misc]
        lines = [self._line(key, row) for key, row in found]
        hits = sum(row[0] for row in rows.values())
        head = f"# event histogram\n#\n# trigger info: {self} [active]\n#\n\n"
        return f"{head}{''.join(lines)}\nTotals:\n    Hits: {hits}\n    Entries: {len(rows)}\n    Dropped: {drops}\n"

    def _line(self, key: tuple[int | str, ...], row: Sequence[int]) -> str:
        shown = ", ".join(f"{part.name}: {part.shown(value)}" for part, value in zip(self.keys, key, strict=True))
        sums = "".join(
            f"  {part.name}: {format(total, 'x' if part.text.endswith('.hex') else 'd'):>10}"
            for part, total in zip(self.values, row[1:], strict=True)
            if re.fullmatch(r"\w+(\.hex)?", part.text)
        )
        return f"{{ {shown} }} hitcount: {row[0]:>10}{sums}\n"


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    """Names differ, so that the sort keys are unambiguous."""
    parts = draw(st.lists(keys, min_size=1, max_size=3, unique_by=lambda part: part.name))
    names = {part.name for part in parts}
    summed = draw(st.lists(values.filter(lambda part: part.name not in names), max_size=2, unique_by=lambda part: part.name))
    sortable = range(1 + len(summed) + len(parts))
    sort = draw(st.lists(st.tuples(st.sampled_from(sortable), st.booleans()), min_size=1, max_size=2))
    return Definition(parts, summed, sort, draw(st.sampled_from((128, 2048))), draw(st.none() | st.integers(0, 3)))


small = st.integers(0, 3)
comms = st.sampled_from(("sh", "ls", "swapper/0", "kworker/u8:1-ev", "a b"))
entries = st.fixed_dictionaries(
    {
        "prev_pid": small | st.integers(-(1 << 31), (1 << 31) - 1),
        "prev_prio": small,
        "prev_state": small | st.integers(-(1 << 63), (1 << 63) - 1),
        "next_pid": small,
        "common_pid": small,
        "prev_comm": comms,
        "next_comm": comms,
    }
)


@settings(max_examples=40, deadline=None)
@given(definitions(), st.lists(entries, max_size=12))
def check(tracefs: TraceFS, definition: Definition, happened: Sequence[Entry]) -> None:
    tracefs.write(f"{EVENT}/trigger", str(definition))
    for entry in happened:
        shown = " ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in entry.items())
        tracefs.write(f"{EVENT}/inject", shown)
    assert tracefs.read(f"{EVENT}/trigger") == f"{definition} [active]\n"
    assert tracefs.read(f"{EVENT}/hist") == definition.table(happened)
    tracefs.write(f"{EVENT}/trigger", f"!{definition}")
    assert tracefs.read(f"{EVENT}/trigger").startswith("# Available triggers")


def test_random_ones(machine: Machine) -> None:
    """The file `trigger` shows what was written, and accepts it again."""
    check(machine.tracefs)


def test_a_table_that_is_full(machine: Machine) -> None:
    definition = Definition([plain("prev_pid")], [], [(0, True)], 128, None)
    happened = [{**dict.fromkeys(NUMBERS, 0), "prev_pid": n % 200, "prev_comm": "", "next_comm": ""} for n in range(300)]
    machine.tracefs.write(f"{EVENT}/trigger", str(definition))
    for entry in happened:
        machine.tracefs.write(f"{EVENT}/inject", f"prev_pid={entry['prev_pid']}")
    assert machine.tracefs.read(f"{EVENT}/hist") == definition.table(happened)
    machine.tracefs.write(f"{EVENT}/trigger", f"!{definition}")
