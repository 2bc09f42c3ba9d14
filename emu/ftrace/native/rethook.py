# SPDX-License-Identifier: GPL-2.0-only
"""Return probes: calls return to `arch_rethook_trampoline` instead, as function_graph's calls return to its own trampoline.

The two are independent. The address that one replaces may be the other's trampoline; and a function entered by a tail call has
its caller's frame, so it may also have replaced a trampoline. `unwind.build_real_address` resolves such chains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import probes
from emu.ftrace.native.arch import Callback, RethookCallbacks
from emu.ftrace.native.context import Context, array_of, host_address
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.rethook_nodes import build as build_nodes
from emu.ftrace.native.rethook_nodes import following, node_at, take
from emu.ftrace.native.trace_records import ArrayCpu, Consumer, Rethook, RethookPool, TraceArray
from emu.native.functions import Compiled, Native, callback, njit
from emu.native.records import u64

__all__ = ["ReturnHandlers", "build", "build_callbacks", "take_goes_on_at"]


class ReturnHandlers(NamedTuple):
    """The functions that an architecture's handlers call.

    `frame` identifies a call, as in function_graph. Return addresses are those on the guest's stack:
    `FtraceArch.return_offset` before the instruction at which the caller continues.
    """

    hook: Callable[[Cpu, Rethook, u64, u64], bool]
    """hook(cpu, rethook, returns_to, frame) -> whether the call must return to the trampoline instead of `returns_to`. The
    function is the event_context's `ip`."""

    handle_return: Callable[[Cpu, u64], u64]
    """handle_return(cpu, frame) -> where the call that has returned to the trampoline continues; 0 if that is unknown.
    Runs the consumers of the call's return probes."""

    find: Callable[[Cpu, u64, u64], u64]
    """find(cpu, task, frame) -> the address that a return probe has replaced in a call; 0: none. `task`: a guest address."""


@njit
def pool_of(array: TraceArray) -> RethookPool:
    return array.rethooks  # type: ignore[return-value]  # it exists before the first call is watched


@njit
def of_guest(cpu: Cpu) -> Rethook:
    """The rethook for calls that the guest itself watches."""
    return pool_of(array_of(cpu)).of_guest


@njit
def take_goes_on_at(array: TraceArray) -> u64:
    """Takes the address at which the guest traps after the return of a call that it watches; 0: the call continues."""
    trap = array.event_context.goes_on_at
    array.event_context.goes_on_at = 0
    return trap


def build(
    guest: Guest,
    context: Context,
    real_address: Callable[[Cpu, TraceArray, u64, u64], u64],
    return_offset: int,
) -> ReturnHandlers:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        real_address: see `native.unwind`.
        return_offset: see `FtraceArch`.
    """
    njit = Native(guest.layouts).njit
    latest, push, drop, _, replaced = build_nodes(guest)
    current_task = context.current_task
    behind = u64(return_offset)

    @njit
    def hook(cpu: Cpu, rethook: Rethook, returns_to: u64, frame: u64) -> bool:
        acting = rethook.at_return
        if acting is None:
            return False
        array, left = array_of(cpu), rethook.left
        pool = pool_of(array)
        number = take(pool) if left != 0 else u64(0)
        if number == 0:
            acting.missed += 1
            return False
        rethook.left = left - 1
        node = node_at(pool, number)
        node.rethook = rethook
        node.function = array.event_context.ip
        node.returns_to = returns_to
        node.frame = frame
        push(pool, current_task(ArrayCpu(cpu.callout), array), number)
        return True

    @njit
    def last_of_call(pool: RethookPool, task: Task, frame: u64, trampoline: u64) -> u64:
        """The last node of a call to the trampoline: the task's latest node or an earlier one; 0 if there is none."""
        number = latest(pool, task)
        for _ in range(pool.used):  # bounded, however the guest has linked the lists
            if number == 0:
                break
            node = node_at(pool, number)
            if node.frame == frame and node.returns_to != trampoline:
                break
            number = following(pool, task, number)
        return number

    @njit
    def act(cpu: Cpu, array: TraceArray, pool: RethookPool, task: Task, frame: u64, last: u64) -> None:
        """Runs the consumers of a call's nodes, from the task's latest node to `last`.

        Nodes of other calls in between belong to calls that the task has left without returning.
        """
        number = latest(pool, task)
        while True:
            node = node_at(pool, number)
            rethook = node.rethook
            if rethook is not None and node.frame == frame:
                array.event_context.ip = node.function
                acting = rethook.at_return
                if acting is not None:
                    acting.handler(cpu, acting)
            if number == last:
                break
            number = following(pool, task, number)

    @njit
    def handle_return(cpu: Cpu, frame: u64) -> u64:
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        pool, task = pool_of(array), current_task(array_cpu, array)
        last = last_of_call(pool, task, frame, array.rethook_trampoline - behind)
        if last == 0:
            return 0
        returns_to = node_at(pool, last).returns_to
        probes.tell_at_return(array, real_address(cpu, array, frame, returns_to) + behind)
        # The nodes stay until all consumers have run, because a backtrace needs them.
        act(cpu, array, pool, task, frame, last)
        drop(pool, task, last)
        return returns_to

    @njit
    def find(cpu: Cpu, task: u64, frame: u64) -> u64:
        array = array_of(cpu)
        return replaced(pool_of(array), Task(host_address(array, task)), frame)

    return ReturnHandlers(hook, handle_return, find)


def build_callbacks(
    handlers: ReturnHandlers,
    entry: Compiled[[Cpu, Consumer], None],
    trampoline: Compiled[[Cpu, u64], None],
    arguments: Callable[[Cpu], tuple[u64, u64, u64, u64]],
    set_result: Callable[[Cpu, u64], None],
) -> RethookCallbacks:
    """What an architecture has made with the handlers, and what the guest itself calls.

    Args:
        handlers: compiled for the guest.
        entry: see `RethookCallbacks`.
        trampoline: the same.
        arguments: see `native.arch`.
        set_result: the same.
    """
    hook, _, find_replaced = handlers

    @callback
    def find(cpu: Cpu, address: u64) -> None:
        """rethook_find_ret_addr(task, frame)."""
        task, frame, _, _ = arguments(cpu)
        set_result(cpu, find_replaced(cpu, task, frame))

    @callback
    def hook_call(cpu: Cpu, address: u64) -> None:
        """rethook_hook(ret, frame)."""
        returns_to, frame, _, _ = arguments(cpu)
        set_result(cpu, 1 if hook(cpu, of_guest(cpu), returns_to, frame) else 0)

    return RethookCallbacks(
        entry,
        Callback("arch_rethook_trampoline", trampoline),
        Callback("rethook_find_ret_addr", find),
        Callback("rethook_hook", hook_call),
    )
