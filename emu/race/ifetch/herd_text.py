# SPDX-License-Identifier: GPL-2.0-only
"""Parses herd7's AArch64 tests: initial state, columns, and condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from emu.race.scenario.text_file import TextError, one_line, quoted

__all__ = ["IfetchTest", "Instruction", "Value", "parse", "register"]

_PATH = "test"
_LONGEST = 1 << 16  # characters
_DEEPEST = 50  # parentheses and ~ in each other
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_INITIAL = re.compile(r"\{(.*?)\}", re.DOTALL)
_QUANTIFIER = re.compile(r"^\s*(~\s*exists|exists|forall)\b", re.MULTILINE)
_ITEM = re.compile(r"(?:[\w\s]*\*?\s)?(?:(\d+)\s*:\s*([A-Za-z]\w*)|\[?([A-Za-z_]\w*)\]?)\s*=\s*(\S.*)")
_TOKEN = re.compile(r"\s*(/\\|\\/|~|\(|\)|(?:not|true|false)\b|(?:\d+:)?\[?[A-Za-z_]\w*\]?\s*=\s*[\w:#.-]+)")
_LABEL = re.compile(r"\s*([A-Za-z_]\w*)\s*:(?!:)\s*")
_REGISTER = re.compile(r"([XW])(30|[12]?\d|ZR)", re.IGNORECASE)

Value = int | str
"""A number; or "NOP", the code of one; "P1:L0", the address of an instruction; "&x", that of a word."""


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name in capitals, and its operands."""

    name: str
    operands: tuple[str, ...] = ()


@dataclass(frozen=True)
class IfetchTest:
    """A test.

    Attributes:
        name: its name.
        words: the initial values of memory.
        registers: those of registers, by CPU and number.
        columns: the instructions of each CPU.
        labels: by "P1:L0": the CPU and the number of the instruction behind it.
        quantifier: exists, ~exists or forall.
        condition: as written.
        holds: the condition, of the final values by name ("1:X9" or "x").
        shown: the names in the condition.
    """

    name: str
    words: Mapping[str, Value]
    registers: Mapping[tuple[int, int], Value]
    columns: tuple[tuple[Instruction, ...], ...]
    labels: Mapping[str, tuple[int, int]]
    quantifier: str
    condition: str
    holds: Callable[[Mapping[str, Value]], bool]
    shown: tuple[str, ...]


def register(name: str) -> int | None:
    """The number of a register, 31 for the one that is zero; None if it is none."""
    found = _REGISTER.fullmatch(name.strip())
    if not found:
        return None
    return 31 if found[2].upper() == "ZR" else int(found[2])


def parse(text: str, path: str = _PATH) -> IfetchTest:
    """Parses a test.

    Raises:
        TextError: it is none of those that the lab reads.
    """
    plain = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    head = plain.split(None, 2)
    initial, quantifier = _INITIAL.search(plain), _QUANTIFIER.search(plain)
    if len(head) < 2 or head[0] != "AArch64" or not initial or not quantifier or quantifier.start() < initial.end():
        raise TextError(path, "no test of herd7 for AArch64; `AArch64 NAME`, { ... }, columns and a quantifier", 1, 1)
    if len(text) > _LONGEST:
        raise TextError(path, f"the test has {len(text):,} characters; at most {_LONGEST:,}", 1, 1)
    rows = [row.split("|") for row in plain[initial.end() : quantifier.start()].split(";") if row.strip()]
    if not rows or [cell.strip() for cell in rows[0]] != [f"P{n}" for n in range(len(rows[0]))]:
        raise TextError(path, "no columns; their heads are `P0 | P1 | ... ;`", plain[: initial.end()].count("\n") + 1, 1)
    columns: list[list[Instruction]] = [[] for _ in rows[0]]
    labels: dict[str, tuple[int, int]] = {}
    for row in rows[1:]:
        for cpu, cell in enumerate(row[: len(columns)]):
            while label := _LABEL.match(cell):
                labels[f"P{cpu}:{label[1]}"] = cpu, len(columns[cpu])
                cell = cell[label.end() :]
            if cell.strip():
                columns[cpu].append(_instruction(cell))
    words, registers = _state(initial[1], labels)
    condition = " ".join(plain[quantifier.end() :].split())
    holds, shown = _condition(condition, labels, path, plain[: quantifier.end()].count("\n") + 1)
    return IfetchTest(
        head[1], words, registers, tuple(map(tuple, columns)), labels, "".join(quantifier[1].split()),
        f"{quantifier[1]} {condition}", holds, shown,
    )  # fmt: skip


