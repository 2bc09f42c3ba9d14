# SPDX-License-Identifier: GPL-2.0-only
"""The tracers there are, by name, in the order of available_tracers."""

from emu.ftrace.tracers.function import FUNCTION
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH
from emu.ftrace.tracers.hwlat import HWLAT
from emu.ftrace.tracers.nop import NOP
from emu.ftrace.tracers.osnoise import OSNOISE, TIMERLAT
from emu.ftrace.tracers.tracer import Callback, TracedArray, Tracer

__all__ = ["FUNCTION", "FUNCTION_GRAPH", "NOP", "TRACERS", "Callback", "TracedArray", "Tracer"]

TRACERS: dict[str, Tracer] = {tracer.name: tracer for tracer in (TIMERLAT, OSNOISE, HWLAT, FUNCTION_GRAPH, FUNCTION, NOP)}
