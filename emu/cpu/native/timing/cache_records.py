# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's own caches and TLBs, as part of its timing record, and those that all CPUs share. Sizes depend on the core.

A line in a cache is one number, so that it is compared at once (`caches`). A translation is a record; in the instruction TLB,
which needs no frames, it is a number like a line.
"""

from __future__ import annotations

from emu.cpu.timing import core
from emu.native.records import Record, Records, Shape, Values, inline, u8, u64

__all__ = [
    "STREAMS", "CacheSet", "DirectoryEntry", "DtlbSet", "ItlbSet", "L1dSet", "L1iSet", "L2Set", "L2TlbSet", "LlcSet", "OwnCaches",
    "SharedCaches", "TlbSet", "Translation", "shapes",
]  # fmt: skip

STREAMS = 16


class CacheSet(Record):
    lines: Values[u64] = inline()  # most recently used first; free ones, which are 0, come last


class L1iSet(CacheSet):
    """A set of the L1 instruction cache."""


class L1dSet(CacheSet):
    """A set of the L1 data cache."""


class L2Set(CacheSet):
    """A set of a CPU's L2."""


class LlcSet(CacheSet):
    """A set of the last-level cache."""


class ItlbSet(CacheSet):
    """A set of the instruction TLB. Its lines are keys of translations, none of which is free."""


class Translation(Record):
    key: u64  # of a page in an address space (`tlb`)
    frame: u64  # the RAM address of the page


class TlbSet(Record):
    entries: Records[Translation] = inline()  # most recently used first


class DtlbSet(TlbSet):
    """A set of the first-level data TLB."""


class L2TlbSet(TlbSet):
    """A set of the second-level TLB."""


class OwnCaches(Record):
    """The caches of one CPU."""

    l1i: Records[L1iSet] = inline()
    l1d: Records[L1dSet] = inline()
    l2: Records[L2Set] = inline()
    streams: Values[u64] = inline(STREAMS)  # of pages that are being read sequentially: the last line that missed, plus one
    last_line: u64  # the last line of instructions, plus one
    last_page: u64  # the last page of instructions, plus one
    last_data_page: u64  # the last page of data, plus one
    last_frame: u64  # ... and its RAM address
    space: u64  # how many times the TLB was emptied of non-global entries
    recent: Values[u64] = inline()  # for each set of the L1 data cache, the line that was accessed last (`recent`)
    itlb: Records[ItlbSet] = inline()
    dtlb: Records[DtlbSet] = inline()
    l2_tlb: Records[L2TlbSet] = inline()


class DirectoryEntry(Record):
    """The owners of a line of RAM."""

    sharers: u8  # one bit per CPU
    owner: u8  # number of the CPU that may have modified it, plus one; 0: none


class SharedCaches(Record):
    """The caches that all CPUs share."""

    llc: Records[LlcSet] = inline()
    directory: Records[DirectoryEntry] = inline()  # one per line of RAM


def shapes(of: core.Caches, lines: int) -> dict[type[Record], Shape]:
    """The layouts for a core's caches and TLBs. `lines`: the lines of RAM; 0 if their number does not matter."""
    lines_in = {L1iSet: of.l1i.ways, L1dSet: of.l1d.ways, L2Set: of.l2.ways, LlcSet: of.llc.ways, ItlbSet: of.itlb.ways}
    entries_in = {DtlbSet: of.dtlb.ways, L2TlbSet: of.l2_tlb.ways}
    own = {
        "l1i": of.l1i.sets, "l1d": of.l1d.sets, "l2": of.l2.sets, "recent": of.l1d.sets, "itlb": of.itlb.sets,
        "dtlb": of.dtlb.sets, "l2_tlb": of.l2_tlb.sets,
    }  # fmt: skip
    return {
        **{one: Shape(counts={"lines": ways}) for one, ways in lines_in.items()},
        **{one: Shape(counts={"entries": ways}) for one, ways in entries_in.items()},
        OwnCaches: Shape(counts=own),
        SharedCaches: Shape(counts={"llc": of.llc.sets, "directory": lines}),
    }
