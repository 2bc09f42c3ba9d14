# SPDX-License-Identifier: GPL-2.0-only
"""What the checks that an architecture adds to rungs (`arch/ARCH_checks.py`) share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile

from emu.cpu import arch as cpu_arch
from emu.cpu.disassembly import disassemble
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.errors import TraceError
from emu.ftrace.probes.host_probes import Hit
from emu.machine import Machine
from emu.port.ladder.assembler import assemble
from emu.port.ladder.guest import contains, quiet, run, traced
from emu.port.ladder.rung import expect, fail
from emu.race.litmus import explore, parse
from emu.race.litmus.arch import CODE

__all__ = [
    "Probed", "diverted", "foreign_breakpoint", "labels", "litmus_faults", "litmus_lines", "nested_returns", "preemption",
    "user_stacks",
]  # fmt: skip

_PAGE = 4096

# Litmus tests


def _one(arch: str, line: str, state: str) -> str:
    """A test of one instruction."""
    return f"{arch.upper()} one\n{{ x = 0; {state} }}\n P0 ;\n {line} ;\n nop ;\nexists (0:fault)"


def litmus_faults(arch: str, faults: Mapping[str, str | None], state: str) -> None:
    """What ends a CPU that executes an instruction of a litmus test; None: nothing does. `state`: the registers at first."""
    for line, fault in faults.items():
        finals = [str(final) for final in explore(parse(_one(arch, line, state)), "coherent").finals]
        expect(f"the end of a litmus test of `{line}`", [f"0:fault={fault};" if fault else ""], finals)


def litmus_lines(arch: str, lines: Sequence[str], others: Mapping[str, str], before: str = "", behind: str = "") -> None:
    """Lines of litmus tests are the code that the port's own assembler makes of them. They may name the labels `back`, `here`,
    `there`, which stand before, at and behind the first line.

    Args:
        others: what a line of a litmus test is called for the port's assembler.
        before, behind: directives around the lines for the latter.
    """
    frame = ["back: nop", "here: nop", "nop", "there: nop"]
    program = parse("\n".join([f"{arch.upper()} n", "{ x = 0; }", " P0 ;", *(f" {line} ;" for line in [*frame, *lines]),
                               "exists (x = 0)"])).program  # fmt: skip
    code = program.code[: program.ends[0] - CODE]
    source = "\n".join([before, *frame, *(others.get(line, line) for line in lines), behind])
    expected = assemble(arch, source, CODE).code[: len(code)]
    if code != expected:
        at = next(n for n, (one, other) in enumerate(zip(code, expected, strict=False)) if one != other) & ~3
        hardware = cpu_arch.load(arch)
        texts = [disassemble(hardware, bytes(part[at : at + 4]), CODE + at)[0].text for part in (expected, code)]
        fail(f"the litmus assembler makes {expected[at : at + 4].hex(' ')} ({texts[0]}) at byte {at:#x}",
            f"{code[at : at + 4].hex(' ')} ({texts[1]})")


# Probes


class Probed:
    """Assembler text in which labels mark instructions, and what kprobes make of these."""

    def __init__(self, arch: str, source: str, start: int) -> None:
        self._arch, self._start = arch, start
        program = assemble(arch, source, start)
        self._code, self._at = program.code, program.symbols

    def probed(self, label: str) -> None:
        """A probe is possible there, by a copy of the instruction."""
        probing, address = ftrace_arch.load(self._arch).probing(), self._at[label]
        try:
            instruction = probing.instruction(self._code, self._start, address)
        except TraceError as error:
            fail(f"a probe at `{self._text(address)}` is possible", str(error))
        there = self._code[address - self._start :][: len(instruction)]
        expect(f"the instruction that is probed at `{label}`", there.hex(" "), instruction.hex(" "))
        for copy in (probing.copy, probing.stepping_copy):
            made = copy(instruction, address, self._start + _PAGE)[: len(instruction)]
            expect(f"the beginning of Probing.{copy.__name__}() of `{self._text(address)}`", there.hex(" "), made.hex(" "))

    def _text(self, address: int) -> str:
        at = address - self._start
        return disassemble(cpu_arch.load(self._arch), self._code[at : at + 16], address)[0].text


def labels(file: Path) -> dict[str, int]:
    """The offset of each of a program's labels in its file."""
    with file.open("rb") as opened:
        elf = ELFFile(opened)
        sections = list(elf.iter_sections())
        symbols = [one for one in elf.get_section_by_name(".symtab").iter_symbols() if isinstance(one["st_shndx"], int)]
        return {one.name: int(one["st_value"] - (section := sections[one["st_shndx"]])["sh_addr"] + section["sh_offset"])
                for one in symbols}  # fmt: skip


