# SPDX-License-Identifier: GPL-2.0-only
"""The devices of emu's own board, and SMIs."""

from __future__ import annotations

from emu.cpu.board import Board
from emu.cpu.native.devices import halt_cpu, nmi_timer_set, relax_cpu, send_ipi, stall_until, timer_set
from emu.cpu.smi import Smi

__all__ = ["interrupt_unseen", "provide_devices"]


def provide_devices(
    board: Board,
    *,
    timer: int,
    ipi: int,
    stall: int,
    timer_vector: int,
    halt: int | None = None,
    relax: int | None = None,
    nmi_timer: int | None = None,
) -> None:
    """Assigns host-call numbers to the board's native devices, and a vector to the timer."""
    board.provide_host_call(timer, timer_set)
    board.provide_host_call(ipi, send_ipi)
    board.provide_host_call(stall, stall_until)
    for number, handler in ((halt, halt_cpu), (relax, relax_cpu), (nmi_timer, nmi_timer_set)):
        if number is not None:
            board.provide_host_call(number, handler)
    for cpu in board.cpus:
        cpu.record.timer_vector = timer_vector


def interrupt_unseen(board: Board, smi: Smi) -> None:
    """Raises system management interrupts from now on, at each multiple of their period.

    Raises:
        ValueError: the CPU does not exist, or the interrupts are shorter than a cycle.
    """
    period, length = board.cycles(smi.period), board.cycles(smi.length)
    if not length:
        raise ValueError(f"SMIs of {smi.length} ns: a cycle takes {board.nanoseconds(1)} ns")
    if smi.cpu is not None and smi.cpu >= len(board.cpus):
        raise ValueError(f"SMIs on CPU {smi.cpu}: there are CPUs 0 to {len(board.cpus) - 1}")
    for cpu in board.cpus if smi.cpu is None else [board.cpus[smi.cpu]]:
        cpu.record.smi_period, cpu.record.smi_length = period, length
        cpu.record.smi_next = (cpu.cycles // period + 1) * period
        cpu.record.deadline = 0
