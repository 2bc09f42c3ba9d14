# SPDX-License-Identifier: GPL-2.0-only
"""A core that is so small that everything in it is soon full, and its native code, a function for each thing that it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numba import types

from emu.cpu.native import board_record, cpu_record, cpu_records
from emu.cpu.native.timing import caches, compose, predict, recent, record, tlb
from emu.cpu.native.timing.layout import Layout
from emu.cpu.timing.core import Cache, Tlb
from emu.cpu.timing.zen3 import ZEN3
from emu.native import cfunc, njit
from emu.native.pointers import load_u64
from emu.native.record import Record

__all__ = [
    "DIRECT_START", "KERNEL_START", "LINES", "MEMORY", "SMALL", "SmallBoard", "access", "access_address", "access_plainly",
    "compose_block", "empty_tlbs", "fetch", "fetch_page", "lose", "predict_block", "settle", "translate",
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
_NEVER = int(cpu_record.NEVER)
_LAYOUT = Layout.of(SMALL, MEMORY)
_PAGE_SHIFT, _PAGE_MASK, _OFFSET, _HALF, _WORD = (np.uint64(n) for n in (12, _PAGES - 1, 4095, 47, 8))
_OF_HALF, _ONE = np.uint64(_PAGES), np.uint64(1)
_word = types.uint64


@njit
def _walk(cpu, board, address):
    """The board's RAM is a table of where pages are."""
    page = (address >> _PAGE_SHIFT & _PAGE_MASK) + (address >> _HALF & _ONE) * _OF_HALF
    return load_u64(load_u64(board + board_record.RAM) + page * _WORD) | address & _OFFSET


_predict = predict.build(SMALL.predictor)
_caches = caches.build(SMALL.caches, _LAYOUT.caches, _LAYOUT.shared, True)
_access, _fetch, _lose = _caches
_tlbs = tlb.build(SMALL.caches, _LAYOUT.caches, _walk)
_translate, _, _fetch_page, _empty = _tlbs
_recent = recent.build(SMALL.caches.l1d, _LAYOUT.caches.recent, np.uint64(3), _translate, _access)
_compose = compose.build(SMALL)
_settle = compose.settle


@cfunc(_word(_word, _word, _word, _word))
def _predict_block(timing, ending, end, address):
    return _predict(timing, ending, end, address)


@cfunc(_word(_word, _word, _word, _word))
def _access_line(cpu, board, line, write):
    return _access(cpu, load_u64(cpu + cpu_record.TIMING), board, line, write != np.uint64(0))[0]


@cfunc(_word(_word, _word, _word, _word))
def _access_address(cpu, board, address, write):
    return _recent(cpu, load_u64(cpu + cpu_record.TIMING), board, address, write != np.uint64(0), False)


@cfunc(_word(_word, _word, _word, _word))
def _access_plainly(cpu, board, address, write):
    """The same, and no line is remembered."""
    timing = load_u64(cpu + cpu_record.TIMING)
    place, late = _translate(cpu, timing, board, address)
    if place >= load_u64(board + board_record.RAM_SIZE):
        return np.uint64(0)
    late += _access(cpu, timing, board, place >> np.uint64(6), write != np.uint64(0))[0]
    return late >> np.uint64(3) if write != np.uint64(0) else late


@cfunc(_word(_word, _word, _word))
def _fetch_line(cpu, board, line):
    return _fetch(cpu, load_u64(cpu + cpu_record.TIMING), board, line)


@cfunc(types.void(_word, _word))
def _lose_line(board, line):
    _lose(board, line)


@cfunc(_word(_word, _word, _word))
def _translate_late(cpu, board, address):
    """The place in the upper 48 bits, and by how much it is late."""
    place, latency = _translate(cpu, load_u64(cpu + cpu_record.TIMING), board, address)
    return place << np.uint64(16) | latency


@cfunc(_word(_word, _word, _word))
def _fetch_from_page(timing, board, address):
    return _fetch_page(timing, board, address)


@cfunc(types.void(_word))
def _empty_tlbs(timing):
    _empty(timing)


@cfunc(_word(_word, _word, _word, _word, _word, _word, _word))
def _compose_block(timing, tables, summary, outcome, front, data, late):
    return _compose(timing, tables, summary, outcome, front, data, late)


@cfunc(types.void(_word, _word))
def _settle_core(timing, tables):
    _settle(timing, tables)


@cfunc(types.void(_word))
def _forget(tables):
    compose.forget_states(tables)


access_address, access_plainly = _access_address.ctypes, _access_plainly.ctypes
predict_block, access, fetch, lose = _predict_block.ctypes, _access_line.ctypes, _fetch_line.ctypes, _lose_line.ctypes
translate, fetch_page, empty_tlbs = _translate_late.ctypes, _fetch_from_page.ctypes, _empty_tlbs.ctypes
compose_block, settle, forget_states = _compose_block.ctypes, _settle_core.ctypes, _forget.ctypes


class SmallBoard:
    """Records of a board and its CPUs, as native code wants them: they execute nothing.

    Attributes:
        pages: the place in RAM of each page of the lower and the upper half of an address space; _NEVER: it is not mapped.
        layout: of `records`, the CPUs' timing records, and of `shared`.
    """

    layout = _LAYOUT

    def __init__(self, cpus: int = 1) -> None:
        self.board, self.shared = cpu_records.Board.allocate(), Record(_LAYOUT.shared_words)
        self.cpus = [Record(int(cpu_record.BLOCKS) // 8) for _ in range(cpus)]
        self.records = [Record(_LAYOUT.words) for _ in range(cpus)]
        self.pages = np.full(2 * _PAGES, _NEVER, np.uint64)
        self._table = np.array([cpu.address for cpu in self.cpus], np.uint64)
        for index, (cpu, timing) in enumerate(zip(self.cpus, self.records, strict=True)):
            cpu.set(cpu_record.INDEX, index)
            cpu.set(cpu_record.TIMING, timing.address)
            cpu.set(cpu_record.BOARD, self.board.address)
        for field, value in (
            (board_record.CPUS, self._table.ctypes.data),
            (board_record.CPU_COUNT, cpus),
            (board_record.RAM, self.pages.ctypes.data),
            (board_record.RAM_SIZE, MEMORY),
            (board_record.DIRECT_START, DIRECT_START),
            (board_record.KERNEL_START, KERNEL_START),
            (board_record.TIMING_SHARED, self.shared.address),
        ):
            self.board.set(field, value)

    def counts(self, index: int = 0) -> dict[str, int]:
        """What a CPU has counted, but for what it has not."""
        found = {name: self.records[index].get(record.COUNTS, n) for n, name in enumerate(record.COUNTERS)}
        return {name: count for name, count in found.items() if count}

    def page_of(self, address: int) -> int:
        """The index in `pages`."""
        return (address >> 12) % _PAGES + (address >> 47 & 1) * _PAGES

    def words(self, at: Any, count: int, index: int | None = None) -> list[int]:
        """Words of a CPU's timing record; None: of what the CPUs share."""
        words = (self.shared if index is None else self.records[index]).words
        return [int(word) for word in words[int(at) // 8 : int(at) // 8 + count]]
