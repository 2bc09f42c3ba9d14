# SPDX-License-Identifier: GPL-2.0-only
"""The tree of tracefs: all files, with what each shows and what a write does."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from emu.ftrace.arrays.options import CORE_OPTIONS, parse_option
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.errors import TraceError
from emu.ftrace.event.enable import available, lines
from emu.ftrace.numbers import parse_decimal, parse_microseconds
from emu.ftrace.sites.filters import Functions
from emu.ftrace.sites.ftrace import EnabledFunction
from emu.ftrace.tracefs.array_file import of_array
from emu.ftrace.tracefs.cpumask import format_cpumask, parse_cpumask
from emu.ftrace.tracefs.events_directory import EventsDirectory
from emu.ftrace.tracefs.filter_file import FilterFile
from emu.ftrace.tracefs.free_buffer_file import FreeBufferHandle
from emu.ftrace.tracefs.instances import InstancesDirectory
from emu.ftrace.tracefs.marker_file import MarkerHandle, RawMarkerHandle
from emu.ftrace.tracefs.node import HandleFile, StaticDirectory
from emu.ftrace.tracefs.pid_file import PidFile
from emu.ftrace.tracefs.pipe_file import PipeHandle
from emu.ftrace.tracefs.raw_file import RawHandle
from emu.ftrace.tracefs.readme import README
from emu.ftrace.tracefs.set_event_file import SetEventFile
from emu.ftrace.tracefs.snapshot_file import snapshot_file
from emu.ftrace.tracefs.text_file import Show, Store, TextFile, TextHandle
from emu.ftrace.tracefs.trace_file import TraceHandle
from emu.kernel.files.node import Handle, Node, OpenFlags

__all__ = ["build_tree", "function_statistics", "recording_switch", "statistics"]

UNSIGNED_INT_MAX = (1 << 32) - 1
_ALL_ENABLED, _NONE_DISABLED = "all functions enabled", "no functions disabled"  # the text of an empty filter
_NO_PID = "no pid\n"  # the text of set_ftrace_pid; an empty set_event_pid is empty
_TOP_ONLY = {option.name for option in CORE_OPTIONS if option.top_only}


def build_tree(tr: TraceArray, files: Mapping[str, Node], unlisted: Mapping[str, Node]) -> StaticDirectory:
    """The root directory of the top array. As in Linux, only root may list it; the other directories also allow their group.

    Args:
        tr: the top array.
        files: the files that this kernel has, besides those of all kernels; one of the same name replaces it.
        unlisted: files that can only be found by name.
    """
    of_all = {
        **_instance_files(tr),
        **_machine_files(tr),
        "instances": InstancesDirectory(tr, lambda instance: StaticDirectory(_instance_files(instance))),
    }
    root = of_array(StaticDirectory({**of_all, **files}, unlisted), tr)
    root.mode = 0o040700
    return root


def _instance_files(tr: TraceArray) -> dict[str, Node]:
    """The files of every trace array."""
    return {**_tracer_files(tr), **_filter_files(tr), **_buffer_files(tr), **_event_files(tr), **_option_files(tr)}


def _machine_files(tr: TraceArray) -> dict[str, Node]:
    """The files that exist once per machine: functions, function_graph, the names of events and of tasks."""
    trace_globals = tr.recorder.globals
    saved_cmdlines, catalogue = trace_globals.saved_cmdlines, trace_globals.events
    return {
        "README": TextFile(lambda: README),
        "available_events": TextFile(lambda: partial(lines, available(catalogue.values()))),
        "available_filter_functions": TextFile(
            lambda: "".join(f"{label}\n" for label in tr.ftrace.functions.labels())
        ),
        "enabled_functions": TextFile(lambda: "".join(map(_enabled_function, tr.ftrace.enabled_functions()))),
        "dyn_ftrace_total_info": TextFile(lambda: _total_info(tr.ftrace.functions)),
        "max_graph_depth": TextFile(
            lambda: f"{tr.ops.max_graph_depth}\n",
            lambda text: tr.set_max_graph_depth(parse_decimal(text, UNSIGNED_INT_MAX)),
        ),
        "tracing_thresh": TextFile(
            lambda: f"{tr.ops.threshold_us}\n", lambda text: tr.set_threshold(parse_microseconds(text))
        ),
        "set_graph_function": FilterFile(lambda: tr.ops.graph_function, tr.set_graph_function, _ALL_ENABLED),
        "set_graph_notrace": FilterFile(lambda: tr.ops.graph_notrace, tr.set_graph_notrace, _NONE_DISABLED),
        **_stack_files(tr),
        **_profile_files(tr),
        "recursed_functions": _recursed_functions(),
        "timing_model": HandleFile(0o444, lambda flags: TextHandle(flags, lambda: f"{trace_globals.timing_model}\n", None)),
        "saved_tgids": TextFile(lambda: _of_tasks(trace_globals, trace_globals.saved_tgids)),
        "saved_cmdlines": TextFile(lambda: _of_tasks(trace_globals, saved_cmdlines)),
        "saved_cmdlines_size": TextFile(
            lambda: f"{saved_cmdlines.size}\n",
            lambda text: saved_cmdlines.set_size(parse_decimal(text, UNSIGNED_INT_MAX)),
        ),
    }


def _recursed_functions() -> HandleFile:
    """Always empty: functions are recorded by the host, which calls no traced function. A write has nothing to clear."""
    return HandleFile(0o640, lambda flags: TextHandle(flags, lambda: "", lambda text: None))


def recording_switch(tr: TraceArray) -> tuple[Show, Store]:
    """What tracing_on shows, and what a write to it does."""
    return lambda: f"{int(tr.recorder.recording)}\n", lambda text: tr.set_recording(parse_decimal(text) != 0)


def _stack_files(tr: TraceArray) -> dict[str, Node]:
    """The files of the stack tracer."""
    tracer = tr.globals.stack_tracer

    def set_max_size(text: str) -> None:
        tracer.max_size = parse_decimal(text)

    return {
        "stack_max_size": TextFile(lambda: f"{np.uint64(tracer.max_size).astype(np.int64)}\n", set_max_size),
        "stack_trace": TextFile(tracer.text),
        "stack_trace_filter": FilterFile(
            lambda: tracer.filter, tr.set_stack_filter, _ALL_ENABLED, tracer.waiting_filter, is_set=lambda: tracer.filtered
        ),
    }


def _profile_files(tr: TraceArray) -> dict[str, Node]:
    """The files of the function profiler."""
    profiler = tr.globals.profiler
    return {
        "function_profile_enabled": TextFile(
            lambda: f"{int(profiler.enabled)}\n", lambda text: tr.set_profiling(parse_decimal(text) != 0)
        ),
        "trace_stat": StaticDirectory(function_statistics(tr)),
    }


def function_statistics(tr: TraceArray) -> dict[str, Node]:
    """The files of the function profiler in trace_stat."""

    def of_cpu(cpu: int) -> str:
        return tr.globals.profiler.text(cpu, tr.ops.threshold_us * 1000)

    return {f"function{cpu}": statistics(partial(of_cpu, cpu)) for cpu in range(tr.recorder.cpus)}


def statistics(text: Callable[[], str]) -> Node:
    """A statistics file. Like Linux's, it can be opened for writing but takes no writes."""
    return HandleFile(0o640, lambda flags: TextHandle(flags, text, None))


