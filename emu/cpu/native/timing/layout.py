# SPDX-License-Identifier: GPL-2.0-only
"""The layouts of a CPU's timing record, and of the state that CPUs share, for one core."""

from __future__ import annotations

from emu.cpu.native.timing import cache_records, predictor_record
from emu.cpu.timing.core import Core
from emu.native.records import Layouts

__all__ = ["layouts"]

_LINE = 64  # bytes


def layouts(core: Core, memory: int = 0) -> Layouts:
    """The layouts for a core. `memory`: bytes of RAM, needed where records are allocated; compiled code does not depend on it."""
    return Layouts(predictor_record.shapes(core.predictor) | cache_records.shapes(core.caches, memory // _LINE))
