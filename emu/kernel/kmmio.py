# SPDX-License-Identifier: GPL-2.0-only
"""Device accesses that fault because the guest traces them (mmio-mod.c of an architecture's kernel)."""

from __future__ import annotations

import errno

from emu.cpu.cpu import Cpu
from emu.kernel.arch import KernelArch
from emu.kernel.host_calls import host_call
from emu.kernel.memory import GuestMemory

__all__ = ["Kmmio"]


class Kmmio:
    """Performs an access in place of the instruction that faulted, so that no other CPU interferes."""

    def __init__(self, arch: KernelArch, memory: GuestMemory) -> None:
        self._arch = arch
        self._memory = memory

    @host_call
    def kmmio(self, cpu: Cpu, saved: int, address: int, rw: int, room: int) -> int:
        """Returns 1 if it is done, with its description in the struct mmiotrace_rw at `rw`; 0 if the instruction is unknown.

        Args:
            saved: the struct pt_regs of the fault.
            address: the accessed address.
            rw: its `phys` is the device's physical address behind that.
            room: the number of traced bytes from there on.
        """
        io = cpu.board.io
        if io is None:
            return -errno.ENODEV
        memory, image = self._memory, self._memory.image
        physical = memory.member(rw, "mmiotrace_rw.phys")
        if physical not in io.addresses:
            return -errno.EINVAL
        done = self._arch.access(memory, cpu, saved, address, physical, min(room, io.addresses.stop - physical))
        if done is None:
            return 0
        memory.set_member(rw, "mmiotrace_rw.opcode", image.constant("MMIO_WRITE" if done.written else "MMIO_READ"))
        memory.set_member(rw, "mmiotrace_rw.width", done.width)
        memory.set_member(rw, "mmiotrace_rw.value", done.value)
        return 1
