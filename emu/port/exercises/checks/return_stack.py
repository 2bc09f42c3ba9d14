# SPDX-License-Identifier: GPL-2.0-only
"""function_graph's return stacks: an inconsistent one is found."""

from __future__ import annotations

from emu.port.exercises.exam import Exam

__all__ = ["mismatch_is_found"]


def mismatch_is_found(exam: Exam) -> None:
    """A wrong frame pointer in the top entry of a sleeping task: one warning, no more tracing, and the task goes on."""
    exam.expects("the tracer follows a program")
    with exam.machine(cpus=2) as m:
        m.tracefs.write("current_tracer", "function_graph")
        m.run("ls / | wc -l")
        exam.require(not m.warnings, f"a warning: {m.warnings[:1]}")
        exam.require("vfs_read" in m.tracefs.read("trace"), "no vfs_read in the trace")
        m.run("(sleep 0.05; echo slept > /slept) &")
        m.advance(1_000_000)
        memory, image = m.kernel.memory, m.kernel.image
        (task,) = [task for task in m.kernel.tasks if m.kernel.tasks.comm(task) == "sleep"]
        depth = memory.member(task, "task_struct.curr_ret_stack")
        top = task + image.offset("task_struct.ret_stack") + depth * image.size("ftrace_ret_stack")
        memory.set_member(top, "ftrace_ret_stack.fp", memory.member(top, "ftrace_ret_stack.fp") + 16)
        m.advance(20_000_000)
        exam.expects("a return whose frame is not that of the top entry is reported once, and stops the tracer")
        exam.require(len(m.warnings) == 1, f"{len(m.warnings)} warnings")
        before = m.tracefs.read("trace")
        output = m.run("cat /slept").output
        exam.require(m.tracefs.read("trace") == before, "it goes on tracing")
        exam.expects("the task goes on in its caller")
        exam.require(output == b"slept\n", f"it has written {output!r}")
