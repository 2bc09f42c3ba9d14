# SPDX-License-Identifier: GPL-2.0-only
"""The RAM disk as the guest's driver commands it: struct ramdisk_command (firmware/include/emu/ramdisk.h)."""

from __future__ import annotations

import errno
import struct

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.ramdisk import RamDisk
from emu.kernel.host_calls import host_call
from emu.kernel.image import Image

__all__ = ["BlockDevice"]

_MOST_SEGMENTS = 64  # of a command


class BlockDevice:
    """Gives the guest's commands to a RAM disk, which interrupts CPU 0 when it has done one."""

    def __init__(self, board: Board, image: Image, disk: RamDisk) -> None:
        self._board = board
        self._disk = disk
        self._vector = image.constant("BLOCK_DEVICE_VECTOR")
        self._byte_order = image.byte_order

    @host_call
    def block_info(self, cpu: Cpu) -> int:
        """The size in sectors."""
        return self._disk.sectors

    @host_call
    def block_submit(self, cpu: Cpu, command: int, tag: int) -> int:
        order = self._byte_order
        sector, operation, count = struct.unpack(f"{order}3Q", cpu.read(command, 24))
        if count > _MOST_SEGMENTS:
            return -errno.EINVAL
        words = struct.unpack(f"{order}{2 * count}Q", cpu.read(command + 24, 16 * count))
        segments = list(zip(words[::2], words[1::2], strict=True))
        self._disk.submit(self._board.ram, cpu.cycles, tag, operation, sector, segments)
        self._interrupt()
        return 0

    @host_call
    def block_completed(self, cpu: Cpu) -> int:
        """The tag of the next command that has been done, and above it whether it failed."""
        done = self._disk.completed(cpu.cycles)
        if done is None:
            self._interrupt()
            return -errno.EAGAIN
        tag, status = done
        return tag | status << 16

    def _interrupt(self) -> None:
        """The disk interrupts when it will have done its next command."""
        time = self._disk.next_completion
        if time is not None:
            self._board.cpus[0].raise_interrupt(self._vector, time)
