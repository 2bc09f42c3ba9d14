# SPDX-License-Identifier: GPL-2.0-only
"""What happens at the call sites of functions that are replaced. It is compiled when the first one is."""

from __future__ import annotations

from typing import Any

from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, consumer, event_context
from emu.native import cfunc
from emu.native.pointers import load_u64, store_u64

__all__ = ["build"]


def build() -> Any:
    """Compiles the handler of consumers whose TARGET is where the CPU goes on, or 0."""

    @cfunc(types.void(types.uint64, types.uint64))
    def redirect(cpu, acting):
        array = load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.ARRAY)
        context = load_u64(array + array_record.EVENT_CONTEXT)
        store_u64(context + event_context.GOES_ON_AT, load_u64(acting + consumer.TARGET))

    return redirect
