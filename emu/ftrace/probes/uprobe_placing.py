# SPDX-License-Identifier: GPL-2.0-only
"""What uprobes need of a kernel, be it patched or looked at from outside: what acts at an offset in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from emu.ftrace.native.trace_records import Consumer

__all__ = ["UprobePlace", "UprobePlacing"]


@dataclass(frozen=True)
class UprobePlace:
    """The place of a uprobe.

    Attributes:
        path: the file's absolute path.
        offset: the instruction's offset in the file.
        ref_ctr_offset: the offset of a counter in the file of the probe's users; 0 if it has none.
        returns: probe the return of the function that begins there, not the instruction.
    """

    path: str
    offset: int
    ref_ctr_offset: int = 0
    returns: bool = False


class UprobePlacing(ABC):
    """The uprobes of a kernel, by numbers, which are reused. What fails later calls its `failed` with an errno."""

    @abstractmethod
    def check(self, place: UprobePlace) -> None:
        """Checks what can be known before the probe is defined. Raises TraceError: ENOENT, EINVAL, as for `add`; EOPNOTSUPP."""

    @abstractmethod
    def add(self, place: UprobePlace, consumer: Consumer, failed: Callable[[int], None]) -> int:
        """Defines a probe, which does nothing until it is enabled. Returns its number.

        Args:
            place: the place. ENOENT, ENOTDIR and so on if there is no such file; EINVAL if it is not a regular file.
            consumer: the probe's consumer, as long as the probe exists.
            failed: called on failure; the number no longer belongs to the probe then.
        """

    @abstractmethod
    def enable(self, number: int, failed: Callable[[int], None]) -> None:
        """Makes the probe's consumer act from now on. EINVAL if the offset is beyond the end of the file, not a multiple of the
        instruction size, or has a different counter already; EOPNOTSUPP if the instruction cannot be probed.
        """

    @abstractmethod
    def disable(self, number: int) -> None:
        """Stops the probe's consumer."""

    @abstractmethod
    def remove(self, number: int) -> None:
        """Removes the probe."""
