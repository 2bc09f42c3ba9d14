# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for kprobes: which instructions can be probed, and what is executed instead of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from emu.kernel.image import Image

__all__ = ["ProbeRegisters", "Probing"]


class ProbeRegisters(NamedTuple):
    """The state of a CPU that probes see: words in the host's byte order, identified by index.

    They are the registers before the probed instruction. At a function's first instruction this is so even if the call site,
    which reports the call, comes a few instructions later.
    """

    names: Mapping[str, int]  # by the names in `%NAME` of a probe's argument
    arguments: Sequence[int]  # of a function's arguments, at its first instruction: $arg1 and so on
    stack_arguments: int  # index of the stack word with the argument after them
    return_value: int
    pc: int
    stack_pointer: int
    stack_bias: int = 0  # bytes from the stack pointer to the top word of the stack
    entry_arguments: Sequence[int] = ()  # at a function's return: what its first arguments were, if that is known

    @property
    def words(self) -> int:
        """The number of words. A register may have several names."""
        return len(set(self.names.values())) + len(self.entry_arguments)


class Probing(ABC):
    """Permanent breakpoints, with the replaced instruction executed out of line.

    Their native parts are in the modules of emu.ftrace.native.arch that end with `_probe` and `_uprobe`.
    """

    registers: ClassVar[ProbeRegisters]  # the registers that probes see
    breakpoint: ClassVar[bytes]  # replaces the first bytes of an instruction in a single write, which CPUs see atomically

    @abstractmethod
    def instruction(self, code: bytes, start: int, address: int) -> bytes:
        """The instruction at an address, if it can be probed.

        Args:
            code: the function's code as compiled.
            start: the function's address.

        Raises:
            TraceError: EILSEQ if no instruction begins there; EINVAL, with the reason, if it cannot be probed.
        """

    @abstractmethod
    def copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        """Code at `place` with the effect of the instruction at its address; b"" if native code emulates it instead.

        If `place` is None, only the length is used. At most `trace_values.PLACE_SIZE` bytes.
        """

    @abstractmethod
    def stepping_copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        """The same, for probes of the guest itself: after it, the CPU traps again (firmware's asm/kprobes.h)."""

    @abstractmethod
    def detour(self, behind: int, place: int | None) -> bytes:
        """Code at `place` to which a site jumps: it makes the guest trap and continue at `behind`. If `place` is None, only
        the length is used; b"" if a breakpoint at the function's first instruction is needed instead.
        """

    @abstractmethod
    def saved_offsets(self, image: Image) -> Sequence[int]:
        """The offset in struct pt_regs of each register that probes see and that is saved there, in the order of `registers`."""
