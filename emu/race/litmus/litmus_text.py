# SPDX-License-Identifier: GPL-2.0-only
"""Parses litmus tests, in herd7's layout (diy.inria.fr/doc/herd.html), with instructions in assembler syntax.

    X86_64 NAME
    "what it shows"
    { x = 0; 1:rax = 0; 0:rbx = x; }     memory words (8 bytes each), registers; a name means its address
     P0          | P1          ;         a column for each CPU
     instruction | instruction ;         LABEL: names an address, also for other columns; `.align N + K`, `.byte N ...`
    fetch torn1 torn8                    fetch models; without this line, all of the architecture's
    exists (1:rax = 7 /\\ x = 1)         or ~exists (...), forall (...); `1:fault` is true if an exception ended the CPU

`(* ... *)` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from emu.ftrace.errors import did_you_mean, enumeration
from emu.race import arch as race_arch
from emu.race.litmus.arch import DATA, HEADS, MOST_CPUS, MOST_WORDS, LitmusArch, load
from emu.race.litmus.assembler import LABEL, NAME, Line, Program, assemble
from emu.race.litmus.condition import FinalValue, Proposition, Quantifier
from emu.race.litmus.condition_text import WORD_BITS, ConditionText, register_of, value_of
from emu.race.litmus.cursor import Cursor
from emu.race.scenario.fetch import ALIASES
from emu.race.scenario.text_file import TextError, Word, one_line, quoted, read_text

__all__ = ["Litmus", "parse", "read"]

_LONGEST = 1 << 16  # bytes
_LONGEST_LINE = 200  # characters of an instruction
_BRACE, _CLOSING, _SEMICOLON = (re.compile(re.escape(sign)) for sign in "{};")
_TYPE = r"(?:(?:u?int(?:8|16|32|64)?_t|int|long)\s*\*?\s+)?"
_DECLARED = re.compile(rf"{_TYPE}(?:\d{{1,3}}\s*:\s*)?%?{NAME}\s*(?=[;}}])")
_INFORMATION = re.compile(r"[A-Z]\w*=[^\n]*")
_ITEM = re.compile(rf"{_TYPE}(?:(?P<cpu>\d{{1,3}})\s*:\s*)?\[?(?P<name>%?{NAME})\]?\s*=\s*(?P<value>[^\s;}}]+)")
_FETCH = re.compile(r"fetch(?=\s)[ \t]*")
_AFTER_ROWS = re.compile(r"(~|exists\b|forall\b|locations\b|fetch\b)(?![^\n]*;[ \t]*(\n|$))|(locations\b)")
_BEHIND = "something behind a row; a row is one line, and ends with a semicolon (;)"


@dataclass(frozen=True)
class Litmus:
    """A litmus test.

    Attributes:
        name: the test's name.
        about: one sentence for readers.
        arch: one of emu.architectures.ARCHITECTURES.
        memory: the initial values of memory words, by name, in memory order.
        registers: for each CPU, the initial values of registers, by the full registers' names.
        program: the code.
        fetch: the names of the fetch models to test.
        quantifier: the claim about its final states.
        condition: the proposition.
        condition_text: the condition as written.
        shown: the values that make up a final state.
    """

    name: str
    about: str
    arch: str
    memory: Mapping[str, int]
    registers: tuple[Mapping[str, int], ...]
    program: Program
    fetch: tuple[str, ...]
    quantifier: Quantifier
    condition: Proposition
    condition_text: str
    shown: tuple[FinalValue, ...]

    @property
    def cpus(self) -> int:
        return len(self.program.begins)

    @property
    def addresses(self) -> Mapping[str, int]:
        """The addresses of the memory words."""
        return {name: DATA + 8 * n for n, name in enumerate(self.memory)}


def read(path: Path) -> Litmus:
    """Reads the test in a file.

    Raises:
        TextError: the file cannot be read, or is not a test.
    """
    return parse(read_text(path, _LONGEST), path)


def parse(text: str, path: str | Path = "litmus") -> Litmus:
    """Parses the text of a test.

    Args:
        text: the file's contents.
        path: the file's name, for errors.

    Raises:
        TextError: it is not a test.
    """
    return _Parser(text, str(path)).litmus()


class _Item(NamedTuple):
    """One of the initial values.

    Attributes:
        cpu: the register's CPU; -1 for a memory word.
    """

    cpu: int
    name: str
    value: str
    at: int
    value_at: int


class _Parser:
    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._cursor = Cursor(text, path)

    def litmus(self) -> Litmus:
        cursor = self._cursor
        if "\0" in cursor.text:
            raise cursor.error(cursor.text.index("\0"), "a NUL byte; a text has none")
        arch, name = self._head()
        about = self._about()
        items = self._items()
        columns = self._columns(arch)
        if arch.herd_head not in HEADS:
            items += self._undeclared(items, columns)
        words = {name: DATA + 8 * n for n, name in enumerate(self._words(items, arch))}
        self._check_labels(columns, arch, words)
        lines = [[part if isinstance(part, Line) else part.text for part in column] for column in columns]
        program = assemble(self._path, arch, lines, words)
        addresses = {**program.labels, **words}
        memory, registers = self._values(items, arch, addresses, len(columns))
        fetch = self._fetch(arch)
        condition = ConditionText(cursor, arch, len(columns), addresses, words)
        return Litmus(
            name, about, arch.name, memory, registers, program, fetch,
            condition.quantifier, condition.proposition, condition.text, condition.shown,
        )  # fmt: skip

    def _head(self) -> tuple[LitmusArch, str]:
        cursor = self._cursor
        cursor.skip()
        at, words = cursor.at, cursor.rest_of_line().split()
        heads = enumeration(list(HEADS), "or")
        known = {**{load(name).herd_head: name for name in HEADS.values()}, **HEADS}
        if not words or words[0] not in known or not words[0]:
            why = f"{quoted(words[0])} is no architecture" if words else "there is no test"
            raise cursor.error(at, f"{why}; the first line is {heads} and a name{did_you_mean(words[0], HEADS) if words else ''}")
        if len(words) != 2:
            why = f"{quoted(words[2])} is one word too many" if len(words) > 2 else "the test has no name"
            where = cursor.text.index(words[2], at + len(words[0]) + len(words[1])) if len(words) > 2 else at + len(words[0])
            raise cursor.error(where, f"{why}; the first line is {heads} and a name")
        cursor.at += len(cursor.rest_of_line())
        return load(known[words[0]]), words[1]

    def _about(self) -> str:
        cursor = self._cursor
        cursor.skip()
        line = cursor.rest_of_line().rstrip()
        if not line.startswith('"'):
            return ""
        if len(line) < 2 or not line.endswith('"') or '"' in line[1:-1]:
            raise cursor.error(cursor.at, 'the sentence is not one line between two quotation marks (")')
        cursor.at += len(line)
        return one_line(line[1:-1])

    def _items(self) -> list[_Item]:
        """The items between the braces."""
        cursor = self._cursor
        cursor.skip()
        while cursor.take(_INFORMATION):  # herd7's: what a generator says of the test
            cursor.skip()
        begin = cursor.at
        if not cursor.take(_BRACE):
            raise cursor.error(begin, "the initial state is missing; { NAME = VALUE; CPU:REGISTER = VALUE; } before the columns")
        items: list[_Item] = []
        while True:
            cursor.skip()
            if cursor.take(_CLOSING):
                return items
            at = cursor.at
            found = cursor.take(_ITEM)
            if not found and (declared := cursor.take(_DECLARED)) and not declared[0].strip().isidentifier():
                self._declared(declared[0], at, items)
                cursor.take(_SEMICOLON)
                continue
            if not found:
                cursor.at = at
            if not found:
                end = " (the closing } is missing)" if cursor.at == len(cursor.text) else ""
                raise cursor.error(at, f"no initial value{end}; NAME = VALUE; or CPU:REGISTER = VALUE;")
            cpu = int(found["cpu"]) if found["cpu"] else -1
            items.append(_Item(cpu, found["name"], found["value"], at, found.start("value")))
            cursor.skip()
            if not cursor.take(_SEMICOLON) and not _CLOSING.match(cursor.text, cursor.at):
                raise cursor.error(cursor.at, "a semicolon (;) is missing after an initial value")

    def _declared(self, text: str, at: int, items: list[_Item]) -> None:
        """A type and a name without a value, as herd7 has it: a word is 0; of a register, it says nothing."""
        name = text.split()[-1]
        if ":" not in text and name not in [item.name for item in items if item.cpu < 0]:
            items.append(_Item(-1, name, "0", at, at))

    def _undeclared(self, items: list[_Item], columns: list[list[Line | Word]]) -> list[_Item]:
        """Words of memory that nothing but a register's initial value names, as in herd7's tests: they are 0."""
        labels = {part.text for column in columns for part in column if isinstance(part, Word)}
        known = {item.name for item in items if item.cpu < 0} | labels
        named = {item.value: item for item in items if item.value.isidentifier() and item.value not in known}
        return [_Item(-1, name, "0", item.value_at, item.value_at) for name, item in named.items()]

    def _words(self, items: list[_Item], arch: LitmusArch) -> list[str]:
        """The names of the memory words."""
        names: list[str] = []
        for item in items:
            if item.cpu < 0:
                self._check_name(item.name, item.at, arch)
                if item.name in names:
                    raise self._cursor.error(item.at, f"{quoted(item.name)} has a value already; each word has one")
                names.append(item.name)
        if len(names) > MOST_WORDS:
            raise self._cursor.error(items[-1].at, f"{len(names)} words of memory; at most {MOST_WORDS}")
        return names

    def _check_name(self, name: str, at: int, arch: LitmusArch) -> None:
        if name.lower() in arch.words or name.startswith("%"):
            why = f"{quoted(name)} is a name of the assembly language; another name (a register is CPU:NAME)"
            raise self._cursor.error(at, why)

    def _columns(self, arch: LitmusArch) -> list[list[Line | Word]]:
        """The lines of each CPU, preceded by the labels of their addresses."""
        cursor = self._cursor
        cursor.skip()
        at, head = cursor.at, self._row()
        names = [text for _, text in head]
        for n, (where, text) in enumerate(head):
            if text != f"P{n}":
                raise cursor.error(where, f"{quoted(text)} instead of P{n}; the columns' heads are `P0 | P1 | ... ;`")
        if len(names) > MOST_CPUS:
            raise cursor.error(head[MOST_CPUS][0], f"{len(names)} CPUs; at most {MOST_CPUS}")
        columns: list[list[Line | Word]] = [[] for _ in names]
        while True:
            cursor.skip()
            if _AFTER_ROWS.match(cursor.text, cursor.at) or cursor.at == len(cursor.text):
                break
            row = self._row()
            if len(row) > len(names):
                raise cursor.error(row[len(names)][0], f"a row of {len(row)} columns; there are {len(names)} CPUs")
            for column, (where, text) in zip(columns, row, strict=False):
                column += self._cell(arch, where, text)
        if not any(isinstance(part, Line) for column in columns for part in column):
            raise cursor.error(at, "no CPU has an instruction; rows as `instruction | instruction ;` below the columns' heads")
        return columns

    def _row(self) -> list[tuple[int, str]]:
        """The cells of a line that ends with a semicolon: the offsets of their texts, and the texts."""
        cursor = self._cursor
        line = cursor.rest_of_line()
        text = line.rstrip()
        if not text.endswith(";"):
            if text.count(";") != 1:
                raise cursor.error(cursor.at + len(text), "a semicolon (;) is missing at the end of a row")
            raise cursor.error(cursor.at + text.index(";") + 1, _BEHIND)
        if ";" in text[:-1]:
            raise cursor.error(cursor.at + text.index(";") + 1, _BEHIND)
        found, at = [], cursor.at
        for cell in text[:-1].split("|"):
            found.append((at + len(cell) - len(cell.lstrip()), cell.strip()))
            at += len(cell) + 1
        cursor.at += len(line)
        return found

    def _cell(self, arch: LitmusArch, at: int, text: str) -> Iterator[Line | Word]:
        cursor = self._cursor
        while label := LABEL.match(text):
            yield cursor.word(at + label.start(1), label[1])
            at, text = at + label.end(), text[label.end() :]
        if text:
            if len(text) > _LONGEST_LINE or not text.isascii() or not text.isprintable():
                raise cursor.error(at, f"{quoted(text)} is no instruction; at most {_LONGEST_LINE} characters of ASCII")
            yield Line(arch.from_herd(text), cursor.word(at))

    def _check_labels(self, columns: list[list[Line | Word]], arch: LitmusArch, words: Mapping[str, int]) -> None:
        seen: dict[str, Word] = {}
        for column in columns:
            for part in column:
                if isinstance(part, Line):
                    continue
                why = ""
                if part.text in seen:
                    why = f"the label {quoted(part.text)} is in line {seen[part.text].line}, too; each label has one place"
                elif part.text in words:
                    why = f"the label {quoted(part.text)} is a word of memory, too; another name"
                elif part.text.lower() in arch.words:
                    why = f"the label {quoted(part.text)} is a name of the assembly language; another name"
                if why:
                    raise TextError(self._path, why, part.line, part.column)
                seen[part.text] = part

    def _values(
        self, items: list[_Item], arch: LitmusArch, addresses: Mapping[str, int], cpus: int
    ) -> tuple[Mapping[str, int], tuple[Mapping[str, int], ...]]:
        """The initial values of memory and, by CPU, of registers."""
        memory: dict[str, int] = {}
        registers: list[dict[str, int]] = [{} for _ in range(cpus)]
        for item in items:
            bits = WORD_BITS
            if item.cpu >= 0:
                register = register_of(self._cursor, arch, item.cpu, item.name, item.at, cpus)
                if register.whole in registers[item.cpu]:
                    why = f"CPU {item.cpu}'s {register.whole} has a value already; each register has one"
                    raise self._cursor.error(item.at, why)
                bits = register.bits
            value = value_of(self._cursor, item.value, item.value_at, bits, addresses)
            if item.cpu >= 0:
                registers[item.cpu][register.whole] = value << register.shift
            else:
                memory[item.name] = value
        return memory, tuple(registers)

    def _fetch(self, arch: LitmusArch) -> tuple[str, ...]:
        """The names of the fetch models: from a line `fetch`, or all."""
        cursor = self._cursor
        known = [model.name for model in race_arch.load(arch.name).fetch_models]
        found: list[str] = []
        while cursor.take(_FETCH):
            line, at = cursor.rest_of_line(), cursor.at
            for word in re.finditer(r"\S+", line):
                name = ALIASES.get(word[0], word[0])
                if name not in known:
                    allowed = enumeration(known, "or") + did_you_mean(word[0], known)
                    raise cursor.error(at + word.start(), f"{quoted(word[0])} is no fetch model of {arch.name}; {allowed}")
                if name not in found:
                    found.append(name)
            if not line.strip():
                raise cursor.error(at, f"`fetch` has no model; {enumeration(known, 'or')}")
            cursor.at += len(line)
            cursor.skip()
        return tuple(found or known)
