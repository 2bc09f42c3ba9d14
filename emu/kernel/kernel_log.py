# SPDX-License-Identifier: GPL-2.0-only
"""Lines of the host for the guest kernel's log, which dmesg shows."""

from __future__ import annotations

import enum

from emu.kernel.work import Work, WorkKind

__all__ = ["KernelLog", "Level"]


class Level(enum.IntEnum):
    """Log levels of the kernel. The console shows levels below /proc/sys/kernel/printk."""

    EMERG = 0
    ALERT = 1
    CRIT = 2
    ERR = 3
    WARNING = 4
    NOTICE = 5
    INFO = 6
    DEBUG = 7


class KernelLog:
    """The guest kernel's log, for writing.

    Args:
        work: makes the guest put lines into its log.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._said: set[str] = set()

    def write(self, line: str, level: Level = Level.NOTICE) -> None:
        """Puts a line into the log."""
        self._work.ask(WorkKind.LOG, level, line.encode(errors="replace"))

    def write_once(self, line: str, level: Level = Level.NOTICE) -> None:
        """Puts a line into the log, unless the log already has it from an earlier call."""
        if line in self._said:
            self._work.join()
        else:
            self._said.add(line)
            self.write(line, level)
