# SPDX-License-Identifier: GPL-2.0-only
"""One site: it becomes a call of the trampoline, and a nop again."""

from __future__ import annotations

from emu.port.exercises.exam import Exam

__all__ = ["call_and_back"]


def call_and_back(exam: Exam) -> None:
    """Some functions are traced and no longer traced, with one program before, between and after."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        exam.expects("a traced function is in the trace, and programs run as they did")
        before = m.run("ls /bin | wc -l").output
        for function in ("vfs_read", "kmem_cache_alloc", "schedule"):
            nop = m.site(function).code
            m.tracefs.write("set_ftrace_filter", function)
            m.tracefs.write("current_tracer", "function")
            output = m.run("ls /bin | wc -l").output
            exam.require(output == before, f"with {function} traced, a program prints {output!r} instead of {before!r}")
            exam.require(f" {function} <-" in m.tracefs.read("trace"), f"no {function} in the trace")
            m.tracefs.write("current_tracer", "nop")
            code = m.site(function).code
            exam.require(code == nop, f"after tracing, the site of {function} holds {code.hex(' ')}")
            m.tracefs.write("trace", "")
