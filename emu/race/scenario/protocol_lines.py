# SPDX-License-Identifier: GPL-2.0-only
"""Parses a scenario's protocol: `protocol NAME CHANGES`, or `protocol` followed by steps in indented lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from emu.ftrace.errors import did_you_mean
from emu.ftrace.sites.own_protocol import steps_of
from emu.ftrace.sites.protocol_file import protocol_of
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_steps import LAB_PROTOCOLS, PAIR, STEP_KINDS, LabStep, checked, stages
from emu.race.scenario.protocol_text import (
    MOST_LOCKS,
    NUMBERED,
    OF_A_SITE,
    STEPS,
    WIDTHS,
    ChangedProtocol,
    FileProtocol,
    NamedProtocol,
    ShippedProtocol,
    WrittenProtocol,
    WrittenWrite,
)
from emu.race.scenario.scenario import LabProtocol, Scenario
from emu.race.scenario.text_file import Line, TextFile, Word, one_line, quoted

__all__ = ["ProtocolParser", "protocols_allowed"]

_LONGEST = 100  # characters of a name that is compared with others
_MOST_STEPS = 1000
_MOST_CHANGES = 100


class ProtocolParser:
    """Parses the rest of a line `protocol`, and the indented lines below.

    Args:
        file: the file, for errors.
        scenario: the scenario, with the protocol's sites.
        folder: where FILE.py:FUNCTION is looked for; None: it is not allowed.
    """

    def __init__(self, file: TextFile, scenario: Scenario, folder: Path | None) -> None:
        self._file = file
        self._patches = model_patches(scenario)
        self._breakpoint = scenario.breakpoint
        self._arch = scenario.arch
        self._change = scenario.change
        self._folder = folder

    def protocol(
        self, line: Line, below: Sequence[Line], before: int = 0
    ) -> tuple[NamedProtocol | WrittenProtocol, list[LabStep]]:
        """The protocol, and its steps at the model's sites.

        Args:
            line: the line with its name, or without one.
            below: the lines with its steps.
            before: how many values of the line are before the name.
        """
        protocol: NamedProtocol | WrittenProtocol
        words = line.values[before:]
        if words:
            protocol = self._shipped_or_of_a_file(words[0])
            self._steps_of(protocol, words[0])
            protocol = self._changed(protocol, line, before)
        elif below:
            protocol = WrittenProtocol(tuple(map(self._step, below)))
        else:
            raise self._file.error(line.end, f"{quoted(line.head.text)} has no value; {protocols_allowed(LAB_PROTOCOLS)}")
        return protocol, self._steps_of(protocol, words[0] if words else line.head)

    def _steps_of(self, protocol: LabProtocol, at: Word) -> list[LabStep]:
        """The steps, all of which are within the sites."""
        function = protocol.function if isinstance(protocol, FileProtocol) else protocol
        try:
            steps = checked(steps_of(function, self._patches, self._breakpoint, STEP_KINDS), self._patches)
        except ValueError as error:
            raise self._file.error(at, f"the protocol cannot be performed: {error}") from None
        if len(steps) > _MOST_STEPS:
            raise self._file.error(at, f"the protocol has {len(steps)} steps; at most {_MOST_STEPS}")
        return steps

    def _shipped_or_of_a_file(self, word: Word) -> ShippedProtocol | FileProtocol:
        file = self._file
        if word.text in LAB_PROTOCOLS:
            if word.text == "breakpoint" and not self._breakpoint:
                others = protocols_allowed(name for name in LAB_PROTOCOLS if name != word.text)
                raise file.error(word, f"{self._arch} has no breakpoint for this protocol; {others}")
            if word.text == PAIR and not self._change.of_a_pair:
                others = protocols_allowed(name for name in LAB_PROTOCOLS if name != word.text)
                raise file.error(word, f"'{self._change}' is no change of a pair, as this protocol needs; {others}")
            return ShippedProtocol(word.text)
        if ":" not in word.text and not word.text.endswith(".py"):
            allowed = protocols_allowed(LAB_PROTOCOLS) + did_you_mean(word.text[:_LONGEST], LAB_PROTOCOLS)
            raise file.error(word, f"{quoted(word.text)} is no protocol; {allowed}")
        if self._folder is None:
            raise file.error(word, f"a file's protocol; {protocols_allowed(LAB_PROTOCOLS, files=False)}")
        try:
            function = protocol_of(word.text, self._folder)
        except ValueError as error:
            raise file.error(word, f"{error}; {protocols_allowed(LAB_PROTOCOLS)}") from None
        assert not isinstance(function, str)
        return FileProtocol(word.text, function)

    def _changed(self, protocol: ShippedProtocol | FileProtocol, line: Line, before: int) -> NamedProtocol:
        """The protocol, changed by the words after its name."""
        file = self._file
        changed: NamedProtocol = protocol
        words = list(line.values[before + 1 :])
        changes = 0
        while words:
            word = words.pop(0)
            changes += 1
            if changes > _MOST_CHANGES:
                raise file.error(word, f"more than {_MOST_CHANGES} changes of a protocol; fewer")
            change = file.choice(word, ("without", "swap"), "change of a protocol")
            count = len(stages(changed(self._patches, self._breakpoint)))
            numbers: list[int] = []
            while words and (words[0].text[:1].isdigit() or not numbers):
                number = file.number(words[0], range(1, count + 1), f"stage of `{one_line(changed.text)}`")
                if number in numbers:
                    raise file.error(words[0], f"stage {number} again; once is enough")
                numbers.append(number)
                del words[0]
            if change == "swap":
                if len(numbers) != 2:
                    raise file.error(word, f"'swap' has {len(numbers)} stages; two")
                changed = ChangedProtocol(changed, swap=(numbers[0], numbers[1]))
            elif numbers:
                changed = ChangedProtocol(changed, without=tuple(numbers))
            else:
                raise file.error(line.end, f"'without' has no value; a number from 1 to {count}")
        return changed

    def _step(self, line: Line) -> WrittenWrite | str:
        file, word = self._file, line.head
        sites = range(1, len(self._patches) + 1)
        if file.choice(word, ("write", *STEPS), "step") != "write":
            return self._other_step(line)
        values = list(line.values)
        by = next((n for n, value in enumerate(values) if value.text == "by"), len(values))
        values, widths = values[:by], values[by:]
        site = 0
        if values and values[0].text.isdigit():
            site = file.number(values.pop(0), sites, "site of the scenario")
        if len(values) < 2:
            raise file.error(line.end, "'write' lacks a word; write, a site's number or nothing, a part, a value")
        part, *data = values
        text = " ".join(word.text for word in data)
        step = WrittenWrite(part.text, text, site, self._widths(widths))
        patch = self._patches[max(site, 1) - 1]
        for at, check in (
            (part, lambda: step.bytes_of(len(patch.old), len(self._breakpoint))),
            (data[0], lambda: step.data(patch, self._breakpoint)),
            (widths[0] if widths else part, lambda: step.check_widths(len(step.bytes_of(len(patch.old), len(self._breakpoint))))),
        ):
            try:
                check()
            except ValueError as error:
                raise file.error(at, f"{quoted(at.text)}: {error}") from None
        return step

    def _other_step(self, line: Line) -> str:
        """A step that is no write."""
        file, word = self._file, line.head.text
        numbered = word in NUMBERED and bool(line.values)
        whose = "a site" if word in OF_A_SITE else "a lock"
        file.no_more(line, 1 + numbered, f"{whose}'s number or no value" if word in NUMBERED else "no value")
        if not numbered:
            return word
        if word in OF_A_SITE:
            return f"{word} {file.number(line.values[0], range(1, len(self._patches) + 1), 'site of the scenario')}"
        number = file.number(line.values[0], range(1, MOST_LOCKS + 1), "lock")
        return f"{word} {number}" if number > 1 else word

    def _widths(self, words: Sequence[Word]) -> tuple[int, ...]:
        """The widths of stores after `by`."""
        if len(words) == 1:
            raise self._file.error(words[0], f"'by' has no value; widths of stores: {', '.join(map(str, WIDTHS))}")
        widths = [str(width) for width in WIDTHS]
        return tuple(int(self._file.choice(word, widths, "width of a store")) for word in words[1:])


def protocols_allowed(names: Iterable[str], files: bool = True) -> str:
    """The end of an error, listing the available protocols."""
    return f"{', '.join(names)}{', FILE.py:FUNCTION' * files}, or nothing, and steps in indented lines below"
