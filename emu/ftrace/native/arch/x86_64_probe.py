# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on x86-64: `int3` at any instruction, and the registers at a function's call site.

When the block of ftrace_caller starts, the stack is as described in `native.arch.x86_64`. At the site, before its call, the
stack pointer was one word higher.
"""

from __future__ import annotations

from emu.cpu.arch.x86_64.state import CS, GENERAL_REGISTERS, SEGMENT_REGISTERS, SS, layout
from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import kprobe
from emu.ftrace.native.arch import Callback, ProbeCallbacks
from emu.ftrace.native.arch.x86_64 import SITE_SIZE, arguments
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import Guest, GuestMemory, PtRegs
from emu.ftrace.native.kprobe_record import Kprobe
from emu.ftrace.native.trace_records import EventContext, TraceArray
from emu.native.functions import Native, external
from emu.native.records import GuestRecord, Layouts, Record, Records, Shape, Values, inline, u32, u64

__all__ = ["PROBE_REGISTERS", "build", "env_layouts", "read_flags"]

read_flags = external("helper_read_eflags_x86_64", u64, u64)
_write_flags = external("helper_write_eflags_x86_64", None, u64, u64, u32)

# The registers that probes see: the general registers in QEMU's order, then the others in struct pt_regs.
PROBE_REGISTERS = (*GENERAL_REGISTERS, "ip", "flags", "orig_ax", "cs", "ss")
GENERAL_COUNT, COUNT = u64(len(GENERAL_REGISTERS)), u64(len(PROBE_REGISTERS))
SP, IP, FLAGS, ORIG_AX, CODE, STACK = (PROBE_REGISTERS.index(name) for name in ("sp", "ip", "flags", "orig_ax", "cs", "ss"))

SLOT, INT3 = 8, 1  # bytes of a word on the stack, and of a breakpoint
# Manual volume 1, 3.4.3: the flags that POPF changes in the kernel, except IF and those of virtual-8086 mode
CHANGEABLE_FLAGS = u64(0x0024_4DD5)


class Segment(Record):
    """SegmentCache"""

    selector: u32
    base: u64
    limit: u32
    flags: u32


class Env(GuestRecord):
    """CPUX86State"""

    general: Values[u64] = inline(len(GENERAL_REGISTERS))
    segments: Records[Segment] = inline(len(SEGMENT_REGISTERS))
    hflags: u32


def env_layouts(guest: Guest) -> Layouts:
    """The layouts of the guest's structures, and of this one of Unicorn's."""
    return guest.layouts.extended({Env: Shape({"general": 0, "segments": layout().env_segments, "hflags": layout().env_hflags})})


def build(guest: Guest) -> ProbeCallbacks:
    """Compiles for a guest and for the layout of Unicorn's structures."""
    here = env_layouts(guest)
    native = Native(here)
    njit, callback = native.njit, native.callback

    # In the breakpoint handler

    @njit
    def fill(cpu: Cpu, array: TraceArray, regs: PtRegs, told: EventContext) -> None:
        image, offsets = told.registers, array.kprobes.saved_offsets
        for n in range(COUNT):
            image[n] = GuestMemory(regs.address + offsets[n]).as_u64
        image[IP] = told.ip
        told.fill = None

    @njit
    def write(cpu: Cpu, array: TraceArray, regs: PtRegs, told: EventContext) -> bool:
        image, offsets = told.registers, array.kprobes.saved_offsets
        for n in range(COUNT):
            GuestMemory(regs.address + offsets[n]).as_u64 = image[n]
        return image[IP] != told.ip

    @njit
    def go_on(cpu: Cpu, array: TraceArray, regs: PtRegs, probe: Kprobe) -> None:
        regs.pc = probe.copy

    @njit
    def handled(cpu: Cpu) -> None:
        """kprobe_int3_handler(regs, 0) returns its second argument."""
        Registers(cpu.env).si = 1

    handlers = kprobe.build(here, arguments, kprobe.Trap(INT3, fill, write, go_on, handled))

    # At a function's call site

    @callback
    def fill_at_site(cpu: Cpu, told: EventContext) -> None:
        env, image = Env(cpu.env), told.registers
        for n in range(GENERAL_COUNT):
            image[n] = env.general[n]
        image[SP] += SLOT
        image[IP] = told.ip if told.return_ip == 0 else told.return_ip
        image[FLAGS] = read_flags(env.address)
        image[ORIG_AX] = 0
        image[CODE] = env.segments[CS].selector
        image[STACK] = env.segments[SS].selector
        told.fill = None

    @callback
    def write_at_site(cpu: Cpu, told: EventContext) -> None:
        """The trampoline's `ret` continues after the site, or where the instruction pointer says."""
        env, image = Env(cpu.env), told.registers
        for n in range(GENERAL_COUNT):
            env.general[n] = image[n]
        _write_flags(env.address, image[FLAGS], CHANGEABLE_FLAGS)
        ip, sp = image[IP], image[SP] - SLOT
        env.general[SP] = sp
        GuestMemory(host_address(array_of(cpu), sp)).as_u64 = ip + SITE_SIZE if ip == told.ip else ip

    return ProbeCallbacks(
        Callback("kprobe_int3_handler", handlers.at_breakpoint),
        handlers.fill,
        fill_at_site,
        write_at_site,
        handlers.say_where,
    )
