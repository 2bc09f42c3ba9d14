# SPDX-License-Identifier: GPL-2.0-only
"""The common part of the architectures' unwinders. If a guest's stack is damaged, the trace ends at the first address outside
kernel code, and memory outside RAM reads as zeros.

`native.arch` has for each architecture

    unwind(cpu, array, place, out, most) -> count

It stores the addresses of the calls under way on a CPU in `out`, innermost first: at most `most`. The CPU is at a `place` (of
`EventContext`), in a function without a frame of its own: a label of .ftrace.text or hostcall(). That function is left out.
At PLACE_REGISTERS the first address is the trapped one, `ip` of the event context. At PLACE_BLOCK, which not every architecture
has, the CPU is at an arbitrary instruction, whose address is the first.

Compiled `with_places`, it stores two words for each call: the address, and the lowest stack address used by the function around
it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import rethook_nodes, task_calls
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_records import Calls, Guest
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import PLACE_SIZE
from emu.native.functions import Native, njit
from emu.native.records import Values, u64

__all__ = [
    "RealAddress", "Unwind", "build_put", "build_real_address", "data_at", "in_stub", "is_code", "kernel_memory", "original",
    "without_frame",
]  # fmt: skip

Unwind = Callable[[Cpu, TraceArray, u64, Values[u64], u64], u64]
RealAddress = Callable[[Cpu, TraceArray, u64, u64], u64]


class KernelMemory(NamedTuple):
    """Where the kernel's memory is, for loops that store something: otherwise the compiler would load these values each time."""

    direct_start: u64
    kernel_start: u64
    size: u64
    host: u64
    """The host address of its first byte, minus direct_start."""


@njit
def kernel_memory(array: TraceArray) -> KernelMemory:
    return KernelMemory(array.direct_start, array.kernel_start, array.ram_size, array.ram - array.direct_start)


@njit
def data_at(memory: KernelMemory, array: TraceArray, address: u64) -> u64:
    """`context.host_address`, faster for addresses in the direct map, where most stacks are."""
    if address - memory.direct_start < memory.size:
        return address + memory.host
    return host_address(array, address)


@njit
def is_code(memory: KernelMemory, address: u64) -> bool:
    """Whether an address may be in code of the kernel or of a module."""
    return address - memory.kernel_start < memory.size


@njit
def in_stub(array: TraceArray, address: u64) -> bool:
    """Whether an address is in .ftrace.text."""
    return address - array.trampolines < array.trampolines_size


@njit
def original(array: TraceArray, address: u64) -> u64:
    """The address of the probed instruction in whose copy the CPU was interrupted, or the address itself."""
    place = address - array.places
    if place >= array.places_size:
        return address
    found = array.stands_for[place // PLACE_SIZE]
    return address if found == 0 else found


@njit
def without_frame(array: TraceArray, address: u64) -> u64:
    """0, unless the function has no frame of its own when it continues at an address: see `KernelArch.without_frame`."""
    place = address - array.kernel_start
    return array.frameless[place] if place < array.ram_size else 0


def build_put(with_places: bool) -> Callable[[Values[u64], u64, u64, u64], None]:
    """put(out, n, address, place): stores the n-th call."""

    @njit
    def put_address(out: Values[u64], n: u64, address: u64, place: u64) -> None:
        out[n] = address

    @njit
    def put_both(out: Values[u64], n: u64, address: u64, place: u64) -> None:
        out[2 * n] = address
        out[2 * n + 1] = place

    return put_both if with_places else put_address


def build_real_address(guest: Guest, context: Context, first: int, last: int) -> RealAddress:
    """real_address(cpu, array, frame, address): the return address of a call of a CPU's task, if the stacked address may be
    one stored by function_graph or a return probe. `frame` identifies the call.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        first: the first of those addresses, relative to return_to_handler or arch_rethook_trampoline.
        last: the last of those addresses.
    """
    numbers = guest.numbers
    njit = Native(guest.layouts).njit
    before, range_size = u64(-first), u64(last - first + 1)
    current_task, current_calls = context.current_task, task_calls.build(guest).current
    replaced_by_probes = rethook_nodes.build(guest).replaced

    @njit
    def is_of(trampoline: u64, address: u64) -> bool:
        return address - trampoline + before < range_size

    @njit
    def replaced_by_graph(calls: Calls, frame: u64) -> u64:
        """The address replaced by function_graph in a call; 0: none."""
        # Of several calls with the same frame, all but the first are tail calls, and return to the trampoline. The entry of a
        # call that is just returning is above the top of the stack.
        for n in range(numbers.depth):
            call = calls.ret_stack[n]
            if call.fp == frame:
                return call.ret
        return 0

    @njit
    def real_address(cpu: Cpu, array: TraceArray, frame: u64, address: u64) -> u64:
        # At most, one has replaced the other's trampoline: each yields the oldest address that it has replaced.
        for _ in range(2):
            if is_of(array.return_trampoline, address):
                replaced = replaced_by_graph(current_calls(ArrayCpu(cpu.callout), array), frame)
            elif is_of(array.rethook_trampoline, address) and array.rethooks is not None:
                replaced = replaced_by_probes(array.rethooks, current_task(ArrayCpu(cpu.callout), array), frame)
            else:
                break
            if replaced == 0:
                break
            address = replaced
        return address

    return real_address
