# SPDX-License-Identifier: GPL-2.0-only
"""`emu run -e` with filters and triggers, in trace-cmd's syntax."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import Emu

SWITCH = ("-e", "sched:sched_switch")
COMMANDS = "traceon traceoff snapshot stacktrace enable_event disable_event"
TRIGGERS = f"{COMMANDS} enable_hist disable_hist hist"


def test_an_event_is_recorded_only_if_its_filter_says_so(emu: Emu, arch: str) -> None:
    result = emu("run", "--arch", arch, *SWITCH, "-f", "prev_pid == 0", "-e", "sched:sched_waking", "--", "ls | cat")
    lines = result.out.decode().splitlines()
    switches = [line for line in lines if " sched_switch: " in line]
    assert switches and all(" prev_pid=0 " in line for line in switches)
    assert any(" sched_waking: " in line for line in lines)


def test_a_filter_of_a_system_is_for_those_of_its_events_that_have_its_fields(emu: Emu) -> None:
    result = emu("run", "-e", "sched", "-f", "prev_pid == 0", "--", "ls | cat")
    lines = result.out.decode().splitlines()
    assert all(" prev_pid=0 " in line for line in lines if " sched_switch: " in line)
    assert any(" sched_wakeup: " in line for line in lines)


def test_a_trigger_of_an_event(emu: Emu, arch: str) -> None:
    result = emu("run", "--arch", arch, *SWITCH, "-R", "stacktrace:2", "--", "ls | cat")
    text = result.out.decode()
    assert text.count("<stack trace>") == 2
    assert len(re.findall(" sched_switch: ", text)) > 2


@pytest.mark.static_timing("which switch comes last depends on times")
def test_an_event_has_several_triggers(emu: Emu) -> None:
    result = emu("run", *SWITCH, "-R", "traceoff if next_prio < 100", "-R", "stacktrace:1", "--", "ls; chrt -f 10 usleep 9; ls")
    text = result.out.decode()
    priorities = [int(found[1]) for found in re.finditer(r" sched_switch: .* next_prio=(\d+)\n", text)]
    assert priorities[-1] == 89 and min(priorities[:-1]) == 120
    assert text.count("<stack trace>") == 1


def test_histograms_of_an_event_are_added_to_each_other(emu: Emu) -> None:
    shown = "cat /sys/kernel/tracing/events/sched/sched_switch/trigger"
    result = emu("run", *SWITCH, "-R", "hist:keys=prev_pid", "-R", "hist:keys=next_pid", "--", shown)
    assert re.findall("hist:keys=(.*?):", result.err) == ["prev_pid", "next_pid"]


def test_an_event_that_set_defines(emu: Emu, arch: str) -> None:
    probe = "kprobe_events=p:reads ksys_read size=$arg3"
    result = emu("run", "--arch", arch, "-e", "kprobes:reads", "-f", "size > 5000", "--set", probe, "--", "cat /proc/version")
    found = re.findall(r" reads: \(ksys_read\+0x0/0x\w+\) size=0x(\w+)\n", result.out.decode())
    assert found and all(int(size, 16) > 5000 for size in found)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([*SWITCH, "-f", "prev_pid = 0"], "-f: filter 'prev_pid = 0', position 10: Invalid operator"),
        ([*SWITCH, "-R", "tracof"], f"-R: there is no trigger 'tracof' (there are: {TRIGGERS}); did you mean traceoff?"),
        ([*SWITCH, "-R", "stop"], f"-R: there is no trigger 'stop' (there are: {TRIGGERS})"),
        ([*SWITCH, "-R", "stacktrace:x"], "-R: 'x': a number of times or 'if FILTER' is needed"),
        ([*SWITCH, "-R", "stacktrace:3 fi"], "-R: 'fi': 'if FILTER' is needed"),
        (["-l", "schedule:halt"], f"-l: there is no filter command 'halt' (there are: mod {COMMANDS} dump cpudump)"),
        (["-n", "schedule:stacktrace"], "-n: only set_ftrace_filter takes the command 'stacktrace'"),
        ([*SWITCH, "-R", "stacktrace if x == 1"], "-R: filter 'x == 1', position 2: Field not found"),
        ([*SWITCH, "-f", "bogus == 0"], "-f: filter 'bogus == 0', position 6: Field not found"),
        ([*SWITCH, "-f", "prev_pdi == 0"], "-f: filter 'prev_pdi == 0', position 9: Field not found; did you mean prev_pid?"),
        (
            [*SWITCH, "-R", "traceoff if prev_pdi == 0"],
            "-R: filter 'prev_pdi == 0', position 9: Field not found; did you mean prev_pid?",
        ),
        (["-e", "sched", "-f", "prev_pdi > 0"], "-f: filter 'prev_pdi > 0', position 9: Field not found; did you mean prev_pid?"),
        (["-e", "sched", "-f", "prev_pid = 0"], "-f: filter 'prev_pid = 0', position 10: Invalid operator"),
        (["-e", "sched", "-f", "(pid == 0"], "-f: filter '(pid == 0', position 0: Too many '('"),
        (["-e", "all", "-f", "bogus == 0"], "-f, exceptions: filter 'bogus == 0', position 6: Field not found"),
        (
            ["-e", "sched:*", "-R", "traceoff if bogus == 0"],
            "-R, sched:sched_stat_runtime: filter 'bogus == 0', position 6: Field not found",
        ),
        (
            ["-e", "sched:sched_swich", "-f", "prev_pid == 0"],
            "-e: there is no event 'sched:sched_swich'; did you mean sched:sched_switch?",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(emu: Emu, arguments: list[str], why: str) -> None:
    result = emu("run", *arguments, "true")
    assert (result.status, result.out, result.err) == (2, b"", f"emu: {why}\n")
