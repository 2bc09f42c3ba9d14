# SPDX-License-Identifier: GPL-2.0-only
"""The console: the guest's output, and its input."""

from __future__ import annotations

import errno
from collections.abc import Callable

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import host_call, put

__all__ = ["Console"]

_KEPT_LINES = 10  # lines printed when the guest panics


class Console:
    """The console. Output goes to `sink`; input is queued until the guest reads it."""

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self.sink = sink
        self._tail = b""
        self._input = bytearray()
        self._ended = False
        self.size = (0, 0)  # rows and columns of the host's terminal; (0, 0) if there is none

    def feed(self, data: bytes) -> None:
        """Queues input for the guest."""
        self._input += data

    def restart_input(self) -> None:
        """Drops unread input, and accepts new input."""
        self._input.clear()
        self._ended = False

    def end_input(self) -> None:
        """Ends the input: once the queue is empty, the guest reads end of file."""
        self._ended = True

    @property
    def input_ended(self) -> bool:
        """Whether no more input will come."""
        return self._ended

    @property
    def last_lines(self) -> list[str]:
        """The last lines of output, for a report."""
        return [line for line in self._tail.decode(errors="replace").splitlines() if line][-_KEPT_LINES:]

    @host_call
    def console_write(self, cpu: Cpu, address: int, length: int) -> None:
        data = cpu.read(address, length)
        cpu.answer(length)  # before calling the sink, which may raise: for the guest, the output is written
        self._tail = b"\n".join((self._tail + data).split(b"\n")[-_KEPT_LINES - 1 :])
        self.sink(data)

    @host_call
    def console_read(self, cpu: Cpu, address: int, size: int) -> int:
        """Stores input. Returns the number of bytes, 0 at the end of input."""
        if not self._input:
            return 0 if self._ended else -errno.EAGAIN
        data = bytes(self._input[:size])
        del self._input[:size]
        return put(cpu, address, data)

    @host_call
    def console_size(self, cpu: Cpu) -> int:
        rows, columns = self.size
        return min(rows, 0xFFFF) << 16 | min(columns, 0xFFFF)
