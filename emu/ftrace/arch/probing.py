# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to kprobes: which instructions can be probed, and what is executed in their place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from emu.kernel.image import Image

__all__ = ["ProbeRegisters", "Probing"]


class ProbeRegisters(NamedTuple):
    """What probes see of a CPU: words in the host's byte order, each known by its index.

    They are the registers before the probed instruction. At a function's first instruction they are so even if its call site,
    which tells of the call, comes only after a few instructions.
    """

    names: Mapping[str, int]  # by the names that `%NAME` of a probe's argument has
    arguments: Sequence[int]  # of a function, at its first instruction: $arg1 and so on
    stack_arguments: int  # which word of the stack is the argument behind them
    return_value: int
    pc: int
    stack_pointer: int
    stack_bias: int = 0  # bytes from the stack pointer to the topmost word of the stack

    @property
    def words(self) -> int:
        """How many words there are. A register may have several names."""
        return len(set(self.names.values()))


class Probing(ABC):
    """Breakpoints that stay, while a copy of the instruction is executed elsewhere.

    What only native code can do at them is in the modules of emu.ftrace.native.arch that end with `_probe` and `_uprobe`.
    """

    registers: ClassVar[ProbeRegisters]
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

        With `place` None only the length counts. At most `trace_values.PLACE_SIZE` bytes.
        """

    @abstractmethod
    def stepping_copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        """The same, for probes of the guest's own: behind it the CPU traps once more (firmware's asm/kprobes.h)."""

    @abstractmethod
    def detour(self, behind: int, place: int | None) -> bytes:
        """What is at `place` for a site to go on at: the guest traps, and has the CPU go on at `behind`. With `place` None only
        the length counts; b"": a breakpoint must be at the function's first instruction instead.
        """

    @abstractmethod
    def saved_offsets(self, image: Image) -> Sequence[int]:
        """The offset in struct pt_regs of each register that probes see and that is there, in the order of `registers`."""
