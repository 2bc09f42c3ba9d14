# SPDX-License-Identifier: GPL-2.0-only
"""Deferred work: by which threads, on which CPUs, in which order. The kernel tests itself on request."""

from __future__ import annotations

import re

import pytest

from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.typist import Typist

LINE = re.compile(r"^\s*(\S+)-(\d+)\s+\[(\d+)\]\s+(\S+)\s+([\d.]+): (\w+) <-(\w+)$", re.MULTILINE)


@pytest.mark.parametrize("size", ["one", "few"])
def test_each_kind_of_work_runs_where_and_when_it_should(arch: str, size: str) -> None:
    cpus = FACTS[arch].cpus[size == "few"]
    with booted_machine(arch, cpus=cpus) as machine:
        machine.tracefs.write("set_ftrace_filter", "lkdtm*work*")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("echo WORKQUEUE > /dev/lkdtm").status == 0
        assert machine.warnings == []
        events = LINE.findall(machine.tracefs.read("trace"))
    assert {(function, caller) for *_, function, caller in events} == {
        ("lkdtm_work", "process_one_work"),
        ("lkdtm_delayed_work", "process_one_work"),
    }
    names = [comm for comm, *_ in events]
    assert names[: 2 * cpus] == [f"kworker/{cpu}:0" for cpu in range(cpus)] + [f"kworker/{cpu}:0H" for cpu in range(cpus)]
    bound = [(comm, int(cpu)) for comm, _, cpu, *_ in events if not comm.startswith("kworker/u")]
    assert all(comm.startswith(f"kworker/{cpu}:") for comm, cpu in bound)
    assert {comm for comm in names if comm.startswith("kworker/u")} >= {f"kworker/u{2 * cpus}:{n}" for n in range(2)}


def test_a_worker_that_sleeps_lets_another_one_start(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        machine.tracefs.write("set_ftrace_filter", "lkdtm_work wq_worker_sleeping wq_worker_running")
        machine.tracefs.write("current_tracer", "function")
        machine.run("echo WORKQUEUE > /dev/lkdtm")
        events = [(comm, function) for comm, _, _, _, _, function, _ in LINE.findall(machine.tracefs.read("trace"))]
    sleeper, second = "kworker/0:1", "kworker/0:0"
    start = events.index((sleeper, "lkdtm_work"))
    assert events[start + 1] == (sleeper, "wq_worker_sleeping")
    assert (second, "lkdtm_work") in events[start : events.index((sleeper, "wq_worker_running"), start)]


def test_the_same_with_a_tracer_on_everything(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("current_tracer", "function_graph")
        assert machine.run("echo WORKQUEUE > /dev/lkdtm").status == 0
        assert machine.warnings == []
        text = machine.tracefs.read("trace")
    for function in ("worker_thread() {", "process_one_work() {", "lkdtm_work() {", "delayed_work_timer_fn() {"):
        assert function in text


def test_idle_pools_are_quiet(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.advance(100_000_000)
        machine.tracefs.write("set_ftrace_filter", "worker_thread process_one_work rcu_gp_init")
        machine.tracefs.write("current_tracer", "function")
        assert not machine.advance(1_000_000_000)
        assert LINE.findall(machine.tracefs.read("trace")) == []


def test_a_task_that_sleeps_has_kblockd_start_its_requests(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("set_ftrace_filter", "blk_mq_run_work_fn")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("cat /bin/[a-l]* > /dev/ram0; sync & sync; wait", trace=True).status == 0
        found = re.findall(r"^ *(\S+)-\d+ .*: blk_mq_run_work_fn <-(\w+)$", machine.tracefs.read("trace"), re.MULTILINE)
    assert found
    assert {caller for _, caller in found} == {"process_one_work"}
    assert all(re.fullmatch(r"kworker/[01]:\d+H", task) for task, _ in found)


def test_what_is_typed_reaches_its_terminal_through_a_worker(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("set_ftrace_filter", "tty_flip_buffer_push flush_to_ldisc n_tty_receive_buf")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("cat", terminal=Typist(b"x" * 100 + b"\r", b"\x04"), trace=True).status == 0
        calls = re.findall(r"^ *(\S+)-\d+ .*: (\w+) <-\w+$", machine.tracefs.read("trace"), re.MULTILINE)
    assert [function for _, function in calls] == ["tty_flip_buffer_push", "flush_to_ldisc", "n_tty_receive_buf"] * 3
    assert [task for task, _ in calls[:2]] == ["khvcd", "kworker/u4:0"]
