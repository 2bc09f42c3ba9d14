# SPDX-License-Identifier: GPL-2.0-only
"""Probes that see and change registers, and probes that a module of the guest places at each of its instructions."""

from __future__ import annotations

from emu.cpu.disassembly import disassemble
from emu.ftrace.errors import TraceError
from emu.ftrace.probes.host_probes import Hit
from emu.ftrace.probes.places import ProbedFunction
from emu.ftrace.probes.placing import ProbePlace
from emu.machine import Machine
from emu.port.ladder import arch as templates_of
from emu.port.ladder.guest import run
from emu.port.ladder.rung import expect, fail

__all__ = ["can_probe", "check_registers", "check_samples"]

_WORK = 14  # more than one round of sample_kprobes_work: all its cases
_LESS = 3
_CLOSED = 99  # a file descriptor
_SH = "cd /sys/module/sample_kprobes/parameters; "


def _function(machine: Machine, name: str) -> ProbedFunction:
    """A function of a module."""
    (address,) = [one.address for module in machine.kernel.modules for one in module.functions if one.name == name]
    found = machine.ftrace.kprobes.places.function_at(address)
    if found is None:
        fail(f"the function {name} of a module", "none")
    return found


def can_probe(machine: Machine, address: int) -> bool:
    """Whether an instruction, which is no call site, can be probed."""
    if address in machine.ftrace.sites:
        return False
    try:
        machine.ftrace.kprobes.check(ProbePlace(address=address))
    except TraceError:
        return False
    return True


def _result(machine: Machine, argument: int) -> str:
    return run(machine, f"{_SH} echo {argument} > call; cat call").strip()


def check_registers(machine: Machine) -> None:
    """What a probe changes in registers, the CPU goes on with: at a call site, and at an instruction."""
    known = machine.ftrace.arch.probing().registers
    first = next(name for name, word in known.names.items() if word == known.arguments[0])
    pc = next(name for name, word in known.names.items() if word == known.pc)

    def close(hit: Hit) -> None:
        if hit.comm == "cat":
            hit.registers[first] = _CLOSED

    with machine.probe("ksys_read", close):
        done = machine.run("cat /proc/version")
    if done.status != 1 or b"Bad file descriptor" not in done.output:
        fail(f"a probe of ksys_read sets {first} to {_CLOSED}: the read fails, with a bad file descriptor",
             done.output.decode(errors="replace") or f"status {done.status}")  # fmt: skip
    run(machine, "insmod /lib/modules/sample_kprobes.ko")
    held = templates_of.load(machine.board.arch.name).held_argument
    if held:
        work = _function(machine, "sample_kprobes_work")
        less = _result(machine, _LESS)
        place = _behind_site(machine, work)

        def change(hit: Hit) -> None:
            expect(f"the register {pc} of a probe at {place:#x}", place, hit.registers[pc])
            expect(f"the register {held}, which holds an argument", _WORK, hit.registers[held])
            hit.registers[held] = _LESS

        with machine.probe(place, change):
            changed = _result(machine, _WORK)
        expect(f"the result of a function whose argument a probe behind its site changes to {_LESS}", less, changed)
    run(machine, "rmmod sample_kprobes")


def _behind_site(machine: Machine, function: ProbedFunction) -> int:
    begin = function.symbol.address
    lines = disassemble(machine.board.arch, function.code, begin)
    behind = [line.address for line in lines if line.address > (function.site or begin)]
    return next(address for address in behind if can_probe(machine, address))


def check_samples(machine: Machine) -> int:
    """A module's probes at each instruction of a function, whose result does not change. Returns how many there are."""
    run(machine, "insmod /lib/modules/sample_kprobes.ko")
    work = _function(machine, "sample_kprobes_work")
    plain = _result(machine, _WORK)
    lines = disassemble(machine.board.arch, work.code, work.symbol.address)
    offsets = " ".join(str(line.address - work.symbol.address) for line in lines)
    text = run(machine, f"{_SH} for o in {offsets}; do echo -n sample_kprobes_work+$o > probe 2> /dev/null && "
               f"{{ echo {_WORK} > call; echo $o $(cat call counts); }}; done; true")  # fmt: skip
    probed = [line.split() for line in text.splitlines()]
    if len(probed) < len(lines) // 2:
        fail("probes at most instructions of sample_kprobes_work", f"at {len(probed)} of {len(lines)}")
    for offset, result, before, after, missed, *_ in probed:
        expect(f"result, and calls of handlers after and missed, with a probe at sample_kprobes_work+{offset}",
               [plain, before, "0,"], [result, after, missed])  # fmt: skip
    if not sum(int(line[2]) > 0 for line in probed) > len(probed) // 2:
        fail("probes at most instructions are hit", str([line[2] for line in probed]))
    counts = run(machine, f"{_SH} echo -n - > probe; echo -n sample_kprobes_depth > retprobe; echo 6 > depth; cat depth counts")
    expect("a result, and calls of a kretprobe's handlers, of which every other is watched and three at most", "6 6 3 1, wrong 0",
           " ".join([counts.split()[0], *counts.split()[4:]]))  # fmt: skip
    run(machine, "rmmod sample_kprobes")
    return len(probed)
