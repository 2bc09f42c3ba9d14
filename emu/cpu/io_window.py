# SPDX-License-Identifier: GPL-2.0-only
"""The address space above RAM: a device (docs/board.md), and nothing beyond it."""

from __future__ import annotations

import ctypes

import unicorn

from emu.cpu.internals import map_device
from emu.cpu.native import io_window

__all__ = ["IoWindow"]

_READ = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64)
_WRITE = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64)
_WIDEST = 4  # the widest access on the bus in bytes: an access of eight is split in two
_ID = int.from_bytes(b"emu", "little")


class IoWindow:
    """The addresses of the devices.

    Args:
        addresses: physical addresses, whole pages.

    Attributes:
        device: the device's bytes, at the beginning of the window.
    """

    def __init__(self, addresses: range) -> None:
        self.addresses = addresses
        self.device = io_window.Device.allocate()
        self.device.id = _ID

    def connect(self, uc: unicorn.Uc) -> None:
        """Maps the window for a CPU."""
        map_device(uc, self.addresses, io_window.read.address, io_window.write.address, self.device.address)

    # The effects of a CPU's instruction. `address` is physical, and all 1, 2, 4 or 8 bytes are in the window.

    def read(self, address: int, size: int) -> int:
        """The little-endian number in the bytes."""
        value = 0
        for start in range(0, size, _WIDEST):
            width = min(_WIDEST, size - start)
            part = _READ(io_window.read.address)(0, self._offset(address + start, width), width, self.device.address)
            value |= (part & (1 << 8 * width) - 1) << 8 * start
        return value

    def write(self, address: int, size: int, value: int) -> None:
        for start in range(0, size, _WIDEST):
            width = min(_WIDEST, size - start)
            part = value >> 8 * start & (1 << 8 * width) - 1
            _WRITE(io_window.write.address)(0, self._offset(address + start, width), width, part, self.device.address)

    def _offset(self, address: int, size: int) -> int:
        if not self.addresses.start <= address <= self.addresses.stop - size:
            raise ValueError(f"{size} bytes at {address:#x}: they are not in the window")
        return address - self.addresses.start