def _instruction(text: str) -> Instruction:
    name, _, rest = text.strip().partition(" ")
    name = name.upper()
    operands = tuple(part.strip() for part in re.split(r",(?![^\[]*\])", rest) if part.strip())
    if name in ("DC", "IC"):
        return Instruction(f"{name} {operands[0].upper()}" if operands else name, operands[1:])
    return Instruction(name, operands)


def _state(text: str, labels: Mapping[str, tuple[int, int]]) -> tuple[dict[str, Value], dict[tuple[int, int], Value]]:
    words: dict[str, Value] = {}
    registers: dict[tuple[int, int], Value] = {}
    for item in text.split(";"):
        found = _ITEM.fullmatch(item.strip())
        if not found:
            continue
        if found[1]:
            number = register(found[2])
            if number is not None:
                registers[int(found[1]), number] = _value(found[4].strip(), labels)
        else:
            words[found[3]] = _value(found[4].strip(), labels)
    return words, registers


def _value(text: str, labels: Mapping[str, tuple[int, int]]) -> Value:
    text = text.removeprefix("instr:").strip('"# ')
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text):
        return int(text, 0)
    if text.upper() == "NOP":
        return "NOP"
    full = [name for name in labels if text in (name, name.split(":")[1])]
    return full[0] if full else f"&{text}"


def _condition(
    text: str, labels: Mapping[str, tuple[int, int]], path: str, line: int
) -> tuple[Callable[[Mapping[str, Value]], bool], tuple[str, ...]]:
    tokens: list[str] = []
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if not found:
            what = one_line(text[at : at + 30])
            raise TextError(path, f"'{what}' is nothing of a condition; 1:X9=1, x=1, /\\, \\/, ~ and parentheses", line, 1)
        tokens.append(found[1])
        at = found.end()
    if max(tokens.count("("), tokens.count("~") + tokens.count("not")) > _DEEPEST:
        raise TextError(path, f"more than {_DEEPEST} parentheses or ~ in the condition; fewer", line, 1)
    shown: list[str] = []

    def any_of(rest: list[str]) -> Callable[[Mapping[str, Value]], bool]:
        parts = [all_of(rest)]
        while rest and rest[0] == "\\/":
            rest.pop(0)
            parts.append(all_of(rest))
        return lambda values: any(part(values) for part in parts)

    def all_of(rest: list[str]) -> Callable[[Mapping[str, Value]], bool]:
        parts = [one(rest)]
        while rest and rest[0] == "/\\":
            rest.pop(0)
            parts.append(one(rest))
        return lambda values: all(part(values) for part in parts)

    def one(rest: list[str]) -> Callable[[Mapping[str, Value]], bool]:
        token = rest.pop(0) if rest else ""
        if token in ("~", "not"):
            inner = one(rest)
            return lambda values: not inner(values)
        if token == "(":
            found = any_of(rest)
            if not rest or rest.pop(0) != ")":
                raise TextError(path, "a parenthesis of the condition is not closed; )", line, 1)
            return found
        if "=" not in token:
            raise TextError(path, f"{quoted(token)} in the condition; NAME=VALUE", line, 1)
        name, _, value = (part.strip() for part in token.partition("="))
        cpu, _, own = name.rpartition(":")
        number = register(own)
        name = f"{cpu}:X{number}" if cpu and number is not None else own.strip("[]")
        wanted = _value(value, labels)
        if name not in shown:
            shown.append(name)
        return lambda values: values.get(name, 0) == wanted

    holds = any_of(tokens)
    if tokens:
        raise TextError(path, f"{quoted(tokens[0])} behind the condition; it is the last of a test", line, 1)
    return holds, tuple(shown)
