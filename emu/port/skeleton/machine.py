# SPDX-License-Identifier: GPL-2.0-only
"""What is known of a processor before its port is written: from Unicorn's constants and `machines.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import unicorn

__all__ = ["Machine", "find", "unicorn_names"]

_ENDIANS = ("UC_MODE_LITTLE_ENDIAN", "UC_MODE_BIG_ENDIAN")
_NO_MACHINES = {"UC_ARCH_MAX", *_ENDIANS}


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor, and the tools for it. Expressions are Python's, of the modules unicorn, capstone and keystone."""

    arch: str  # the port's name, which is that of Unicorn's symbols
    byte_order: Literal["little", "big"]
    page_size: int  # bytes
    cross: str  # the prefix of the compiler
    unicorn: tuple[str, str]  # expressions: architecture and mode
    capstone: tuple[str, str]
    keystone: tuple[str, str] | None
    registers: tuple[str, str, str]  # a module of unicorn, and constants of it: the first of seven registers, the program counter
    elf: str  # e_machine in pyelftools' spelling
    machine: int  # the same as a number
    emulation: str  # the linker's -m
    flags: str  # of the compiler
    deliver: str  # the function of Unicorn's library that delivers a trap; "": not known
    instructions: Mapping[str, str]  # "return", "trap", "nop"; and "operand", an address in gcc's asm

    @property
    def page_shift(self) -> int:
        return self.page_size.bit_length() - 1


def unicorn_names() -> Sequence[str]:
    """The names that --unicorn knows: of the architectures and modes of the installed Unicorn."""
    constants = vars(unicorn.unicorn_const)
    found = {name for name in constants if name.startswith(("UC_ARCH_", "UC_MODE_"))} - _NO_MACHINES
    return sorted({name[len("UC_ARCH_") :].lower() for name in found})


def find(arch: str, name: str, byte_order: str | None, page_size: int, cross: str | None) -> Machine:
    """The processor that Unicorn calls `name`, for a port called `arch`.

    Raises:
        ValueError: Unicorn has none, or emu cannot run on it, or the port must have another name. One line.
    """
    if name not in unicorn_names():
        raise ValueError(f"unicorn {unicorn.__version__} has no '{name}' (it has: {', '.join(unicorn_names())})")
    known = tomllib.loads(Path(__file__).with_name("machines.toml").read_text())
    wanted = {f"UC_ARCH_{name.upper()}", f"UC_MODE_{name.upper()}"}
    fitting = {symbols: facts for symbols, facts in known.items() if wanted & set(facts["unicorn"])}
    if not fitting:
        raise ValueError(f"emu cannot have a port to '{name}': it needs 64 bits (ports can be to {', '.join(_able(known))})")
    if byte_order is not None:
        fitting = {symbols: facts for symbols, facts in fitting.items() if facts["byte_order"] == byte_order}
        if not fitting:
            raise ValueError(f"Unicorn's '{name}' is not {byte_order}-endian")
    if arch not in fitting:
        raise ValueError(f"the port has to be called {' or '.join(fitting)}, as Unicorn calls its functions for '{name}'")
    return _machine(arch, fitting[arch], page_size, cross)


def _able(known: Mapping[str, Mapping[str, list[str]]]) -> Sequence[str]:
    """The most precise name for each known processor."""
    found = set()
    for facts in known.values():
        of_arch, of_mode = (name[len("UC_ARCH_") :].lower() for name in facts["unicorn"])
        found.add(of_mode if of_mode.startswith(of_arch) else of_arch)
    return sorted(found)


def _machine(arch: str, facts: Mapping[str, object], page_size: int, cross: str | None) -> Machine:
    def expressions(tool: str, prefix: str) -> tuple[str, str] | None:
        names = facts[tool]
        assert isinstance(names, list)
        if not names:
            return None
        endian = f"{prefix}_MODE_{str(facts['byte_order']).upper()}_ENDIAN"
        mode = names[1] if endian.endswith("LITTLE_ENDIAN") or names[1] == endian else f"{names[1]} | {tool}.{endian}"
        return f"{tool}.{names[0]}", f"{tool}.{mode}"

    text = {name: str(value) for name, value in facts.items()}
    of_unicorn, of_capstone = expressions("unicorn", "UC"), expressions("capstone", "CS")
    registers = facts["registers"]
    assert of_unicorn is not None and of_capstone is not None and isinstance(registers, list)
    return Machine(
        arch=arch,
        byte_order="big" if text["byte_order"] == "big" else "little",
        page_size=page_size,
        cross=text["cross"] if cross is None else cross,
        unicorn=of_unicorn,
        capstone=of_capstone,
        keystone=expressions("keystone", "KS"),
        registers=(registers[0], registers[1], registers[2]),
        elf=text["elf"],
        machine=int(text["machine"]),
        emulation=text["emulation"],
        flags=text["flags"],
        deliver=text["deliver"],
        instructions={name: text.get(name, "%c0") for name in ("return", "trap", "nop", "operand")},
    )
