# SPDX-License-Identifier: GPL-2.0-only
"""Variables of histograms, and actions: synthetic events, saved fields, snapshots."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.event_entries import Entry, entries
from tests.lib.golden import read_golden

WAKING, SWITCH, LATENCY = "events/sched/sched_waking", "events/sched/sched_switch", "events/synthetic/wakeup_latency"
EVENT = "wakeup_latency u64 lat; pid_t pid; int prio; char comm[16]"
TIME = "hist:keys=pid:ts0=common_timestamp.usecs"
LAT = "hist:keys=next_pid:wakeup_lat=common_timestamp.usecs-$ts0"
MAKES = "onmatch(sched.sched_waking).wakeup_latency($wakeup_lat,next_pid,next_prio,next_comm)"
KEEPS = "onmax($wakeup_lat).save(prev_comm,prev_pid,next_comm)"


@pytest.fixture(autouse=True)
def tidy(booted: Machine) -> Iterator[None]:
    tracefs = booted.tracefs
    yield
    made = tracefs.listdir("events/synthetic") if tracefs.read("synthetic_events") else []
    for path in (*(f"events/synthetic/{name}" for name in made if name not in ("enable", "filter")), SWITCH, WAKING):
        for line in tracefs.read(f"{path}/trigger").splitlines():
            if not line.startswith("#"):
                tracefs.append(f"{path}/trigger", f"!{line.removesuffix(' [active]')}")
        assert tracefs.read(f"{path}/trigger").startswith("#")
    tracefs.write("events/enable", "0")
    tracefs.write("synthetic_events", "")
    tracefs.write("snapshot", "0")
    tracefs.write("trace", "")
    tracefs.write("error_log", "")
    tracefs.write("trace_clock", "local")


def lines(machine: Machine) -> list[str]:
    """The texts of the events in the trace."""
    return re.findall(r" \d+\.\d+: (.*)", machine.tracefs.read("trace"))


def rows(machine: Machine, event: str) -> str:
    """The table of an event's histogram."""
    return machine.tracefs.read(f"{event}/hist").partition("#\n\n")[2].partition("\nTotals")[0]


def wake(machine: Machine, pid: int, **fields: int | str) -> None:
    machine.tracefs.write(f"{WAKING}/inject", f"pid={pid} {_written(fields)}")


def switch(machine: Machine, pid: int, **fields: int | str) -> None:
    machine.tracefs.write(f"{SWITCH}/inject", f"next_pid={pid} {_written(fields)}")


def _written(fields: dict[str, int | str]) -> str:
    return " ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in fields.items())


def refused(machine: Machine, event: str, command: str, code: int = errno.EINVAL) -> list[str]:
    """Checks that a trigger is refused. Returns the errors in error_log, each with the position of its caret."""
    machine.tracefs.write("error_log", "")
    before = [machine.tracefs.read(f"{path}/trigger") for path in (WAKING, SWITCH)]
    with pytest.raises(TraceError) as error:
        machine.tracefs.append(f"{event}/trigger", command)
    assert error.value.errno == code
    assert [machine.tracefs.read(f"{path}/trigger") for path in (WAKING, SWITCH)] == before
    told = re.findall(r": error: (.*)\n  Command: (.*)\n( *)\^", machine.tracefs.read("error_log"))
    assert {shown for _, shown, _ in told} <= {command}
    return [f"{text} at {len(spaces) - len('  Command: ')}" for text, _, spaces in told]


def set_up(machine: Machine, *, condition: str = "") -> None:
    """Sets up the golden's triggers."""
    tracefs = machine.tracefs
    tracefs.write("synthetic_events", EVENT)
    tracefs.write(f"{WAKING}/trigger", f"{TIME} if {condition}" if condition else TIME)
    tracefs.write(f"{SWITCH}/trigger", f"{LAT}:{MAKES}:{KEEPS}")
    tracefs.write(f"{LATENCY}/trigger", "hist:keys=comm,prio,lat.log2:sort=lat")
    tracefs.write(f"{LATENCY}/enable", "1")
    tracefs.write("trace", "")


