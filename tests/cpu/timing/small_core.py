# SPDX-License-Identifier: GPL-2.0-only
"""A core so small that all of its structures soon fill up, and its native code, with a function for each of its parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.native.cpu_records import NEVER, Board, Cpu
from emu.cpu.native.timing import caches, compose, predict, recent, tlb
from emu.cpu.native.timing.cache_records import SharedCaches
from emu.cpu.native.timing.layout import layouts
from emu.cpu.native.timing.record import COUNTERS, Timing
from emu.cpu.native.timing.summary_record import Summary, Tables
from emu.cpu.timing.core import Cache, Tlb
from emu.native.functions import Native, njit, shared
from emu.native.records import Values, Words, u64

__all__ = [
    "DIRECT_START", "KERNEL_START", "LINES", "MEMORY", "SMALL", "SmallBoard", "access", "access_address", "access_plainly",
    "compose_block", "empty_tlbs", "fetch", "fetch_page", "forget_states", "lose", "predict_block", "settle", "translate",
]  # fmt: skip

SMALL: Final = replace(
    ZEN3,
    name="small",
    predictor=replace(ZEN3.predictor, bimodal=16, tagged=8, histories=(3, 8), targets=4, indirect=8, return_stack=3),
    caches=replace(
        ZEN3.caches,
        l1i=Cache(2, 2),
        l1d=Cache(2, 2),
        l2=Cache(4, 3),
        llc=Cache(4, 4),
        llc_kept=3 << 16,
        itlb=Tlb(1, 3),
        dtlb=Tlb(1, 3),
        l2_tlb=Tlb(2, 3),
    ),
)
MEMORY: Final = 64 << 10
LINES: Final = MEMORY // 64
DIRECT_START, KERNEL_START = 0xFFFF_8880_0000_0000, 0xFFFF_FFFF_8000_0000
_PAGES = 64  # that can be mapped in either half of an address space
_PAGE_MASK, _OFFSET = _PAGES - 1, 4095
_LAYOUTS = layouts(SMALL, MEMORY)
_NATIVE = Native(_LAYOUTS)


@njit
def _walk(cpu: Cpu, board: Board, address: u64) -> u64:
    """Translates an address; the board's RAM is the page table."""
    page = (address >> 12 & _PAGE_MASK) + (address >> 47 & 1) * _PAGES
    return Words(board.ram)[page] | address & _OFFSET


_predict = predict.build(SMALL.predictor, _NATIVE)
_access, _fetch, _lose = caches.build(SMALL.caches, _NATIVE, True)
_translate, _, _fetch_page, _empty = tlb.build(SMALL.caches, _NATIVE, _walk)
_recent = recent.build(SMALL.caches.l1d, _NATIVE, 3, _translate, _access)
_compose = compose.build(SMALL)


@_NATIVE.shared
def predict_block(timing: Timing, ending: u64, end: u64, address: u64) -> u64:
    return _predict(timing, ending, end, address)


@_NATIVE.shared
def access(cpu: Cpu, board: Board, line: u64, write: bool) -> u64:
    return _access(cpu, cpu.timing, board, line, write)[0]


@_NATIVE.shared
def access_address(cpu: Cpu, board: Board, address: u64, write: bool) -> u64:
    return _recent(cpu, cpu.timing, board, address, write, False)


@_NATIVE.shared
def access_plainly(cpu: Cpu, board: Board, address: u64, write: bool) -> u64:
    """The same without the memory of recent lines."""
    place, late = _translate(cpu, cpu.timing, board, address)
    if place >= board.ram_size:
        return u64(0)
    late += _access(cpu, cpu.timing, board, place >> 6, write)[0]
    return late >> 3 if write else late


@_NATIVE.shared
def fetch(cpu: Cpu, board: Board, line: u64) -> u64:
    return _fetch(cpu, cpu.timing, board, line)


@_NATIVE.shared
def lose(board: Board, line: u64) -> None:
    _lose(board, line)


@_NATIVE.shared
def translate(cpu: Cpu, board: Board, address: u64) -> u64:
    """The RAM address in the upper 48 bits, and the latency."""
    place, latency = _translate(cpu, cpu.timing, board, address)
    return place << 16 | latency


@_NATIVE.shared
def fetch_page(timing: Timing, board: Board, address: u64) -> u64:
    return _fetch_page(timing, board, address)


@_NATIVE.shared
def empty_tlbs(timing: Timing) -> None:
    _empty(timing)


@shared
def compose_block(timing: Timing, tables: Tables, summary: Summary, outcome: u64, front: u64, data: u64, late: u64) -> u64:
    return _compose(timing, tables, summary, outcome, front, data, late)


@shared
def settle(timing: Timing, tables: Tables) -> None:
    compose.settle(timing, tables)


@shared
def forget_states(tables: Tables) -> None:
    compose.forget_states(tables)


class SmallBoard:
    """Records of a board and its CPUs in the form that native code expects: they execute nothing.

    Attributes:
        pages: the RAM address of each page of the lower and the upper half of an address space; NEVER: it is not mapped.
        records: the CPUs' timing records.
    """

    def __init__(self, cpus: int = 1) -> None:
        self.board, self.shared = Board.allocate(), SharedCaches.allocate(_LAYOUTS)
        self.cpus = [Cpu.allocate() for _ in range(cpus)]
        self.records = [Timing.allocate(_LAYOUTS) for _ in range(cpus)]
        self.pages = np.full(2 * _PAGES, NEVER, np.uint64)
        self._table = np.array([cpu.address for cpu in self.cpus], np.uint64)
        for index, (cpu, timing) in enumerate(zip(self.cpus, self.records, strict=True)):
            cpu.index, cpu.timing, cpu.board = index, timing, self.board
        board = self.board
        board.cpus, board.cpu_count = Values[Cpu](self._table.ctypes.data), cpus
        board.ram, board.ram_size = self.pages.ctypes.data, MEMORY
        board.direct_start, board.kernel_start = DIRECT_START, KERNEL_START
        board.timing_shared = self.shared

    def counts(self, index: int = 0) -> dict[str, int]:
        """The counters of a CPU that are not 0."""
        found = {name: self.records[index].counts[n] for n, name in enumerate(COUNTERS)}
        return {name: count for name, count in found.items() if count}

    def page_of(self, address: int) -> int:
        """The index in `pages`."""
        return (address >> 12) % _PAGES + (address >> 47 & 1) * _PAGES

    def words(self, name: str, index: int | None = None) -> list[int]:
        """The words of a CPU's cache with that name; None: of what the CPUs share."""
        found = self.shared if index is None else self.records[index].caches
        field = _LAYOUTS.fields(type(found))[name]
        return [Words(found.address + field.offset)[n] for n in range(field.size // 8)]
