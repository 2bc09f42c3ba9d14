# SPDX-License-Identifier: GPL-2.0-only
"""The RAM disk: a block device backed by memory or by a file of the host.

The sectors are not in guest RAM, so a disk can be larger than the machine's memory.
"""

from __future__ import annotations

import enum
import mmap
import os
import stat
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import ClassVar, ParamSpec, Self, TypeVar

from emu.cpu.journal import Journal

__all__ = ["Operation", "RamDisk"]

P = ParamSpec("P")
R = TypeVar("R")

_SECTOR = 512  # bytes
_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


class Operation(enum.IntEnum):
    """What a command does."""

    READ = 0
    WRITE = 1


@dataclass(frozen=True)
class _Done:
    """A command that the guest sees as completed from `time` on."""

    time: int
    tag: int
    failed: bool


class RamDisk:
    """A disk that executes one command after another.

    A command's data is transferred at once. The guest sees the command as completed when its duration has passed.

    Args:
        size: bytes, rounded down to whole sectors.
        descriptor: an open file with the sectors, instead of memory; closed with the disk.

    Attributes:
        journal: what was read from the file and written to it; None: nobody wants to know.
    """

    SETUP: ClassVar[int] = 1_000  # cycles: 10 us at 100 MHz, about what a solid-state disk's controller takes
    SEEK: ClassVar[int] = 4_000  # additional cycles unless the command begins where the last one ended
    BYTES_PER_CYCLE: ClassVar[int] = 4  # 400 MB/s at 100 MHz

    def __init__(self, size: int, descriptor: int | None = None) -> None:
        self.sectors = size // _SECTOR
        self._descriptor = descriptor
        self.journal: Journal | None = None
        self._memory = mmap.mmap(-1, max(self.sectors, 1) * _SECTOR, _PRIVATE) if descriptor is None else None
        self._busy_until = 0
        self._next_sector = 0
        self._done: deque[_Done] = deque()

    @classmethod
    def of_file(cls, path: Path, *, writable: bool = False) -> Self:
        """A disk with a file's bytes: a copy of them, or with `writable` the file itself.

        Raises:
            OSError: the file cannot be opened or read.
            ValueError: it is not a regular file, or is smaller than a sector.
        """
        descriptor = os.open(path, (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise ValueError(f"{path}: not a regular file")
            if about.st_size < _SECTOR:
                raise ValueError(f"{path}: {about.st_size} bytes do not make a disk: it needs at least {_SECTOR}")
            if writable:
                return cls(about.st_size, descriptor)
            disk = cls(about.st_size)
            for start in range(0, disk.size, 1 << 20):
                disk.write(start, os.pread(descriptor, min(1 << 20, disk.size - start), start))
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return disk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees the memory or closes the file."""
        if self._memory is not None:
            self._memory.close()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @property
    def size(self) -> int:
        """Bytes."""
        return self.sectors * _SECTOR

    def read(self, start: int = 0, size: int | None = None) -> bytes:
        """Reads `size` bytes from byte `start` on; by default the whole disk.

        Raises:
            ValueError: the disk is too short.
            OSError: its file cannot be read.
        """
        size = self.size - start if size is None else size
        self._check(start, size)
        if self._memory is not None:
            return self._memory[start : start + size]
        assert self._descriptor is not None
        data = self._outside(os.pread, self._descriptor, size, start)
        return data + bytes(size - len(data))  # zeros if the file has become shorter

    def write(self, start: int, data: bytes) -> None:
        """Writes `data` at byte `start`. The guest is not told: its cached data stays as it was.

        Raises:
            ValueError: the disk is too short.
            OSError: its file cannot be written.
        """
        self._check(start, len(data))
        if self._memory is not None:
            self._memory[start : start + len(data)] = data
            return
        assert self._descriptor is not None
        if self._outside(os.pwrite, self._descriptor, data, start) != len(data):
            raise OSError("short write")

    def _check(self, start: int, size: int) -> None:
        if start < 0 or size < 0 or start + size > self.size:
            raise ValueError(f"bytes {start} to {start + size}: the disk has {self.size}")

    # The guest driver's interface

    def submit(
        self, ram: memoryview, now: int, tag: int, operation: int, sector: int, segments: Sequence[tuple[int, int]]
    ) -> int:
        """Submits a command. Returns the time at which it will be completed, in cycles.

        Args:
            ram: the machine's RAM.
            now: the time, in cycles.
            tag: identifies the command in `completed`.
            operation: an Operation: READ into the segments, or WRITE from them. Any other command fails.
            sector: the first sector.
            segments: (physical address, bytes) of each piece of RAM.
        """
        done = self._transfer(ram, operation, sector * _SECTOR, segments)
        length = sum(size for _, size in segments)
        cost = self.SETUP + length // self.BYTES_PER_CYCLE + (0 if sector == self._next_sector else self.SEEK)
        self._busy_until = max(now, self._busy_until) + cost
        self._next_sector = sector + length // _SECTOR
        self._done.append(_Done(self._busy_until, tag, failed=not done))
        return self._busy_until

    def _transfer(self, ram: memoryview, operation: int, start: int, segments: Sequence[tuple[int, int]]) -> bool:
        """Transfers a command's data. Returns False if this fails."""
        if operation not in tuple(Operation):
            return False
        try:
            for address, size in segments:
                if address < 0 or size < 0 or address + size > len(ram):
                    return False
                if operation == Operation.READ:
                    ram[address : address + size] = self.read(start, size)
                else:
                    self.write(start, bytes(ram[address : address + size]))
                start += size
        except (ValueError, OSError):
            return False
        return True

    def _outside(self, act: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return act(*args, **kwargs) if self.journal is None else self.journal.call(lambda: act(*args, **kwargs))

    def completed(self, now: int) -> tuple[int, bool] | None:
        """Removes the next command completed by `now`, and returns (tag, whether it failed); None if no command is completed."""
        if not self._done or self._done[0].time > now:
            return None
        done = self._done.popleft()
        return done.tag, done.failed

    @property
    def next_completion(self) -> int | None:
        """The time at which the next command is completed, in cycles; None if there is no command."""
        return self._done[0].time if self._done else None
