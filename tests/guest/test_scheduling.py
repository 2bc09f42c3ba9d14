# SPDX-License-Identifier: GPL-2.0-only
"""Which tasks run where and for how long: the scheduling classes, observed through task switches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
import unicorn

from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import run

MS = 100_000  # cycles
TICK = MS


@dataclass(frozen=True)
class Run:
    """A task's time on a CPU, from the switch to it to the next one."""

    start: int
    end: int
    cpu: int
    pid: int
    name: str
    prio: int

    @property
    def length(self) -> int:
        return self.end - self.start


class Runs(list[Run]):
    """Runs, on each CPU in the order of their start."""

    def of(self, name: str, prio: int | None = None) -> Runs:
        return Runs(run for run in self if run.name == name and prio in (None, run.prio))

    def within(self, start: int, end: int) -> int:
        """Their total length between two times."""
        return sum(max(0, min(run.end, end) - max(run.start, start)) for run in self)

    @property
    def pids(self) -> list[int]:
        """The pids in order of their turns."""
        return [pid for pid, _ in itertools.groupby(run.pid for run in self)]


@contextmanager
def watched(machine: Machine, arch: str) -> Iterator[Runs]:
    """Records which task ran where, with the task's name and priority at the switch away from it."""
    kernel, runs = machine.kernel, Runs()
    first = FACTS[arch].arguments[0]
    since: dict[int, int] = {}

    def on_switch(uc: unicorn.Uc, address: int, size: int, cpu) -> None:
        task = cpu.registers()[first]  # ftrace_sched_switch(prev, next)
        pid, prio = kernel.tasks.pid(task), kernel.memory.member(task, "task_struct.prio")
        prio -= (prio & 1 << 31) << 1
        runs.append(Run(since.get(cpu.index, cpu.cycles), cpu.cycles, cpu.index, pid, kernel.tasks.comm(task), prio))
        since[cpu.index] = cpu.cycles

    address = kernel.image.symbol("ftrace_sched_switch")
    hooks = [(cpu, cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, on_switch, cpu, address, address)) for cpu in machine.board.cpus]
    for cpu, _ in hooks:
        cpu.uc.ctl_flush_tb()
    yield runs
    for cpu, hook in hooks:
        cpu.uc.hook_del(hook)
        cpu.uc.ctl_flush_tb()


@pytest.fixture(scope="module")
def one(arch: str) -> Iterator[Machine]:
    """A machine with one CPU."""
    with booted_machine(arch, cpus=1) as machine:
        yield machine


@pytest.fixture(scope="module")
def two(arch: str) -> Iterator[Machine]:
    """A machine with two CPUs."""
    with booted_machine(arch, cpus=2) as machine:
        yield machine


@pytest.fixture(scope="module")
def four(arch: str) -> Iterator[Machine]:
    """A machine with four CPUs."""
    with booted_machine(arch, cpus=4) as machine:
        yield machine


def test_no_switch_is_recorded_before_the_wakeup_that_caused_it(arch: str) -> None:
    """In the order in which the host executes: a task was activated at an earlier time than it is switched in."""
    second = FACTS[arch].arguments[1]
    with Machine(arch=arch, cpus=4, quantum=5000) as made:
        symbol = made.kernel.image.symbol
        activated: dict[int, int] = {}
        switches = wakeups = 0

        def on_activate(uc, address, size, cpu):
            nonlocal wakeups
            wakeups += 1
            activated[cpu.registers()[second]] = cpu.cycles  # ttwu_do_activate(rq, p, ...)

        def on_switch(uc, address, size, cpu):
            nonlocal switches
            task = cpu.registers()[second]  # ftrace_sched_switch(prev, next)
            if task in activated:
                switches += 1
                assert activated[task] <= cpu.cycles

        for cpu in made.board.cpus:
            for name, function in (("ttwu_do_activate", on_activate), ("ftrace_sched_switch", on_switch)):
                cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, function, cpu, symbol(name), symbol(name))
            cpu.uc.ctl_flush_tb()
        assert made.run("busy 6 5").status == 0
        assert wakeups > 150 and switches > 150


def test_every_cpu_has_its_stopper_before_all_others(two: Machine) -> None:
    stoppers = {two.kernel.tasks.comm(task): two.kernel.memory.member(task, "task_struct.prio") for task in two.kernel.tasks}
    assert stoppers["migration/0"] == stoppers["migration/1"] == 0
    assert stoppers["kthreadd"] == stoppers["ksoftirqd/0"] == 120


