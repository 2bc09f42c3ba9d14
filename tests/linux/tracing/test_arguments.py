# SPDX-License-Identifier: GPL-2.0-only
"""What the calls of a Linux are given and return: what a witness sees in the registers, and what programs know of their calls."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from emu.cpu.cpu import Cpu
from emu.ftrace.buffers.entries import ARGUMENTS, FUNCTION, VALUED_EXIT, EventType
from emu.ftrace.errors import TraceError
from emu.ftrace.text.rows import merge
from emu.linux.machine import LinuxMachine
from emu.trace import Trace
from emu.trace.disk_recording import DiskRecording
from emu.trace.machine_recording import recording_of
from emu.trace.report import Report, ReportOptions
from emu.trace.trace_text import trace_text
from tests.lib.linux_kernel import insert

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
FILES = ("set_ftrace_filter", "set_graph_function", "trace")


@pytest.fixture
def traced(machine: LinuxMachine) -> Iterator[LinuxMachine]:
    """A booted machine that traces nothing, with the options at their defaults."""
    fs = machine.tracefs
    fs.write("tracing_on", "0")
    yield machine
    for tracer in ("function", "function_graph"):
        fs.write("current_tracer", tracer)
        for option in fs.read("trace_options").split():
            if re.match("func(graph)?-(args|ret)", option):
                fs.write("trace_options", f"no{option}")
    fs.write("current_tracer", "nop")
    for name in fs.listdir("instances"):
        fs.rmdir(f"instances/{name}")
    for name in FILES:
        fs.write(name, "")
    fs.write("tracing_on", "1")


def bodies(machine: LinuxMachine, path: str = "trace") -> list[str]:
    """The lines of the function tracer after the time, or those of a graph after its columns."""
    lines = machine.tracefs.read(path).splitlines()
    return [re.sub(r"^.*?(\d: |\|  )", "", line) for line in lines if line and line[0] != "#"]


def graph_of(machine: LinuxMachine, functions: str, *options: str) -> None:
    """Sets function_graph for some functions."""
    machine.tracefs.write("set_ftrace_filter", functions)
    machine.tracefs.write("current_tracer", "function_graph")
    for option in options:
        machine.tracefs.write("trace_options", option)


def test_what_a_program_reads(traced: LinuxMachine) -> None:
    """dd of 2,000 bytes in pieces of 832: the sizes that it asks for, and those that it gets."""
    graph_of(traced, "ksys_read vfs_read", "funcgraph-args", "funcgraph-retval")
    traced.run("head -c 2000 /bin/busybox > /tmp/file")
    assert traced.run("dd if=/tmp/file of=/dev/null bs=832", trace=True, follow=True).status == 0
    found = re.findall(
        r"^ksys_read\(fd=0, buf=(0x[0-9a-f]+), count=832\) \{\n"
        r"  vfs_read\(file=0xffff[0-9a-f]{12}, buf=(0x[0-9a-f]+), count=832, pos=0x[0-9a-f]+\); /\* ret=(0x[0-9a-f]+) \*/\n"
        r"\} /\* ksys_read ret=(0x[0-9a-f]+) \*/$",
        "\n".join(bodies(traced)), re.MULTILINE,
    )  # fmt: skip
    assert [(int(inner, 16), int(outer, 16)) for _, _, inner, outer in found] == [(832, 832), (832, 832), (336, 336), (0, 0)]
    assert all(buffer == same for buffer, same, *_ in found)


def test_errors_are_negative_numbers(traced: LinuxMachine) -> None:
    graph_of(traced, "do_sys_openat2", "funcgraph-args", "funcgraph-retval")
    assert traced.run("cat /nosuch", trace=True, follow=True).status == 1
    *_, line = bodies(traced)
    opened = re.fullmatch(
        r"do_sys_openat2\(dfd=4294967196, filename=0x[0-9a-f]+, how=0xffff[0-9a-f]{12}\); /\* ret=-2 \*/", line
    )
    assert opened, f"{line}: of the register all bits are shown, and AT_FDCWD is an int"
    traced.tracefs.write("trace_options", "funcgraph-retval-hex")
    assert re.search(r"ret=0xf*fffffffe \*/$", bodies(traced)[-1])


def recorded(machine: LinuxMachine, cpu: int) -> NDArray[np.uint64]:
    """The function tracer's entries on a CPU: the function and its arguments."""
    events = machine.trace_array.recorder.rings[cpu].unread()
    layout = np.dtype([*((name, FUNCTION[name]) for name in FUNCTION.names or ()), ("args", "u8", ARGUMENTS)])
    entries = events.entries(layout)
    return np.concatenate([entries["ip"][:, np.newaxis], entries["args"]], axis=1)