def _of_tasks(trace_globals: TraceGlobals, known: Iterable[tuple[int, object]]) -> str:
    """Lines with what is known of tasks, by pid, including tasks that are recording now."""
    trace_globals.remember_running()
    return "".join(f"{pid} {what}\n" for pid, what in known)


def _tracer_files(tr: TraceArray) -> dict[str, Node]:
    max_latency = tr.recorder.max_latency
    return {
        "available_tracers": TextFile(lambda: " ".join(tr.tracers) + "\n"),
        "current_tracer": TextFile(lambda: f"{tr.ops.tracer.name}\n", lambda text: tr.set_tracer(text.rstrip())),
        "error_log": _error_log_file(tr),
        "tracing_on": TextFile(*recording_switch(tr)),
        "tracing_max_latency": TextFile(
            lambda: f"{max_latency.microseconds}\n", lambda text: max_latency.set(parse_microseconds(text))
        ),
        "tracing_cpumask": TextFile(
            lambda: format_cpumask(tr.recorder.cpumask, tr.recorder.cpus) + "\n",
            lambda text: tr.recorder.record_on_cpus(parse_cpumask(text, tr.recorder.cpus)),
        ),
    }


def _error_log_file(tr: TraceArray) -> HandleFile:
    """The file error_log. Opening it with O_TRUNC clears it; writes are ignored."""

    def opened(flags: OpenFlags) -> Handle:
        if OpenFlags.WRITE in flags and OpenFlags.TRUNCATE in flags:
            tr.error_log.clear()
        return TextHandle(flags, tr.error_log.text, lambda text: None)

    return HandleFile(0o640, opened)


