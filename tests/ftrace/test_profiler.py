# SPDX-License-Identifier: GPL-2.0-only
"""The function profiler counts every call, and sums up the times that function_graph records."""

from __future__ import annotations

import errno
import re
import statistics
from collections import Counter, defaultdict

import pytest

from emu.ftrace.buffers import entries
from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden
from tests.lib.ring_events import of_type
from tests.lib.witness import Witness

LOAD = "ls /bin | wc -l; sleep 0.01"
LINE = re.compile(r"  (.{30})  ([ \d]{10})    ([\d.]+) us +([\d.]+) us +([\d.]+) us *")
HEADER = """\
  Function                               Hit    Time            Avg             s^2
  --------                               ---    ----            ---             ---
"""

Times = dict[int, list[tuple[int, int]]]  # by function's site: the times of its calls' returns, and their durations


def duration(nanoseconds: int) -> str:
    """Seven characters, with as many decimals as fit."""
    whole = str(nanoseconds // 1000)
    return whole if len(whole) > 6 else f"{whole}.{nanoseconds % 1000:03}"[:8]


def profile(machine: Machine, cpu: int) -> dict[str, tuple[int, str, str, str]]:
    """Hits, time, average and variance on a CPU by function, for functions whose names (truncated to 30) are unique."""
    text = machine.tracefs.read(f"trace_stat/function{cpu}")
    assert text.startswith(HEADER)
    rows = [LINE.fullmatch(line) for line in text.removeprefix(HEADER).splitlines()]
    assert all(rows)
    found = [(row[1].rstrip(), int(row[2]), row[3], row[4], row[5]) for row in rows if row]
    often = Counter(name for name, *_ in found)
    times = [float(row[2]) for row in found]
    assert times == sorted(times, reverse=True)
    return {name: (hits, *rest) for name, hits, *rest in found if often[name] == 1}


def graph_times(machine: Machine, *, nested: bool) -> list[Times]:
    """function_graph's returned calls, by the CPU on which they returned; `nested`: including their callees."""
    found: list[Times] = []
    returned = []
    for ring in machine.trace_array.recorder.rings:
        exits = of_type(ring.unread(), entries.EventType.FUNCGRAPH_EXIT).entries(entries.FUNCGRAPH_EXIT)
        found.append(defaultdict(list))
        fields = (exits[name].tolist() for name in ("rettime", "calltime", "func", "depth", "pid"))
        returned += [(*row, ring.cpu) for row in zip(*fields, strict=True)]
    inner: dict[tuple[int, int, int], int] = defaultdict(int)  # by task and depth
    for rettime, calltime, function, depth, pid, cpu in sorted(returned):
        task = pid, cpu if pid == 0 else -1
        elapsed, of_calls = rettime - calltime, inner.pop((*task, depth), 0)
        if depth:
            inner[*task, depth - 1] += elapsed
        found[cpu][function].append((rettime, elapsed if nested else max(elapsed - of_calls, 0)))
    return found


@pytest.mark.static_timing("what began before a witness looks is not seen")
def test_hits_are_what_the_witness_saw(arch: str) -> None:
    with Machine(arch=arch, cpus=2) as machine:
        witness = Witness(machine)
        machine.tracefs.write("set_ftrace_notrace", "*lock*")
        machine.tracefs.write("function_profile_enabled", "1")
        witness.on = True
        machine.run(LOAD)
        for cpu in range(2):
            names = machine.kernel.symbols.function_at
            seen = Counter(names(entry.address)[0].name for entry in witness.entries(cpu))
            hits = {name: hits for name, (hits, *_) in profile(machine, cpu).items() if len(name) < 30}
            assert hits == {name: count for name, count in seen.items() if name in hits}
            assert not any("lock" in name for name in hits)
            assert len(hits) > 100
        assert machine.warnings == []


@pytest.mark.static_timing("what began before a witness looks is not seen")
@pytest.mark.parametrize("off", [(), ("graph-time", "sleep-time")], ids=["whole", "of-the-function-itself"])
def test_times_are_those_that_function_graph_records(arch: str, off: tuple[str, ...]) -> None:
    """The machine does the same in virtual time."""
    with booted_machine(arch) as machine:
        set_options(machine, off)
        machine.tracefs.write("buffer_size_kb", "20000")
        machine.tracefs.write("current_tracer", "function_graph")
        machine.run(LOAD)
        truth = graph_times(machine, nested=not off)
        called = first_calls(machine)
    with booted_machine(arch) as machine:
        set_options(machine, off)
        machine.tracefs.write("trace_clock", "counter")  # only for events
        machine.tracefs.write("function_profile_enabled", "1")
        machine.run(LOAD)
        compared = 0
        for cpu in range(2):
            by_name = {machine.kernel.symbols.function_at(site)[0].name[:30]: site for site in called[cpu]}
            found = profile(machine, cpu)
            assert set(found) <= set(by_name)
            for name, (count, time, average, variance) in found.items():
                # As in Linux, a call that began on another CPU counts only if the function has been called on this one before.
                first, calls = called[cpu][by_name[name]], truth[cpu].get(by_name[name], [])
                times = [elapsed for returned, elapsed in calls if returned > first]
                assert (time, average) == (duration(sum(times)), duration(sum(times) // count)), name
                if len(times) == count > 1:
                    assert float(variance) == pytest.approx(statistics.variance(times) / 1e6, rel=0.01, abs=0.002), name
                compared += 1
        assert compared > 500


def set_options(machine: Machine, off: tuple[str, ...]) -> None:
    for option in off:
        machine.tracefs.write(f"options/{option}", "0")


def first_calls(machine: Machine) -> list[dict[int, int]]:
    """By CPU, when function_graph recorded the first call of each function; functions by site."""
    found = []
    for ring in machine.trace_array.recorder.rings:
        calls = of_type(ring.unread(), entries.EventType.FUNCGRAPH_ENTRY)
        pairs = zip(calls.entries(entries.FUNCGRAPH_ENTRY)["func"].tolist(), calls.time.tolist(), strict=True)
        found.append(dict(reversed(list(pairs))))
    return found


def test_the_text_is_that_of_a_real_kernel(arch: str) -> None:
    golden = read_golden("trace_stat-function0.txt")
    assert golden.startswith(HEADER)
    assert all(LINE.fullmatch(line) for line in golden.removeprefix(HEADER).splitlines())
    with booted_machine(arch) as machine:
        read, write = machine.tracefs.read, machine.tracefs.write
        assert machine.tracefs.listdir("trace_stat") == ["branch_annotated", "function0", "function1"]
        assert (read("function_profile_enabled"), read("trace_stat/function1")) == ("0\n", HEADER)
        write("set_ftrace_filter", "vfs_read vfs_write schedule")
        write("function_profile_enabled", "5")
        machine.run("ls /bin | wc -l; sleep 0.01")
        both = read("trace_stat/function0") + read("trace_stat/function1")
        assert read("function_profile_enabled") == "1\n"
        assert {line.split()[0] for line in both.splitlines()} == {"Function", "--------", "vfs_read", "vfs_write", "schedule"}
        # Functions whose average time is less than tracing_thresh are not shown.
        write("tracing_thresh", "1000")
        assert " vfs_write " not in read("trace_stat/function0") + read("trace_stat/function1")
        write("tracing_thresh", "0")
        write("function_profile_enabled", "0")
        machine.run("ls /bin")
        assert read("trace_stat/function0") + read("trace_stat/function1") == both
        assert read("enabled_functions") == ""
        write("function_profile_enabled", "1")
        assert len(read("trace_stat/function0")) < len(both)  # it starts anew
        with pytest.raises(TraceError):
            write("trace_stat/function0", "0")
        with pytest.raises(TraceError):
            write("function_profile_enabled", "on")


def test_one_user_of_returns_at_a_time(arch: str) -> None:
    """As in Linux 6.1, function_graph and the profiler exclude each other; function and the stack tracer work with both."""
    with booted_machine(arch) as machine:
        read, write = machine.tracefs.read, machine.tracefs.write
        write("current_tracer", "function_graph")
        with pytest.raises(TraceError) as error:
            write("function_profile_enabled", "1")
        assert (error.value.code, read("function_profile_enabled")) == (errno.EBUSY, "0\n")
        write("current_tracer", "function")
        write("function_profile_enabled", "1")
        with pytest.raises(TraceError) as error:
            write("current_tracer", "function_graph")
        assert (error.value.code, read("current_tracer")) == (errno.EBUSY, "function\n")
        write("current_tracer", "irqsoff")
        with pytest.raises(TraceError) as error:
            write("options/display-graph", "1")
        assert (error.value.code, read("options/display-graph")) == (errno.EINVAL, "0\n")
        write("current_tracer", "function")
        machine.tracefs.mkdir("instances/a")
        write("instances/a/set_ftrace_filter", "vfs_write")
        write("instances/a/current_tracer", "function")
        write("set_ftrace_filter", "vfs_write")
        write("trace", "")
        before = profiled(machine)
        machine.run("echo 1 > /proc/sys/kernel/stack_tracer_enabled; insmod /lib/modules/sample_printk.ko")
        calls = read("trace").count(": vfs_write <-")
        assert calls == read("instances/a/trace").count(": vfs_write <-") == profiled(machine) - before > 0
        assert int(read("stack_max_size")) > 0
        assert "vfs_write (4)" in read("enabled_functions")
        machine.ftrace_enabled = False
        before = profiled(machine)
        machine.run("echo none")
        assert profiled(machine) == before
        # Active calls are no longer recorded if their user of returns has been removed meanwhile.
        write("function_profile_enabled", "0")
        machine.ftrace_enabled = True
        write("current_tracer", "function_graph")
        machine.ftrace_enabled = False
        write("current_tracer", "nop")
        machine.run("sleep 0.01")
        assert "Unknown type" not in read("trace")
        assert machine.warnings == []


def profiled(machine: Machine) -> int:
    """How often vfs_write was called."""
    return sum(profile(machine, cpu).get("vfs_write", (0,))[0] for cpu in range(2))
