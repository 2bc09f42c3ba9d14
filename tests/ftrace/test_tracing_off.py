# SPDX-License-Identifier: GPL-2.0-only
"""The guest's own kernel turns tracing off or takes a snapshot: functions for modules, a warning with traceoff_on_warning."""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import shell

SYSCTL = "/proc/sys/kernel/traceoff_on_warning"
SAID = "disable_trace_on_warning: Disabling tracing due to warning"
WARN = "echo WARNING > /dev/lkdtm"


def events(machine: Machine, file: str = "trace") -> list[str]:
    """The texts of the events in the trace."""
    return re.findall(r"^[^#].* \[\d+\] .{5} +[\d.]+: (.*)$", machine.tracefs.read(file), re.MULTILINE)


def test_a_module_turns_tracing_off_and_on(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        load = "insmod /lib/modules/sample_printk.ko count=1 stop=1 2> /dev/null; usleep 20000; cat tracing_on"
        assert shell(machine, f"{load}; rmmod sample_printk; cat tracing_on").endswith("0\n1\n")
        assert [text.partition(": ")[2] for text in events(machine)] == ["hello", "tick 1 of 1", "1 of 1"]


def test_a_module_takes_a_snapshot(arch: str) -> None:
    """Of what was recorded before its last text, if there is room; otherwise tracing is turned off."""
    load = "insmod /lib/modules/sample_printk.ko count=1 2> /dev/null"
    with booted_machine(arch, cpus=2) as machine:
        shell(machine, f"echo 1 > snapshot; {load} snapshot=1; usleep 20000; echo after > trace_marker")
        assert [text.partition(": ")[2] for text in events(machine, "snapshot")] == ["hello", "tick 1 of 1"]
        assert events(machine) == ["tracing_mark_write: after"]
        shell(machine, "rmmod sample_printk; echo 0 > snapshot; echo > trace")
        shell(machine, f"{load} snapshot=1; usleep 20000; echo lost > trace_marker; rmmod sample_printk")
        assert [text.partition(": ")[2] for text in events(machine)] == [
            "hello",
            "tick 1 of 1",
            "*** SNAPSHOT NOT ALLOCATED ***",
            "*** stopping trace here!   ***",
        ]
        assert machine.tracefs.read("tracing_on") == "0\n"
        assert "Snapshot is freed" in machine.tracefs.read("snapshot")


def test_a_module_makes_room_for_its_snapshot(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        shell(machine, "insmod /lib/modules/sample_printk.ko count=1 snapshot=2 2> /dev/null; usleep 20000")
        assert [text.partition(": ")[2] for text in events(machine, "snapshot")] == ["tick 1 of 1"]
        # The snapshot before that one: its buffer records again, and has not been emptied.
        assert [text.partition(": ")[2] for text in events(machine)] == ["hello"]
        assert machine.tracefs.read("tracing_on") == "1\n"


def test_instances_go_on(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        machine.tracefs.mkdir("instances/a")
        shell(machine, f"echo 1 > {SYSCTL}; {WARN}")
        assert machine.tracefs.read("tracing_on") == "0\n"
        assert machine.tracefs.read("instances/a/tracing_on") == "1\n"
        assert SAID not in machine.tracefs.read("instances/a/trace")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("", "0"),
        ("traceoff_on_warning", "1"),
        ("traceoff_on_warning=1", "1"),
        ("traceoff_on_warning=0", "0"),
        ("traceoff_on_warning=off", "0"),
    ],
)
def test_a_warning_turns_tracing_off_if_it_is_to(arch: str, word: str, value: str) -> None:
    with Machine(arch=arch, cpus=1, command_line=word) as machine:
        assert shell(machine, f"cat {SYSCTL}") == f"{value}\n"
        shell(machine, f"echo before > trace_marker; {WARN}; echo after > trace_marker")
        on = value == "0"
        assert machine.tracefs.read("tracing_on") == f"{int(on)}\n"
        last = "tracing_mark_write: after" if on else SAID
        assert events(machine) == ["tracing_mark_write: before", last]
        assert len(machine.warnings) == 1


def test_the_sysctl_can_be_changed_at_any_time(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        said = shell(
            machine,
            f"{WARN}; cat tracing_on; echo 1 > {SYSCTL}; {WARN}; cat tracing_on; echo 1 > tracing_on; echo 0 > {SYSCTL};"
            f"{WARN}; cat tracing_on",
        )
        assert re.findall(r"^\d$", said, re.MULTILINE) == ["1", "0", "1"]
        assert events(machine) == [SAID]
