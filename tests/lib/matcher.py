# SPDX-License-Identifier: GPL-2.0-only
"""Runs the programs of filters on entries that a test has made, without a machine."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.native import array_cpu_record, array_record, context, filter_program, trace_records
from emu.ftrace.native.guest_layout import GuestLayout
from emu.kernel import arch as kernel_arch
from emu.kernel.image import Image
from emu.machine import image_directory
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order

__all__ = ["KERNEL", "Matcher"]

KERNEL = 0x4000_0000_0000_0000  # where the kernel's memory begins
_TASK, _HOT = 0x1000, 0x3000  # offsets in it
_RAM, _STAGE, _PAGE = 0x8000, 8192, 4096


@functools.cache
def _compiled(arch: str) -> tuple[GuestLayout, str, int, Any]:
    kernel = kernel_arch.load(arch)
    image = Image(image_directory(arch) / "vmlinux", machine=kernel.elf_machine)
    guest = GuestLayout.of(image, kernel.saved_registers(image))
    order = "little" if image.byte_order == "<" else "big"
    memory = in_byte_order(order)

    @njit
    def user_address(cpu, array, address):  # type: ignore[no-untyped-def]
        """A program's addresses are the host's; below the first page is nothing."""
        return address if address >= np.uint64(_PAGE) else np.uint64(0)

    @cfunc(types.boolean(*[types.uint64] * 5))
    def run(program, cpu, array_cpu, entry, size):  # type: ignore[no-untyped-def]
        return filter_program.keeps(program, cpu, array_cpu, entry, size)

    return guest, order, filter_program.build(memory, guest, context.build(memory, guest), user_address).address, run


class Matcher:
    """A CPU that runs a task, and memory of the kernel, at KERNEL.

    Attributes:
        memory: of the kernel. From its beginning to 0x1000 a test has it for itself.
    """

    def __init__(self, arch: str, cpu: int = 0, comm: bytes = b"task") -> None:
        self._guest, order, string_test, run = _compiled(arch)
        self._run = run.ctypes
        self.memory = np.zeros(_RAM + _PAGE, np.uint8)
        self._stage, self._nowhere = np.zeros(_STAGE, np.uint8), np.zeros(_PAGE, np.uint8)
        self._array, self._array_cpu = trace_records.TraceArray.allocate(), trace_records.ArrayCpu.allocate()
        self._cpu = Cpu.allocate()
        self._cpu.index = cpu
        for field, value in (
            (array_record.DIRECT_START, KERNEL),
            (array_record.KERNEL_START, 2 * KERNEL),
            (array_record.RAM, self.memory.ctypes.data),
            (array_record.RAM_SIZE, _RAM),
            (array_record.NOWHERE, self._nowhere.ctypes.data),
            (array_record.STRING_TEST, string_test),
            (array_record.STAGE, self._stage.ctypes.data),
        ):
            self._array.set(field, value)
        self._array_cpu.set(array_cpu_record.ARRAY, self._array.address)
        self._array_cpu.set(array_cpu_record.HOT, self.memory.ctypes.data + _HOT)
        self.put(_HOT + int(self._guest.current_task), (KERNEL + _TASK).to_bytes(8, order))  # type: ignore[arg-type]
        self.put(_TASK + int(self._guest.task_comm), comm.ljust(16, b"\0"))

    def put(self, offset: int, data: bytes) -> int:
        """Puts data into the kernel's memory. Returns its address."""
        self.memory[offset : offset + len(data)] = np.frombuffer(data, np.uint8)
        return KERNEL + offset

    def keeps(self, wanted: EventFilter, entry: bytes, size: int | None = None) -> bool:
        """Whether a filter keeps an entry; `size`: if it ends before the bytes end."""
        staged = np.frombuffer(entry, np.uint8)
        words = (wanted.address, self._cpu.address, self._array_cpu.address, staged.ctypes.data, size or len(entry))
        return bool(self._run(*words))
