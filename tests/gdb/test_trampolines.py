# SPDX-License-Identifier: GPL-2.0-only
"""Backtraces at each instruction of a traced call: at its site, in the trampolines, in the function, and back in its caller."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from emu.machine import Machine
from tests.gdb.test_gdb import gdb
from tests.lib.booted_machine import booted_machine
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")

FUNCTION, CALLER = "rw_verify_area", "vfs_read"
TRAMPOLINES = {
    "ftrace_caller", "ftrace_graph_caller", "prepare_ftrace_return", "return_to_handler", "ftrace_return_to_handler",
    "arch_rethook_trampoline",
}  # fmt: skip
ARCHES = "x86_64", "sparc64", "riscv64"
TRACERS = {
    "function": {"ftrace_caller"},
    "function_graph": {"ftrace_graph_caller", "return_to_handler", "ftrace_return_to_handler"},
    "return probe": {"ftrace_caller", "arch_rethook_trampoline"},
}
MOST_STEPS = 80
SCRIPT = f"""
import gdb
place = ""
for _ in range({MOST_STEPS}):
    print("=== " + gdb.execute("info symbol $pc", False, True).strip())
    print(gdb.execute("backtrace", False, True))
    before, place = place, gdb.execute("info symbol $pc", False, True).split()[0]
    if place == {CALLER!r} and before not in ("", place):
        break
    gdb.execute("stepi", False, True)
"""


def backtraces(machine: Machine, folder: Path) -> list[list[str]]:
    """The functions of the backtrace at each instruction from the call's first one on, innermost first, without trampolines
    that are not innermost."""
    script = folder / "steps.py"
    script.write_text(SCRIPT)
    said = gdb(machine, f"break {CALLER}", "continue", "delete", f"break *&{FUNCTION}", "continue", "delete", f"source {script}")
    found = []
    for part in said.split("=== ")[1:]:
        here = part.split()[0]
        names = re.findall(r"^#\d+ .* in (\w+) \(", part, re.MULTILINE)
        assert names[0] == here, part
        found.append([here, *(name for name in names[1:] if name not in TRAMPOLINES)])
    return found


def check(found: list[list[str]], tracer: set[str]) -> None:
    """Each backtrace has the callers of the first, and the call went through these trampolines."""
    first, *_ = found
    assert first[:4] == [FUNCTION, CALLER, "ksys_read", "sys_read"] and len(first) > 4, first
    for names in found:
        wanted = first[1:] if names[0] != CALLER else first[2:]
        if names[0] in TRAMPOLINES and FUNCTION in names:
            wanted = first
        assert names[1:] == wanted, names
    assert found[-1][0] == CALLER
    assert tracer <= {names[0] for names in found}


@pytest.mark.long("steps through a whole call")
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("tracer", "trampolines"), TRACERS.items())
def test_callers_at_each_instruction(arch: str, tracer: str, trampolines: set[str], tmp_path: Path) -> None:
    with booted_machine(arch) as machine:
        if tracer == "return probe":
            machine.tracefs.write("kprobe_events", f"r:returns {FUNCTION}")
            machine.tracefs.write("events/kprobes/returns/enable", "1")
        else:
            machine.tracefs.write("set_ftrace_filter", f"{FUNCTION} {CALLER} ksys_read")
            machine.tracefs.write("current_tracer", tracer)
        check(backtraces(machine, tmp_path), trampolines)


def without(names: list[str]) -> list[str]:
    return [name for name in names if name not in {*TRAMPOLINES, FUNCTION}]


def test_callers_inside_a_trampoline(arch: str) -> None:
    """Where it has made a frame, on SPARC V9, and what it calls."""
    with booted_machine(arch) as machine:
        machine.tracefs.write("set_ftrace_filter", f"{FUNCTION} {CALLER}")
        machine.tracefs.write("current_tracer", "function_graph")
        said = gdb(
            machine, "break ksys_read", "continue", f"break *&{FUNCTION}", "continue", "bt", "delete",
            "break prepare_ftrace_return", "break *&return_to_handler",
            "continue", r"echo ==\n", "bt", "stepi", r"echo ==\n", "bt",
        )  # fmt: skip
    first, *others = (re.findall(r"^#\d+ .* in (\w+) \(", text, re.MULTILINE) for text in said.split("=="))
    assert first[:2] == [FUNCTION, CALLER] and len(first) > 3 and len(others) == 2
    for names in others:
        assert names[0] in TRAMPOLINES
        assert without(names) == without(first)
