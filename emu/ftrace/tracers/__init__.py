# SPDX-License-Identifier: GPL-2.0-only
"""The tracers there are, by name, in the order of available_tracers."""

from emu.ftrace.tracers.function import FUNCTION
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH
from emu.ftrace.tracers.mmiotrace import MMIOTRACE
from emu.ftrace.tracers.nop import NOP
from emu.ftrace.tracers.tracer import Callback, TracedArray, Tracer

__all__ = ["FUNCTION", "FUNCTION_GRAPH", "NOP", "TRACERS", "Callback", "TracedArray", "Tracer"]

TRACERS: dict[str, Tracer] = {tracer.name: tracer for tracer in (MMIOTRACE, FUNCTION_GRAPH, FUNCTION, NOP)}
