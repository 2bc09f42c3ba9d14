# SPDX-License-Identifier: GPL-2.0-only
"""Serving a machine to gdb: what `Machine.serve_gdb` and `LinuxMachine.serve_gdb` have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.cpu.board import Board
from emu.cpu.guest_cpu import GuestCpu
from emu.gdb.monitor import Views
from emu.gdb.server import Server
from emu.history.travel import Travel

__all__ = ["serve"]


def serve(
    board: Board,
    cpus: Sequence[GuestCpu],
    travel: Travel,
    views: Views,
    *,
    port: int,
    command: str | Sequence[str] | None,
    ready: Callable[[int], Callable[[], bool]] | None,
    on_exec: Callable[[int], None] | None = None,
    at: Callable[[], None] | None = None,
) -> None:
    """Serves a machine until a client kills it.

    Args:
        board, cpus: the machine's.
        travel: the machine, with its history.
        views: what can be asked of its guest.
        port: of the loopback interface; 0: any that is free.
        command: what the guest runs when a client continues; None: nothing.
        ready: called with the port when a client can connect. It returns a function that says whether more clients will come.
        on_exec: see Travel.begin.
        at: goes to the instant at which clients find the machine; None: they find it before the command.

    Raises:
        OSError: the port cannot be used.
        BadCommand: the command cannot be given to the guest.
    """
    with Server(board, cpus, travel, views, port) as server:
        if command is not None:
            travel.begin(command, on_exec=on_exec)
        if at is not None:
            at()
        server.serve((lambda: True) if ready is None else ready(server.port))
