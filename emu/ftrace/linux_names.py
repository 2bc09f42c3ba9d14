# SPDX-License-Identifier: GPL-2.0-only
"""What the tracing of Linux 6.1 has: so that a name which this machine lacks is told from one that nobody knows."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass

from emu.ftrace.errors import NotProvided, TraceError
from emu.ftrace.linux_events import LINUX_EVENTS

__all__ = [
    "EVENTS", "INSTANCE", "NOTHING", "OPTIONS", "OSNOISE", "ROOT", "SYSTEMS",
    "LinuxDirectory", "cpu_directory", "event_directory", "system_directory",
]  # fmt: skip


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPTIONS = _names("""
    annotate bin blk_classic block branch context-info disable_on_free display-graph event-fork
    func-no-repeats func_stack_trace funcgraph-abstime funcgraph-cpu funcgraph-duration funcgraph-irqs
    funcgraph-overhead funcgraph-overrun funcgraph-proc funcgraph-tail function-fork function-trace graph-time
    hash-ptr hex irq-info latency-format markers overwrite pause-on-trace print-parent printk-msg-only raw
    record-cmd record-tgid sleep-time stacktrace sym-addr sym-offset sym-userobj test_nop_accept
    test_nop_refuse trace_printk userstacktrace verbose
""")

SYSTEMS = frozenset({*LINUX_EVENTS, "ftrace"})


@dataclass(frozen=True)
class LinuxDirectory:
    """A directory of Linux's tracefs: its path, and what it has. An instance's files have the paths of the top array's."""

    path: str
    names: frozenset[str]

    def missing(self, name: str, known: Iterable[str]) -> TraceError:
        """The error for a name that is not among the `known` ones here."""
        if name in self.names:
            return NotProvided(errno.ENOENT, f"{self.path}/{name}".lstrip("/"), "this file")
        return TraceError(errno.ENOENT, f"there is no '{name}' here", (name, known))


NOTHING = LinuxDirectory("", frozenset())

ROOT = LinuxDirectory("", _names("""
    README available_events available_filter_functions available_tracers buffer_percent buffer_size_kb
    buffer_total_size_kb current_tracer dyn_ftrace_total_info dynamic_events enabled_functions error_log
    eval_map events free_buffer function_profile_enabled hwlat_detector instances kprobe_events kprobe_profile
    max_graph_depth options osnoise per_cpu printk_formats recursed_functions saved_cmdlines
    saved_cmdlines_size saved_tgids set_event set_event_notrace_pid set_event_pid set_ftrace_filter
    set_ftrace_notrace set_ftrace_notrace_pid set_ftrace_pid set_graph_function set_graph_notrace snapshot
    stack_max_size stack_trace stack_trace_filter synthetic_events timestamp_mode trace trace_clock
    trace_marker trace_marker_raw trace_options trace_pipe trace_stat tracing_cpumask tracing_max_latency
    tracing_on tracing_thresh uprobe_events uprobe_profile
"""))  # fmt: skip

INSTANCE = LinuxDirectory("", _names("""
    available_tracers buffer_percent buffer_size_kb buffer_total_size_kb current_tracer error_log events
    free_buffer options per_cpu set_event set_event_notrace_pid set_event_pid set_ftrace_filter
    set_ftrace_notrace set_ftrace_notrace_pid set_ftrace_pid snapshot timestamp_mode trace trace_clock
    trace_marker trace_marker_raw trace_options trace_pipe tracing_cpumask tracing_max_latency tracing_on
"""))  # fmt: skip

EVENTS = LinuxDirectory("events", SYSTEMS)

OSNOISE = LinuxDirectory("osnoise", _names("""
    cpus options period_us print_stack runtime_us stop_tracing_total_us stop_tracing_us timerlat_period_us
"""))  # fmt: skip

_SYSTEM = _names("enable filter")
_EVENT = _names("enable filter format hist hist_debug id inject trigger")
_INTERNAL_EVENT = _names("format hist hist_debug id inject")
_CPU = _names("buffer_size_kb snapshot snapshot_raw stats trace trace_pipe trace_pipe_raw")


def cpu_directory(cpu: int) -> LinuxDirectory:
    """per_cpu/cpuN"""
    return LinuxDirectory(f"per_cpu/cpu{cpu}", _CPU)


def system_directory(system: str) -> LinuxDirectory:
    """events/SYSTEM. The system `ftrace` has no files of its own."""
    own = _SYSTEM if system != "ftrace" else frozenset()
    return LinuxDirectory(f"events/{system}", own | LINUX_EVENTS.get(system, frozenset()))


def event_directory(system: str, event: str) -> LinuxDirectory:
    """events/SYSTEM/EVENT. Of the events of the system `ftrace` only `print` has triggers."""
    names = _EVENT
    if system == "ftrace":
        names = _INTERNAL_EVENT | {"trigger"} if event == "print" else _INTERNAL_EVENT
    return LinuxDirectory(f"events/{system}/{event}", names)