def test_the_golden_histograms(booted: Machine) -> None:
    """The golden's tasks are woken and run in the order of the golden's rows; the latencies are this machine's."""
    tracefs = booted.tracefs
    set_up(booted, condition='comm=="sleep"')
    golden = read_golden("synthetic-hists.txt")
    logs: dict[int, set[int]] = {8: set(), 9: set()}
    for (pid, cpu), prio, shown in zip([(7382, 1), (7383, 1), (7381, 0)], (120, 120, 94), (216, 261, 188), strict=True):
        wake(booted, pid, comm="sleep")
        wake(booted, 1, comm="other")
        booted.run(f"usleep {20000 if shown > 256 else 3000}")
        switch(booted, pid, next_comm="sleep", next_prio=prio, prev_comm=f"swapper/{cpu}")
        switch(booted, 1, next_comm="other")
        latency = int(lines(booted)[-1].split()[1].removeprefix("lat="))
        golden = golden.replace(f"max:        {shown}", f"max: {latency:>10}")
        logs[(shown - 1).bit_length()].add((latency - 1).bit_length())
    events = ("sched/sched_waking", "sched/sched_switch", "synthetic/wakeup_latency")
    shown_here = "".join(
        f"== {event}/{file}\n{tracefs.read(f'events/{event}/{file}')}" for event in events for file in ("trigger", "hist")
    )
    (short,), (long,) = logs[8], logs[9]
    assert shown_here == golden.replace("~ 2^9 ", f"~ 2^{long:<2}").replace("~ 2^8 ", f"~ 2^{short:<2}")


def test_the_golden_trace(booted: Machine) -> None:
    """A task woken on a sleeping CPU: the event has twice the preemption depth of the switch."""
    set_up(booted, condition='comm=="usleep"')
    booted.tracefs.write(f"{SWITCH}/filter", 'next_comm == "usleep"')
    booted.tracefs.write(f"{SWITCH}/enable", "1")
    booted.run("usleep 100; usleep 2000")
    found = re.findall(r"^ +<idle>-0 +\[\d+\] (d\S+) +[\d.]+: (\w+: .*)$", booted.tracefs.read("trace"), re.MULTILINE)
    assert {(flags, re.sub(r"\d+", "N", text)) for flags, text in found if "wakeup" in text} == {
        ("d..4.", "wakeup_latency: lat=N pid=N prio=N comm=usleep")
    }
    assert {flags for flags, text in found if "sched_switch" in text} == {"d..2."}
    golden = read_golden("synthetic-trace.txt")
    assert re.findall(r"d\.\.4\. +[\d.]+: (\w+: lat)", golden) == 3 * ["wakeup_latency: lat"]
    booted.tracefs.write(f"{SWITCH}/filter", "0")


def test_latencies_are_those_of_the_recorded_events(booted: Machine) -> None:
    """The histograms equal those calculated from the events recorded by both CPUs."""
    tracefs = booted.tracefs
    set_up(booted)
    for event in (WAKING, SWITCH):
        tracefs.write(f"{event}/enable", "1")
    booted.run("ls / | cat > /dev/null; usleep 300; for i in 1 2 3; do usleep 100 & done; ls /bin | cat > /dev/null; wait")
    recorded = sorted((entry for of_cpu in entries(booted.trace_array) for entry in of_cpu), key=lambda entry: entry.time)
    woken: dict[object, int] = {}
    expected: list[dict[str, object]] = []
    greatest: dict[object, tuple[int, Entry]] = {}
    counts: dict[object, int] = {}
    for entry in recorded:
        fields, now = entry.fields, (entry.time + 500) // 1000
        if entry.name == "sched_waking":
            woken[fields["pid"]] = now
        elif entry.name == "sched_switch" and fields["next_pid"] in woken:
            pid = fields["next_pid"]
            latency = now - woken.pop(pid)
            counts[pid] = counts.get(pid, 0) + 1
            if latency > greatest.get(pid, (0, entry))[0]:
                greatest[pid] = latency, entry
            expected.append({"lat": latency, "pid": pid, "prio": fields["next_prio"], "comm": fields["next_comm"]})
    assert len(expected) > 10
    made = [entry.fields for entry in recorded if entry.name == "wakeup_latency"]
    assert sorted(map(str, made)) == sorted(map(str, expected))
    row = r"\{ next_pid: +(\d+) \} hitcount: +(\d+)\n\tmax: +(\d+)  prev_comm: (\S+) +prev_pid: +(\d+)"
    table = re.findall(row, rows(booted, SWITCH))
    assert {int(pid): (int(count), int(most), comm, int(prev)) for pid, count, most, comm, prev in table} == {
        pid: (counts[pid], most, entry.fields["prev_comm"].decode(), entry.fields["prev_pid"])  # type: ignore[union-attr]
        for pid, (most, entry) in greatest.items()
    }
    logs = re.findall(r"comm: (\S+) +, prio: +(\d+), lat: ~ 2\^(\d+) +\} hitcount: +(\d+)", rows(booted, LATENCY))
    by_log: dict[tuple[str, int, int], int] = {}
    for one in expected:
        assert isinstance(one["comm"], bytes) and isinstance(one["lat"], int) and isinstance(one["prio"], int)
        key = one["comm"].decode(), one["prio"], max(one["lat"] - 1, 0).bit_length()
        by_log[key] = by_log.get(key, 0) + 1
    assert {(comm, int(prio), int(log)): int(count) for comm, prio, log, count in logs} == by_log


