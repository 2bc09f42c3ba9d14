# SPDX-License-Identifier: GPL-2.0-only
"""The board's device, as CPUs access it (docs/board.md): 16 KiB that store what is written, including two registers."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Uc
from emu.native.functions import callback
from emu.native.records import HOST, Bytes, Record, Values, inline, u32, u64

__all__ = ["SIZE", "Device", "read", "write"]


class Device(Record):
    """The device's memory."""

    before: Values[u64] = inline(32)
    id: u64  # reads as the letters "emu"
    accesses: u64  # how many accesses there were before this one
    behind: Values[u64] = inline(2048 - 34)


SIZE = HOST.size(Device)
BEGIN, END = (HOST.fields(Device)[name].offset for name in ("id", "behind"))  # of the registers, which cannot be written
ALL_ONES = u64(0xFFFF_FFFF_FFFF_FFFF)


@callback
def read(uc: Uc, offset: u64, width: u32, device: Device) -> u64:
    """Reads one, two, four or eight bytes. Beyond the device all bits are set."""
    size, held = u64(width), Bytes(device.address)
    if offset + size > SIZE:
        return ALL_ONES
    value = u64(0)
    for n in range(size):
        value |= held[offset + n] << 8 * n
    device.accesses += 1
    return value


@callback
def write(uc: Uc, offset: u64, width: u32, value: u64, device: Device) -> None:
    """Writes one, two, four or eight bytes. Beyond the device, and at registers, nothing is written."""
    size, held = u64(width), Bytes(device.address)
    if offset + size > SIZE:
        return
    device.accesses += 1
    if offset + size <= BEGIN or offset >= END:
        for n in range(size):
            held[offset + n] = value >> 8 * n & 0xFF
