# SPDX-License-Identifier: GPL-2.0-only
"""The names of probe events."""

from __future__ import annotations

import re

from emu.ftrace.dynevent.arguments import is_good_name
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError

__all__ = ["parse_event_name", "sanitized"]

_NAME_LIMIT = 64  # characters of a group with its NUL; an event may have one more
_SYSTEM = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def parse_event_name(command: ProbeCommand, group: str) -> tuple[str, str]:
    """The group and the event in the first word of a command: `p:GROUP/EVENT`. The event is "" if none is named.

    Args:
        command: the command.
        group: the default group.

    Raises:
        TraceError: EINVAL, with the report for error_log.
    """
    head, colon, name = command.words[0].partition(":")
    if not colon:
        return group, ""
    start = len(head) + 1
    slash = re.search("/", name) or re.search(r"\.", name)
    if slash is not None:
        group, name = name[: slash.start()], name[slash.end() :]
        if not group:
            raise command.error(ProbeError.NO_GROUP_NAME, 0, start)
        if len(group) + 1 > _NAME_LIMIT:
            raise command.error(ProbeError.GROUP_TOO_LONG, 0, start)
        if not _SYSTEM.fullmatch(group):
            raise command.error(ProbeError.BAD_GROUP_NAME, 0, start)
        start += len(group) + 1
    if not name:
        if slash is not None:
            return group, ""
        raise command.error(ProbeError.NO_EVENT_NAME, 0, start)
    if len(name) > _NAME_LIMIT:
        raise command.error(ProbeError.EVENT_TOO_LONG, 0, start)
    if not is_good_name(name):
        raise command.error(ProbeError.BAD_EVENT_NAME, 0, start)
    return group, name


def sanitized(name: str) -> str:
    """An event name made from the name of a place."""
    return re.sub(r"[:.]", "_", name)[: _NAME_LIMIT - 1]