def test_a_variable_in_an_expression_is_read_once(booted: Machine) -> None:
    """Afterwards it is not set, and hits of triggers that refer to it do not count; another name for it leaves it set."""
    tracefs = booted.tracefs
    tracefs.write(f"{WAKING}/trigger", "hist:keys=pid:p=prio:q=prio")
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:d=next_prio-$p:vals=next_prio:onmax($d).save(next_comm)")
    tracefs.append(f"{SWITCH}/trigger", "hist:keys=next_pid:same=$q:onchange($same).save(next_comm)")
    switch(booted, 5, next_prio=9)
    assert rows(booted, SWITCH) == ""
    wake(booted, 5, prio=2)
    switch(booted, 5, next_prio=9, next_comm="first")
    switch(booted, 5, next_prio=99, next_comm="second")
    first, second = tracefs.read(f"{SWITCH}/hist").split("\n\n\n")
    assert "{ next_pid:          5 } hitcount:          1  next_prio:          9\n\tmax:          7  next_comm: first  " in first
    assert "{ next_pid:          5 } hitcount:          2\n\tchanged:          2  next_comm: first  " in second
    wake(booted, 5, prio=3)
    switch(booted, 5, next_prio=9, next_comm="third")
    first, second = tracefs.read(f"{SWITCH}/hist").split("\n\n\n")
    assert "max:          7  next_comm: first  " in first
    assert "changed:          3  next_comm: third  " in second


def test_parameters_of_the_matched_event(booted: Machine) -> None:
    """As in Linux, hidden histograms are created for its fields; they are removed with the trigger that needs them."""
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "other s32 d; int prio; int cpu; char woken[16]; char name[]; u64 now")
    tracefs.write(f"{WAKING}/trigger", "hist:keys=pid:p=prio,c=comm if prio > 1")
    before = tracefs.read(f"{WAKING}/trigger")
    action = "onmatch(sched.sched_waking).trace(other,$d,prio,sched.sched_waking.target_cpu,comm,$c,common_timestamp)"
    tracefs.write(f"{SWITCH}/trigger", f"hist:keys=next_pid:d=next_prio-$p:{action}")
    assert f":clock=global:{action} [active]\n" in tracefs.read(f"{SWITCH}/trigger")
    hidden = [f"hist:keys=pid:vals=hitcount:synthetic_{name}={name}" for name in ("prio", "target_cpu", "comm")]
    assert tracefs.read(f"{WAKING}/trigger") == before + "".join(
        f"{one}:sort=hitcount:size=2048 if prio > 1 [active]\n" for one in hidden
    )
    tracefs.write("events/synthetic/other/enable", "1")
    wake(booted, 7, prio=5, target_cpu=3, comm="waker")
    switch(booted, 7, next_prio=2)
    wake(booted, 8, prio=1)  # the condition is false
    switch(booted, 8, next_prio=2)
    assert [re.sub(r"now=\d+", "now=", line) for line in lines(booted)] == [
        "other: d=-3 prio=5 cpu=3 woken=waker name=waker now="
    ]
    with pytest.raises(TraceError) as error:
        tracefs.append(f"{WAKING}/trigger", f"!{hidden[0]} if prio > 1")
    assert error.value.errno == errno.EBUSY
    tracefs.append(f"{SWITCH}/trigger", f"!hist:keys=next_pid:d=next_prio-$p:{action}")
    assert tracefs.read(f"{WAKING}/trigger") == before


