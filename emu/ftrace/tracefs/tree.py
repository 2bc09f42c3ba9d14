# SPDX-License-Identifier: GPL-2.0-only
"""The tree of tracefs: which files there are and what each shows and obeys."""

from __future__ import annotations

import errno
from collections import Counter

from emu.ftrace.errors import TraceError
from emu.ftrace.filters import Functions
from emu.ftrace.numbers import parse_decimal
from emu.ftrace.options import CORE_OPTIONS, parse_option
from emu.ftrace.text import render_trace
from emu.ftrace.trace_array import EXPANDED_BUFFER_KB, EnabledFunction, TraceArray
from emu.ftrace.tracefs.cpumask import format_cpumask, parse_cpumask
from emu.ftrace.tracefs.filter_file import FilterFile
from emu.ftrace.tracefs.free_buffer_file import FreeBufferHandle
from emu.ftrace.tracefs.instances import InstancesDirectory
from emu.ftrace.tracefs.marker_file import MarkerHandle, RawMarkerHandle
from emu.ftrace.tracefs.node import HandleFile, StaticDirectory
from emu.ftrace.tracefs.pid_file import PidFile
from emu.ftrace.tracefs.pipe_file import PipeHandle
from emu.ftrace.tracefs.raw_file import RawHandle
from emu.ftrace.tracefs.readme import README
from emu.ftrace.tracefs.text_file import TextFile
from emu.kernel.files.node import Node

__all__ = ["build_tree"]

UNSIGNED_INT_MAX = (1 << 32) - 1
_TOP_ONLY = {option.name for option in CORE_OPTIONS if option.top_only}


def build_tree(tr: TraceArray) -> StaticDirectory:
    """The root directory of the top array. As in Linux nobody but root may look into it, and its group into the others."""
    root = StaticDirectory(
        {
            **_instance_files(tr),
            **_machine_files(tr),
            "instances": InstancesDirectory(tr, lambda instance: StaticDirectory(_instance_files(instance))),
        }
    )
    root.mode = 0o040700
    return root


def _instance_files(tr: TraceArray) -> dict[str, Node]:
    """What every trace array has."""
    return {**_tracer_files(tr), **_filter_files(tr), **_buffer_files(tr), **_option_files(tr)}


def _machine_files(tr: TraceArray) -> dict[str, Node]:
    """What there is once: functions, function_graph, the names of tasks."""
    all_enabled, none_disabled = "all functions enabled", "no functions disabled"
    return {
        "README": TextFile(lambda: README),
        "available_filter_functions": TextFile(
            lambda: "".join(f"{label}\n" for label in tr.engine.functions.labels())
        ),
        "enabled_functions": TextFile(lambda: "".join(map(_enabled_function, tr.engine.enabled_functions()))),
        "dyn_ftrace_total_info": TextFile(lambda: _total_info(tr.engine.functions)),
        "max_graph_depth": TextFile(
            lambda: f"{tr.max_graph_depth}\n",
            lambda text: tr.set_max_graph_depth(parse_decimal(text, UNSIGNED_INT_MAX)),
        ),
        "tracing_thresh": TextFile(
            lambda: f"{tr.threshold_us}\n", lambda text: tr.set_threshold(parse_decimal(text, UNSIGNED_INT_MAX))
        ),
        "set_graph_function": FilterFile(lambda: tr.graph_function, tr.set_graph_function, all_enabled),
        "set_graph_notrace": FilterFile(lambda: tr.graph_notrace, tr.set_graph_notrace, none_disabled),
        "saved_cmdlines": TextFile(lambda: "".join(f"{pid} {comm}\n" for pid, comm in tr.engine.comms())),
        "saved_cmdlines_size": TextFile(
            lambda: f"{tr.saved_cmdlines_size}\n",
            lambda text: tr.set_saved_cmdlines_size(parse_decimal(text, UNSIGNED_INT_MAX)),
        ),
    }


def _tracer_files(tr: TraceArray) -> dict[str, Node]:
    return {
        "available_tracers": TextFile(lambda: " ".join(tr.tracers) + "\n"),
        "current_tracer": TextFile(lambda: f"{tr.tracer.name}\n", lambda text: tr.set_tracer(text.rstrip())),
        "tracing_on": TextFile(
            lambda: f"{int(tr.recording)}\n", lambda text: tr.set_recording(parse_decimal(text) != 0)
        ),
        "tracing_cpumask": TextFile(
            lambda: format_cpumask(tr.cpumask, tr.engine.cpus) + "\n",
            lambda text: tr.set_cpumask(parse_cpumask(text, tr.engine.cpus)),
        ),
    }


def _filter_files(tr: TraceArray) -> dict[str, Node]:
    """Which functions are to be traced, and of which tasks."""
    all_enabled, none_disabled = "all functions enabled", "no functions disabled"
    return {
        "set_ftrace_filter": FilterFile(lambda: tr.filter, tr.set_filter, all_enabled, tr.waiting_filter, tr),
        "set_ftrace_notrace": FilterFile(lambda: tr.notrace, tr.set_notrace, none_disabled, tr.waiting_notrace),
        "set_ftrace_pid": PidFile(lambda: tr.pids, tr.set_pids),
        "set_ftrace_notrace_pid": PidFile(lambda: tr.notrace_pids, tr.set_notrace_pids),
    }


