# SPDX-License-Identifier: GPL-2.0-only
"""The bytes of an event, whatever they mean."""

from __future__ import annotations

from emu.ftrace.buffers.entries import Events


def payload(events: Events, index: int, start: int = 0) -> bytes:
    """The bytes of one entry, from byte `start` on."""
    first = int(events.offset[index])
    return events.words[first // 4 : (first + int(events.size[index])) // 4].tobytes()[start:]
