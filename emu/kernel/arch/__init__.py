# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for its kernels: boot requirements, and how to read registers and stacks."""

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

# The real address behind a patched one. For a call: given `fp` of its struct ftrace_ret_stack and the address on its stack,
# its return address. For an interrupt: given 0 and the program counter, the address of the interrupted instruction.
RealAddress = Callable[[int, int], int]


class SavedRegisters(NamedTuple):
    """The offsets in struct pt_regs of the registers from which a backtrace continues."""

    pc: int
    sp: int
    link: int  # leads to the caller: the frame pointer or the latest call's address, depending on the architecture


class Access(NamedTuple):
    """What an instruction did with a device."""

    written: bool
    width: int  # bytes
    value: int


class KernelArch(ABC):
    """An architecture's support for kernels.

    To boot: elf_machine, page_table, boot_params.
    To trace accesses to devices, where the board has any: access().
    To show a CPU's registers: registers().
    To show a backtrace: callers(), and to a debugger, caller() and switched_out(). For native code that does the same:
        saved_registers(), without_frame(), trap_entry.
    """

    elf_machine: ClassVar[str]  # e_machine of an image, in pyelftools' spelling
    page_table: ClassVar[str | None]  # symbol of the page tables that CPUs use after reset; None: it has none
    boot_params: ClassVar[int]  # physical address of struct boot_params
    trap_entry: ClassVar[str | None]  # the function with the interrupted code's struct pt_regs above its frame; None: none

    @abstractmethod
    def registers(self, memory: GuestMemory, cpu: Cpu, saved: int) -> Mapping[str, int]:
        """Registers in conventional order, including "ip" (the program counter) and "sp".

        Args:
            saved: the address of a struct pt_regs; 0: the CPU's own registers.
        """

    @abstractmethod
    def callers(self, memory: GuestMemory, cpu: Cpu, registers: Mapping[str, int], real: RealAddress) -> Iterator[int]:
        """The return addresses of the calls under way, innermost first; where an interrupt came, the interrupted address.

        The chain ends where memory cannot be read. After the first address that is not code, the rest is meaningless.
        """

    def access(self, memory: GuestMemory, cpu: Cpu, saved: int, address: int, physical: int, room: int) -> Access | None:
        """Emulates an instruction that has faulted on an access to a device: its effects on the device and on the registers.

        Args:
            saved: the address of the fault's struct pt_regs. Afterwards it is the state after the instruction, or before its next
                repetition.
            address: the address that the instruction tried to access.
            physical: the device's physical address behind it.
            room: the number of bytes from there on that belong to the device.

        Returns:
            None if the kind of instruction is unknown. Then nothing has happened.
        """
        return None

    def caller(self, memory: GuestMemory, registers: Mapping[str, int]) -> Mapping[str, int] | None:
        """Registers of a function's caller, as far as they are known to differ. Replaced return addresses are those stored.

        Args:
            registers: the function's, by the names of `registers`.

        Returns:
            "*" before a name: the address where the register is saved. None if a debugger can find the caller without knowing
            the function.

        Raises:
            LookupError: memory cannot be read.
        """
        return None

    @abstractmethod
    def switched_out(self, memory: GuestMemory, task: int) -> Mapping[str, int]:
        """The registers of a task that no CPU runs, as far as __switch_to_asm saved them, by the names of `registers`.

        Raises:
            LookupError: they cannot be read.
        """

    @abstractmethod
    def saved_registers(self, image: Image) -> SavedRegisters:
        """The offsets of registers in struct pt_regs."""

    @abstractmethod
    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        """For each byte of a function: 0, unless the function has no stack frame of its own when it continues there.

        If return addresses are on the stack, the value says where: 1 is the top word.

        Args:
            code: the function's code, which may be half patched.
            branches: the static keys' branches in it: their offsets, and the offsets of their targets.
        """

    def function(self, memory: GuestMemory, name: str) -> bytes:
        """The code of a function of the kernel. Raises LookupError if it has none with this name."""
        function = memory.image.function_at(memory.image.symbol(name))
        if function is None:
            raise LookupError(f"the kernel has no function {name}")
        return memory.read(function.address, function.size)

    def without_frame_at(self, memory: GuestMemory, address: int) -> int:
        """What `without_frame` says of the function that goes on at an address. Entry code has frames of its own kind."""
        function = memory.image.function_at(address)
        if function is None or self.is_entry_code(memory.image, address):
            return 0
        place = self.without_frame(memory.read(function.address, function.size), {})
        offset = address - function.address
        return int(place[offset]) if offset < len(place) else 0

    def is_entry_code(self, image: Image, address: int) -> bool:
        """Whether an address is in the code of entries, which has frames of its own kind."""
        return image.symbol("__entry_text_start") <= address < image.symbol("__entry_text_end")


def load(name: str) -> KernelArch:
    """The architecture's support for kernels, by a name that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.kernel.arch.{name}")
    arch: KernelArch = module.ARCH
    return arch
