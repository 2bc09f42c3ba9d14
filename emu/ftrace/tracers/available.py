# SPDX-License-Identifier: GPL-2.0-only
"""The available tracers, by name, in the order of available_tracers."""

from emu.ftrace.tracers.blk import BLK
from emu.ftrace.tracers.branch import BRANCH
from emu.ftrace.tracers.function import FUNCTION
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH
from emu.ftrace.tracers.hwlat import HWLAT
from emu.ftrace.tracers.latency import IRQSOFF, PREEMPTIRQSOFF, PREEMPTOFF
from emu.ftrace.tracers.mmiotrace import MMIOTRACE
from emu.ftrace.tracers.nop import NOP
from emu.ftrace.tracers.osnoise import OSNOISE, TIMERLAT
from emu.ftrace.tracers.tracer import Tracer
from emu.ftrace.tracers.wakeup import WAKEUP, WAKEUP_DL, WAKEUP_RT

__all__ = ["TRACERS"]

_ALL = (
    TIMERLAT,
    OSNOISE,
    HWLAT,
    BLK,
    MMIOTRACE,
    BRANCH,
    FUNCTION_GRAPH,
    WAKEUP_DL,
    WAKEUP_RT,
    WAKEUP,
    PREEMPTIRQSOFF,
    PREEMPTOFF,
    IRQSOFF,
    FUNCTION,
    NOP,
)
TRACERS: dict[str, Tracer] = {tracer.name: tracer for tracer in _ALL}
