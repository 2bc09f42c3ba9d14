# SPDX-License-Identifier: GPL-2.0-only
"""The ACPI tables of a PC, by which an operating system finds its CPUs and devices (ACPI specification 6.5, chapter 5)."""

from __future__ import annotations

import struct
from typing import NamedTuple

__all__ = ["IO_APIC", "LOCAL_APIC", "SERIAL", "SerialPort", "tables"]

LOCAL_APIC, IO_APIC = 0xFEE0_0000, 0xFEC0_0000  # physical addresses
SCI = 9  # the pin of ACPI's own interrupt


class SerialPort(NamedTuple):
    """Where a serial port is: its first I/O port, and its pin of the I/O APIC."""

    port: int
    pin: int


SERIAL = (SerialPort(0x3F8, 4), SerialPort(0x2F8, 3))

_PM1_EVENTS, _PM1_CONTROL, _RESET, _RESET_VALUE = 0x600, 0x604, 0x606, 1
_SLEEP_TYPE_OFF = 5
_IDS = b"EMU   ", b"EMU PC  ", b"EMU "  # of the maker, of the table, of its compiler
_ALIGNMENT = 64
_IO, _MEMORY = 1, 0  # address spaces
_NO_VGA, _NO_RTC = 1 << 2, 1 << 5  # boot architecture flags (table 5.10)
_POWER_BUTTON_ABSENT, _SLEEP_BUTTON_ABSENT, _RESET_SUPPORTED, _HEADLESS = 1 << 4, 1 << 5, 1 << 10, 1 << 12


def tables(base: int, cpus: int) -> bytes:
    """The tables for so many CPUs, to be put at the physical address `base`, where the root pointer is."""
    blob = bytearray(64)

    def put(table: bytes) -> int:
        blob.extend(bytes(-len(blob) % _ALIGNMENT))
        place = base + len(blob)
        blob.extend(table)
        return place

    facs = put(struct.pack("<4sIIIIIQB", b"FACS", 64, 0, 0, 0, 0, 0, 2) + bytes(31))
    dsdt = put(_table(b"DSDT", 2, _definitions()))
    fadt = put(_table(b"FACP", 6, _fixed_hardware(facs, dsdt)))
    madt = put(_table(b"APIC", 5, _interrupt_controllers(cpus)))
    xsdt = put(_table(b"XSDT", 1, struct.pack("<2Q", fadt, madt)))
    pointer = bytearray(struct.pack("<8sB6sBIIQB3x", b"RSD PTR ", 0, _IDS[0], 2, 0, 36, xsdt, 0))
    pointer[8] = -sum(pointer[:20]) & 0xFF
    pointer[32] = -sum(pointer) & 0xFF
    blob[: len(pointer)] = pointer
    return bytes(blob)


def _table(signature: bytes, revision: int, body: bytes) -> bytes:
    maker, table, compiler = _IDS
    whole = bytearray(struct.pack("<4sIBB6s8sI4sI", signature, 36 + len(body), revision, 0, maker, table, 1, compiler, 1) + body)
    whole[9] = -sum(whole) & 0xFF
    return bytes(whole)


def _fixed_hardware(facs: int, dsdt: int) -> bytes:
    """The FADT's body (5.2.9): registers for power and reset, and what is absent."""
    body = bytearray(276 - 36)

    def store(offset: int, layout: str, *values: int) -> None:
        struct.pack_into(layout, body, offset - 36, *values)

    store(36, "<II", facs, dsdt)
    store(46, "<H", SCI)
    store(56, "<I", _PM1_EVENTS)
    store(64, "<I", _PM1_CONTROL)
    store(88, "<BB", 4, 2)  # lengths of these two
    store(96, "<HH", 0xFFFF, 0xFFFF)  # idle states other than C1 are absent
    store(109, "<H", _NO_VGA | _NO_RTC)
    store(112, "<I", 1 | _POWER_BUTTON_ABSENT | _SLEEP_BUTTON_ABSENT | _RESET_SUPPORTED | _HEADLESS)
    store(116, "<BBBBQ", _IO, 8, 0, 1, _RESET)
    store(128, "<B", _RESET_VALUE)
    store(132, "<QQ", facs, dsdt)
    store(148, "<BBBBQ", _IO, 32, 0, 3, _PM1_EVENTS)
    store(172, "<BBBBQ", _IO, 16, 0, 2, _PM1_CONTROL)
    return bytes(body)


def _interrupt_controllers(cpus: int) -> bytes:
    """The MADT's body (5.2.12). ISA interrupts have the pins of their numbers; ACPI's own is level-triggered."""
    body = struct.pack("<II", LOCAL_APIC, 1)
    for n in range(cpus):
        body += struct.pack("<BBBBI", 0, 8, n, n, 1)
    body += struct.pack("<BBBBII", 1, 12, cpus, 0, IO_APIC, 0)
    body += struct.pack("<BBBBIH", 2, 10, 0, SCI, SCI, 0xD)
    return body + struct.pack("<BBBHB", 4, 6, 0xFF, 0, 1)  # the NMI pin of all local APICs


# AML, the byte code of definitions (chapter 20)


def _length(body: bytes) -> bytes:
    """The package length that precedes a body, and includes itself (20.2.4)."""
    size = len(body) + 1
    if size < 0x40:
        return bytes([size])
    size += 1
    return bytes([0x40 | size & 0xF, size >> 4])


def _name(name: bytes, value: bytes) -> bytes:
    return b"\x08" + name + value


def _byte(value: int) -> bytes:
    return bytes([0x0A, value])


def _package(*values: bytes) -> bytes:
    body = bytes([len(values)]) + b"".join(values)
    return b"\x12" + _length(body) + body


def _buffer(data: bytes) -> bytes:
    body = _byte(len(data)) + data
    return b"\x11" + _length(body) + body


def _device(name: bytes, *parts: bytes) -> bytes:
    body = name + b"".join(parts)
    return b"\x5b\x82" + _length(body) + body


def _plug_and_play_id(text: str) -> bytes:
    """A compressed ID (19.3.4): three letters of five bits, and four hexadecimal digits."""
    first, second, third = (ord(letter) - 0x40 for letter in text[:3])
    return b"\x0c" + struct.pack(">H", first << 10 | second << 5 | third) + bytes.fromhex(text[3:])


def _definitions() -> bytes:
    """The DSDT's body: how to switch off, and the serial ports."""
    off = _name(b"_S5_", _package(_byte(_SLEEP_TYPE_OFF), _byte(_SLEEP_TYPE_OFF), b"\x00", b"\x00"))
    devices = b""
    for n, (port, pin) in enumerate(SERIAL):
        resources = struct.pack("<BBHHBB", 0x47, 1, port, port, 1, 8) + struct.pack("<BH", 0x22, 1 << pin) + b"\x79\x00"
        devices += _device(
            b"COM%d" % (n + 1), _name(b"_HID", _plug_and_play_id("PNP0501")), _name(b"_UID", _byte(n + 1)),
            _name(b"_CRS", _buffer(resources)),
        )  # fmt: skip
    scope = b"\\_SB_" + devices
    return off + b"\x10" + _length(scope) + scope
