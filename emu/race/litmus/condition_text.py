# SPDX-License-Identifier: GPL-2.0-only
"""Parses the end of a litmus test, in herd7's syntax: a quantifier and a proposition."""

from __future__ import annotations

import re
from collections.abc import Mapping

from emu.ftrace.errors import did_you_mean, enumeration
from emu.race.litmus.arch import LitmusArch, Register
from emu.race.litmus.assembler import NAME, number
from emu.race.litmus.condition import And, Equal, Fault, FinalValue, Not, Or, Proposition, Quantifier
from emu.race.litmus.cursor import Cursor
from emu.race.scenario.text_file import quoted

__all__ = ["WORD_BITS", "ConditionText", "register_of", "value_of"]

WORD_BITS = 64  # of a memory word
_DEEPEST = 50  # nested parentheses
_MOST_SHOWN = 12  # names in an error
_OPEN, _CLOSE, _NOT, _EQUAL, _AND, _OR = (re.compile(re.escape(sign)) for sign in ("(", ")", "~", "=", "/\\", "\\/"))
_BRACKET, _SEMICOLON = re.compile(r"\]"), re.compile(";")
_VALUE = re.compile(r"[-\w.]+")
_FINAL = re.compile(rf"(?:(?P<cpu>\d{{1,3}})\s*:\s*)?(?P<open>\[)?(?P<name>%?{NAME})(?(open)\])")
_QUANTIFIER = re.compile(r"(~exists|exists|forall)(?=[\s(])")
_LOCATIONS = re.compile(r"locations\s*\[")


def register_of(cursor: Cursor, arch: LitmusArch, cpu: int, name: str, at: int, cpus: int) -> Register:
    """A register of an existing CPU."""
    if cpu >= cpus:
        raise cursor.error(at, f"there is no CPU {cpu}; {f'CPUs 0 to {cpus - 1}' if cpus > 1 else 'only CPU 0'}")
    found = arch.registers.get(name.removeprefix(arch.register_prefix).lower())
    if found is None:
        known = list(arch.registers)
        raise cursor.error(at, f"{quoted(name)} is no register of {arch.name}; one as {known[0]} or {known[-1]}"
                           f"{did_you_mean(name[:20], known)}")  # fmt: skip
    return found


def value_of(cursor: Cursor, text: str, at: int, bits: int, addresses: Mapping[str, int]) -> int:
    """A number that fits in so many bits, or the address of a name."""
    value = addresses[text] if text in addresses else number(text)
    if value is None:
        names = f", or the address of {enumeration(sorted(addresses)[:_MOST_SHOWN], 'or')}" if addresses else ""
        raise cursor.error(at, f"{quoted(text)} is no value; a decimal or hexadecimal (0x) number{names}")
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise cursor.error(at, f"{quoted(text)} does not fit; a number of {bits} bits")
    return value & (1 << bits) - 1


class ConditionText:
    """The quantifier and its proposition, at the end of the text."""

    def __init__(
        self, cursor: Cursor, arch: LitmusArch, cpus: int, addresses: Mapping[str, int], words: Mapping[str, int]
    ) -> None:
        self._cursor, self._arch, self._cpus = cursor, arch, cpus
        self._addresses, self._words = addresses, words
        self._values: set[FinalValue] = set()
        cursor.skip()
        allowed = "exists (...), ~exists (...) or forall (...) after the columns"
        if cursor.take(_LOCATIONS):
            self._locations()
        begin = cursor.at
        found = cursor.take(_QUANTIFIER)
        if not found:
            rest = cursor.rest_of_line()
            what = f"{quoted(rest)} is no quantifier" if rest else "the quantifier is missing"
            raise cursor.error(begin, f"{what}; {allowed}")
        self.quantifier = Quantifier(found[1])
        self.proposition = self._any(0)
        cursor.skip()
        if cursor.at < len(cursor.text):
            raise cursor.error(cursor.at, f"{quoted(cursor.rest_of_line())} behind the proposition; it is the last of a test")
        self.text = " ".join(cursor.text[begin:].split())
        self.shown = tuple(sorted(self._values, key=lambda value: (value.cpu < 0, value)))

    def _locations(self) -> None:
        """The additional values to print: `locations [x; 1:rax;]`."""
        while True:
            self._cursor.skip()
            if self._cursor.take(_BRACKET):
                self._cursor.skip()
                return
            self._final_value()
            self._cursor.skip()
            if not self._cursor.take(_SEMICOLON) and not _BRACKET.match(self._cursor.text, self._cursor.at):
                raise self._cursor.error(self._cursor.at, "`locations` is not complete; locations [NAME; CPU:REGISTER;]")

    def _any(self, depth: int) -> Proposition:
        found = self._all(depth)
        while self._sign(_OR):
            found = Or(found, self._all(depth))
        return found

    def _all(self, depth: int) -> Proposition:
        found = self._one(depth)
        while self._sign(_AND):
            found = And(found, self._one(depth))
        return found

    def _sign(self, pattern: re.Pattern[str]) -> bool:
        self._cursor.skip()
        return self._cursor.take(pattern) is not None

    def _one(self, depth: int) -> Proposition:
        cursor = self._cursor
        if depth > _DEEPEST:
            raise cursor.error(cursor.at, f"more than {_DEEPEST} parentheses and ~ in each other; fewer")
        if self._sign(_NOT):
            return Not(self._one(depth + 1))
        begin = cursor.at
        if self._sign(_OPEN):
            found = self._any(depth + 1)
            if not self._sign(_CLOSE):
                line = cursor.word(begin).line
                raise cursor.error(cursor.at, f"the parenthesis of line {line} is not closed; /\\, \\/ or )")
            return found
        value = self._final_value()
        if isinstance(value, Fault):
            return value
        if not self._sign(_EQUAL):
            raise cursor.error(cursor.at, f"no number for {value}; {value} = NUMBER")
        cursor.skip()
        text = cursor.take(_VALUE)
        bits = self._arch.registers[value.name].bits if value.cpu >= 0 else WORD_BITS
        shown = text[0] if text else cursor.rest_of_line()
        return Equal(value, value_of(cursor, shown, text.start() if text else cursor.at, bits, self._addresses))

    def _final_value(self) -> FinalValue | Fault:
        cursor = self._cursor
        cursor.skip()
        begin = cursor.at
        found = cursor.take(_FINAL)
        if not found:
            shown = cursor.rest_of_line() or "the end"
            allowed = "CPU:REGISTER, CPU:fault or a word of memory"
            raise cursor.error(begin, f"{quoted(shown)} is nothing that ends with a value; {allowed}")
        if not found["cpu"]:
            if found["name"] not in self._words:
                known = enumeration(list(self._words), "or") if self._words else "there is none"
                raise cursor.error(begin, f"{quoted(found['name'])} is no word of memory; {known}")
            value = FinalValue(-1, found["name"])
        else:
            cpu, name = int(found["cpu"]), found["name"]
            if name == "fault" and cpu < self._cpus:
                return Fault(cpu)
            register_of(cursor, self._arch, cpu, name, begin, self._cpus)
            value = FinalValue(cpu, name.removeprefix(self._arch.register_prefix).lower())
        self._values.add(value)
        return value
