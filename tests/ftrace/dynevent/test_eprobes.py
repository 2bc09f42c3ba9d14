# SPDX-License-Identifier: GPL-2.0-only
"""Eprobes: events that are triggered by other events."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

OPEN = "e:eprobes/myep syscalls.sys_enter_openat file=+0($filename):ustring flags=$flags"
SWITCH = "sched.sched_switch"
TARGET = "events/sched/sched_switch"


@pytest.fixture(params=FACTS)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    with booted_machine(request.param) as machine:
        yield machine


def lines(machine: Machine) -> list[str]:
    """The texts of the events in the trace, without the flags before them."""
    return re.findall(r"\] (\S{5} +\d+\.\d+: .*)", machine.tracefs.read("trace"))


def test_definition_is_as_linux_shows_it(machine: Machine) -> None:
    machine.tracefs.write("dynamic_events", OPEN)
    shown = machine.tracefs.read("dynamic_events") + machine.tracefs.read("events/eprobes/myep/format")
    assert re.sub(r"ID: \d+", "ID: 1213", shown) == read_golden("eprobe-def.txt")


def test_entries_are_as_linux_shows_them(machine: Machine) -> None:
    machine.tracefs.write("dynamic_events", OPEN)
    machine.tracefs.write("events/eprobes/myep/enable", "1")
    machine.run("ls / > /dev/null", trace=True)
    found = lines(machine)
    golden = read_golden("eprobe-trace.txt")

    def shape(line: str) -> str:
        return re.sub(r'"[^"]*"', "FILE", re.sub(r"0x[0-9a-f]+", "0x", re.sub(r" +\d+\.\d+", " TIME", line)))

    assert {shape(line) for line in found} == set(map(shape, re.findall(r"\] (\S{5} +\d+\.\d+: .*)", golden)))
    assert any('file="/dev/null"' in line for line in found)


def test_what_is_probed_is_not_recorded(machine: Machine) -> None:
    machine.tracefs.write("dynamic_events", f"e:sw {SWITCH} next=$next_pid")
    machine.tracefs.write("events/eprobes/sw/enable", "1")
    assert machine.tracefs.read(f"{TARGET}/enable") == "0*\n"
    assert machine.tracefs.read(f"{TARGET}/trigger") == ""
    machine.run("true", trace=True)
    found = lines(machine)
    assert found and all("sw: (sched.sched_switch) next=0x" in line for line in found)
    machine.tracefs.write("events/eprobes/sw/enable", "0")
    assert machine.tracefs.read(f"{TARGET}/enable") == "0\n"
    assert machine.tracefs.read(f"{TARGET}/trigger").startswith("# Available triggers:")


def test_fields_are_those_of_what_is_probed(machine: Machine) -> None:
    arguments = "prev=$prev_comm:string pid=$prev_pid:s32 prio=$prev_prio:u8 who=$comm:string cpu=$common_pid"
    machine.tracefs.write("dynamic_events", f"e:sw {SWITCH} {arguments}")
    machine.tracefs.write("set_event", "eprobes:sw sched:sched_switch")
    machine.run("sleep 0.001", trace=True)
    text = "\n".join(lines(machine))
    switches = re.findall(r"sched_switch: prev_comm=(.*) prev_pid=(\d+) prev_prio=(\d+) ", text)
    probed = re.findall(r'sw: \S+ prev="(.*)" pid=(\d+) prio=(\d+) who="(.*)" cpu=0x([0-9a-f]+)', text)
    assert len(switches) > 4
    assert [one[:3] for one in probed] == switches
    assert all((name, int(pid)) == (who, int(common, 16)) for name, pid, _, who, common in probed)


def test_a_filter_of_what_is_probed(machine: Machine) -> None:
    machine.tracefs.write("dynamic_events", f'e:sw {SWITCH} next=$next_comm:string if next_comm == "sleep"')
    assert machine.tracefs.read("dynamic_events").endswith(' if next_comm == "sleep"\n')
    machine.tracefs.write("events/eprobes/enable", "1")
    machine.run("sleep 0.001", trace=True)
    found = lines(machine)
    assert found and all('next="sleep"' in line for line in found)


def test_each_array_has_its_own(machine: Machine) -> None:
    machine.tracefs.write("dynamic_events", f"e:sw {SWITCH} next=$next_pid")
    machine.tracefs.mkdir("instances/other")
    machine.tracefs.write("instances/other/events/eprobes/sw/enable", "1")
    assert machine.tracefs.read(f"{TARGET}/enable") == "0\n"
    assert machine.tracefs.read(f"instances/other/{TARGET}/enable") == "0*\n"
    machine.run("true")
    assert "sw: (sched.sched_switch)" in machine.tracefs.read("instances/other/trace")
    assert not lines(machine)
    machine.tracefs.rmdir("instances/other")
    machine.tracefs.write("dynamic_events", "")


def test_its_event_has_filters_and_histograms(machine: Machine) -> None:
    machine.tracefs.write("dynamic_events", f"e:sw {SWITCH} next=$next_pid\n")
    machine.tracefs.write("events/eprobes/sw/filter", "next != 0")
    machine.tracefs.write("events/eprobes/sw/trigger", "hist:keys=next")
    machine.tracefs.write("events/eprobes/sw/enable", "1")
    machine.run("sleep 0.001", trace=True)
    found = lines(machine)
    assert found and not any(line.endswith("next=0x0") for line in found)
    assert "{ next:" in machine.tracefs.read("events/eprobes/sw/hist")


@pytest.mark.parametrize(
    ("command", "code", "text", "caret"),
    [
        ("e:x nosuch.event", errno.ENODEV, "Attached event does not exist", 4),
        ("e:x sched", errno.EINVAL, "This requires both group and event name to attach", 4),
        (f"e:x {SWITCH} a=$nope", errno.EINVAL, "Attached event does not have this field", 23),
        (f"e:x {SWITCH} if", errno.EINVAL, "No filter rule after 'if'", 23),
        (f"e:x {SWITCH} a=%ax", errno.EINVAL, "Invalid $-valiable specified", 25),
        (f"e:1x {SWITCH}", errno.EINVAL, "Event name must follow the same rules as C identifiers", 2),
        (f"e:sw {SWITCH}", errno.EEXIST, "Given group/event name is already used by another event", 0),
        ("e:x eprobes.sw", errno.ENODEV, "Attached event does not exist", 4),
        ("e:x ftrace.function", errno.ENODEV, "Attached event does not exist", 4),
    ],
)
def test_what_is_wrong_is_said(booted: Machine, command: str, code: int, text: str, caret: int) -> None:
    tracefs = booted.tracefs
    tracefs.write("dynamic_events", f"e:sw {SWITCH}")
    tracefs.write("error_log", "")
    before = tracefs.read("dynamic_events")
    with pytest.raises(TraceError) as error:
        tracefs.append("dynamic_events", command)
    assert error.value.errno == code
    head, shown, mark = tracefs.read("error_log").splitlines()
    assert head.endswith(f"] event_probe: error: {text}")
    assert (shown, mark.index("^")) == (f"  Command: {command}", len("  Command: ") + caret)
    assert tracefs.read("dynamic_events") == before
    tracefs.write("dynamic_events", "")
    tracefs.write("error_log", "")


def test_what_is_probed_stays(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("dynamic_events", "s:one u64 a")
    tracefs.append("dynamic_events", "e:two synthetic.one a=$a")
    for write in ("-:synthetic/one", "-:one"):
        with pytest.raises(TraceError) as error:
            tracefs.append("dynamic_events", write)
        assert error.value.errno == errno.EBUSY
    tracefs.write("events/eprobes/two/enable", "1")
    with pytest.raises(TraceError) as error:
        tracefs.append("dynamic_events", "-:two")
    assert error.value.errno == errno.EBUSY
    tracefs.write("events/eprobes/two/enable", "0")
    tracefs.append("dynamic_events", "-:eprobes/two synthetic/one a=$a")
    tracefs.append("dynamic_events", "-:one")
    assert tracefs.read("dynamic_events") == ""


def test_its_module_stays(machine: Machine) -> None:
    assert machine.run("insmod /lib/modules/sample_events.ko").status == 0
    event = machine.tracefs.listdir("events/sample_events")
    name = next(name for name in event if name not in ("enable", "filter"))
    machine.tracefs.write("dynamic_events", f"e:mine sample_events.{name}")
    refused = machine.run("rmmod sample_events")
    assert refused.status != 0 and b"is in use" in refused.output
    machine.tracefs.write("dynamic_events", "")
    assert machine.run("rmmod sample_events").status == 0
