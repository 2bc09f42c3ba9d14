# SPDX-License-Identifier: GPL-2.0-only
"""Commands of set_ftrace_filter that have a function do something when it is called.

schedule:traceoff        tracing_on becomes 0 whenever schedule() is called
vfs_*:traceon:3          these turn tracing on, each three times at most
!schedule:traceoff       no longer; `!vfs_*:traceon:0` takes back those with a count
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import TraceError
from emu.ftrace.filters import Functions, Pattern, SiteMask

__all__ = ["FunctionProbes"]

_SWITCHES = {"traceon": True, "traceoff": False}


@dataclass
class _Probe:
    """One command and its functions. `left`: by function number, how often it still acts; None: without limit."""

    command: str
    counted: bool
    left: dict[int, int | None] = field(default_factory=dict)

    @property
    def turns_on(self) -> bool:
        return _SWITCHES[self.command]


class FunctionProbes:
    """The commands of one trace array."""

    def __init__(self) -> None:
        self._probes: list[_Probe] = []  # the newest first, as in Linux

    def __bool__(self) -> bool:
        return bool(self._probes)

    @staticmethod
    def understands(word: str) -> bool:
        """Whether a word of a filter is such a command."""
        return len(parts := word.split(":")) > 1 and parts[1] in _SWITCHES

    def edit(self, word: str, functions: Functions) -> None:
        """Adds or takes back a command. A function that has it already keeps its count.

        Raises:
            TraceError: EINVAL, when no function matches, none has the command to be taken back, or the count is no number.
        """
        name, command, *rest = word.split(":")
        pattern = Pattern.parse(name.removeprefix("!"))
        numbers = functions.numbers[pattern.select(functions.names)].tolist()
        counted = bool(rest)
        if name.startswith("!"):
            self._remove(command, counted, numbers, word)
            return
        if not numbers:
            raise functions.unmatched(name, waits=False)
        count = _count(rest[0]) if counted else None
        probe = self._find(command, counted)
        if probe is None:
            probe = _Probe(command, counted)
            self._probes.insert(0, probe)
        for number in numbers:
            probe.left.setdefault(number, count)

    def _find(self, command: str, counted: bool) -> _Probe | None:
        return next((probe for probe in self._probes if (probe.command, probe.counted) == (command, counted)), None)

    def _remove(self, command: str, counted: bool, numbers: Iterable[int], word: str) -> None:
        probe = self._find(command, counted)
        gone = [number for number in numbers if probe and number in probe.left]
        if probe is None or not gone:
            raise TraceError(errno.EINVAL, f"no function has the command '{word[1:]}'")
        for number in gone:
            del probe.left[number]
        self._tidy()

    def _tidy(self) -> None:
        self._probes = [probe for probe in self._probes if probe.left]

    def keep(self, functions: Functions) -> None:
        """Drops the functions that no longer exist. `functions`: those that do."""
        for probe in self._probes:
            for number in np.setdiff1d(list(probe.left), functions.numbers).tolist():
                del probe.left[number]
        self._tidy()

    def sites(self, functions: Functions) -> SiteMask:
        """The sites that have a command."""
        return self._sites(functions, self._probes, exhausted=True)

    def of(self, number: int) -> list[str]:
        """The commands of a function, by its number."""
        return [probe.command for probe in self._probes if number in probe.left]

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """How many commands each site has."""
        return sum(
            (self._sites(functions, [probe], exhausted=True).astype(np.int64) for probe in self._probes),
            np.zeros(len(functions), np.int64),
        )

    def switching(self, functions: Functions, *, on: bool) -> SiteMask:
        """The sites that would turn tracing on, or off."""
        return self._sites(functions, [probe for probe in self._probes if probe.turns_on is on], exhausted=False)

    @staticmethod
    def _sites(functions: Functions, probes: Iterable[_Probe], *, exhausted: bool) -> SiteMask:
        numbers = [number for probe in probes for number, left in probe.left.items() if exhausted or left != 0]
        return np.isin(functions.numbers, numbers)

    def call(self, number: int, recording: bool) -> bool:
        """Runs a called function's commands; one that changes nothing does not count. Returns whether tracing is on."""
        for probe in self._probes:
            left = probe.left.get(number, 0)
            if left == 0 or probe.turns_on is recording:
                continue
            if left is not None:
                probe.left[number] = left - 1
            recording = probe.turns_on
        return recording

    def lines(self, functions: Functions) -> Iterator[str]:
        """The lines of set_ftrace_filter about them."""
        for probe in self._probes:
            for number in sorted(probe.left):
                left = probe.left[number]
                name = functions.names[int(np.searchsorted(functions.numbers, number))]
                yield f"{name}:{probe.command}:{'unlimited' if left is None else f'count={left}'}"


def _count(text: str) -> int:
    try:
        count = int(text, 0)
    except ValueError:
        count = -1
    if count < 0:
        raise TraceError(errno.EINVAL, f"'{text}' is no number of times")
    return count
