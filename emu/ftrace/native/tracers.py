# SPDX-License-Identifier: GPL-2.0-only
"""What runs once per traced call: recording entries, taking over return addresses, recording returns.

The architecture's callbacks find out who calls whom and hand over here.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Literal

import numpy as np

from emu.cpu.native import cpu_record as cpu
from emu.cpu.native.interrupts import raise_at
from emu.ftrace.native import comms, context, pids
from emu.ftrace.native import trace_record as trace
from emu.ftrace.native.context import HARDIRQ, host_address, now
from emu.ftrace.native.ring_buffer import commit, reserve
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u8, load_u64, store_u32, store_u64

ZERO, ONE = np.uint64(0), np.uint64(1)
EIGHT, SIXTEEN, TWENTY = np.uint64(8), np.uint64(16), np.uint64(20)
TWENTY_FOUR, THIRTY_TWO = np.uint64(24), np.uint64(32)

# Entry types and sizes (emu.ftrace.events)
FUNCTION, GRAPH_EXIT, GRAPH_ENTRY = np.uint32(1), np.uint32(10), np.uint32(11)
NO_FLAGS = np.uint8(0)
FUNCTION_SIZE, GRAPH_ENTRY_SIZE, GRAPH_EXIT_SIZE = np.uint64(24), np.uint64(20), np.uint64(40)


def build(byte_order: Literal["little", "big"]) -> SimpleNamespace:
    """The compiled functions, by name, for a guest whose memory has that byte order."""
    guest = in_byte_order(byte_order)
    guest_u32, guest_i32, guest_u64 = guest.load_u32, guest.load_i32, guest.load_u64
    guest_store_u32, guest_store_u64 = guest.store_u32, guest.store_u64
    remember = comms.build(guest).remember
    tasks = pids.build(guest)
    choose = tasks.choose
    about = context.build(guest)
    current_task, preempt_count, store_common = about.current_task, about.preempt_count, about.store_common

    @njit
    def recorded(s, mine, shared):
        """An event is complete: the tasks that it names are worth remembering, and a reader may wait for it."""
        store_u64(mine + trace.RECORDED, ONE)
        if load_u64(shared + trace.READER_WAITS) != ZERO:
            store_u64(shared + trace.READER_WAITS, ZERO)
            raise_at(s, load_u64(shared + trace.READER_VECTOR), load_u64(s + cpu.CYCLES))

    @njit
    def record_call(s, mine, ip, parent_ip, irqs_off):
        """The function tracer of one array: `ip` was called by `parent_ip`."""
        if load_u64(mine + trace.IGNORED) != ZERO:
            return
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
        recorded(s, mine, shared)

    @njit
    def site_flags(shared, ip):
        """What is wanted at a site; nothing at an address that can be none."""
        place = ip - load_u64(shared + trace.TEXT_START)
        if place >= load_u64(shared + trace.TEXT_SIZE):
            return NO_FLAGS
        return load_u8(load_u64(shared + trace.SITE_OPS) + place)

    @njit
    def stop(s):
        """Python is asked before the CPU goes on, and before any other CPU does."""
        store_u64(s + cpu.REQUEST, cpu.STOP_REQUEST)
        store_u64(s + cpu.DEADLINE, ZERO)

    @njit
    def record_in_each(s, mine, ip, parent_ip, irqs_off):
        """As ftrace_ops_list_func: what every array wants of this site."""
        while mine != ZERO:
            shared = load_u64(mine + trace.SHARED)
            flags = site_flags(shared, ip)
            if flags & trace.TRACED != 0:
                record_call(s, mine, ip, parent_ip, irqs_off)
            if flags & (trace.TURNS_ON if load_u64(shared + trace.RECORDING) == ZERO else trace.TURNS_OFF) != 0:
                store_u64(shared + trace.SWITCH, ip)
                stop(s)
            mine = load_u64(mine + trace.NEXT)

    @njit
    def record_function(s, ip, parent_ip, irqs_off):
        """A site that calls for its entry: `ip` was called by `parent_ip`."""
        mine = load_u64(s + cpu.CALLOUT)
        if load_u64(mine + trace.ASK_EACH) == ZERO:
            record_call(s, mine, ip, parent_ip, irqs_off)
        else:
            record_in_each(s, mine, ip, parent_ip, irqs_off)

    @njit
    def record_beside_graph(s, ip, parent_ip, irqs_off):
        """The same at a site that function_graph wants: it may be that nobody else does."""
        mine = load_u64(s + cpu.CALLOUT)
        if load_u64(mine + trace.ASK_EACH) != ZERO:
            record_in_each(s, mine, ip, parent_ip, irqs_off)

    @njit
    def record_graph_entry(s, function, returns_to, frame, irqs_off):
        """function_graph: `function` was called and will return to `returns_to`. `frame` tells this call from others.

        Returns whether the call is to return to the return trampoline instead, which gives `frame` to `record_graph_return`.
        """
        mine = load_u64(s + cpu.CALLOUT)
        shared = load_u64(mine + trace.SHARED)
        if load_u64(shared + trace.GRAPH_RUNNING) == ZERO or load_u64(mine + trace.IGNORED) != ZERO:
            return False
        task = current_task(mine, shared)
        index = task + load_u64(shared + trace.TASK_STACK_INDEX)
        depth = guest_i32(index) + 1
        ops = site_flags(shared, function)
        stack = task + load_u64(shared + trace.TASK_STACK)
        entry = stack + np.uint64(depth) * trace.ENTRY_SIZE
        # What the task was in before there was such a filter is on the stack too, and chooses nothing.
        chosen = trace.CHOSEN if ops & trace.GRAPH_FUNCTION != 0 else ZERO
        if depth > 0:
            outer = guest_u64(entry - trace.ENTRY_SIZE + trace.ENTRY_CALLTIME)
            if outer == trace.HIDDEN:
                return False
            chosen |= outer & trace.CHOSEN
        hidden = ops & trace.GRAPH_NOTRACE != 0
        if not hidden:
            if chosen == ZERO and load_u64(shared + trace.ONLY_SELECTED) != ZERO:
                return False
            most = load_u64(shared + trace.MAX_DEPTH)
            if most != ZERO and np.uint64(depth) >= most:
                return False
        count = preempt_count(mine, shared)
        if count & HARDIRQ and load_u64(shared + trace.SKIP_INTERRUPTS) != ZERO:
            return False
        if depth >= trace.RETURN_STACK_DEPTH:
            overrun = task + load_u64(shared + trace.TASK_OVERRUN)
            guest_store_u32(overrun, guest_u32(overrun) + np.uint32(1))
            return False
        time = now(s, shared)
        if not hidden and load_u64(shared + trace.THRESHOLD) == ZERO:
            ring = load_u64(mine + trace.RING)
            payload = reserve(ring, time, GRAPH_ENTRY_SIZE)
            if payload == ZERO:
                return False
            store_common(payload, GRAPH_ENTRY, task, count, irqs_off, shared)
            store_u64(payload + EIGHT, function)
            store_u32(payload + SIXTEEN, np.uint32(depth))
            commit(ring)
            recorded(s, mine, shared)
        guest_store_u64(entry + trace.ENTRY_RETURN, returns_to)
        guest_store_u64(entry + trace.ENTRY_FUNCTION, function)
        guest_store_u64(entry + trace.ENTRY_CALLTIME, trace.HIDDEN if hidden else time | chosen)
        guest_store_u64(entry + trace.ENTRY_FRAME, frame)
        guest_store_u32(index, np.uint32(depth))
        return True

    @njit
    def matching_depth(stack, depth, frame):
        """The return stack's entry for `frame`, from the top; -1 if there is none."""
        while depth >= 0 and guest_u64(stack + np.uint64(depth) * trace.ENTRY_SIZE + trace.ENTRY_FRAME) != frame:
            depth -= 1
        return depth

    @njit
    def record_return(s, mine, entry, depth, time, irqs_off):
        """The call of the return stack's entry at that depth has returned."""
        ring = load_u64(mine + trace.RING)
        payload = reserve(ring, time, GRAPH_EXIT_SIZE)
        if payload == ZERO:
            return
        shared = load_u64(mine + trace.SHARED)
        task = current_task(mine, shared)
        store_common(payload, GRAPH_EXIT, task, preempt_count(mine, shared), irqs_off, shared)
        store_u64(payload + EIGHT, guest_u64(entry + trace.ENTRY_FUNCTION))
        store_u32(payload + SIXTEEN, np.uint32(depth))
        store_u32(payload + TWENTY, guest_u32(task + load_u64(shared + trace.TASK_OVERRUN)))
        store_u64(payload + TWENTY_FOUR, guest_u64(entry + trace.ENTRY_CALLTIME) & ~trace.CHOSEN)
        store_u64(payload + THIRTY_TWO, time)
        commit(ring)
        recorded(s, mine, shared)

    @njit
    def record_graph_return(s, frame, irqs_off):
        """The call that `frame` stands for returns. Returns its real return address, 0 if it is not known."""
        mine = load_u64(s + cpu.CALLOUT)
        shared = load_u64(mine + trace.SHARED)
        task = current_task(mine, shared)
        index = task + load_u64(shared + trace.TASK_STACK_INDEX)
        stack = task + load_u64(shared + trace.TASK_STACK)
        top = guest_i32(index)
        depth = matching_depth(stack, top, frame)
        if depth != top:
            store_u64(shared + trace.MISMATCH, ONE)
            store_u64(shared + trace.MISMATCH_FRAME, frame)
            store_u64(shared + trace.GRAPH_RUNNING, ZERO)
            stop(s)
            if top < 0:
                return ZERO
            if depth < 0:
                depth = top  # the entry was damaged: the latest one is the best guess
        entry = stack + np.uint64(depth) * trace.ENTRY_SIZE
        guest_store_u32(index, np.uint32(depth - 1))
        calltime = guest_u64(entry + trace.ENTRY_CALLTIME)
        if calltime != trace.HIDDEN and load_u64(shared + trace.GRAPH_RUNNING) != ZERO:
            time = now(s, shared)
            if time - (calltime & ~trace.CHOSEN) >= load_u64(shared + trace.THRESHOLD):
                record_return(s, mine, entry, depth, time, irqs_off)
        return guest_u64(entry + trace.ENTRY_RETURN)

    @njit
    def process_switch(s, previous, following):
        """`previous` gives the CPU to `following` (guest addresses of tasks)."""
        mine = load_u64(s + cpu.CALLOUT)
        shared = load_u64(mine + trace.SHARED)
        previous, following = host_address(shared, previous), host_address(shared, following)
        pid = np.uint64(guest_u32(following + load_u64(shared + trace.TASK_PID)))
        array, any_recorded = mine, ZERO
        while array != ZERO:
            any_recorded |= load_u64(array + trace.RECORDED)
            store_u64(array + trace.RECORDED, ZERO)
            choose(array, load_u64(array + trace.SHARED), pid)
            array = load_u64(array + trace.NEXT)
        if any_recorded != ZERO:
            remember(shared, previous)
            remember(shared, following)
        if load_u64(shared + trace.GRAPH_RUNNING) == ZERO:
            return
        stamp = load_u64(shared + trace.TASK_TIMESTAMP)
        if load_u64(shared + trace.CLOCK) == trace.CLOCK_COUNTER:
            time = load_u64(load_u64(shared + trace.COUNTER))
        else:
            time = now(s, shared)
        guest_store_u64(previous + stamp, time)
        since = guest_u64(following + stamp)
        if load_u64(shared + trace.SLEEP_TIME) != ZERO or since == ZERO:
            return
        stack = following + load_u64(shared + trace.TASK_STACK)
        for n in range(guest_i32(following + load_u64(shared + trace.TASK_STACK_INDEX)) + 1):
            place = stack + np.uint64(n) * trace.ENTRY_SIZE + trace.ENTRY_CALLTIME
            calltime = guest_u64(place)
            if calltime != trace.HIDDEN:
                guest_store_u64(place, calltime + (time - since))

    return SimpleNamespace(
        record_function=record_function,
        record_beside_graph=record_beside_graph,
        record_graph_entry=record_graph_entry,
        record_graph_return=record_graph_return,
        process_switch=process_switch,
        process_fork=tasks.process_fork,
        process_free=tasks.process_free,
    )
