# SPDX-License-Identifier: GPL-2.0-only
"""The tracers wakeup, wakeup_rt and wakeup_dl: compared with a delay that is known in advance, and with events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.event_lines import EventLine, event_lines
from tests.lib.golden import read_golden

EVENTS = "sched_wakeup sched_wakeup_new sched_switch"


@pytest.mark.static_timing("how long is waited is counted")
def test_a_task_waits_for_one_with_a_higher_priority(arch: str) -> None:
    with booted_machine(arch, frequency=10**9) as machine:
        tracefs = machine.tracefs
        tracefs.write("current_tracer", "wakeup_rt")
        for delay in (13, 471):
            tracefs.write("tracing_max_latency", "0")
            assert machine.run(f"insmod /lib/modules/sample_wakeup.ko delay={delay}").status == 0
            assert delay <= int(tracefs.read("tracing_max_latency")) <= delay + 2
            trace = tracefs.read("trace")
            assert re.search(r", CPU#1 \|.*\n.*\n#    \| task: sample_sleeper-\d+ \(uid:0 nice:0 policy:1 rt_prio:1\)\n", trace)
            lines = [line for line in trace.splitlines() if re.match(r" *\S+-\d+ ", line)]
            assert re.fullmatch(r"sample_w-\d+ +0d\.\.4\.    0us :  +\d+:120:R   \+ \[001\]  +\d+: 98:R sample_sleeper", lines[0])
            last = re.fullmatch(r"sample_k-\d+ +1d\.\.3\. +(\d+)us : +\d+: 49:S ==> \[001\] +\d+: 98:R sample_sleeper", lines[-2])
            assert last and delay <= int(last[1]) <= delay + 2
            # Only functions of the woken task's CPU: the keeper's, at the end, until it goes to sleep
            assert "<stack trace>" in lines[1] and lines[2].endswith(": 0")
            assert {line.split()[1][0] for line in lines[3:]} == {"1"}
            assert any(re.search(r": schedule <-sample_\w+ \[sample_wakeup\]$", line) for line in lines)
            assert machine.run("rmmod sample_wakeup").status == 0


def shown(trace: str) -> list[tuple[str, str]]:
    """The flags and text of each event, without numbers, white space, and the names of functions of Linux's tracers."""
    of_tracer = re.compile(r" => (__ftrace_trace_stack|probe_wakeup\w*)\n")
    lines = re.findall(r"\d(?P<flags>[dnNh.]{3}[\d.]{2}) +\d+us.: (?P<text>.*(?:\n => .*)*)", of_tracer.sub("", trace))
    return [(flags.lower(), re.sub(r"\s+", " ", re.sub(r"\n .*|\d+|u?sleep", "", text))) for flags, text in lines]


