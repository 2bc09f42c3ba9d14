# SPDX-License-Identifier: GPL-2.0-only
"""What a trace says of the machine that has recorded it, beside its events: the same for a file and for a Trace in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple, Protocol

from emu.ftrace.guest.kernel_values import ARRAYS
from emu.ftrace.tracers.graph_cost import graph_cost
from emu.trace.recording import CallCost, FormatText

if TYPE_CHECKING:
    from emu.ftrace.arrays.trace_array import TraceArray
    from emu.ftrace.sites.site_updates import Ftrace
    from emu.ftrace.tracefs import TraceFS
    from emu.kernel.kernel import Kernel

__all__ = [
    "TOP", "TracedMachine", "arrays_of", "call_cost", "cpu_stats", "formats", "kallsyms", "kernel_values", "program", "uname",
]  # fmt: skip

TOP = ""  # the name of the top trace array
_NAMES = re.compile(r"(?:struct )?[A-Za-z_]\w*")


class TracedMachine(Protocol):
    """What a trace needs of a machine. `emu.Machine` has it."""

    kernel: Kernel
    ftrace: Ftrace
    tracefs: TraceFS
    trace_array: TraceArray


class _Array(NamedTuple):
    name: str
    array: TraceArray


def arrays_of(machine: TracedMachine) -> list[_Array]:
    """The trace arrays: the top one, then the instances."""
    top = machine.trace_array
    return [_Array(TOP, top), *(_Array(name, array) for name, array in top.instances.items())]


def formats(machine: TracedMachine) -> Iterator[FormatText]:
    """The format files of all events: those of the system ftrace first."""
    tracefs = machine.tracefs
    systems = [name for name in tracefs.listdir("events") if tracefs.exists(f"events/{name}/enable")]
    for system in ["ftrace", *systems]:
        for name in tracefs.listdir(f"events/{system}"):
            path = f"events/{system}/{name}/format"
            if tracefs.exists(path):
                yield FormatText(system, tracefs.read(path))


def cpu_stats(machine: TracedMachine) -> list[str]:
    """per_cpu/cpuN/stats of each CPU, as trace-cmd keeps them."""
    return [f"CPU: {cpu}\n{machine.tracefs.read(f'per_cpu/cpu{cpu}/stats')}" for cpu in range(len(machine.kernel.board.cpus))]


def kernel_values(machine: TracedMachine) -> dict[str, int]:
    """The numbers of the kernel that print fmts name: enumerators, sizes of structures, and what variables hold now."""
    values = machine.trace_array.recorder.globals.kernel_values
    there = {**values.constants, **values.variables()}
    named = {name for file in formats(machine) for name in _NAMES.findall(file.text.partition("\nprint fmt:")[2])}
    named |= {f"sizeof({name})" for name in named if name.startswith("struct ")}  # pointers are counted in these
    return {name: there[name] for name in sorted(named & there.keys())}


def call_cost(machine: TracedMachine) -> CallCost | None:
    """What recording a call by function_graph costs; None: that depends on what is executed before."""
    found = graph_cost(machine.kernel, machine.ftrace.arch, machine.trace_array.recorder.globals.records)
    return None if found is None else CallCost(*found)


def uname(kernel: Kernel) -> str:
    """System, host, release and machine, as `uname -a` begins."""
    release = kernel.memory.text(kernel.image.symbol("init_uts_ns"), "new_utsname.release")
    return f"Linux emu {release} {kernel.board.arch.name}"


def program() -> str:
    """This program and its version."""
    return f"emu {version('emu')}"


def kallsyms(kernel: Kernel) -> str:
    """The symbols of the kernel and of its loaded modules, functions and variables, as /proc/kallsyms lists them.

    Of several at one address, readers might name any: all but the one that a trace names are absolute ("A"), so that none
    is taken for another. Those that print fmts calculate with are not: readers look for them.
    """
    found: set[int] = set()
    lines = []
    for address, kind, name in kernel.image.kallsyms:
        hidden = address in found and name not in ARRAYS
        found.add(address)
        lines.append(f"{address:016x} {'A' if hidden else kind} {name}\n")
    for module, one in kernel.modules.symbols():
        kind = "t" if module.function_at(one.address) else "d"
        lines.append(f"{one.address:016x} {kind} {one.name}\t[{module.name}]\n")
    return "".join(lines)
