# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts and time of one CPU: when a vector becomes pending, and when the block hook must check for it."""

from __future__ import annotations

from emu.cpu.native.cpu_records import NEVER, STOP_REQUEST, VECTORS, Cpu
from emu.native.functions import njit, shared
from emu.native.records import Words, u64

NO_PRIORITY = u64(0xF)  # a CPU's priority that holds back no vector: those up to 15 are no interrupts where priorities are used
LAST_WORD = u64(VECTORS // 64 - 1)  # of `pending`


@njit
def set_pending(cpu: Cpu, vector: u64) -> None:
    """Marks a vector pending. If it is pending already, there is still only one interrupt."""
    bits, bit = cpu.pending[vector >> 6], u64(1) << (vector & 63)
    if not bits & bit:
        cpu.pending[vector >> 6] = bits | bit
        cpu.pending_count += 1


@njit
def highest_bit(words: Words) -> u64:
    """The number of the highest set bit of VECTORS bits; 0 if none is set."""
    word = LAST_WORD
    while word != 0 and words[word] == 0:
        word -= 1
    bits, bit = words[word], u64(63)
    while bit != 0 and not bits >> bit & 1:
        bit -= 1
    return word << 6 | bit


@njit
def highest(cpu: Cpu) -> u64:
    """The highest pending vector. There must be one."""
    return highest_bit(cpu.pending)


@njit
def take_highest(cpu: Cpu) -> u64:
    """Clears the highest pending vector and returns it. There must be one."""
    vector = highest(cpu)
    cpu.pending[vector >> 6] &= ~(u64(1) << (vector & 63))
    cpu.pending_count -= 1
    return vector


@njit
def is_above_priority(cpu: Cpu) -> bool:
    """Whether a vector is pending that has priority over what the CPU does."""
    return cpu.pending_count != 0 and highest(cpu) > cpu.priority


# A request to Python comes before an interrupt: a host call's answer belongs to the code that made the call.


@njit
def interrupt_waits(cpu: Cpu) -> bool:
    """Whether an interrupt is to be taken when the CPU lets it come."""
    return cpu.request == 0 and is_above_priority(cpu)


@njit
def nmi_waits(cpu: Cpu) -> bool:
    """The same of an NMI."""
    return cpu.nmi and cpu.request == 0


@njit
def raise_at(cpu: Cpu, vector: u64, time: u64) -> None:
    """Raises a vector on a CPU no earlier than `time`."""
    if time < cpu.arrivals[vector]:
        cpu.arrivals[vector] = time
    if time < cpu.arrival:
        cpu.arrival = time
    cpu.deadline = 0


@njit
def end_turn(cpu: Cpu) -> None:
    """Ends the CPU's turn at its next block."""
    cpu.turn_end = 0
    cpu.deadline = 0


@njit
def stop(cpu: Cpu) -> None:
    """Ends the CPU's turn at its next block and returns to Python before any CPU continues."""
    cpu.request = STOP_REQUEST
    cpu.deadline = 0


@njit
def next_due(cpu: Cpu) -> u64:
    """The time of the next interrupt, SMI or end of turn."""
    return min(min(cpu.timer, cpu.nmi_timer), min(cpu.arrival, cpu.nmi_arrival), min(cpu.smi_next, cpu.turn_end))


@shared
def after_smi(cpu: Cpu, now: u64) -> u64:
    """The time at which a CPU that is ready at `now` continues: later if a system management interrupt is under way.

    An interrupt that started and ended while the CPU slept or stalled is over.
    """
    due = cpu.smi_next
    if due > now:
        return now
    period = cpu.smi_period
    due += (now - due) // period * period
    cpu.smi_next = due + period
    return max(now, due + cpu.smi_length)


@njit
def look_around(cpu: Cpu) -> None:
    """Makes everything pending that has become due, and sets the next deadline."""
    now = after_smi(cpu, cpu.cycles)
    cpu.cycles = now
    if cpu.timer <= now:
        period = cpu.timer_period
        cpu.timer = NEVER if period == 0 else now + period - (now - cpu.timer) % period
        set_pending(cpu, cpu.timer_vector)
    if cpu.nmi_timer <= now:
        cpu.nmi_timer = NEVER
        cpu.nmi = True
    if cpu.nmi_arrival <= now:
        cpu.nmi_arrival = NEVER
        cpu.nmi = True
    if cpu.arrival <= now:
        earliest = NEVER
        for vector in range(u64(VECTORS)):
            time = cpu.arrivals[vector]
            if time <= now:
                cpu.arrivals[vector] = NEVER
                set_pending(cpu, vector)
            elif time < earliest:
                earliest = time
        cpu.arrival = earliest
    busy = cpu.request != 0 or is_above_priority(cpu) or cpu.nmi or cpu.stepping or cpu.goal != NEVER
    cpu.deadline = 0 if busy else next_due(cpu)


@njit
def turn_is_over(cpu: Cpu) -> bool:
    """Whether the turn ends before the block that is about to start. In exact stepping, counts the block."""
    if cpu.request != 0 or cpu.cycles >= cpu.turn_end:
        return True
    if cpu.stepping:
        if cpu.steps == 0:
            return True
        cpu.steps -= 1
    return False


@njit
def went_on_flushed(cpu: Cpu) -> bool:
    """Whether Unicorn wants to end the turn only because its buffer of translations was full. The turn must go on then: how soon
    the buffer is full depends on what is traced."""
    flushed = cpu.flushed
    cpu.flushed = False
    return flushed


@njit
def waking_arrival(cpu: Cpu) -> u64:
    """When the first vector arrives that has priority over what the CPU does."""
    if cpu.priority <= NO_PRIORITY:
        return cpu.arrival
    earliest = NEVER
    for vector in range(cpu.priority + 1, u64(VECTORS)):
        earliest = min(earliest, cpu.arrivals[vector])
    return earliest


@njit
def next_event(cpu: Cpu) -> u64:
    """The time at which a halted CPU wakes, in cycles. The watchdog timer does not wake a CPU, nor does what it holds back."""
    if is_above_priority(cpu) or cpu.nmi:
        return cpu.cycles
    event = min(waking_arrival(cpu), cpu.nmi_arrival)
    if cpu.timer_vector > cpu.priority:
        event = min(event, cpu.timer)
    return max(event, cpu.cycles)