def test_what_is_recorded_is_as_in_linux(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        tracefs.write("options/function-trace", "0")
        tracefs.write("current_tracer", "wakeup_rt")
        assert tracefs.read("trace") == read_golden("wakeup_dl-ftrace0-graph0.txt").replace("_dl", "_rt")
        machine.run("chrt -f 5 usleep 1000")
        assert shown(tracefs.read("trace")) == shown(read_golden("wakeup_rt-ftrace0-graph0.txt"))
        tracefs.write("options/display-graph", "1")
        assert tracefs.read("tracing_max_latency") == "0\n"
        tracefs.write("options/function-trace", "1")
        machine.run("chrt -f 5 usleep 1000")
        graph = tracefs.read("trace")
        assert re.search(r"\d us \|   \d\)    <idle>-0    \|  dnh5\. \|   0\.000 us    \|  0x0\(\);\n", graph, re.IGNORECASE)
        assert re.search(r"us    \|    \w+\(\);\n", graph)
        assert re.search(r"\|  d\.\.3\. \|   0\.000 us    \|  __schedule\(\);\n.* ==> .* \*/\n.*: <stack trace>\n", graph)


@dataclass
class Followed:
    """The wakeup that a tracer follows."""

    pid: int
    prio: int
    start: float


def worst(events: Sequence[EventLine], limit: int) -> tuple[float, int]:
    """The longest wait in microseconds, and its pid, by the rules of Linux. `limit`: of priorities."""
    found, followed = (0.0, 0), None
    current: dict[int, int] = {}  # the priority of the running task, by CPU
    for event in events:
        if event.name == "sched_switch":
            current[event.cpu] = int(event["next_prio"])
            if followed is not None and int(event["next_pid"]) == followed.pid:
                found = max(found, ((event.time - followed.start) * 1e6, followed.pid))
                followed = None
            continue
        prio = int(event["prio"])
        if prio >= limit or (followed is not None and followed.prio < 0):
            continue
        if prio < 0 or (prio < current.get(event.cpu, 120) and (followed is None or prio < followed.prio)):
            followed = Followed(int(event["pid"]), prio, event.time)
    return found


LOAD = """
for n in 1 2 3; do
    chrt -f $n usleep ${n}00 & chrt -r 7 usleep 150 &
    chrt -d --sched-runtime 100000 --sched-deadline 1000000 --sched-period 1000000 0 usleep 120 &
    nice -n -$n usleep 90 & taskset 2 usleep 70 & cat /proc/version > /dev/null &
done
wait
"""


@pytest.mark.static_timing("how long is waited is counted")
def test_the_worst_is_the_one_that_events_show(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        tracefs.mkdir("instances/events")
        tracefs.write("instances/events/set_event", EVENTS)
        for tracer, limit in (("wakeup", 140), ("wakeup_rt", 100), ("wakeup_dl", 0)):
            tracefs.write("instances/events/trace", "")
            tracefs.write("current_tracer", tracer)
            machine.run(LOAD)
            tracefs.write("tracing_on", "0")
            latency, pid = worst(event_lines(tracefs.read("instances/events/trace")), limit)
            assert latency > 0
            assert abs(int(tracefs.read("tracing_max_latency")) + 0.5 - latency) < 2
            policy = "6" if tracer == "wakeup_dl" else "."
            assert re.search(rf"#    \| task: .*-{pid} \(uid:0 .* policy:{policy} ", tracefs.read("trace"))
            tracefs.write("tracing_on", "1")


def test_the_header_says_nothing_of_the_section_of_an_earlier_tracer(machine: Machine) -> None:
    machine.tracefs.write("current_tracer", "preemptoff")
    machine.run("true")
    assert "=> started at: " in machine.tracefs.read("trace")
    machine.tracefs.write("current_tracer", "wakeup")
    machine.run("chrt -f 5 usleep 500")
    assert "# wakeup latency trace" in (trace := machine.tracefs.read("trace")) and "=> started at: " not in trace
    machine.tracefs.write("current_tracer", "nop")


def test_options_and_events_are_left_as_they_were(machine: Machine) -> None:
    tracefs = machine.tracefs
    before = tracefs.read("trace_options")
    tracefs.write("options/overwrite", "0")
    tracefs.write("current_tracer", "wakeup")
    changed = ("overwrite", "latency-format", "pause-on-trace")
    assert [tracefs.read(f"options/{name}") for name in changed] == ["1\n", "1\n", "0\n"]
    assert tracefs.read("events/sched/sched_switch/enable") == tracefs.read("events/sched/enable") == "0\n"
    with pytest.raises(OSError, match="overwrite"):
        tracefs.write("options/overwrite", "0")
    tracefs.write("current_tracer", "nop")
    assert tracefs.read("options/overwrite") == "0\n"
    tracefs.write("options/overwrite", "1")
    assert tracefs.read("trace_options") == before


def test_a_threshold_keeps_the_latest(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("current_tracer", "wakeup_rt")
    machine.run("chrt -f 5 usleep 100")
    tracefs.write("tracing_max_latency", "1000000")
    tracefs.write("tracing_thresh", "2")
    machine.run("chrt -f 6 usleep 100")
    assert "rt_prio:6" in tracefs.read("trace")
    assert int(tracefs.read("tracing_max_latency")) < 1000
