# SPDX-License-Identifier: GPL-2.0-only
"""The timer of a local APIC (SDM volume 3, 11.5.4). It counts ticks of the crystal that `cpuid` names, divided, or waits until
the time stamp counter has a value. A timer whose vector is illegal raises nothing."""

from __future__ import annotations

from emu.cpu.native.cpu_records import NEVER, Cpu
from emu.cpu.native.interrupts import look_around
from emu.cpu.native.pc.messages import FIRST_VECTOR, VECTOR
from emu.cpu.native.pc.records import LocalApic, Pc
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["adjust", "arm", "current_count", "deadline", "set_deadline", "set_divide", "set_entry", "set_initial_count"]

MASKED = u64(1 << 16)
TIMER = 0  # the first of the local vectors; bits 17 and 18 are the timer's mode
MODE, PERIODIC, TSC_DEADLINE = 17, 1, 2


@njit
def mode_of(apic: LocalApic) -> u64:
    return apic.local_vectors[TIMER] >> MODE & 3


@njit
def divisor(apic: LocalApic) -> u64:
    power = (apic.divide & 3 | apic.divide >> 1 & 4) + 1
    return u64(1) << (power & 7)


@njit
def cycles_of(cpu: Cpu, ticks: u64) -> u64:
    """How many cycles so many of the timer's ticks take, rounded up."""
    pc = Pc(cpu.board.devices)
    numerator, denominator = pc.crystal_numerator, pc.crystal_denominator
    of_crystal = ticks * divisor(LocalApic(cpu.devices))
    rest = of_crystal % denominator
    return of_crystal // denominator * numerator + (rest * numerator + denominator - 1) // denominator


@njit
def ticks_of(cpu: Cpu, cycles: u64) -> u64:
    """How many of the timer's ticks pass in so many cycles."""
    pc = Pc(cpu.board.devices)
    numerator, denominator = pc.crystal_numerator, pc.crystal_denominator
    of_crystal = cycles // numerator * denominator + cycles % numerator * denominator // numerator
    return of_crystal // divisor(LocalApic(cpu.devices))


@njit
def span(cpu: Cpu) -> u64:
    """How many cycles the timer takes to count down."""
    return max(cycles_of(cpu, LocalApic(cpu.devices).initial_count), u64(1))


@njit
def current_count(cpu: Cpu) -> u64:
    apic = LocalApic(cpu.devices)
    if apic.initial_count == 0:
        return 0
    passed = cpu.cycles - apic.started
    if mode_of(apic) == PERIODIC:
        passed %= span(cpu)
    ticks = ticks_of(cpu, passed)
    return apic.initial_count - ticks if ticks < apic.initial_count else 0


@njit
def counter(cpu: Cpu) -> u64:
    """The CPU's own time stamp counter."""
    return cpu.cycles + LocalApic(cpu.devices).tsc_adjust


@njit
def time_of(cpu: Cpu, value: u64) -> u64:
    """When the counter gets to a value, in cycles; now if it has been there."""
    now, at = cpu.cycles, counter(cpu)
    time = now + (value - at) if value > at else now
    return time if time >= now else NEVER


@njit
def arm(cpu: Cpu) -> None:
    """Sets when the timer is due, after a change of its registers. If it is due now, this is noted first."""
    apic, now = LocalApic(cpu.devices), cpu.cycles
    if cpu.timer <= now:
        look_around(cpu)
    entry = apic.local_vectors[TIMER]
    mode, vector = entry >> MODE & 3, entry & VECTOR
    cpu.timer, cpu.timer_period, cpu.timer_vector = NEVER, u64(0), vector
    cpu.deadline = 0
    if entry & MASKED or vector < FIRST_VECTOR:
        return
    if mode == TSC_DEADLINE:
        if apic.deadline != 0:
            cpu.timer = time_of(cpu, apic.deadline)
    elif apic.initial_count != 0:
        cycles = span(cpu)
        if mode == PERIODIC:
            cpu.timer_period = cycles
            cpu.timer = now + cycles - (now - apic.started) % cycles
        elif now - apic.started < cycles:
            cpu.timer = apic.started + cycles


@njit
def expire(cpu: Cpu) -> None:
    """A deadline that is over is none (11.5.4.1)."""
    apic = LocalApic(cpu.devices)
    if apic.deadline <= counter(cpu):
        apic.deadline = 0


@njit
def deadline(cpu: Cpu) -> u64:
    """The value of IA32_TSC_DEADLINE; 0 in other modes."""
    expire(cpu)
    return LocalApic(cpu.devices).deadline


@njit
def set_deadline(cpu: Cpu, value: u64) -> None:
    """Writes IA32_TSC_DEADLINE, which does nothing in other modes. A deadline that is over is due at once."""
    apic = LocalApic(cpu.devices)
    if mode_of(apic) == TSC_DEADLINE:
        apic.deadline = value
        arm(cpu)


@njit
def adjust(cpu: Cpu, value: u64) -> None:
    """Changes the distance of the time stamp counter from the cycles."""
    expire(cpu)
    LocalApic(cpu.devices).tsc_adjust = value
    arm(cpu)


@njit
def set_entry(cpu: Cpu, value: u64) -> None:
    """Writes the timer's local vector. Another mode disarms the timer."""
    apic = LocalApic(cpu.devices)
    expire(cpu)
    if value >> MODE & 3 != mode_of(apic):
        apic.initial_count = apic.deadline = u64(0)
    apic.local_vectors[TIMER] = value
    arm(cpu)


@njit
def set_initial_count(cpu: Cpu, value: u64) -> None:
    """Starts the timer. Does nothing while it waits for the time stamp counter."""
    apic = LocalApic(cpu.devices)
    if mode_of(apic) != TSC_DEADLINE:
        apic.initial_count, apic.started = value, cpu.cycles
        arm(cpu)


@njit
def set_divide(cpu: Cpu, value: u64) -> None:
    """Changes how fast the timer counts from now on."""
    apic = LocalApic(cpu.devices)
    counted = apic.initial_count - current_count(cpu)
    apic.divide = value
    apic.started = cpu.cycles - cycles_of(cpu, counted)
    arm(cpu)
