# SPDX-License-Identifier: GPL-2.0-only
"""What runs once per traced call: recording entries, taking over return addresses, recording returns.

The architecture's callbacks find out who calls whom and hand over here.
"""

from __future__ import annotations

import numpy as np

from emu.cpu.native import cpu_record as cpu
from emu.ftrace.native import trace_record as trace
from emu.ftrace.native.comms import remember
from emu.ftrace.native.context import HARDIRQ, current_task, host_address, now, preempt_count, store_common
from emu.ftrace.native.ring_buffer import commit, reserve
from emu.native import njit
from emu.native.pointers import load_i32, load_u8, load_u32, load_u64, store_u32, store_u64

ZERO, ONE = np.uint64(0), np.uint64(1)
EIGHT, SIXTEEN, TWENTY = np.uint64(8), np.uint64(16), np.uint64(20)
TWENTY_FOUR, THIRTY_TWO = np.uint64(24), np.uint64(32)

# Entry types and sizes (emu.ftrace.events)
FUNCTION, GRAPH_EXIT, GRAPH_ENTRY = np.uint32(1), np.uint32(10), np.uint32(11)
FUNCTION_SIZE, GRAPH_ENTRY_SIZE, GRAPH_EXIT_SIZE = np.uint64(24), np.uint64(20), np.uint64(40)


@njit
def record_function(s, ip, parent_ip, irqs_off):
    """The function tracer: `ip` was called by `parent_ip`."""
    mine = load_u64(s + cpu.CALLOUT)
    shared = load_u64(mine + trace.SHARED)
    ring = load_u64(mine + trace.RING)
    payload = reserve(ring, now(s, shared), FUNCTION_SIZE)
    if payload == ZERO:
        return
    task = current_task(mine, shared)
    store_common(payload, FUNCTION, task, preempt_count(mine, shared), irqs_off, shared)
    store_u64(payload + EIGHT, ip)
    store_u64(payload + SIXTEEN, parent_ip)
    commit(ring)
    store_u64(mine + trace.RECORDED, ONE)


@njit
def record_graph_entry(s, function, slot, irqs_off):
    """function_graph: `function` was called and will return to what `slot` (a guest address) holds.

    Returns the address to put there, or 0 to leave it.
    """
    mine = load_u64(s + cpu.CALLOUT)
    shared = load_u64(mine + trace.SHARED)
    if load_u64(shared + trace.GRAPH_RUNNING) == ZERO:
        return ZERO
    task = current_task(mine, shared)
    index = task + load_u64(shared + trace.TASK_STACK_INDEX)
    depth = load_i32(index) + 1
    ops = load_u8(load_u64(shared + trace.SITE_OPS) + (function - load_u64(shared + trace.TEXT_START)))
    stack = task + load_u64(shared + trace.TASK_STACK)
    entry = stack + np.uint64(depth) * trace.ENTRY_SIZE
    if depth > 0 and load_u64(entry - trace.ENTRY_SIZE + trace.ENTRY_CALLTIME) == trace.HIDDEN:
        return ZERO
    hidden = ops & trace.GRAPH_NOTRACE != 0
    if not hidden:
        if depth == 0 and load_u64(shared + trace.ONLY_SELECTED) != ZERO and ops & trace.GRAPH_FUNCTION == 0:
            return ZERO
        most = load_u64(shared + trace.MAX_DEPTH)
        if most != ZERO and np.uint64(depth) >= most:
            return ZERO
    count = preempt_count(mine, shared)
    if count & HARDIRQ and load_u64(shared + trace.SKIP_INTERRUPTS) != ZERO:
        return ZERO
    if depth >= trace.RETURN_STACK_DEPTH:
        overrun = task + load_u64(shared + trace.TASK_OVERRUN)
        store_u32(overrun, load_u32(overrun) + np.uint32(1))
        return ZERO
    time = now(s, shared)
    if not hidden:
        ring = load_u64(mine + trace.RING)
        payload = reserve(ring, time, GRAPH_ENTRY_SIZE)
        if payload == ZERO:
            return ZERO
        store_common(payload, GRAPH_ENTRY, task, count, irqs_off, shared)
        store_u64(payload + EIGHT, function)
        store_u32(payload + SIXTEEN, np.uint32(depth))
        commit(ring)
        store_u64(mine + trace.RECORDED, ONE)
    store_u64(entry + trace.ENTRY_RETURN, load_u64(host_address(shared, slot)))
    store_u64(entry + trace.ENTRY_FUNCTION, function)
    store_u64(entry + trace.ENTRY_CALLTIME, trace.HIDDEN if hidden else time)
    store_u64(entry + trace.ENTRY_SLOT, slot)
    store_u32(index, np.uint32(depth))
    return load_u64(shared + trace.RETURN_TRAMPOLINE)


