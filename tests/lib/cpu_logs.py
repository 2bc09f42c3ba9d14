# SPDX-License-Identifier: GPL-2.0-only
"""What the witnesses of a machine's CPUs have in common: a log for each CPU, all of them on or off."""

from __future__ import annotations

from typing import Any

__all__ = ["CpuLogs"]


class CpuLogs:
    """Logs while `on`. Each log, a record, has `on` and `count`, the number of its rows."""

    _logs: list[Any]

    @property
    def on(self) -> bool:
        return bool(self._logs[0].on)

    @on.setter
    def on(self, value: bool) -> None:
        for log in self._logs:
            log.on = value

    def clear(self) -> None:
        """Clears the logs."""
        for log in self._logs:
            log.count = 0
