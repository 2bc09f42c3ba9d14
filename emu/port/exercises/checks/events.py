# SPDX-License-Identifier: GPL-2.0-only
"""Events: the values of their fields."""

from __future__ import annotations

import re

from emu.port.exercises.exam import Exam

__all__ = ["numbers"]

_LINE = re.compile(
    r"(\d+) +\[\d+\].* sched_switch: prev_comm=(.*) prev_pid=(\d+) prev_prio=(\d+) .* next_pid=(\d+) next_prio=(\d+)"
)


def numbers(exam: Exam) -> None:
    """Numbers of all sizes, in events of which something is known from elsewhere."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        for event in ("sched/sched_switch", "syscalls/sys_enter_write", "syscalls/sys_exit_write", "kmem/kmem_cache_alloc"):
            m.tracefs.write(f"events/{event}/enable", "1")
        m.run("ls / | wc -l; echo 12345 > /dev/null")
        m.tracefs.write("tracing_on", "0")
        trace = m.tracefs.read("trace")
        exam.expects("in sched_switch, prev_pid is the process in front of the line, and priorities are below 140")
        lines = _LINE.findall(trace)
        exam.require(len(lines) > 3, f"{len(lines)} lines of sched_switch")
        for pid, comm, previous, *others in lines:
            exam.require(pid == previous, f"prev_pid={previous} in a line of {comm}-{pid}")
            exam.require(int(others[0]) < 140 and int(others[2]) < 140, f"priorities {others[0]} and {others[2]}")
        exam.expects("sys_enter_write shows file descriptor 1 and the count of `echo 12345`, sys_exit_write its result")
        exam.require(re.search(r"sys_write\(fd: 1, buf: \w+, count: 6\)", trace) is not None, "no such call")
        exam.require("sys_write -> 0x6" in trace, "no such result")
        exam.expects("kmem_cache_alloc shows sizes of objects")
        sizes = [int(size) for size in re.findall(r"bytes_alloc=(\d+)", trace)]
        exam.require(bool(sizes) and max(sizes) < 1 << 16, f"{max(sizes, default=0)}")
