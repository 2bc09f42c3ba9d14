# SPDX-License-Identifier: GPL-2.0-only
"""Where the parts of a CPU's timing record are, and of what the CPUs share, for one core."""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.timing import record
from emu.cpu.native.timing.caches import CacheFields, SharedFields
from emu.cpu.native.timing.predictor_record import Predictor, shapes
from emu.cpu.timing.core import Core
from emu.native.record import Fields
from emu.native.records import Layouts

__all__ = ["Layout"]


class Layout(NamedTuple):
    """Offsets in the records."""

    caches: CacheFields
    words: int  # of a CPU's timing record
    shared: SharedFields
    shared_words: int  # of what the CPUs share

    @classmethod
    def of(cls, core: Core, memory: int) -> Layout:
        """For boards with so many bytes of RAM."""
        of_predictor = Layouts(shapes(core.predictor)).size(Predictor) // 8
        own, shared = Fields(record.WORDS + of_predictor), Fields()
        caches = CacheFields.of(core.caches, own)
        of_all = SharedFields.of(core.caches, memory, shared)
        return cls(caches, own.count, of_all, shared.count)