@pytest.mark.static_timing("how long is waited is counted")
def test_a_real_time_task_preempts_a_fair_one_at_once(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "spin 30 & chrt -f 10 usleep 10000; wait")
    sleeper = runs.of("usleep", 89)
    assert len(sleeper) == 2
    waited = sleeper[1].start - sleeper[0].end
    assert 10 * MS <= waited < 10 * MS + TICK // 10  # no tick was needed: the timer's interrupt switched
    assert [one.name for one in runs if sleeper[0].end <= one.start < sleeper[1].start][-1] == "spin"


def test_fifo_tasks_run_until_they_are_done_and_round_robin_ones_take_turns(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "chrt -f 20 sh -c 'chrt -f 10 spin 150 & chrt -f 10 spin 150 & wait'")
    assert len(runs.of("spin", 89).pids) == 2
    with watched(one, arch) as runs:
        run(one, "chrt -f 20 sh -c 'chrt -r 10 spin 250 & chrt -r 10 spin 250 & wait'")
    turns = runs.of("spin", 89)
    assert len(turns.pids) == 4
    assert turns.pids[0] == turns.pids[2] != turns.pids[1] == turns.pids[3]
    first = turns.within(turns[0].start, next(run.start for run in turns if run.pid == turns.pids[1]))
    assert abs(first - 100 * MS) <= 3 * TICK  # the slice is 100 ticks, and includes the start of the program


def test_the_higher_of_two_priorities_runs_first(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "chrt -f 50 sh -c 'chrt -f 10 spin 20 & chrt -f 11 spin 20 & wait'")
    low, high = runs.of("spin", 89), runs.of("spin", 88)
    assert high[-1].end <= low[0].start