# The guest


def foreign_breakpoint(machine: Machine) -> None:
    """A breakpoint in the kernel that is no probe's ends the task with an oops, and the guest goes on."""
    board, memory = machine.board, machine.kernel.memory
    place = memory.physical(machine.kernel.image.symbol("sys_getppid"))
    breakpoint = machine.ftrace.arch.probing().breakpoint
    before = bytes(board.ram[place : place + len(breakpoint)])
    for code in (breakpoint, before):
        board.write_code(place, code)
        board.flush_page(place)
        machine.run("sh -c 'echo $PPID'; getpid; getppid")
        if code is breakpoint:
            contains("the report about a breakpoint that is nobody's", ["oops", r"\bip [0-9a-f]{16}  sys_getppid"],
                "\n".join(machine.warnings))
            machine.warnings.clear()
    run(machine, "echo alive")
    quiet(machine)


def user_stacks(machine: Machine) -> None:
    """A program's stack in a system call is the same however deep the kernel's own is."""
    tracefs = machine.tracefs
    tracefs.write("options/userstacktrace", "1")
    for name in ("syscalls/sys_enter_openat", "syscalls/sys_exit_openat", "kmem/kmem_cache_alloc"):
        tracefs.write(f"events/{name}/enable", "1")
    text = traced(machine, "cat /proc/version > /dev/null")
    tracefs.write("events/enable", "0")
    tracefs.write("options/userstacktrace", "0")
    inside, compared = "", 0
    for event, stack in re.findall(r"^ +cat-.*?: (\w+).*\n(?: +cat-.*<user stack trace>\n)((?: => .*\n)+)", text, re.MULTILINE):
        if event == "sys_openat":
            inside = "" if inside else stack
        elif inside:
            expect("a program's stack at kmem_cache_alloc, as where the system call begins", inside, stack)
            compared += 1
    if not compared:
        fail("stacks of programs in openat()", text[:1000])


def preemption(machine: Machine) -> None:
    """A task that wakes another one gives way to it inside the kernel, and not without need."""
    tracefs = machine.tracefs
    tracefs.write("set_ftrace_filter", "preempt_schedule")
    tracefs.write("current_tracer", "function")
    tracefs.write("events/sched/sched_switch/enable", "1")
    text = traced(machine, "hackbench -g 1 -l 5 > /dev/null")
    calls, switches = (len(re.findall(pattern, text)) for pattern in (r": preempt_schedule <-", ": sched_switch: "))
    tracefs.write("events/enable", "0")
    tracefs.write("current_tracer", "nop")
    tracefs.write("set_ftrace_filter", "")
    if not 0 < calls <= switches:
        fail(f"calls of preempt_schedule(), at most as many as there are switches of tasks, {switches}", str(calls))


def nested_returns(machine: Machine) -> None:
    """Return probes of a program's functions that call each other, and themselves."""
    tracefs, files, path = machine.tracefs, machine.program_files, "/bin/recurse"
    names = ("main", "level")
    places = {name: files.file_offset(path, name) for name in names}
    tracefs.write("uprobe_events", "".join(f"r:left_{name} {path}:{place:#x}\n" for name, place in places.items()))
    tracefs.write("events/uprobes/enable", "1")
    text = traced(machine, "recurse 5 1 > /dev/null")
    counts = [len(re.findall(rf": left_{name}: ", text)) for name in names]
    tracefs.write("events/uprobes/enable", "0")
    tracefs.write("uprobe_events", "")
    expect("returns of main() and of a function that calls itself five times, in two processes", [1, 12], counts)


def diverted(machine: Machine) -> None:
    """A probe at a function's beginning has the CPU go on at another function."""
    known = machine.ftrace.arch.probing().registers
    pc = next(name for name, word in known.names.items() if word == known.pc)
    other = machine.kernel.image.symbol("sys_getppid")
    both = "sh -c 'getpid; getpid; true'"

    def divert(hit: Hit) -> None:
        hit.registers[pc] = other

    for tracer in ("nop", "function_graph"):
        machine.tracefs.write("current_tracer", tracer)
        with machine.probe("sys_getpid", divert):
            first, second = run(machine, both).split()
        expect(f"getpid() of two children of a shell, which a probe sends to getppid(), with {tracer}", first, second)
    machine.tracefs.write("current_tracer", "nop")
    quiet(machine)
