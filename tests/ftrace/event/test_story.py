# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's events match what happened: checked against logs made without tracing, and for consistency."""

from __future__ import annotations

import itertools
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import pytest

from emu.cpu import arch as cpu_arch
from emu.machine import Machine
from tests.lib.event_entries import Entry, entries
from tests.lib.switches import Switch, SwitchLog, told
from tests.lib.witness import Witness

CPUS = (1, 4, 16)
LOAD = (
    "cat > /input; ls /bin | sed s/[aeiou]/z/g > /names; signals restart > /dev/null; busy {cpus} 1; usleep 3000; "
    "cat /bin/[a-l]* > /dev/ram0; sync & sync; wait; threads -n 3 futex > /dev/null; "
    "echo TASKLET > /dev/lkdtm; usleep 20000"
)
EVENTS = ("sched", "raw_syscalls", "syscalls", "irq", "timer", "workqueue")
SLEEPS = 0x7F  # in prev_state: TASK_INTERRUPTIBLE and the like; 0 and the flag for preemption mean that the task stays runnable
ENDED = 0x10 | 0x20  # EXIT_DEAD, EXIT_ZOMBIE

TIMERS = ("process_timeout", "delayed_work_timer_fn", "idle_worker_timeout", "sample_beat")  # the last one is a module's
HRTIMERS = ("hrtimer_wakeup", "tick_sched_timer", "it_real_fn", "posix_timer_fn", "sched_rt_period_timer", "dl_task_timer")
SOFTIRQS = {"run_timer_softirq": 1, "blk_done_softirq": 4, "tasklet_action": 6, "run_rebalance_domains": 7, "rcu_core_si": 9}
HANDLER = "__handle_irq_event_percpu"


def system_calls(machine: Machine) -> list[str]:
    """The functions of system calls, by number."""
    memory, image = machine.kernel.memory, machine.kernel.image
    return [image.function_at(at).name for at in memory.words(image.symbol("sys_call_table"), image.constant("NR_syscalls"))]


def function_at(machine: Machine, address: int) -> str:
    return machine.kernel.symbols.describe(address).split("+")[0]


@dataclass
class Story:
    """The recorded events of each CPU, and the contents of the logs."""

    recorded: list[list[Entry]]
    switches: list[list[Switch]]
    calls: list[tuple[int, str]]  # pid and function, in order
    system_calls: list[str]
    alive: set[int]  # tasks
    events: set[str]  # the names of existing events
    name_of: Callable[[int], str]  # of the function at an address

    def of(self, *names: str) -> list[Entry]:
        """The entries with these names, of all CPUs, in order."""
        found = [entry for cpu in self.recorded for entry in cpu if entry.name in names]
        return sorted(found, key=lambda entry: entry.time)

    def called(self, functions: Collection[str]) -> dict[str, int]:
        """How often each function was called."""
        return Counter(function for _, function in self.calls if function in functions)


