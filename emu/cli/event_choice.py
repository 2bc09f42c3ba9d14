# SPDX-License-Identifier: GPL-2.0-only
"""An event selected by -e, with its -f and -R."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.ftrace.tracefs import TraceFS

__all__ = ["EventChoice"]


@dataclass
class EventChoice:
    """One -e, with the -f and -R that follow it."""

    event: str
    filters: list[str] = field(default_factory=list)
    triggers: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        """The word for set_event."""
        return "*:*" if self.event == "all" else self.event

    def settings(self, tracefs: TraceFS) -> Iterator[tuple[str, str, str]]:
        """The filter and the triggers: for each, the subject of an error, the file, and the text to write.

        Raises:
            click.ClickException: a system was given triggers.
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
        """The systems and the events selected by -e: their folders in `events`."""
        known = [line.split(":") for line in tracefs.read("available_events").splitlines()]
        system, colon, event = ("*", ":", "") if self.event == "all" else self.event.partition(":")
        if event:
            return [], [f"{of}/{name}" for of, name in known if fnmatchcase(of, system) and fnmatchcase(name, event)]
        systems = list(dict.fromkeys(of for of, _ in known if fnmatchcase(of, system)))
        return systems, [f"{of}/{name}" for of, name in known if not colon and fnmatchcase(name, system)]
