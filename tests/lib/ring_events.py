# SPDX-License-Identifier: GPL-2.0-only
"""Some of the events of a ring buffer."""

from __future__ import annotations

from emu.ftrace.buffers.entries import ENTRY, Events, EventType

__all__ = ["of_type"]


def of_type(found: Events, kind: EventType) -> Events:
    """The events of one type, which all have the same layout."""
    chosen = found.entries(ENTRY)["type"] == kind
    return Events(found.cpu, found.words, found.time[chosen], found.offset[chosen], found.size[chosen], found.lost)
