# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer is told about a call: its site and its parent."""

from __future__ import annotations

import re

from emu.ftrace.arch import load as load_ftrace
from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["graph_functions", "sites_and_parents"]

_PLACES = re.compile(r"<([0-9a-f]{16})> <-\S+ <([0-9a-f]{16})>")


def sites_and_parents(exam: Exam) -> None:
    """Each event's function is a site; each parent is a call of that function."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        size = len(load_ftrace(exam.arch).call(0, 0))
        m.tracefs.write("options/sym-addr", "1")
        m.tracefs.write("current_tracer", "function")
        m.run("ls / | wc -l")
        m.tracefs.write("tracing_on", "0")
        found = [(int(ip, 16), int(parent, 16)) for ip, parent in _PLACES.findall(m.tracefs.read("trace"))]
        exam.expects("the address of each traced function is its call site's")
        exam.require(len(found) > 1000, f"{len(found)} events with addresses")
        sites = set(m.ftrace.sites.addresses.tolist())
        wrong = [ip for ip, _ in found if ip not in sites]
        exam.require(not wrong, f"{len(wrong)} of {len(found)} are not, {wrong[:1] and hex(wrong[0])} for example")
        exam.expects("each parent is the place of a call")
        _are_calls(exam, m, {parent for _, parent in found}, size)


def _are_calls(exam: Exam, m: Machine, parents: set[int], size: int) -> None:
    """Only direct calls can be checked: the called functions are known by their first addresses."""
    arch, image = load_ftrace(exam.arch), m.kernel.image
    starts = {function.address for function in image.functions}
    direct = 0
    for parent in parents:
        if image.function_at(parent) is None:
            continue
        code = m.kernel.memory.read(parent, size)
        direct += any(arch.call(parent, start) == code for start in starts)
    exam.require(direct * 2 > len(parents), f"{direct} of {len(parents)} parents are calls")


def graph_functions(exam: Exam) -> None:
    """set_graph_function and set_graph_notrace choose by name, at every call."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        exam.expects("set_graph_function shows the calls of the chosen function, and what it calls")
        m.tracefs.write("set_graph_function", "vfs_read")
        m.tracefs.write("current_tracer", "function_graph")
        m.run("ls / | wc -l")
        trace = m.tracefs.read("trace")
        exam.require("vfs_read() {" in trace, "no vfs_read in the trace")
        exam.require("rw_verify_area" in trace, "nothing that it calls in the trace")
        exam.require("vfs_write" not in trace, "a function that was not chosen")
        exam.expects("set_graph_notrace leaves out the chosen function")
        m.tracefs.write("current_tracer", "nop")
        m.tracefs.write("set_graph_function", "")
        m.tracefs.write("set_graph_notrace", "vfs_read")
        m.tracefs.write("current_tracer", "function_graph")
        m.run("ls / | wc -l")
        trace = m.tracefs.read("trace")
        exam.require("vfs_write" in trace, "no vfs_write in the trace")
        exam.require("vfs_read" not in trace, "vfs_read in the trace")
