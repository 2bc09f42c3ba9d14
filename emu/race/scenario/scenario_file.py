# SPDX-License-Identifier: GPL-2.0-only
"""Reads scenarios from text files: a word and its values per line, in any order, below `scenario NAME`.

    scenario  breakpoint-without-4
    "the tail is not synchronised before the breakpoint is removed"
    place     5 13                      # two sites: their offsets in lines of 64 bytes
    protocol  breakpoint without 4      # a name or FILE.py:FUNCTION; or nothing, and steps in indented lines below
    expect    torn on torn1

The words are described in `Scenario`. `#` begins a comment.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from emu.architectures import ARCHITECTURES, DEFAULT_ARCHITECTURE
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.sites.patching import Release, Synchronise, Write
from emu.race.arch import load
from emu.race.model.cpu_state import MOST_BETWEEN
from emu.race.model.model_sites import MOST_SITES, model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.expectation_lines import expectations, model_of_word
from emu.race.scenario.protocol_lines import ProtocolParser, protocols_allowed
from emu.race.scenario.protocol_steps import LAB_PROTOCOLS
from emu.race.scenario.protocol_text import ShippedProtocol
from emu.race.scenario.scenario import (
    MOST_CPUS,
    PAGE,
    WHOLE,
    Deferral,
    Handler,
    Hotplug,
    OtherPatcher,
    Scenario,
    Stack,
    Wrong,
)
from emu.race.scenario.text_file import Line, TextFile, Word, one_line, quoted, read_text

__all__ = ["parse", "parse_lines", "read"]

_LONGEST = 1 << 16  # bytes
_LONGEST_NAME = 100  # characters
_MOST_VISITS = 100
_WORDS = (
    "scenario", "arch", "place", "change", "old", "new", "calls", "right", "protocol", "fails", "handler", "misses", "nmi",
    "irq", "idle", "into", "nests", "ist", "in-handler", "deaf", "user", "entry", "hotplug", "visits", "cpus", "stores", "fetch",
    "never", "live", "patcher", "expect",
)  # fmt: skip
_MOST_OTHERS = 3  # patchers beside the first one
_PREEMPTS = "preempts"
_LONGEST_CODE = 32  # bytes of a site whose code is given
_STORES = ("1", "2", "4", "8", "16", "64", "whole")
_BYTE = re.compile(r"[0-9a-fA-F]{2}")

Value = TypeVar("Value")
Name = TypeVar("Name", bound=StrEnum)


def read(path: Path) -> Scenario:
    """Reads the scenario in a file.

    Raises:
        TextError: the file cannot be read, or is not a scenario.
    """
    return parse(read_text(path, _LONGEST), path)


def parse(text: str, path: str | Path = "scenario") -> Scenario:
    """Parses the text of a scenario.

    Args:
        text: the file's contents.
        path: the file's name, for errors; FILE.py:FUNCTION is looked for in its folder.

    Raises:
        TextError: it is not a scenario.
    """
    file = TextFile(text, path)
    return parse_lines(file, file.lines, Path(path).parent)


def parse_lines(file: TextFile, lines: Sequence[Line], folder: Path | None) -> Scenario:
    """Parses the lines of a scenario, the first of which is `scenario NAME`.

    Args:
        file: the file, for errors.
        lines: the lines; those with the protocol's steps are indented more than the others.
        folder: where FILE.py:FUNCTION is looked for; None: it is not allowed.

    Raises:
        TextError: they are not a scenario.
    """
    return _Parser(file, lines, folder).scenario()


class _Parser:
    """Parses the lines of one scenario, by their first words."""

    def __init__(self, file: TextFile, lines: Sequence[Line], folder: Path | None) -> None:
        self._file = file
        self._folder = folder
        self._lines: dict[str, Line] = {}
        self._expected: list[Line] = []
        self._right: list[Line] = []
        self._steps: list[Line] = []
        self._others: list[tuple[Line, list[Line]]] = []
        self._about = ""
        if not lines or lines[0].head.text != "scenario":
            at = lines[0].head if lines else file.end
            raise file.error(at, "no scenario; its first line is `scenario NAME`")
        margin = min((line.indent for line in lines[1:]), default=0)
        before = lines[0]
        for number, line in enumerate(lines):
            if number and line.indent > margin:
                if not _has_steps_below(before):
                    raise file.error(line.head, "the line is indented; only steps below a `protocol` without a name are")
                (self._steps if before.head.text == "protocol" else self._others[-1][1]).append(line)
            else:
                self._take(line)
                before = line

    def _take(self, line: Line) -> None:
        file, word = self._file, line.head
        if word.text.startswith('"'):
            file.no_more(line, 1, "one sentence")
            if self._about:
                raise file.error(word, "a second sentence about the scenario; there is one")
            self._about = one_line(word.text[1:-1])
            return
        name = file.choice(word, _WORDS, "word of a scenario")
        if name == "expect":
            self._expected.append(line)
        elif name == "right":
            self._right.append(line)
        elif name == "patcher":
            if len(self._others) == _MOST_OTHERS:
                raise file.error(word, f"a patcher more than {1 + _MOST_OTHERS}; fewer")
            self._others.append((line, []))
        elif name in self._lines:
            raise file.error(word, f"{quoted(name)} again; it is in line {self._lines[name].head.line}")
        else:
            self._lines[name] = line

    def scenario(self) -> Scenario:
        file = self._file
        protocol_line = self._lines.get("protocol")
        if protocol_line is None:
            raise file.error(file.end, f"the scenario has no protocol; {protocols_allowed(LAB_PROTOCOLS)}")
        arch = self._one("arch", lambda word: file.choice(word, ARCHITECTURES, "architecture"), DEFAULT_ARCHITECTURE)
        change = self._change(arch)
        places = self._places(arch)
        sites = range(1, len(places) + 1)
        scenario = Scenario(
            self._name(self._lines["scenario"]),
            ShippedProtocol("flush"),
            "flush",
            self._about,
            arch,
            places,
            change,
            self._codes(),
            handler=self._one("handler", lambda word: self._named(word, Handler, "handler"), Handler.EMULATE),
            misses=self._sites("misses", sites),
            handler_sites=self._sites("in-handler", sites),
            nmi_sites=self._sites("nmi", sites),
            irq_sites=self._sites("irq", sites),
            idle_sites=self._sites("idle", sites),
            nests=self._flag("nests"),
            ist=self._set("ist", Stack, "stack"),
            hotplug=self._optional("hotplug", Hotplug, Hotplug.FREE, Hotplug.NONE),
            user="user" in self._lines,
            deferral=self._optional("user", Deferral, Deferral.WATCHING, Deferral.WATCHING),
            entry_sites=self._sites("entry", sites),
            visits=self._number("visits", range(_MOST_VISITS + 1), 0),
            cpus=self._number("cpus", range(1, MOST_CPUS + 1), 2),
        )
        scenario = dataclasses.replace(scenario, right=self._right_codes(scenario), calls=self._calls(scenario))
        scenario = dataclasses.replace(scenario, into=self._into(scenario))
        for name in ("handler", "misses", "in-handler", "nests", "ist"):
            if name in self._lines and not scenario.breakpoint:
                raise file.error(self._lines[name].head, f"'{name}' on {arch}, which has no breakpoints")
        if "entry" in self._lines and "user" not in self._lines:
            raise file.error(self._lines["entry"].head, "'entry' without `user`; only a CPU that begins in user mode enters")
        parser = ProtocolParser(file, scenario, self._folder)
        protocol, steps = parser.protocol(protocol_line, self._steps)
        others = tuple(self._other(parser, line, below) for line, below in self._others)
        for name in ("fails", "deaf"):
            if others and name in self._lines:
                raise file.error(self._lines[name].head, f"'{name}' with several patchers; one patcher, or without it")
        writes = sum(isinstance(step, Write) for step in steps)
        scenario = dataclasses.replace(
            scenario, protocol=protocol, protocol_text=protocol.text, others=others,
            fails_at=self._number("fails", range(1, writes + 1), 0),
        )  # fmt: skip
        synchronisations = sum(isinstance(step, Synchronise | Release) for step in scenario.steps(model_patches(scenario)))
        scenario = dataclasses.replace(
            scenario,
            deaf=self._numbers("deaf", range(1, synchronisations + 1), "synchronisation or release"),
            stores=self._one("stores", self._store, 0),
            fetch=self._models("fetch", scenario, "fetch model of " + arch),
            never=self._never(),
            live=self._flag("live"),
        )
        return dataclasses.replace(scenario, expect=expectations(file, self._expected, scenario))

    # The values of a line

    def _one(self, name: str, value: Callable[[Word], Value], default: Value) -> Value:
        line = self._lines.get(name)
        return default if line is None else value(self._file.one(line, "one value"))

    def _number(self, name: str, numbers: range, default: int) -> int:
        return self._one(name, lambda word: self._file.number(word, numbers, f"number for `{name}`"), default)

    def _named(self, word: Word, names: type[Name], what: str) -> Name:
        return names(self._file.choice(word, [name.value for name in names], what))

    def _flag(self, name: str) -> bool:
        line = self._lines.get(name)
        if line is not None:
            self._file.no_more(line, 1, "no value")
        return line is not None

    def _each(self, line: Line, value: Callable[[Word], Value], what: str) -> list[Value]:
        """The values of a line: at least one, without repetitions."""
        missing = f"{quoted(line.head.text)} has no value; at least one {what} is needed"
        return self._file.distinct(line.values, value, line.end, missing)

    def _numbers(self, name: str, numbers: range, what: str) -> frozenset[int]:
        line = self._lines.get(name)
        if line is None:
            return frozenset()
        return frozenset(self._each(line, lambda word: self._file.number(word, numbers, what), what))

    def _sites(self, name: str, sites: range) -> frozenset[int]:
        return self._numbers(name, sites, "site of the scenario")

    def _set(self, name: str, names: type[Name], what: str) -> frozenset[Name]:
        line = self._lines.get(name)
        return frozenset() if line is None else frozenset(self._each(line, lambda word: self._named(word, names, what), what))

    def _optional(self, name: str, names: type[Name], alone: Name, missing: Name) -> Name:
        """A line whose value may be missing, as may be the line."""
        line = self._lines.get(name)
        if line is None:
            return missing
        return self._one(name, lambda word: self._named(word, names, f"value of `{name}`"), alone) if line.values else alone

    # Each kind of line

    def _store(self, word: Word) -> int:
        text = self._file.choice(word, _STORES, "size of a store that is seen whole")
        return WHOLE if text == "whole" else int(text)

    def _bytes(self, line: Line, most: int) -> bytes:
        file = self._file
        for word in line.values:
            if not _BYTE.fullmatch(word.text):
                raise file.error(word, f"{quoted(word.text)} is no byte; two digits in hexadecimal")
        if not 1 <= len(line.values) <= most:
            raise file.error(line.end, f"{len(line.values)} bytes; 1 to {most}")
        return bytes(int(word.text, 16) for word in line.values)

    def _codes(self) -> tuple[bytes, bytes] | None:
        file, given = self._file, [name for name in ("old", "new") if name in self._lines]
        if not given:
            return None
        if len(given) == 1 or "change" in self._lines:
            other = "change" if len(given) == 2 else "old" if given == ["new"] else "new"
            how = "together with" if other == "change" else "without"
            raise file.error(self._lines[given[0]].head, f"'{given[0]}' {how} `{other}`; `old` and `new` instead of `change`")
        old, new = (self._bytes(self._lines[name], _LONGEST_CODE) for name in ("old", "new"))
        if len(old) != len(new):
            raise file.error(self._lines["new"].end, f"{len(new)} bytes for a site of {len(old)}; as many as `old` has")
        return old, new

    def _right_codes(self, scenario: Scenario) -> tuple[bytes, ...]:
        if len(self._right) > MOST_BETWEEN:
            raise self._file.error(self._right[MOST_BETWEEN].head, f"{len(self._right)} lines `right`; at most {MOST_BETWEEN}")
        size = len(model_patches(scenario)[0].old)
        return tuple(self._bytes(line, size) for line in self._right)

    def _into(self, scenario: Scenario) -> frozenset[int]:
        line = self._lines.get("into")
        if line is None:
            return frozenset()
        offsets = [str(offset) for offset in scenario.offsets[1:]]
        what = "offset of an instruction within the old code"
        if not offsets:
            raise self._file.error(line.head, "'into' a site of one instruction; there is nothing to jump to")
        return frozenset(self._each(line, lambda word: int(self._file.choice(word, offsets, what)), what))

    def _other(self, parser: ProtocolParser, line: Line, below: Sequence[Line]) -> OtherPatcher:
        preempts = [word.text for word in line.values[:1]] == [_PREEMPTS]
        protocol, _ = parser.protocol(line, below, int(preempts))
        return OtherPatcher(protocol, protocol.text, preempts)

    def _calls(self, scenario: Scenario) -> frozenset[str]:
        line = self._lines.get("calls")
        if line is None:
            return frozenset()
        if not scenario.codes:
            raise self._file.error(line.head, "'calls' without `old` and `new`; `change` says what calls")
        return frozenset(self._each(line, lambda word: self._file.choice(word, ("old", "new"), "code"), "code"))

    def _name(self, line: Line) -> str:
        if not line.values:
            raise self._file.error(line.end, "the scenario has no name; `scenario NAME`")
        for word in line.values:
            if '"' in word.text:
                raise self._file.error(word, "a quotation mark in a name; the sentence about the scenario is a line of its own")
        name = " ".join(one_line(word.text) for word in line.values)
        if len(name) > _LONGEST_NAME:
            raise self._file.error(line.values[0], f"the name has {len(name)} characters; at most {_LONGEST_NAME}")
        return name

    def _change(self, arch: str) -> Change:
        line = self._lines.get("change")
        if line is None:
            return Change.NOP_TO_CALL
        changes = [change.value for change in load(arch).changes]
        if not line.values:
            raise self._file.error(line.end, f"'change' has no value; {', '.join(changes)}")
        text = " ".join(word.text for word in line.values)
        return Change(self._file.choice(line.values[0]._replace(text=text), changes, f"change of {arch}"))

    def _places(self, arch: str) -> tuple[int, ...]:
        line = self._lines.get("place")
        if line is None:
            return (0,)
        if not line.values:
            raise self._file.error(line.end, "'place' has no value; an offset in a line for each site is needed")
        if len(line.values) > MOST_SITES:
            raise self._file.error(line.values[MOST_SITES], f"{len(line.values)} sites; at most {MOST_SITES}")
        offsets = range(0, PAGE, ftrace_arch.load(arch).cpu.instruction_alignment)
        what = f"offset of a site of {arch} in a page of {PAGE} bytes"
        return tuple(self._file.number(word, offsets, what) for word in line.values)

    def _models(self, name: str, scenario: Scenario, what: str) -> tuple[str, ...]:
        line = self._lines.get(name)
        return () if line is None else tuple(self._each(line, lambda word: model_of_word(self._file, word, scenario, what), what))

    def _never(self) -> frozenset[Wrong]:
        line = self._lines.get("never")
        if line is None:
            return frozenset(Wrong)
        what = "word for what may go wrong"
        return frozenset(self._each(line, lambda word: self._named(word, Wrong, what), what))


def _has_steps_below(line: Line) -> bool:
    """Whether indented lines with steps may follow."""
    names = line.values[line.head.text == "patcher" and [word.text for word in line.values[:1]] == [_PREEMPTS] :]
    return line.head.text in ("protocol", "patcher") and not names
