# SPDX-License-Identifier: GPL-2.0-only
"""Executing many elements of a string instruction at once.

Unicorn executes an instruction with a repeat prefix as a loop: a block of one element, which begins again. When that
block begins, the host executes all elements up to the end of a page or until something is due, but the last: with that
one the block goes on, and leaves flags and registers as if it had done them all. So an interrupt or a fault finds the
CPU between two elements, and the first access to a page is the same as without the host.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numba import types

from emu.cpu.arch.x86_64 import strings, time
from emu.cpu.arch.x86_64.state import Layout, SegmentCache, register
from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import next_due
from emu.native import external, njit
from emu.native.pointers import load_u8, load_u16, load_u32, load_u64, store_u8, store_u16, store_u32, store_u64

__all__ = ["build"]

ZERO, ONE = np.uint64(0), np.uint64(1)
AX, CX, SI, DI = (np.uint64(register(name)) for name in ("ax", "cx", "si", "di"))
SEGMENT_SIZE, SEGMENT_BASE = np.uint64(ctypes.sizeof(SegmentCache)), np.uint64(SegmentCache.base.offset)
PAGE, LOW_HALF = np.uint64(4096), np.uint64(0xFFFF_FFFF)

# Of a description (see strings)
KIND, SIZE_SHIFT, SIZE_MASK = np.uint64(strings.KIND), np.uint64(strings.ELEMENT_SIZE), np.uint64(3)
MOVE, STORE, LOAD, SCAN, COMPARE = (
    np.uint64(kind) for kind in (strings.MOVE, strings.STORE, strings.LOAD, strings.SCAN, strings.COMPARE)
)
WHILE_EQUAL, SHORT_ADDRESSES = np.uint64(strings.WHILE_EQUAL), np.uint64(strings.SHORT_ADDRESSES)
SEGMENT_SHIFT, SEGMENT_MASK = np.uint64(strings.SEGMENT), np.uint64(7)

# The cost of an element is counted in parts of a cycle, of which a fast string's byte takes one.
PARTS = np.uint64(time.STRING_BYTES_PER_CYCLE)
BACKWARD_CYCLES, LOAD_CYCLES = np.uint64(time.BACKWARD_ELEMENT), np.uint64(time.LOAD_ELEMENT)
SCAN_CYCLES, COMPARE_CYCLES = np.uint64(time.SCAN_ELEMENT), np.uint64(time.COMPARE_ELEMENT)

# QEMU's access types, and how it numbers soft TLBs: by privilege, and whether the kernel is kept from users' pages.
READ, WRITE = np.int32(0), np.int32(1)
KEPT_KERNEL, USER, FREE_KERNEL = np.int32(0), np.int32(1), np.int32(2)
PRIVILEGE, SMAP, AC = np.uint32(3), np.uint32(1 << 23), np.uint32(1 << 18)

TF = np.uint32(1 << 8)  # in EFLAGS: a trap after each element


@njit
def element(shift, address):
    """The element of 1 << `shift` bytes at a host address."""
    if shift == ZERO:
        return np.uint64(load_u8(address))
    if shift == ONE:
        return np.uint64(load_u16(address))
    if shift == ONE + ONE:
        return np.uint64(load_u32(address))
    return load_u64(address)


@njit
def store_element(shift, address, value):
    if shift == ZERO:
        store_u8(address, np.uint8(value))
    elif shift == ONE:
        store_u16(address, np.uint16(value))
    elif shift == ONE + ONE:
        store_u32(address, np.uint32(value))
    else:
        store_u64(address, value)


@njit
def in_page(address, size, step):
    """How many elements, from the one at `address` on, lie wholly in its page. `step`: size, or its negative."""
    offset = address % PAGE
    if offset + size > PAGE:
        return ZERO
    return (PAGE - offset) // size if step == size else offset // size + ONE


@njit
def parts_of_element(kind, size, backward):
    if kind == LOAD:
        return LOAD_CYCLES * PARTS
    if kind == SCAN:
        return SCAN_CYCLES * PARTS
    if kind == COMPARE:
        return COMPARE_CYCLES * PARTS
    return BACKWARD_CYCLES * PARTS if backward else size


def build(layout: Layout) -> Any:
    """execute_string(cpu, description): executes elements of the string instruction with which a block begins, and charges
    them and the one that follows. Returns from one element's address to the next one's; 0: there is none. Compiled for one
    layout of Unicorn."""
    probe = external(
        "probe_access_x86_64",
        types.uint64(types.uint64, types.uint64, types.int32, types.int32, types.int32, types.uint64),
    )
    eflags, hflags, direction = np.uint64(layout.env_eflags), np.uint64(layout.env_hflags), np.uint64(layout.env_df)
    segments = np.uint64(layout.env_segments)

    @njit
    def tlb_index(env):
        flags = load_u32(env + hflags)
        if flags & PRIVILEGE == PRIVILEGE:
            return USER
        return KEPT_KERNEL if flags & SMAP and not load_u32(env + eflags) & AC else FREE_KERNEL

    @njit
    def host_address(env, address, step, size, count, access):
        """The host address of the first of `count` elements in a page, all of which can then be accessed; 0: they are no RAM.

        Faults as the access to the first element would.
        """
        tlb = tlb_index(env)
        host = probe(env, address, np.int32(size), access, tlb, ZERO)
        if access == WRITE and host != ZERO:  # what was translated from there is dropped
            lowest = address if step == size else address - (count - ONE) * size
            probe(env, lowest, np.int32(count * size), access, tlb, ZERO)
        return host

    @njit
    def advance(env, field, change, mask):
        store_u64(env + field, (load_u64(env + field) + change) & mask)

    @njit
    def matching(kind, shift, value, source, target, step, count, while_equal):
        """How many elements, at most `count`, the instruction compares and goes on behind."""
        for n in range(count):
            offset = np.uint64(n) * step
            other = value if kind == SCAN else element(shift, source + offset)
            if (element(shift, target + offset) == other) != while_equal:
                return np.uint64(n)
        return count

    @njit
    def execute(env, description, kind, shift, size, step, count):
        """Executes up to `count` elements, all in the same pages. Returns how many it were."""
        mask = LOW_HALF if description & SHORT_ADDRESSES else ~ZERO
        segment = description >> SEGMENT_SHIFT & SEGMENT_MASK
        base = ZERO if segment == ZERO else load_u64(env + segments + (segment - ONE) * SEGMENT_SIZE + SEGMENT_BASE)
        source, target = (load_u64(env + SI) & mask) + base, load_u64(env + DI) & mask
        reads, has_target = kind in (MOVE, LOAD, COMPARE), kind != LOAD
        if reads:
            count = min(count, in_page(source, size, step))
        if has_target:
            count = min(count, in_page(target, size, step))
        if count <= ONE:
            return ZERO
        count -= ONE
        from_host = to_host = ZERO
        if kind == COMPARE:
            to_host = host_address(env, target, step, size, count, READ)
        if reads:
            from_host = host_address(env, source, step, size, count, READ)
        if has_target and kind != COMPARE:
            to_host = host_address(env, target, step, size, count, READ if kind == SCAN else WRITE)
        if (reads and from_host == ZERO) or (has_target and to_host == ZERO):
            return ZERO
        value = load_u64(env + AX)
        if kind == MOVE:
            for n in range(count):
                store_element(shift, to_host + np.uint64(n) * step, element(shift, from_host + np.uint64(n) * step))
        elif kind == STORE:
            for n in range(count):
                store_element(shift, to_host + np.uint64(n) * step, value)
        elif kind != LOAD:
            if size != np.uint64(8):
                value &= (ONE << (size * np.uint64(8))) - ONE
            count = matching(kind, shift, value, from_host, to_host, step, count, description & WHILE_EQUAL != ZERO)
        if reads:
            advance(env, SI, count * step, mask)
        if has_target:
            advance(env, DI, count * step, mask)
        advance(env, CX, ~count + ONE, mask)
        return count

    @njit
    def execute_string(cpu, description):
        env = load_u64(cpu + cpu_record.ENV)
        kind, shift = description & KIND, description >> SIZE_SHIFT & SIZE_MASK
        size = ONE << shift
        backward = load_u32(env + direction) != np.uint32(1)
        step = ~size + ONE if backward else size
        parts = parts_of_element(kind, size, backward)
        count = load_u64(env + CX) & (LOW_HALF if description & SHORT_ADDRESSES else ~ZERO)
        done, now = ZERO, load_u64(cpu + cpu_record.CYCLES)
        due = next_due(cpu)
        stepped = load_u64(cpu + cpu_record.STEPPING) != ZERO or load_u32(env + eflags) & TF != 0
        if not stepped and due > now:
            done = execute(env, description, kind, shift, size, step, min(count, (due - now) * PARTS // parts))
        if count == ZERO:
            return ZERO
        store_u64(cpu + cpu_record.CYCLES, now + ((done + ONE) * parts + PARTS - ONE) // PARTS)
        return step

    return execute_string
