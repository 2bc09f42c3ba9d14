# SPDX-License-Identifier: GPL-2.0-only
"""The I/O APIC: lines of devices become interrupt messages (Intel 82093AA, section 3)."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu, Uc
from emu.cpu.native.pc.messages import DELIVERY_MODE, DESTINATION_MODE, NO_SHORTHAND, VECTOR, send
from emu.cpu.native.pc.records import PINS, Pc
from emu.native.functions import callback, njit
from emu.native.records import u32, u64

__all__ = ["end_of_interrupt", "read", "set_line", "write"]

SELECT, WINDOW = 0x00, 0x10  # offsets of its two registers in memory (3.1)
ID, VERSION, ARBITRATION, REDIRECTIONS = 0x00, 0x01, 0x02, 0x10  # indirect registers (3.2); two for each redirection
REDIRECTIONS_END = REDIRECTIONS + 2 * PINS
VERSION_VALUE = (PINS - 1) << 16 | 0x11

# Bits of a redirection (3.2.4)
REMOTE_IRR, LEVEL, MASKED = u64(1 << 14), u64(1 << 15), u64(1 << 16)
LOW_BITS, DESTINATION_BITS = u64(0x1_AFFF), u64(0xFF00_0000)  # what can be written of the two halves; bits 12 and 14 are status
DESTINATION = 56
ID_BITS = u64(0x0F00_0000)
LOW_HALF = u64(0xFFFF_FFFF)


@njit
def request(cpu: Cpu, pin: u64) -> None:
    """Sends the message of a pin whose line has become active, or is active if it is level-triggered."""
    redirections = Pc(cpu.board.devices).io_apic.redirections
    entry = redirections[pin]
    if entry & MASKED or (entry & LEVEL and entry & REMOTE_IRR):
        return
    if entry & LEVEL:
        redirections[pin] = entry | REMOTE_IRR
    is_logical, mode = entry >> DESTINATION_MODE & 1, entry >> DELIVERY_MODE & 7
    send(cpu, u64(NO_SHORTHAND), entry >> DESTINATION, is_logical, mode, entry & VECTOR, entry & LEVEL != 0)


@njit
def request_active(cpu: Cpu, pin: u64) -> None:
    """Sends the message of a level-triggered pin if its line is active."""
    apic = Pc(cpu.board.devices).io_apic
    if apic.redirections[pin] & LEVEL and apic.lines >> pin & 1:
        request(cpu, pin)


@njit
def set_line(cpu: Cpu, pin: u64, active: bool) -> None:
    """A device changes its line. `cpu`: the one at whose time this happens."""
    apic = Pc(cpu.board.devices).io_apic
    bit = u64(1) << pin
    was_active = apic.lines & bit != 0
    if active == was_active:
        return
    apic.lines ^= bit
    if active:
        request(cpu, pin)


@njit
def end_of_interrupt(cpu: Cpu, vector: u64) -> None:
    """A CPU has dealt with a level-triggered interrupt: devices whose lines are still active raise it again."""
    redirections = Pc(cpu.board.devices).io_apic.redirections
    for pin in range(u64(PINS)):
        entry = redirections[pin]
        if entry & VECTOR == vector and entry & LEVEL and entry & REMOTE_IRR:
            redirections[pin] = entry & ~REMOTE_IRR
            request_active(cpu, pin)


@callback
def read(uc: Uc, offset: u64, width: u32, cpu: Cpu) -> u64:
    apic = Pc(cpu.board.devices).io_apic
    selected = apic.selected
    if offset == SELECT:
        return selected
    if offset != WINDOW:
        return 0
    if selected in (ID, ARBITRATION):
        return apic.id
    if selected == VERSION:
        return VERSION_VALUE
    if REDIRECTIONS <= selected < REDIRECTIONS_END:
        entry = apic.redirections[(selected - REDIRECTIONS) >> 1]
        return entry >> 32 if selected & 1 else entry & LOW_HALF
    return 0


@callback
def write(uc: Uc, offset: u64, width: u32, value: u64, cpu: Cpu) -> None:
    apic = Pc(cpu.board.devices).io_apic
    selected = apic.selected
    if offset == SELECT:
        apic.selected = value & 0xFF
    elif offset == WINDOW and selected == ID:
        apic.id = value & ID_BITS
    elif offset == WINDOW and REDIRECTIONS <= selected < REDIRECTIONS_END:
        pin = (selected - REDIRECTIONS) >> 1
        entry = apic.redirections[pin]
        if selected & 1:
            entry = entry & LOW_HALF | (value & DESTINATION_BITS) << 32
        else:
            entry = entry & ~LOW_HALF | entry & REMOTE_IRR | value & LOW_BITS
            if not entry & LEVEL:  # an edge-triggered interrupt needs no end
                entry &= ~REMOTE_IRR
        apic.redirections[pin] = entry
        request_active(cpu, pin)
