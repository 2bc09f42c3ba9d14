# SPDX-License-Identifier: GPL-2.0-only
"""Linux 6.1's events: so an error can tell an event that this machine lacks from one that Linux lacks too."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass

from emu.ftrace.errors import NotProvided, TraceError
from emu.ftrace.linux_events import LINUX_EVENTS

__all__ = ["EVENTS", "SYSTEMS", "LinuxDirectory", "system_directory"]

SYSTEMS = frozenset({*LINUX_EVENTS, "ftrace"})


@dataclass(frozen=True)
class LinuxDirectory:
    """A directory of Linux's tracefs: its path and its entries. An instance's files have the paths of the top array's files."""

    path: str
    names: frozenset[str]

    def missing(self, name: str, known: Iterable[str]) -> TraceError:
        """The error for a name that is not one of the `known` names."""
        if name in self.names:
            return NotProvided(errno.ENOENT, f"{self.path}/{name}", "this file")
        return TraceError(errno.ENOENT, f"there is no '{name}' here", (name, known))


EVENTS = LinuxDirectory("events", SYSTEMS)


def system_directory(system: str) -> LinuxDirectory:
    """events/SYSTEM"""
    return LinuxDirectory(f"events/{system}", LINUX_EVENTS.get(system, frozenset()))
