# SPDX-License-Identifier: GPL-2.0-only
"""Call sites: what stands there while nobody traces, and whether all are known."""

from __future__ import annotations

from collections.abc import Iterator

from emu.ftrace.arch import OutOfReach
from emu.ftrace.arch import load as load_ftrace
from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["all_calls_are_sites", "boots_with_one_nop"]


def boots_with_one_nop(exam: Exam) -> None:
    """The kernel boots; a step from a site's nop ends behind the site; the site can be traced."""
    exam.expects("the kernel boots, and runs a program")
    with exam.machine(cpus=2) as m:
        done = m.run("echo alive; ls /bin | wc -l")
        exam.require(done.output.startswith(b"alive\n"), f"the program printed {done.output[:60]!r}")
        exam.expects("each site holds one instruction, which does nothing")
        _step_over_nop(exam, m)
        exam.expects("a traced function is in the trace")
        m.tracefs.write("set_ftrace_filter", "vfs_read")
        m.tracefs.write("current_tracer", "function")
        m.run("ls /bin | wc -l")
        exam.require("vfs_read" in m.tracefs.read("trace"), "no vfs_read in it")


def all_calls_are_sites(exam: Exam) -> None:
    """Functions in all sections of code are listed and can be traced."""
    with exam.machine(cpus=2) as m:
        exam.expects("after boot, no function calls the profiling function any more: its site is known, and is a nop")
        still = list(_still_calling(exam, m))
        exam.require(not still, f"{len(still)} functions still do, {', '.join(still[:3])} among them")
        exam.expects("the scheduler and interrupt handlers are in the trace of a program that sleeps")
        m.tracefs.write("current_tracer", "function")
        m.run("usleep 5000")
        trace = m.tracefs.read("trace")
        absent = [name for name in ("schedule", "hrtimer_interrupt", "vfs_write") if f" {name} <-" not in trace]
        exam.require(not absent, f"{', '.join(absent)} not in the trace")


_MOST_STEPS = 20_000


def _step_over_nop(exam: Exam, m: Machine) -> None:
    """One CPU executes one instruction at a site."""
    site, cpu = m.site("preempt_count_add"), m.cpus[1]
    m.run("busy 6 200 > /dev/null &")
    for _ in range(_MOST_STEPS):
        if cpu.pc == site.address:
            break
        cpu.step()
    exam.require(cpu.pc == site.address, "no CPU came to preempt_count_add")
    cpu.step()
    size = len(load_ftrace(exam.arch).call(site.address, site.address))
    exam.require(cpu.pc == site.address + size, f"after one instruction, the CPU is {cpu.pc - site.address} bytes further")


def _still_calling(exam: Exam, m: Machine) -> Iterator[str]:
    """Functions whose code contains a call of the profiling function."""
    arch, image = load_ftrace(exam.arch), m.kernel.image
    target, aligned = image.symbol(arch.profiler), arch.cpu.instruction_alignment
    for symbol in image.named_places:
        code = m.kernel.memory.read(symbol.address, symbol.size) if image.function_at(symbol.address) else b""
        for at in range(0, len(code), aligned):
            try:
                call = arch.call(symbol.address + at, target)
            except OutOfReach:
                break
            if code[at : at + len(call)] == call:
                yield symbol.name
                break
