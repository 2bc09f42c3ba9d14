# SPDX-License-Identifier: GPL-2.0-only
"""The I/O ports of a PC: serial ports, the clock, ACPI's registers, and what stands for the interrupt controllers of old.

Each port has a byte. A port without a device reads as all ones, and ignores what is written.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.interrupts import stop
from emu.cpu.native.pc import cmos, serial
from emu.cpu.native.pc.records import POWERED_OFF, RESET, Pc
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["read", "write"]

SERIAL_0, SERIAL_1 = 0x3F8, 0x2F8
SERIAL_0_END, SERIAL_1_END = SERIAL_0 + 8, SERIAL_1 + 8
# The two 8259A: only their mask registers exist, by which Linux finds them.
PIC_0, PIC_1, PIC_MASK_0, PIC_MASK_1 = 0x20, 0xA0, 0x21, 0xA1
PIT, PIT_END, SPEAKER = 0x40, 0x44, 0x61  # the timer chip is absent; the port of the loudspeaker's gate
CMOS_SELECT, CMOS_DATA = 0x70, 0x71
# ACPI's fixed hardware, at the addresses that the FADT names (ACPI 6.5, 4.8.3)
PM1_STATUS, PM1_ENABLE, PM1_CONTROL, PM1_END = 0x600, 0x602, 0x604, 0x606
SLEEP_CONTROL = PM1_CONTROL + 1
SLEEP_ENABLE, SLEEP_TYPE, OFF = 1 << 5, 0x1C, 5 << 2  # in the upper byte of the control register; the type is \\_S5's
RESET_PORT, RESET_VALUE = 0x606, 1  # ... and its reset register


@njit
def end(cpu: Cpu, why: u64) -> None:
    """The machine ends: Python is told."""
    Pc(cpu.board.devices).ended = why
    stop(cpu)


@njit
def replaced(word: u64, byte: u64, value: u64) -> u64:
    """A word with another byte in place of its byte 0 or 1."""
    shift = 8 * byte
    return word & ~(u64(0xFF) << shift) | value << shift


@njit
def read(cpu: Cpu, port: u64) -> u64:
    pc = Pc(cpu.board.devices)
    if SERIAL_0 <= port < SERIAL_0_END:
        return serial.read(cpu, pc.serial[0], port - SERIAL_0)
    if SERIAL_1 <= port < SERIAL_1_END:
        return serial.read(cpu, pc.serial[1], port - SERIAL_1)
    if port in (PIC_MASK_0, PIC_MASK_1):
        return pc.pic_masks[port >> 7]
    if port in (PIC_0, PIC_1, SPEAKER) or PIT <= port < PIT_END:
        return 0
    if port == CMOS_SELECT:
        return pc.cmos_selected
    if port == CMOS_DATA:
        return cmos.read(cpu, pc.cmos_selected)
    if PM1_STATUS <= port < PM1_ENABLE:
        return pc.pm1_status >> 8 * (port & 1) & 0xFF
    if PM1_ENABLE <= port < PM1_CONTROL:
        return pc.pm1_enable >> 8 * (port & 1) & 0xFF
    if PM1_CONTROL <= port < PM1_END:
        return pc.pm1_control >> 8 * (port & 1) & 0xFF
    return 0xFF


@njit
def write(cpu: Cpu, port: u64, value: u64) -> None:
    pc = Pc(cpu.board.devices)
    if SERIAL_0 <= port < SERIAL_0_END:
        serial.write(cpu, pc.serial[0], port - SERIAL_0, value)
    elif SERIAL_1 <= port < SERIAL_1_END:
        serial.write(cpu, pc.serial[1], port - SERIAL_1, value)
    elif port in (PIC_MASK_0, PIC_MASK_1):
        pc.pic_masks[port >> 7] = value
    elif port == CMOS_SELECT:
        pc.cmos_selected = value & 0x7F
    elif port == CMOS_DATA:
        cmos.write(cpu, pc.cmos_selected, value)
    elif PM1_STATUS <= port < PM1_ENABLE:
        pc.pm1_status &= ~(value << 8 * (port & 1))  # a one clears the bit
    elif PM1_ENABLE <= port < PM1_CONTROL:
        pc.pm1_enable = replaced(pc.pm1_enable, port & 1, value)
    elif PM1_CONTROL <= port < PM1_END:
        upper = port == SLEEP_CONTROL
        if upper and value & SLEEP_ENABLE and value & SLEEP_TYPE == OFF:
            end(cpu, POWERED_OFF)
        kept = value & ~u64(SLEEP_ENABLE) if upper else value | 1  # SCI_EN: the machine is always in ACPI mode
        pc.pm1_control = replaced(pc.pm1_control, port & 1, kept)
    elif port == RESET_PORT and value == RESET_VALUE:
        end(cpu, RESET)
