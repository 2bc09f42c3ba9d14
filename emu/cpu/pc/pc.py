# SPDX-License-Identifier: GPL-2.0-only
"""A PC's CPUs and devices, for a board."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Mapping
from types import ModuleType
from typing import ClassVar

import unicorn

from emu.cpu import library_imports
from emu.cpu.arch import RESET_PAGE
from emu.cpu.arch.x86_64 import X86_64, mmu, state, time
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.internals import map_device
from emu.cpu.native import cpu_records
from emu.cpu.native.arch import NativeCpu, OfBoard, x86_64, x86_64_env
from emu.cpu.native.pc import apic_reset, block_cost, instructions, io_apic, local_apic, no_device, port_access, records
from emu.cpu.pc.acpi import IO_APIC, LOCAL_APIC, SERIAL
from emu.cpu.pc.cpuid import CRYSTAL, answers
from emu.cpu.pc.reset import BOOT_CODE, BOOT_DATA, BOOT_GDT, start_in_real_mode
from emu.cpu.pc.serial import SerialPort

__all__ = ["EPOCH", "PC_ARCH", "Pc", "PcArch"]

_OF_BOARD = OfBoard(local_apic.acknowledge, instructions.build_execute, instructions.EXECUTED, instructions.build_hooks)

_PAGING = 1 << 31  # in CR0
_PAGE = 4096
_ADDRESSES = 1 << 40  # physical addresses end here
_MASKED = 1 << 16  # in a redirection
_APIC_ENABLED, _BOOT_CPU = 1 << 11, 1 << 8  # in IA32_APIC_BASE
_FAST_STRINGS = 1  # in IA32_MISC_ENABLE
EPOCH = 1_767_225_600  # 2026-01-01: what the clock shows at cycle 0
_MESSAGE_TIME = 500  # nanoseconds from sending an inter-processor interrupt to its arrival


class PcArch(X86_64):
    """The CPUs of a PC: x86-64, with local APICs."""

    max_cpus: ClassVar[int] = 16
    vectors: ClassVar[range] = range(16, 256)
    io_window: ClassVar[range] = range(0)
    most_memory: ClassVar[int | None] = 3 << 30  # the devices are above
    longest_turn: ClassVar[int] = 1_000_000
    cycles: ClassVar[Mapping[str, int]] = time.REPEATED_CYCLES
    default_timing: str = "static"

    @functools.cached_property
    def _native(self) -> NativeCpu:
        for name, function in port_access.build_functions(x86_64_env.layouts(self.layout())).items():
            library_imports.replace(name, function)
        return x86_64.build(self.layout(), _OF_BOARD)

    @property
    def cpu_models(self) -> tuple[str, ...]:
        return ()

    def reset(self, uc: unicorn.Uc, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
        """The state of the 64-bit boot protocol. `arguments`: the address of the boot parameters, and 0."""
        parameters, _ = arguments
        selectors = {"code": BOOT_CODE, "data": BOOT_DATA}
        registers = (0, parameters)
        state.reset(uc, state.layout(), entry=entry, page_table=page_table, gdt=RESET_PAGE, arguments=registers, **selectors)

    def translate(self, env: int, ram: memoryview, address: int) -> int | None:
        at = state.layout()
        control = ctypes.c_uint64.from_address
        if not control(env + at.env_cr3 - 3 * 8).value & _PAGING:
            return address
        return mmu.walk(ram, control(env + at.env_cr3).value, address)

    @property
    def reset_page(self) -> bytes:
        return BOOT_GDT


PC_ARCH = PcArch()


class Pc:
    """The devices of a PC, on a board.

    Attributes:
        record: their state.
        serial: the serial ports.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.record = record = records.Pc.allocate()
        record.frequency, record.epoch = board.frequency, EPOCH
        common = math.gcd(board.frequency, CRYSTAL)
        record.crystal_numerator, record.crystal_denominator = board.frequency // common, CRYSTAL // common
        record.decode = board.record.decode
        record.start_cpu = board.python_handler(self._start_cpu)
        record.pm1_control = 1
        record.io_apic.id = len(board.cpus) << 24
        for n in range(2):
            record.pic_masks[n] = 0xFF
        for n in range(records.PINS):
            record.io_apic.redirections[n] = _MASKED
        self._answer_cpuid()
        self.serial = tuple(SerialPort(board, record.serial[n], where.pin) for n, where in enumerate(SERIAL))
        self.apics = [self._plug_local_apic(cpu) for cpu in board.cpus]
        board.record.coherent_code = True
        board.record.devices = record.address
        self._decode = block_cost.build(board.arch.name)
        board.record.decode = self._decode
        board.record.known = None  # to count instructions takes no longer than to look up what is known
        board.record.ipi_time = max(board.cycles(_MESSAGE_TIME), 1)

    def _answer_cpuid(self) -> None:
        found = answers(len(self.board.cpus), self.board.frequency)
        assert len(found) <= records.CPUID_ROWS
        for n, answer in enumerate(found):
            row = self.record.cpuid[n]
            row.leaf, row.subleaf, row.has_subleaf = answer.leaf, answer.subleaf or 0, answer.subleaf is not None
            row.ax, row.bx, row.cx, row.dx = answer.eax, answer.ebx, answer.ecx, answer.edx
        self.record.cpuid_count = len(found)

    def _plug_local_apic(self, cpu: Cpu) -> records.LocalApic:
        apic = records.LocalApic.allocate()
        apic.id = cpu.index
        apic.base = LOCAL_APIC | _APIC_ENABLED | (0 if cpu.index else _BOOT_CPU)
        apic.misc_enable = _FAST_STRINGS
        apic.waits_for_start = cpu.index != 0
        cpu.record.devices = apic.address
        apic_reset.reset(cpu.record)
        end = len(self.board.ram)
        for base, device in ((IO_APIC, io_apic), (LOCAL_APIC, local_apic)):
            self._map(cpu, range(end, base), no_device)
            end = base + _PAGE
            self._map(cpu, range(base, end), device)
        self._map(cpu, range(end, _ADDRESSES), no_device)
        return apic

    def _map(self, cpu: Cpu, addresses: range, device: ModuleType) -> None:
        """A CPU finds a device at physical addresses: `device.read` and `device.write`."""
        with self.board.heap:
            map_device(cpu.uc, addresses, device.read.address, device.write.address, cpu.record.address)
            cpu.uc.mem_protect(addresses.start, len(addresses), unicorn.UC_PROT_ALL)  # code there is what the device answers

    def _start_cpu(self, cpu: Cpu, message: int) -> None:
        """A start-up message: its vector is in the low byte, and its arrival in cycles above."""
        start_in_real_mode(cpu, message & 0xFF)
        cpu.record.cycles = max(cpu.cycles, message >> 8)
        cpu.record.status = cpu_records.RUNNING