def test_a_deadline_task_gets_its_runtime_in_each_period_and_no_more(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "chrt -f 50 sh -c 'chrt -d -T 2000000 -P 10000000 0 spin 200 & chrt -o 0 spin 200 & wait'")
    deadline, fair = runs.of("spin", -1), runs.of("spin", 120)
    start, end = deadline[0].start, deadline[-1].end
    assert end - start >= 200 * MS
    # An overrun that a tick notices late is subtracted from the next period.
    assert abs(deadline.within(start, end) - (end - start) // 5) <= 2 * MS + 2 * TICK
    assert max(run.length for run in deadline[1:]) <= 2 * MS + 2 * TICK  # (sleeping in the first run starts a new period)
    for period in range(start, end - 20 * MS, 10 * MS):
        assert deadline.within(period, period + 20 * MS) >= 2 * MS  # one of two periods lies completely in it
    assert fair.within(start, end) >= (end - start) * 7 // 10


def test_no_more_deadline_tasks_are_admitted_than_the_cpus_can_serve(one: Machine) -> None:
    assert one.run("chrt -d -T 9400000 -P 10000000 0 true").status == 0
    refused = one.run("chrt -d -T 9600000 -P 10000000 0 true")
    assert refused.status == 1
    assert refused.output == b"chrt: failed to set pid 0's policy: Device or resource busy\n"
    half = "chrt -d -T 5000000 -P 10000000 0"
    assert one.run(f"{half} usleep 20000 & usleep 5000; {half} true").status == 1
    one.run("wait; usleep 30000")
    assert one.run(f"{half} true").status == 0  # the others' bandwidth is free again


def test_nice_values_give_their_share_of_the_cpu(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "nice -n -20 sh -c 'nice -n 20 spin 400 & nice -n 25 spin 400 & wait'")
    usual, nice = runs.of("spin", 120), runs.of("spin", 125)
    start, end = max(usual[0].start, nice[0].start), min(usual[-1].end, nice[-1].end)
    share = usual.within(start, end) / (end - start)
    # The kernel's weights are 1024 and 335; a period of 6 ms more or less for one of them is 1.5 %.
    assert abs(share - 1024 / (1024 + 335)) < 0.03


def test_an_idle_policy_task_hardly_disturbs_the_others(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "nice -n -20 sh -c 'chrt -i 0 spin 300 & nice -n 20 spin 200 & wait'")
    other = runs.of("spin", 120)
    share = other.within(other[0].start, other[-1].end) / (other[-1].end - other[0].start)
    assert share > 0.95  # a weight of 3 to 1024, but never less than a tick at a time


def test_a_task_stays_on_the_cpus_that_it_may_use(arch: str, two: Machine) -> None:
    with watched(two, arch) as runs:
        run(two, "taskset 2 spin 20 & taskset -c 0 spin 20 & taskset 2 spin 20 & wait")
    spins = runs.of("spin")
    where = {pid: {run.cpu for run in spins if run.pid == pid} for pid in spins.pids}
    assert sorted(where.values(), key=str) == [{0}, {1}, {1}]


def test_a_running_task_is_moved_when_it_may_not_stay(arch: str, two: Machine) -> None:
    with watched(two, arch) as runs:
        run(two, "taskset 1 spin 40 & usleep 10000; taskset -p 2 $! > /dev/null; wait")
    spin = runs.of("spin")
    assert [cpu for cpu, _ in itertools.groupby(run.cpu for run in spin)] == [0, 1]
    left = max(run.end for run in spin if run.cpu == 0)
    assert [stopper.cpu for stopper in runs.of("migration/0") if abs(stopper.start - left) < MS] == [0]


def test_an_idle_cpu_takes_a_waiting_task(arch: str, two: Machine) -> None:
    with watched(two, arch) as runs:
        run(two, "taskset 1 sh -c 'spin 40 & spin 40 & usleep 10000; taskset -p 3 $! > /dev/null; wait'")
    assert {run.cpu for run in runs.of("spin")} == {0, 1}
    both = Runs(run for run in runs.of("spin") if run.length)
    overlap = sum(
        min(a.end, b.end) - max(a.start, b.start)
        for a in both
        for b in both
        if a.cpu < b.cpu and min(a.end, b.end) > max(a.start, b.start)
    )
    assert overlap > 10 * MS  # spin 40, twice, 10 ms before, and the time that taskset takes between the two


def test_an_idle_cpu_has_a_running_task_leave_when_the_waiting_one_cannot(arch: str, two: Machine) -> None:
    with watched(two, arch) as runs:
        run(two, "chrt -f 1 taskset 1 sh -c 'chrt -o 0 spin 60 & taskset -p 3 $! > /dev/null; chrt -o 0 spin 60 & wait'")
    where = {frozenset(run.cpu for run in runs.of("spin") if run.pid == pid) for pid in runs.of("spin").pids}
    assert frozenset({0}) in where and any(1 in cpus for cpus in where)


def shares(runs: Runs) -> dict[int, float]:
    """The share of a CPU that each task had while all of them were runnable, by pid."""
    tasks = {pid: Runs(run for run in runs if run.pid == pid) for pid in set(runs.pids)}
    start, end = max(task[0].start for task in tasks.values()), min(task[-1].end for task in tasks.values())
    return {pid: task.within(start, end) / (end - start) for pid, task in tasks.items()}


def test_more_tasks_than_cpus_take_turns_at_having_one_alone(arch: str, four: Machine) -> None:
    with watched(four, arch) as runs:
        run(four, "spin 150 & spin 150 & spin 150 & spin 150 & spin 150 & wait")
    assert all(0.52 < share < 0.98 for share in shares(runs.of("spin")).values())


def test_light_tasks_do_not_stay_with_a_heavy_one(arch: str, four: Machine) -> None:
    """However they were placed at first: the heavy one has two thirds of the total weight."""
    with watched(four, arch) as runs:
        run(four, "nice -n -20 sh -c 'for n in 20 25 15 30 10; do nice -n $n spin 150 & done; wait'")
    share = shares(runs.of("spin"))
    of = {run.prio: share[run.pid] for run in runs.of("spin")}
    assert of[110] > 0.95 and of[120] > 0.5


def test_tasks_that_must_stay_do_not_hide_others_that_need_not(arch: str, four: Machine) -> None:
    """The busiest CPU has no movable tasks: then those of the next one are considered."""
    pinned = "taskset 1 sh -c 'spin 60 & spin 60 & spin 60 & spin 60 & spin 60 & wait'"
    freed = "for p in $free; do taskset -p f $p > /dev/null; done"
    with watched(four, arch) as runs:
        run(four, f"{pinned} & taskset 2 spin 60 & free=$!; taskset 2 spin 60 & free=\"$free $!\"; usleep 10000; {freed}; wait")
    where = {pid: {run.cpu for run in runs.of("spin") if run.pid == pid} for pid in set(runs.of("spin").pids)}
    assert sorted(map(len, where.values()))[-2:] != [1, 1]
    assert sum(cpus == {0} for cpus in where.values()) == 5


def test_real_time_tasks_spread_over_the_cpus(arch: str, two: Machine) -> None:
    with watched(two, arch) as runs:
        run(two, "taskset 1 chrt -f 50 sh -c 'taskset -p 3 $$ > /dev/null; chrt -f 10 spin 30 & chrt -f 10 spin 30 & wait'")
    spin = runs.of("spin", 89)
    start, end = min(run.start for run in spin), max(run.end for run in spin)
    assert end - start < 45 * MS  # one after the other they need 60 ms
    assert {run.cpu for run in spin} == {0, 1}


def test_a_fifo_task_leaves_a_twentieth_to_the_others(arch: str, one: Machine) -> None:
    with watched(one, arch) as runs:
        run(one, "chrt -f 20 sh -c 'chrt -f 10 spin 1200 & chrt -o 0 spin 1200 & wait'")
    fifo = runs.of("spin", 89)
    start, end = fifo[0].start, fifo[-1].end
    assert 40 * MS <= runs.of("spin", 120).within(start, end) <= 110 * MS


def test_without_a_runtime_there_is_no_limit(arch: str, one: Machine) -> None:
    knob = "/proc/sys/kernel/sched_rt_runtime_us"
    with watched(one, arch) as runs:
        run(one, f"echo 0 > {knob}; chrt -f 20 sh -c 'chrt -f 10 spin 1100 & chrt -o 0 spin 5 & wait'; echo 950000 > {knob}")
    fifo = runs.of("spin", 89)
    assert runs.of("spin", 120).within(fifo[0].start, fifo[-1].end) == 0


CHRT = """\
pid PID's current scheduling policy: SCHED_OTHER
pid PID's current scheduling priority: 0
pid PID's current scheduling policy: SCHED_FIFO
pid PID's current scheduling priority: 10
pid PID's current scheduling policy: SCHED_RR|SCHED_RESET_ON_FORK
pid PID's current scheduling priority: 5
pid PID's current scheduling policy: SCHED_RR
pid PID's current scheduling priority: 7
pid PID's current scheduling policy: SCHED_BATCH
pid PID's current scheduling priority: 0
pid PID's current scheduling policy: SCHED_IDLE
pid PID's current scheduling priority: 0
pid PID's current scheduling policy: SCHED_DEADLINE
pid PID's current scheduling priority: 0
pid PID's current runtime/deadline/period parameters: 1000000/5000000/10000000
"""


def test_chrt_shows_and_sets(two: Machine) -> None:
    show = "usleep 9000 & chrt {} $!; chrt -p $! | sed s/[0-9][0-9]*/PID/"
    output = "".join(
        run(two, show.format(what))
        for what in (
            "-p",
            "-f -p 10",
            "-r -R --pid 5",
            "-p 7",
            "-b -p 0",
            "--idle --pid 0",
            "-d --sched-runtime 1000000 -D 5000000 --sched-period=10000000 -p 0",
        )
    )
    assert output.split("\n", 2)[2] == CHRT
    for command, message in (
        ("chrt -f 100 true", "unsupported priority value for the policy: 100: see --max for valid range"),
        ("chrt -b 1 true", "unsupported priority value for the policy: 1: see --max for valid range"),
        ("chrt -f x true", "invalid priority argument: 'x'"),
        ("chrt -p 30000", "failed to get pid 30000's policy: No such process"),
        ("taskset 2 chrt -d -T 1000000 -P 10000000 0 true", "failed to set pid 0's policy: Operation not permitted"),
    ):
        done = two.run(command)
        assert (done.status, done.output.decode()) == (1, f"chrt: {message}\n")


def test_taskset_and_renice_show_and_set(two: Machine) -> None:
    assert run(two, "taskset -p 1 && taskset -cp 1") == "pid 1's current affinity mask: 3\npid 1's current affinity list: 0,1\n"
    assert run(two, "taskset -c 1 sh -c 'taskset -cp 0-1 $$' | sed s/[0-9]*\\'/N\\'/") == (
        "pid N's current affinity list: 1\npid N's new affinity list: 0,1\n"
    )
    assert two.run("taskset 4 true").output == b"taskset: failed to set pid 0's affinity: Invalid argument\n"
    assert two.run("taskset -p 1 2; pid=2; taskset zz true").output.endswith(b"taskset: failed to parse CPU mask: zz\n")
    stopper = next(two.kernel.tasks.pid(task) for task in two.kernel.tasks if two.kernel.tasks.comm(task) == "migration/0")
    assert two.run(f"taskset -p 2 {stopper}").output.startswith(b"taskset: failed to set pid")
    assert run(two, "nice; nice nice; nice -n -5 nice; nice -n 30 nice; nice -7 nice") == "0\n10\n-5\n19\n7\n"
    assert run(two, "sh -c 'renice -n 7 -p $$; renice -3 $$; nice' | sed s/[0-9]*' '//") == (
        "(process ID) old priority 0, new priority 7\n(process ID) old priority 7, new priority -3\n-3\n"
    )
    assert two.run("renice 1 30000").output == b"renice: failed to get priority for 30000 (process ID): No such process\n"