def _enabled_function(function: EnabledFunction) -> str:
    """The name, how many ops, which of the flags R, I and D, and the way a call takes."""
    registers = " R" if function.saves_registers else "  "
    trampoline = f"\ttramp: {function.trampoline} ({function.callback})" if function.trampoline else ""
    return f"{function.name} ({function.ops}){registers}    {trampoline} ->{function.callback}\n"


def _total_info(functions: Functions) -> str:
    """Sites are recorded 16 bytes each; all those of the kernel are one group, and those of each module."""
    groups = Counter(functions.modules).values()
    return f"{len(functions)} pages:{sum(-(-sites * 16 // 4096) for sites in groups)} groups: {len(groups)}\n"


def _buffer_files(tr: TraceArray) -> dict[str, Node]:
    return {
        "trace": _trace_file(tr, None),
        "trace_pipe": HandleFile(0o440, lambda flags: PipeHandle(flags, tr, None)),
        "trace_marker": HandleFile(0o220, lambda flags: MarkerHandle(flags, tr)),
        "trace_marker_raw": HandleFile(0o220, lambda flags: RawMarkerHandle(flags, tr)),
        "trace_clock": TextFile(lambda: _clocks(tr), lambda text: tr.set_clock(text.strip())),
        "timestamp_mode": TextFile(lambda: "[delta] absolute\n"),
        "buffer_size_kb": _buffer_size_file(tr, None),
        "buffer_total_size_kb": TextFile(lambda: _total_buffer_size(tr)),
        "free_buffer": HandleFile(0o200, lambda flags: FreeBufferHandle(flags, tr)),
        "per_cpu": StaticDirectory({f"cpu{cpu}": StaticDirectory(_cpu_files(tr, cpu)) for cpu in range(tr.engine.cpus)}),
    }


def _cpu_files(tr: TraceArray, cpu: int) -> dict[str, Node]:
    return {
        "trace": _trace_file(tr, cpu),
        "trace_pipe": HandleFile(0o440, lambda flags: PipeHandle(flags, tr, cpu)),
        "trace_pipe_raw": HandleFile(0o440, lambda flags: RawHandle(flags, tr, cpu)),
        "stats": _stats_file(tr, cpu),
        "buffer_size_kb": _buffer_size_file(tr, cpu),
    }


def _trace_file(tr: TraceArray, cpu: int | None) -> TextFile:
    """What is written to it is ignored; opening it for writing from scratch empties the buffer."""
    return TextFile(
        lambda: render_trace(tr.engine.trace_view(cpu)), lambda text: None, truncate=lambda: tr.engine.clear(cpu)
    )


def _clocks(tr: TraceArray) -> str:
    return " ".join(f"[{name}]" if name == tr.clock else name for name in tr.engine.clock_names) + "\n"


def _buffer_size_file(tr: TraceArray, cpu: int | None) -> TextFile:
    """Of one CPU's buffer, or of each; `X` if they differ."""

    def show() -> str:
        if cpu is not None:
            return f"{tr.buffer_kb[cpu]}\n"
        if len(set(tr.buffer_kb)) > 1:
            return "X\n"
        return f"{tr.buffer_kb[0]}{'' if tr.buffer_expanded else f' (expanded: {EXPANDED_BUFFER_KB})'}\n"

    return TextFile(show, lambda text: tr.set_buffer_kb(parse_decimal(text), cpu))


def _total_buffer_size(tr: TraceArray) -> str:
    expanded = "" if tr.buffer_expanded else f" (expanded: {EXPANDED_BUFFER_KB * tr.engine.cpus})"
    return f"{sum(tr.buffer_kb)}{expanded}\n"


def _stats_file(tr: TraceArray, cpu: int) -> TextFile:
    def show() -> str:
        stats = tr.engine.buffer_stats(cpu)
        lines = {
            "entries": stats.entries,
            "overrun": stats.overrun,
            "commit overrun": stats.commit_overrun,
            "bytes": stats.bytes,
            "oldest event ts": _timestamp(tr, stats.oldest_event),
            "now ts": _timestamp(tr, stats.now),
            "dropped events": stats.dropped_events,
            "read events": stats.read_events,
        }
        return "".join(f"{name}: {value}\n" for name, value in lines.items())

    return TextFile(show)


def _timestamp(tr: TraceArray, time: int) -> str:
    if tr.engine.clock_counts(tr.clock):
        return str(time)
    return f"{time // 1_000_000_000:5}.{time // 1000 % 1_000_000:06}"


def _option_files(tr: TraceArray) -> dict[str, Node]:
    def shown() -> list[str]:
        return [option.name for option in (*CORE_OPTIONS, *tr.tracer.options)]

    def store(text: str) -> None:
        name, on = parse_option(text)
        if name not in shown():
            raise TraceError(errno.EINVAL, f"tracer '{tr.tracer.name}' has no option '{name}'")
        tr.set_option(name, on)

    files = {name: _option_file(tr, name) for name in tr.options if tr.is_top or name not in _TOP_ONLY}
    return {
        "trace_options": TextFile(lambda: "".join(f"{line}\n" for line in tr.options.lines(shown())), store),
        "options": StaticDirectory(files),
    }


def _option_file(tr: TraceArray, name: str) -> TextFile:
    def store(text: str) -> None:
        value = parse_decimal(text)
        if value > 1:
            raise TraceError(errno.EINVAL, f"an option is 0 or 1, not {value}")
        tr.set_option(name, bool(value))

    return TextFile(lambda: f"{int(tr.options[name])}\n", store)
