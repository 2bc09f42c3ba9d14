# SPDX-License-Identifier: GPL-2.0-only
"""Places in the guest kernel's .ftrace.tramp, in which the host puts code."""

from __future__ import annotations

import errno

from emu.ftrace.errors import TraceError
from emu.kernel.kernel import Kernel

__all__ = ["PLACE_SIZE", "Trampolines"]

PLACE_SIZE = 32  # bytes


class Trampolines:
    """The places of an image.

    Args:
        kernel: with its image loaded.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        image = kernel.image
        self._free = list(range(image.symbol("__ftrace_tramp_start"), image.symbol("__ftrace_shared"), PLACE_SIZE))
        self._free.reverse()

    def allocate(self, code: bytes) -> int:
        """Puts code into a place, and returns its address.

        Raises:
            TraceError: ENOMEM, when all places are in use.
        """
        assert len(code) <= PLACE_SIZE
        if not self._free:
            raise TraceError(errno.ENOMEM, "all places for trampolines are in use")
        place = self._free.pop()
        self._kernel.board.write_code(self._kernel.memory.physical(place), code)
        return place

    def release(self, place: int) -> None:
        """Nobody will come to a place any more."""
        self._free.append(place)
