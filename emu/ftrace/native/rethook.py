# SPDX-License-Identifier: GPL-2.0-only
"""Return probes: calls that return to `arch_rethook_trampoline` instead, in the way in which function_graph's return to its own.

The two know nothing of each other. What one has replaced may be the other's trampoline; a function that was called by a jump has
the frame of the one that jumped, and has replaced a trampoline, too. `unwind.build_real_address` finds its way through them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import (
    array_record,
    consumer,
    event_context,
    probes,
    rethook_node,
    rethook_pool,
    rethook_record,
)
from emu.ftrace.native.context import Context, array_of, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.rethook_nodes import build as build_nodes
from emu.ftrace.native.rethook_nodes import following, node_at, take
from emu.native import njit
from emu.native.pointers import Accessors, call_handler, load_u64, store_u64

__all__ = ["Rethook", "build", "of_guest", "take_goes_on_at"]

ZERO, ONE = np.uint64(0), np.uint64(1)


class Rethook(NamedTuple):
    """The compiled functions that an architecture's handlers call.

    `frame` identifies a call, as for function_graph. Addresses to which calls return are as on the guest's stack:
    `FtraceArch.return_offset` before the instruction at which the caller goes on.
    """

    hook: Any
    """hook(cpu, rethook, returns_to, frame) -> whether the call is to return to the trampoline instead of `returns_to`. The
    function is the event_context's IP. `rethook`: a rethook_record."""

    handle_return: Any
    """handle_return(cpu, frame) -> where the call that has returned to the trampoline is to go on; 0 if that is not known.
    It has the consumers of the call's return probes act."""

    find: Any
    """find(cpu, task, frame) -> what a return probe has replaced in a task's call; 0: nothing. `task`: its guest address."""


@njit
def of_guest(cpu):
    """The rethook_record of the calls that the guest itself watches."""
    return load_u64(load_u64(array_of(cpu) + array_record.RETHOOKS) + rethook_pool.OF_GUEST)


@njit
def take_goes_on_at(array):
    """Where the guest traps when a call has returned that it watches; 0: the call goes on. It is asked once."""
    place = load_u64(array + array_record.EVENT_CONTEXT) + event_context.GOES_ON_AT
    trap = load_u64(place)
    store_u64(place, ZERO)
    return trap


def build(memory: Accessors, guest: GuestLayout, context: Context, real_address: Any, return_offset: int) -> Rethook:
    """Compiles for a guest.

    Args:
        memory: accesses in its byte order.
        guest: its structures.
        context: compiled for it.
        real_address: see `native.unwind`.
        return_offset: see `FtraceArch`.
    """
    current_task = context.current_task
    nodes = build_nodes(memory, guest)
    latest, push, drop, replaced = nodes.latest, nodes.push, nodes.drop, nodes.replaced
    behind = np.uint64(return_offset)

    @njit
    def hook(cpu, rethook, returns_to, frame):
        acting = load_u64(rethook + rethook_record.CONSUMER)
        if acting == ZERO:
            return False
        array, left = array_of(cpu), load_u64(rethook + rethook_record.LEFT)
        pool = load_u64(array + array_record.RETHOOKS)
        number = take(pool) if left != ZERO else ZERO
        if number == ZERO:
            store_u64(acting + consumer.MISSED, load_u64(acting + consumer.MISSED) + ONE)
            return False
        store_u64(rethook + rethook_record.LEFT, left - ONE)
        node = node_at(pool, number)
        store_u64(node + rethook_node.RETHOOK, rethook)
        store_u64(node + rethook_node.FUNCTION, load_u64(load_u64(array + array_record.EVENT_CONTEXT) + event_context.IP))
        store_u64(node + rethook_node.RETURN, returns_to)
        store_u64(node + rethook_node.FRAME, frame)
        push(pool, current_task(load_u64(cpu + cpu_record.CALLOUT), array), number)
        return True

    @njit
    def last_of_call(pool, task, frame, trampoline):
        """The node with which a call to the trampoline ends, the task's latest or one before; 0: there is none."""
        number = latest(pool, task)
        for _ in range(load_u64(pool + rethook_pool.USED)):  # however the guest has joined what is left of lists
            if number == ZERO:
                break
            node = node_at(pool, number)
            if load_u64(node + rethook_node.FRAME) == frame and load_u64(node + rethook_node.RETURN) != trampoline:
                break
            number = following(pool, task, number)
        return number

    @njit
    def act(cpu, told, pool, task, frame, last):
        """Has the consumers of a call's nodes act, from the task's latest to the last of them.

        Nodes of other calls among them are of calls that the task has left without returning.
        """
        number = latest(pool, task)
        while True:
            node = node_at(pool, number)
            rethook = load_u64(node + rethook_node.RETHOOK)
            if rethook != ZERO and load_u64(node + rethook_node.FRAME) == frame:
                store_u64(told + event_context.IP, load_u64(node + rethook_node.FUNCTION))
                acting = load_u64(rethook + rethook_record.CONSUMER)
                call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)
            if number == last:
                break
            number = following(pool, task, number)

    @njit
    def handle_return(cpu, frame):
        array = array_of(cpu)
        pool, task = load_u64(array + array_record.RETHOOKS), current_task(load_u64(cpu + cpu_record.CALLOUT), array)
        last = last_of_call(pool, task, frame, load_u64(array + array_record.RETHOOK_TRAMPOLINE) - behind)
        if last == ZERO:
            return ZERO
        returns_to = load_u64(node_at(pool, last) + rethook_node.RETURN)
        probes.tell_at_return(array, real_address(cpu, array, frame, returns_to) + behind)
        # The nodes stay until all have acted: a backtrace needs them.
        act(cpu, load_u64(array + array_record.EVENT_CONTEXT), pool, task, frame, last)
        drop(pool, task, last)
        return returns_to

    @njit
    def find(cpu, task, frame):
        array = array_of(cpu)
        return replaced(load_u64(array + array_record.RETHOOKS), host_address(array, task), frame)

    return Rethook(hook, handle_return, find)
