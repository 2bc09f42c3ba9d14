# SPDX-License-Identifier: GPL-2.0-only
"""`--set uprobe_events` accepts FILE:SYMBOL; the guest's uprobe_events accepts only offsets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from emu.ftrace.errors import TraceError
from tests.cli.conftest import Emu
from tests.lib.booted_machine import booted_machine
from tests.lib.probed_program import ProbedProgram

SOURCE = """
#include <stdio.h>
__attribute__((noinline)) int answer(int of) { return of + 1; }
int main(void) { printf("%d\\n", answer(41)); return 0; }
"""


def lines(out: bytes, event: str) -> list[str]:
    return [line for line in out.decode().splitlines() if f" {event}: " in line]


def test_a_function_of_the_guests_own_programs(arch: str, emu: Emu) -> None:
    probe = "uprobe_events=p:up /bin/cat:copy_file"
    _, out, _ = emu("run", "--arch", arch, "--set", probe, "-e", "uprobes:up", "--", "cat /proc/version /proc/uptime")
    assert len(lines(out, "up")) == 2


def test_a_function_of_a_program_in_a_shared_folder(arch: str, emu: Emu, tmp_path: Path) -> None:
    program = ProbedProgram(arch, SOURCE, tmp_path)
    probes = "dynamic_events=p:before /m/program:answer\nr:after /m/program:answer value=$retval"
    machine = ("--arch", arch, "--share", f"{tmp_path}:/m")
    _, out, err = emu("run", *machine, "--set", probes, "-e", "uprobes:before", "-e", "uprobes:after", "--", "/m/program")
    assert "42" in err
    assert re.search(rf"\({program.address('answer'):#x}\)", *lines(out, "before"))
    assert re.search(r"value=0x2a$", *lines(out, "after"))


def test_an_offset_behind_a_symbol_and_a_link(emu: Emu, tmp_path: Path) -> None:
    program = ProbedProgram("x86_64", SOURCE, tmp_path)
    (tmp_path / "link").symlink_to("program")
    probe = "uprobe_events=p:up /m/link:answer+0x3 %ax"
    shown = "cat /sys/kernel/tracing/uprobe_events"
    _, _, err = emu("run", "--share", f"{tmp_path}:/m", "--set", probe, "--", shown)
    assert err.splitlines()[0] == f"p:uprobes/up /m/link:{program.offset('answer') + 3:#018x} arg1=%ax"


def test_a_misspelt_symbol_is_one_line(emu: Emu) -> None:
    result = emu("run", "--set", "uprobe_events=p /bin/cat:mian", "--", "true")
    assert (result.status, result.err) == (2, "emu: --set uprobe_events: /bin/cat has no symbol 'mian'; did you mean main?\n")


def test_the_guest_takes_offsets_alone(arch: str) -> None:
    with booted_machine(arch=arch) as machine, pytest.raises(TraceError):
        machine.tracefs.write("uprobe_events", "p:up /bin/cat:main")
