# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's own caches and TLBs, a part of its timing record, and what all CPUs share. How large they are depends on the core.

A line in a cache is one number, as it is compared at once (`caches`). A translation is a record; in the TLB for instructions,
which has no use for frames, it is a number like a line.
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
    lines: Values[u64] = inline()  # the one that was used last first; those that are free, which are 0, behind the others


class L1iSet(CacheSet):
    """Of the L1 for instructions."""


class L1dSet(CacheSet):
    """Of the L1 for data."""


class L2Set(CacheSet):
    """Of a CPU's L2."""


class LlcSet(CacheSet):
    """Of the last level."""


class ItlbSet(CacheSet):
    """Of the TLB for instructions. Its lines are keys of translations, of which none is free."""


class Translation(Record):
    key: u64  # of a page in an address space (`tlb`)
    frame: u64  # the RAM address of the page


class TlbSet(Record):
    entries: Records[Translation] = inline()  # the one that was used last first


class DtlbSet(TlbSet):
    """Of the first TLB for data."""


class L2TlbSet(TlbSet):
    """Of the second."""


class OwnCaches(Record):
    """What a CPU has for itself."""

    l1i: Records[L1iSet] = inline()
    l1d: Records[L1dSet] = inline()
    l2: Records[L2Set] = inline()
    streams: Values[u64] = inline(STREAMS)  # of pages that are being read in order: the line that was missed last, plus one
    last_line: u64  # of instructions, plus one
    last_page: u64  # the page of instructions that was used last, plus one
    last_data_page: u64  # the page of data that was used last, plus one
    last_frame: u64  # ... and where it is in RAM
    space: u64  # how often the TLB has been emptied of what is not global
    recent: Values[u64] = inline()  # of each set of the L1 for data, the line that was accessed last (`recent`)
    itlb: Records[ItlbSet] = inline()
    dtlb: Records[DtlbSet] = inline()
    l2_tlb: Records[L2TlbSet] = inline()


class DirectoryEntry(Record):
    """Who has a line of RAM."""

    sharers: u8  # a bit for each CPU
    owner: u8  # the number of the CPU that may have changed it, plus one; 0: none has


class SharedCaches(Record):
    """What all CPUs share."""

    llc: Records[LlcSet] = inline()
    directory: Records[DirectoryEntry] = inline()  # of each line of RAM


def shapes(of: core.Caches, lines: int) -> dict[type[Record], Shape]:
    """What a core says of its caches and TLBs. `lines`: of RAM; 0: it does not matter how many there are."""
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
