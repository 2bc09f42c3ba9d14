# SPDX-License-Identifier: GPL-2.0-only
"""The function_graph tracer: one event for each call and one for each return."""

from emu.ftrace.arrays.options import Option
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.tracer import Tracer

__all__ = ["FUNCTION_GRAPH"]

FUNCTION_GRAPH = Tracer(
    "function_graph",
    Callback.GRAPH,
    options=(
        Option("funcgraph-overrun", False),
        Option("funcgraph-cpu", True),
        Option("funcgraph-overhead", True),
        Option("funcgraph-proc", False),
        Option("funcgraph-duration", True),
        Option("funcgraph-abstime", False),
        Option("funcgraph-irqs", True),
        Option("funcgraph-tail", False),
        Option("funcgraph-flat", False),  # not in Linux 6.1, but in an ftrace document about arm64 kernels
        Option("sleep-time", True),
        Option("graph-time", True),
    ),
)
