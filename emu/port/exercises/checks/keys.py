# SPDX-License-Identifier: GPL-2.0-only
"""Static keys: a branch leads to its target, and executes nothing in between."""

from __future__ import annotations

import re

from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["branches_go_to_their_targets"]

_MOST_STEPS = 200_000


def branches_go_to_their_targets(exam: Exam) -> None:
    """One CPU steps over branches that are on; then all events of the scheduler are on."""
    exam.expects("the kernel boots, and turns an event on")
    with exam.machine(cpus=2) as m:
        before = m.run("ls / | wc -l").output
        m.run("busy 6 400 > /dev/null &")
        m.advance(100_000)
        branches = m.ftrace.keys.branches()
        off = {code: m.kernel.memory.read(code, 4) for code in branches}
        m.tracefs.write("events/sched/sched_switch/enable", "1")
        on = {code: branches[code] for code in branches if m.kernel.memory.read(code, 4) != off[code]}
        exam.expects("a CPU at a branch that is on goes to the branch's target")
        exam.require(bool(on), "no branch has changed")
        _stepped(exam, m, on)
    exam.expects("with the events of the scheduler, interrupts and system calls, programs print what they print without")
    with exam.machine(cpus=2) as m:
        for system in ("sched", "irq", "timer", "syscalls", "kmem", "task"):
            m.tracefs.write(f"events/{system}/enable", "1")
        output = m.run("ls / | wc -l").output
        exam.require(output == before, f"{output!r} instead of {before!r}")
        exam.require(not m.warnings, f"a warning: {m.warnings[:1]}")
        states = set(re.findall(r"prev_state=(\S+)", m.tracefs.read("trace")))
        exam.expects("sched_switch tells tasks that sleep from tasks that could go on")
        exam.require(len(states) > 1, f"prev_state is always {', '.join(states)}")


def _stepped(exam: Exam, m: Machine, on: dict[int, int]) -> None:
    for _ in range(_MOST_STEPS):
        for cpu in m.cpus:
            at = cpu.pc
            cpu.step()
            if at in on:
                exam.require(cpu.pc == on[at], f"from {at:#x}, the CPU goes to {cpu.pc:#x} instead of {on[at]:#x}")
                return
    exam.require(False, "no CPU comes to it")
