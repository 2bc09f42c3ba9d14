# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts and preemption are turned off and on: each time there is an event, and the flags of other events agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.event_lines import EventLine, event_lines, events_of
from tests.lib.patched_code import branches, keys_on

HOOKS = ("irq_disable", "irq_enable", "preempt_disable", "preempt_enable")
OTHERS = "sched: kmem: signal: syscalls:"
WORK = "busy 2 1; usleep 2000; sed 1q /bin/sh > /dev/null"
DELAY_TEST = "/lib/modules/preemptirq_delay_test.ko"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch) as made:
        yield made
        assert made.warnings == []


def check(story: Sequence[EventLine]) -> Counter[str]:
    """Checks that off and on alternate, and that a task's other events agree meanwhile. Returns how many events were checked."""
    off: dict[tuple[int, str], bool] = {}
    seen: Counter[str] = Counter()
    for event in story:
        shows = {"irq": event.flags[0] == "d", "preempt": event.flags[2] != "." or event.flags[3] != "."}
        if event.name in HOOKS:
            what, _, way = event.name.partition("_")
            assert off.get((event.cpu, what)) is not (way == "disable"), event
            assert shows[what], event  # right after it was turned off, or right before it is turned on
            off[event.cpu, what] = way == "disable"
        elif event.pid and event.flags[2] == ".":  # the idle task is never preempted; interrupts may come between hook and change
            for what in shows.keys() & {what for cpu, what in off if cpu == event.cpu}:
                assert off[event.cpu, what] == shows[what], (what, event)
                seen[f"{what} {'off' if shows[what] else 'on'}"] += 1
        seen[event.name] += 1
    return seen


def test_what_is_off_is_what_the_events_say(machine: Machine) -> None:
    story = events_of(machine, f"preemptirq: {OTHERS}", WORK)
    seen = check(story)
    assert min(seen[hook] for hook in HOOKS) > 200
    assert min(seen[f"{what} {state}"] for what in ("irq", "preempt") for state in ("on", "off")) > 20
    assert not keys_on(machine, branches(machine))
    check_callers(machine, [event for event in story if event.name in HOOKS])


def check_callers(machine: Machine, story: Sequence[EventLine]) -> None:
    """Callers are Linux's. The caller of a lock function is unknown, as in nop-all-events.txt."""
    where = {(event.name, event["caller"].partition("+")[0]) for event in story}
    assert where >= {
        ("irq_disable", "syscall_enter_from_user_mode"),
        ("irq_enable", "syscall_enter_from_user_mode"),
        ("irq_disable", "syscall_exit_to_user_mode"),
        ("irq_enable", "syscall_exit_to_user_mode"),
        ("irq_disable", "irqentry_enter"),
        ("irq_enable", "irqentry_exit"),
        ("irq_enable", "default_idle_call"),
        ("irq_disable", "_raw_spin_lock_irqsave"),
        ("preempt_disable", "irq_enter_rcu"),
        ("preempt_disable", "_raw_spin_lock"),
    }
    # Zero is out of reach of parent_offs where the kernel is in the direct map.
    unknown = "0x0" if machine.board.arch.name == "x86_64" else f"{machine.board.arch.kernel_map:#x}"
    for event in story:
        of_a_lock = event["caller"].startswith("_raw_spin_")
        assert event["parent"] == (unknown if event.name.startswith("irq") or of_a_lock else event["caller"])


def test_an_nmi_is_none_of_their_business(machine: Machine) -> None:
    machine.run("insmod /lib/modules/race_lab.ko")  # has an NMI handler
    machine.tracefs.write("set_event", "preemptirq: nmi: syscalls:")
    machine.run(f"{WORK} &")
    for n in range(100):
        machine.inject_nmi(n % 2)
        machine.advance(1_000 + n)
    machine.tracefs.write("set_event", "")
    story = event_lines(machine.tracefs.read("trace"))
    assert {event.name for event in story if event.flags[2] in "zZ"} == {"nmi_handler"}
    assert check(story)["irq_disable"] > 50


def test_a_section_lasts_as_long_as_the_module_says(machine: Machine) -> None:
    insert = f"insmod {DELAY_TEST} test_mode=alternate delay=97 burst_size=12 cpu_affinity=1"
    again = "echo > /sys/kernel/preemptirq_delay_test/trigger"
    story = events_of(machine, "preemptirq:", f"{insert} && {again} && rmmod preemptirq_delay_test")
    story = [event for event in story if "preemptirqtest_" in event["caller"]]
    assert [(event.name, event["caller"].partition("+")[0]) for event in story] == [
        (f"{('irq', 'preempt')[n % 2]}_{way}", f"preemptirqtest_{n}")
        for n in [*range(10), *range(10)]  # once for each function, and once more
        for way in ("disable", "enable")
    ]
    assert {(event.comm, event.cpu) for event in story} == {("alternate_test", 1)}
    for begin, end in zip(story[::2], story[1::2], strict=True):
        took = round((end.time - begin.time) * 1e6)
        assert took >= 97 and (took <= 99 or begin.name == "preempt_disable")  # interrupts may take a part of it


def test_probes_among_the_hooks(machine: Machine) -> None:
    """No hook is on the path of a probe: otherwise a probe in a function called by a hook would recurse."""
    with pytest.raises(TraceError):  # tracing's own code
        machine.tracefs.write("kprobe_events", "p trace_hardirqs_off")
    places = ("raw_irqentry_exit_cond_resched", "preempt_schedule_irq", "preempt_count_add", "preempt_count_sub")
    for place in places:
        machine.tracefs.append("kprobe_events", f"p:{place} {place}\n")
    machine.run("insmod /lib/modules/event_cost.ko")
    calls = "echo 60000 > /sys/module/event_cost/parameters/calls &"  # long enough in the kernel to be preempted there
    story = events_of(machine, "preemptirq: kprobes:", f"{calls} {calls} {calls} wait; {WORK}")
    seen = check([event for event in story if event.name in HOOKS])
    assert min(seen[hook] for hook in HOOKS) > 200
    probed = Counter(event.name for event in story)
    assert min(probed[place] for place in places) >= 1
