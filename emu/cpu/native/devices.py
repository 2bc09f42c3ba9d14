# SPDX-License-Identifier: GPL-2.0-only
"""The board's native devices, which answer host calls without Python: timers, inter-processor interrupts, stalls."""

from __future__ import annotations

from emu.cpu.native.cpu_records import HALTED, Cpu
from emu.cpu.native.interrupts import end_turn, raise_at
from emu.native.functions import callback
from emu.native.records import u64

INVALID = u64((1 << 64) - 22)  # -EINVAL


@callback
def timer_set(cpu: Cpu, number: u64) -> None:
    """timer_set(deadline): raises the local timer's vector when this CPU's clock reaches the deadline; ~0 turns the timer off."""
    cpu.timer = cpu.arguments[0]
    cpu.deadline = 0
    cpu.result = 0


@callback
def nmi_timer_set(cpu: Cpu, number: u64) -> None:
    """nmi_timer_set(deadline): raises an NMI when this CPU's clock has reached the deadline and it is awake; ~0 turns it off."""
    cpu.nmi_timer = cpu.arguments[0]
    cpu.deadline = 0
    cpu.result = 0


@callback
def send_ipi(cpu: Cpu, number: u64) -> None:
    """send_ipi(cpu, vector): raises the vector on that CPU, `ipi_time` after the sender's time. Ends the sender's turn."""
    board = cpu.board
    index, vector = cpu.arguments[0], cpu.arguments[1]
    if index >= board.cpu_count or not board.vector_start <= vector < board.vector_end:
        cpu.result = INVALID
        return
    raise_at(board.cpus[index], vector, cpu.cycles + board.ipi_time)
    end_turn(cpu)
    cpu.result = 0


@callback
def stall_until(cpu: Cpu, number: u64) -> None:
    """stall_until(cycles): this CPU's clock jumps to that time."""
    cpu.cycles = max(cpu.cycles, cpu.arguments[0])
    cpu.result = 0


@callback
def halt_cpu(cpu: Cpu, number: u64) -> None:
    """halt(): sleeps until an interrupt is pending, masked or not (for CPUs without a halt instruction)."""
    cpu.status = HALTED
    end_turn(cpu)
    cpu.result = 0


@callback
def relax_cpu(cpu: Cpu, number: u64) -> None:
    """relax(): the CPU's turn ends (for CPUs without an instruction for spin loops, such as `pause`)."""
    end_turn(cpu)
    cpu.result = 0
