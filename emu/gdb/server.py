# SPDX-License-Identifier: GPL-2.0-only
"""Waits for gdb on a port of the loopback interface, and serves one client after the other."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from emu.cpu.board import Board
from emu.cpu.guest_cpu import GuestCpu
from emu.gdb import arch
from emu.gdb.memory import Memory
from emu.gdb.monitor import Monitor, Views
from emu.gdb.stub import Detached, Stub
from emu.gdb.wire import Closed, Wire
from emu.history.travel import Travel

__all__ = ["Server"]

_LOOPBACK = "127.0.0.1"
_PATIENCE = 0.2  # seconds


class Server:
    """A port at which gdb finds a machine: `target remote :PORT`.

    Args:
        board: the machine's board.
        cpus: its CPUs.
        travel: the machine, with its history.
        views: what can be asked of its guest.
        port: the port; 0: any that is free.

    Attributes:
        port: the port.

    Raises:
        OSError: the port cannot be used.
    """

    def __init__(self, board: Board, cpus: Sequence[GuestCpu], travel: Travel, views: Views, port: int = 0) -> None:
        self._board, self._cpus, self._travel = board, cpus, travel
        memory = Memory(board, arch.load(board.arch.name))
        self._monitor, self._libraries = Monitor(travel, memory, views), views.libraries
        self._door = socket.create_server((_LOOPBACK, port))
        self.port: int = self._door.getsockname()[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees the port."""
        self._door.close()

    def serve(self, more: Callable[[], bool] = lambda: True) -> None:
        """Serves clients until one kills the machine. One that detaches or dies leaves it standing.

        `more`: asked a few times a second, while nobody is served, whether to wait for a client.
        """
        while more():
            if not select.select([self._door], [], [], _PATIENCE)[0]:
                continue
            connection = self._door.accept()[0]
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            wire = Wire(connection, self._door, self._refuse)
            try:
                Stub(self._board, self._cpus, self._travel, self._monitor, wire, self._libraries).serve()
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
