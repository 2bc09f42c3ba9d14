# SPDX-License-Identifier: GPL-2.0-only
"""Holding CPUs: they execute nothing until they are released, whatever the others do.

Which CPUs are held is part of the machine's state. So it is a change of the run, as memory that is written is one: what had run
later is forgotten, and where the machine goes back and forth, the same CPUs are held at the same instants.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

from emu.cpu.board import Board

__all__ = ["held", "hold", "release"]


def held(board: Board) -> list[int]:
    """The indexes of the CPUs that are held."""
    return [cpu.index for cpu in board.cpus if cpu.held]


def hold(board: Board, cpus: Iterable[int], changing: AbstractContextManager[object]) -> None:
    """Holds CPUs, too: their next instruction is that at which they are.

    Args:
        board: the machine's board.
        cpus: their indexes.
        changing: Travel.changing().

    Raises:
        ValueError: there is no such CPU, or none would be left that runs.
    """
    wanted = sorted({*cpus, *held(board)})
    running = [cpu.index for cpu in board.cpus if cpu.running]
    if absent := [index for index in wanted if index not in running]:
        raise ValueError(f"CPU {absent[0]} is not there, or off")
    if wanted == running:
        raise ValueError("one CPU must run")
    with changing:
        for index in wanted:
            board.cpus[index].hold()


def release(board: Board, changing: AbstractContextManager[object]) -> None:
    """Releases all. Their clocks then show the time that the others have come to.

    Args: as for `hold`.
    """
    with changing:
        for index in held(board):
            board.cpus[index].release(board.now)
