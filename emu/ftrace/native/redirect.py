# SPDX-License-Identifier: GPL-2.0-only
"""Consumers that send the CPU elsewhere: where a function is replaced, calls something directly, or the guest is to trap.

The handler is compiled when the first is needed.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.ftrace.native import array_record, consumer
from emu.ftrace.native.context import array_of
from emu.native import cfunc
from emu.native.pointers import load_u64, store_u64

__all__ = ["build"]


@functools.cache
def build(word: np.uint64) -> Any:
    """Compiles the handler of consumers whose TARGET, an address or 0, is put into a word of the event_context.

    Args:
        word: event_context.GOES_ON_AT or CALLS_FIRST.
    """

    @cfunc(types.void(types.uint64, types.uint64))
    def redirect(cpu, acting):
        context = load_u64(array_of(cpu) + array_record.EVENT_CONTEXT)
        store_u64(context + word, load_u64(acting + consumer.TARGET))

    return redirect