def test_a_witness_has_seen_the_same_registers(traced: LinuxMachine) -> None:
    machine, array, seen = traced, traced.trace_array, defaultdict[int, list[list[int]]](list)
    machine.tracefs.write("set_ftrace_filter", "vfs_* do_sys_* *path*")
    machine.tracefs.write("current_tracer", "function")
    machine.tracefs.write("trace_options", "func-args")
    functions = machine._tracing.functions
    chosen = set(machine.tracefs.read("set_ftrace_filter").split())
    places = {
        begin: place
        for begin, place, name in zip(
            functions.begins.tolist(), functions.addresses.tolist(), functions.functions.names, strict=True
        )
        if name in chosen
    }

    def look(cpu: Cpu, address: int) -> None:
        if array.recording:
            registers = cpu.registers()
            seen[cpu.index].append([places[address], *(registers[name] for name in REGISTERS)])

    handler = machine.board.python_handler(look)
    for place in places:
        machine.board.callouts.notice(place, handler)
    try:
        machine.run("ls /proc/self/fd; cat /nosuch", trace=True)
    finally:
        for place in places:
            machine.board.callouts.notice(place, None)
    assert sum(map(len, seen.values())) > 50
    for index in range(len(machine.board.cpus)):
        ours = recorded(machine, index).tolist()
        assert ours == seen[index][len(seen[index]) - len(ours) :]
        assert len(seen[index]) - len(ours) <= 1, "tracing begins at a call that the witness may have seen already"


def test_an_instance_has_its_own_option(traced: LinuxMachine) -> None:
    fs = traced.tracefs
    fs.mkdir("instances/i")
    fs.write("instances/i/tracing_on", "0")
    for folder in ("", "instances/i/"):
        fs.write(f"{folder}set_ftrace_filter", "ksys_read")
        fs.write(f"{folder}current_tracer", "function")
    fs.write("instances/i/trace_options", "func-args")
    traced.run("head -c 9 /bin/busybox", trace=["", "i"])
    top, instance = bodies(traced), bodies(traced, "instances/i/trace")
    assert set(top) == {"ksys_read <-do_syscall_64"}
    assert len(instance) == len(top)
    assert all(re.fullmatch(r"ksys_read\(fd=\d+, buf=0x[0-9a-f]+, count=\d+\) <-do_syscall_64", line) for line in instance)


def test_a_module_s_functions_have_its_own_prototypes(traced: LinuxMachine, real_kernel: Path) -> None:
    graph_of(traced, "*:mod:dummy", "funcgraph-args", "funcgraph-retval", "funcgraph-retaddr")
    traced.tracefs.write("tracing_on", "1")
    insert(traced, real_kernel, "dummy")
    traced.tracefs.write("tracing_on", "0")
    text = "\n".join(bodies(traced))
    named = re.search(r"dummy_setup \[dummy\]\(dev=(0xffff[0-9a-f]{12})\); /\* <-alloc_netdev_mqs\+0x\w+/0x\w+ ret=0x", text)
    assert named, text
    assert f"dummy_dev_init [dummy](dev={named[1]}); /* <-register_netdevice+0x" in text


