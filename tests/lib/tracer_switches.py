# SPDX-License-Identifier: GPL-2.0-only
"""Switches tracers while a load runs, and checks the kernel's text."""

from __future__ import annotations

from emu.machine import Machine

__all__ = ["switch_under_load", "text_bytes"]


def text_bytes(machine: Machine) -> bytes:
    """The kernel's text, as it is in RAM."""
    kernel = machine.kernel
    start, end = kernel.memory.physical(kernel.image.symbol("_text")), kernel.memory.physical(kernel.image.symbol("_etext"))
    return bytes(machine.board.ram[start:end])


def switch_under_load(machine: Machine, load: str, switches: int) -> list[int]:
    """Switches tracers while `load` runs, which must not be affected. Returns the number of breakpoint hits after each switch."""
    before = text_bytes(machine)
    machine.run(f"{load} > /busy.log &")
    hits = []
    for n in range(switches):
        machine.tracefs.write("current_tracer", ("function", "function_graph", "nop")[n % 3])
        hits.append(machine.patching.breakpoints_hit)
        machine.advance(20_000)
    machine.tracefs.write("current_tracer", "nop")
    assert text_bytes(machine) == before
    while machine.advance(50_000_000):
        pass
    assert b" 0 errors" in machine.run("cat /busy.log").output
    assert machine.warnings == []
    return hits
