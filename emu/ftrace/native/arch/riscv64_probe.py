# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on RISC-V: `c.ebreak` at any instruction, and the registers at a function's call site.

The array of registers is a struct pt_regs. At a site, t0 is the address after it: the site's call has overwritten t0.
"""

from __future__ import annotations

from emu.cpu.arch.riscv64.state import REGISTERS, SIE, SPIE, SPP
from emu.cpu.native.arch.riscv64_env import Env, Registers, env_shape
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import kprobe
from emu.ftrace.native.arch import Callback, ProbeCallbacks, riscv64_emulate
from emu.ftrace.native.arch.riscv64 import SITE_SIZE, arguments
from emu.ftrace.native.guest_records import Guest, GuestMemory, PtRegs
from emu.ftrace.native.kprobe_record import Kprobe
from emu.ftrace.native.trace_records import EventContext, TraceArray
from emu.native.functions import Native
from emu.native.records import Values, Words, u64

__all__ = ["PROBE_REGISTERS", "build", "fill_from"]

PROBE_REGISTERS = ("epc", *REGISTERS[1:], "status", "badaddr", "cause", "orig_a0")  # the words of struct pt_regs
GENERAL_COUNT, COUNT = u64(len(REGISTERS)), u64(len(PROBE_REGISTERS))  # of registers, x0 included; of words
EPC, RA, STATUS = (PROBE_REGISTERS.index(name) for name in ("epc", "ra", "status"))

# Manual volume II, 3.1.6 and 4.1.1: what a trap does with mstatus, and the part of it that is sstatus.
SSTATUS = u64(0x8000_0003_000D_E122)
INTERRUPTS_ON, WERE_ON, FROM_KERNEL = u64(SIE), u64(SPIE), u64(SPP)


def fill_from(regs: PtRegs, image: Values[u64]) -> None:
    """Stores the words of a struct pt_regs. Compiled by its callers."""
    saved = GuestMemory(regs.address)
    for n in range(COUNT):
        image[n] = saved.as_words[n]


def build(guest: Guest) -> ProbeCallbacks:
    """Compiles for a guest."""
    here = guest.layouts.extended({Env: env_shape()})
    native = Native(here)
    njit, callback = native.njit, native.callback
    emulate, store = riscv64_emulate.build(here), njit(fill_from)

    # In the breakpoint handler

    @njit
    def fill(cpu: Cpu, array: TraceArray, regs: PtRegs, told: EventContext) -> None:
        store(regs, told.registers)
        told.registers[EPC] = told.ip
        told.fill = None

    @njit
    def write(cpu: Cpu, array: TraceArray, regs: PtRegs, told: EventContext) -> bool:
        image, saved = told.registers, GuestMemory(regs.address)
        for n in range(COUNT):
            saved.as_words[n] = image[n]
        return image[EPC] != told.ip

    @njit
    def go_on(cpu: Cpu, array: TraceArray, regs: PtRegs, probe: Kprobe) -> None:
        if probe.copy != 0:
            regs.pc = probe.copy
        else:
            emulate(regs, probe.instruction)

    @njit
    def handled(cpu: Cpu) -> None:
        """kprobe_trap(regs, 0) returns its second argument."""
        Registers(cpu.env).a1 = 1

    handlers = kprobe.build(here, arguments, kprobe.Trap(0, fill, write, go_on, handled))

    # At a function's call site, and after its return

    @njit
    def status(env: Env) -> u64:
        """sstatus, as a trap here would save it."""
        now = env.mstatus & SSTATUS
        return (now & ~INTERRUPTS_ON & ~WERE_ON) | FROM_KERNEL | (WERE_ON if now & INTERRUPTS_ON != 0 else u64(0))

    @callback
    def fill_at_site(cpu: Cpu, told: EventContext) -> None:
        general, image = Words(cpu.env), told.registers
        for n in range(u64(1), GENERAL_COUNT):
            image[n] = general[n]
        for n in range(GENERAL_COUNT, COUNT):
            image[n] = 0
        image[EPC] = told.ip
        image[STATUS] = status(Env(cpu.env))
        if told.return_ip != 0:
            image[EPC] = told.return_ip
            image[RA] = told.return_ip
        told.fill = None

    @callback
    def write_at_site(cpu: Cpu, told: EventContext) -> None:
        """The site's call returns after it, or where the program counter says; a function returns through ra."""
        general, image = Words(cpu.env), told.registers
        for n in range(u64(1), GENERAL_COUNT):
            general[n] = image[n]
        if told.return_ip == 0:
            pc = image[EPC]
            Registers(cpu.env).t0 = pc + SITE_SIZE if pc == told.ip else pc

    return ProbeCallbacks(
        Callback("kprobe_trap", handlers.at_breakpoint),
        handlers.fill,
        fill_at_site,
        write_at_site,
        handlers.say_where,
    )
