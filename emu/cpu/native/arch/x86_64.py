# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 inside `cpu_exec`: traps, interrupts and the block hook."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emu.cpu.arch.x86_64.state import Layout
from emu.cpu.native import block_begin, block_record, callouts, code_pages, listening, translator, watching
from emu.cpu.native.arch import (
    NativeCpu,
    OfBoard,
    TimedHooks,
    x86_64_env,
    x86_64_exceptions,
    x86_64_instructions,
    x86_64_strings,
    x86_64_told,
)
from emu.cpu.native.arch.x86_64_env import Env
from emu.cpu.native.cpu_records import HALTED, OFF, STOPPED, VECTORS, Cpu, CpuState, Uc
from emu.cpu.native.history import took_trap
from emu.cpu.native.interrupts import interrupt_waits, nmi_waits, take_highest, went_on_flushed
from emu.cpu.native.timing import record
from emu.native.functions import Compiled, Native, callback, external, njit
from emu.native.records import Layouts, i32, u32, u64

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core

_do_interrupt = external("x86_cpu_do_interrupt_x86_64", None, CpuState)
_do_hardware_interrupt = external("do_interrupt_x86_hardirq_x86_64", None, Env, i32, i32)
_emu_stop = external("uc_emu_stop", i32, Uc)

# Manual volume 3, 2.3: EFLAGS.IF. QEMU: hflags bit 3 is the shadow of `sti` and `mov ss`; hflags2 bit 2 masks NMIs.
IF, SHADOW, NMI_MASKED = u64(0x200), u64(8), u64(4)
NMI_VECTOR = 2
# The helpers of instructions that may set IF or unmask NMIs: sti, popf, iret, sysret, sysexit, and far jumps and calls, which may
# switch tasks.
OPENINGS = [
    f"helper_{name}_x86_64" for name in (
        "sti", "write_eflags", "iret_real", "iret_protected", "sysret", "sysexit", "ljmp_protected", "lcall_protected",
    )
]  # fmt: skip
LONGEST_BLOCK = 128  # instructions, of about ten operations each

# QEMU's numbers above the vectors.
EXCP_INTERRUPT, EXCP_HLT = 0x10000, 0x10001


@njit
def trap(cpu: Cpu) -> None:
    record.trap(cpu.timing, cpu.trap_time)


OWN_BOARD = OfBoard(
    take_highest, x86_64_instructions.build_execute, x86_64_instructions.EXECUTED, x86_64_instructions.build_hooks
)


