# SPDX-License-Identifier: GPL-2.0-only
"""The names and thread groups of tasks: saved_cmdlines and saved_tgids, and what events tell of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tasks", "task_keys"]

_LINE = re.compile(rb"^ *(\d{1,10}) ([^\n]*)", re.MULTILINE)


class Tasks:
    """What is known of tasks by their pid.

    `told` gives the names that the recording's own events tell. It is asked when a task is looked for that was not saved.
    """

    def __init__(
        self, saved_cmdlines: bytes, saved_tgids: bytes = b"", told: Callable[[], Mapping[int, str]] = dict
    ) -> None:
        self._told = told
        self._saved = {int(pid): comm.decode(errors="surrogateescape") for pid, comm in _LINE.findall(saved_cmdlines)}
        self.tgids = {int(pid): int(tgid) for pid, tgid in _LINE.findall(saved_tgids) if tgid.strip().isdigit()}

    @cached_property
    def comms(self) -> Mapping[int, str]:
        """All names that are known: what was saved counts before what events tell."""
        return {**self._told(), **self._saved}

    def saved_comm_of(self, pid: int) -> str | None:
        """The name in saved_cmdlines, as the file `trace` and trace-cmd show it."""
        return self._saved.get(pid)

    def comm_of(self, pid: int) -> str | None:
        """The name that was saved, or that events tell."""
        return self._saved.get(pid) or self.comms.get(pid)

    def name_of(self, pid: int) -> str:
        """The name as a trace shows it."""
        return "<idle>" if pid == 0 else self.comm_of(pid) or "<...>"

    def tgid_of(self, pid: int) -> int | None:
        return self.tgids.get(pid)


def task_keys(pid: NDArray[np.int32], cpu: NDArray[np.uint16]) -> NDArray[np.int64]:
    """The number of a task: its pid; each CPU has an idle task, and that of CPU n is -1 - n."""
    return np.where(pid == 0, -1 - cpu.astype(np.int64), pid.astype(np.int64))
