# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces: they show every caller, and none that is not one."""

from __future__ import annotations

import re

from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["callers_under_graph", "whole_stacks"]


def _stacks(m: Machine) -> list[list[str]]:
    """The functions of each stack in the trace, the innermost first."""
    blocks = re.findall(r"<stack trace>\n((?: => .*\n)+)", m.tracefs.read("trace"))
    return [re.findall(r"^ => (\S+)", block, re.MULTILINE) for block in blocks]


def _chain(exam: Exam, m: Machine, chain: list[str]) -> None:
    """Each stack that begins with chain[0] continues with the rest."""
    stacks = [stack for stack in _stacks(m) if stack[0] == chain[0]]
    exam.require(bool(stacks), f"no stack of {chain[0]}")
    wrong = [stack for stack in stacks if stack[: len(chain)] != chain]
    exam.require(not wrong, f"{len(wrong)} of {len(stacks)} are not: {' <- '.join((wrong or [[]])[0][:6])}")


def _read_chain(m: Machine) -> list[str]:
    """How a program's read() comes to vfs_read: the last name is the entry code's C function or label."""
    entry = next(name for name in ("do_syscall_64", "do_syscall") if name in m.kernel.image.symbols)
    return ["vfs_read", "ksys_read", "sys_read", entry]


def callers_under_graph(exam: Exam) -> None:
    """Stacks of events, with and without function_graph; functions' stacks; a dump of a sleeping task."""
    for tracer in ("nop", "function_graph"):
        exam.expects(f"with the tracer {tracer}, the stacks of sched_switch show the real callers")
        with exam.machine(cpus=2) as m:
            m.tracefs.write("options/stacktrace", "1")
            m.tracefs.write("current_tracer", tracer)
            m.tracefs.write("events/sched/sched_switch/enable", "1")
            m.run("ls / | wc -l; usleep 100")
            stacks = _stacks(m)
            exam.require(len(stacks) > 3, f"{len(stacks)} stacks")
            named = [name for stack in stacks for name in stack if name == "return_to_handler"]
            exam.require(not named, f"return_to_handler in them, {len(named)} times")
            reading = [stack for stack in stacks if "vfs_read" in stack]
            exam.require(bool(reading), "no task that waits in vfs_read")
            chain = _read_chain(m)
            wrong = [stack for stack in reading if stack[stack.index("vfs_read") :][: len(chain)] != chain]
            exam.require(not wrong, f"vfs_read's callers are {' <- '.join((wrong or [[]])[0])}")


def whole_stacks(exam: Exam) -> None:
    """Stacks of functions at different depths, on several runs of the same code."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        m.tracefs.write("options/func_stack_trace", "1")
        m.tracefs.write("set_ftrace_filter", "vfs_read kmem_cache_alloc")
        m.tracefs.write("current_tracer", "function")
        m.run("ls / | wc -l; cat /proc/version | wc -c")
        m.tracefs.write("tracing_on", "0")
        exam.expects("each stack of vfs_read goes on with its callers, up to the system call")
        _chain(exam, m, _read_chain(m))
        exam.expects("each stack ends in the code that enters the kernel")
        entries = {stack[-1] for stack in _stacks(m)}
        stacks = [stack for stack in _stacks(m) if stack[0] == "kmem_cache_alloc"]
        short = [stack for stack in stacks if len(stack) < 4]
        exam.require(bool(stacks) and not short, f"one of {len(short)} short stacks: {' <- '.join((short or [[]])[0])}")
        exam.require(len(entries) < 6, f"they end in {', '.join(sorted(entries)[:8])}")