def build(layout: Layout, board: OfBoard = OWN_BOARD) -> NativeCpu:
    """Compiles for a layout of Unicorn's structures."""
    layouts = x86_64_env.layouts(layout)
    native = Native(layouts)
    execute, execute_string = board.build_execute(layouts), x86_64_strings.build(layouts)
    state_of, tell, in_program = told = x86_64_told.build(layout)

    @native.shared
    def irqs_off(env: u64) -> bool:
        """Whether all interrupts except NMIs are off."""
        return Env(env).eflags & IF == 0

    @native.njit
    def takes_interrupt(cpu: Cpu) -> bool:
        env = Env(cpu.env)
        return interrupt_waits(cpu) and env.eflags & IF != 0 and env.hflags & SHADOW == 0

    @native.njit
    def takes_nmi(cpu: Cpu) -> bool:
        env = Env(cpu.env)
        return nmi_waits(cpu) and env.hflags2 & NMI_MASKED == 0 and env.hflags & SHADOW == 0

    @native.njit
    def tells_when(cpu: Cpu) -> bool:
        """The helpers of OPENINGS say so, but the end of a shadow does not."""
        return Env(cpu.env).hflags & SHADOW == 0 and not cpu.stepping

    @native.njit
    def flags_kind(cpu: Cpu) -> u64:
        return Env(cpu.env).cc_op

    @native.njit
    def put_back_flags_kind(cpu: Cpu, kind: u64) -> None:
        Env(cpu.env).cc_op = kind

    watched = watching.build("x86_64", layout, save=flags_kind, put_back=put_back_flags_kind)
    begin = block_begin.build("x86_64", takes_nmi, takes_interrupt, tells_when)

    @callback
    def block_hook(uc: Uc, address: u64, why: u32, cpu: Cpu) -> None:
        if why & translator.LISTENED:
            tell(uc, address, why, cpu.address)
            return
        if why & translator.INSTRUCTION:
            execute(cpu, why & translator.NUMBER_MASK)
        if not why & translator.BLOCK:
            if why == translator.SHOWN:
                callouts.call_if_shown_first(cpu, address)
            return
        block = begin(uc, cpu, address, why)
        profile = cpu.board.profile
        if profile is not None:
            profile(cpu, address)
        if block.cycles & block_record.STRING:
            description = block_record.charge_string(cpu, block, address)
            if description != 0:
                execute_string(cpu, description)
        else:
            block_record.charge(cpu, block)
        callouts.call_function_at(cpu, cpu.board, address)

    def timed(core: Core, with_data: bool) -> TimedHooks:
        from emu.cpu.native.arch import x86_64_timed  # imported when needed: it is compiled

        return x86_64_timed.build(layout, begin, execute, execute_string, told, core, with_data)

    return NativeCpu(
        block_hook=block_hook,
        stop_interrupt=_build_trap_unit(layouts, takes_nmi, takes_interrupt, board.acknowledge),
        instruction_hooks=board.build_hooks(layouts),
        translator={
            **translator.build("x86_64", layout, LONGEST_BLOCK, *x86_64_exceptions.build(layout)),
            **watched.replaced,
            **code_pages.build("x86_64", layouts, watched.speed_up),
        },
        instructions=board.instructions,
        openings=OPENINGS,
        noticed=x86_64_exceptions.USERS,
        listening=listening.build("x86_64", layout, state_of, in_program),
        watching=watched,
        cycle_counter=None,
        irqs_off=irqs_off,
        timed=timed,
    )


def _build_trap_unit(
    layouts: Layouts,
    takes_nmi: Callable[[Cpu], bool],
    takes_interrupt: Callable[[Cpu], bool],
    acknowledge: Callable[[Cpu], u64],
) -> Compiled[[Uc, i32], bool]:
    native = Native(layouts)

    @native.njit
    def count(cpu: Cpu, env: Env) -> None:
        if env.eflags & IF:
            cpu.trapped += 1

    @native.njit
    def interrupt(cpu: Cpu, env: Env) -> None:
        """Delivers an interrupt if one is due."""
        if takes_nmi(cpu):
            cpu.nmi = False
            count(cpu, env)
            trap(cpu)
            env.hflags2 |= NMI_MASKED
            cpu.taken += 1
            _do_hardware_interrupt(env, NMI_VECTOR, 1)
            took_trap(cpu)
        elif takes_interrupt(cpu):
            count(cpu, env)
            trap(cpu)
            cpu.taken += 1
            _do_hardware_interrupt(env, acknowledge(cpu), 1)
            took_trap(cpu)

    @native.callback
    def stop_interrupt(uc: Uc, vector: i32) -> bool:
        """The trap unit: delivers exceptions and interrupts through the guest's IDT with QEMU's own code."""
        state = uc.cpu
        cpu = Cpu(state.opaque)
        env = Env(cpu.env)
        if vector < 0:
            interrupt(cpu, env)
        elif vector < VECTORS:
            count(cpu, env)
            trap(cpu)
            _do_interrupt(state)
            took_trap(cpu)
            state.exception_index = -1
        elif vector == EXCP_HLT and cpu.status != OFF:  # it may just have switched itself off
            cpu.status = HALTED if env.eflags & IF else STOPPED
        elif vector == EXCP_INTERRUPT:  # `pause`, or the buffer of translations was full
            if went_on_flushed(cpu):
                state.exception_index = -1
            else:
                _emu_stop(uc)
        return False

    return stop_interrupt
