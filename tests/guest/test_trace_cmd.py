# SPDX-License-Identifier: GPL-2.0-only
"""Debian's unmodified trace-cmd in the guest: it finds the same files in tracefs as on Linux.

It runs from a shared folder, and reads its own recordings in the guest and on the host. The events must be
those of the file `trace`, one by one.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.commands import run
from tests.lib.trace_cmd import copy_trace_cmd, trace_cmd

STATE = (
    "available_events", "current_tracer", "set_event", "set_event_pid", "set_ftrace_filter", "set_ftrace_notrace",
    "set_ftrace_pid", "set_graph_function", "set_graph_notrace", "max_graph_depth", "trace_clock", "trace_options",
    "tracing_cpumask", "tracing_on", "tracing_thresh", "events/sched/sched_switch/filter",
)  # fmt: skip
ENTRY = re.compile(r"^ *(?P<task>\S.*-\d+) +\[(?P<cpu>\d+)\](?: \S{5})? +(?P<time>\d+\.\d+): (?P<what>.*)$", re.MULTILINE)
CALL = re.compile(r"(\S+) <-+ ?(\S+)")


class Entry(NamedTuple):
    """An event in the form common to `trace` and `trace-cmd report`. A call is the event `function`."""

    task: str
    cpu: int
    time: str
    name: str
    text: str


def entries(text: str) -> list[Entry]:
    """The events in a text."""
    return [Entry(m["task"], int(m["cpu"]), m["time"], *told(m["what"])) for m in ENTRY.finditer(text)]


def buffers(report: str) -> dict[str, list[Entry]]:
    """The events of each buffer, by name; "" is the top array."""
    lines: dict[str, list[str]] = {}
    for line in report.splitlines():
        named = re.match(r"(\w+): (.*)", line)
        lines.setdefault(named[1] if named else "", []).append(named[2] if named else line)
    return {name: entries("\n".join(own)) for name, own in lines.items()}


def told(what: str) -> tuple[str, str]:
    call = CALL.fullmatch(what.removeprefix("function:").strip())
    if call is not None:
        return "function", " ".join(call.groups())
    name, _, text = what.partition(":")
    return name, text.strip()


class Guest:
    """A machine with trace-cmd in a folder that the host shares."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder

    def run(self, command: str, status: int = 0) -> str:
        """The output of a shell command, in which `trace-cmd` and `/p` are the program and the folder."""
        return run(self.machine, command.replace("trace-cmd", trace_cmd("/p")), status)

    def host(self, command: str) -> str:
        """The output of the same program on the host, without plugins that may be installed there."""
        line = f"{trace_cmd(self.folder)} {command.replace('/p/', f'{self.folder}/')} -N"
        return subprocess.run(line, shell=True, capture_output=True, text=True, check=True).stdout

    def read(self, file: str) -> str:
        return self.machine.tracefs.read(file)

    def state(self) -> dict[str, str]:
        return {file: self.read(file) for file in STATE}


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    folder = tmp_path_factory.mktemp("trace-cmd")
    copy_trace_cmd(folder, folder / "packages")
    with Machine(shares=[Share(folder, "/p", writable=True)]) as machine:
        yield Guest(machine, folder)
        assert machine.warnings == []


def test_it_lists_what_there_is(guest: Guest) -> None:
    assert guest.run("trace-cmd list -e") == guest.read("available_events")
    assert guest.run("trace-cmd list -t").split() == guest.read("available_tracers").split()
    assert guest.run("trace-cmd list -f '^vfs_read'").split() == ["vfs_readlink", "vfs_readv", "vfs_read"]
    options = guest.run("trace-cmd list -o").split()
    assert set(guest.read("trace_options").split()) <= set(options)
    assert sorted(option.removeprefix("no") for option in options) == guest.run("ls /sys/kernel/tracing/options").split()
    assert guest.run("trace-cmd list -C") == guest.read("trace_clock")
    assert guest.run("trace-cmd check-events") == ""


