# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture says of kernels: what they need to boot, and how their registers and stacks are read."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.cpu.cpu import Cpu
from emu.kernel.image import Image
from emu.kernel.memory import GuestMemory

__all__ = ["Access", "KernelArch", "RealAddress", "SavedRegisters", "load"]

# Of a call: given `fp` of its struct ftrace_ret_stack and the address on its stack, its return address. Of an interrupt: given 0
# and the program counter, the address of the interrupted instruction.
RealAddress = Callable[[int, int], int]


class SavedRegisters(NamedTuple):
    """The offsets in struct pt_regs of what a backtrace goes on with."""

    pc: int
    sp: int
    link: int  # what leads to the caller: the frame pointer, or where the latest call was made, by architecture


class Access(NamedTuple):
    """What an instruction has done with a device."""

    written: bool
    width: int  # bytes
    value: int


class KernelArch(ABC):
    """An architecture's kernels.

    To boot: elf_machine, page_table, boot_params.
    To trace accesses to devices, where the board has any: access().
    To show a CPU's registers: registers().
    To show a backtrace: callers(). For native code that does the same: saved_registers(), without_frame(), trap_entry.
    """

    elf_machine: ClassVar[str]  # e_machine of an image, as pyelftools names it
    page_table: ClassVar[str | None]  # symbol of the tables that the reset state has CPUs use; None: it has none
    boot_params: ClassVar[int]  # physical address of struct boot_params
    trap_entry: ClassVar[str | None]  # the function above whose frame is the struct pt_regs of what it interrupts; None: none

    @abstractmethod
    def registers(self, memory: GuestMemory, cpu: Cpu, saved: int) -> Mapping[str, int]:
        """Registers in the order in which people read them, "ip" (the program counter) and "sp" among them.

        Args:
            saved: address of a struct pt_regs; 0: the CPU's own registers.
        """

    @abstractmethod
    def callers(self, memory: GuestMemory, cpu: Cpu, registers: Mapping[str, int], real: RealAddress) -> Iterator[int]:
        """The return addresses of the calls under way, innermost first, and where interrupts have come the interrupted addresses.

        The chain ends where memory cannot be read. After the first address that is no code, the rest has no meaning.
        """

    def access(self, memory: GuestMemory, cpu: Cpu, saved: int, address: int, physical: int, room: int) -> Access | None:
        """Does for an instruction, which has faulted there, what it would have done with a device, and to the registers.

        Args:
            saved: address of the struct pt_regs of the fault. Afterwards it is as behind the instruction, or as before its next
                repetition.
            address: what the instruction has tried to access.
            physical: the device's address that it stands for.
            room: how many bytes from there on are the device's, too.

        Returns:
            None: it is an instruction of an unknown kind. Nothing has happened.
        """
        return None

    @abstractmethod
    def saved_registers(self, image: Image) -> SavedRegisters:
        """Where a struct pt_regs has which registers."""

    @abstractmethod
    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        """For each byte of a function: 0, unless the function has no frame of its own while it goes on there.

        If return addresses are on the stack, it says where: 1 if it is the topmost word.

        Args:
            code: the function, which may be being patched.
            branches: of static keys in it, by offset, the offsets of their targets.
        """

    def without_frame_at(self, memory: GuestMemory, address: int) -> int:
        """What `without_frame` says of the function that goes on at an address. Entry code has frames of its own kind."""
        image = memory.image
        function = image.function_at(address)
        if function is None or image.symbol("__entry_text_start") <= address < image.symbol("__entry_text_end"):
            return 0
        place = self.without_frame(memory.read(function.address, function.size), {})
        offset = address - function.address
        return int(place[offset]) if offset < len(place) else 0


def load(name: str) -> KernelArch:
    """The architecture's part; `name` is one that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.kernel.arch.{name}")
    arch: KernelArch = module.ARCH
    return arch
