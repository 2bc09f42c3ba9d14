# SPDX-License-Identifier: GPL-2.0-only
"""Hist triggers: adding, changing, sharing tables and removing them, and what they count while the guest runs."""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.event_entries import entries

SWITCH, WAKEUP, WAKING = (f"events/sched/sched_{name}" for name in ("switch", "wakeup", "waking"))
COST = "events/event_cost/event_cost_fixed"
FULL_BITS = 17
EVENTS = 1_000_000


@pytest.fixture(autouse=True)
def tidy(machine: Machine) -> Iterator[None]:
    yield
    tracefs = machine.tracefs
    for event in (SWITCH, WAKEUP, WAKING, "events/ftrace/print", "events/kmem/kmalloc"):
        for line in tracefs.read(f"{event}/trigger").splitlines():
            if not line.startswith("#"):
                tracefs.append(f"{event}/trigger", f"!{re.sub(r' .(active|paused).$', '', line)}")
        assert tracefs.read(f"{event}/trigger").startswith("# Available")
    for file, text in (("set_event", ""), ("trace_clock", "local"), ("trace", ""), ("tracing_on", "1")):
        tracefs.write(file, text)


def rows(machine: Machine, event: str, array: str = "") -> list[str]:
    """The lines of an event's tables, keys and sums."""
    return [line for line in machine.tracefs.read(f"{array}{event}/hist").splitlines() if line.startswith("{")]


def totals(machine: Machine, event: str, array: str = "") -> list[list[int]]:
    """Hits, entries and drops of each table of an event."""
    text = machine.tracefs.read(f"{array}{event}/hist")
    return [list(map(int, found)) for found in re.findall(r"Hits: (\d+)\n    Entries: (\d+)\n    Dropped: (\d+)\n", text)]


def refused(machine: Machine, event: str, text: str) -> int | None:
    """The errno of a refused trigger, which must change nothing."""
    before = [machine.tracefs.read(f"{event}/{file}") for file in ("trigger", "enable")]
    with pytest.raises(TraceError) as error:
        machine.tracefs.append(f"{event}/trigger", text)
    assert before == [machine.tracefs.read(f"{event}/{file}") for file in ("trigger", "enable")]
    return error.value.errno


# Counting


@pytest.mark.parametrize("recorded", ["0", "1"])
@pytest.mark.parametrize("condition", ["", " if prev_pid != 0"])
def test_what_is_counted_is_what_happens(machine: Machine, recorded: str, condition: str) -> None:
    """An instance records the events, too."""
    tracefs = machine.tracefs
    tracefs.mkdir("instances/all")
    tracefs.write(f"instances/all/{SWITCH}/enable", "1")
    tracefs.write(f"{SWITCH}/trigger", f"hist:keys=next_pid{condition}")
    tracefs.append(f"{SWITCH}/trigger", f"hist:keys=next_comm,common_cpu:vals=prev_prio{condition}")
    tracefs.write(f"{SWITCH}/enable", recorded)
    assert tracefs.read(f"{SWITCH}/enable") == f"{recorded}*\n"
    machine.run("ls | cat; busy 2 1")
    switches = [
        (entry, cpu) for cpu, found in enumerate(entries(machine.trace_array.instances["all"])) for entry in found
        if not condition or entry.fields["prev_pid"] != 0
    ]  # fmt: skip
    assert sum(entry.name == "sched_switch" for found in entries(machine.trace_array) for entry in found) == (
        0 if recorded == "0" else sum(map(len, entries(machine.trace_array.instances["all"])))
    )
    by_pid = Counter(entry.fields["next_pid"] for entry, _ in switches)
    by_comm: Counter[tuple[str, int]] = Counter()
    priorities: Counter[tuple[str, int]] = Counter()
    for entry, cpu in switches:
        key = (entry.fields["next_comm"].decode(), cpu)  # type: ignore[union-attr]  # bytes
        by_comm[key] += 1
        priorities[key] += entry.fields["prev_prio"]
    expected = [f"{{ next_pid: {pid:>10} }} hitcount: {count:>10}" for pid, count in by_pid.items()]
    expected += [
        f"{{ next_comm: {comm:<50}, common_cpu: {cpu:>10} }} hitcount: {count:>10}  prev_prio: {priorities[comm, cpu]:>10}"
        for (comm, cpu), count in by_comm.items()
    ]
    assert sorted(rows(machine, SWITCH)) == sorted(expected)
    tracefs.rmdir("instances/all")