@njit
def _matching_depth(stack, depth, slot):
    """The return stack's entry for `slot`, from the top; -1 if there is none."""
    while depth >= 0 and load_u64(stack + np.uint64(depth) * trace.ENTRY_SIZE + trace.ENTRY_SLOT) != slot:
        depth -= 1
    return depth


@njit
def record_graph_return(s, slot, irqs_off):
    """A function returns whose return address had been in `slot`. Returns that address, 0 if it is not known."""
    mine = load_u64(s + cpu.CALLOUT)
    shared = load_u64(mine + trace.SHARED)
    task = current_task(mine, shared)
    index = task + load_u64(shared + trace.TASK_STACK_INDEX)
    stack = task + load_u64(shared + trace.TASK_STACK)
    top = load_i32(index)
    depth = _matching_depth(stack, top, slot)
    if depth != top:
        store_u64(shared + trace.MISMATCH, ONE)
        store_u64(shared + trace.MISMATCH_SLOT, slot)
        store_u64(shared + trace.GRAPH_RUNNING, ZERO)
        store_u64(s + cpu.REQUEST, cpu.STOP_REQUEST)
        store_u64(s + cpu.DEADLINE, ZERO)
        if top < 0:
            return ZERO
        if depth < 0:
            depth = top  # the entry was damaged: the latest one is the best guess
    entry = stack + np.uint64(depth) * trace.ENTRY_SIZE
    store_u32(index, np.uint32(depth - 1))
    calltime = load_u64(entry + trace.ENTRY_CALLTIME)
    if calltime != trace.HIDDEN and load_u64(shared + trace.GRAPH_RUNNING) != ZERO:
        ring = load_u64(mine + trace.RING)
        time = now(s, shared)
        payload = reserve(ring, time, GRAPH_EXIT_SIZE)
        if payload != ZERO:
            store_common(payload, GRAPH_EXIT, task, preempt_count(mine, shared), irqs_off, shared)
            store_u64(payload + EIGHT, load_u64(entry + trace.ENTRY_FUNCTION))
            store_u32(payload + SIXTEEN, np.uint32(depth))
            store_u32(payload + TWENTY, load_u32(task + load_u64(shared + trace.TASK_OVERRUN)))
            store_u64(payload + TWENTY_FOUR, calltime)
            store_u64(payload + THIRTY_TWO, time)
            commit(ring)
            store_u64(mine + trace.RECORDED, ONE)
    return load_u64(entry + trace.ENTRY_RETURN)


@njit
def process_switch(s, previous, following):
    """`previous` gives the CPU to `following` (guest addresses of tasks)."""
    mine = load_u64(s + cpu.CALLOUT)
    shared = load_u64(mine + trace.SHARED)
    previous, following = host_address(shared, previous), host_address(shared, following)
    if load_u64(mine + trace.RECORDED) != ZERO:
        store_u64(mine + trace.RECORDED, ZERO)
        remember(shared, previous)
        remember(shared, following)
    if load_u64(shared + trace.GRAPH_RUNNING) == ZERO:
        return
    stamp = load_u64(shared + trace.TASK_TIMESTAMP)
    time = now(s, shared) if load_u64(shared + trace.CLOCK) != trace.CLOCK_COUNTER else load_u64(shared + trace.COUNT)
    store_u64(previous + stamp, time)
    since = load_u64(following + stamp)
    if load_u64(shared + trace.SLEEP_TIME) != ZERO or since == ZERO:
        return
    stack = following + load_u64(shared + trace.TASK_STACK)
    for n in range(load_i32(following + load_u64(shared + trace.TASK_STACK_INDEX)) + 1):
        place = stack + np.uint64(n) * trace.ENTRY_SIZE + trace.ENTRY_CALLTIME
        calltime = load_u64(place)
        if calltime != trace.HIDDEN:
            store_u64(place, calltime + (time - since))
