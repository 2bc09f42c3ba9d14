# SPDX-License-Identifier: GPL-2.0-only
"""The state of a local APIC after power-up and after INIT."""

from __future__ import annotations

from emu.cpu.native.cpu_records import NEVER, VECTORS, Cpu
from emu.cpu.native.pc.records import LVT_ENTRIES, LocalApic
from emu.native.functions import shared
from emu.native.records import u32, u64

__all__ = ["reset"]

MASKED = u32(1 << 16)
FLAT_FORMAT, SPURIOUS_VECTOR = u64(0xFFFF_FFFF), u64(0xFF)
NO_PRIORITY = u64(0xF)  # no vector below 16 is ever taken
WORDS = u64(VECTORS // 64)


@shared
def reset(cpu: Cpu) -> None:
    """Registers get their first values; nothing is requested or in service (SDM volume 3, 11.4.7.1 and 11.4.7.3). The ID and the
    model-specific registers stay."""
    apic = LocalApic(cpu.devices)
    apic.task_priority = apic.logical = apic.errors = apic.error_status = u64(0)
    apic.command_high = apic.command_low = u64(0)
    apic.initial_count = apic.divide = apic.started = apic.deadline = u64(0)
    apic.format, apic.spurious = FLAT_FORMAT, SPURIOUS_VECTOR
    for n in range(u64(LVT_ENTRIES)):
        apic.local_vectors[n] = MASKED
    for n in range(WORDS):
        apic.in_service[n] = apic.level_triggered[n] = cpu.pending[n] = u64(0)
    for vector in range(u64(VECTORS)):
        cpu.arrivals[vector] = NEVER
    cpu.arrival = cpu.nmi_arrival = cpu.timer = NEVER
    cpu.timer_period = cpu.pending_count = u64(0)
    cpu.nmi = False
    cpu.priority = NO_PRIORITY