def test_a_snapshot_is_taken_when_a_value_is_greater_than_for_any_key(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write(f"{SWITCH}/enable", "1")
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:p=next_prio:onmax($p).snapshot()")
    tracefs.write("trace", "")
    for pid, prio in ((1, 5), (2, 9), (3, 7), (2, 8), (3, 9)):
        switch(booted, pid, next_prio=prio)
    assert re.findall(r"next_pid=(\d)", tracefs.read("snapshot")) == ["2"]
    assert re.findall(r"next_pid=(\d)", tracefs.read("trace")) == ["1", "3", "2", "3"]
    text = tracefs.read(f"{SWITCH}/hist")
    assert "max:" not in text
    assert (
        "\n\nSnapshot taken (see tracing/snapshot).  Details:\n\ttriggering value { onmax($p) }:          9"
        "\ttriggered by event with key: { next_pid:          2 }\n\nTotals:\n"
    ) in text
    for command in ("0", "1", "2"):
        with pytest.raises(TraceError) as error:
            tracefs.write("snapshot", command)
        assert error.value.errno == errno.EBUSY
    with pytest.raises(TraceError) as error:
        tracefs.write(f"{WAKING}/trigger", "hist:keys=pid:p=prio:onchange($p).snapshot()")
    assert error.value.errno == errno.EBUSY
    assert tracefs.read(f"{WAKING}/trigger").startswith("#")


def test_a_snapshot_that_the_guest_asks_for_is_left_to_the_action(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:p=next_prio:onmax($p).snapshot()")
    done = booted.run("insmod /lib/modules/sample_printk.ko snapshot=2 count=1 && sleep 0.02 && rmmod sample_printk")
    assert done.status == 0 and "tick" not in tracefs.read("snapshot")


def test_a_synthetic_event_at_a_change(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "other int prio; char comm[16]")
    tracefs.write("events/synthetic/other/enable", "1")
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:p=next_prio,c=next_comm:onchange($p).other($p,$c)")
    for pid, prio in ((1, 5), (1, 5), (2, 5), (1, 6), (1, 5)):
        switch(booted, pid, next_prio=prio, next_comm=f"task{pid}")
    assert lines(booted) == [f"other: prio={prio} comm=task{pid}" for pid, prio in ((1, 5), (2, 5), (1, 6), (1, 5))]
    assert "{ next_pid:          1 } hitcount:          4\n\tchanged:          5\n" in rows(booted, SWITCH)


def test_a_synthetic_event_follows_the_event_that_makes_it(booted: Machine) -> None:
    """As in Linux, where the entry is reserved in the buffer before its triggers run."""
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "other int prio")
    tracefs.write("events/synthetic/other/enable", "1")
    tracefs.write(f"{SWITCH}/enable", "1")
    tracefs.write(f"{SWITCH}/filter", "next_prio > 1")
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:p=next_prio:onchange($p).other($p)")
    for prio in (5, 1, 6):
        switch(booted, 1, next_prio=prio)
    tracefs.write(f"{SWITCH}/filter", "0")
    assert [line.partition(":")[0] for line in lines(booted)] == ["sched_switch", "other", "other", "sched_switch", "other"]


def test_a_loop_of_synthetic_events_ends(booted: Machine) -> None:
    """At most four are nested, each made by the previous one."""
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "other int n")
    tracefs.write("events/synthetic/other/enable", "1")
    tracefs.write("events/synthetic/other/trigger", "hist:keys=common_cpu:m=n+1:onchange($m).other($m)")
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:p=next_prio:onchange($p).other($p)")
    for prio in (10, 20):
        switch(booted, 1, next_prio=prio)
    assert sorted(lines(booted)) == [f"other: n={n}" for n in (10, 11, 12, 13, 20, 21, 22, 23)]


