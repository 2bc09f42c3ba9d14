# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests for herd7 (diy.inria.fr/doc/herd.html): the text of a test as herd7 reads it.

`litmus_text.parse` reads herd7's own files: types in the initial state, lines with information before it, the names of its
registers, and AT&T's syntax. herd7 knows no directives, no interrupts, and, but on AArch64, no stores to code.
"""

from __future__ import annotations

from collections.abc import Iterator

from emu.race.litmus.arch import CODE, DATA, LitmusArch, load
from emu.race.litmus.condition import And, Fault, FinalValue, Not, Or, Proposition
from emu.race.litmus.litmus_text import Litmus

__all__ = ["format_herd7"]

_ALIAS = 1 << 31  # memory is once more at the end of the address space, or at none


def format_herd7(litmus: Litmus) -> str:
    """The text of a test for herd7.

    Raises:
        ValueError: herd7 cannot have such a test. The text says why.
    """
    arch = load(litmus.arch)
    if not arch.herd_head:
        raise ValueError(f"herd7 has no {litmus.arch}")
    if _has_fault(litmus.condition):
        raise ValueError("herd7 has no such exceptions as `fault`")
    columns = [list(_column(litmus, arch, cpu)) for cpu in range(litmus.cpus)]
    rows = [[column[n] if n < len(column) else "" for column in columns] for n in range(max(map(len, columns)))]
    rows = [[f"P{cpu}" for cpu in range(litmus.cpus)], *rows]
    widths = [max(len(row[cpu]) for row in rows) for cpu in range(litmus.cpus)]
    text = [f" {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} ;" for row in rows]
    about = [f'"{litmus.about}"'] if litmus.about else []
    condition = arch.for_herd_condition(litmus.condition_text)
    shown = " ".join(f"{_shown(arch, value)};" for value in litmus.shown)
    return "\n".join([f"{arch.herd_head} {litmus.name}", *about, f"{{ {' '.join(_state(litmus, arch))} }}", *text,
                      f"locations [{shown}]", condition, ""])  # fmt: skip


def _shown(arch: LitmusArch, value: FinalValue) -> str:
    return value.name if value.cpu < 0 else f"{value.cpu}:{arch.for_herd_register(value.name)}"


def _has_fault(proposition: Proposition) -> bool:
    match proposition:
        case Fault():
            return True
        case Not(inner):
            return _has_fault(inner)
        case And(left, right) | Or(left, right):
            return _has_fault(left) or _has_fault(right)
    return False


def _state(litmus: Litmus, arch: LitmusArch) -> Iterator[str]:
    """The initial values."""
    names = {address: name for name, address in litmus.addresses.items()}
    for name, value in litmus.memory.items():
        yield f"uint64_t {name} = {value};"
    given = [(cpu, name, value) for cpu, registers in enumerate(litmus.registers) for name, value in registers.items()]
    for cpu, name, value in given:
        if CODE <= value % _ALIAS < DATA:
            raise ValueError(f"{cpu}:{name} is the address of code, which herd7 does not have here")
        yield f"uint64_t {cpu}:{arch.for_herd_register(name)} = {names.get(value, value)};"
    for shown in litmus.shown:
        if shown.cpu < 0:
            continue
        register = arch.registers[shown.name]
        if not any(shown.cpu == cpu and register.whole == name for cpu, name, _ in given):
            yield f"uint{register.bits}_t {_shown(arch, shown)};"


def _column(litmus: Litmus, arch: LitmusArch, cpu: int) -> Iterator[str]:
    """The lines of a CPU."""
    program = litmus.program
    here = range(program.begins[cpu], program.ends[cpu])
    labels = {address: name for name, address in program.labels.items()}
    for address, text in sorted(program.lines.items()):
        if address not in here:
            continue
        if text.startswith("."):
            raise ValueError(f"herd7 has no `{text}`")
        label = f"{labels[address]}: " if address in labels else ""
        yield label + arch.for_herd(text)
    if here.stop in labels:
        yield f"{labels[here.stop]}:"
