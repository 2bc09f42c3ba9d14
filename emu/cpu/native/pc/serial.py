# SPDX-License-Identifier: GPL-2.0-only
"""Serial ports (National Semiconductor PC16550D, section 8).

Bytes take no time on the line: a byte that the guest writes has been sent at once, and bytes from the host wait in the receiver,
however many. There are no line errors.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.interrupts import stop
from emu.cpu.native.pc.io_apic import set_line
from emu.cpu.native.pc.records import Serial
from emu.native.functions import njit, shared
from emu.native.records import u64

__all__ = ["arrive", "read", "write"]

# Registers (table II); DIVISOR_ACCESS of the line control register makes the first two the divisor's halves.
DATA, INTERRUPT_ENABLE, FIFO_CONTROL, LINE_CONTROL, MODEM_CONTROL, LINE_STATUS, MODEM_STATUS, SCRATCH = range(8)
IDENTIFICATION = FIFO_CONTROL  # when it is read

RECEIVER, TRANSMITTER, MODEM = u64(1), u64(2), u64(8)  # bits of the interrupt enable register
MODEM_CHANGED, NO_INTERRUPT, TRANSMITTER_EMPTY, DATA_AVAILABLE = 0, 1, 2, 4  # interrupt identification (table IV)
FIFOS_ENABLED = 0xC0
FIFO_ENABLE, FIFO_CLEAR = u64(0x01), u64(0x02)  # bits of the FIFO control register
DIVISOR_ACCESS = 0x80
OUT2, LOOP = 0x08, 0x10  # bits of the modem control register
NEW_LINE = 10
SENT_ALL = u64(0x60)  # bits of the line status register; bit 0: data is ready
READY = u64(0xB0)  # modem status: carrier, data set ready, clear to send
RING = 0x40  # a bit of the modem status register, of which only the end is a change


@njit
def has_data(port: Serial) -> bool:
    return port.received_begin != port.received_end


@njit
def pending(port: Serial) -> u64:
    """The interrupt identification, without the FIFOs' bits."""
    if port.interrupt_enable & RECEIVER and has_data(port):
        return DATA_AVAILABLE
    if port.interrupt_enable & TRANSMITTER and port.transmitter_interrupts:
        return TRANSMITTER_EMPTY
    if port.interrupt_enable & MODEM and port.modem_changes != 0:
        return MODEM_CHANGED
    return NO_INTERRUPT


@njit
def update_line(cpu: Cpu, port: Serial) -> None:
    """Sets the port's interrupt line, after a change. OUT2 of the modem control register connects it."""
    set_line(cpu, port.pin, port.modem_control & OUT2 != 0 and pending(port) != NO_INTERRUPT)


@shared
def arrive(cpu: Cpu, port: Serial, count: u64) -> None:
    """So many bytes have been stored in the receiver by the host: a new interrupt, even if the last one has not been dealt with.

    A driver may leave its handler while bytes wait, if it has found new ones too often: Linux's does when it has looked 512
    times. It relies on another interrupt, which an edge-triggered line raises only when it was inactive meanwhile.
    """
    set_line(cpu, port.pin, False)
    port.received_end += count
    update_line(cpu, port)


@njit
def receive(port: Serial) -> u64:
    """The next byte from the host; 0 if there is none."""
    if not has_data(port):
        return 0
    value = port.received[port.received_begin % port.received_size]
    port.received_begin += 1
    return value


@njit
def send(cpu: Cpu, port: Serial, value: u64) -> None:
    """Gives a byte to the host; or to the receiver, in a loop."""
    if port.modem_control & LOOP:
        if port.received_end - port.received_begin < port.received_size:
            port.received[port.received_end % port.received_size] = value
            port.received_end += 1
    else:
        if port.sent_count < port.sent_size:
            port.sent[port.sent_count] = value
            port.sent_count += 1
        if port.sent_count >= port.sent_wanted or (port.stops_at_lines and value == NEW_LINE):
            stop(cpu)
    empty(cpu, port)


@njit
def empty(cpu: Cpu, port: Serial) -> None:
    """The transmitter is empty: a new interrupt, even if the last one has not been seen."""
    port.transmitter_interrupts = False
    update_line(cpu, port)
    port.transmitter_interrupts = True


@njit
def modem_inputs(port: Serial) -> u64:
    """The upper half of the modem status. In a loop, the outputs are the inputs (8.6.7)."""
    control = port.modem_control
    if not control & LOOP:
        return READY
    return (control & 1) << 5 | (control & 2) << 3 | (control & 4) << 4 | (control & 8) << 4


@njit
def control_modem(port: Serial, value: u64) -> None:
    """Writes the modem control register, and notes which inputs that changes (8.6.8)."""
    before = modem_inputs(port)
    port.modem_control = value & 0x1F
    after = modem_inputs(port)
    port.modem_changes |= ((before ^ after) & ~u64(RING)) >> 4 | (before & ~after & RING) >> 4


@njit
def read(cpu: Cpu, port: Serial, register: u64) -> u64:
    value = u64(0)
    if port.line_control & DIVISOR_ACCESS and register <= INTERRUPT_ENABLE:
        return port.divisor >> 8 * register & 0xFF
    if register == DATA:
        value = receive(port)
        update_line(cpu, port)
    elif register == INTERRUPT_ENABLE:
        value = port.interrupt_enable
    elif register == IDENTIFICATION:
        value = pending(port)
        if value == TRANSMITTER_EMPTY:
            port.transmitter_interrupts = False
            update_line(cpu, port)
        if port.fifo_control & FIFO_ENABLE:
            value |= FIFOS_ENABLED
    elif register == LINE_CONTROL:
        value = port.line_control
    elif register == MODEM_CONTROL:
        value = port.modem_control
    elif register == LINE_STATUS:
        value = SENT_ALL | u64(has_data(port))
    elif register == MODEM_STATUS:
        value = modem_inputs(port) | port.modem_changes
        port.modem_changes = 0
        update_line(cpu, port)
    else:
        value = port.scratch
    return value


@njit
def write(cpu: Cpu, port: Serial, register: u64, value: u64) -> None:
    if port.line_control & DIVISOR_ACCESS and register <= INTERRUPT_ENABLE:
        shift = 8 * register
        port.divisor = port.divisor & ~(u64(0xFF) << shift) | value << shift
        return
    if register == DATA:
        send(cpu, port, value)
    elif register == INTERRUPT_ENABLE:
        if value & TRANSMITTER and not port.interrupt_enable & TRANSMITTER:
            empty(cpu, port)
        port.interrupt_enable = value & 0xF
    elif register == FIFO_CONTROL:
        enable = value & FIFO_ENABLE
        if enable != port.fifo_control or (enable and value & FIFO_CLEAR):
            port.received_begin = port.received_end
        port.fifo_control = enable
    elif register == LINE_CONTROL:
        port.line_control = value
    elif register == MODEM_CONTROL:
        control_modem(port, value)
    elif register == SCRATCH:
        port.scratch = value
    update_line(cpu, port)
