# SPDX-License-Identifier: GPL-2.0-only
"""Local APICs: their registers, priorities and commands (SDM volume 3, chapter 11; table 11-1 has the registers' offsets).

Registers are read and written by 32-bit accesses at multiples of 16 bytes; accesses in between do nothing (11.4.1).
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu, Uc
from emu.cpu.native.interrupts import highest_bit, look_around, take_highest
from emu.cpu.native.pc import apic_timer, io_apic
from emu.cpu.native.pc.messages import (
    ALL,
    DELIVERY_MODE,
    DESTINATION_MODE,
    ENABLED,
    FIRST_VECTOR,
    FIXED,
    INIT,
    LOWEST_PRIORITY,
    MASKED,
    SELF,
    VECTOR,
    report,
    send,
)
from emu.cpu.native.pc.records import LVT_ENTRIES, LocalApic
from emu.native.functions import callback, njit
from emu.native.records import u32, u64

__all__ = ["acknowledge", "read", "write"]

# Registers: their offsets, divided by 16
ID, VERSION, TASK_PRIORITY, PROCESSOR_PRIORITY, END, LOGICAL, FORMAT, SPURIOUS = 2, 3, 8, 0xA, 0xB, 0xD, 0xE, 0xF
IN_SERVICE, LEVEL_TRIGGERED, REQUESTED, ERRORS, COMMAND_LOW, COMMAND_HIGH = 0x10, 0x18, 0x20, 0x28, 0x30, 0x31
LOCAL_VECTORS, INITIAL_COUNT, CURRENT_COUNT, DIVIDE = 0x32, 0x38, 0x39, 0x3E
VERSION_VALUE = (LVT_ENTRIES - 1) << 16 | 0x14

LOCAL_VECTORS_END, TIMER_ENTRY = LOCAL_VECTORS + LVT_ENTRIES, LOCAL_VECTORS
ERROR_ENTRY = LOCAL_VECTORS_END - 1
IN_SERVICE_GROUP, LEVEL_TRIGGERED_GROUP, REQUESTED_GROUP = IN_SERVICE >> 3, LEVEL_TRIGGERED >> 3, REQUESTED >> 3
ILLEGAL_VECTOR_SENT = u64(1 << 5)
# A command: bits 14 and 15 are its level and trigger mode, bits 18 and 19 its shorthand
LEVEL, TRIGGER, SHORTHAND = 14, 15, 18
COMMAND_BITS = u64(0xC_CFFF)
# The bits of local vectors that can be written: of the timer, of the error interrupt, of the others (figure 11-8)
TIMER_BITS, ERROR_BITS, ENTRY_BITS = u64(0x7_00FF), u64(0x1_00FF), u64(0x1_A7FF)
LOW_HALF = u64(0xFFFF_FFFF)


@njit
def priority(cpu: Cpu) -> u64:
    """The processor priority: that of the task or of the interrupt in service (11.8.3.1)."""
    apic = LocalApic(cpu.devices)
    task, service = apic.task_priority, highest_bit(apic.in_service)
    return task if task >> 4 >= service >> 4 else service & 0xF0


@njit
def set_priority(cpu: Cpu) -> None:
    """The CPU takes only vectors of higher classes than its priority's."""
    cpu.priority = priority(cpu) | 0xF
    cpu.deadline = 0


@njit
def acknowledge(cpu: Cpu) -> u64:
    """The CPU takes its highest vector, which is in service from now on."""
    vector = take_highest(cpu)
    LocalApic(cpu.devices).in_service[vector >> 6] |= u64(1) << (vector & 63)
    set_priority(cpu)
    return vector


@njit
def end_of_interrupt(cpu: Cpu) -> None:
    """The interrupt with the highest vector in service is done with (11.8.5)."""
    apic = LocalApic(cpu.devices)
    vector = highest_bit(apic.in_service)
    if vector == 0:
        return
    bit = u64(1) << (vector & 63)
    apic.in_service[vector >> 6] &= ~bit
    set_priority(cpu)
    if apic.level_triggered[vector >> 6] & bit:
        io_apic.end_of_interrupt(cpu, vector)


