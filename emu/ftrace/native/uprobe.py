# SPDX-License-Identifier: GPL-2.0-only
"""A program's task has come to a probe: the guest's handler of breakpoints calls a label with the probe's number.

This code is compiled when the first such probe is defined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from emu.ftrace.native import array_record, consumer, event_context, probes, uprobes_record
from emu.ftrace.native.arch import Callback, UprobeCallbacks
from emu.ftrace.native.context import array_of, host_address
from emu.native import cfunc, njit
from emu.native.pointers import call_handler, load_u64, store_u64

__all__ = ["Program", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, WORD = np.uint64(0), np.uint64(8)
FIRST, SECOND, THIRD = np.uint64(0), np.uint64(1), np.uint64(2)


class Program(NamedTuple):
    """What an architecture has compiled. `regs`: host address of the program's struct pt_regs."""

    argument: Any
    """argument(cpu, n) -> the n-th argument of the label, 0 being the first."""

    pc: Any
    """pc(regs) -> where the program goes on."""

    fill: Any
    """fill(cpu, array, regs, image): stores the program's registers."""


def build(program: Program) -> UprobeCallbacks:
    """Compiles for an architecture."""
    argument, pc_of, store_registers = program

    @njit
    def consumer_of(array, number):
        """Of the probe with a number; 0: it has none."""
        uprobes = load_u64(array + array_record.UPROBES)
        if number >= load_u64(uprobes + uprobes_record.COUNT):
            return ZERO
        return load_u64(load_u64(uprobes + uprobes_record.CONSUMERS) + number * WORD)

    @njit
    def tell(cpu, array):
        """Stores in the event_context where the program is."""
        told, saved = load_u64(array + array_record.EVENT_CONTEXT), argument(cpu, SECOND)
        fill = load_u64(load_u64(array + array_record.UPROBES) + uprobes_record.FILL)
        probes.tell(told, event_context.PLACE_EVENT, pc_of(host_address(array, saved)), saved, fill)
        return told

    @cfunc(_HANDLER)
    def fill(cpu, told):
        array = array_of(cpu)
        regs = host_address(array, load_u64(told + event_context.SAVED))
        store_registers(cpu, array, regs, load_u64(told + event_context.REGISTERS))

    @cfunc(_HANDLER)
    def dispatch(cpu, label):
        """uprobe_dispatch(id, regs)."""
        array = array_of(cpu)
        acting = consumer_of(array, argument(cpu, FIRST))
        if acting != ZERO:
            tell(cpu, array)
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)

    @cfunc(_HANDLER)
    def dispatch_return(cpu, label):
        """uretprobe_dispatch(id, regs, func)."""
        array = array_of(cpu)
        acting = consumer_of(array, argument(cpu, FIRST))
        if acting != ZERO:
            told = tell(cpu, array)
            store_u64(told + event_context.RETURN_IP, load_u64(told + event_context.IP))
            store_u64(told + event_context.IP, argument(cpu, THIRD))
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)

    return UprobeCallbacks(
        Callback("uprobe_dispatch", dispatch.address), Callback("uretprobe_dispatch", dispatch_return.address), fill.address
    )
