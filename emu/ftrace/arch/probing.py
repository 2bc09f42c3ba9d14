# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to kprobes: which instructions can be probed, and what is executed in their place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from emu.kernel.image import Image

__all__ = ["Probing"]


class Probing(ABC):
    """Breakpoints that stay, while a copy of the instruction is executed elsewhere.

    What only native code can do at them is in emu.ftrace.native.arch, `build_for_probes()`.
    """

    breakpoint: ClassVar[bytes]  # replaces the first bytes of an instruction by one write, which no CPU sees half done

    @abstractmethod
    def instruction(self, code: bytes, start: int, address: int) -> bytes:
        """The instruction at an address, which can be probed.

        Args:
            code: the function that it is in, as compiled.
            start: the function's address.

        Raises:
            TraceError: EILSEQ, when no instruction begins there; EINVAL, when it cannot be probed, with the reason.
        """

    @abstractmethod
    def copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        """What does at `place` what the instruction does at its address; b"": native code does that, and needs no copy.

        With `place` None only the length counts. At most `array_record.PLACE_SIZE` bytes.
        """

    @abstractmethod
    def saved_offsets(self, image: Image) -> Sequence[int]:
        """The offset in struct pt_regs of each register that probes see and that is there, in the order of `probe_registers`."""