@njit
def command(cpu: Cpu) -> None:
    """Sends the message of the command register (11.6.1)."""
    apic = LocalApic(cpu.devices)
    low = apic.command_low
    mode, vector, is_logical = low >> DELIVERY_MODE & 7, low & VECTOR, low >> DESTINATION_MODE & 1
    shorthand = low >> SHORTHAND & 3
    if mode == INIT and low >> TRIGGER & 1 and not low >> LEVEL & 1:
        return  # INIT level de-assert, which does nothing
    if mode <= LOWEST_PRIORITY and vector < FIRST_VECTOR:
        report(cpu, ILLEGAL_VECTOR_SENT, cpu.cycles)
        return
    if (shorthand in (SELF, ALL)) and mode != FIXED:
        return  # is not possible (table 11-3)
    send(cpu, shorthand, apic.command_high >> 24, is_logical, mode, vector, False)


@njit
def write_entry(cpu: Cpu, register: u64, value: u64) -> None:
    """Writes a local vector. It stays masked while software has disabled the APIC (11.4.7.2)."""
    apic = LocalApic(cpu.devices)
    if not apic.spurious & ENABLED:
        value |= MASKED
    if register == TIMER_ENTRY:
        apic_timer.set_entry(cpu, value & TIMER_BITS)
    else:
        bits = ERROR_BITS if register == ERROR_ENTRY else ENTRY_BITS
        apic.local_vectors[register - LOCAL_VECTORS] = value & bits


@callback
def read(uc: Uc, offset: u64, width: u32, cpu: Cpu) -> u64:
    apic, register = LocalApic(cpu.devices), offset >> 4
    if offset & 0xF:
        return 0
    if register == ID:
        return apic.id << 24
    if register == VERSION:
        return VERSION_VALUE
    if register == TASK_PRIORITY:
        return apic.task_priority
    if register == PROCESSOR_PRIORITY:
        return priority(cpu)
    if register == LOGICAL:
        return apic.logical
    if register == FORMAT:
        return apic.format
    if register == SPURIOUS:
        return apic.spurious
    if register == ERRORS:
        return apic.error_status
    if register == COMMAND_LOW:
        return apic.command_low
    if register == COMMAND_HIGH:
        return apic.command_high
    if register == INITIAL_COUNT:
        return apic.initial_count
    if register == CURRENT_COUNT:
        return apic_timer.current_count(cpu)
    if register == DIVIDE:
        return apic.divide
    if LOCAL_VECTORS <= register < LOCAL_VECTORS_END:
        return apic.local_vectors[register - LOCAL_VECTORS]
    half, shift = register >> 1 & 3, (register & 1) << 5
    if register >> 3 == IN_SERVICE_GROUP:
        return apic.in_service[half] >> shift & LOW_HALF
    if register >> 3 == LEVEL_TRIGGERED_GROUP:
        return apic.level_triggered[half] >> shift & LOW_HALF
    if register >> 3 == REQUESTED_GROUP:
        look_around(cpu)  # what is due is requested
        return cpu.pending[half] >> shift & LOW_HALF
    return 0


@callback
def write(uc: Uc, offset: u64, width: u32, value: u64, cpu: Cpu) -> None:
    apic, register = LocalApic(cpu.devices), offset >> 4
    if offset & 0xF:
        return
    if register == TASK_PRIORITY:
        apic.task_priority = value & 0xFF
        set_priority(cpu)
    elif register == END:
        end_of_interrupt(cpu)
    elif register == LOGICAL:
        apic.logical = value & 0xFF00_0000
    elif register == FORMAT:
        apic.format = value & 0xF000_0000 | 0x0FFF_FFFF
    elif register == SPURIOUS:
        apic.spurious = value & 0x1FF
        if not value & ENABLED:
            for n in range(u64(LVT_ENTRIES)):
                apic.local_vectors[n] |= MASKED
            apic_timer.arm(cpu)
    elif register == ERRORS:
        apic.error_status = apic.errors
        apic.errors = 0
    elif register == COMMAND_LOW:
        apic.command_low = value & COMMAND_BITS
        command(cpu)
    elif register == COMMAND_HIGH:
        apic.command_high = value & 0xFF00_0000
    elif LOCAL_VECTORS <= register < LOCAL_VECTORS_END:
        write_entry(cpu, register, value)
    elif register == INITIAL_COUNT:
        apic_timer.set_initial_count(cpu, value)
    elif register == DIVIDE:
        apic_timer.set_divide(cpu, value & 0xB)
