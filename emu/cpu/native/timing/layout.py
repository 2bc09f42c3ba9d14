# SPDX-License-Identifier: GPL-2.0-only
"""Where the parts of a CPU's timing record are, and of what the CPUs share, for one core."""

from __future__ import annotations

from emu.cpu.native.timing import cache_records, predictor_record
from emu.cpu.timing.core import Core
from emu.native.records import Layouts

__all__ = ["layouts"]

_LINE = 64  # bytes


def layouts(core: Core, memory: int = 0) -> Layouts:
    """For a core. `memory`: bytes of RAM, where records are allocated; compiled code does not depend on it."""
    return Layouts(predictor_record.shapes(core.predictor) | cache_records.shapes(core.caches, memory // _LINE))
