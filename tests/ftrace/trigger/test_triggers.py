# SPDX-License-Identifier: GPL-2.0-only
"""Triggers of events: what their files show and accept, and what they do."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

SWITCH, WAKEUP, FORK = (f"events/sched/sched_{name}" for name in ("switch", "wakeup", "process_fork"))
NONE = read_golden("trigger-file-empty.txt")


@pytest.fixture(autouse=True)
def tidy(machine: Machine) -> Iterator[None]:
    tracefs = machine.tracefs
    tracefs.write("trace", "")
    yield
    for event in (SWITCH, WAKEUP, FORK, "events/ftrace/print", "events/sched/sched_process_exit"):
        for line in tracefs.read(f"{event}/trigger").splitlines():
            if not line.startswith("#"):
                tracefs.append(f"{event}/trigger", f"!{line.removesuffix(' [active]')}")
        assert tracefs.read(f"{event}/trigger") == NONE
    tracefs.write("events/enable", "0")
    tracefs.write("tracing_on", "1")
    tracefs.write("snapshot", "0")
    assert "*" not in tracefs.read(f"{SWITCH}/enable") + tracefs.read(f"{WAKEUP}/enable")


def lines(machine: Machine, array: str = "") -> list[str]:
    """The texts of the events in the trace."""
    found = [line for line in machine.tracefs.read(f"{array}trace").splitlines() if not line.startswith(("#", " =>"))]
    return [re.split(r" \d+\.\d+: ", line, maxsplit=1)[1] for line in found]


def test_files_are_as_linux_shows_them(machine: Machine) -> None:
    """Except for counts: the number of task switches varies."""
    tracefs = machine.tracefs
    shown = []
    for line in read_golden("trigger-files.txt").splitlines():
        if (set_ := re.fullmatch(r"# echo '(.*)' > trigger", line)):
            tracefs.write(f"{SWITCH}/trigger", set_[1])
            machine.run("true; true; true")
            shown.append(f"{line}\n{tracefs.read(f'{SWITCH}/trigger')}")
            states = [tracefs.read(f"{event}/enable").strip() for event in (WAKEUP, SWITCH)]
            shown.append(f"# sched_wakeup/enable: {states[0]} sched_switch/enable: {states[1]}\n")
            tracefs.append(f"{SWITCH}/trigger", f"!{set_[1]}")
    shown.append(tracefs.read(f"{SWITCH}/trigger"))
    assert _without_counts("".join(shown)) == _without_counts(read_golden("trigger-files.txt"))
    assert tracefs.read(f"{FORK}/trigger") == NONE


def _without_counts(text: str) -> str:
    return re.sub(r"count=\d+", "count=N", text)


def test_an_event_may_have_several_the_newest_first(machine: Machine) -> None:
    tracefs = machine.tracefs
    for text in ("stacktrace", "traceon", "enable_event:sched:sched_wakeup", "disable_event:sched:sched_switch:4 if prev_pid==1"):
        tracefs.write(f"{SWITCH}/trigger", text)
    assert tracefs.read(f"{SWITCH}/trigger").splitlines() == [
        "disable_event:sched:sched_switch:count=4 if prev_pid==1",
        "enable_event:sched:sched_wakeup:unlimited",
        "traceon:unlimited",
        "stacktrace:unlimited",
    ]
    tracefs.append(f"{SWITCH}/trigger", "!traceoff:7 if nosuch")  # the same kind as traceon
    tracefs.append(f"{SWITCH}/trigger", "!disable_event:sched:sched_wakeup")  # the same as enable_event of the same event
    tracefs.append(f"{SWITCH}/trigger", "!snapshot")  # there is none: as in Linux, that is not an error
    assert tracefs.read(f"{SWITCH}/trigger").splitlines() == [
        "disable_event:sched:sched_switch:count=4 if prev_pid==1",
        "stacktrace:unlimited",
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", errno.EINVAL), ("bogus", errno.EINVAL), ("!bogus", errno.EINVAL), ("stacktrace:x", errno.EINVAL),
        ("traceoff:-1", errno.EINVAL), ("traceoff:3x", errno.EINVAL), ("traceoff:99999999999999999999", errno.ERANGE),
        ("traceoff if", errno.EINVAL), ("traceoff prev_pid > 1", errno.EINVAL), ("traceoff:1 if nosuch == 1", errno.EINVAL),
        ("snapshot if foo==1", errno.EINVAL), ("enable_event", errno.EINVAL), ("enable_event:sched", errno.EINVAL),
        ("enable_event:no:event", errno.EINVAL), ("!enable_event:no:event", errno.EINVAL),
        ("enable_event:ftrace:print", errno.EINVAL), ("enable_event:sched:sched_wakeup:x", errno.EINVAL),
        ("traceon", errno.EEXIST), ("traceoff:3", errno.EEXIST), ("disable_event:sched:sched_wakeup", errno.EEXIST),
        ("stacktrace if prev_comm == \"" + "x" * 4096 + "\"", errno.EINVAL),
    ],
)  # fmt: skip
def test_what_is_refused_changes_nothing(machine: Machine, text: str, code: int) -> None:
    tracefs = machine.tracefs
    tracefs.write(f"{SWITCH}/trigger", "traceon:2")
    tracefs.write(f"{SWITCH}/trigger", "enable_event:sched:sched_wakeup:0")
    before = [tracefs.read(path) for path in (f"{SWITCH}/trigger", f"{SWITCH}/enable", f"{WAKEUP}/enable", "error_log")]
    with pytest.raises(TraceError) as error:
        tracefs.append(f"{SWITCH}/trigger", text)
    assert error.value.errno == code
    assert before == [tracefs.read(path) for path in (f"{SWITCH}/trigger", f"{SWITCH}/enable", f"{WAKEUP}/enable", "error_log")]


def test_what_linux_refuses_is_refused(machine: Machine) -> None:
    """Its error_log only has lines about hist."""
    tracefs = machine.tracefs
    tried = re.findall(r"# echo '(.*)' > \S+\n(?:.*echo.*\n)?rc=(\d)", read_golden("error-triggers.txt"))
    assert [text for text, status in tried if status == "0"] == ["hist:keys=prev_pid:badattr=1"]
    tracefs.write("error_log", "")
    for text, status in tried:
        if status == "0":
            tracefs.write(f"{SWITCH}/trigger", text)
        else:
            with pytest.raises(TraceError, match="EINVAL"):
                tracefs.write(f"{SWITCH}/trigger", text)
    assert _without_times(tracefs.read("error_log")) == _without_times(read_golden("error_log.after-bad-triggers.txt"))


def _without_times(text: str) -> str:
    return re.sub(r"\[ *\d+\.\d+\]", "[TIME]", text)


def test_a_stack_after_the_first_events(machine: Machine) -> None:
    machine.tracefs.write(f"{FORK}/trigger", "stacktrace:3")
    machine.tracefs.write(f"{FORK}/enable", "1")
    machine.run("ls / > /dev/null; ls / > /dev/null; ls / > /dev/null; ls / > /dev/null")
    names = [line.split(":")[0] for line in lines(machine)]
    assert names[:7] == ["sched_process_fork", "<stack trace>"] * 3 + ["sched_process_fork"] and len(names) >= 7
    assert "<stack trace>" not in names[6:]
    stack = [line for line in machine.tracefs.read("trace").splitlines() if line.startswith(" =>")]
    linux = [line for line in read_golden("trigger-stacktrace.txt").splitlines() if line.startswith(" =>")]
    assert stack[:2] == linux[:2] and stack.count(stack[0]) == 3
    assert machine.tracefs.read(f"{FORK}/trigger") == "stacktrace:count=0\n"


def test_an_event_enables_another_and_a_third_disables_it(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("events/sched/sched_process_exec/enable", "1")
    tracefs.write(f"{FORK}/trigger", "enable_event:sched:sched_process_exit")
    tracefs.write("events/sched/sched_process_exit/trigger", "disable_event:sched:sched_process_exit if comm == \"ls\"")
    assert tracefs.read("events/sched/sched_process_exit/enable") == "0*\n"
    enabled = {f"sched:sched_process_{name}" for name in ("exec", "exit", "fork")}
    assert set(tracefs.read("set_event").split()) == enabled  # in soft mode or not
    machine.run("ls / > /dev/null; cat /proc/version > /dev/null")
    exits = [line for line in lines(machine) if line.startswith("sched_process_exit")]
    assert any("comm=cat" in line for line in exits) and not any("comm=ls " in line for line in exits)
    assert tracefs.read("events/sched/sched_process_exit/enable") == "1*\n"


@pytest.mark.parametrize(("condition", "enabled"), [("", 5), (" if common_pid > 0", 6)])
def test_an_event_may_switch_itself(machine: Machine, condition: str, enabled: int) -> None:
    """An event that disables itself is not recorded. One that enables itself is recorded if there is a condition, as in Linux."""
    tracefs = machine.tracefs
    tracefs.write(f"{FORK}/trigger", f"enable_event:sched:sched_process_fork:1{condition}")
    assert tracefs.read(f"{FORK}/enable") == "0*\n"
    machine.run("for i in 1 2 3 4 5; do ls / > /dev/null; done")  # six forks with the shell's
    assert tracefs.read(f"{FORK}/enable") == "1*\n"
    first = lines(machine)
    tracefs.append(f"{FORK}/trigger", "!enable_event:sched:sched_process_fork")
    tracefs.write(f"{FORK}/trigger", f"disable_event:sched:sched_process_fork:1{condition}")
    tracefs.write("trace", "")
    machine.run("for i in 1 2 3 4 5; do ls / > /dev/null; done")
    second = lines(machine)
    assert tracefs.read(f"{FORK}/enable") == "0*\n"
    assert (len(first), len(second)) == (enabled, 0)


def test_traceon_after_traceoff(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(f"{FORK}/enable", "1")
    tracefs.write("events/sched/sched_process_exit/enable", "1")
    tracefs.write(f"{FORK}/trigger", "traceon")
    tracefs.write("events/sched/sched_process_exit/trigger", "traceoff:2")
    tracefs.write("tracing_on", "0")
    machine.run("ls / > /dev/null; ls / > /dev/null; ls / > /dev/null")
    names = [line.split(":")[0] for line in lines(machine)]
    assert names[:2] == ["sched_process_fork"] * 2  # the shell's, then that of ls, which exits without a trace
    assert "sched_process_exit" in names
    assert tracefs.read("events/sched/sched_process_exit/trigger") == "traceoff:count=0\n"
    assert tracefs.read("tracing_on") == "1\n"


def test_a_snapshot_by_a_trigger(machine: Machine) -> None:
    tracefs = machine.tracefs
    assert tracefs.read("snapshot").startswith("# tracer: nop\n#\n#\n# * Snapshot is freed *\n")
    tracefs.write(f"{FORK}/trigger", "snapshot:1")
    assert "Snapshot is allocated" in tracefs.read("snapshot")
    tracefs.write(f"{FORK}/enable", "1")
    tracefs.write("events/sched/sched_process_exec/enable", "1")
    tracefs.write("trace_marker", "before")
    machine.run("true")
    assert "tracing_mark_write: before" in tracefs.read("snapshot") and "sched_process" not in tracefs.read("snapshot")
    assert "sched_process_fork" in tracefs.read("trace") and "before" not in tracefs.read("trace")


def test_a_snapshot_without_memory_is_refused(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(ring: RingBuffer, pages: int) -> None:
        raise MemoryError

    tracefs = machine.tracefs
    with monkeypatch.context() as patch:
        patch.setattr(RingBuffer, "_allocate", fail)
        for path, text in (f"{FORK}/trigger", "snapshot"), ("set_ftrace_filter", "schedule:snapshot"):
            with pytest.raises(TraceError, match="ENOMEM"):
                tracefs.write(path, text)
    assert (tracefs.read(f"{FORK}/trigger"), tracefs.read(f"{FORK}/enable")) == (NONE, "0\n")
    assert tracefs.read("set_ftrace_filter") == "#### all functions enabled ####\n"


SAID = "tracing_snapshot_instance_cond: *** {} ***"
NOT_ALLOCATED = [SAID.format("SNAPSHOT NOT ALLOCATED"), SAID.format("stopping trace here!  ")]


@pytest.mark.parametrize("condition", ["", " if parent_pid > 0"])
def test_without_room_for_a_snapshot_tracing_ends(machine: Machine, condition: str) -> None:
    """So that the events to be kept are not overwritten: as in Linux, the room can be freed while there is a trigger.

    An event is recorded before a trigger with a condition acts, but not after one without.
    """
    tracefs = machine.tracefs
    tracefs.write(f"{FORK}/trigger", f"snapshot{condition}")
    tracefs.write(f"{FORK}/enable", "1")
    tracefs.write("snapshot", "0")
    tracefs.write("trace_marker", "kept")
    machine.run("true; true")
    assert tracefs.read("tracing_on") == "0\n"
    kept, *said = lines(machine)
    assert kept == "tracing_mark_write: kept"
    if condition:
        assert said.pop(0).startswith("sched_process_fork: ")
    assert said == NOT_ALLOCATED


def test_it_is_said_with_its_stack_and_in_its_array(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.mkdir("instances/a")
    tracefs.write("instances/a/options/stacktrace", "1")
    tracefs.write("instances/a/set_ftrace_filter", "sys_sync:snapshot")
    tracefs.write("instances/a/snapshot", "0")
    machine.run("sync")
    said = [line for line in tracefs.read("instances/a/trace").splitlines() if not line.startswith("#")]
    assert [line.partition(": ")[2] for line in said if "=>" not in line] == [
        NOT_ALLOCATED[0], "<stack trace>", NOT_ALLOCATED[1], "<stack trace>",
    ]  # fmt: skip
    assert next(line for line in said if "=>" in line) == " => sys_sync"
    assert [tracefs.read(f"{array}tracing_on") for array in ("instances/a/", "")] == ["0\n", "1\n"]
    assert lines(machine) == []
    tracefs.write("instances/a/set_ftrace_filter", "!sys_sync:snapshot")
    tracefs.rmdir("instances/a")


def test_a_latency_tracer_has_no_room_for_a_snapshot(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("set_ftrace_filter", "sys_sync:snapshot:1")
    tracefs.write("options/function-trace", "0")
    tracefs.write("current_tracer", "wakeup_rt")
    tracefs.write("tracing_max_latency", "0")
    machine.run("sync; sync")
    told = re.findall(r"tracing_snapshot_instance_cond: .*", tracefs.read("trace_pipe"))  # `trace` shows the maximum latency
    assert told == [SAID.format("LATENCY TRACER ACTIVE"), SAID.format("Can not use snapshot (sorry)")]
    assert tracefs.read("tracing_on") == "1\n"
    tracefs.write("current_tracer", "nop")
    tracefs.write("options/function-trace", "1")
    tracefs.write("set_ftrace_filter", "!sys_sync:snapshot:0")


def test_an_nmi_takes_no_snapshot(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("set_ftrace_filter", "nmi_handle:snapshot")
    machine.inject_nmi(1)
    machine.run("true")
    called, ignored = (SAID.format(text) for text in ("SNAPSHOT CALLED FROM NMI CONTEXT", "snapshot is being ignored       "))
    assert lines(machine) == [called, ignored]
    assert tracefs.read("tracing_on") == "1\n"
    tracefs.write("set_ftrace_filter", "!nmi_handle:snapshot")


def test_arrays_have_triggers_of_their_own(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.mkdir("instances/a")
    try:
        tracefs.write(f"instances/a/{FORK}/trigger", "enable_event:sched:sched_process_exit")
        tracefs.write(f"{FORK}/trigger", "traceoff")
        assert tracefs.read(f"{FORK}/trigger") == "traceoff:unlimited\n"
        machine.run("true")
        assert tracefs.read("tracing_on") == "0\n" and tracefs.read("instances/a/tracing_on") == "1\n"
        assert {line.split(":")[0] for line in lines(machine, "instances/a/")} == {"sched_process_exit"}
        states = [tracefs.read(f"{array}events/sched/sched_process_exit/enable") for array in ("", "instances/a/")]
        assert states == ["0\n", "1*\n"]
    finally:
        tracefs.rmdir("instances/a")


def test_markers_have_triggers_and_trace_printk_has_none(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("events/ftrace/print/trigger", "traceoff if buf ~ \"*stop*\"")
    machine.run("echo go > /sys/kernel/tracing/trace_marker; echo stop > /sys/kernel/tracing/trace_marker")
    assert [line.split(": ")[1] for line in lines(machine)] == ["go", "stop"]
    assert tracefs.read("tracing_on") == "0\n"
    with pytest.raises(TraceError, match="EBADF"):
        tracefs.write("trace_marker", "more")
    tracefs.append("events/ftrace/print/trigger", "!traceoff")
    tracefs.write("events/ftrace/print/trigger", "stacktrace:1")
    tracefs.write("tracing_on", "1")
    tracefs.write("trace", "")
    tracefs.write("trace_marker", "from the host")  # without a guest context there is no stack
    machine.run("modprobe sample_printk; rmmod sample_printk")
    assert tracefs.read("events/ftrace/print/trigger") == "stacktrace:count=0\n"
    assert "<stack trace>" not in lines(machine)


def test_injected_events_have_them_too(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(f"{FORK}/trigger", "enable_event:sched:sched_wakeup:1 if parent_pid == 7")
    for pid in 6, 7, 7:
        tracefs.write(f"{FORK}/inject", f"parent_pid={pid}")
        assert tracefs.read(f"{WAKEUP}/enable") == ("0*\n" if pid == 6 else "1*\n")
    assert tracefs.read(f"{FORK}/trigger") == "enable_event:sched:sched_wakeup:count=0 if parent_pid == 7\n"


def test_they_go_with_modules(machine: Machine) -> None:
    tracefs = machine.tracefs
    machine.run("modprobe sample_events")
    path = next(f"events/{system}" for system in tracefs.listdir("events") if system.startswith("sample"))
    event = next(name for name in tracefs.listdir(path) if name not in ("enable", "filter"))
    system = path.removeprefix("events/")
    tracefs.write(f"{FORK}/trigger", f"enable_event:{system}:{event}")
    tracefs.write(f"{path}/{event}/trigger", "enable_event:sched:sched_wakeup")
    tracefs.write("set_ftrace_filter", f"schedule:disable_event:{system}:{event}")
    assert (tracefs.read(f"{FORK}/enable"), tracefs.read(f"{WAKEUP}/enable")) == ("0*\n", "0*\n")
    assert machine.run("rmmod sample_events").status == 0
    assert (tracefs.read(f"{FORK}/enable"), tracefs.read(f"{WAKEUP}/enable")) == ("0\n", "0\n")
    assert tracefs.read(f"{FORK}/trigger") == NONE
    assert tracefs.read("set_ftrace_filter") == "#### all functions enabled ####\n"
    machine.run("ls / > /dev/null")


def test_only_print_of_the_internal_events_has_a_file(machine: Machine) -> None:
    internal = machine.tracefs.listdir("events/ftrace")
    assert [name for name in internal if machine.tracefs.exists(f"events/ftrace/{name}/trigger")] == ["print"]


def test_they_act_in_interrupts_and_nmis(machine: Machine) -> None:
    """The interrupt of a timer, and an NMI in the middle of other code."""
    tracefs = machine.tracefs
    tracefs.write("events/timer/hrtimer_expire_entry/trigger", "stacktrace:2")
    tracefs.write("set_ftrace_filter", "nmi_handle:stacktrace:1")
    machine.inject_nmi(0)
    machine.run("sleep 1")
    text = tracefs.read("trace")
    tracefs.append("set_ftrace_filter", "!nmi_handle:stacktrace:0")
    tracefs.append("events/timer/hrtimer_expire_entry/trigger", "!stacktrace")
    assert lines(machine) == ["<stack trace>"] * 3  # though the event itself is not recorded
    assert text.count(" => nmi_handle\n") == 1
    frames = ("trace_event_raw_event_hrtimer_expire_entry", "__hrtimer_run_queues", "hrtimer_interrupt")
    assert text.count("".join(f" => {frame}\n" for frame in frames)) == 2


def test_two_runs_are_the_same(arch: str) -> None:
    def trace() -> str:
        with booted_machine(arch, cpus=2) as machine:
            write = machine.tracefs.write
            write(f"{SWITCH}/trigger", "stacktrace:20 if prev_state != 0")
            write(f"{FORK}/trigger", "snapshot:2")
            write(f"{WAKEUP}/trigger", "enable_event:sched:sched_waking:3")
            write("set_ftrace_filter", "vfs_*:stacktrace:4 sys_exit_group:disable_event:sched:sched_waking")
            write(f"{SWITCH}/enable", "1")
            machine.run("ls / | cat > /dev/null; ls / > /dev/null")
            return "".join(machine.tracefs.read(f) for f in ("trace", "snapshot", f"{SWITCH}/trigger", "set_ftrace_filter"))

    first = trace()
    assert "<stack trace>" in first and "sched_waking" in first
    assert first == trace()
