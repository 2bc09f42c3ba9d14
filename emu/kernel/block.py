# SPDX-License-Identifier: GPL-2.0-only
"""The RAM disk's interface to the guest's driver: struct ramdisk_command (firmware/include/emu/ramdisk.h)."""

from __future__ import annotations

import errno

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.ramdisk import RamDisk
from emu.kernel.host_calls import host_call
from emu.kernel.memory import GuestMemory

__all__ = ["TAG_BITS", "BlockDevice"]

TAG_BITS = 16  # in the result of HC_BLOCK_COMPLETED; the bit above them means that the command failed


class BlockDevice:
    """Passes the guest's commands to a RAM disk, and interrupts CPU 0 when a command is done."""

    def __init__(self, board: Board, memory: GuestMemory, disk: RamDisk) -> None:
        self._board = board
        self._memory = memory
        self._disk = disk
        self._vector = memory.image.constant("BLOCK_DEVICE_VECTOR")
        self._most_segments = memory.image.constant("RAMDISK_MAX_SEGMENTS")

    @host_call
    def block_info(self, cpu: Cpu) -> int:
        """The size in sectors."""
        return self._disk.sectors

    @host_call
    def block_submit(self, cpu: Cpu, command: int, tag: int) -> int:
        memory, image = self._memory, self._memory.image
        sector, operation, count = (
            memory.member(command, f"ramdisk_command.{name}") for name in ("sector", "operation", "nr_segments")
        )
        if count > self._most_segments:
            return -errno.EINVAL
        first, size = command + image.offset("ramdisk_command.segments"), image.size("ramdisk_segment")
        segments = [
            (memory.member(segment, "ramdisk_segment.address"), memory.member(segment, "ramdisk_segment.length"))
            for segment in range(first, first + count * size, size)
        ]
        self._disk.submit(memory.ram, cpu.cycles, tag, operation, sector, segments)
        self._interrupt()
        return 0

    @host_call
    def block_completed(self, cpu: Cpu) -> int:
        """The tag of the next completed command, plus 1 << 16 if it failed; -EAGAIN if there is none."""
        done = self._disk.completed(cpu.cycles)
        if done is None:
            self._interrupt()
            return -errno.EAGAIN
        tag, failed = done
        return tag | failed << TAG_BITS

    def _interrupt(self) -> None:
        """Raises the disk's interrupt at the time when its next command is done."""
        time = self._disk.next_completion
        if time is not None:
            self._board.cpus[0].raise_interrupt(self._vector, time)
