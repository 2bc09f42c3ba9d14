# SPDX-License-Identifier: GPL-2.0-only
"""The kernel command line's parameters for tracing. They are obeyed before the first instruction, so that the boot itself is
traced. Only kprobes wait until the kernel takes traps, and a tracer that needs threads of the guest gets them at the end of
the boot.

    ftrace=function_graph ftrace_graph_filter=do_initcalls trace_buf_size=8M
    trace_event=sched:sched_switch,initcall tp_printk
    kprobe_event=p:reads,vfs_read,count=$arg3;r:written,vfs_write,$retval

As in Linux, the last of several parameters with one name counts, and a parameter that cannot be obeyed becomes a line in the
kernel's log. The kernel itself only hides these parameters from init (firmware/kernel/trace/boot_params.c).
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.dynevent.dyn_event import DynamicEventKind
from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_c
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.ftrace.tracefs.fs import TraceFS
from emu.kernel.kernel_log import KernelLog, Level

__all__ = ["BootOptions", "words"]

_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "e": 60}
_SMALLEST_BUFFER = 4096  # bytes
_LARGEST_NUMBER = (1 << 64) - 1
_UNSIGNED_INT_MAX = (1 << 32) - 1


def words(command_line: str) -> Iterator[tuple[str, str]]:
    """The name and the value of each parameter, parsed like the kernel does: quotes keep blanks in a value.

    >>> list(words('quiet trace_options="sym-addr" "kprobe_event=p vfs_read"'))
    [('quiet', ''), ('trace_options=', 'sym-addr'), ('kprobe_event=', 'p vfs_read')]
    """
    for word in re.findall(r'(?:[^ "]|"[^"]*(?:"|$))+', command_line):
        name, equals, value = word.replace('"', "").partition("=")
        yield name + equals, value


class BootOptions:
    """Obeys the parameters, most of them by writing to files of tracefs.

    Args:
        array: the top array.
        ftrace: patches the sites.
        tracefs: the top array's files.
        log: gets a line for each parameter that cannot be obeyed.
        warn: called with a sentence about it for the user.
    """

    def __init__(
        self, array: TraceArray, ftrace: PatchedFtrace, tracefs: TraceFS, log: KernelLog, warn: Callable[[str], None]
    ) -> None:
        self._array = array
        self._ftrace = ftrace
        self._tracefs = tracefs
        self._log = log
        self._warn = warn
        self._given: dict[str, str] = {}

    def obey(self, command_line: str) -> None:
        """Obeys the known parameters, in Linux's order, not in the order given."""
        self._given = dict(words(command_line))
        self._number("trace_buf_size=", self._set_buffer_size, _size)
        self._number("tracing_thresh=", lambda us: self._write("tracing_thresh", us), parse_c)
        self._number("ftrace_graph_max_depth=", lambda depth: self._write("max_graph_depth", depth), _unsigned_int)
        self._select("ftrace_filter=", "set_ftrace_filter")
        self._select("ftrace_notrace=", "set_ftrace_notrace")
        self._select("ftrace_graph_filter=", "set_graph_function")
        self._select("ftrace_graph_notrace=", "set_graph_notrace")
        self._select("stacktrace_filter=", "stack_trace_filter")
        if {"stacktrace", "stacktrace_filter="} & self._given.keys():
            self._ftrace.set_stack_tracer(True)
        self._allow_printing()
        for clock in self._values("trace_clock="):
            with self._reporting(f"Trace clock {clock} not defined, going back to default"):
                self._write("trace_clock", clock)
        if {"alloc_snapshot", "ftrace_boot_snapshot"} & self._given.keys():
            with self._reporting("tracer: failed to allocate ring buffer!"):
                self._array.snapshot.allocate()
        refused = self._set_options()
        if "ftrace=" in self._given:
            self._start(self._given["ftrace="])
            refused = self._set_options()  # by now the tracer's own options exist
        for option, why in refused:
            self._say(f"Failed to set trace option: {option}", why)
        for event in self._list("trace_event="):
            self._record(event)

    def obey_when_traps_are_taken(self) -> None:
        """Obeys parameters that need breakpoints. Must be called when the first CPU is up."""
        for probes in self._values("kprobe_event="):
            self._define(probes)

    # The given values

    def _values(self, name: str) -> Iterable[str]:
        """The value of a parameter; none if it was not given."""
        return [self._given[name]] if name in self._given else []

    def _list(self, name: str) -> Iterable[str]:
        """The comma-separated parts of a value."""
        return [part for value in self._values(name) for part in value.split(",") if part]

    def _number(self, name: str, use: Callable[[int], None], parse: Callable[[str], int | None]) -> None:
        for text in self._values(name):
            value = parse(text)
            if value is None:
                self._say(f"Malformed option '{name}{text}'", "this is not a number")
            else:
                use(value)

    # Errors

    def _say(self, line: str, why: str, level: Level = Level.WARNING) -> None:
        self._log.write(line, level)
        self._warn(f"{line.removesuffix('.')}: {why}")

    @contextmanager
    def _reporting(self, line: str, level: Level = Level.WARNING) -> Iterator[None]:
        """Turns a TraceError in the body into a line of the log."""
        try:
            yield
        except TraceError as error:
            self._say(line, error.why or str(error.strerror), level)

    # Obeying

    def _write(self, path: str, value: object) -> None:
        self._tracefs.append(path, str(value))

    def _set_buffer_size(self, size: int) -> None:
        self._array.globals.buffer_kb = max(size, _SMALLEST_BUFFER) >> 10

    def _select(self, name: str, path: str) -> None:
        """Puts functions into a filter. As in Linux, only names and globs are accepted: no words that wait, no commands."""
        for function in self._list(name):
            with self._reporting(f"ftrace: function {function} not traceable", Level.DEBUG):
                if ":" in function or any(map(str.isspace, function)):
                    raise TraceError(errno.EINVAL, f"'{function}' is not the name of a function")
                self._write(path, function)

    def _allow_printing(self) -> None:
        given = {"tp_printk"} & self._given.keys() or self._given.get("tp_printk=", "0") not in ("0", "off")
        if given:
            self._ftrace.globals.printed_events.allowed = True
            self._ftrace.print_events(True)

    def _set_options(self) -> list[tuple[str, str]]:
        """Sets the options. Returns those that do not exist now, each with the reason."""
        refused = []
        for option in self._list("trace_options="):
            try:
                self._write("trace_options", option)
            except TraceError as error:
                refused.append((option, error.why))
        return refused

    def _start(self, tracer: str) -> None:
        if tracer not in self._array.tracers:
            with self._reporting(f"ftrace bootup tracer '{tracer}' not registered.", Level.INFO):
                self._write("current_tracer", tracer)
            return
        self._log.write(f"Starting tracer '{tracer}'", Level.INFO)
        with self._reporting(f"Failed to start tracer '{tracer}'"):
            self._write("current_tracer", tracer)

    def _record(self, event: str) -> None:
        with self._reporting(f"Failed to enable trace event: {event}"):
            if event.startswith("!"):
                raise TraceError(errno.EINVAL, f"there is no event '{event}'")
            self._write("set_event", event)

    def _define(self, probes: str) -> None:
        """Defines kprobes, separated by `;`, with commas instead of blanks, and records the events of all."""
        for probe in probes.replace(",", " ").split(";"):
            if not probe.strip():
                continue
            try:
                self._write("kprobe_events", probe)
            except TraceError as error:
                self._say(f"trace_kprobe: Failed to add event(-{error.code}): {probe}", error.why)
        defined = self._array.globals.dynamic_events
        kind: DynamicEventKind = defined.kind("kprobe_events")
        self._array.enable_events([one.call for one in defined.of(kind)], True)


def _size(text: str) -> int | None:
    """A size in bytes: a number in C's notation, optionally followed by K, M, G, ... (Linux: memparse)."""
    parts = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)([kmgtpe]?)", text, re.IGNORECASE)
    number = parse_c(parts[1], _LARGEST_NUMBER) if parts else None
    return None if number is None or parts is None else (number << _UNITS[parts[2].lower()]) & _LARGEST_NUMBER


def _unsigned_int(text: str) -> int | None:
    return parse_c(text, _UNSIGNED_INT_MAX)
