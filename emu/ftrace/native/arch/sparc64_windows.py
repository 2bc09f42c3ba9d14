# SPDX-License-Identifier: GPL-2.0-only
"""The register windows of the calls under way on a SPARC V9 CPU. The innermost are in the CPU. Each other window is saved at its
%sp.

A window has its own locals and ins, which are saved in this order. Its outs are the ins of the next inner window.
"""

from __future__ import annotations

from emu.cpu.arch.sparc64 import state
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import host_address
from emu.ftrace.native.trace_records import TraceArray
from emu.kernel.arch.sparc64 import SAVED_CALL, SAVED_FP, SAVED_WINDOW
from emu.native.functions import Native
from emu.native.records import GuestRecord, Layouts, Record, Shape, Values, Words, inline, u32, u64

__all__ = ["BIAS", "SHAPES", "Env", "OnStack", "Window", "current_window", "ins", "read", "write"]

BIAS = SAVED_WINDOW  # a stack is this many bytes above its %sp
LOCALS = 8  # number of locals, and so the index of the first of the ins
WINDOW_SIZE = 16 * 8  # bytes from one window to the next: they share eight registers


class Window(Record):
    """A window in the CPU. Windows overlap: the ins of one are the outs of the next outer one."""

    o0: u64
    o1: u64
    o2: u64
    o3: u64
    o4: u64
    o5: u64
    o6: u64
    o7: u64
    locals: Values[u64] = inline(8)
    i0: u64
    i1: u64
    i2: u64
    i3: u64
    i4: u64
    i5: u64
    i6: u64
    i7: u64


class Env(GuestRecord):
    """Other CPU state that is used here."""

    gregs: Values[u64] = inline(8)
    regwptr: Window  # the current window
    y: u64
    fsr: u64
    cwp: u32
    regbase: Values[u64] = inline()  # all windows
    nwindows: u32
    asi: u32
    pstate: u32
    canrestore: u32
    otherwin: u32


class OnStack(GuestRecord):
    """A saved window. Its address is its %sp."""

    registers: Values[u64] = inline(16)
    fp: u64
    call: u64


SHAPES: dict[type[Record], Shape] = {
    Env: Shape({name: getattr(state.Env, name).offset for name in Env.__annotations__}, {"regbase": state.Env.regbase.size // 8}),
    OnStack: Shape({"registers": SAVED_WINDOW, "fp": SAVED_FP, "call": SAVED_CALL}, byte_order="big"),
}
njit = Native(Layouts(SHAPES)).njit


@njit
def current_window(cpu: Cpu) -> Window:
    return Env(cpu.env).regwptr


@njit
def ins(env: Env, n: u64) -> Window:
    """The window whose outs are the ins of the n-th window in the CPU, counted from the current one as 0."""
    index = env.cwp + n + 1
    if n != 0 and index >= env.nwindows:  # the current window's ins follow it in any case
        index %= env.nwindows  # at most once round, whatever the guest has stored in CANRESTORE and OTHERWIN
    return Window(env.regbase.address + index * WINDOW_SIZE)


@njit
def is_in_cpu(env: Env, n: u64) -> bool:
    return n <= env.canrestore


@njit
def in_cpu(env: Env, n: u64, register: u64) -> Values[u64]:
    """The registers of the n-th window in the CPU, from `register` on."""
    if register < LOCALS:
        window = Window(env.regbase.address + (env.cwp + n) % env.nwindows * WINDOW_SIZE)
        return Words(window.locals.address + register * 8)
    return Words(ins(env, n).address + (register - LOCALS) * 8)


@njit
def on_stack(env: Env, array: TraceArray, n: u64) -> OnStack:
    """The n-th window, if it is not in the CPU."""
    sp = env.regwptr.o6
    for inner in range(n):
        sp = ins(env, inner).o6 if is_in_cpu(env, inner) else OnStack(host_address(array, sp)).fp
    return OnStack(host_address(array, sp))


@njit
def read(env: Env, array: TraceArray, n: u64, register: u64) -> u64:
    """A register of the n-th window, counted from the current one as 0. 0 to 7 are the locals, 8 to 15 the ins."""
    return in_cpu(env, n, register)[0] if is_in_cpu(env, n) else on_stack(env, array, n).registers[register]


@njit
def write(env: Env, array: TraceArray, n: u64, register: u64, value: u64) -> None:
    if is_in_cpu(env, n):
        in_cpu(env, n, register)[0] = value
    else:
        on_stack(env, array, n).registers[register] = value
