# SPDX-License-Identifier: GPL-2.0-only
"""The events of sched, task and signal match the life of tasks: forks, programs, switches, sleeps, signals, exits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from emu.cpu.ramdisk import RamDisk
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.event_lines import EventLine, event_lines

SCRIPT = "busy 4 2; sleep 1000 & usleep 5000; kill -USR1 $!; wait; ls / | cat > /dev/null; nice -n 5 true"
JITTER = 40e-6  # seconds between something and its event

SIGNALS = {"x86_64": ("10", "17"), "sparc64": ("30", "20"), "riscv64": ("10", "17")}  # SIGUSR1 and SIGCHLD

Story = Sequence[EventLine]


@pytest.fixture(params=[1, 2, 4], scope="module")
def cpus(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def machine(arch: str, cpus: int) -> Iterator[Machine]:
    with booted_machine(arch, cpus=cpus) as booted:
        booted.tracefs.write("buffer_size_kb", "20000")
        yield booted
        assert booted.warnings == []


@pytest.fixture(scope="module")
def story(machine: Machine) -> Story:
    """All events while the script runs, except sched_stat_runtime."""
    machine.tracefs.write("set_event", "sched task signal !sched:sched_stat_runtime")
    machine.run(SCRIPT)
    machine.advance(50_000_000)
    machine.tracefs.write("set_event", "")
    events = list(event_lines(machine.tracefs.read("trace")))
    assert machine.trace_array.summary().events == len(events)
    return events


def of(story: Story, *names: str) -> list[EventLine]:
    return [event for event in story if event.name in names]


def test_a_cpu_leaves_the_task_that_it_went_to(story: Story, cpus: int) -> None:
    for cpu in range(cpus):
        switches = [event for event in of(story, "sched_switch") if event.cpu == cpu]
        assert switches
        assert [event["next_pid"] for event in switches[:-1]] == [event["prev_pid"] for event in switches[1:]]
        assert all(int(event["prev_pid"]) == event.pid for event in switches)


def test_who_sleeps_runs_again_only_when_woken(story: Story) -> None:
    asleep: set[str] = set()
    slept = woken = 0
    for event in story:
        if event.name == "sched_switch":
            assert event["next_pid"] not in asleep, event
            if event["prev_pid"] != "0" and event["prev_state"] not in ("R", "R+"):
                asleep.add(event["prev_pid"])
                slept += 1
        elif event.name == "sched_wakeup":
            woken += event["pid"] in asleep
            asleep.discard(event["pid"])
    assert slept > 20
    assert woken > 10


def test_a_wakeup_begins_with_waking(story: Story) -> None:
    waking: dict[str, EventLine] = {}
    for event in of(story, "sched_waking", "sched_wakeup"):
        if event.name == "sched_waking":
            waking[event["pid"]] = event
        else:
            began = waking.pop(event["pid"])
            assert (began["comm"], began["prio"], began.cpu) == (event["comm"], event["prio"], event.cpu)


def test_who_migrates_is_woken_there_or_runs_there_next(story: Story, cpus: int) -> None:
    place: dict[str, int] = {}
    for event in of(story, "sched_migrate_task", "sched_switch"):
        if event.name == "sched_migrate_task":
            assert event["orig_cpu"] != event["dest_cpu"]
            assert place.get(event["pid"], int(event["orig_cpu"])) == int(event["orig_cpu"])
            place[event["pid"]] = int(event["dest_cpu"])
        elif event["next_pid"] != "0":
            assert place.setdefault(event["next_pid"], event.cpu) == event.cpu, event
    assert cpus == 1 or of(story, "sched_migrate_task")


@pytest.mark.static_timing("how long is waited is counted")
def test_times_of_waiting_and_sleeping_are_those_between_events(story: Story) -> None:
    since: dict[tuple[str, str], float] = {}
    moves: Counter[str] = Counter()  # of a waiting task, whose waiting time is then measured with another CPU's clock
    checked = {"wait": 0, "sleep": 0, "blocked": 0}
    for event in story:
        if event.name == "sched_switch":
            state = event["prev_state"]
            since.pop((event["prev_pid"], "wait"), None)
            for kind, states in (("wait", ("R", "R+")), ("sleep", ("S",)), ("blocked", ("D", "I"))):
                if state in states:
                    since[event["prev_pid"], kind] = event.time
                    del moves[event["prev_pid"]]
        elif event.name in ("sched_wakeup", "sched_wakeup_new"):
            # A task that was preempted on its way to sleep is already waiting: waking it up starts no new wait.
            if (event["pid"], "wait") not in since:
                since[event["pid"], "wait"] = event.time
                del moves[event["pid"]]
        elif event.name == "sched_migrate_task":
            moves[event["pid"]] += 1
        elif event.name.startswith("sched_stat_"):
            kind = event.name.removeprefix("sched_stat_")
            if (began := since.pop((event["pid"], kind), None)) is not None:
                assert abs(int(event["delay"]) / 1e9 - (event.time - began)) < JITTER * (1 + moves[event["pid"]]), event
                checked[kind] += 1
    assert all(count > 5 for count in checked.values()), checked


def test_a_task_is_made_starts_and_ends(story: Story) -> None:
    forks = of(story, "sched_process_fork")
    assert len(forks) > 8
    for fork in forks:
        child = fork["child_pid"]
        about = [event.name for event in story if event.name != "sched_process_fork" and event.text.find(f"pid={child} ") >= 0]
        for name in ("task_newtask", "sched_wakeup_new", "sched_process_exit", "sched_process_free"):
            assert about.count(name) == 1, (child, name)
        order = [about.index(name) for name in ("task_newtask", "sched_wakeup_new", "sched_process_exit", "sched_process_free")]
        assert order == sorted(order)
        assert int(fork["pid"]) == fork.pid


def test_a_program_has_its_name(story: Story) -> None:
    programs = {event["filename"] for event in of(story, "sched_process_exec")}
    assert {"/bin/ls", "/bin/cat", "/bin/sleep", "/bin/nice", "/bin/true"} <= programs
    for event in of(story, "sched_process_exec"):
        assert event["pid"] == event["old_pid"] == str(event.pid)
    renamed = [(event["oldcomm"], event["newcomm"]) for event in of(story, "task_rename")]
    assert ("nice", "true") in renamed


def test_a_signal_ends_a_program_and_its_parent_is_told(story: Story, arch: str) -> None:
    usr1, chld = SIGNALS[arch]
    sent = next(event for event in of(story, "signal_generate") if event["sig"] == usr1)
    assert (sent["errno"], sent["code"], sent["grp"], sent["res"]) == ("0", "0", "1", "0")
    ended = next(event for event in of(story, "signal_deliver") if str(event.pid) == sent["pid"])
    assert (ended["sig"], ended["code"], ended["sa_handler"], ended["sa_flags"]) == ("9", "0", "0", "0")
    told = [event for event in of(story, "signal_generate") if event.pid == ended.pid]
    assert [(event["sig"], event["code"]) for event in told] == [(chld, "2")]


def test_a_threads_run_time_is_what_it_ran(machine: Machine) -> None:
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_event", "sched:sched_stat_runtime sched:sched_switch")
    machine.run("spin 5 || true")
    machine.tracefs.write("set_event", "")
    began: dict[str, float] = {}
    ran: dict[str, float] = {}
    told: dict[str, float] = {}
    for event in event_lines(machine.tracefs.read("trace")):
        if event.name == "sched_stat_runtime":
            if event["pid"] in began:
                told[event["pid"]] = told.get(event["pid"], 0) + int(event["runtime"]) / 1e9
        else:
            if (start := began.pop(event["prev_pid"], None)) is not None:
                ran[event["prev_pid"]] = ran.get(event["prev_pid"], 0) + event.time - start
            began[event["next_pid"]] = event.time
    assert told
    for pid, seconds in told.items():
        assert abs(seconds - ran.get(pid, 0)) < 0.1 * seconds + JITTER, pid


def record(machine: Machine, events: str, command: str) -> Story:
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_event", events)
    assert machine.run(command).status == 0
    machine.tracefs.write("set_event", "")
    return list(event_lines(machine.tracefs.read("trace")))


def test_a_kernel_thread_is_stopped_and_says_how_it_went(machine: Machine) -> None:
    events = record(machine, "sched:sched_kthread_stop sched:sched_kthread_stop_ret", "echo RWSEM > /dev/lkdtm")
    assert events
    assert [event.name for event in events] == ["sched_kthread_stop", "sched_kthread_stop_ret"] * (len(events) // 2)
    assert all(event["comm"].startswith("lkdtm_") for event in events[::2])
    assert {event["ret"] for event in events[1::2]} == {"0"}


def test_times_are_not_told_of_what_began_while_the_events_were_off(machine: Machine) -> None:
    machine.tracefs.write("trace", "")
    machine.run("while usleep 20000; do :; done > /dev/null & echo $! > /tmp/loop")
    for on in ("1", "0", "1"):
        machine.tracefs.write("events/sched/sched_stat_sleep/enable", on)
        machine.advance(5_000_000 if on == "1" else 50_000_000)
    machine.tracefs.write("set_event", "")
    machine.run("kill $(cat /tmp/loop)")
    sleeps = [int(event["delay"]) for event in event_lines(machine.tracefs.read("trace"))]
    assert len(sleeps) > 2
    assert max(sleeps) < 100_000_000


def test_a_task_that_waits_for_a_disk_is_blocked_by_it(arch: str) -> None:
    with Machine(arch=arch, cpus=1, ramdisk=RamDisk(1 << 20)) as machine:
        events = record(machine, "sched:sched_stat_iowait sched:sched_stat_blocked", "sed 1q /dev/ram0 > /dev/null")
    waited = [event for event in events if event.name == "sched_stat_iowait"]
    assert waited
    assert {event["comm"] for event in waited} == {"sed"}
    for event in waited:
        assert events[events.index(event) + 1].text == event.text
