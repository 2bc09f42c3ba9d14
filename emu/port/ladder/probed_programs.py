# SPDX-License-Identifier: GPL-2.0-only
"""A program made of the instructions that probes of programs treat differently."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from emu.port.ladder.guest import run
from emu.port.ladder.rung import expect, fail

__all__ = ["NAME", "check_instructions"]

NAME = "instructions"  # of the program, in the shared folder
_SIGTRAP = 5


def _labels(file: Path) -> dict[str, int]:
    """The file offset of each label."""
    with file.open("rb") as opened:
        elf = ELFFile(opened)
        text = elf.get_section_by_name(".text")
        moved = int(text["sh_offset"]) - int(text["sh_addr"])
        return {one.name: int(one["st_value"]) + moved for one in elf.get_section_by_name(".symtab").iter_symbols()}


def check_instructions(machine: Machine, file: Path, path: str) -> int:
    """Probes instructions of `file`, which the guest has at `path`: the program does as without, each probe is hit, what cannot
    be probed is refused, and a breakpoint of the program's own is its own. Returns how many probes there were.
    """
    tracefs = machine.tracefs
    labels = _labels(file)
    status = machine.run(path).status
    probed = {name: at for name, at in labels.items() if name.startswith("probed")}
    tracefs.write("uprobe_events", "".join(f"p:{name} {path}:{at:#x}\n" for name, at in probed.items()))
    tracefs.write("events/uprobes/enable", "1")
    expect(f"the status of a program that is probed at {len(probed)} instructions, as without", status, machine.run(path).status)
    hits = {line.split()[1]: int(line.split()[2]) for line in tracefs.read("uprobe_profile").splitlines()}
    missed = [name for name in probed if not hits.get(name)]
    expect("probes that are not hit", [], missed)
    run(machine, f"{path} breakpoint", 128 + _SIGTRAP)
    tracefs.write("events/uprobes/enable", "0")
    tracefs.write("uprobe_events", "")
    run(machine, f"{path} breakpoint", 128 + _SIGTRAP)
    for name, at in labels.items():
        if name.startswith("refused"):
            _refused(machine, name, f"{path}:{at:#x}")
    return len(probed)


def _refused(machine: Machine, name: str, place: str) -> None:
    tracefs = machine.tracefs
    tracefs.write("uprobe_events", f"p:{name} {place}\n")
    try:
        tracefs.write(f"events/uprobes/{name}/enable", "1")
    except TraceError:
        tracefs.write("uprobe_events", "")
    else:
        fail(f"a probe at the label {name} of AssemblerTemplates.probed_program is refused", "it is not")
