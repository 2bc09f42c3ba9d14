# SPDX-License-Identifier: GPL-2.0-only
"""Machine.counting: the counters of all CPUs together, of each CPU, and by function."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.cpu.timing.events import EVENTS
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

COMMAND = "ls /bin | cat > /dev/null; modprobe ext2; usleep 100"


@pytest.fixture(scope="module", params=["zen3", pytest.param("zen4", marks=pytest.mark.long("compiles another CPU model"))])
def timed(request: pytest.FixtureRequest) -> Iterator[Machine]:
    with Machine(timing="caches", cpu_model=request.param) as machine:
        yield machine


def test_functions_add_up_and_counting_them_changes_nothing(timed: Machine) -> None:
    before = timed.checkpoint()
    with timed.counting() as plain:
        assert timed.run(COMMAND).status == 0
    timed.restore(before)
    with timed.counting(functions=True) as counts:
        assert timed.run(COMMAND).status == 0
        assert sum(row["cycles"] for row in counts.functions.values()) == counts["cycles"]
    assert counts.nanoseconds == plain.nanoseconds > 0
    assert plain.events == counts.events == EVENTS
    for event in EVENTS:
        assert sum(row[event] for row in counts.functions.values()) == counts[event] == plain[event], event
        assert [counts.of_cpu(cpu)[event] for cpu in (0, 1)] == [plain.of_cpu(cpu)[event] for cpu in (0, 1)]
    names = set(counts.functions)
    assert {"vfs_read", "schedule", "[user] ls", "[user] cat", "[user] usleep", "[user] modprobe"} <= names
    assert {name.split()[-1] for name in names if name.endswith("]")} == {"[ext2]"}
    assert "[other]" not in names
    ended = counts["cycles"]
    timed.run("true")
    assert counts["cycles"] == ended


def test_what_tracing_writes_is_counted_apart(timed: Machine) -> None:
    timed.tracefs.write("set_ftrace_filter", "vfs_read")
    timed.tracefs.write("current_tracer", "function_graph")
    with timed.counting(functions=True) as counts:
        timed.run("cat /proc/version", trace=True)
    timed.tracefs.write("current_tracer", "nop")
    timed.tracefs.write("set_ftrace_filter", "")
    assert counts["branches"] == sum(row["branches"] for row in counts.functions.values())
    assert counts.functions["vfs_read"]["instructions"] > 0


def test_functions_are_counted_once_at_a_time(timed: Machine) -> None:
    with timed.counting(functions=True) as outer, timed.counting() as inner:
        with pytest.raises(ValueError, match="being counted already"), timed.counting(functions=True):
            pass
        timed.run("true")
    assert sum(row["cycles"] for row in outer.functions.values()) == outer["cycles"] == inner["cycles"]
    with pytest.raises(ValueError, match=r"counting\(functions=True\)"):
        inner.functions  # noqa: B018


def test_a_checkpoint_from_inside_can_be_restored_later(timed: Machine) -> None:
    with timed.counting(functions=True):
        inside = timed.checkpoint()
        timed.run("true")
    timed.restore(inside)
    timed.run("true")
    with pytest.raises(ValueError, match="being counted already"), timed.counting(functions=True):
        pass


@pytest.mark.static_timing("what that model counts")
def test_a_cpu_that_sleeps_counts_no_cycles(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        with machine.counting() as counts:
            machine.advance(1_000_000)
        assert counts.nanoseconds == machine.board.nanoseconds(1_000_000)
        assert counts["cycles"] < 100_000
        with machine.counting() as counts:
            machine.run("spin 20000")
        passed = machine.board.cycles(counts.nanoseconds)
        assert all(counts.of_cpu(cpu)["cycles"] <= passed + machine.board.arch.longest_turn for cpu in (0, 1))
        assert tuple(counts.events) == ("cycles", "instructions")
        with pytest.raises(KeyError):
            counts["branches"]
        with pytest.raises(ValueError, match="not by static"):
            machine.counting(functions=True)
