# SPDX-License-Identifier: GPL-2.0-only
"""Lines that the host has for the guest kernel's log, which dmesg shows."""

from __future__ import annotations

import enum

from emu.kernel.work import Work, WorkKind

__all__ = ["KernelLog", "Level"]


class Level(enum.IntEnum):
    """How much a message of the kernel matters. The console shows what is below /proc/sys/kernel/printk."""

    EMERG = 0
    ALERT = 1
    CRIT = 2
    ERR = 3
    WARNING = 4
    NOTICE = 5
    INFO = 6
    DEBUG = 7


class KernelLog:
    """The log, to be written to.

    Args:
        work: the guest puts a line into its log as a piece of this work.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._said: set[str] = set()

    def write(self, line: str, level: Level = Level.NOTICE) -> None:
        """Puts a line into the log."""
        self._work.ask(WorkKind.LOG, level, line.encode(errors="replace"))

    def write_once(self, line: str, level: Level = Level.NOTICE) -> None:
        """Puts a line into the log, unless it has been put there before."""
        if line in self._said:
            self._work.join()
        else:
            self._said.add(line)
            self.write(line, level)
