# SPDX-License-Identifier: GPL-2.0-only
"""Patching while CPUs execute what is patched."""

from __future__ import annotations

from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["breakpoint_makes_the_call", "no_stale_code", "survives_load"]

_CPUS = 4
_READERS = "for cpu in 0 1 2 3; do taskset -c $cpu dd if=/dev/zero of=/dev/null bs=1 count=1000000 2> /dev/null & done"
_LATER = "(usleep 100; echo function > /sys/kernel/tracing/current_tracer) &"
_SWITCHES = 15


def _reading(m: Machine) -> None:
    """Each CPU has a program that only calls read() and write(), from now on."""
    m.run(_READERS)
    m.advance(3_000_000)


def breakpoint_makes_the_call(exam: Exam) -> None:
    """A change is held open while breakpoints are in place: each hit is a recorded call."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=_CPUS) as m:
        m.tracefs.write("set_ftrace_filter", "vfs_read")
        _reading(m)
        m.patching.held = True
        m.run(_LATER)
        for _ in range(1000):
            m.advance(1_000)
            if m.patching.busy:
                break
        m.patching.step()  # writes the breakpoint
        m.patching.step()  # has the CPUs synchronise
        for _ in range(40):
            m.advance(1_000)
        hits, before = m.patching.breakpoints_hit, m.trace_array.summary().events
        m.patching.held = False
        m.settle()
        exam.expects("each CPU that hits the breakpoint of a change makes the call that will stand there")
        exam.require(hits > 20, f"{hits} hits")
        exam.require(abs(hits - before) <= _CPUS, f"{hits} hits of the breakpoint, {before} recorded calls")
    survives_load(exam)


def survives_load(exam: Exam) -> None:
    """Tracers come and go while programs run; what the programs print is right."""
    exam.expects("tracers come and go under load, and nobody notices")
    with exam.machine(cpus=_CPUS) as m:
        m.run("busy 6 400 > /dev/null &")
        for tracer in ["function", "nop", "function_graph", "nop"] * _SWITCHES:
            m.tracefs.write("current_tracer", tracer)
            m.advance(20_000)
        exam.require(not m.warnings, f"a warning: {m.warnings[:1]}")
        output = m.run("echo alive").output
        exam.require(output == b"alive\n", f"a program prints {output!r}")


def no_stale_code(exam: Exam) -> None:
    """Programs that have executed a site many times are traced as soon as the tracer is set, on each CPU."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=_CPUS) as m:
        _reading(m)
        m.tracefs.write("set_ftrace_filter", "vfs_read")
        m.tracefs.write("current_tracer", "function")
        m.advance(200_000)
        exam.expects("after a change, each CPU executes the new instruction")
        for cpu in range(_CPUS):
            count = m.tracefs.read(f"per_cpu/cpu{cpu}/trace").count(" vfs_read <-")
            exam.require(count > 10, f"{count} calls of vfs_read on CPU {cpu}, whose program does nothing else")
        m.tracefs.write("current_tracer", "nop")
    survives_load(exam)
