# SPDX-License-Identifier: GPL-2.0-only
"""The names and thread groups of tasks: saved_cmdlines and saved_tgids."""

from __future__ import annotations

import re

__all__ = ["Tasks"]

_LINE = re.compile(rb"^ *(\d{1,10}) ([^\n]*)", re.MULTILINE)


class Tasks:
    """What is known of tasks by their pid."""

    def __init__(self, saved_cmdlines: bytes, saved_tgids: bytes = b"") -> None:
        self.comms = {int(pid): comm.decode(errors="surrogateescape") for pid, comm in _LINE.findall(saved_cmdlines)}
        self.tgids = {int(pid): int(tgid) for pid, tgid in _LINE.findall(saved_tgids) if tgid.strip().isdigit()}

    def comm_of(self, pid: int) -> str | None:
        """The name that was saved."""
        return self.comms.get(pid)

    def name_of(self, pid: int) -> str:
        """The name as a trace shows it."""
        return "<idle>" if pid == 0 else self.comm_of(pid) or "<...>"

    def tgid_of(self, pid: int) -> int | None:
        return self.tgids.get(pid)
