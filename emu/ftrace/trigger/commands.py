# SPDX-License-Identifier: GPL-2.0-only
"""What is written to events/SYSTEM/EVENT/trigger.

    traceoff                                    tracing_on becomes 0 when the event happens
    stacktrace:5 if prev_pid > 10               the first five times that the filter holds
    enable_event:sched:sched_wakeup:1           another event is recorded from then on
    !stacktrace                                 no longer, whatever its count and its filter
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass

from emu.ftrace.errors import NotProvided, TraceError
from emu.ftrace.numbers import parse_c

__all__ = ["AVAILABLE", "EVENT_COMMANDS", "FUNCTION_COMMANDS", "TriggerCommand", "parse_count", "parse_trigger"]

EVENT_COMMANDS = ("enable_event", "disable_event")
AVAILABLE = ("traceon", "traceoff", "snapshot", "stacktrace", *EVENT_COMMANDS)
FUNCTION_COMMANDS = (*AVAILABLE, "dump", "cpudump")  # of set_ftrace_filter
_ABSENT = ("enable_hist", "disable_hist", "hist")  # what Linux 6.1 has besides

_LONGEST = 4095  # bytes of one write
_BLANK = re.compile("[ \t]")


@dataclass(frozen=True)
class TriggerCommand:
    """One command.

    Attributes:
        name: one of AVAILABLE.
        removes: the trigger is taken back, whatever count and condition say.
        target: system and name of the event that is switched; None: the command switches none.
        count: how often it acts; None: always.
        condition: a filter of the event's entries; None: there is none.
    """

    name: str
    removes: bool
    target: tuple[str, str] | None
    count: int | None
    condition: str | None


def parse_trigger(text: str) -> TriggerCommand:
    """Takes a command apart.

    Raises:
        TraceError: EINVAL, or ERANGE for a count that is too large.
    """
    if len(text.encode(errors="surrogateescape")) > _LONGEST:
        raise TraceError(errno.EINVAL, f"a trigger has at most {_LONGEST} bytes")
    name, rest = _split(text.strip(), "[: \t]")
    removes, name = name.startswith("!"), name.removeprefix("!")
    if name in _ABSENT:
        raise NotProvided(errno.EINVAL, "trigger", f"the trigger '{name}'")
    if name not in AVAILABLE:
        known = " ".join(AVAILABLE)
        raise TraceError(errno.EINVAL, f"there is no trigger '{name}' (there are: {known})", (name, AVAILABLE))
    rest = rest.lstrip()
    target = None
    if name in EVENT_COMMANDS or rest[:1].isdecimal():
        parameters, rest = _split(rest, _BLANK)
    else:
        parameters = ""
    given = parameters.split(":") if parameters else []
    if name in EVENT_COMMANDS:
        if len(given) < 2:
            raise TraceError(errno.EINVAL, f"{name}:SYSTEM:EVENT is needed")
        target, given = (given[0], given[1]), given[2:]
    if removes:
        return TriggerCommand(name, removes, target, None, None)
    count = parse_count(given[0]) if given else None
    return TriggerCommand(name, removes, target, count, _condition(rest.strip(), counted=count is not None))


def parse_count(text: str) -> int:
    """How often a trigger or a command is to act.

    Raises:
        TraceError: EINVAL if it is no number, ERANGE if it is too large.
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
    """The text before the first separator, and what follows it."""
    first, *rest = re.split(separator, text, maxsplit=1)
    return first, "".join(rest)