def test_it_starts_shows_and_resets(guest: Guest) -> None:
    before = guest.state()
    assert "All disabled" in guest.run("trace-cmd stat")
    events = "-e sched -e sched:sched_switch -f 'next_pid != 0'"
    guest.run(f"trace-cmd start -p function -l 'vfs_*' -n vfs_write {events} -O sym-offset")
    guest.run("ls /bin")
    assert guest.read("current_tracer") == "function\n"
    assert guest.read("set_event").splitlines() == [
        event for event in guest.read("available_events").splitlines() if event.startswith("sched:")
    ]
    assert "vfs_read\n" in guest.read("set_ftrace_filter")
    assert guest.read("set_ftrace_notrace") == "vfs_write\n"
    assert guest.read("events/sched/sched_switch/filter") == "(next_pid != 0)\n"
    assert "\nsym-offset\n" in guest.read("trace_options")
    status = guest.run("trace-cmd stat")
    for line in "Tracer: function", "   sched", "   vfs_read", '  sched:sched_switch "(next_pid != 0)"', "Tracing is enabled":
        assert f"{line}\n" in status
    guest.run("trace-cmd stop")
    assert guest.read("tracing_on") == "0\n"
    assert "Tracing is disabled" in guest.run("trace-cmd stat")
    shown = guest.run("trace-cmd show")
    assert shown == guest.read("trace")
    assert {"vfs_open", "sched_waking"} <= {word.rstrip(":") for word in re.findall(r"\w+(?=:|\+0x)", shown)}
    assert "next_comm=swapper" not in shown
    assert "vfs_write" not in shown
    guest.run("trace-cmd reset; trace-cmd set -O nosym-offset")  # reset keeps options
    assert guest.state() == before
    assert entries(guest.read("trace")) == []


def test_it_sets_triggers(guest: Guest) -> None:
    trigger = "events/sched/sched_switch/trigger"
    before = guest.read(trigger)
    guest.run("trace-cmd start -e sched_switch -R 'traceoff if next_comm == \"ls\"'")
    assert guest.read(trigger) == 'traceoff:unlimited if next_comm == "ls"\n'
    assert """sched:sched_switch "traceoff:unlimited if next_comm == "ls""" in guest.run("trace-cmd stat")
    assert guest.read("tracing_on") == "1\n"
    guest.run("ls | cat")
    assert guest.read("tracing_on") == "0\n"
    guest.run("trace-cmd reset")
    assert (guest.read(trigger), guest.read("tracing_on")) == (before, "1\n")


def test_it_graphs_what_it_is_asked_to(guest: Guest) -> None:
    guest.run("trace-cmd start -p function_graph -g vfs_read -O nofuncgraph-irqs --max-graph-depth 2; cat /init > /dev/null")
    assert guest.read("set_graph_function") == "vfs_read\n"
    guest.run("trace-cmd stop")
    shown = guest.run("trace-cmd show")
    assert "|  vfs_read() {\n" in shown
    assert shown == guest.read("trace")
    guest.run("trace-cmd reset")


def test_what_it_takes_out_of_the_kernel_is_the_trace(guest: Guest) -> None:
    """With an instance, and a snapshot of the first events."""
    guest.run("trace-cmd start -p function -l 'vfs_*' -l schedule -e sched -e irq -B one -e sched_switch; ls /bin | wc -l")
    guest.run("trace-cmd snapshot -s; ls /bin > /dev/null; trace-cmd stop -a")
    trace, one = entries(guest.read("trace")), entries(guest.read("instances/one/trace"))
    first = guest.run("trace-cmd snapshot")
    assert first == guest.read("snapshot")
    guest.run("trace-cmd snapshot -f; trace-cmd extract -a -o /p/extracted; trace-cmd reset -a -d")
    assert "Snapshot is freed" in guest.read("snapshot")
    assert {entry.name for entry in trace} >= {"function", "sched_switch", "softirq_raise"}
    assert max(entry.time for entry in entries(first)) < min(entry.time for entry in trace)
    report = buffers(guest.run("trace-cmd report -i /p/extracted"))
    assert report == {"": trace, "one": one}
    assert buffers(guest.host("report -i /p/extracted")) == report


