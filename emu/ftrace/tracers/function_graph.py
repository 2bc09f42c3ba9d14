# SPDX-License-Identifier: GPL-2.0-only
"""The function_graph tracer: one event for each call and one for each return."""

from collections.abc import Mapping

from emu.ftrace.arrays.options import Option
from emu.ftrace.native.call_values import ARGUMENTS, ARGUMENTS_AND_RETURN
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["FUNCTION_GRAPH"]

_ARGUMENTS, _RETURN_ADDRESS = "funcgraph-args", "funcgraph-retaddr"
_RECORDED = (_ARGUMENTS, _RETURN_ADDRESS)


class _FunctionGraph(Tracer):
    """The tracer. What a call returns is recorded in any case, if there is room for it in an entry, as in Linux."""

    def start(self, array: TracedArray) -> None:
        self._record(array, array.options)

    def stop(self, array: TracedArray) -> None:
        self._record(array, {})

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        if array.tracer is self and name in _RECORDED:
            self._record(array, {**array.options, name: on})

    def _record(self, array: TracedArray, options: Mapping[str, bool]) -> None:
        """Makes native code record with each call what the options say."""
        values = ARGUMENTS if options.get(_ARGUMENTS) else 0
        values = ARGUMENTS_AND_RETURN if options.get(_RETURN_ADDRESS) else values
        if array.records.array.graph_values != values:
            array.records.array.graph_values = values
            array.records.changed()


FUNCTION_GRAPH = _FunctionGraph(
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
        Option("funcgraph-retval", False, of_values=True),
        Option("funcgraph-retval-hex", False, of_values=True),
        Option(_RETURN_ADDRESS, False, of_values=True),
        Option(_ARGUMENTS, False, of_values=True),
        Option("sleep-time", True),
        Option("graph-time", True),
    ),
)
