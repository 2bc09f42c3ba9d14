# SPDX-License-Identifier: GPL-2.0-only
"""What the unwinders of the architectures share. A guest's stack may be damaged: it then ends at the first address that is no
kernel code, and memory outside RAM reads as zeros.

`native.arch` has for each architecture

    unwind(cpu, array, place, out, most) -> count

It stores the addresses of the calls under way on a CPU as 64-bit words at the host address `out`, innermost first: at most
`most`. The CPU stands at a `place` (`native.event_context`), in a function without a frame of its own: a label of .ftrace.text or
hostcall(). That function is not among them. At PLACE_REGISTERS the first is where the trap was, IP of the event_context. At
PLACE_BLOCK, which x86-64 alone has, the CPU stands at any instruction, and that is the first.

Compiled `with_places`, it stores two words for each call: the address, and the lowest address that the function around it uses of
the stack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, rethook_nodes
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import Accessors, load_u8, load_u64, store_u64

__all__ = ["build_put", "build_real_address", "data_at", "in_stub", "is_code", "kernel_memory", "original", "without_frame"]

ZERO, WORD, PAIR = np.uint64(0), np.uint64(8), np.uint64(16)
PLACE = np.uint64(array_record.PLACE_SIZE)


class KernelMemory(NamedTuple):
    """Where the kernel's memory is, for loops that store something: what they load, the compiler has them load each time."""

    direct_start: Any
    kernel_start: Any
    size: Any
    host: Any
    """The host address of its first byte, less direct_start."""


@njit
def kernel_memory(array):
    direct_start = load_u64(array + array_record.DIRECT_START)
    return KernelMemory(
        direct_start,
        load_u64(array + array_record.KERNEL_START),
        load_u64(array + array_record.RAM_SIZE),
        load_u64(array + array_record.RAM) - direct_start,
    )


@njit
def data_at(memory, array, address):
    """`context.host_address`, sooner for an address in the direct map, where most stacks are."""
    if address - memory.direct_start < memory.size:
        return address + memory.host
    return host_address(array, address)


@njit
def is_code(memory, address):
    """Whether there may be code of the kernel or of a module at an address."""
    return address - memory.kernel_start < memory.size


@njit
def in_stub(array, address):
    """Whether an address is in .ftrace.text."""
    return address - load_u64(array + array_record.TRAMPOLINES) < load_u64(array + array_record.TRAMPOLINES_SIZE)


@njit
def original(array, address):
    """The address of the probed instruction whose copy a CPU was interrupted in, or the address itself."""
    place = address - load_u64(array + array_record.PLACES)
    if place >= load_u64(array + array_record.PLACES_SIZE):
        return address
    found = load_u64(load_u64(array + array_record.STANDS_FOR) + place // PLACE * WORD)
    return address if found == ZERO else found


@njit
def without_frame(array, address):
    """0, unless the function that goes on at an address has no frame of its own there: see `KernelArch.without_frame`."""
    place = address - load_u64(array + array_record.KERNEL_START)
    if place >= load_u64(array + array_record.RAM_SIZE):
        return ZERO
    return np.uint64(load_u8(load_u64(array + array_record.FRAMELESS) + place))


def build_put(with_places: bool) -> Any:
    """put(out, n, address, place): stores a call as the n-th."""

    @njit
    def put_address(out, n, address, place):
        store_u64(out + n * WORD, address)

    @njit
    def put_both(out, n, address, place):
        store_u64(out + n * PAIR, address)
        store_u64(out + n * PAIR + WORD, place)

    return put_both if with_places else put_address


def build_real_address(memory: Accessors, guest: GuestLayout, context: Context, first: int, last: int) -> Any:
    """real_address(cpu, array, frame, address): where a call of a CPU's task returns to, if the address on the stack may be one
    that function_graph or a return probe has put there. `frame` identifies the call.

    Args:
        memory: accesses in the guest's byte order.
        guest: its structures.
        context: compiled for it.
        first: the first of those addresses, from return_to_handler or arch_rethook_trampoline on.
        last: the last of them.
    """
    guest_u64 = memory.load_u64
    before, range_size = np.uint64(-first), np.uint64(last - first + 1)
    entries = int(guest.depth)
    current_task = context.current_task
    replaced_by_probes = rethook_nodes.build(memory, guest).replaced

    @njit
    def is_of(array, trampoline, address):
        return address - load_u64(array + trampoline) + before < range_size

    @njit
    def replaced_by_graph(task, frame):
        """What function_graph has replaced in a call; 0: nothing."""
        entry = task + guest.ret_stack
        # Of several calls with one frame, all but the first were made by a jump, and return to the trampoline. The entry of a
        # call that is just returning is above the top of the stack.
        for _ in range(entries):
            if guest_u64(entry + guest.entry_fp) == frame:
                return guest_u64(entry + guest.entry_ret)
            entry += guest.entry_size
        return ZERO

    @njit
    def real_address(cpu, array, frame, address):
        # At most, one has replaced the other's trampoline: each gives the oldest that it has replaced.
        for _ in range(2):
            if is_of(array, array_record.RETURN_TRAMPOLINE, address):
                replaced = replaced_by_graph(current_task(load_u64(cpu + cpu_record.CALLOUT), array), frame)
            elif is_of(array, array_record.RETHOOK_TRAMPOLINE, address) and load_u64(array + array_record.RETHOOKS) != ZERO:
                task = current_task(load_u64(cpu + cpu_record.CALLOUT), array)
                replaced = replaced_by_probes(load_u64(array + array_record.RETHOOKS), task, frame)
            else:
                break
            if replaced == ZERO:
                break
            address = replaced
        return address

    return real_address
