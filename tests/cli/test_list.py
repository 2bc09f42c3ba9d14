# SPDX-License-Identifier: GPL-2.0-only
"""emu list, and emu run -e, with the kernel that comes with emu."""

from __future__ import annotations

import pytest

from emu.machine import Machine
from tests.cli.conftest import Emu


@pytest.fixture
def listed(emu: Emu, arch: str) -> dict[str, list[str]]:
    kinds = ("events", "functions", "tracers", "options", "clocks")
    return {kind: emu("list", "--arch", arch, kind).out.decode().splitlines() for kind in kinds}


def test_what_is_listed_is_what_the_files_of_a_machine_say(machine: Machine, listed: dict[str, list[str]]) -> None:
    read = machine.tracefs.read
    assert listed["events"] == read("available_events").splitlines()
    assert listed["functions"] == read("available_filter_functions").splitlines()
    assert listed["tracers"] == read("available_tracers").split()
    assert listed["clocks"] == read("trace_clock").replace("[", "").replace("]", "").split()
    states = {name: read(f"options/{name}").strip() for name in machine.tracefs.listdir("options")}
    assert sorted(listed["options"]) == sorted(f"{'no' * (state == '0')}{name}" for name, state in states.items())


@pytest.mark.parametrize(
    ("kind", "glob", "names"),
    [
        ("events", "sched_switch", ["sched:sched_switch"]),
        ("events", "sched:sched_s?itch", ["sched:sched_switch"]),
        ("events", "exceptions", ["exceptions:page_fault_kernel", "exceptions:page_fault_user"]),
        ("functions", "vfs_rea[d]", ["vfs_read"]),
        ("tracers", "func*", ["function_graph", "function"]),
        ("options", "sym-*", ["nosym-offset", "nosym-addr", "nosym-userobj"]),
        ("options", "no*", None),
        ("clocks", "mono*", ["mono", "mono_raw"]),
        ("cpu-models", "zen4", ["zen4  not measured"]),
        ("counters", "L1-i*", ["L1-icache-loads", "L1-icache-load-misses"]),
        ("counters", "cycles", ["cycles"]),
    ],
)
def test_a_glob_selects_names(emu: Emu, kind: str, glob: str, names: list[str] | None) -> None:
    result = emu("list", kind, glob)
    assert (result.status, result.out.decode().splitlines()) == ((0, names) if names else (2, []))


def test_a_glob_that_matches_nothing(emu: Emu) -> None:
    assert emu("list", "events", "sched_swich") == (2, b"", "emu: no event matches 'sched_swich'; did you mean sched_switch?\n")


def test_an_architecture_without_cpu_models(emu: Emu) -> None:
    assert emu("list", "--arch", "sparc64", "cpu-models") == (0, b"", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bogus"], "'bogus' is not one of"),
        (["events", "--arch", "vax"], "vax"),
        (["events", "--image", "/nosuch"], "cannot read /nosuch: No such file or directory"),
        (["events", "--image", "/dev/null"], "/dev/null"),
    ],
)
def test_what_cannot_be_listed(emu: Emu, arguments: list[str], message: str) -> None:
    result = emu("list", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert message in result.err
    assert result.err.startswith("emu: ")
    assert result.err.count("\n") == 1


def test_events_are_traced_without_a_tracer(emu: Emu, arch: str) -> None:
    result = emu("run", "--arch", arch, "-e", "sched:sched_switch", "--", "usleep 1000")
    lines = result.out.decode().splitlines()
    assert lines[0] == "# tracer: nop"
    assert any(" sched_switch: prev_comm=usleep " in line for line in lines)
    assert all(" sched_switch: " in line for line in lines if not line.startswith("#"))


def test_events_stand_among_calls(emu: Emu, arch: str) -> None:
    result = emu("run", "--arch", arch, "-e", "sched", "-p", "function", "-l", "schedule", "--", "usleep 1000")
    text = result.out.decode()
    assert text.startswith("# tracer: function\n")
    assert ": schedule <-" in text
    assert ": sched_switch: " in text


def test_an_event_that_is_misspelt(emu: Emu) -> None:
    result = emu("run", "-e", "sched:sched_swich", "true")
    assert (result.status, result.out) == (2, b"")
    assert result.err == "emu: -e: there is no event 'sched:sched_swich'; did you mean sched:sched_switch?\n"
