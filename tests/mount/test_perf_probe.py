# SPDX-License-Identifier: GPL-2.0-only
"""The host's perf, unmodified, defines events of a mounted machine. It learns the machine's features from README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lib.host_compiler import compile_static
from tests.lib.mounted import Mount, needs_fuse, run_host
from tests.lib.needs import needs

pytestmark = [needs_fuse, needs("perf")]

# A static probe as made by SystemTap's <sys/sdt.h>: its note has the address of the probe and of the counter of its users.
# The program returns the counter.
PROGRAM = r"""
unsigned short wanted __attribute__((section(".probes"))) = 0;
int main(void)
{
	asm volatile(
		"1: nop\n"
		".pushsection .note.stapsdt, \"\", \"note\"\n"
		".balign 4\n"
		".4byte 8, 3f - 2f, 3\n"
		".asciz \"stapsdt\"\n"
		"2: .8byte 1b, _.stapsdt.base, wanted\n"
		".asciz \"demo\"\n"
		".asciz \"tick\"\n"
		".asciz \"\"\n"
		"3: .balign 4\n"
		".popsection\n"
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
		".weak _.stapsdt.base\n"
		"_.stapsdt.base: .space 1\n"
		".size _.stapsdt.base, 1\n"
		".popsection\n");
	return *(volatile unsigned short *)&wanted;
}
"""


class Perf(Mount):
    """perf on a mounted machine, which sees the folder `work` at the host's path."""

    def __init__(self, folder: Path, work: Path) -> None:
        super().__init__(folder, "--share", f"{work}:{work}")
        self.work = work

    def perf(self, *words: str) -> str:
        where = [f"TRACEFS_PATH={self.path}", f"HOME={self.work}"]
        return run_host(["env", *where, "perf", "--buildid-dir", str(self.work / "debug"), *words])


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Perf]:
    work = tmp_path_factory.mktemp("perf")
    compile_static("x86_64", PROGRAM, work / "program", "-Wl,--build-id")
    with Perf(tmp_path_factory.mktemp("machine") / "t", work) as mount:
        yield mount


def test_a_static_probe_with_a_counter(machine: Perf) -> None:
    program = str(machine.work / "program")
    machine.perf("buildid-cache", "--add", program)
    machine.perf("probe", "-x", program, "sdt_demo:tick")
    (line,) = machine.read("uprobe_events").splitlines()
    assert line.startswith(f"p:sdt_demo/tick {program}:0x") and line.endswith(")")
    assert machine.guest(program) == 0
    machine.write("events/sdt_demo/enable", "1")
    assert machine.guest(program) == 1
    assert " tick: (0x" in machine.read("trace")
    machine.write("events/sdt_demo/enable", "0")
    machine.perf("probe", "-d", "sdt_demo:*")
    assert machine.read("uprobe_events") == ""


def test_a_function_and_its_return(machine: Perf) -> None:
    program = str(machine.work / "program")
    machine.perf("probe", "-x", program, "in=main name=+u0(+u0(%si)):ustring")
    machine.perf("probe", "-x", program, "out=main%return got=$retval:s32")
    machine.write("events/probe_program/enable", "1")
    assert machine.guest(program) == 0
    text = machine.read("trace")
    machine.write("events/probe_program/enable", "0")
    machine.perf("probe", "-d", "probe_program:*")
    assert re.search(rf' in: \(0x\w+\) name="{program}"\n', text)
    assert re.search(r" out__return: \(0x\w+ <- 0x\w+\) got=0\n", text)