def test_who_refers_to_whom(booted: Machine) -> None:
    tracefs = booted.tracefs
    set_up(booted)
    for event, command in ((WAKING, f"!{TIME}"), ("", "!wakeup_latency"), ("", "-:wakeup_latency")):
        with pytest.raises(TraceError) as error:
            tracefs.append(f"{event}/trigger" if event else "dynamic_events" if "-" in command else "synthetic_events", command)
        assert error.value.errno == errno.EBUSY
    tracefs.write(f"{LATENCY}/enable", "0")
    tracefs.append(f"{LATENCY}/trigger", "!hist:keys=comm,prio,lat.log2:sort=lat")
    with pytest.raises(TraceError) as error:
        tracefs.append("synthetic_events", "!wakeup_latency")
    assert error.value.errno == errno.EBUSY
    for event in (SWITCH, WAKING):  # the text of a file, with `!`, removes the triggers
        tracefs.append(f"{event}/trigger", f"!{tracefs.read(f'{event}/trigger').removesuffix(' [active]' + chr(10))}")
    tracefs.append("synthetic_events", "!wakeup_latency")


def test_what_is_shown_sets_the_same(booted: Machine) -> None:
    tracefs = booted.tracefs
    set_up(booted)
    shown = tracefs.read(f"{SWITCH}/trigger")
    command = shown.removesuffix(" [active]\n")
    assert refused(booted, SWITCH, command) == [f"Variable already defined at {command.index('wakeup_lat')}"]
    tracefs.append(f"{SWITCH}/trigger", f"!{command}")
    tracefs.append(f"{SWITCH}/trigger", command)
    assert tracefs.read(f"{SWITCH}/trigger") == shown


def test_a_qualified_name_says_whose_variable_is_meant(booted: Machine) -> None:
    tracefs = booted.tracefs
    for event in ("waking", "wakeup"):
        tracefs.write(f"events/sched/sched_{event}/trigger", "hist:keys=pid:p=prio")
    told = refused(booted, SWITCH, "hist:keys=next_pid:d=next_prio-$p")
    assert told[0].startswith("Variable name not unique") and told[0].endswith(" at 15")  # as in Linux, at the first p
    tracefs.write(f"{SWITCH}/trigger", "hist:keys=next_pid:d=next_prio-sched.sched_wakeup.$p")
    tracefs.append(f"{SWITCH}/trigger", "!hist:keys=next_pid:d=next_prio-sched.sched_wakeup.$p")
    tracefs.append("events/sched/sched_wakeup/trigger", "!hist:keys=pid:p=prio")