def _filter_files(tr: TraceArray) -> dict[str, Node]:
    """The files that select functions, and tasks whose functions are traced."""
    return {
        "set_ftrace_filter": FilterFile(
            lambda: tr.ops.filter, tr.set_filter, _ALL_ENABLED, tr.ops.waiting_filter, tr, lambda: tr.ops.filtered
        ),
        "set_ftrace_notrace": FilterFile(lambda: tr.ops.notrace, tr.set_notrace, _NONE_DISABLED, tr.ops.waiting_notrace),
        "set_ftrace_pid": PidFile(lambda: tr.recorder.pid_filter.chosen, tr.recorder.pid_filter.choose, _NO_PID),
        "set_ftrace_notrace_pid": PidFile(lambda: tr.recorder.pid_filter.excluded, tr.recorder.pid_filter.exclude, _NO_PID),
    }


def _enabled_function(function: EnabledFunction) -> str:
    """A line with the function's name, number of ops, flags and target; then a line with its direct call, if it has one."""
    flags = "".join(f" {flag}" if flag in function.flags else "  " for flag in "RID")
    direct = f"\tdirect-->{function.direct}\n" if function.direct else ""
    return f"{function.name} ({function.users}){flags} ->{function.callback}\n{direct}"


def _total_info(functions: Functions) -> str:
    """The numbers of sites. A site's record has 16 bytes; the kernel's sites are one group, and each module's are one."""
    groups = Counter(functions.modules).values()
    return f"{len(functions)} pages:{sum(-(-sites * 16 // 4096) for sites in groups)} groups: {len(groups)}\n"


def _buffer_files(tr: TraceArray) -> dict[str, Node]:
    return {
        "trace": HandleFile(0o640, lambda flags: TraceHandle(flags, tr, None)),
        "snapshot": snapshot_file(tr, None),
        "trace_pipe": HandleFile(0o440, lambda flags: PipeHandle(flags, tr, None)),
        "trace_marker": HandleFile(0o220, lambda flags: MarkerHandle(flags, tr)),
        "trace_marker_raw": HandleFile(0o220, lambda flags: RawMarkerHandle(flags, tr)),
        "trace_clock": TextFile(lambda: _clocks(tr), lambda text: tr.set_clock(text.strip())),
        "timestamp_mode": TextFile(lambda: "[delta] absolute\n"),
        "buffer_size_kb": _buffer_size_file(tr, None),
        "buffer_percent": TextFile(
            lambda: f"{tr.reader.percent}\n", lambda text: tr.reader.set_percent(parse_decimal(text))
        ),
        "buffer_total_size_kb": TextFile(lambda: _total_buffer_size(tr)),
        "free_buffer": HandleFile(0o200, lambda flags: FreeBufferHandle(flags, tr)),
        "per_cpu": StaticDirectory(_per_cpu(tr)),
    }


