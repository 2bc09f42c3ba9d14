# SPDX-License-Identifier: GPL-2.0-only
"""The description of a machine in a trace, besides the events: the same for a file and for a Trace in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple, Protocol

from emu.ftrace.guest.kernel_values import ARRAYS
from emu.trace.recording import CallCost, FormatText

if TYPE_CHECKING:
    from emu.ftrace.arrays.trace_array import TraceArray
    from emu.ftrace.guest.traced_kernel import TracedKernel
    from emu.ftrace.tracefs import TraceFS

__all__ = [
    "TOP", "TracedMachine", "arrays_of", "btf", "call_cost", "cpu_stats", "formats", "kallsyms", "kernel_of", "kernel_values",
    "printk_formats", "program", "trace_options", "uname",
]  # fmt: skip

TOP = ""  # the name of the top trace array
_ARGUMENTS = ("func-args", "funcgraph-args")  # options
_NAMES = re.compile(r"(?:struct )?[A-Za-z_]\w*")
_OTHERS = re.compile(r'"(?:[^"\\]|\\.)*"|->\w+|\b\w+\(')  # what is no constant: strings, members, functions


class TracedMachine(Protocol):
    """The part of a machine that a trace needs. `Machine` and `LinuxMachine` provide it."""

    @property
    def tracefs(self) -> TraceFS: ...

    @property
    def trace_array(self) -> TraceArray: ...


class _Array(NamedTuple):
    name: str
    array: TraceArray


def arrays_of(machine: TracedMachine) -> list[_Array]:
    """The trace arrays: the top one, then the instances."""
    top = machine.trace_array
    return [_Array(TOP, top), *(_Array(name, array) for name, array in top.instances.items())]


def formats(machine: TracedMachine) -> Iterator[FormatText]:
    """The format files of all events, those of the system ftrace first."""
    tracefs = machine.tracefs
    systems = [name for name in tracefs.listdir("events") if tracefs.exists(f"events/{name}/enable")]
    for system in ["ftrace", *systems]:
        for name in tracefs.listdir(f"events/{system}"):
            path = f"events/{system}/{name}/format"
            if tracefs.exists(path):
                yield FormatText(system, tracefs.read(path))


def cpu_stats(machine: TracedMachine) -> list[str]:
    """per_cpu/cpuN/stats of each CPU, as saved by trace-cmd."""
    return [f"CPU: {cpu}\n{machine.tracefs.read(f'per_cpu/cpu{cpu}/stats')}" for cpu in range(machine.trace_array.recorder.cpus)]


def kernel_values(machine: TracedMachine) -> dict[str, int]:
    """The kernel's numbers used by print fmts: enumerators, sizes of structures, and present values of variables."""
    values = machine.trace_array.recorder.globals.kernel_values
    variables, constants = values.variables(), values.constants
    print_fmts = (_OTHERS.sub("", file.text.partition("\nprint fmt:")[2]) for file in formats(machine))
    named = {name for text in print_fmts for name in _NAMES.findall(text)}
    named |= {f"sizeof({name})" for name in named if name.startswith("struct ")}  # units of pointer arithmetic
    found = {name: constants[name] for name in named if name not in variables and name in constants}
    return dict(sorted({**found, **{name: value for name, value in variables.items() if name in named}}.items()))


def trace_options(machine: TracedMachine) -> str:
    """trace_options, if the text depends on it whether values that are recorded in any case are shown; else "" """
    return "" if machine.trace_array.globals.prototypes is None else machine.tracefs.read("trace_options")


def btf(machine: TracedMachine) -> Mapping[str, bytes | memoryview]:
    """The BTF of the kernel, named "", and of modules; nothing if no array records arguments."""
    prototypes = machine.trace_array.globals.prototypes
    wanted = any(array.options.get(name) for _, array in arrays_of(machine) for name in _ARGUMENTS)
    return prototypes.data() if prototypes is not None and wanted else {}


def call_cost(machine: TracedMachine) -> CallCost | None:
    """The cost of recording a call with function_graph; None if it depends on the code executed before."""
    found = machine.trace_array.ftrace.call_cost()
    return None if found is None else CallCost(*found)


def kernel_of(machine: TracedMachine) -> TracedKernel:
    """The kernel that is traced."""
    return machine.trace_array.ftrace.kernel


def printk_formats(machine: TracedMachine) -> str:
    """The file of that name; "" if the machine has none."""
    return machine.tracefs.read("printk_formats") if "printk_formats" in machine.tracefs.listdir() else ""


def uname(kernel: TracedKernel) -> str:
    """System, host, release and machine, like the start of `uname -a`."""
    return f"Linux emu {kernel.release} {kernel.board.arch.name}"


def program() -> str:
    """This program and its version."""
    return f"emu {version('emu')}"


def kallsyms(kernel: TracedKernel) -> str:
    """The symbols of the kernel and its loaded modules, functions and variables, in the format of /proc/kallsyms.

    Of several symbols at one address, readers may use any: so all but the one used in traces are absolute ("A"), which prevents
    that. Symbols that print fmts calculate with are not changed: readers look for them.
    """
    found: set[int] = set()
    lines = []
    for address, kind, name, module in kernel.symbol_lines():
        if module:
            lines.append(f"{address:016x} {kind} {name}\t[{module}]\n")
            continue
        hidden = address in found and name not in ARRAYS
        found.add(address)
        lines.append(f"{address:016x} {'A' if hidden else kind} {name}\n")
    return "".join(lines)
