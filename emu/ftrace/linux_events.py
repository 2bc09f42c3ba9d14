# SPDX-License-Identifier: GPL-2.0-only
"""The events of Linux 6.1: so that one which this machine lacks is told from one that nobody knows. All else is here."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from emu.ftrace.errors import NotProvided, TraceError

__all__ = ["LINUX_EVENTS", "LinuxDirectory", "events_directory", "system_directory"]


def _read(text: str) -> dict[str, frozenset[str]]:
    lines = (line.partition(": ") for line in text.splitlines())
    return {system: frozenset(events.split()) for system, _, events in lines}


# By system. tests/lib/linux_events.py makes the text from what a real kernel has.
LINUX_EVENTS: Mapping[str, frozenset[str]] = _read(Path(__file__).with_suffix(".txt").read_text())


@dataclass(frozen=True)
class LinuxDirectory:
    """A directory of Linux's tracefs: its path, and what it has. An instance's files have the paths of the top array's."""

    path: str
    names: frozenset[str]

    def missing(self, name: str, known: Iterable[str]) -> TraceError:
        """The error for a name that is not among the `known` ones here."""
        if name in self.names:
            return NotProvided(errno.ENOENT, f"{self.path}/{name}", "this file")
        return TraceError(errno.ENOENT, f"there is no '{name}' here", (name, known))


def events_directory(lacking: Mapping[str, frozenset[str]]) -> LinuxDirectory:
    """`events`. `lacking`: LINUX_EVENTS, or what a machine may lack of it."""
    return LinuxDirectory("events", frozenset({*lacking, "ftrace"}))


def system_directory(system: str, lacking: Mapping[str, frozenset[str]]) -> LinuxDirectory:
    """events/SYSTEM"""
    return LinuxDirectory(f"events/{system}", lacking.get(system, frozenset()))
