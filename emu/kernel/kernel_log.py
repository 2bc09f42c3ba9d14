# SPDX-License-Identifier: GPL-2.0-only
"""Lines that the host has for the guest kernel's log, which dmesg shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import host_call, put

__all__ = ["KernelLog"]


class KernelLog:
    """Lines wait here until the guest, in an interrupt, asks for them.

    Args:
        interrupt: makes the guest look whether there is something for it.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._waiting: deque[str] = deque()
        self._said: set[str] = set()

    def write_once(self, line: str) -> None:
        """Puts a line into the log, unless it has been put there before."""
        if line not in self._said:
            self._said.add(line)
            self._waiting.append(line)
            self._interrupt()

    @host_call
    def log_read(self, cpu: Cpu, address: int, size: int) -> int:
        """Stores the next line, cut to `size` bytes; returns its length, 0 if there is none."""
        if not self._waiting:
            return 0
        return put(cpu, address, self._waiting.popleft().encode(errors="replace")[:size])
