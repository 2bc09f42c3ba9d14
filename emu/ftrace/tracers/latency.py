# SPDX-License-Identifier: GPL-2.0-only
"""The latency tracers: their common part, and the tracers of critical sections."""

from __future__ import annotations

import errno
from collections.abc import Collection, Mapping
from typing import ClassVar

from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_values import IRQS_OFF, PREEMPT_OFF
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["IRQSOFF", "PREEMPTIRQSOFF", "PREEMPTOFF", "LatencyTracer"]


class LatencyTracer(Tracer):
    """A tracer that keeps the trace of the worst latency. It records functions only while it measures one.

    Attributes:
        needs: the options that are turned on while it is set.
    """

    print_max = True
    needs: ClassVar[Collection[str]] = ("overwrite", "latency-format")

    def excludes(self, other: Tracer) -> bool:
        return isinstance(other, type(self))

    def callback(self, options: Mapping[str, bool]) -> Callback | None:
        if not options["function-trace"]:
            return None
        return Callback.GRAPH if options["display-graph"] else Callback.ENTRY

    def start(self, array: TracedArray) -> None:
        array.max_latency.keep_options({name: array.options[name] for name in self.needs})
        for name in self.needs:
            array.set_option(name, True)
        self._begin_anew(array, graph=array.options["display-graph"])
        array.clear_worst()

    def ready(self, array: TracedArray) -> None:
        array.max_latency.enable(array.recording)

    def stop(self, array: TracedArray) -> None:
        array.max_latency.enable(False)
        array.records.close_sections()
        for name, on in array.max_latency.take_options().items():
            array.set_option(name, on)

    def recording(self, array: TracedArray, on: bool) -> None:
        array.max_latency.enable(on)

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        if name == "overwrite" and not on and array.max_latency.changes_options:
            raise TraceError(errno.EINVAL, f"the tracer '{self.name}' needs the option 'overwrite'")
        if name == "display-graph" and on != array.options[name]:
            if array.options["function-trace"]:
                array.max_latency.enable(False)  # until the sites call their new target
            self._begin_anew(array, graph=on)
            array.clear()

    def clock_changed(self, array: TracedArray) -> None:
        self._forget_begun(array)

    def _forget_begun(self, array: TracedArray) -> None:
        """Drops all measurements that have started, such as the sections that CPUs are in."""
        array.records.close_sections()

    def _begin_anew(self, array: TracedArray, *, graph: bool) -> None:
        """Drops the worst latency and all measurements that have started."""
        self._forget_begun(array)
        array.max_latency.set(0)
        array.max_latency.show_graph(graph)


class SectionTracer(LatencyTracer):
    """Measures how long a CPU's interrupts, or preemption, are off.

    Args:
        name: the name in current_tracer.
        sections: bits of `MaxLatency.sections`.
    """

    needs = (*LatencyTracer.needs, "pause-on-trace")

    def __init__(self, name: str, sections: int) -> None:
        super().__init__(name, in_instances=True)
        self._sections = sections
        keys = {IRQS_OFF: "trace_irqflags_key", PREEMPT_OFF: "trace_preempt_key"}
        self._keys = tuple(key for bit, key in keys.items() if sections & bit)

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return self._keys

    def ready(self, array: TracedArray) -> None:
        super().ready(array)
        array.max_latency.look_for_sections(self._sections, array.globals.section_handler())
        array.globals.records.sections_are_of(array.records)

    def stop(self, array: TracedArray) -> None:
        array.globals.records.sections_are_of(None)
        array.globals.leave_sections()
        array.max_latency.look_for_none()
        super().stop(array)


IRQSOFF = SectionTracer("irqsoff", IRQS_OFF)
PREEMPTOFF = SectionTracer("preemptoff", PREEMPT_OFF)
PREEMPTIRQSOFF = SectionTracer("preemptirqsoff", IRQS_OFF | PREEMPT_OFF)