def _per_cpu(tr: TraceArray) -> dict[str, Node]:
    return {f"cpu{cpu}": StaticDirectory(_cpu_files(tr, cpu)) for cpu in range(tr.recorder.cpus)}


def _cpu_files(tr: TraceArray, cpu: int) -> dict[str, Node]:
    return {
        "trace": HandleFile(0o640, lambda flags: TraceHandle(flags, tr, cpu)),
        "snapshot": snapshot_file(tr, cpu),
        "snapshot_raw": HandleFile(0o440, lambda flags: RawHandle(flags, tr, cpu, spare=True)),
        "trace_pipe": HandleFile(0o440, lambda flags: PipeHandle(flags, tr, cpu)),
        "trace_pipe_raw": HandleFile(0o440, lambda flags: RawHandle(flags, tr, cpu)),
        "stats": _stats_file(tr, cpu),
        "buffer_size_kb": _buffer_size_file(tr, cpu),
    }


def _event_files(tr: TraceArray) -> dict[str, Node]:
    catalogue = tr.recorder.globals.events
    return {
        "events": EventsDirectory(tr, catalogue),
        "set_event": SetEventFile(tr, catalogue),
        "set_event_pid": PidFile(lambda: tr.recorder.event_pid_filter.chosen, tr.recorder.event_pid_filter.choose),
        "set_event_notrace_pid": PidFile(lambda: tr.recorder.event_pid_filter.excluded, tr.recorder.event_pid_filter.exclude),
    }


def _clocks(tr: TraceArray) -> str:
    names = tr.recorder.globals.clocks.names
    return " ".join(f"[{name}]" if name == tr.recorder.clock.name else name for name in names) + "\n"


def _buffer_size_file(tr: TraceArray, cpu: int | None) -> TextFile:
    """The file buffer_size_kb of one CPU, or of all. It shows `X` if their sizes differ."""

    def show() -> str:
        if cpu is not None:
            return f"{tr.reader.size_kb(cpu)}\n"
        sizes = {tr.reader.size_kb(index) for index in range(tr.recorder.cpus)}
        if len(sizes) > 1:
            return "X\n"
        return f"{sizes.pop()}{'' if tr.buffer_size.expanded else f' (expanded: {tr.globals.buffer_kb})'}\n"

    return TextFile(show, lambda text: tr.buffer_size.set(parse_decimal(text), cpu))


def _total_buffer_size(tr: TraceArray) -> str:
    expanded = "" if tr.buffer_size.expanded else f" (expanded: {tr.globals.buffer_kb * tr.recorder.cpus})"
    return f"{sum(map(tr.reader.size_kb, range(tr.recorder.cpus)))}{expanded}\n"


def _stats_file(tr: TraceArray, cpu: int) -> TextFile:
    def show() -> str:
        stats = tr.reader.buffer_stats(cpu)
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
    return f"{time // 1_000_000_000:5}.{time // 1000 % 1_000_000:06}" if tr.recorder.clock.is_ns else str(time)


def _option_files(tr: TraceArray) -> dict[str, Node]:
    def shown() -> list[str]:
        return [option.name for option in (*CORE_OPTIONS, *tr.options_of(tr.ops.tracer))]

    def store(text: str) -> None:
        name, on = parse_option(text)
        if name not in (names := shown()):
            owners = [tracer.name for tracer in tr.tracers.values() if name in {option.name for option in tr.options_of(tracer)}]
            why = f"tracer '{tr.ops.tracer.name}' has no option '{name if owners else text.strip()}'"
            raise TraceError(errno.EINVAL, why + "".join(f"; {owner} has it" for owner in owners), (name, names))
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
        if value != tr.options[name]:
            tr.set_option(name, bool(value))

    return TextFile(lambda: f"{int(tr.options[name])}\n", store)
