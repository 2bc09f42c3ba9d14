# SPDX-License-Identifier: GPL-2.0-only
"""Waits for gdb on a port of the loopback interface, and serves one client after the other."""

from __future__ import annotations

import socket
from types import TracebackType
from typing import Self

from emu.gdb import arch
from emu.gdb.memory import Memory
from emu.gdb.monitor import Monitor, Views
from emu.gdb.stub import Detached, Stub
from emu.gdb.wire import Closed, Wire
from emu.guest_machine import GuestMachine
from emu.history.travel import Travel

__all__ = ["Server"]

_LOOPBACK = "127.0.0.1"


class Server:
    """A port at which gdb finds a machine: `target remote :PORT`.

    Args:
        machine: the machine.
        travel: it, with its history.
        views: what can be asked of its guest.
        port: the port; 0: any that is free.

    Attributes:
        port: the port.

    Raises:
        OSError: the port cannot be used.
    """

    def __init__(self, machine: GuestMachine[object], travel: Travel, views: Views, port: int = 0) -> None:
        self._machine, self._travel = machine, travel
        memory = Memory(machine.board, arch.load(machine.board.arch.name))
        self._monitor = Monitor(travel, memory, views)
        self._door = socket.create_server((_LOOPBACK, port))
        self.port: int = self._door.getsockname()[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees the port."""
        self._door.close()

    def serve(self) -> None:
        """Serves clients until one kills the machine (gdb's `kill`, or its end). One that detaches or dies leaves it standing."""
        while True:
            wire = Wire(self._door.accept()[0], self._door, self._refuse)
            try:
                Stub(self._machine, self._travel, self._monitor, wire).serve()
            except Closed:
                pass
            except Detached as end:
                if end.kills:
                    return
            finally:
                wire.close()

    def _refuse(self) -> None:
        """Another client has come while one is served."""
        self._door.accept()[0].close()