def test_what_is_wrong_with_variables_and_actions(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "wakeup_latency u64 lat; pid_t pid")
    tracefs.append("synthetic_events", "two pid_t pid; pid_t pid1")
    tracefs.write(f"{WAKING}/trigger", TIME)
    start = f"{LAT}:"
    for action, told in {
        "onmatch(sched.nosuch).wakeup_latency($wakeup_lat,next_pid)": ["Invalid subsystem or event name at nosuch"],
        "onmatch(sched.sched_waking).nosuch($wakeup_lat,next_pid)": ["Couldn't find synthetic event at nosuch"],
        "onmatch(sched.sched_waking).wakeup_latency($nosuch,next_pid)": ["Couldn't find param at nosuch"],
        "onmatch(sched.sched_waking).wakeup_latency($wakeup_lat)": [
            "Param count doesn't match synthetic event field count at wakeup_latency"
        ],
        "onmatch(sched.sched_waking).wakeup_latency($wakeup_lat,next_comm)": [
            "Param type doesn't match synthetic event field type at next_comm"
        ],
        "onmatch(sched.sched_waking).wakeup_latency($wakeup_lat,next_pid,next_pid)": [
            "Param type doesn't match synthetic event field type at next_pid"
        ],
        "onmatch(sched.sched_waking).wakeup_latency($wakeup_lat,nosuch)": [
            "Couldn't find field at nosuch",
            "Couldn't parse field variable at nosuch",
            "Couldn't find field at nosuch",
            "Couldn't create histogram for field at nosuch",
        ],
        "onmatch(sched.sched_waking).wakeup_latency(pid,pid1)": [  # pid is a field of sched_waking, not of sched_switch
            "Couldn't find field at pid",
            "Couldn't parse field variable at pid",
            "Param type doesn't match synthetic event field type at pid",
        ],
        "onmatch(sched.sched_waking).two(pid,pid1)": [
            "Couldn't find field at pid",
            "Couldn't parse field variable at pid",
            "Couldn't find field at pid1",
            "Couldn't parse field variable at pid1",
            "Couldn't find field at pid1",
            "Couldn't create histogram for field at pid1",
        ],
        "onmatch(sched.sched_wakeup).wakeup_latency($wakeup_lat,target_cpu)": [
            "Couldn't find field at target_cpu",
            "Couldn't parse field variable at target_cpu",
            "Matching event histogram not found at target_cpu",
        ],
        "onmax(wakeup_lat).save(next_pid)": ["For onmax(x) or onchange(x), x must be a variable at wakeup_lat"],
        "onmax($nosuch).save(next_pid)": ["Couldn't find onmax or onchange variable at nosuch"],
        "onmax($wakeup_lat).save(nosuch)": [
            "Couldn't find field at nosuch",
            "Couldn't parse field variable at nosuch",
            "Couldn't create field variable at nosuch",
        ],
        "onmatch(sched.sched_waking).save(next_pid)": ["Handler doesn't support action at save"],
        "onmatch(sched.sched_waking).snapshot()": ["Handler doesn't support action at snapshot"],
    }.items():
        command = start + action
        expected = [f"{text} at {command.index(word)}" for text, _, word in (one.rpartition(" at ") for one in told)]
        assert refused(booted, SWITCH, command) == expected, command
    twice = f"{start}onmax($wakeup_lat).save(next_pid):onmax($wakeup_lat).save(next_pid)"
    assert refused(booted, SWITCH, twice, errno.EEXIST) == ["Can't have more than one save() action per hist at 0"]
    assert refused(booted, SWITCH, "hist:keys=next_pid:x=common_timestamp.usecs-$ts1") == [
        "Couldn't find variable at 45",
        "Couldn't find field at 44",
    ]
    assert refused(booted, SWITCH, "hist:keys=$ts0") == ["Using variable references in keys not supported at 10"]


def test_error_log_tells_of_a_field_that_another_event_has(booted: Machine) -> None:
    """As in Linux, although nothing is wrong: the field is first looked up in the trigger's own event."""
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "one pid_t pid")
    tracefs.write(f"{WAKING}/trigger", "hist:keys=pid")
    tracefs.write("error_log", "")
    command = "hist:keys=next_pid:onmatch(sched.sched_waking).one(pid)"
    tracefs.write(f"{SWITCH}/trigger", command)
    assert re.findall(r": error: (.*)", tracefs.read("error_log")) == ["Couldn't find field", "Couldn't parse field variable"]
    tracefs.append(f"{SWITCH}/trigger", f"!{command}")


def test_variables_are_those_of_their_instance(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.mkdir("instances/other")
    tracefs.write(f"{WAKING}/trigger", TIME)
    with pytest.raises(TraceError):
        tracefs.write(f"instances/other/{SWITCH}/trigger", LAT)
    assert "Couldn't find variable" in tracefs.read("instances/other/error_log")
    tracefs.rmdir("instances/other")


def test_a_checkpoint_has_them(booted: Machine) -> None:
    """Tables, variables and definitions are restored, including those that have been removed since."""
    tracefs = booted.tracefs
    set_up(booted)
    wake(booted, 77)
    checkpoint = booted.checkpoint()
    found = []
    for _ in range(2):
        booted.run("usleep 100")
        switch(booted, 77)
        found.append((rows(booted, SWITCH), rows(booted, LATENCY), lines(booted)))
        tracefs.append(f"{SWITCH}/trigger", f"!{LAT}:{MAKES}:{KEEPS}")
        tracefs.append(f"{WAKING}/trigger", f"!{TIME}")
        booted.restore(checkpoint)
    assert "{ next_pid:         77 }" in found[0][0]
    assert found[0] == found[1]
    assert rows(booted, SWITCH) == "" and "{ pid:         77 } hitcount:          1\n" in rows(booted, WAKING)
