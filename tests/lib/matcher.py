# SPDX-License-Identifier: GPL-2.0-only
"""Runs the programs of filters on entries made by a test, without a machine."""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.native import context, filter_program
from emu.ftrace.native.filter_record import FilterStep
from emu.ftrace.native.guest_records import Guest, Hot, Task
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.machine import image_directory
from emu.native.functions import njit, shared
from emu.native.records import Bytes, Layouts, u64

__all__ = ["KERNEL", "Matcher"]

KERNEL = 0x4000_0000_0000_0000  # where the kernel's memory begins
_TASK, _HOT = 0x1000, 0x3000  # offsets in the kernel's memory
_RAM, _STAGE, _PAGE = 0x8000, 8192, 4096


@functools.cache
def _compiled(arch: str) -> tuple[Layouts, Literal["little", "big"], filter_program.StringTest]:
    kernel = kernel_arch.load(arch)
    image = read_image(image_directory(arch) / "vmlinux", machine=kernel.elf_machine)
    guest = Guest.of(image, kernel.saved_registers(image))
    order: Literal["little", "big"] = "little" if image.byte_order == "<" else "big"

    @njit
    def user_address(cpu: Cpu, array: TraceArray, address: u64) -> u64:
        """A user address is a host address; the first page is not mapped."""
        return address if address >= _PAGE else 0

    return guest.layouts, order, filter_program.build(guest, context.build(guest), user_address)


@shared
def _keeps(first: FilterStep, cpu: Cpu, array_cpu: ArrayCpu, entry: Bytes, size: u64) -> bool:
    return filter_program.keeps(first, cpu, array_cpu, entry, size)


class Matcher:
    """A CPU that runs a task, and the kernel's memory at KERNEL.

    Attributes:
        memory: of the kernel. The bytes up to 0x1000 are free for the test.
    """

    def __init__(self, arch: str, cpu: int = 0, comm: bytes = b"task") -> None:
        layouts, order, string_test = _compiled(arch)
        self.memory = np.zeros(_RAM + _PAGE, np.uint8)
        self._stage, self._nowhere = np.zeros(_STAGE, np.uint8), np.zeros(_PAGE, np.uint8)
        self._array, self._array_cpu, self._cpu = TraceArray.allocate(), ArrayCpu.allocate(), Cpu.allocate()
        self._cpu.index = cpu
        self._array.direct_start, self._array.kernel_start = KERNEL, 2 * KERNEL
        self._array.ram, self._array.ram_size = self.memory.ctypes.data, _RAM
        self._array.nowhere = self._nowhere.ctypes.data
        self._array.string_test = string_test
        self._array.stage = self._stage.ctypes.data
        self._array_cpu.array = self._array
        self._array_cpu.hot = Hot(self.memory.ctypes.data + _HOT)
        self.put(_HOT + layouts.fields(Hot)["current_task"].offset, (KERNEL + _TASK).to_bytes(8, order))
        self.put(_TASK + layouts.fields(Task)["comm"].offset, comm.ljust(16, b"\0"))

    def put(self, offset: int, data: bytes) -> int:
        """Puts data into the kernel's memory. Returns its address."""
        self.memory[offset : offset + len(data)] = np.frombuffer(data, np.uint8)
        return KERNEL + offset

    def keeps(self, wanted: EventFilter, entry: bytes, size: int | None = None) -> bool:
        """Whether a filter keeps an entry; `size`: the size of the entry, if it ends before `entry`."""
        staged = np.frombuffer(entry, np.uint8)
        return bool(_keeps(wanted.first_step, self._cpu, self._array_cpu, Bytes(staged.ctypes.data), size or len(entry)))
