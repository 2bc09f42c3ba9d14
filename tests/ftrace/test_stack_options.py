# SPDX-License-Identifier: GPL-2.0-only
"""The options stacktrace, userstacktrace and sym-userobj."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.guest.test_modules import MODULES

INSTANCE = "instances/stacks"
EVENT = re.compile(r"^ +(?P<task>\S+-\d+) +(?P<where>\[\d+\] \S{5}) +[\d.]+: (?P<what>.*)$")


@pytest.fixture(autouse=True)
def clean(machine: Machine) -> Iterator[None]:
    """Each test begins with an empty trace and leaves all options and events off."""
    write = machine.tracefs.write
    write("trace", "")
    yield
    for option in ("stacktrace", "userstacktrace", "sym-userobj", "sym-addr"):
        write(f"options/{option}", "0")
    write("events/enable", "0")


def events(text: str) -> list[tuple[str, str, str, list[str]]]:
    """Task, CPU and state, text, and the lines of the stack of each event."""
    found: list[tuple[str, str, str, list[str]]] = []
    for line in text.splitlines():
        if parts := EVENT.match(line):
            found.append((*parts.groups(), []))
        elif line.startswith(" => "):
            found[-1][3].append(line.removeprefix(" => "))
    return found


def recorded(machine: Machine, command: str, array: str = "") -> list[tuple[str, str, str, list[str]]]:
    machine.run(command, trace=True)
    return events(machine.tracefs.read(f"{array}trace"))


def test_they_are_off_and_listed_where_linux_lists_them(machine: Machine) -> None:
    listed = machine.tracefs.read("trace_options").split()
    assert listed[listed.index("annotate") + 1 :][:2] == ["nouserstacktrace", "nosym-userobj"]
    assert "nostacktrace" in listed
    assert all(machine.tracefs.read(f"options/{name}") == "0\n" for name in ("stacktrace", "userstacktrace", "sym-userobj"))


def test_each_event_is_followed_by_both_stacks(machine: Machine) -> None:
    """They show the same task, CPU and state, although the flags of the system call's events differ from the CPU's."""
    write = machine.tracefs.write
    for name in ("stacktrace", "userstacktrace", "../events/syscalls/sys_enter_openat/enable"):
        write(f"options/{name}" if "/" not in name else "events/syscalls/sys_enter_openat/enable", "1")
    found = recorded(machine, "cat /proc/version")
    assert found
    for event, kernel, user in zip(found[::3], found[1::3], found[2::3], strict=True):
        assert event[2].startswith("sys_openat(")
        assert (kernel[2], user[2]) == ("<stack trace>", "<user stack trace>")
        assert event[:2] == kernel[:2] == user[:2] and "1" in event[1]
        assert kernel[3][0] == "trace_event_raw_event_sys_enter" and "do_syscall" in " ".join(kernel[3])
        assert all(re.fullmatch(" <[0-9a-f]{16}>", line) for line in user[3]) and user[3]


def test_what_is_not_recorded_has_no_stack(machine: Machine) -> None:
    """Neither events rejected by a filter, nor events in soft mode that are not recorded."""
    tracefs, fork = machine.tracefs, "events/sched/sched_process_fork"
    trigger = "enable_event:sched:sched_process_fork if pid == 0"
    tracefs.write("options/stacktrace", "1")
    tracefs.write(f"{fork}/filter", "child_pid & 1")
    tracefs.write("events/sched/sched_process_exit/trigger", trigger)
    forks = "for i in 1 2 3 4 5 6; do ls / > /dev/null; done"
    try:
        assert tracefs.read(f"{fork}/enable") == "0*\n"
        assert recorded(machine, forks) == []
        tracefs.write(f"{fork}/enable", "1")
        found = recorded(machine, forks)
    finally:
        tracefs.append("events/sched/sched_process_exit/trigger", f"!{trigger}")
        tracefs.write(f"{fork}/filter", "0")
    assert len(found) in range(4, 12)
    for event, stack in zip(found[::2], found[1::2], strict=True):
        assert int(event[2].rpartition("child_pid=")[2]) & 1
        assert stack[2] == "<stack trace>" and stack[3]


def test_each_array_has_its_own(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.mkdir(INSTANCE)
    try:
        tracefs.write(f"{INSTANCE}/options/stacktrace", "1")
        for array in ("", f"{INSTANCE}/"):
            tracefs.write(f"{array}events/sched/sched_process_fork/enable", "1")
        top = recorded(machine, "ls / > /dev/null; true")
        assert {what for _, _, what, _ in top if what.startswith("<")} == set()
        found = events(tracefs.read(f"{INSTANCE}/trace"))
        assert len(found) >= 2 * len(top) > 0  # the instance also records how the command is started
        assert [what for _, _, what, _ in found[1::2]] == ["<stack trace>"] * (len(found) // 2)
    finally:
        tracefs.rmdir(INSTANCE)


def test_off_again_events_are_recorded_alone(machine: Machine) -> None:
    write = machine.tracefs.write
    write("events/sched/sched_process_fork/enable", "1")
    write("options/stacktrace", "1")
    assert any(what == "<stack trace>" for _, _, what, _ in recorded(machine, "ls / > /dev/null; true"))
    write("options/stacktrace", "0")
    write("trace", "")
    assert {what.split(":")[0] for _, _, what, _ in recorded(machine, "ls / > /dev/null; true")} == {"sched_process_fork"}


def test_trace_printk_has_a_stack_of_the_kernel(machine: Machine) -> None:
    """So has an event injected by a task of the guest; text written to trace_marker has none, whatever triggers it has."""
    write = machine.tracefs.write
    write("options/stacktrace", "1")
    write("options/userstacktrace", "1")
    write("events/ftrace/print/trigger", 'traceoff if buf == "never"')
    tracing = "/sys/kernel/tracing"
    found = recorded(
        machine,
        f"insmod {MODULES}/sample_printk.ko count=1; usleep 15000; rmmod sample_printk; echo x > {tracing}/trace_marker; "
        f"echo prev_pid=3 > {tracing}/events/sched/sched_switch/inject",
    )
    machine.tracefs.append("events/ftrace/print/trigger", "!traceoff")
    texts = [re.sub(r"[ :].*", "", what) if not what.startswith("<") else what for _, _, what, _ in found]
    stack, user = "<stack trace>", "<user stack trace>"
    printed = ["sample_printk_init", stack, "sample_printk_tick", stack, "sample_printk_exit", stack]
    assert texts == [*printed, "tracing_mark_write", "sched_switch", stack, user]
    for number in range(0, 6, 2):
        assert f"{texts[number]} [sample_printk]" in found[number + 1][3][1:4]
    assert found[0][1] == found[1][1]
    assert "ksys_write" in found[-2][3]


@pytest.mark.parametrize("trigger", [None, "stacktrace", "traceoff if prev_pid == 4"])
def test_what_the_host_writes_has_no_stack(machine: Machine, trigger: str | None) -> None:
    """Even if programs run on all CPUs."""
    event = "events/sched/sched_switch"
    machine.run("(while :; do :; done) & (while :; do :; done) & usleep 20000; jobs -p > /tmp/busy")
    for name in ("stacktrace", "userstacktrace"):
        machine.tracefs.write(f"options/{name}", "1")
    if trigger:
        machine.tracefs.write(f"{event}/trigger", trigger)
        machine.tracefs.write(f"{event}/enable", "1")
    machine.tracefs.write("tracing_on", "1")
    machine.tracefs.write(f"{event}/inject", "prev_pid=3")
    machine.tracefs.write("tracing_on", "0")
    machine.run("kill $(cat /tmp/busy); rm /tmp/busy")
    if trigger:
        machine.tracefs.append(f"{event}/trigger", f"!{trigger}")
    assert [what.split(":")[0] for _, _, what, _ in events(machine.tracefs.read("trace"))] == ["sched_switch"]


def test_an_nmi_has_no_stack_of_a_program(machine: Machine) -> None:
    write = machine.tracefs.write
    for name in ("options/stacktrace", "options/userstacktrace", "events/nmi/nmi_handler/enable", "tracing_on"):
        write(name, "1")
    machine.inject_nmi(0)
    machine.run("true")
    write("tracing_on", "0")
    kinds = [re.sub(r"[:(].*", "", what) for _, _, what, _ in events(machine.tracefs.read("trace"))]
    assert kinds == ["nmi_handler", "<stack trace>"]


OWN = "/tmp/my own/cat"
TRACE = "/sys/kernel/tracing/trace"


@pytest.mark.parametrize(
    ("command", "path"),
    [
        (f"cat {TRACE}", "/bin/cat"),
        (f"'{OWN}' {TRACE}", OWN),
        (f"(usleep 50000; rm '{OWN}') | '{OWN}' - {TRACE}", f"{OWN} (deleted)"),
    ],
    ids=["in /", "below a mount", "removed"],
)
def test_addresses_of_a_process_that_lives_are_places_in_files(machine: Machine, command: str, path: str) -> None:
    """The trace is read by the traced program itself. After its end, there are only addresses."""
    write = machine.tracefs.write
    for name in ("options/userstacktrace", "options/sym-userobj", "events/syscalls/sys_enter_openat/enable"):
        write(name, "1")
    machine.run("mkdir -p '/tmp/my own'; mount -t ramfs ramfs '/tmp/my own'")
    machine.run(f"cp /bin/cat '{OWN}'")
    write("trace", "")
    output = machine.run(command, trace=True).output.decode()
    shown = [line for *_, what, lines in events(output) if what == "<user stack trace>" for line in lines][-1]
    assert re.fullmatch(re.escape(path) + r"\[\+0x[0-9a-f]+\]", shown), shown
    gone = [line for *_, what, lines in events(machine.tracefs.read("trace")) if what == "<user stack trace>" for line in lines]
    assert gone and all(re.fullmatch(" <[0-9a-f]{16}>", line) for line in gone)


def test_with_sym_addr_places_have_their_address_too(machine: Machine) -> None:
    write = machine.tracefs.write
    for name in ("options/userstacktrace", "options/sym-userobj", "options/sym-addr", "events/syscalls/sys_enter_openat/enable"):
        write(name, "1")
    output = machine.run("cat /sys/kernel/tracing/trace", trace=True).output.decode()
    (*_, what, lines) = events(output)[-1]
    places = [re.fullmatch(r"/bin/cat\[\+(0x[0-9a-f]+)\] <([0-9a-f]{16})>", line) for line in lines[:1]]
    assert what == "<user stack trace>" and all(places)
    assert all(int(place[2], 16) - int(place[1], 16) == 0x40_0000 for place in places if place)
