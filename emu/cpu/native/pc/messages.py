# SPDX-License-Identifier: GPL-2.0-only
"""Interrupt messages: which CPUs they are for, and what they do there (SDM volume 3, 11.6)."""

from __future__ import annotations

from emu.cpu.native.cpu_records import OFF, Cpu
from emu.cpu.native.interrupts import end_turn, raise_at
from emu.cpu.native.pc.records import LocalApic, Pc
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["DELIVERY_MODE", "DESTINATION_MODE", "is_for", "send"]

# Bits of a command and of a redirection
VECTOR, DELIVERY_MODE, DESTINATION_MODE = 0xFF, 8, 11  # mask; shifts
FIXED, LOWEST_PRIORITY, NMI, INIT, STARTUP = 0, 1, 4, 5, 6
FIRST_VECTOR = 16
BROADCAST = 0xFF
FLAT = 0xF  # in the upper bits of the destination format register
TIME_SHIFT = 8


@njit
def is_for(apic: LocalApic, destination: u64, is_logical: u64) -> bool:
    """Whether a message with an 8-bit destination is for a CPU (11.6.2)."""
    if destination == BROADCAST:
        return True
    if not is_logical:
        return destination == apic.id
    logical = apic.logical >> 24
    if apic.format >> 28 == FLAT:
        return logical & destination != 0
    return logical >> 4 == destination >> 4 and logical & destination & 0xF != 0


@njit
def deliver(sender: Cpu, receiver: Cpu, mode: u64, vector: u64, is_level: bool) -> None:
    """Does what a message asks a CPU for. Messages between CPUs take the board's `ipi_time`."""
    apic = LocalApic(receiver.devices)
    arrival = sender.cycles
    if sender is not receiver:
        arrival += sender.board.ipi_time
        end_turn(sender)
    if mode <= LOWEST_PRIORITY and vector >= FIRST_VECTOR:
        bit = u64(1) << (vector & 63)
        if is_level:
            apic.level_triggered[vector >> 6] |= bit
        else:
            apic.level_triggered[vector >> 6] &= ~bit
        raise_at(receiver, vector, arrival)
    elif mode == NMI:
        receiver.nmi = True
        receiver.deadline = 0
    elif mode == INIT:
        receiver.status = OFF
        apic.waits_for_start = True
        end_turn(receiver)
    elif mode == STARTUP and apic.waits_for_start:
        apic.waits_for_start = False
        Pc(sender.board.devices).start_cpu(receiver, arrival << TIME_SHIFT | vector)


@njit
def send(sender: Cpu, destination: u64, is_logical: u64, mode: u64, vector: u64, is_level: bool) -> None:
    """Sends a message to all CPUs that it is for, or to the first of them if the one with the lowest priority is wanted."""
    for n in range(sender.board.cpu_count):
        receiver = sender.board.cpus[n]
        if is_for(LocalApic(receiver.devices), destination, is_logical):
            deliver(sender, receiver, mode, vector, is_level)
            if mode == LOWEST_PRIORITY:
                return
