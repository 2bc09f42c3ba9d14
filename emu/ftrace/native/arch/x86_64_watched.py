# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on an x86-64 kernel that is looked at from outside: before any instruction, and where calls return to."""

from __future__ import annotations

from emu.cpu.arch.x86_64.state import CS, SS
from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.callouts import build_watch_returns
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import awaited_returns, probes
from emu.ftrace.native.arch import WatchedProbes
from emu.ftrace.native.arch.x86_64_outside import SLOT_SIZE, place_of, put_arguments, return_address
from emu.ftrace.native.arch.x86_64_probe import (
    CODE,
    COUNT,
    FLAGS,
    GENERAL_COUNT,
    IP,
    ORIG_AX,
    STACK,
    Env,
    env_layouts,
    read_flags,
)
from emu.ftrace.native.awaited_returns_record import ARGUMENTS, AwaitedReturn
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import ArrayCpu, Consumer, EventContext, Rethook
from emu.ftrace.native.trace_values import BEFORE, PLACE_BLOCK
from emu.ftrace.native.watched_place_record import WatchedPlace
from emu.native.functions import Native, callback
from emu.native.records import u64

__all__ = ["build"]

ARGUMENT_COUNT, NO_SYSCALL = u64(ARGUMENTS), u64(0xFFFF_FFFF_FFFF_FFFF)  # orig_ax of a struct pt_regs that is no system call's


def build(guest: Guest) -> WatchedProbes:
    """Compiles for a guest and for the layout of Unicorn's structures."""
    native = Native(env_layouts(guest))
    expect, handle = awaited_returns.functions[:2]
    watch_returns = build_watch_returns("x86_64", place_of)

    @native.callback
    def fill(cpu: Cpu, told: EventContext) -> None:
        env, image = Env(cpu.env), told.registers
        for n in range(GENERAL_COUNT):
            image[n] = env.general[n]
        image[IP] = told.ip if told.return_ip == 0 else told.return_ip
        image[FLAGS] = read_flags(env.address)
        image[ORIG_AX] = NO_SYSCALL
        image[CODE] = env.segments[CS].selector
        image[STACK] = env.segments[SS].selector
        if told.saved != 0:
            for n in range(ARGUMENT_COUNT):
                image[COUNT + n] = AwaitedReturn(told.saved).arguments[n]
        told.fill = None

    @callback
    def at_place(cpu: Cpu, address: u64) -> None:
        place, array = WatchedPlace(address), array_of(cpu)
        probes.tell(array.event_context, PLACE_BLOCK, place.ip, 0, array.kprobes.fill_at_site)
        probes.act(cpu, place.consumers, BEFORE)

    @native.callback
    def entry(cpu: Cpu, acting: Consumer) -> None:
        array_cpu, frame = ArrayCpu(cpu.callout), Registers(cpu.env).sp
        returns_to = return_address(cpu, frame)
        call = expect(array_cpu.array, Rethook(acting.address), array_cpu.hot.current_task, frame, returns_to)
        if call is not None:
            put_arguments(cpu, call.arguments.address)
            watch_returns(cpu, returns_to, array_cpu.array.returned)

    @callback
    def returned(cpu: Cpu, address: u64) -> None:
        handle(cpu, Registers(cpu.env).sp - SLOT_SIZE, address)

    return WatchedProbes(at_place, entry, returned, fill)
