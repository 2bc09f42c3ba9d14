# SPDX-License-Identifier: GPL-2.0-only
"""Trampolines: what a traced function and its caller find when the trampoline has done its work."""

from __future__ import annotations

from emu.kernel.limits import LimitReached
from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["keeps_arguments", "keeps_results"]

_LIMIT = 500_000_000  # nanoseconds of virtual time


def _run(exam: Exam, m: Machine, command: str) -> bytes:
    try:
        return m.run(command, limit=_LIMIT).output
    except LimitReached:
        exam.require(False, f"{command!r} does not end")
        raise


def keeps_arguments(exam: Exam) -> None:
    """Functions with a direct call of a module get the arguments with which they were called."""
    exam.expects("programs run as before while a module's trampolines are in the way")
    with exam.machine(cpus=2) as m:
        command = "ls / | sort | wc -l; sh -c 'echo $((6 * 7))'"
        before = _run(exam, m, command)
        for module in ("ftrace-direct", "ftrace-direct-too", "ftrace-direct-multi"):
            _run(exam, m, f"modprobe {module}")
            output = _run(exam, m, command)
            exam.require(output == before, f"with {module}, a program prints {output!r} instead of {before!r}")
            _run(exam, m, f"rmmod {module}")


def keeps_results(exam: Exam) -> None:
    """A function whose return is traced returns what it returns otherwise."""
    exam.expects("programs print the same, whether the returns of functions are traced or not")
    with exam.machine(cpus=2) as m:
        command = "ls / | sort | wc -l; cat /proc/version | wc -c; sh -c 'echo $((6 * 7))'"
        before = _run(exam, m, command)
        for function in ("vfs_read", "ksys_read", "vfs_write", "sys_getpid", "do_filp_open"):
            m.tracefs.write("set_graph_function", function)
            m.tracefs.write("current_tracer", "function_graph")
            output = _run(exam, m, command)
            exam.require(output == before, f"with the returns in {function} traced: {output!r} instead of {before!r}")
            m.tracefs.write("current_tracer", "nop")
        m.tracefs.write("set_graph_function", "")
        m.tracefs.write("current_tracer", "function_graph")
        output = _run(exam, m, command)
        exam.require(output == before, f"with all returns traced: {output!r} instead of {before!r}")
