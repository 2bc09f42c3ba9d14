# SPDX-License-Identifier: GPL-2.0-only
"""The effects of options that belong to one tracer, and of those for readers of the trace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import shell

EVENT = re.compile(r"^ *\S+-\d+ +\[(\d+)\] \S+ +([\d.]+): (\S+ <-\S+)(?: \(repeats: (\d+), last_ts: +([\d.]+)\))?$")
WORK = "dd if=/dev/zero of=/dev/null bs=1 count=30 2> /dev/null; dd if=/dev/zero of=/n bs=100 count=9 2> /dev/null; ls /bin | wc"


def by_cpu(trace: str) -> dict[str, list[tuple[str, str, int, str]]]:
    """For each CPU: times and calls, the number of repeats, and the time of the last one."""
    found: dict[str, list[tuple[str, str, int, str]]] = {}
    for line in trace.splitlines():
        if match := EVENT.match(line):
            cpu, time, call, repeats, last = match.groups()
            found.setdefault(cpu, []).append((time, call, int(repeats or 0), last or ""))
    return found


def told_once(calls: list[tuple[str, str, int, str]]) -> Iterator[tuple[str, str, int, str]]:
    """The calls as func-no-repeats shows them."""
    latest, repeats, last = "", 0, ""
    for time, call, _, _ in calls:
        if call == latest:
            repeats, last = repeats + 1, time
            continue
        if repeats:
            yield time, latest, repeats, last
        yield time, call, 0, ""
        latest, repeats = call, 0


def test_repeats_are_counted_and_told_of_once(arch: str) -> None:
    """Of three arrays that record the same calls, two count repeats. In all, an interrupt's calls end a series."""
    counting, arrays = ("", "instances/counts/"), ("", "instances/counts/", "instances/all/")
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        tracefs.write("tracing_on", "0")
        for array in arrays:
            if array:
                tracefs.mkdir(array)
            tracefs.write(f"{array}options/func-no-repeats", str(int(array in counting)))
            tracefs.write(f"{array}options/sym-offset", "1")  # a call from another place is a different call
            tracefs.write(f"{array}set_ftrace_filter", "vfs_write *update_process_times dput *lock*")
            tracefs.write(f"{array}current_tracer", "function")
        tracefs.write("tracing_on", "1")
        machine.run(WORK)
        for array in arrays:
            tracefs.write(f"{array}tracing_on", "0")
        recorded = {array: by_cpu(tracefs.read(f"{array}trace")) for array in arrays}
        for array in counting:
            for cpu, calls in recorded["instances/all/"].items():
                counted, expected = recorded[array][cpu], list(told_once(calls))
                begin, end = max(counted[5][0], expected[5][0], key=float), min(counted[-1][0], expected[-1][0], key=float)
                within = [[call for call in one if float(begin) < float(call[0]) < float(end)] for one in (counted, expected)]
                assert within[0] == within[1] and len(within[0]) > 20, (array, cpu)
            assert max(repeats for calls in recorded[array].values() for _, _, repeats, _ in calls) > 3
        assert machine.warnings == []


def test_a_flat_graph_is_the_same_calls_and_returns(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        tracefs.write("tracing_on", "0")
        tracefs.write("set_ftrace_filter", "vfs_*")
        tracefs.write("current_tracer", "function_graph")
        tracefs.write("tracing_on", "1")
        machine.run("ls /bin > /dev/null")
        tracefs.write("tracing_on", "0")
        nested = re.findall(r"(vfs_\w+)\(\)(?: \{|;)", tracefs.read("trace"))
        tracefs.write("trace_options", "funcgraph-flat")
        text = tracefs.read("trace")
        assert "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n" in text
        events = re.findall(r"^ +(\S+-\d+) +\[\d+\] .* [\d.]+: graph_(ent|ret): func=(\w+)$", text, re.MULTILINE)
        assert [function for _, what, function in events if what == "ent"] == nested != []
        stacks: dict[str, list[str]] = {}
        for task, what, function in events:
            if what == "ent":
                stacks.setdefault(task, []).append(function)
            elif stacks.get(task):
                assert stacks[task].pop() == function
        for option, entry in (("raw", r"\d+ \d+ \d+ [0-9a-f]+ \d+"), ("hex", "(?:[0-9a-f]{8,16} ){5,8}")):
            tracefs.write("trace_options", option)
            lines = [line for line in tracefs.read("trace").splitlines() if line and not line.startswith("#")]
            assert re.fullmatch(entry, lines[0]) and len(lines) == len(events), option
            tracefs.write("trace_options", f"no{option}")


def test_stacks_are_those_of_the_function_tracer_alone(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        tracefs.write("options/func_stack_trace", "1")
        tracefs.write("set_ftrace_filter", "schedule")
        tracefs.write("current_tracer", "preemptirqsoff")
        machine.run("ls /bin")
        assert tracefs.read("trace").count("<stack trace>") <= 1  # that of the place where the section ends
        tracefs.write("current_tracer", "function")
        machine.run("ls /bin")
        assert tracefs.read("trace").count("<stack trace>") > 3


def test_who_polls_need_not_wait_with_block(machine: Machine) -> None:
    script = "echo 0 > tracing_on; echo > trace; echo 1 > options/block; timeout 0.01 pollfile {}; echo 0 > options/block"
    for pipe in ("trace_pipe", "per_cpu/cpu0/trace_pipe_raw"):
        assert "poll at once: 1\nselect at once: 1\n" in shell(machine, script.format(pipe)), pipe
        assert "poll at once: 0\nselect at once: 0\n" in shell(machine, f"timeout 0.01 pollfile {pipe}"), pipe
    machine.tracefs.write("tracing_on", "1")


def test_tracing_enabled_is_tracing_on_and_says_so_once(arch: str) -> None:
    with booted_machine(arch) as machine:
        assert "tracing_enabled" not in shell(machine, "ls")
        script = "echo 0 > tracing_enabled; cat tracing_on; echo 1 > tracing_on; cat tracing_enabled; ls -l tracing_enabled"
        assert shell(machine, script).split()[:3] == ["0", "1", "-rw-r-----"]
        assert shell(machine, "dmesg").count("tracing_enabled is deprecated. Use tracing_on\n") == 1
