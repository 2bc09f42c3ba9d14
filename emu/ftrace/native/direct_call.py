# SPDX-License-Identifier: GPL-2.0-only
"""What happens at the call sites of functions that have a direct call and a tracer. It is compiled when the first one has."""

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
    """Compiles the handler of consumers whose TARGET is what the site calls, after the tracers."""

    @cfunc(types.void(types.uint64, types.uint64))
    def call_next(cpu, acting):
        array = array_of(cpu)
        context = load_u64(array + array_record.EVENT_CONTEXT)
        store_u64(context + event_context.CALLS_FIRST, load_u64(acting + consumer.TARGET))

    return call_next
