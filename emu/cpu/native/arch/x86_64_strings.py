# SPDX-License-Identifier: GPL-2.0-only
"""Executes many elements of a string instruction at once.

Unicorn executes an instruction with a repeat prefix as a loop: a block of one element, which starts again. When that block
starts, the host executes all elements up to the end of a page, or until something is due, except the last one. The block
executes that element, and leaves flags and registers as if it had executed them all. So an interrupt or a fault finds the
CPU between two elements, and the first access to a page happens as without the host.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.arch.x86_64 import strings, time
from emu.cpu.native.arch.x86_64_env import Env
from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.interrupts import next_due
from emu.native.functions import Native, external, njit
from emu.native.memory import load_number, store_number
from emu.native.records import Bytes, Layouts, i32, u64

__all__ = ["build"]

_probe = external("probe_access_x86_64", Bytes, Env, u64, i32, i32, i32, u64)

PAGE, LOW_HALF, ALL_ONES = 4096, u64(0xFFFF_FFFF), u64(0xFFFF_FFFF_FFFF_FFFF)

# Parts of a description (see strings)
KIND, SIZE_SHIFT, SIZE_MASK = u64(strings.KIND), strings.ELEMENT_SIZE, u64(3)
MOVE, STORE, LOAD, SCAN, COMPARE = (
    u64(kind) for kind in (strings.MOVE, strings.STORE, strings.LOAD, strings.SCAN, strings.COMPARE)
)
WHILE_EQUAL, SHORT_ADDRESSES = u64(strings.WHILE_EQUAL), u64(strings.SHORT_ADDRESSES)
SEGMENT_SHIFT, SEGMENT_MASK = strings.SEGMENT, u64(7)

# The cost of an element is in parts of a cycle; a byte of a fast string takes one part.
PARTS = u64(time.STRING_BYTES_PER_CYCLE)
BACKWARD_PARTS, LOAD_PARTS = u64(time.BACKWARD_ELEMENT * PARTS), u64(time.LOAD_ELEMENT * PARTS)
SCAN_PARTS, COMPARE_PARTS = u64(time.SCAN_ELEMENT * PARTS), u64(time.COMPARE_ELEMENT * PARTS)

# QEMU's access types, and its numbers of soft TLBs: by privilege, and by whether the kernel may access user pages.
READ, WRITE = i32(0), i32(1)
KEPT_KERNEL, USER, FREE_KERNEL = i32(0), i32(1), i32(2)
PRIVILEGE, SMAP, AC = u64(3), u64(1 << 23), u64(1 << 18)

TF = u64(1 << 8)  # in EFLAGS: a trap after each element


@njit
def in_page(address: u64, size: u64, step: u64) -> u64:
    """How many elements, from the one at `address` on, are entirely in its page. `step`: size, or its negative."""
    offset = address % PAGE
    if offset + size > PAGE:
        return 0
    return (PAGE - offset) // size if step == size else offset // size + 1


@njit
def parts_of_element(kind: u64, size: u64, backward: bool) -> u64:
    if kind == LOAD:
        return LOAD_PARTS
    if kind == SCAN:
        return SCAN_PARTS
    if kind == COMPARE:
        return COMPARE_PARTS
    return BACKWARD_PARTS if backward else size


@njit
def matching(description: u64, value: u64, source: Bytes, target: Bytes, step: u64, count: u64) -> u64:
    """How many elements, at most `count`, the instruction compares without stopping. A SCAN compares with `value`."""
    size, while_equal = size_of(description), description & WHILE_EQUAL != 0
    for n in range(count):
        offset = n * step
        other = value if description & KIND == SCAN else load_number(source, offset, size)
        if (load_number(target, offset, size) == other) != while_equal:
            return n
    return count


@njit
def size_of(description: u64) -> u64:
    """The size of an element in bytes."""
    return u64(1) << (description >> SIZE_SHIFT & SIZE_MASK)


@njit
def mask_of(description: u64) -> u64:
    """The mask of the bits of addresses and of the count."""
    return LOW_HALF if description & SHORT_ADDRESSES else ALL_ONES


def build(layouts: Layouts) -> Callable[[Cpu, u64], u64]:
    """execute_string(cpu, description): executes elements of the string instruction with which a block begins, and charges
    them and the following element. Returns the distance from one element to the next one; 0 if there are no elements.
    Compiled for a layout of Unicorn's structures."""
    njit = Native(layouts).njit

    @njit
    def tlb_index(env: Env) -> i32:
        if env.hflags & PRIVILEGE == PRIVILEGE:
            return USER
        return KEPT_KERNEL if env.hflags & SMAP and not env.eflags & AC else FREE_KERNEL

    @njit
    def host_address(env: Env, address: u64, step: u64, size: u64, count: u64, access: i32) -> Bytes:
        """The host address of the first of `count` elements in a page, all of which can then be accessed; 0 if they are not in
        RAM.

        Faults like the access to the first element.
        """
        tlb = tlb_index(env)
        host = _probe(env, address, size, access, tlb, 0)
        if access == WRITE and host.address != 0:  # drops translations of the written code
            lowest = address if step == size else address - (count - 1) * size
            _probe(env, lowest, count * size, access, tlb, 0)
        return host

    @njit
    def execute(env: Env, description: u64, kind: u64, size: u64, step: u64, count: u64) -> u64:
        """Executes up to `count` elements, all in the same pages. Returns their number."""
        mask = mask_of(description)
        segment = description >> SEGMENT_SHIFT & SEGMENT_MASK
        base = env.segments[segment - 1].base if segment != 0 else 0
        source, target = (env.si & mask) + base, env.di & mask
        reads, has_target = kind in (MOVE, LOAD, COMPARE), kind != LOAD
        if reads:
            count = min(count, in_page(source, size, step))
        if has_target:
            count = min(count, in_page(target, size, step))
        if count <= 1:
            return 0
        count -= 1
        from_host = to_host = Bytes(u64(0))
        if kind == COMPARE:
            to_host = host_address(env, target, step, size, count, READ)
        if reads:
            from_host = host_address(env, source, step, size, count, READ)
        if has_target and kind != COMPARE:
            to_host = host_address(env, target, step, size, count, READ if kind == SCAN else WRITE)
        if (reads and from_host.address == 0) or (has_target and to_host.address == 0):
            return 0
        value = env.ax
        if kind == MOVE:
            for n in range(count):
                store_number(to_host, n * step, load_number(from_host, n * step, size), size)
        elif kind == STORE:
            for n in range(count):
                store_number(to_host, n * step, value, size)
        elif kind != LOAD:
            if size != 8:
                value &= (u64(1) << 8 * size) - 1
            count = matching(description, value, from_host, to_host, step, count)
        if reads:
            env.si = (env.si + count * step) & mask
        if has_target:
            env.di = (env.di + count * step) & mask
        env.cx = (env.cx - count) & mask
        return count

    @njit
    def execute_string(cpu: Cpu, description: u64) -> u64:
        env = Env(cpu.env)
        kind = description & KIND
        size = size_of(description)
        backward = env.df != 1
        step = 0 - size if backward else size
        parts = parts_of_element(kind, size, backward)
        count = env.cx & mask_of(description)
        done, now = u64(0), cpu.cycles
        due = next_due(cpu)
        if not (cpu.stepping or env.eflags & TF) and due > now:
            done = execute(env, description, kind, size, step, min(count, (due - now) * PARTS // parts))
        if count == 0:
            return 0
        cpu.cycles = now + ((done + 1) * parts + PARTS - 1) // PARTS
        return step

    return execute_string
