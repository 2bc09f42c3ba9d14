# SPDX-License-Identifier: GPL-2.0-only
"""Commands of set_ftrace_filter, which act when a function is called.

schedule:traceoff                           sets tracing_on to 0 whenever schedule() is called
vfs_*:traceon:3                             these turn tracing on, at most three times each
schedule:enable_event:sched:sched_wakeup:1  starts to record an event
!schedule:traceoff                          removes the command; `!vfs_*:traceon:0` removes commands with a count
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFile
from emu.ftrace.native import trace_records
from emu.ftrace.native.trace_values import AFTER, BEFORE
from emu.ftrace.sites.filters import Functions, Pattern, SiteMask
from emu.ftrace.trigger.commands import EVENT_COMMANDS, FUNCTION_COMMANDS, parse_count
from emu.ftrace.trigger.consumers import Consumer, Consumers

__all__ = ["FunctionProbes"]

_DUMPS = {"dump": 1, "cpudump": None}  # how many times each acts, whatever count is written


@dataclass(frozen=True)
class _Command:
    """The part of a word after the function's name and a colon. Text after the count is ignored, as in Linux."""

    name: str
    target: EventFile | None
    counted: bool
    count: str

    @classmethod
    def parse(cls, text: str, consumers: Consumers) -> _Command:
        """Raises TraceError: EINVAL if the event does not exist."""
        name, *rest = text.split(":")
        target = None
        if name in EVENT_COMMANDS:
            if len(rest) < 2:
                raise TraceError(errno.EINVAL, f"{name}:SYSTEM:EVENT is needed")
            target, rest = consumers.target(rest[0], rest[1]), rest[2:]
        return cls(name, target, bool(rest) and name not in _DUMPS, rest[0] if rest else "")

    def times(self) -> int | None:
        """How many times the command acts; None: without limit. Raises TraceError: EINVAL, ERANGE."""
        return _DUMPS[self.name] if self.name in _DUMPS else parse_count(self.count) if self.counted else None


@dataclass
class _Probe:
    """A command and its functions (Linux: struct ftrace_func_probe).

    Attributes:
        consumers: the command's consumer for each function, by the function's number.
        after_tracer: the tracer was set later, so it sees a call first.
    """

    command: str
    counted: bool
    consumers: dict[int, Consumer] = field(default_factory=dict)
    after_tracer: bool = False


class FunctionProbes:
    """The commands of one trace array.

    Args:
        consumers: makes the consumers that act on the array.
    """

    def __init__(self, consumers: Consumers) -> None:
        self._consumers = consumers
        self._probes: list[_Probe] = []  # newest first, as in Linux

    def __bool__(self) -> bool:
        return bool(self._probes)

    @staticmethod
    def understands(word: str) -> bool:
        """Whether a word of a filter is such a command."""
        return len(parts := word.split(":")) > 1 and parts[1] in FUNCTION_COMMANDS

    def edit(self, word: str, functions: Functions) -> None:
        """Adds or removes a command.

        Raises:
            TraceError: EINVAL if no function matches, all that match have the command already, none has the command to remove,
            the
                event does not exist, or the count is not a number; ERANGE if the count is too large; ENOMEM.
        """
        name, _, text = word.partition(":")
        pattern = Pattern.parse(name.removeprefix("!"))
        numbers = functions.numbers[pattern.select(functions.names)].tolist()
        command = _Command.parse(text, self._consumers)
        probe = self._find(command)
        if name.startswith("!"):
            gone = [number for number in numbers if probe and number in probe.consumers]
            if probe is None or not gone:
                raise TraceError(errno.EINVAL, f"no function has the command '{word[1:]}'")
            self._drop(probe, gone)
            return
        count = command.times()
        if not numbers:
            raise functions.unmatched(name, waits=False)
        new = [number for number in numbers if probe is None or number not in probe.consumers]
        if not new:
            raise TraceError(errno.EINVAL, f"'{word}': there is this command already")
        made = {number: self._consumers.make(command.name, command.target, count, at_function=True) for number in new}
        if probe is None:
            probe = _Probe(command.name, command.counted)
            self._probes.insert(0, probe)
        probe.consumers |= made

    def _find(self, command: _Command) -> _Probe | None:
        return next((one for one in self._probes if (one.command, one.counted) == (command.name, command.counted)), None)

    def _drop(self, probe: _Probe, numbers: Collection[int]) -> None:
        for number in numbers:
            probe.consumers.pop(number).release()
        if not probe.consumers:
            self._probes.remove(probe)

    def _drop_where(self, gone: Callable[[int, Consumer], bool]) -> None:
        for probe in list(self._probes):
            self._drop(probe, [number for number, does in probe.consumers.items() if gone(number, does)])

    def keep(self, functions: Functions) -> None:
        """Drops functions that no longer exist. `functions`: those that exist."""
        existing = set(functions.numbers.tolist())
        self._drop_where(lambda number, does: number not in existing)

    def forget(self, calls: Collection[EventCall]) -> None:
        """Drops commands that switch events that are gone."""
        self._drop_where(lambda number, does: does.target is not None and does.target.call in calls)

    def tracer_set(self) -> None:
        """A tracer has been set: it sees calls before these commands, as in Linux's list of struct ftrace_ops."""
        for probe in self._probes:
            probe.after_tracer = True

    def sites(self, functions: Functions) -> SiteMask:
        """The sites that have a command."""
        return np.isin(functions.numbers, [number for probe in self._probes for number in probe.consumers])

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """How many commands each site has."""
        return sum(
            (np.isin(functions.numbers, list(probe.consumers)).astype(np.int64) for probe in self._probes),
            np.zeros(len(functions), np.int64),
        )

    def of(self, number: int) -> list[str]:
        """The commands of a function, by its number."""
        return [probe.command for probe in self._probes if number in probe.consumers]

    def chains(self, functions: Functions) -> dict[int, list[trace_records.Consumer]]:
        """The consumers of each site with a command, by the site's index, in the order in which they act."""
        chains: dict[int, list[trace_records.Consumer]] = {}
        for probe in self._probes:
            sites = np.searchsorted(functions.numbers, list(probe.consumers))
            for site, does in zip(sites.tolist(), probe.consumers.values(), strict=True):
                does.record.post = AFTER if probe.after_tracer else BEFORE
                chains.setdefault(site, []).append(does.record)
        return chains

    def lines(self, functions: Functions) -> Iterator[str]:
        """The lines for these commands in set_ftrace_filter."""
        for probe in self._probes:
            for number, does in sorted(probe.consumers.items()):
                name = functions.names[int(np.searchsorted(functions.numbers, number))]
                yield f"{name}:{does}"
