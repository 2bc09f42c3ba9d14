# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on x86-64: `int3` at any instruction, and the registers at the call site of a function.

When the block of ftrace_caller begins, the stack is as `native.arch.x86_64` says. At the site, before its call, the stack pointer
was one word above.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numba import types

from emu.cpu.arch.x86_64.state import CS, GENERAL_REGISTERS, SS, SegmentCache, layout, register
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, event_context, kprobe, kprobe_record, kprobes_record
from emu.ftrace.native.arch import Callback, ProbeCallbacks
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, external, njit
from emu.native.pointers import load_u32, load_u64, store_u64

__all__ = ["PROBE_REGISTERS", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
_read_flags = external("helper_read_eflags_x86_64", types.uint64(types.uint64))
_write_flags = external("helper_write_eflags_x86_64", types.void(types.uint64, types.uint64, types.uint32))

# What probes see: the general registers as QEMU orders them, then what else struct pt_regs has.
PROBE_REGISTERS = (*GENERAL_REGISTERS, "ip", "flags", "orig_ax", "cs", "ss")
GENERAL_COUNT, COUNT = len(GENERAL_REGISTERS), len(PROBE_REGISTERS)

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
SI, DI, SP = (np.uint64(register(name)) for name in ("si", "di", "sp"))
IP, FLAGS, ORIG_AX, CODE, STACK = (np.uint64(8 * n) for n in range(GENERAL_COUNT, COUNT))
SITE, INT3 = np.uint64(5), np.uint64(1)  # bytes, of a site's call and of a breakpoint
# Manual volume 1, 3.4.3: what POPF changes in the kernel, but for IF and what belongs to virtual-8086 mode
CHANGEABLE_FLAGS = np.uint32(0x0024_4DD5)


def build(guest: GuestLayout) -> ProbeCallbacks:
    """Compiles for a guest, and for the layout of Unicorn."""
    segments = layout().env_segments
    code, stack = (np.uint64(segments + n * ctypes.sizeof(SegmentCache)) for n in (CS, SS))
    selector = np.uint64(SegmentCache.selector.offset)

    # In the handler of a breakpoint

    @njit
    def saved(cpu):
        return load_u64(load_u64(cpu + cpu_record.ENV) + DI)

    @njit
    def address(regs):
        return load_u64(regs + guest.saved_pc) - INT3

    @njit
    def offsets(array):
        return load_u64(load_u64(array + array_record.KPROBES) + kprobes_record.SAVED_OFFSETS)

    @njit
    def fill(cpu, array, regs, told):
        image, offset = load_u64(told + event_context.REGISTERS), offsets(array)
        for n in range(COUNT):
            word = np.uint64(n) * WORD
            store_u64(image + word, load_u64(regs + load_u64(offset + word)))
        store_u64(image + IP, load_u64(told + event_context.IP))
        store_u64(told + event_context.FILL, ZERO)

    @njit
    def write(cpu, array, regs, told):
        image, offset = load_u64(told + event_context.REGISTERS), offsets(array)
        for n in range(COUNT):
            word = np.uint64(n) * WORD
            store_u64(regs + load_u64(offset + word), load_u64(image + word))
        return load_u64(image + IP) != load_u64(told + event_context.IP)

    @njit
    def go_on(cpu, array, regs, probe):
        store_u64(regs + guest.saved_pc, load_u64(probe + kprobe_record.COPY))

    @njit
    def handled(cpu):
        """kprobe_int3_handler(regs, 0) returns its second argument."""
        store_u64(load_u64(cpu + cpu_record.ENV) + SI, ONE)

    handlers = kprobe.build(kprobe.Trap(saved, address, fill, write, go_on, handled))

    # At the call site of a function

    @cfunc(_HANDLER)
    def fill_at_site(cpu, told):
        env, image = load_u64(cpu + cpu_record.ENV), load_u64(told + event_context.REGISTERS)
        for n in range(GENERAL_COUNT):
            word = np.uint64(n) * WORD
            store_u64(image + word, load_u64(env + word))
        store_u64(image + SP, load_u64(env + SP) + WORD)
        returns_to = load_u64(told + event_context.RETURN_IP)
        store_u64(image + IP, load_u64(told + event_context.IP) if returns_to == ZERO else returns_to)
        store_u64(image + FLAGS, _read_flags(env))
        store_u64(image + ORIG_AX, ZERO)
        store_u64(image + CODE, np.uint64(load_u32(env + code + selector)))
        store_u64(image + STACK, np.uint64(load_u32(env + stack + selector)))
        store_u64(told + event_context.FILL, ZERO)

    @cfunc(_HANDLER)
    def write_at_site(cpu, told):
        """The trampoline's `ret` goes on behind the site, or where the instruction pointer leads."""
        env, image = load_u64(cpu + cpu_record.ENV), load_u64(told + event_context.REGISTERS)
        for n in range(GENERAL_COUNT):
            word = np.uint64(n) * WORD
            store_u64(env + word, load_u64(image + word))
        _write_flags(env, load_u64(image + FLAGS), CHANGEABLE_FLAGS)
        ip, sp = load_u64(image + IP), load_u64(image + SP) - WORD
        store_u64(env + SP, sp)
        store_u64(host_address(array_of(cpu), sp), ip + SITE if ip == load_u64(told + event_context.IP) else ip)

    return ProbeCallbacks(
        Callback("kprobe_int3_handler", handlers.at_breakpoint.address),
        handlers.fill.address,
        fill_at_site.address,
        write_at_site.address,
        handlers.say_where.address,
    )
