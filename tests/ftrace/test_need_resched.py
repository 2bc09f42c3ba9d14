# SPDX-License-Identifier: GPL-2.0-only
"""The column need-resched: `N`, `n` and `p`, from the request to reschedule until it is done.

If preempt_count has a bit for it (`Facts.folds_resched`), `N` is both this bit and the task's flag, `n` only the flag,
`p` only the bit. Otherwise there is only `n`, as in Linux.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest

from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.stepping import ENDLESS, run_to, step

LINE = re.compile(r"^\s*\S+-\d+\s+\[(\d+)\]\s+(\S+)\s+[\d.]+: (\w+) <-(\w+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def events(arch: str) -> Iterator[list[tuple[str, str, str]]]:
    """The events of two CPUs while tasks wake one another: CPU, need-resched, function, in the order of recording."""
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("buffer_size_kb", "20000")
        machine.tracefs.write("set_ftrace_filter", "scheduler_ipi preempt_count_sub __schedule finish_task_switch resched_curr")
        machine.tracefs.write("current_tracer", "function")
        machine.run("pingpong 200; spin 20 & spin 20 & ls /bin | sed s/a/b/; wait", trace=True)
        found = LINE.findall(machine.tracefs.read("trace"))
    yield [(cpu, flags[1], function) for cpu, flags, function, _ in found]


def test_another_cpus_wish_is_the_flag_alone_until_its_interrupt_has_come(arch: str, events: list[tuple[str, str, str]]) -> None:
    wished = 0
    for cpu in ("000", "001"):
        mine = [event for event in events if event[0] == cpu]
        for (_, before, function), (_, after, following) in itertools.pairwise(mine):
            if function == "scheduler_ipi" and before == "n":
                assert (following, after) == ("preempt_count_sub", "N" if FACTS[arch].folds_resched else "n")
                wished += 1
    assert wished > 10


def test_a_cpus_own_wish_is_seen_at_once_and_is_gone_after_the_switch(arch: str, events: list[tuple[str, str, str]]) -> None:
    letter = "N" if FACTS[arch].folds_resched else "n"
    mine = [event for event in events if event[0] == "000"]
    assert {letter, "."} <= {resched for _, resched, function in mine if function == "__schedule"}
    assert "." in {resched for _, resched, function in mine if function == "finish_task_switch"}
    assert {resched for _, resched, _ in events} == {letter, "n", "."}


def test_an_nmi_between_clearing_the_flag_and_the_bit_sees_the_bit_alone(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        machine.tracefs.write("set_ftrace_filter", "nmi_handle")
        machine.tracefs.write("current_tracer", "function")
        machine.run("spin 100 & spin 100 &")
        run_to(machine, "preempt_schedule_irq")
        (cpu,) = machine.board.cpus
        kernel = machine.kernel
        task = kernel.memory.member(kernel.hot_areas[0], "pcpu_hot.current_task")
        need_resched = kernel.image.constant("_TIF_NEED_RESCHED")
        assert kernel.memory.member(task, "task_struct.thread_info_flags") & need_resched
        for _ in range(ENDLESS):
            step(machine, cpu, 1)
            if not kernel.memory.member(task, "task_struct.thread_info_flags") & need_resched:
                break
        here = kernel.image.function_at(cpu.pc)
        assert here is not None and here.name == "__schedule"
        machine.inject_nmi(0)
        machine.advance(1_000_000)
        ((_, flags, function, _),) = LINE.findall(machine.tracefs.read("trace"))
    assert (flags[:3], function) == ("dpZ" if FACTS[arch].folds_resched else "d.Z", "nmi_handle")
