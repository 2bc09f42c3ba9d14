# SPDX-License-Identifier: GPL-2.0-only
"""Interrupt messages: which CPUs they are for, and what they do there (SDM volume 3, 11.6)."""

from __future__ import annotations

from emu.cpu.native.cpu_records import NEVER, OFF, Cpu
from emu.cpu.native.interrupts import end_turn, raise_at
from emu.cpu.native.pc.apic_reset import reset
from emu.cpu.native.pc.records import LocalApic, Pc
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["DELIVERY_MODE", "DESTINATION_MODE", "FIRST_VECTOR", "is_for", "report", "send"]

# Bits of a command and of a redirection
VECTOR, DELIVERY_MODE, DESTINATION_MODE = 0xFF, 8, 11  # mask; shifts
FIXED, LOWEST_PRIORITY, NMI, INIT, STARTUP = 0, 1, 4, 5, 6
NO_SHORTHAND, SELF, ALL, ALL_OTHERS = 0, 1, 2, 3
FIRST_VECTOR = 16
BROADCAST = 0xFF
FLAT = 0xF  # in the upper bits of the destination format register
TIME_SHIFT = 8
ENABLED, MASKED = u64(1 << 8), u64(1 << 16)  # bits of the spurious vector register, and of a local vector
ILLEGAL_VECTOR_RECEIVED = u64(1 << 6)  # a bit of the error status register
ERROR = 5  # the last of the local vectors


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
def is_meant(sender: Cpu, receiver: Cpu, shorthand: u64, destination: u64, is_logical: u64) -> bool:
    """Whether a message is for a CPU by its shorthand, or without one by its destination (11.6.1)."""
    if shorthand == NO_SHORTHAND:
        return is_for(LocalApic(receiver.devices), destination, is_logical)
    return shorthand == ALL or (receiver is sender) == (shorthand == SELF)


@njit
def report(cpu: Cpu, error: u64, time: u64) -> None:
    """A local APIC finds an error, and raises its error interrupt (11.5.3)."""
    apic = LocalApic(cpu.devices)
    apic.errors |= error
    entry = apic.local_vectors[ERROR]
    if not entry & MASKED and entry & VECTOR >= FIRST_VECTOR:
        raise_at(cpu, entry & VECTOR, time)


@njit
def deliver(sender: Cpu, receiver: Cpu, mode: u64, vector: u64, is_level: bool) -> None:
    """Does what a message asks a CPU for. Messages between CPUs take the board's `ipi_time`."""
    apic = LocalApic(receiver.devices)
    arrival = sender.cycles
    if sender is not receiver:
        arrival += sender.board.ipi_time
        end_turn(sender)
    if mode <= LOWEST_PRIORITY:
        if vector < FIRST_VECTOR:
            report(receiver, ILLEGAL_VECTOR_RECEIVED, arrival)
        elif apic.spurious & ENABLED:  # otherwise the APIC takes no such messages (11.4.7.2)
            bit = u64(1) << (vector & 63)
            if is_level:
                apic.level_triggered[vector >> 6] |= bit
            else:
                apic.level_triggered[vector >> 6] &= ~bit
            raise_at(receiver, vector, arrival)
    elif mode == NMI and not apic.waits_for_start:
        receiver.nmi_arrival = min(receiver.nmi_arrival, arrival)
        receiver.deadline = 0
    elif mode == INIT:
        reset(receiver)
        receiver.status = OFF
        apic.waits_for_start = True
        end_turn(receiver)
    elif mode == STARTUP and apic.waits_for_start and sender is not receiver:
        apic.waits_for_start = False
        Pc(sender.board.devices).start_cpu(receiver, arrival << TIME_SHIFT | vector)


@njit
def send_to_lowest(
    sender: Cpu, shorthand: u64, destination: u64, is_logical: u64, vector: u64, is_level: bool
) -> None:
    """Sends a message to the CPU with the least important work, of those that it is for (11.6.2.4); of equals, to the first."""
    lowest, chosen = NEVER, u64(0)
    for n in range(sender.board.cpu_count):
        receiver = sender.board.cpus[n]
        enabled = LocalApic(receiver.devices).spurious & ENABLED != 0
        if enabled and receiver.priority < lowest and is_meant(sender, receiver, shorthand, destination, is_logical):
            lowest, chosen = receiver.priority, n
    if lowest != NEVER:
        deliver(sender, sender.board.cpus[chosen], u64(LOWEST_PRIORITY), vector, is_level)


@njit
def send(
    sender: Cpu, shorthand: u64, destination: u64, is_logical: u64, mode: u64, vector: u64, is_level: bool
) -> None:
    """Sends a message to all CPUs that it is for, or to one of them if the one with the lowest priority is wanted."""
    if mode == LOWEST_PRIORITY:
        send_to_lowest(sender, shorthand, destination, is_logical, vector, is_level)
        return
    for n in range(sender.board.cpu_count):
        receiver = sender.board.cpus[n]
        if is_meant(sender, receiver, shorthand, destination, is_logical):
            deliver(sender, receiver, mode, vector, is_level)
