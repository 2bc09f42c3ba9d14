# SPDX-License-Identifier: GPL-2.0-only
"""The names and thread groups of tasks: from saved_cmdlines and saved_tgids, and from events."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tasks", "task_keys"]

_LINE = re.compile(rb"^ *(\d{1,10}) ([^\n]*)", re.MULTILINE)


class Tasks:
    """What is known of tasks, by pid.

    `told` returns the names in the recording's own events. It is called when a task is looked up that was not saved.
    """

    def __init__(
        self, saved_cmdlines: bytes, saved_tgids: bytes = b"", told: Callable[[], Mapping[int, str]] = dict
    ) -> None:
        self._told = told
        self._saved = {int(pid): comm.decode(errors="surrogateescape") for pid, comm in _LINE.findall(saved_cmdlines)}
        self.tgids = {int(pid): int(tgid) for pid, tgid in _LINE.findall(saved_tgids) if tgid.strip().isdigit()}

    @cached_property
    def comms(self) -> Mapping[int, str]:
        """All known names. Saved names take precedence over those in events."""
        return {**self._told(), **self._saved}

    def saved_comm_of(self, pid: int) -> str | None:
        """The name in saved_cmdlines, as printed in the file `trace` and by trace-cmd."""
        return self._saved.get(pid)

    def comm_of(self, pid: int) -> str | None:
        """The name that was saved, or that is in events."""
        return self._saved.get(pid) or self.comms.get(pid)

    def name_of(self, pid: int) -> str:
        """The name as printed in a trace."""
        return "<idle>" if pid == 0 else self.comm_of(pid) or "<...>"

    def tgid_of(self, pid: int) -> int | None:
        return self.tgids.get(pid)


def task_keys(pid: NDArray[np.int32], cpu: NDArray[np.uint16]) -> NDArray[np.int64]:
    """The key of a task: its pid; for the idle task of CPU n it is -1 - n."""
    return np.where(pid == 0, -1 - cpu.astype(np.int64), pid.astype(np.int64))
