# SPDX-License-Identifier: GPL-2.0-only
"""What happens at the call sites of functions that are replaced. It is compiled when the first one is."""

from __future__ import annotations

import functools
from typing import Any

from numba import types

from emu.ftrace.native import array_record, consumer, event_context
from emu.ftrace.native.context import array_of
from emu.native import cfunc
from emu.native.pointers import load_u64, store_u64

__all__ = ["build"]


@functools.cache
def build() -> Any:
    """Compiles the handler of consumers whose TARGET is where the CPU goes on, or 0."""

    @cfunc(types.void(types.uint64, types.uint64))
    def redirect(cpu, acting):
        array = array_of(cpu)
        context = load_u64(array + array_record.EVENT_CONTEXT)
        store_u64(context + event_context.GOES_ON_AT, load_u64(acting + consumer.TARGET))

    return redirect