def test_it_records_what_a_command_does(guest: Guest) -> None:
    """With an instance next to it, which sees the same events and those before and after.

    A buffer has four pages, and a recorder waits for half of them: it gets whole pages, and the rest at the end.
    """
    before = guest.state()
    beside = "/sys/kernel/tracing/instances/beside"
    guest.run(f"mkdir {beside}; echo '*alloc*' > {beside}/set_ftrace_filter; echo function > {beside}/current_tracer")
    guest.run(f"echo sched_switch > {beside}/set_event")
    calls = "-p function -l '*alloc*' -e sched_switch"
    one = "-B one -b 16 -e sched_switch -f 'prev_pid != 0'"
    shown = "cat /sys/kernel/tracing/instances/one/events/sched/sched_switch/filter"
    output = guest.run(f"cd /p; trace-cmd record -b 16 {calls} {one} sh -c '{shown}; ls -l /bin | wc -l; sleep 1'; ls /p")
    seen = entries(guest.read("instances/beside/trace"))
    guest.run(f"rmdir {beside}; trace-cmd reset -a -d")
    assert "CPU1 data recorded at" in output
    assert "trace.dat\n" in output
    assert "trace.dat.cpu" not in output
    text = guest.run("cd /p; trace-cmd report")
    recorded = buffers(text)
    assert buffers(guest.host("report -i /p/trace.dat")) == recorded
    assert "EVENTS DROPPED" not in text
    recorders = re.search(r"^\(\(prev_pid != 0\)\)&&\(\(common_pid<(\d+)\|\|common_pid>(\d+)\)", output, re.MULTILINE)
    assert recorders is not None  # trace-cmd has added its recorders to the filter, so events among them are left out
    own = [str(pid) for pid in range(int(recorders[1]), int(recorders[2]) + 1)]
    among_them = re.compile(rf"prev_pid=({'|'.join(own)}) .* next_pid=({'|'.join(own)}) |prev_pid=0 ")
    switches = [entry for entry in seen if entry.name == "sched_switch" and not among_them.search(entry.text)]
    for name, there in {"": seen, "one": switches}.items():
        first, last = there.index(recorded[name][0]), there.index(recorded[name][-1])
        assert recorded[name] == there[first : last + 1]
    assert {"prev_comm=ls", "prev_comm=wc"} <= {word for entry in recorded["one"] for word in entry.text.split()}
    assert guest.state() == before
    counted = re.findall(r"^  %.* #(\d+)$", guest.run("cd /p; trace-cmd hist"), re.MULTILINE)
    assert sum(map(int, counted)) == len(recorded["one"])  # it counts events of the last buffer


def test_it_records_calls(guest: Guest) -> None:
    graph = "-p function_graph -g vfs_read -O nofuncgraph-irqs"
    guest.run(f"trace-cmd record -o /p/calls {graph} -F cat /init > /dev/null")
    report = guest.run("trace-cmd report -i /p/calls")
    assert re.search(r"cat-\d+ +\[\d+\] +\d+\.\d+: funcgraph_entry: +\| +vfs_read\(\) \{", report)
    assert guest.host("report -i /p/calls") == guest.run("trace-cmd report -i /p/calls -N")
    guest.run("trace-cmd reset")


def test_it_tells_of_events_as_they_come(guest: Guest) -> None:
    """Its recorders poll: here any event wakes them up. When it stops them, it does not wait for the rest of their data."""
    guest.run("echo 0 > /sys/kernel/tracing/buffer_percent")
    beside = "/sys/kernel/tracing/instances/beside"
    guest.run(f"mkdir {beside}; echo 1 > {beside}/events/sched/sched_switch/enable")
    streamed = entries(guest.run("trace-cmd stream -e sched_switch sh -c 'ls / | cat; ls / | cat; usleep 100000'"))
    seen = entries(guest.read("instances/beside/trace"))
    profile = guest.run("trace-cmd profile -p nop -S -e sched_switch sh -c 'ls /; usleep 100000'")
    guest.run(f"rmdir {beside}; trace-cmd reset; echo 50 > /sys/kernel/tracing/buffer_percent")
    for cpu in 0, 1:
        told, there = ([(e.time, e.text) for e in some if e.cpu == cpu] for some in (streamed, seen))
        start = there.index(told[0]) if told else 0
        assert told == there[start : start + len(told)]
    assert {"prev_comm=ls", "prev_comm=cat"} & {word for entry in streamed for word in entry.text.split()}
    assert re.search(r"^task: (?!swapper)\S+-\d+\n +Event: sched_switch", profile, re.MULTILINE)


def test_it_traces_the_deepest_stack(guest: Guest) -> None:
    guest.run("trace-cmd stack --start; ls > /dev/null")
    assert guest.run("trace-cmd stack") == "(stack tracer running)\n" + guest.read("stack_trace")
    guest.run("trace-cmd stack --stop; trace-cmd stack --reset")
    assert (guest.read("stack_max_size"), guest.run("cat /proc/sys/kernel/stack_tracer_enabled")) == ("0\n", "0\n")


def test_it_says_what_is_not_there(guest: Guest) -> None:
    assert "sched_nothing" in guest.run("trace-cmd start -e sched_nothing 2>&1", 2)
    assert "'nosuch'" in guest.run("trace-cmd start -p nosuch 2>&1", 2)
    assert "Field not found" in guest.run("trace-cmd start -e sched_switch -f 'nothing > 3' 2>&1", 0)
    guest.run("trace-cmd reset")
