# SPDX-License-Identifier: GPL-2.0-only
"""Local APICs: priorities, commands, and the timer (SDM volume 3, chapter 11; table 11-1 has the registers' offsets)."""

from __future__ import annotations

from emu.cpu.native.cpu_records import NEVER, Cpu, Uc
from emu.cpu.native.interrupts import highest_bit, take_highest
from emu.cpu.native.pc import io_apic
from emu.cpu.native.pc.messages import DELIVERY_MODE, DESTINATION_MODE, FIRST_VECTOR, FIXED, VECTOR, deliver, send
from emu.cpu.native.pc.records import LVT_ENTRIES, LocalApic, Pc
from emu.native.functions import callback, njit
from emu.native.records import u32, u64

__all__ = ["acknowledge", "arm_timer", "read", "write"]

# Registers: their offsets, divided by 16
ID, VERSION, TASK_PRIORITY, PROCESSOR_PRIORITY, END, LOGICAL, FORMAT, SPURIOUS = 2, 3, 8, 0xA, 0xB, 0xD, 0xE, 0xF
IN_SERVICE, LEVEL_TRIGGERED, REQUESTED, ERRORS, COMMAND_LOW, COMMAND_HIGH = 0x10, 0x18, 0x20, 0x28, 0x30, 0x31
LOCAL_VECTORS, INITIAL_COUNT, CURRENT_COUNT, DIVIDE = 0x32, 0x38, 0x39, 0x3E
VERSION_VALUE = (LVT_ENTRIES - 1) << 16 | 0x14

LOCAL_VECTORS_END, TIMER_ENTRY = LOCAL_VECTORS + LVT_ENTRIES, LOCAL_VECTORS
IN_SERVICE_GROUP, LEVEL_TRIGGERED_GROUP, REQUESTED_GROUP = IN_SERVICE >> 3, LEVEL_TRIGGERED >> 3, REQUESTED >> 3
MASKED, ENABLED = u64(1 << 16), u64(1 << 8)  # bits of a local vector, and of the spurious vector register
TIMER = 0  # the first of the local vectors; bits 17 and 18 are the timer's mode
MODE, PERIODIC, TSC_DEADLINE = 17, 1, 2
ILLEGAL_VECTOR_SENT = u64(1 << 5)
# A command: bits 14 and 15 are its level and trigger mode, bits 18 and 19 its shorthand
LEVEL, TRIGGER, SHORTHAND = 14, 15, 18
NO_SHORTHAND, SELF, ALL, ALL_OTHERS = 0, 1, 2, 3
INIT = 5
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
    if mode == FIXED and vector < FIRST_VECTOR:
        apic.errors |= ILLEGAL_VECTOR_SENT
        return
    if shorthand == NO_SHORTHAND:
        send(cpu, apic.command_high >> 24, is_logical, mode, vector, False)
        return
    for n in range(cpu.board.cpu_count):
        receiver = cpu.board.cpus[n]
        if shorthand == ALL or (receiver is cpu) == (shorthand == SELF):
            deliver(cpu, receiver, mode, vector, False)


# The timer (11.5.4). It counts ticks of the crystal that `cpuid` names, divided.


@njit
def divisor(apic: LocalApic) -> u64:
    power = (apic.divide & 3 | apic.divide >> 1 & 4) + 1
    return u64(1) << (power & 7)


@njit
def span(cpu: Cpu) -> u64:
    """How many cycles the timer takes to count down."""
    pc, apic = Pc(cpu.board.devices), LocalApic(cpu.devices)
    return max(apic.initial_count * divisor(apic) * pc.crystal_numerator // pc.crystal_denominator, u64(1))


@njit
def current_count(cpu: Cpu) -> u64:
    pc, apic = Pc(cpu.board.devices), LocalApic(cpu.devices)
    mode = apic.local_vectors[TIMER] >> MODE & 3
    if apic.initial_count == 0 or mode == TSC_DEADLINE:
        return 0
    passed = cpu.cycles - apic.started
    if mode == PERIODIC:
        passed %= span(cpu)
    ticks = passed * pc.crystal_denominator // (pc.crystal_numerator * divisor(apic))
    return apic.initial_count - ticks if ticks < apic.initial_count else 0


@njit
def arm_timer(cpu: Cpu) -> None:
    """Sets when the timer is due, after a change of its registers."""
    apic, now = LocalApic(cpu.devices), cpu.cycles
    entry = apic.local_vectors[TIMER]
    mode = entry >> MODE & 3
    cpu.timer, cpu.timer_period, cpu.timer_vector = NEVER, u64(0), entry & VECTOR
    cpu.deadline = 0
    if entry & MASKED:
        return
    if mode == TSC_DEADLINE:
        if apic.deadline != 0 and apic.deadline - apic.tsc_adjust > now:
            cpu.timer = apic.deadline - apic.tsc_adjust
    elif apic.initial_count != 0:
        cycles = span(cpu)
        if mode == PERIODIC:
            cpu.timer_period = cycles
            cpu.timer = now + cycles - (now - apic.started) % cycles
        elif apic.started + cycles > now:
            cpu.timer = apic.started + cycles


@callback
def read(uc: Uc, offset: u64, width: u32, cpu: Cpu) -> u64:
    apic, register = LocalApic(cpu.devices), offset >> 4
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
        return current_count(cpu)
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
        return cpu.pending[half] >> shift & LOW_HALF
    return 0


@callback
def write(uc: Uc, offset: u64, width: u32, value: u64, cpu: Cpu) -> None:
    apic, register = LocalApic(cpu.devices), offset >> 4
    if register == TASK_PRIORITY:
        apic.task_priority = value & 0xFF
        set_priority(cpu)
    elif register == END:
        end_of_interrupt(cpu)
    elif register == LOGICAL:
        apic.logical = value & 0xFF00_0000
    elif register == FORMAT:
        apic.format = value | 0x0FFF_FFFF
    elif register == SPURIOUS:
        apic.spurious = value & 0x1FF
        if not value & ENABLED:
            for n in range(u64(LVT_ENTRIES)):
                apic.local_vectors[n] |= MASKED
            arm_timer(cpu)
    elif register == ERRORS:
        apic.error_status = apic.errors
        apic.errors = 0
    elif register == COMMAND_LOW:
        apic.command_low = value
        command(cpu)
    elif register == COMMAND_HIGH:
        apic.command_high = value & 0xFF00_0000
    elif LOCAL_VECTORS <= register < LOCAL_VECTORS_END:
        apic.local_vectors[register - LOCAL_VECTORS] = value if apic.spurious & ENABLED else value | MASKED
        if register == TIMER_ENTRY:
            arm_timer(cpu)
    elif register == INITIAL_COUNT:
        apic.initial_count = value
        apic.started = cpu.cycles
        arm_timer(cpu)
    elif register == DIVIDE:
        apic.divide = value & 0xB
        arm_timer(cpu)