def test_a_key_that_is_a_stack_is_that_of_a_trace_without_the_event_itself(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("events/kmem/kmalloc/trigger", "hist:keys=stacktrace:vals=bytes_req")
    tracefs.write("options/stacktrace", "1")
    tracefs.write("options/sym-offset", "1")
    tracefs.write("events/kmem/kmalloc/enable", "1")
    machine.run("ls > /dev/null")
    tracefs.write("options/stacktrace", "0")
    traced = Counter(re.findall(r"<stack trace>\n(?: => .*\n){2}((?: => .*\n)*)", tracefs.read("trace")))
    tracefs.write("options/sym-offset", "0")
    tables = re.findall(r"\{ stacktrace:\n((?: {9}.*\n)*)\} hitcount: +(\d+)", tracefs.read("events/kmem/kmalloc/hist"))
    counted = {stack.replace("         ", " => "): int(count) for stack, count in tables}
    assert counted == traced and counted


def test_names_of_tasks_calls_and_functions(machine: Machine) -> None:
    tracefs = machine.tracefs
    event = "events/raw_syscalls/sys_enter"
    tracefs.write(f"{event}/trigger", "hist:keys=id.syscall,common_pid.execname:sort=common_pid,id")
    machine.run("ls > /dev/null")
    found = re.findall(r"\{ id: (\w+) +\[ *\d+\], common_pid: (\S+) +\[ *\d+\] \} hitcount:  ", "".join(rows(machine, event)))
    assert {("sys_execve", "sh"), ("sys_write", "ls")} <= set(found)
    tracefs.write(f"{event}/trigger", "!hist:keys=id.syscall,common_pid.execname:sort=common_pid,id")
    for modifier, offset in (("sym", ""), ("sym-offset", r"\+0x[0-9a-f]+/0x[0-9a-f]+")):
        tracefs.write("events/kmem/kmalloc/trigger", f"hist:keys=call_site.{modifier}")
        machine.run("ls > /dev/null")
        assert any(re.match(rf"\{{ call_site: \[[0-9a-f]{{16}}\] load_elf_phdrs{offset} +\}} hit", row)
                   for row in rows(machine, "events/kmem/kmalloc"))  # fmt: skip
        tracefs.write("events/kmem/kmalloc/trigger", f"!hist:keys=call_site.{modifier}")


def test_times_are_those_of_recorded_events(machine: Machine) -> None:
    """Rounded to microseconds; they use the named clock."""
    tracefs = machine.tracefs
    tracefs.write(f"{WAKEUP}/trigger", "hist:keys=common_timestamp.usecs,pid:clock=boot")
    assert "[boot]" in tracefs.read("trace_clock")
    assert tracefs.read(f"{WAKEUP}/trigger").endswith("sort=hitcount:size=2048:clock=boot [active]\n")
    tracefs.write(f"{WAKEUP}/enable", "1")
    machine.run("ls | cat")
    happened = Counter(
        ((entry.time + 500) // 1000, entry.fields["pid"]) for found in entries(machine.trace_array) for entry in found
    )
    expected = [f"{{ common_timestamp: {at:>10}, pid: {pid:>10} }} hitcount: {n:>10}" for (at, pid), n in happened.items()]
    assert sorted(rows(machine, WAKEUP)) == sorted(expected)


def test_markers_are_counted(machine: Machine) -> None:
    machine.tracefs.write("events/ftrace/print/trigger", "hist:keys=common_pid")
    machine.run("echo hello > /sys/kernel/tracing/trace_marker; echo world > /sys/kernel/tracing/trace_marker")
    assert totals(machine, "events/ftrace/print") == [[2, 1, 0]]


def test_a_million_keys_in_a_table_for_fewer(machine: Machine) -> None:
    """The first keys stay; each other event is a drop."""
    tracefs = machine.tracefs
    calls = "/sys/module/event_cost/parameters/thread_calls"
    assert machine.run("insmod /lib/modules/event_cost.ko").status == 0
    tracefs.write(f"{COST}/trigger", f"hist:keys=value:size={1 << FULL_BITS}")
    assert machine.run(f"echo {EVENTS} > {calls}").status == 0
    lines = "".join(f"{{ value: {n:>10} }} hitcount:          1\n" for n in range(1 << FULL_BITS))
    end = f"\nTotals:\n    Hits: {1 << FULL_BITS}\n    Entries: {1 << FULL_BITS}\n    Dropped: {EVENTS - (1 << FULL_BITS)}\n"
    assert tracefs.read(f"{COST}/hist").partition("#\n\n")[2] == lines + end
    tracefs.append(f"{COST}/trigger", "hist:keys=value:clear")
    for _ in range(2):  # the second time, the first key is that of the latest event
        tracefs.append(f"{COST}/trigger", "hist:keys=value:clear")
        assert machine.run(f"echo 5 > {calls}; echo 1 > {calls}").status == 0
        assert totals(machine, COST) == [[6, 5, 0]]
    tracefs.append(f"{COST}/trigger", "hist:keys=value:clear")
    tracefs.append(f"{COST}/trigger", "hist:keys=value,common_pid")
    assert machine.run(f"echo 5 > {calls}").status == 0
    assert totals(machine, COST) == [[5, 5, 0]] * 2
    assert machine.run("rmmod event_cost").status == 0


# Adding and removing


def test_pause_continue_and_clear(machine: Machine) -> None:
    tracefs = machine.tracefs
    text = "hist:keys=next_pid"
    tracefs.write(f"{SWITCH}/trigger", f"{text}:pause")
    assert tracefs.read(f"{SWITCH}/trigger") == "hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048 [paused]\n"
    machine.run("true")
    assert totals(machine, SWITCH) == [[0, 0, 0]]
    tracefs.append(f"{SWITCH}/trigger", f"{text}:cont")
    assert tracefs.read(f"{SWITCH}/trigger").endswith(" [active]\n")
    machine.run("true")
    ((hits, _, _),) = totals(machine, SWITCH)
    assert hits > 0
    tracefs.append(f"{SWITCH}/trigger", f"{text}:vals=hitcount:pause")  # the same trigger: hitcount makes no difference
    machine.run("true")
    assert totals(machine, SWITCH)[0][0] == hits
    tracefs.append(f"{SWITCH}/trigger", f"{text}:clear")
    assert tracefs.read(f"{SWITCH}/trigger").endswith(" [paused]\n")
    assert totals(machine, SWITCH) == [[0, 0, 0]]
    assert machine.tracefs.read(f"{SWITCH}/enable") == "0*\n"


def test_several_of_an_event_differ(machine: Machine) -> None:
    """The ones set first are shown first, after triggers of other kinds."""
    tracefs = machine.tracefs
    texts = ["keys=next_pid", "keys=next_pid.hex", "keys=next_pid:sort=next_pid", "keys=next_pid if prev_pid != 0"]
    for text in texts:
        tracefs.append(f"{SWITCH}/trigger", f"hist:{text}")
        assert refused(machine, SWITCH, f"hist:{text}") == errno.EEXIST
        assert refused(machine, SWITCH, f"hist:size=512:{text}") == errno.EEXIST
    tracefs.append(f"{SWITCH}/trigger", "stacktrace")
    shown = tracefs.read(f"{SWITCH}/trigger").splitlines()
    assert [re.sub(":vals=hitcount|:sort=hitcount|:size=2048|hist:| .active.", "", line) for line in shown] == [
        "stacktrace:unlimited", *texts
    ]  # fmt: skip
    machine.run("true")
    assert len(totals(machine, SWITCH)) == len(texts)
    assert re.findall("trigger info: (.*)", tracefs.read(f"{SWITCH}/hist")) == shown[1:]
    tracefs.append(f"{SWITCH}/trigger", "!hist:keys=next_pid.hex")
    tracefs.append(f"{SWITCH}/trigger", "!hist:keys=next_pid.hex")  # it no longer exists: that is not an error
    tracefs.append(f"{SWITCH}/trigger", "!hist:keys=prev_pid")
    assert tracefs.read(f"{SWITCH}/trigger").splitlines() == [line for line in shown if ".hex" not in line]


def test_truncation_removes_the_histograms_of_an_event(machine: Machine) -> None:
    """As in Linux, only those, and none of them while others need their variables."""
    tracefs = machine.tracefs
    tracefs.write(f"{WAKING}/trigger", "hist:keys=pid")
    tracefs.append(f"{WAKING}/trigger", "stacktrace")
    machine.run(f"echo 'hist:keys=prio' > /sys/kernel/tracing/{WAKING}/trigger")
    shown = tracefs.read(f"{WAKING}/trigger").splitlines()
    assert [line.partition(":vals")[0] for line in shown] == ["stacktrace:unlimited", "hist:keys=prio"]
    assert machine.run(f"echo > /sys/kernel/tracing/{WAKING}/trigger").status != 0
    assert tracefs.read(f"{WAKING}/trigger").splitlines() == shown[:1]
    tracefs.write(f"{WAKING}/trigger", "hist:keys=pid:p=prio")
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:d=next_prio-$p")
    shown = tracefs.read(f"{WAKING}/trigger").splitlines()
    tracefs.write(f"{WAKING}/trigger", "!stacktrace")
    assert tracefs.read(f"{WAKING}/trigger").splitlines() == shown[1:]


def test_a_name_is_one_table_for_several_events(machine: Machine) -> None:
    tracefs = machine.tracefs
    text = "hist:name=both:keys=pid"
    tracefs.write(f"{WAKEUP}/trigger", text)
    tracefs.write(f"{WAKING}/trigger", f"{text}:size=128 if prio < 200")
    assert tracefs.read(f"{WAKING}/trigger").startswith("hist:name=both:keys=pid:vals=hitcount:sort=hitcount:size=128 if prio")
    machine.run("ls | cat")
    assert rows(machine, WAKEUP) == rows(machine, WAKING) and rows(machine, WAKEUP)
    assert refused(machine, WAKING, f"{text} if prio < 200") == errno.EEXIST
    assert refused(machine, SWITCH, text.replace("pid", "next_pid")) == errno.EINVAL
    assert refused(machine, SWITCH, "hist:name=both:keys=common_pid") == errno.EINVAL
    assert "error: Named hist trigger doesn't match existing named trigger" in tracefs.read("error_log")
    tracefs.write(f"{WAKEUP}/trigger", f"!{text}")
    before = totals(machine, WAKING)
    assert before[0][0] > 0
    tracefs.write(f"{WAKEUP}/trigger", f"{text}:pause")
    assert totals(machine, WAKEUP) == before
    tracefs.write(f"{WAKING}/trigger", f"!{text} if prio < 200")
    tracefs.write(f"{WAKEUP}/trigger", f"!{text}")
    tracefs.write(f"{SWITCH}/trigger", "hist:name=both:keys=common_pid")  # the name is free again


def test_events_turn_histograms_of_others_on_and_off(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_comm:pause")
    tracefs.append(f"{SWITCH}/trigger", "hist:keys=prev_comm:pause")
    fork, leave = "events/sched/sched_process_fork", "events/sched/sched_process_exit"
    tracefs.write(f"{fork}/trigger", "enable_hist:sched:sched_switch")
    tracefs.write(f"{leave}/trigger", "disable_hist:sched:sched_switch:1")
    assert tracefs.read(f"{fork}/trigger") == "enable_hist:sched:sched_switch:unlimited\n"
    assert tracefs.read(f"{leave}/trigger") == "disable_hist:sched:sched_switch:count=1\n"
    assert refused(machine, fork, "disable_hist:sched:sched_switch") == errno.EEXIST
    machine.run("ls > /dev/null")
    assert "count=0" in tracefs.read(f"{leave}/trigger")
    assert tracefs.read(f"{SWITCH}/trigger").count("[paused]") == 2
    ((hits, _, _), (others, _, _)) = totals(machine, SWITCH)
    assert hits == others > 0
    machine.run("ls > /dev/null")
    assert tracefs.read(f"{SWITCH}/trigger").count("[active]") == 2
    tracefs.write(f"{fork}/trigger", "!enable_hist:sched:sched_switch")
    tracefs.write(f"{leave}/trigger", "!disable_hist:sched:sched_switch")
    assert refused(machine, fork, "enable_hist:sched:nosuch") == errno.EINVAL


def test_arrays_and_modules_take_theirs_with_them(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.mkdir("instances/one")
    tracefs.write(f"instances/one/{SWITCH}/trigger", "hist:name=mine:keys=next_pid")
    machine.run("insmod /lib/modules/event_cost.ko")
    tracefs.write(f"{COST}/trigger", "hist:name=theirs:keys=value")
    machine.run("echo 7 > /sys/module/event_cost/parameters/calls")
    assert totals(machine, COST) == [[7, 7, 0]] and totals(machine, SWITCH) == []
    assert totals(machine, SWITCH, "instances/one/")[0][0] > 0
    machine.run("rmmod event_cost")
    tracefs.rmdir("instances/one")
    for name in ("mine", "theirs"):
        tracefs.write(f"{SWITCH}/trigger", f"hist:name={name}:keys=prev_pid")
        tracefs.write(f"{SWITCH}/trigger", f"!hist:name={name}:keys=prev_pid")


def test_a_checkpoint_keeps_tables(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_comm,next_pid:vals=prev_pid")
    machine.run("ls")
    before, kept = tracefs.read(f"{SWITCH}/hist"), machine.checkpoint()
    machine.run("ls; ls")
    assert tracefs.read(f"{SWITCH}/hist") != before
    machine.restore(kept)
    assert tracefs.read(f"{SWITCH}/hist") == before


def test_memory_is_limited_and_given_back(machine: Machine) -> None:
    tracefs = machine.tracefs
    texts = [f"hist:keys=next_pid,next_comm,stacktrace:v{n}=0:size={1 << FULL_BITS}" for n in range(30)]
    for _ in range(2):
        with pytest.raises(TraceError) as error:
            for text in texts:
                tracefs.append(f"{SWITCH}/trigger", text)
        assert error.value.errno == errno.ENOMEM
        shown = tracefs.read(f"{SWITCH}/trigger").splitlines()
        assert (len(shown) + 1) * (1 << FULL_BITS) * 8 * (1 + 2 + 16 + 3 + 4) > 512 << 20
        for text in texts[: len(shown)]:
            tracefs.append(f"{SWITCH}/trigger", f"!{text}")


# Errors


ERRORS = [  # after `hist:`; the part above the caret; Linux's text, or the errno if error_log has no entry
    ("keys=foo", "foo", "Couldn't find field"),
    ("keys=", "keys=", "Empty assignment"),
    ("keys=prev_pid:sort=bogus", "bogus", "Sort field must be a key or a val"),
    ("keys=prev_pid.badmod", "badmod", "Invalid field modifier"),
    ("keys=prev_pid.execname", "execname", "Invalid field modifier"),
    ("keys=prev_pid.buckets=0", "0", "Invalid field modifier"),
    ("keys=prev_pid:vals=prev_prio.log2", "prev_prio.log2", "Invalid field modifier"),
    ("keys=prev_pid:vals=prev_prio.sym", "prev_prio.sym", "Invalid field modifier"),
    ("keys=prev_pid:vals=prev_comm", "prev_comm", "String type can not be an operand in expression"),
    ("keys=prev_pid:x=prev_comm+1", "prev_comm", "String type can not be an operand in expression"),
    ("keys=prev_pid:x=1+prev_pid+prev_pid+prev_pid+prev_pid", "1+prev_pid", "Too many subexpressions (3 max)"),
    ("keys=prev_pid:x=-(prev_pid)+1", "prev_pid)+1", "Unary minus not supported in sub-expressions"),
    ("keys=prev_pid:x=prev_pid+12y", "12y", "Expecting numeric literal"),
    ("keys=prev_pid:x=prev_prio/0", "0", "Division by zero"),
    ("keys=prev_pid:x=common_timestamp.usecs-prev_pid", "", "Timestamp units in expression don't match"),
    ("keys=prev_pid:x=1,x=2", "x", "Variable already defined"),
    ("keys=prev_pid:x=1,y", "y", "Malformed assignment"),
    ("keys=prev_pid:" + ":".join(f"v{n}={n}" for n in range(17)), "v16=16", "Too many variables defined"),
    ("keys=prev_pid:" + ",".join(f"v{n}={n}" for n in range(17)), "v16", "Too many variables defined"),
    ("keys=prev_pid:sort=", "sort=", "Empty assignment"),
    ("keys=prev_pid:sort=,prev_pid", "sort=", "Empty sort field"),
    ("keys=prev_pid:sort=prev_pid,hitcount,prev_pid", "sort=", "Too many sort fields (Max = 2)"),
    ("keys=prev_pid:sort=prev_pid.up", "up", "Invalid sort modifier"),
    ("keys=prev_pid:clear", "", "Can't clear or continue a nonexistent hist trigger"),
    ("keys=prev_pid:cont", "", "Can't clear or continue a nonexistent hist trigger"),
    ("keys=prev_pid:t=common_timestamp:clock=sundial", "sundial", "Couldn't set trace_clock"),
    ("keys=prev_pid:onmatch(sched.sched_waking", "sched.sched_waking", "No closing paren found"),
    ("keys=prev_pid:onmatch(sched_waking).trace(x)", "sched_waking", "Missing subsystem"),
    ("keys=prev_pid:onmatch(sched.sched_waking)", "", "No action found"),
    ("keys=prev_pid:onmatch(sched.sched_waking).save(prev_comm)", "save", "Handler doesn't support action"),
    ("keys=prev_pid:onmax($x).save(x)", "x", "Invalid action param"),
    ("vals=prev_pid", "", None),
    ("keys=prev_pid,next_pid,prev_prio,next_prio", "", None),
    ("keys=prev_pid:vals=next_pid,prev_prio,next_prio", "", None),
    ("keys=prev_pid:size=64", "", None),
    ("keys=prev_pid:size=131073", "", None),
    ("keys=prev_pid:size=x", "", None),
    ("keys=prev_pid:nonsense", "", None),
    ("keys=prev_pid if", "", None),
    ("keys=prev_pid if nosuch == 1", "", None),
    ("", "", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wrong", "why"), ERRORS, ids=[text[:40] for text, _, _ in ERRORS])
def test_what_is_wrong(machine: Machine, text: str, wrong: str, why: str | None) -> None:
    tracefs = machine.tracefs
    tracefs.write("error_log", "")
    code = refused(machine, SWITCH, f"hist:{text}")
    assert code == {"Division": errno.EDOM, "Can't": errno.ENOENT}.get((why or "").partition(" ")[0], errno.EINVAL)
    command = f"hist:{text}"
    position = command.index(wrong)
    expected = f" hist:sched:sched_switch: error: {why}\n  Command: {command}\n           {' ' * position}^\n" if why else ""
    assert tracefs.read("error_log").partition("]")[2] == expected
