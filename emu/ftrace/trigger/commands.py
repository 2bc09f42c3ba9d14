# SPDX-License-Identifier: GPL-2.0-only
"""Parses writes to events/SYSTEM/EVENT/trigger.

    traceoff                                    sets tracing_on to 0 when the event happens
    stacktrace:5 if prev_pid > 10               acts the first five times that the filter matches
    enable_event:sched:sched_wakeup:1           starts to record another event
    !stacktrace                                 removes the trigger, whatever its count and its filter
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass

from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_c

__all__ = [
    "AVAILABLE", "EVENT_COMMANDS", "FUNCTION_COMMANDS", "HIST", "HIST_COMMANDS",
    "TriggerCommand", "parse_count", "parse_trigger", "split_trigger",
]  # fmt: skip

EVENT_COMMANDS = ("enable_event", "disable_event")
HIST_COMMANDS = ("enable_hist", "disable_hist")
HIST = "hist"  # has its own grammar (`emu.ftrace.hist.parse`)
_COMMON = ("traceon", "traceoff", "snapshot", "stacktrace", *EVENT_COMMANDS)
AVAILABLE = (*_COMMON, *HIST_COMMANDS, HIST)
FUNCTION_COMMANDS = (*_COMMON, "dump", "cpudump")  # in set_ftrace_filter

_LONGEST = 4095  # bytes per write
_BLANK = re.compile("[ \t]")


@dataclass(frozen=True)
class TriggerCommand:
    """One command.

    Attributes:
        name: one of AVAILABLE, but not HIST.
        removes: removes the trigger, whatever count and condition are given.
        target: system and name of the event to switch; None if the command switches none.
        count: how many times it acts; None: without limit.
        condition: a filter of the event's entries; None if there is none.
    """

    name: str
    removes: bool
    target: tuple[str, str] | None
    count: int | None
    condition: str | None


def split_trigger(text: str) -> tuple[str, bool, str]:
    """A command's name, whether it is a removal, and the rest of the text.

    Raises:
        TraceError: EINVAL.
    """
    if len(text.encode(errors="surrogateescape")) > _LONGEST:
        raise TraceError(errno.EINVAL, f"a trigger has at most {_LONGEST} bytes")
    name, rest = _split(text.strip(), "[: \t]")
    removes, name = name.startswith("!"), name.removeprefix("!")
    if name not in AVAILABLE:
        known = " ".join(AVAILABLE)
        raise TraceError(errno.EINVAL, f"there is no trigger '{name}' (there are: {known})", (name, AVAILABLE))
    return name, removes, rest.lstrip()


def parse_trigger(name: str, removes: bool, rest: str) -> TriggerCommand:
    """Parses a command that `split_trigger` has split, except HIST.

    Raises:
        TraceError: EINVAL, or ERANGE for a count that is too large.
    """
    target = None
    switches = name in EVENT_COMMANDS + HIST_COMMANDS
    if switches or rest[:1].isdecimal():
        parameters, rest = _split(rest, _BLANK)
    else:
        parameters = ""
    given = parameters.split(":") if parameters else []
    if switches:
        if len(given) < 2:
            raise TraceError(errno.EINVAL, f"{name}:SYSTEM:EVENT is needed")
        target, given = (given[0], given[1]), given[2:]
    if removes:
        return TriggerCommand(name, removes, target, None, None)
    count = parse_count(given[0]) if given else None
    return TriggerCommand(name, removes, target, count, _condition(rest.strip(), counted=count is not None))


def parse_count(text: str) -> int:
    """Parses the count of a trigger or a command.

    Raises:
        TraceError: EINVAL if it is not a number, ERANGE if it is too large.
    """
    count = parse_c(text)
    if count is None:
        if parse_c(text, 1 << 4 * len(text)) is None:
            raise TraceError(errno.EINVAL, f"'{text}' is no number of times")
        raise TraceError(errno.ERANGE, f"{text} is too large")
    return count


def _condition(text: str, *, counted: bool) -> str | None:
    """Raises TraceError: EINVAL."""
    if not text:
        return None
    word, condition = _split(text, _BLANK)
    if word != "if" or not condition:
        expected = "'if FILTER'" if counted else "a number of times or 'if FILTER'"
        raise TraceError(errno.EINVAL, f"'{text}': {expected} is needed")
    return condition


def _split(text: str, separator: str | re.Pattern[str]) -> tuple[str, str]:
    """The text before the first separator, and the text after it."""
    first, *rest = re.split(separator, text, maxsplit=1)
    return first, "".join(rest)