def shown(trace: Trace) -> str:
    return b"".join(trace_text(trace, ReportOptions())).decode()


def test_a_file_has_the_text_of_trace(traced: LinuxMachine, tmp_path: Path) -> None:
    traced.tracefs.write("set_graph_function", "ksys_read")
    graph_of(traced, "", "funcgraph-args", "funcgraph-retaddr", "funcgraph-tail")
    traced.run("head -c 9 /bin/busybox", trace=True)
    live = traced.tracefs.read("trace")
    with DiskRecording(traced, tmp_path) as recording, (tmp_path / "trace.dat").open("w+b") as file:
        with recording.taking():
            pass
        recording.write(file)
    trace = Trace.open(tmp_path / "trace.dat")
    assert shown(trace) == live
    assert {len(values) for values in trace["ftrace:funcgraph_entry"]["args"]} == {ARGUMENTS + 1}
    report = b"".join(Report(trace, ReportOptions()).pieces()).decode()
    assert re.search(r"\|  ksys_read\(\) \{$", report, re.MULTILINE), "as trace-cmd, which does not know arguments"
    assert trace.calls.count == trace["ftrace:funcgraph_entry"].count


def test_recorded_values_are_shown_as_the_options_say(traced: LinuxMachine) -> None:
    """What a call returns is recorded in any case, as in Linux; BTF is kept only if there are arguments."""
    traced.tracefs.write("set_graph_function", "ksys_read")
    graph_of(traced, "")
    traced.run("head -c 9 /bin/busybox", trace=True)
    without = traced.tracefs.read("trace")
    assert "ret=" not in without and " ksys_read() {" in without
    traced.tracefs.write("trace_options", "funcgraph-retval")
    live, trace = traced.tracefs.read("trace"), Trace(recording_of(traced))
    assert shown(trace) == live and "} /* ksys_read ret=0x9 */" in live
    assert not trace.recording.btf and set(map(len, trace["ftrace:funcgraph_entry"]["args"])) == {0}


FORMATS: Mapping[str, str] = {
    "function": "unsigned long ip@8 unsigned long parent_ip@16 unsigned long args[]@24",
    "funcgraph_entry": "unsigned long func@8 unsigned int depth@16 unsigned long args[]@24",
    "funcgraph_exit": "unsigned long func@8 unsigned long retval@16 unsigned int depth@24 unsigned int overrun@28 "
    "unsigned long long calltime@32 unsigned long long rettime@40",
}


def test_the_formats_are_those_of_linux_6_15(traced: LinuxMachine) -> None:
    for name, expected in FORMATS.items():
        text = traced.tracefs.read(f"events/ftrace/{name}/format")
        fields = re.findall(r"field:(?!.* common_)(.*);\toffset:(\d+);", text)
        assert " ".join(f"{declaration}@{offset}" for declaration, offset in fields) == expected


def test_entries_of_latency_tracers_have_the_same_layout(traced: LinuxMachine) -> None:
    """A critical section's own entries come from other code than those of the calls in it."""
    fs = traced.tracefs
    fs.write("options/display-graph", "1")
    try:
        fs.write("current_tracer", "irqsoff")
        traced.run("ls /proc", trace=True)
        rows = merge(traced.trace_array.trace_view(None).events)
        text = fs.read("trace")
    finally:
        fs.write("current_tracer", "nop")
        fs.write("options/display-graph", "0")
    assert set(rows.size[rows.entry["type"] == EventType.FUNCGRAPH_EXIT].tolist()) == {VALUED_EXIT.itemsize}
    assert len(re.findall(r"\|  +\w+\(\);$", text, re.MULTILINE)) > 5


def test_no_other_tracer_has_the_options(traced: LinuxMachine) -> None:
    traced.tracefs.write("current_tracer", "function")
    with pytest.raises(TraceError, match="function_graph has it"):
        traced.tracefs.write("trace_options", "funcgraph-args")
