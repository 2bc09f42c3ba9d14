# SPDX-License-Identifier: GPL-2.0-only
"""Programs are probed and unprobed while four CPUs run them: they must behave as without probes."""

from __future__ import annotations

import hashlib
import io
import random
import re
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile

from emu.cpu.disassembly import disassemble
from emu.kernel.cpio import read_entries
from emu.machine import Machine, image_directory

__all__ = ["ProbedPrograms", "UprobeFailure", "probe"]

_CPUS = 4
_PROGRAMS = ("ls", "sed", "threads", "seq", "sort", "sh", "hackbench")
_LOAD = (
    "(ls /bin | sed s/[aeiou]/z/g; threads -n 3 count; seq 1 300 | sort | head -n 5; sh -c 'for i in 1 2 3; do echo $i; done';"
    " hackbench -g 1 -f 3 -l 10 > /dev/null; echo $?) > /busy.log 2>&1 &"
)
_AT_ONCE = 400
_COMING = 100  # in a round
_LONGEST = 1_000_000  # cycles between two changes
_ENDED = 10  # seconds in which the load ends
_CALL = re.compile(r"callq? (0x[0-9a-f]+)")
_NO_CODE = re.compile(r"\.|bn,|illtrap|unimp")  # tables in the text of SPARC V9 programs, as they are disassembled


class UprobeFailure(AssertionError):
    """A program behaved differently."""


@dataclass(frozen=True)
class ProbedPrograms:
    """The results of a run. `digest`: of RAM at the end."""

    probes: int
    hits: int
    digest: str


@dataclass(frozen=True)
class _Program:
    """Offsets in the file of a program."""

    instructions: list[int]
    functions: list[int]


def probe(arch: str, rounds: int, seed: int) -> ProbedPrograms:
    """Probes random instructions and function returns of running programs, `rounds` times.

    Raises:
        UprobeFailure: a program was affected.
        GuestPanic: the guest panicked.
    """
    choose = random.Random(seed)
    number = hits = 0
    standing: list[str] = []
    with Machine(arch=arch, cpus=_CPUS, seed=seed) as machine:
        programs = _programs(machine)
        machine.run(_LOAD)
        right = _worked(machine)
        for _ in range(rounds):
            machine.run(_LOAD)
            lines = []
            for _ in range(_COMING):
                name, number = choose.choice(_PROGRAMS), number + 1
                kind = choose.choice("ppr")
                places = programs[name].instructions if kind == "p" else programs[name].functions
                lines.append(f"{kind}:e{number} /bin/{name}:{choose.choice(places):#x}\n")
                standing.append(f"e{number}")
            machine.tracefs.append("uprobe_events", "".join(lines))
            for on in "101":
                machine.tracefs.write("events/uprobes/enable", on)
                machine.advance(choose.randrange(_LONGEST))
            if (result := _worked(machine)) != right:
                raise UprobeFailure(result.decode(errors="replace"))
            while len(standing) > _AT_ONCE:
                gone = standing.pop(choose.randrange(len(standing)))
                hits += _hits(machine).get(gone, 0)
                machine.tracefs.write(f"events/uprobes/{gone}/enable", "0")
                machine.tracefs.append("uprobe_events", f"-:{gone}")
        hits += sum(_hits(machine).values())
        machine.tracefs.write("events/uprobes/enable", "0")
        machine.tracefs.write("uprobe_events", "")
        return ProbedPrograms(number, hits, hashlib.sha256(machine.board.ram).hexdigest())


def _hits(machine: Machine) -> dict[str, int]:
    lines = machine.tracefs.read("uprobe_profile").splitlines()
    return {name: int(count) for _, name, count in (line.split() for line in lines)}


def _worked(machine: Machine) -> bytes:
    """The load's output after it has ended."""
    machine.advance(_ENDED * machine.board.frequency)
    return machine.run("cat /busy.log").output


def _programs(machine: Machine) -> dict[str, _Program]:
    archive = (image_directory(machine.board.arch.name) / "initramfs.cpio").read_bytes()
    files = {entry.name: entry.data for entry in read_entries(archive)}
    return {name: _program(machine, files[f"bin/{name}"]) for name in _PROGRAMS}


def _program(machine: Machine, data: bytes) -> _Program:
    elf = ELFFile(io.BytesIO(data))
    text = elf.get_section_by_name(".text")
    base = text["sh_addr"] - text["sh_offset"]
    code = [one for one in disassemble(machine.board.arch, text.data(), text["sh_addr"]) if not _NO_CODE.match(one.text)]
    instructions = {one.address - base for one in code}
    called = {int(match[1], 16) - base for one in code if (match := _CALL.match(one.text))}
    if machine.board.arch.name == "riscv64":  # its calls are relative, some in two instructions
        table = elf.get_section_by_name(".symtab")
        called = {one["st_value"] - base for one in table.iter_symbols() if one["st_info"]["type"] == "STT_FUNC"}
    return _Program(sorted(instructions), sorted(called & instructions))
