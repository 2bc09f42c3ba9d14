# SPDX-License-Identifier: GPL-2.0-only
"""What a fetch may see of bytes that another CPU changes: a fetch model, as data. Each architecture has its own, and these."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COHERENT", "STALE", "TRANSLATION", "FetchModel"]

_WHOLE = 1 << 20  # bytes: more than there are between two sites


@dataclass(frozen=True)
class FetchModel:
    """How a CPU fetches instructions that it has not synchronised with.

    Attributes:
        name: as `--fetch` and scenarios have it.
        granule: bytes that are always of one version.
        coherent: every fetch sees the newest version.
        monotone: a CPU that has seen a version of a unit never sees an older one again.
        store: a store is seen whole if it lies in an aligned piece of so many bytes; otherwise it is a store for each piece.
        ipi_in_order: litmus tests: an interrupt to another CPU arrives after its sender's earlier stores are visible.
        source: what permits it, or requires it.
        meaning: the same as a sentence.
    """

    name: str
    granule: int
    coherent: bool = False
    monotone: bool = False
    store: int = 8
    ipi_in_order: bool = False
    source: str = ""
    meaning: str = ""


COHERENT = FetchModel(
    "coherent", 64, coherent=True,
    source="Intel SDM 3A, 'Self-Modifying Code': since the Pentium a store snoops the instruction cache",
    meaning="every fetch sees all stores so far",
)  # fmt: skip
STALE = FetchModel(
    "stale", 64, monotone=True,
    source="Intel SDM 3A, 'Handling Self- and Cross-Modifying Code': what was fetched before may execute until it serialises",
    meaning="a line of 64 bytes is seen as it was at any time since the CPU synchronised, and never older again",
)  # fmt: skip
TRANSLATION = FetchModel(
    "translation", _WHOLE, monotone=True, store=_WHOLE, ipi_in_order=True,
    source="docs/board.md: a CPU executes a translation until it forgets it; the host's stores are whole",
    meaning="emu's own CPUs: code is seen as it was at one moment since the CPU synchronised",
)  # fmt: skip