@pytest.fixture(scope="module", params=CPUS, ids=["one CPU", "some", "many"])
def story(arch: str, request: pytest.FixtureRequest) -> Story:
    cpus = min(request.param, cpu_arch.load(arch).max_cpus)
    with Machine(arch=arch, cpus=cpus, seed=cpus) as machine:
        assert machine.run("insmod /lib/modules/sample_timer.ko period=1").status == 0
        names = {*TIMERS, *HRTIMERS, *SOFTIRQS, HANDLER, *system_calls(machine)}
        only = {function.address for function in machine.kernel.image.functions if function.name in names}
        switches, witness = SwitchLog(machine), Witness(machine, only)
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(20_000 // cpus))
        machine.tracefs.write("trace_clock", machine.ftrace.arch.cycle_clock)
        for system in EVENTS:
            machine.tracefs.write(f"events/{system}/enable", "1")
        machine.tracefs.write("tracing_on", "1")
        switches.on = witness.on = True
        done = machine.run(LOAD.format(cpus=cpus), stdin=b"line\n" * 3)
        assert (done.status, done.output) == (0, f"busy: {cpus} workers, {cpus} rounds, 0 errors\n".encode())
        machine.advance(20_000_000)
        switches.on = witness.on = False
        machine.tracefs.write("tracing_on", "0")
        logged = sorted((entry.time, cpu, entry) for cpu in range(cpus) for entry in witness.entries(cpu))
        calls = [(entry.pid, function_at(machine, entry.address)) for _, _, entry in logged]
        alive = {int(name) for name in machine.run("ls /proc").output.split() if name.isdigit()}
        assert machine.warnings == []
        seen = [switches.switches(cpu) for cpu in range(cpus)]
        table = system_calls(machine)
        events = {call.name for call in machine.trace_array.recorder.globals.events.values()}
        return Story(entries(machine.trace_array), seen, calls, table, alive, events, lambda at: function_at(machine, at))


@pytest.mark.static_timing("a switch that waits for memory takes longer")
def test_each_switch_is_recorded_and_none_else(story: Story) -> None:
    for recorded, seen in zip(story.recorded, story.switches, strict=True):
        assert told(recorded) == [(switch.before, switch.after) for switch in seen]
        switches = [entry for entry in recorded if entry.name == "sched_switch"]
        assert all(entry.pid == entry.fields["prev_pid"] for entry in switches)
        assert all(0 <= switch.time - entry.time < 1000 for entry, switch in zip(switches, seen, strict=True))
    assert all(story.switches)


def test_who_was_asleep_is_woken_before_it_runs(story: Story) -> None:
    asleep: dict[int, str] = {}  # pid, and the event that must come first
    slept = Counter[str]()
    for entry in story.of("sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_process_fork"):
        fields = entry.fields
        match entry.name:
            case "sched_wakeup" | "sched_wakeup_new":
                if asleep.get(int(fields["pid"])) == entry.name:
                    del asleep[int(fields["pid"])]
                    slept[entry.name] += 1
            case "sched_process_fork":
                asleep[int(fields["child_pid"])] = "sched_wakeup_new"
            case "sched_switch":
                assert fields["next_pid"] not in asleep, entry
                if int(fields["prev_state"]) & SLEEPS:
                    asleep[int(fields["prev_pid"])] = "sched_wakeup"
    assert slept["sched_wakeup"] > 20 and slept["sched_wakeup_new"] > 5


def test_each_wakeup_was_begun(story: Story) -> None:
    waking = set()
    for entry in story.of("sched_waking", "sched_wakeup"):
        pid = entry.fields["pid"]
        if entry.name == "sched_waking":
            waking.add(pid)
        else:
            assert pid in waking, entry
            waking.discard(pid)


def test_each_system_call_enters_and_exits(story: Story) -> None:
    table = story.system_calls
    last = {table.index(name) for name in ("sys_exit", "sys_exit_group")}
    back = table.index("sys_rt_sigreturn")  # at its exit, its number is no longer there
    open_calls: dict[int, int] = {}
    entered = defaultdict(list)
    for entry in story.of("sys_enter", "sys_exit"):
        number = int(entry.fields["id"])
        if entry.name == "sys_enter":
            assert entry.pid not in open_calls, entry
            open_calls[entry.pid] = number
            entered[entry.pid].append(table[number])
        elif entry.pid in entered:  # otherwise it was entered before recording began
            assert open_calls.pop(entry.pid) in (number, back), entry
    ended = {pid for pid, number in open_calls.items() if number in last}
    assert len(ended) > 5 and set(open_calls) - ended <= story.alive
    called = defaultdict(list)
    functions = set(table)
    for pid, function in story.calls:
        if function in functions:
            called[pid].append(function)
    assert called == entered


def test_a_system_call_s_own_events_say_the_same(story: Story) -> None:
    own = Counter[str]()
    for recorded in story.recorded:
        for raw, entry in itertools.pairwise(recorded):
            if raw.name not in ("sys_enter", "sys_exit"):
                continue
            name = story.system_calls[int(raw.fields["id"])].removeprefix("sys_") if int(raw.fields["id"]) >= 0 else ""
            if (event := f"{raw.name}_{name}") not in story.events:
                continue
            assert (entry.name, entry.pid) == (event, raw.pid)
            number, *values = entry.fields.values()
            assert number == raw.fields["id"]
            if raw.name == "sys_enter":
                arguments = raw.fields["args"]
                assert isinstance(arguments, bytes)
                assert values == list(struct.unpack("=6Q", arguments))[: len(values)]
            else:
                assert values == [raw.fields["ret"]]
            own[event] += 1
    everything = Counter(entry.name for recorded in story.recorded for entry in recorded if entry.call.system == "syscalls")
    assert own == everything and len(own) > 30


def test_each_work_is_queued_begins_and_ends(story: Story) -> None:
    queued, under_way = set[int](), dict[int, int]()
    works = 0
    for entry in story.of("workqueue_queue_work", "workqueue_execute_start", "workqueue_execute_end"):
        work = int(entry.fields["work"])
        match entry.name:
            case "workqueue_queue_work":
                queued.add(work)
            case "workqueue_execute_start":
                function = story.name_of(int(entry.fields["function"]))
                assert work in queued or function == "wq_barrier_func", entry  # to wait for a work, this one is put behind it
                assert entry.pid not in under_way, entry
                queued.discard(work)
                under_way[entry.pid] = work
                works += 1
            case _:
                assert under_way.pop(entry.pid) == work, entry
    assert works > 0 and not under_way


def test_each_task_that_ends_has_exited(story: Story) -> None:
    born = {entry.fields["child_pid"] for entry in story.of("sched_process_fork")}
    exited = {entry.fields["pid"] for entry in story.of("sched_process_exit")}
    ended = {entry.fields["prev_pid"] for entry in story.of("sched_switch") if int(entry.fields["prev_state"]) & ENDED}
    assert ended & born == exited & born and exited <= ended and len(exited & born) > 5


def pairs(story: Story, enter: str, leave: str, key: str | None) -> list[Entry]:
    """The entries `enter`. Each is followed on its CPU by its `leave` with the same field `key`; they nest."""
    found = []
    for recorded in story.recorded:
        begun: list[Entry] = []
        for entry in recorded:
            if entry.name == enter:
                begun.append(entry)
                found.append(entry)
            elif entry.name == leave:
                before = begun.pop()
                assert key is None or entry.fields[key] == before.fields[key]
        assert not begun
    return found


def test_each_interrupt_handler_enters_and_exits(story: Story) -> None:
    entered = pairs(story, "irq_handler_entry", "irq_handler_exit", "irq")
    assert {entry.fields["name"] for entry in entered} == {b"hostdev\0", b"ramdisk\0"}
    assert len(entered) == story.called([HANDLER])[HANDLER] > 1


@pytest.mark.static_timing("what began before events are switched on has no beginning")
def test_each_softirq_is_raised_enters_and_exits(story: Story) -> None:
    entered = Counter(int(entry.fields["vec"]) for entry in pairs(story, "softirq_entry", "softirq_exit", "vec"))
    numbers = {name: entered[number] for name, number in SOFTIRQS.items() if entered[number]}
    assert len(numbers) > 1 and numbers == story.called(SOFTIRQS)
    for recorded in story.recorded:
        raised = Counter[int | bytes]()  # can exceed the number of runs: a softirq may be raised several times before it runs
        for entry in recorded:
            if entry.name == "softirq_raise":
                raised[entry.fields["vec"]] += 1
            elif entry.name == "softirq_entry":
                assert raised[entry.fields["vec"]] > 0, entry
                raised[entry.fields["vec"]] -= 1


@pytest.mark.static_timing("what began before events are switched on has no beginning")
@pytest.mark.parametrize(
    ("timer", "functions", "before"),
    [
        ("timer", TIMERS, ["timer_start", "timer_cancel"]),  # a timer that expires is removed from its list first
        ("hrtimer", HRTIMERS, ["hrtimer_start"]),
    ],
)
def test_each_timer_that_expires_was_started(
    story: Story, timer: str, functions: Collection[str], before: Sequence[str]
) -> None:
    entered = pairs(story, f"{timer}_expire_entry", f"{timer}_expire_exit", timer)
    expired = Counter(story.name_of(int(entry.fields["function"])) for entry in entered)
    assert {function: count for function, count in expired.items() if function in functions} == story.called(functions)
    assert expired
    history: dict[int, list[str]] = defaultdict(list)
    for entry in story.of(f"{timer}_start", f"{timer}_cancel", f"{timer}_expire_entry"):
        known = history[int(entry.fields[timer])]
        if entry.name == f"{timer}_expire_entry":
            assert known[-len(before) :] in ([], before, before[1:]), entry  # shorter if it was started before recording began
        known.append(entry.name)
