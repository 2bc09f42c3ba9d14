# SPDX-License-Identifier: GPL-2.0-only
"""uprobe_events: what it shows, what it refuses, and the errors."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

ENTRIES = {"x86_64": 0xE8, "sparc64": 0xE8, "riscv64": 0x120}  # in /bin/ls: its first instruction, behind the headers


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch) as machine:
        yield machine


def entry(machine: Machine) -> int:
    return ENTRIES[machine.board.arch.name]


def pc(machine: Machine) -> str:
    return {"x86_64": "%ip", "sparc64": "%pc", "riscv64": "%pc"}[machine.board.arch.name]


def golden(name: str, machine: Machine) -> str:
    """A file of a real Linux, with the path of the program that is probed here."""
    text = read_golden(name).replace("/usr/bin/dash", "/bin/ls").replace("0x0000000000004760", f"{entry(machine):#018x}")
    return text.replace("%ip", pc(machine))


def define_as_in_golden(machine: Machine) -> None:
    place = f"/bin/ls:{entry(machine):#x}"
    machine.tracefs.write("uprobe_events", f"p:myup {place} sp=%sp ip={pc(machine)}\nr:myupret {place} ret=$retval\n")


def test_definitions_are_shown_as_in_linux(machine: Machine) -> None:
    define_as_in_golden(machine)
    shown = machine.tracefs.read("uprobe_events") + machine.tracefs.read("events/uprobes/myup/format")
    assert re.sub(r"ID: \d+", "ID: 1211", shown) == golden("uprobe-def.txt", machine)
    assert machine.tracefs.read("dynamic_events") == machine.tracefs.read("uprobe_events")
    before = machine.tracefs.read("uprobe_events")
    machine.tracefs.write("uprobe_events", before)
    assert machine.tracefs.read("uprobe_events") == before


def test_entries_are_shown_as_in_linux(machine: Machine) -> None:
    define_as_in_golden(machine)
    machine.tracefs.write("events/uprobes/enable", "1")
    machine.run("ls /; ls /")
    assert machine.tracefs.read("uprobe_profile") == golden("uprobe_profile.txt", machine)

    def shape(text: str) -> list[str]:
        lines = [line.split(maxsplit=1)[1] for line in text.splitlines() if not line.startswith("#")]
        return [re.sub(r"0x[0-9a-f]+", "ADDRESS", re.sub(r"\[\d+\] (\S+) +[\d.]+", r"\1", line)) for line in lines]

    assert shape(machine.tracefs.read("trace")) == shape(golden("uprobe-trace.txt", machine))


@pytest.mark.parametrize(
    ("command", "code", "text", "at"),
    [
        ("p:x /nosuch:0x1", errno.ENOENT, "Failed to find the given file", "/nosuch:0x1"),
        ("p:x /bin/ls/y:0x1", errno.ENOTDIR, "Failed to find the given file", "/bin/ls/y:0x1"),
        ("p:x /bin:0x1", errno.EINVAL, "Not a regular file", "/bin:0x1"),
        ("p:x /bin/ls:0y", errno.EINVAL, "Invalid uprobe offset", "0y"),
        ("p:x /bin/ls:0x1%ret", errno.EINVAL, "Invalid probed address suffix", "%ret"),
        ("p:x /bin/ls:0x1(2", errno.EINVAL, "Reference counter brace is not closed", ""),
        ("p:x /bin/ls:0x1(2)3", errno.EINVAL, "Reference counter has wrong suffix", "3"),
        ("p:x /bin/ls:0x1(y)", errno.EINVAL, "Invalid reference counter offset", "y)"),
        ("p:x-y /bin/ls:0x1", errno.EINVAL, "Event name must follow the same rules as C identifiers", "x-y /bin/ls:0x1"),
        ("p:x /bin/ls:0x1 a=@jiffies", errno.EINVAL, "Symbol is not available with uprobe", "@jiffies"),
        ("p:x /bin/ls:0x1 a=%nosuch", errno.EINVAL, "Invalid register name", "%nosuch"),
        ("p:x /bin/ls:0x1 a=$retval", errno.EINVAL, "$retval is not available on probe", "$retval"),
    ],
)
def test_a_wrong_definition_changes_nothing(machine: Machine, command: str, code: int, text: str, at: str) -> None:
    with pytest.raises(TraceError) as refused:
        machine.tracefs.append("uprobe_events", command)
    assert refused.value.code == code
    told = machine.tracefs.read("error_log").splitlines()
    assert told[0].endswith(f"trace_uprobe: error: {text}")
    assert told[1] == f"  Command: {command}"
    assert told[1][told[2].index("^") :] == at
    assert machine.tracefs.read("uprobe_events") == ""
    assert not machine.tracefs.exists("events/uprobes")


@pytest.mark.parametrize("line", ["p:x", "p:x ls:0x1", "p:x /bin/ls", "p:x /bin/ls:main", "x /bin/ls:0x1"])
def test_what_defines_no_event(machine: Machine, line: str) -> None:
    with pytest.raises(TraceError) as refused:
        machine.tracefs.write("uprobe_events", line)
    assert refused.value.code == errno.EINVAL


def test_an_event_that_cannot_happen_stays_off(machine: Machine) -> None:
    machine.tracefs.write("uprobe_events", f"p:good /bin/ls:{entry(machine):#x}\np:bad /bin/ls:0x1000000\n")
    machine.tracefs.mkdir("instances/i")
    for events in "events/uprobes", "instances/i/events/uprobes":
        with pytest.raises(TraceError) as refused:
            machine.tracefs.write(f"{events}/bad/enable", "1")
        assert refused.value.code == errno.EINVAL
        with pytest.raises(TraceError) as refused:
            machine.tracefs.write(f"{events}/bad/trigger", "traceoff")
        assert machine.tracefs.read(f"{events}/bad/enable") == "0\n"
        machine.tracefs.write(f"{events}/good/enable", "1")
    machine.run("ls")
    assert machine.tracefs.read("uprobe_profile").split()[:3] == ["/bin/ls", "good", "1"]
    assert "good: " in machine.tracefs.read("instances/i/trace")


def test_one_more_probe_that_cannot_happen_leaves_the_event_on(machine: Machine) -> None:
    machine.tracefs.write("uprobe_events", f"p:on /bin/ls:{entry(machine):#x}")
    machine.tracefs.write("events/uprobes/on/enable", "1")
    before = machine.tracefs.read("uprobe_events")
    with pytest.raises(TraceError) as refused:
        machine.tracefs.append("uprobe_events", "p:on /bin/ls:0x1000000")
    assert refused.value.code == errno.EINVAL
    assert machine.tracefs.read("uprobe_events") == before
    assert machine.tracefs.read("events/uprobes/on/enable") == "1\n"
    machine.run("ls")
    assert "on: " in machine.tracefs.read("trace")


def test_a_program_of_the_guest_is_told_the_same(machine: Machine) -> None:
    script = (
        "cd /sys/kernel/tracing; echo p:x /nosuch:0x1 > uprobe_events; echo p:y /bin/ls:0x1000000 > uprobe_events;"
        " echo 1 > events/uprobes/y/enable; cat uprobe_events events/uprobes/y/enable"
    )
    done = machine.run(script).output.decode()
    assert re.findall(r"error: (.*)", done) == ["No such file or directory", "Invalid argument"]
    assert done.splitlines()[-2:] == ["p:uprobes/y /bin/ls:0x0000000001000000", "0"]


def test_what_needs_an_event_that_cannot_be_goes_with_it(machine: Machine) -> None:
    """The guest replies only after the following lines of the write have been executed."""
    with pytest.raises(TraceError, match="Failed to find the given file"):
        machine.tracefs.write("dynamic_events", "p:missing /no/such:0x0\ne:other uprobes.missing\ne:kept sched.sched_switch\n")
    assert machine.tracefs.read("dynamic_events") == "e:eprobes/kept sched.sched_switch\n"


def test_names_and_removal(machine: Machine) -> None:
    at = entry(machine)
    machine.tracefs.write("uprobe_events", f"p /bin/ls:{at:#x}\nr:g/two /bin/ls:{at:#x}\np:two /bin/cat:{at:#x}(0x10)")
    assert machine.tracefs.read("uprobe_events").splitlines() == [
        f"p:uprobes/p_ls_{at:#x} /bin/ls:{at:#018x}",
        f"r:g/two /bin/ls:{at:#018x}",
        f"p:uprobes/two /bin/cat:{at:#018x}(0x10)",
    ]
    with pytest.raises(TraceError) as refused:
        machine.tracefs.append("uprobe_events", f"-:two /bin/cat:{at:#018x}")
    assert refused.value.code == errno.ENOENT
    machine.tracefs.append("uprobe_events", f"-:two /bin/cat:{at:#018x}(0x10)")
    machine.tracefs.write(f"events/uprobes/p_ls_{at:#x}/enable", "1")
    with pytest.raises(TraceError) as refused:
        machine.tracefs.write("uprobe_events", "")
    assert refused.value.code == errno.EBUSY
    machine.tracefs.write(f"events/uprobes/p_ls_{at:#x}/enable", "0")
    machine.tracefs.write("uprobe_events", "")
    assert machine.tracefs.read("dynamic_events") == ""


def test_one_place_has_one_counter(machine: Machine) -> None:
    machine.tracefs.write("uprobe_events", f"p:x /bin/ls:{entry(machine):#x}(0x10)")
    with pytest.raises(TraceError) as refused:
        machine.tracefs.append("uprobe_events", f"p:y /bin/ls:{entry(machine):#x}(0x20)")
    assert refused.value.code == errno.EINVAL


def test_stacks_begin_in_the_handler(machine: Machine) -> None:
    machine.tracefs.write("uprobe_events", f"p:x /bin/ls:{entry(machine):#x}")
    machine.tracefs.write("events/uprobes/x/trigger", "stacktrace")
    machine.run("ls")
    lines = machine.tracefs.read("trace").splitlines()
    calls = [line.split()[1] for line in lines if line.startswith(" => ")]
    assert calls[:4] == ["uprobe_dispatcher", "handler_chain", "handle_swbp", "uprobe_notify_resume"]


def test_a_checkpoint_has_the_probes(machine: Machine) -> None:
    machine.tracefs.write("uprobe_events", f"p:x /bin/ls:{entry(machine):#x}")
    machine.tracefs.write("events/uprobes/x/enable", "1")
    before = machine.checkpoint()
    machine.run("ls")
    trace = machine.tracefs.read("trace")
    machine.tracefs.write("events/uprobes/enable", "0")
    machine.tracefs.write("uprobe_events", "")
    machine.restore(before)
    machine.run("ls")
    assert machine.tracefs.read("trace") == trace
    assert "x: (0x" in trace
