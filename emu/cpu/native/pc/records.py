# SPDX-License-Identifier: GPL-2.0-only
"""The records of a PC's devices. `Cpu.devices` is a CPU's LocalApic, and `Board.devices` is the Pc.

SDM: Intel's Software Developer's Manual. Offsets and bits stand in the modules of the devices.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Block, Cpu
from emu.native.records import Bytes, Record, Records, Values, inline, u8, u32, u64

__all__ = ["CpuidRow", "IoApic", "LocalApic", "Pc", "Serial"]

LVT_ENTRIES, PINS, SERIAL_PORTS, CPUID_ROWS, CMOS_SIZE = 6, 24, 2, 64, 128

# Values of Pc.ended
RUNNING, POWERED_OFF, RESET = 0, 1, 2


class LocalApic(Record):
    """A CPU's local APIC, and model-specific registers (SDM volume 3, chapter 11). Vectors that are requested but not in service
    are the CPU's `pending`."""

    id: u64
    task_priority: u64
    logical: u64  # destination register
    format: u64  # destination format register
    spurious: u64
    errors: u64  # that have occurred since the status register was last written
    error_status: u64
    command_high: u64
    command_low: u64
    initial_count: u64
    divide: u64
    started: u64  # cycles: when the timer began to count down
    deadline: u64  # MSR IA32_TSC_DEADLINE, in the counter's time
    base: u64  # MSR IA32_APIC_BASE
    tsc_adjust: u64  # MSR IA32_TSC_ADJUST
    tsc_aux: u64
    misc_enable: u64
    speculation: u64  # MSR IA32_SPEC_CTRL
    waits_for_start: bool  # after INIT
    local_vectors: Values[u32] = inline(LVT_ENTRIES)
    in_service: Values[u64] = inline(4)  # one bit per vector
    level_triggered: Values[u64] = inline(4)


class IoApic(Record):
    """The I/O APIC (Intel 82093AA)."""

    selected: u64  # register
    id: u64  # in bits 24 to 27
    lines: u64  # bit n: pin n is active
    redirections: Values[u64] = inline(PINS)


class Serial(Record):
    """A serial port (PC16550D). Bytes take no time on the line."""

    pin: u64  # of the I/O APIC
    divisor: u64
    interrupt_enable: u64
    fifo_control: u64
    line_control: u64
    modem_control: u64
    modem_changes: u64  # which modem inputs have changed since the modem status was last read
    scratch: u64
    transmitter_interrupts: bool  # whether "transmitter empty" waits to be seen in the interrupt identification
    received: Bytes  # a ring of `received_size` bytes
    received_size: u64
    received_begin: u64
    received_end: u64
    sent: Bytes
    sent_size: u64
    sent_count: u64
    sent_wanted: u64  # the machine stops for the host when so many bytes have been sent
    stops_at_lines: bool  # ... and when a line has been sent


class CpuidRow(Record):
    """One answer of `cpuid`."""

    leaf: u32
    subleaf: u32
    has_subleaf: u64
    ax: u32
    bx: u32
    cx: u32
    dx: u32


class Pc(Record):
    """What a PC's CPUs share."""

    decode: Callable[[Cpu, Block], None]  # stores the cost of a block that may end with a repeated string instruction
    start_cpu: Callable[[Cpu, u64], None]  # starts a CPU that waits: (cpu, cycles << 8 | vector)
    ended: u64
    frequency: u64  # Hz
    crystal_numerator: u64  # cycles in `crystal_denominator` ticks of the APIC timers' clock
    crystal_denominator: u64
    last_tsc: u64  # the latest time that a CPU has read
    epoch: u64  # seconds from 1970 to cycle 0
    cpuid_count: u64
    cmos_selected: u64
    pm1_status: u64
    pm1_enable: u64
    pm1_control: u64
    pic_masks: Values[u8] = inline(8)
    cmos: Values[u8] = inline(CMOS_SIZE)
    io_apic: IoApic = inline()
    serial: Records[Serial] = inline(SERIAL_PORTS)
    cpuid: Records[CpuidRow] = inline(CPUID_ROWS)
