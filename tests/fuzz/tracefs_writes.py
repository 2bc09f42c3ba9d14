# SPDX-License-Identifier: GPL-2.0-only
"""Random writes to files of tracefs: most make sense, some are damaged, some are garbage."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from emu.machine import Machine
from tests.fuzz.tracefs_definitions import DEFINED, Definitions, Hists

__all__ = ["INSTANCES", "Action", "Change", "Changes"]

INSTANCES = ("one", "two", "three")
_STRANGE_NAMES = (".", "..", "", "a b", "x" * 300, "tab\there", "\udcff\udcfe", "one/two", "events", "-p")
_NUMBERS = (
    "0", "1", "2", "3", "-1", "+1", "0x10", "010", "1 2", " 1", "1.5", "1_0", "0b1", "\u0661", "9" * 5000, "7fffffff",
    *(str(2**bits + more) for bits in (7, 8, 15, 16, 31, 32, 63, 64, 128) for more in (-1, 0, 1)),
)  # fmt: skip
# In KiB: small, or more than the address space.
_SIZES = ("1", "2", "7", "64", "500", "1408", "0", "-1", *(str(2**bits) for bits in (46, 53, 54, 63, 64)))
_CPU_SETS = ("1", "2", "3", "3", "f", "0", "3,00000000", "x")
_PIDS = ("1", "2", "14", "20", "25", "0")
_SWITCH = ("0", "1", "0", "1")
_CLOCKS = ("local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai", "x86-tsc", "bogus")
_WRONG_TRACERS = ("bogus", "function function")
_OPTIONS = ("func-no-repeats", "funcgraph-flat", "test_nop_accept", "test_nop_refuse", "block")  # chosen more often
_ASKED_FOR = ("eval_map", "recursed_functions", "enabled_functions", "hist_debug")  # read-only
# In microseconds: short ones, so that something is measured, and invalid ones.
_PERIODS = ("0", "1", "50", "99", "100", "300", "1000", "5000", "20000", "500000", "1000000", "1000001")
# For hwlat, whose tracer cannot be changed until its window has passed; for timerlat: short ones would starve everything else.
_WINDOWS = (*_PERIODS, "-1", "1.5", "1 2", "9" * 5000)
_TIMERLAT_PERIODS = tuple(text for text in _WINDOWS if text not in ("100", "300", "1000"))
_HWLAT_MODES = ("none", "round-robin", "per-cpu", "per-cpu", "per", "round-robin none", "")
_OSNOISE = ("period_us", "runtime_us", "stop_tracing_us", "stop_tracing_total_us", "print_stack")
# Options that stop everything else for as long as another file says are left out, and so is the one that panics.
_OSNOISE_OPTIONS = ("DEFAULTS", "OSNOISE_WORKLOAD", "OSNOISE_WORKLOAD", "DEFAULTS OSNOISE_WORKLOAD", "bogus", "")
_CPU_LISTS = ("0-1", "0-1", "0", "1", "0,1", "", "0-2", "1-0", "0-", ",", "0-1:1/2", "N", "all", "x")
_BLK = "/sys/block/ram0/trace"
_BLK_NUMBERS = ("act_mask", "pid", "start_lba", "end_lba")
_ACTIONS = ("read", "write", "queue", "issue", "complete", "fs", "SYNC", "65535", " read", "bogus", "")
_GLOBS = ("vfs_*", "*schedule*", "*_read", "sys_*", "*page*", "k?alloc", "[a-d]*", "*", "no_such_function", "*[", "sched*tick")
_RARE = ("panic", "sys_reboot", "vfs_symlink", "no_such_function")  # costly functions, and those that end the trace
_COMMANDS = ("traceon", "traceoff", "snapshot", "stacktrace", "enable_event", "disable_event", "dump", "cpudump", "mod", "bogus")
_RARELY = ("dump", "cpudump")
_TRIGGERS = ("traceon", "traceoff", "snapshot", "stacktrace", "enable_event", "disable_event", "hist", "enable_hist", "bogus")
_COUNTS = ("", "", "", ":1", ":3", ":unlimited", ":0", ":-1", ":x", ":", ":18446744073709551616", ":1_0")
_FIELDS = ("CPU", "cpu", "COMM", "comm", "pid", "ip", "bogus", "ret")  # which every event has, or most do not
_FIELD = re.compile(r"field:.*?(\w+)(?:\[.*\])?;")
_OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "&", "~", "=", "!", "===", "")
_VALUES = ('"sh"', "sh", '"*s*"', "'busy'", '"', "*b?sy*", "swapper/0", '"a', "[", '"\\"', "R", "x" * 300, '"[a-"')
_COLLECTING = ("_events", "trigger")  # files that are cleared when they are opened for truncation ...
_TAKEN_BACK = 0.15  # how often that is done
_MOST = 60  # bytes of garbage in general; a few writes are huge
_HUGE = 1 << 16
_SHOWN = 200  # bytes of data


class Action(Enum):
    WRITE = "write"  # with truncation
    APPEND = "append"
    MKDIR = "mkdir"
    RMDIR = "rmdir"


@dataclass(frozen=True)
class Change:
    """One operation on tracefs, or, in the guest, on a file elsewhere that belongs to tracers."""

    action: Action
    path: str
    data: bytes = b""

    def __str__(self) -> str:
        more = len(self.data) - _SHOWN
        return f"{self.action.value} {self.path!r} {self.data[:_SHOWN]!r}{f' and {more} bytes' if more > 0 else ''}"


class Changes:
    """An endless source of changes for a machine. The same `choose` gives the same changes.

    Args:
        machine: its events, functions and options are used.
        choose: the random generator.
    """

    def __init__(self, machine: Machine, choose: random.Random) -> None:
        tracefs = machine.tracefs
        self._choose = choose
        self._cpus = len(machine.cpus)
        self._events = [line.split(":") for line in tracefs.read("available_events").splitlines()]
        self._functions = [line.split()[0] for line in tracefs.read("available_filter_functions").splitlines()]
        self._options = tracefs.listdir("options")
        self._tracers = tracefs.read("available_tracers").split()
        tracefs.mkdir("instances/asked")
        self._tracers_of_instances = tracefs.read("instances/asked/available_tracers").split()
        tracefs.rmdir("instances/asked")
        self._tracefs = tracefs
        self._known_fields: dict[str, Sequence[str]] = {}
        definitions, hists = Definitions(choose, self._event, self._functions), Hists(choose, self._event, self._field)
        self._hist = hists.text
        self._path = "/".join(self._events[0])  # of the event whose file is written next
        self._files = _files(machine)
        of_cpu, of_events = self._of_cpu, self._of_events
        # The probability of each kind of change, the file, and the data.
        self._kinds: list[tuple[float, Callable[[], str], Callable[[], str]]] = [
            (6, lambda: "set_ftrace_filter", self._functions_text),
            (6, lambda: "set_ftrace_filter", self._command),
            (3, lambda: "set_ftrace_notrace", self._functions_text),
            (2, lambda: "set_graph_function", self._functions_text),
            (2, lambda: "set_graph_notrace", self._functions_text),
            (2.5, lambda: "current_tracer", self._tracer),
            (8, lambda: "tracing_on", lambda: choose.choice("11110") if choose.random() < 0.8 else self._number()),
            (8, lambda: "set_event", self._event_words),
            (6, lambda: of_events("enable"), lambda: choose.choice((*_SWITCH, self._number()))),
            (14, lambda: of_events("filter"), self._filter),
            (14, lambda: of_events("trigger"), self._trigger),
            (12, lambda: self._of_defined("enable"), lambda: choose.choice(_SWITCH)),
            (12, lambda: of_events("trigger"), lambda: f"{choose.choice(('', '', '!'))}{hists.text()}"),
            (8, lambda: "kprobe_events", definitions.kprobe),
            (6, lambda: "uprobe_events", definitions.uprobe),
            (5, lambda: "synthetic_events", definitions.synthetic),
            (9, lambda: "dynamic_events", definitions.any),
            (4, lambda: of_events("inject"), self._injection),
            (6, lambda: "trace_options", self._option_text),
            (6, lambda: f"options/{choose.choice(self._options)}", lambda: choose.choice((*_SWITCH, self._number()))),
            (2, lambda: f"options/{choose.choice(_OPTIONS)}", lambda: choose.choice((*_SWITCH, self._number()))),
            (1, lambda: f"instances/{choose.choice(INSTANCES)}/current_tracer", self._tracer_of_instance),
            (1, lambda: "tracing_enabled", lambda: choose.choice(("1", "1", self._number()))),
            (1, self._asked_for, self._number),
            (1, lambda: "trace_clock", lambda: choose.choice(_CLOCKS)),
            (2, lambda: of_cpu("buffer_size_kb"), lambda: choose.choice(_SIZES)),
            (1, lambda: "saved_cmdlines_size", lambda: choose.choice(("1", "128", "5000", self._number()))),
            (3, lambda: choose.choice(("set_ftrace_pid", "set_ftrace_notrace_pid")), self._pids),
            (3, lambda: choose.choice(("set_event_pid", "set_event_notrace_pid")), self._pids),
            (2, lambda: "tracing_cpumask", lambda: choose.choice((*_CPU_SETS, self._number()))),
            (1, lambda: choose.choice(("max_graph_depth", "tracing_thresh")), lambda: choose.choice(("0", self._number()))),
            (2, lambda: choose.choice(("tracing_max_latency", "stack_max_size")), lambda: choose.choice(("0", self._number()))),
            (2, lambda: "function_profile_enabled", lambda: choose.choice(_SWITCH)),
            (2, lambda: "stack_trace_filter", self._functions_text),
            (1, lambda: "hwlat_detector/width", self._microseconds),
            (1, lambda: "hwlat_detector/window", lambda: choose.choice(_WINDOWS)),
            (1, lambda: "hwlat_detector/mode", lambda: choose.choice(_HWLAT_MODES)),
            (3, lambda: f"osnoise/{choose.choice(_OSNOISE)}", self._microseconds),
            (1, lambda: "osnoise/timerlat_period_us", lambda: choose.choice(_TIMERLAT_PERIODS)),
            (1, lambda: "osnoise/cpus", lambda: choose.choice((*_CPU_LISTS, self._number()))),
            (1, lambda: "osnoise/options", lambda: f"{choose.choice(('', '', 'NO_'))}{choose.choice(_OSNOISE_OPTIONS)}"),
            (2, lambda: "/proc/sys/kernel/stack_tracer_enabled", lambda: choose.choice((*_SWITCH, self._number()))),
            (2, lambda: f"{_BLK}/enable", lambda: choose.choice(_SWITCH)),
            (1, lambda: f"{_BLK}/{choose.choice(_BLK_NUMBERS)}", self._number),
            (1, lambda: f"{_BLK}/act_mask", lambda: ",".join(choose.choices(_ACTIONS, k=choose.randrange(4)))),
            (3, lambda: of_cpu("trace"), lambda: ""),
            (5, lambda: of_cpu("snapshot"), lambda: choose.choice(("0", "1", "1", "2", self._number()))),
            (4, lambda: choose.choice(("trace_marker", "trace_marker_raw")), self._marker),
            (1, lambda: "free_buffer", lambda: ""),
            (1, lambda: "error_log", lambda: ""),
            (3, lambda: choose.choice(self._files), lambda: choose.choice(self._kinds)[2]()),
        ]
        self._weights = [weight for weight, _, _ in self._kinds]

    def take(self, count: int) -> list[Change]:
        return [self._next() for _ in range(count)]

    def _next(self) -> Change:
        choose = self._choose
        if choose.random() < 0.04:
            name = choose.choice(INSTANCES) if choose.random() < 0.8 else choose.choice(_STRANGE_NAMES)
            return Change(choose.choice((Action.MKDIR, Action.MKDIR, Action.RMDIR)), f"instances/{name}")
        ((_, file, text),) = choose.choices(self._kinds, self._weights)
        path = file()
        if choose.random() < 0.25 and not path.startswith(("/", "instances/")):
            path = f"instances/{choose.choice(INSTANCES)}/{path}"
        data = self._damaged(text().encode(errors="surrogateescape"))
        truncates = choose.random() < (_TAKEN_BACK if path.endswith(_COLLECTING) else 0.5)
        return Change(Action.WRITE if truncates else Action.APPEND, path, data)

    def _damaged(self, data: bytes) -> bytes:
        """The data, unchanged in most cases."""
        choose, kind = self._choose, self._choose.random()
        at = choose.randrange(len(data) + 1)
        if kind < 0.80:
            return data
        if kind < 0.85:
            return data[:at] + choose.randbytes(1) + data[at + 1 :]
        if kind < 0.88:
            return data[:at]
        if kind < 0.91:
            return data[:at] + choose.choice((b"\0", b"\n", b" ", b":", b"!", b"*", b"\xff", b"(", b'"')) + data[at:]
        if kind < 0.94:
            return choose.randbytes(choose.randrange(_MOST))
        if kind < 0.96:
            return data + b" " + data
        if kind < 0.98:
            return b""
        if kind < 0.99:
            return (data or b"x") * min(_HUGE // (len(data) or 1), 1000)
        return choose.randbytes(choose.choice((126, 127, 128, 1024, 4095, 4096, 4097, _HUGE)))

    # Files

    def _of_cpu(self, name: str) -> str:
        """A file of the array, or of one of its CPUs."""
        cpu = self._choose.randrange(2 * self._cpus)
        return f"per_cpu/cpu{cpu}/{name}" if cpu < self._cpus else name

    def _of_events(self, name: str) -> str:
        """A file of an event, a system, or all events. Mostly of the scheduler's events, because they happen most."""
        system, event = self._event()
        self._path = f"{system}/{event}"
        kind = self._choose.random()
        if kind < 0.03:
            return f"events/{name}"
        if kind < 0.15:
            return f"events/{system}/{name}"
        return f"events/{system}/{event}/{name}"

    def _of_defined(self, name: str) -> str:
        """A file of an event that may have been defined."""
        self._path = "/".join(self._choose.choice(DEFINED))
        return f"events/{self._path}/{name}"

    def _asked_for(self) -> str:
        name = self._choose.choice(_ASKED_FOR)
        return self._of_events(name) if name == "hist_debug" else name

    def _event(self) -> Sequence[str]:
        choose = self._choose
        often = (("sched", "sched_switch"), ("sched", "sched_waking"), ("raw_syscalls", "sys_enter"), ("ftrace", "print"))
        kind = choose.random()
        if kind < 0.15:
            return choose.choice(DEFINED)
        return choose.choice(often) if kind < 0.5 else choose.choice(self._events)

    # Data

    def _number(self) -> str:
        return self._choose.choice(_NUMBERS)

    def _microseconds(self) -> str:
        return self._choose.choice(_PERIODS) if self._choose.random() < 0.8 else self._number()

    def _tracer(self) -> str:
        """Often nop, because everything else then happens at its usual speed."""
        kind = self._choose.random()
        if kind < 0.3:
            return "nop"
        return self._choose.choice(_WRONG_TRACERS if kind < 0.4 else self._tracers)

    def _tracer_of_instance(self) -> str:
        return "nop" if self._choose.random() < 0.4 else self._choose.choice(self._tracers_of_instances)

    def _function(self) -> str:
        choose = self._choose
        return choose.choice(_GLOBS) if choose.random() < 0.3 else choose.choice(self._functions)

    def _functions_text(self) -> str:
        choose = self._choose
        words = [self._function() for _ in range(choose.choice((0, 1, 1, 2, 5)))]
        if choose.random() < 0.1:
            words.append(f"{choose.choice(_GLOBS)}:mod:{choose.choice(('ext2', 'sample_events', 'bogus', '*'))}")
        return choose.choice((" ", "\n")).join(choose.choice(("", "", "", "!")) + word for word in words)

    def _command(self) -> str:
        choose = self._choose
        command = choose.choice(_COMMANDS)
        where = choose.choice(_RARE) if command in _RARELY else self._function()
        if command.endswith("_event"):
            command += ":" + ":".join(self._event())
        return f"{choose.choice(('', '', '!'))}{where}:{command}{choose.choice(_COUNTS)}"

    def _event_words(self) -> str:
        choose, words = self._choose, []
        for _ in range(choose.choice((0, 1, 1, 2, 4))):
            system, event = self._event()
            some = f"{system}:*", f"{system}:", system, f"*:{event}", f"{system[:3]}*:*", event
            words.append(choose.choice(("", "", "!")) + choose.choice((f"{system}:{event}", *some)))
        return choose.choice((" ", "\n", ",")).join(words)

    def _field(self) -> str:
        return self._choose.choice(_FIELDS if self._choose.random() < 0.3 else self._fields())

    def _fields(self) -> Sequence[str]:
        """The fields of the event whose file is written next."""
        found = self._known_fields.get(self._path)
        if found is None:
            file = f"events/{self._path}/format"
            found = _FIELD.findall(self._tracefs.read(file)) if self._tracefs.exists(file) else ("a", "b", "lat")
            if self._path.split("/") not in DEFINED:
                self._known_fields[self._path] = found
        return found

    def _filter(self) -> str:
        kind = self._choose.random()
        if kind < 0.15:
            return "0"
        if kind < 0.18:
            return "(" * 70 + self._expression(0) + ")" * self._choose.choice((69, 70, 71))
        return self._expression(3)

    def _expression(self, depth: int) -> str:
        choose, kind = self._choose, self._choose.random()
        if depth == 0 or kind < 0.5:
            value = choose.choice(_VALUES) if choose.random() < 0.4 else self._number()[:30]
            space = choose.choice(("", " "))
            return f"{self._field()}{space}{choose.choice(_OPERATORS)}{space}{value}"
        if kind < 0.6:
            return f"!({self._expression(depth - 1)})"
        if kind < 0.75:
            return f"({self._expression(depth - 1)})"
        joined = choose.choice(("&&", "||", "&&", "||", "&", "|", ""))
        return f"{self._expression(depth - 1)} {joined} {self._expression(depth - 1)}"

    def _trigger(self) -> str:
        choose = self._choose
        trigger = choose.choice(_TRIGGERS)
        if trigger.endswith(("_event", "_hist")):
            trigger += ":" + ":".join(self._event())
        elif trigger == "hist":
            trigger = self._hist()
        condition = f" if {self._filter()}" if choose.random() < 0.4 else ""
        return f"{choose.choice(('', '', '!'))}{trigger}{choose.choice(_COUNTS)}{condition}"

    def _injection(self) -> str:
        choose = self._choose
        assignments = [
            f"{self._field()}{choose.choice(('=', ' = ', '=='))}{choose.choice((*_VALUES, *_NUMBERS))}"
            for _ in range(choose.choice((0, 1, 2, 3)))
        ]
        return " ".join(assignments)

    def _option_text(self) -> str:
        return self._choose.choice(("", "no", "no", "nono")) + self._choose.choice((*self._options, "bogus", "", "stacktrace"))

    def _pids(self) -> str:
        return " ".join(self._choose.choice((*_PIDS, self._number())) for _ in range(self._choose.randrange(4)))

    def _marker(self) -> str:
        return self._choose.choice(("", "x", "a text\n", "two\nlines", "%s%n", "tag", "m" * 1000, "\udcc3", "\0", "12345678"))


def _files(machine: Machine, folder: str = "") -> list[str]:
    """All files of tracefs, but of the events only those of one system."""
    found = []
    for name in machine.tracefs.listdir(folder):
        path = f"{folder}/{name}".lstrip("/")
        if folder == "events" and name != "sched":
            continue
        try:
            found += _files(machine, path)
        except OSError:
            found.append(path)
    return found
