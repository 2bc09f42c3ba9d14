# SPDX-License-Identifier: GPL-2.0-only
"""The options of `emu run` about events: each -f and -R is about the event of the -e before it, as trace-cmd has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from emu.ftrace.tracefs import TraceFS

__all__ = ["EventChoice", "event_choices", "event_option"]

_LETTERS = ("-e", "-f", "-R")
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass
class EventChoice:
    """One -e, with the -f and -R that follow it."""

    event: str
    filters: list[str] = field(default_factory=list)
    triggers: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        """What set_event takes."""
        return "*:*" if self.event == "all" else self.event

    def settings(self, tracefs: TraceFS) -> Iterator[tuple[str, str, str]]:
        """The filter and the triggers: each time what an error is about, the file and what is written to it.

        Raises:
            click.ClickException: triggers are for a system.
        """
        if not (self.filters or self.triggers):
            return
        systems, events = self._found(tracefs)

        def subject(option: str, path: str) -> str:
            return option if len(systems) + len(events) == 1 else f"{option}, {path.replace('/', ':')}"

        if self.filters:
            first, *others = self.filters
            text = " && ".join(f"({one})" for one in self.filters) if others else first
            for path in (*systems, *events):
                yield subject("-f", path), f"events/{path}/filter", text
        if systems and self.triggers:
            raise click.ClickException(f"-R: '{self.event}' is a system; only an event, SYSTEM:EVENT, has triggers")
        for path in events:
            for trigger in self.triggers:
                yield subject("-R", path), f"events/{path}/trigger", trigger

    def _found(self, tracefs: TraceFS) -> tuple[list[str], list[str]]:
        """The systems and the events that -e names: their folders in `events`."""
        known = [line.split(":") for line in tracefs.read("available_events").splitlines()]
        system, colon, event = ("*", ":", "") if self.event == "all" else self.event.partition(":")
        if event:
            return [], [f"{of}/{name}" for of, name in known if fnmatchcase(of, system) and fnmatchcase(name, event)]
        systems = list(dict.fromkeys(of for of, _ in known if fnmatchcase(of, system)))
        return systems, [f"{of}/{name}" for of, name in known if not colon and fnmatchcase(name, system)]


def event_option(letter: str, metavar: str, text: str) -> Callable[[_Command], _Command]:
    """One of these options. Its values are not the command's arguments, which have no order: see `event_choices`."""
    return click.option(letter, metavar=metavar, multiple=True, expose_value=False, help=text)


def event_choices(context: click.Context, arguments: Sequence[str]) -> list[EventChoice]:
    """What the options of a command line ask for.

    Args:
        context: of the command, which has accepted the arguments.
        arguments: the words of the command line.

    Raises:
        click.UsageError: an event is empty, or none comes before a filter or trigger.
    """
    choices: list[EventChoice] = []
    for option, text in _in_order(context, arguments):
        if option == "-e":
            if not text.strip():
                raise click.UsageError("-e '' selects nothing: -e all records all events")
            choices.append(EventChoice(text))
        elif not choices:
            raise click.UsageError(f"{option} '{text}' must come after the -e that it is about")
        else:
            (choices[-1].filters if option == "-f" else choices[-1].triggers).append(text)
    return choices


def _in_order(context: click.Context, arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """These options and their values, as they stand in the command line."""
    values, _, order = context.command.make_parser(context).parse_args([*arguments])
    left = {parameter: iter(values[parameter.name]) for parameter in order if parameter.opts[0] in _LETTERS and parameter.name}
    for parameter in order:
        if parameter in left:
            yield parameter.opts[0], next(left[parameter])
