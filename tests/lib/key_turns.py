# SPDX-License-Identifier: GPL-2.0-only
"""Switches all static keys again and again under a load, which must not be affected, nor must the function trace."""

from __future__ import annotations

from emu.machine import Machine
from tests.lib.tracer_switches import text_bytes
from tests.lib.witness import Witness, by_context, recorded, shown

__all__ = ["turn_under_load"]

_LOAD = "busy 6 1 > /busy.log &"
_TURNS = 200  # during one run of the load
_APART = 10_000  # cycles between switches


def turn_under_load(machine: Machine, turns: int) -> None:
    """Makes an instance record all events or none, `turns` times by each protocol, while the top array traces functions."""
    before, protocols = text_bytes(machine), machine.ftrace.arch.protocols
    turns *= len(protocols)
    witness = Witness(machine)
    machine.tracefs.mkdir("instances/turned")
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("buffer_size_kb", "30000")
    machine.tracefs.write("current_tracer", "function")
    for first in range(0, turns, _TURNS):
        machine.tracefs.write("trace", "")
        witness.clear()
        machine.tracefs.write("tracing_on", "1")
        witness.on = True
        machine.run(_LOAD)
        for n in range(first, min(first + _TURNS, turns)):
            machine.patching.protocol = protocols[n // 2 % len(protocols)]
            machine.tracefs.write("instances/turned/events/enable", str(int(n % 2 == 0)))
            machine.advance(_APART)
        while machine.advance(50_000_000):
            pass
        witness.on = False
        machine.tracefs.write("tracing_on", "0")
        cpus = range(len(machine.cpus))
        seen = [[shown(entry) for entry in witness.entries(cpu)] for cpu in cpus]
        assert by_context([recorded(machine, cpu) for cpu in cpus]) == by_context(seen)
        assert all(ring.overrun == ring.dropped_events == 0 for ring in machine.trace_array.recorder.rings)
        assert b" 0 errors" in machine.run("cat /busy.log").output
    machine.tracefs.rmdir("instances/turned")
    machine.tracefs.write("current_tracer", "nop")
    assert text_bytes(machine) == before
    assert machine.warnings == []
