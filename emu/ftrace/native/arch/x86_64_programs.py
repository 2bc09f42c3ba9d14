# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes on an x86-64 kernel that is looked at from outside: before instructions of programs, and where their calls return to.

A program's call is known by the place of its return address on the stack, and by the task.
"""

from __future__ import annotations

from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.callouts import build_watch_program_returns
from emu.cpu.native.cpu_records import NEVER, Board, Cpu
from emu.ftrace.native import awaited_returns, context, probes, user_memory
from emu.ftrace.native.arch import ProgramProbes
from emu.ftrace.native.arch.x86_64_outside import KERNEL_HALF, SLOT_SIZE, put_arguments
from emu.ftrace.native.arch.x86_64_probe import Env, env_layouts
from emu.ftrace.native.arch.x86_64_user import PAGE_TABLES
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.ftrace.native.trace_records import ArrayCpu, Consumer, Rethook, TraceArray
from emu.ftrace.native.trace_values import BEFORE, PLACE_PROGRAM
from emu.ftrace.native.watched_place_record import WatchedPlace
from emu.native.functions import Native, callback, njit
from emu.native.records import Words, u64

__all__ = ["build"]

LONG_MODE = u64(1 << 15)  # hflags: 64-bit code
MISALIGNED = u64(SLOT_SIZE - 1)


@njit
def frame_of(task: u64, sp: u64) -> u64:
    """What identifies a call: stacks of programs are at the same addresses, tasks are not. `sp`: where the return address is."""
    return sp ^ task << 16


def build(guest: Guest) -> ProgramProbes:
    """Compiles for a guest and for the layout of Unicorn's structures."""
    native = Native(env_layouts(guest))
    user_address = user_memory.build(guest, context.build(guest), PAGE_TABLES)
    expect, handle, _, _, forget_same = awaited_returns.functions

    @njit
    def place_of(cpu: Cpu, board: Board, address: u64) -> u64:
        found = user_address(cpu, array_of(cpu), address)
        return NEVER if found == 0 else found - board.ram

    watch_returns = build_watch_program_returns("x86_64", place_of)

    @native.njit
    def keep_registers(cpu: Cpu, array: TraceArray) -> None:
        """For the unwinder of the program's stack."""
        saved, registers = PtRegs(array.uprobes.program.address), Registers(cpu.env)
        saved.pc, saved.sp, saved.link = cpu.location[0], registers.sp, registers.bp

    @callback
    def at_place(cpu: Cpu, address: u64) -> None:
        place, array = WatchedPlace(address), array_of(cpu)
        keep_registers(cpu, array)
        probes.tell(array.event_context, PLACE_PROGRAM, cpu.location[0], 0, array.kprobes.fill_at_site)
        probes.act(cpu, place.consumers, BEFORE)

    @native.callback
    def entry(cpu: Cpu, acting: Consumer) -> None:
        array_cpu, env, rethook = ArrayCpu(cpu.callout), Env(cpu.env), Rethook(acting.address)
        array, sp, task, at_return = array_cpu.array, Registers(cpu.env).sp, array_cpu.hot.current_task, rethook.at_return
        if at_return is None:
            return
        slot = user_address(cpu, array, sp) if sp & MISALIGNED == 0 and env.hflags & LONG_MODE else u64(0)
        if slot == 0:
            at_return.missed += 1
            return
        frame, returns_to = frame_of(task, sp), Words(slot)[0]
        forget_same(array, rethook, frame)
        call = expect(array, rethook, task, frame, returns_to)
        if call is not None:
            put_arguments(cpu, call.arguments.address)
            watch_returns(cpu, returns_to, array.returned)

    @native.callback
    def returned(cpu: Cpu, address: u64) -> None:
        if address & KERNEL_HALF == 0:
            keep_registers(cpu, array_of(cpu))
            handle(cpu, frame_of(ArrayCpu(cpu.callout).hot.current_task, Registers(cpu.env).sp - SLOT_SIZE), address)

    return ProgramProbes(at_place, entry, returned)
