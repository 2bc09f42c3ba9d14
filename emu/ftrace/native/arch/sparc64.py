# SPDX-License-Identifier: GPL-2.0-only
"""The SPARC V9 callbacks. A traced function calls its trampoline from a register window of its own:

    %o7     the site: the address of that call
    %i7     the address of the call in the caller; the function returns to eight bytes after it
    %fp     tells the call from others, and is the caller's %sp again when the function returns

ftrace_graph_caller and return_to_handler are guest code, which takes the decision from two functions that are the host's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import types

from emu.cpu.arch.sparc64.state import Env
from emu.cpu.native import cpu_record as cpu
from emu.ftrace.native import task_callbacks, tracers
from emu.ftrace.native import trace_record as trace
from emu.native import cfunc, njit
from emu.native.pointers import load_u64, store_u64

_HANDLER = types.void(types.uint64, types.uint64)
WINDOW = np.uint64(Env.regwptr.offset)
O0, O1, O2, O7, I7 = (np.uint64(8 * n) for n in (0, 1, 2, 7, 23))
RETURN_OFFSET = np.uint64(8)


def build(irqs_off: Any) -> Mapping[str, int]:
    """The compiled callbacks' addresses, by label. `irqs_off`: the CPU's native function of that name."""
    record = tracers.build("big")
    record_function, record_beside_graph = record.record_function, record.record_beside_graph
    record_graph_entry, record_graph_return = record.record_graph_entry, record.record_graph_return

    @njit
    def return_trampoline(s):
        return load_u64(load_u64(load_u64(s + cpu.CALLOUT) + trace.SHARED) + trace.RETURN_TRAMPOLINE)

    @njit
    def caller(s, parent):
        """The caller of a function that returns to the trampoline is the trampoline, not what lies before it."""
        return parent + RETURN_OFFSET if parent == return_trampoline(s) - RETURN_OFFSET else parent

    @cfunc(_HANDLER)
    def function_entry(s, address):
        """ftrace_caller."""
        env = load_u64(s + cpu.ENV)
        window = load_u64(env + WINDOW)
        record_function(s, load_u64(window + O7), caller(s, load_u64(window + I7)), irqs_off(env))

    @cfunc(_HANDLER)
    def graph_entry(s, address):
        """prepare_ftrace_return(parent, ip, fp): the address at which the traced function is to continue its caller."""
        env = load_u64(s + cpu.ENV)
        window = load_u64(env + WINDOW)
        parent, ip = load_u64(window + O0), load_u64(window + O1)
        record_beside_graph(s, ip, caller(s, parent), irqs_off(env))
        goes_on_at = parent + RETURN_OFFSET
        if record_graph_entry(s, ip, parent, load_u64(window + O2), irqs_off(env)):
            goes_on_at = return_trampoline(s)
        store_u64(window + O0, goes_on_at)

    @cfunc(_HANDLER)
    def graph_return(s, address):
        """ftrace_return_to_handler(fp): the address of the call from which the traced function returns."""
        env = load_u64(s + cpu.ENV)
        window = load_u64(env + WINDOW)
        store_u64(window + O0, record_graph_return(s, load_u64(window + O0), irqs_off(env)))

    @njit
    def first_argument(s):
        return load_u64(load_u64(load_u64(s + cpu.ENV) + WINDOW) + O0)

    @njit
    def second_argument(s):
        return load_u64(load_u64(load_u64(s + cpu.ENV) + WINDOW) + O1)

    return {
        "ftrace_caller": function_entry.address,
        "prepare_ftrace_return": graph_entry.address,
        "ftrace_return_to_handler": graph_return.address,
        **task_callbacks.build(record, first_argument, second_argument),
    }
