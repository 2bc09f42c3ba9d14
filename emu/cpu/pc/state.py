# SPDX-License-Identifier: GPL-2.0-only
"""The state of a PC between two turns, as numbers and bytes that another process can use.

Numbers are the records' own, by the names of their fields. What a record has of addresses belongs to the process, and is left
out; so are Unicorn's translations and TLBs. Without TLBs, page walks set bits in page tables again: `flush_tlbs` makes that
happen at the same instant in a machine that goes on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from emu.cpu.internals import LIBRARY
from emu.cpu.native import cpu_records
from emu.cpu.pc.pc import Pc
from emu.native.records import HOST, Record, RecordClass, Records, Values, origin_of

__all__ = ["Numbers", "PcState", "capture", "flush_tlbs", "put_back", "used_pages"]

PAGE = 4096

Numbers: TypeAlias = Mapping[str, Any]  # int, list[int], Numbers or list[Numbers] by a field's name

# Numbers that are addresses, or that concern the process
_OF_BOARD = ("random", "current", "interrupted", "pace")
_NOT_OF_CPU = {
    "env", "callout", "devices", "block_hook", "deadline", "flushed", "written_page", "block", "blocks_used",
    "told", "told_at", "rewritten",
}  # fmt: skip


@dataclass(frozen=True)
class PcState:
    """The state of everything but RAM.

    Attributes:
        board, pc: numbers of their records.
        cpus, apics: of each CPU.
        registers: of each CPU, Unicorn's architectural state.
        received: the bytes that wait in each serial port for the guest.
    """

    board: Numbers
    pc: Numbers
    cpus: list[Numbers]
    apics: list[Numbers]
    registers: list[bytes]
    received: list[bytes]


def flush_tlbs(pc: Pc) -> None:
    """Empties the TLBs of all CPUs."""
    for cpu in pc.board.cpus:
        with pc.board.heap:
            LIBRARY.tlb_flush_x86_64(ctypes.c_void_p(cpu.record.state.address))


def capture(pc: Pc) -> PcState:
    """The present state. It empties the TLBs."""
    flush_tlbs(pc)
    board, size = pc.board, pc.board.arch.state_size()
    return PcState(
        {name: getattr(board.record, name) for name in _OF_BOARD},
        _numbers(pc.record),
        [_numbers(cpu.record, _NOT_OF_CPU) for cpu in board.cpus],
        [_numbers(apic) for apic in pc.apics],
        [ctypes.string_at(cpu.env, size) for cpu in board.cpus],
        [port.waiting for port in pc.serial],
    )


def put_back(pc: Pc, state: PcState) -> None:
    """Restores a state of such a PC, whose RAM is restored already."""
    board, size = pc.board, pc.board.arch.state_size()
    for name in _OF_BOARD:
        setattr(board.record, name, state.board[name])
    _store(pc.record, state.pc)
    for cpu, apic, numbers, of_apic, registers in zip(
        board.cpus, pc.apics, state.cpus, state.apics, state.registers, strict=True
    ):
        _store(cpu.record, numbers)
        _store(apic, of_apic)
        cpu.record.deadline = 0
        assert len(registers) == size
        ctypes.memmove(cpu.env, registers, size)
    for port, data in zip(pc.serial, state.received, strict=True):
        port.restart(data)
    flush_tlbs(pc)


def used_pages(ram: memoryview) -> npt.NDArray[np.int64]:
    """The numbers of the pages of RAM that are not all zeros."""
    return np.flatnonzero(np.frombuffer(ram, np.uint64).reshape(-1, PAGE // 8).any(axis=1))


def _numbers(record: Record, without: Collection[str] = ()) -> Numbers:
    """The numbers in a record, and in the records within it. Those after an address of other kinds of records count, too."""
    found: dict[str, Any] = {}
    for name, field in HOST.fields(type(record)).items():
        if name in without:
            continue
        if _is_number(field.declared) and not field.is_inline:
            found[name] = int(getattr(record, name))
        elif field.is_inline and isinstance(field.declared, RecordClass):
            found[name] = _numbers(getattr(record, name))
        elif field.is_inline and origin_of(field.declared) is Values and _is_number(get_args(field.declared)[0]):
            found[name] = [int(getattr(record, name)[n]) for n in range(_count(field.declared, field.size))]
        elif field.is_inline and origin_of(field.declared) is Records and type(record) is not cpu_records.Cpu:
            found[name] = [_numbers(getattr(record, name)[n]) for n in range(_count(field.declared, field.size))]
    return found


def _store(record: Record, numbers: Numbers) -> None:
    for name, value in numbers.items():
        if isinstance(value, int):
            setattr(record, name, value)
            continue
        within = getattr(record, name)
        if isinstance(value, dict):
            _store(within, value)
        else:
            for n, one in enumerate(value):
                if isinstance(one, int):
                    within[n] = one
                else:
                    _store(within[n], one)


def _is_number(declared: object) -> bool:
    return isinstance(declared, type) and (issubclass(declared, np.integer) or declared is bool)


def _count(declared: object, size: int) -> int:
    return size // HOST.element(declared).size
