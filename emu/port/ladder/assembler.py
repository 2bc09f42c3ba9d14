# SPDX-License-Identifier: GPL-2.0-only
"""Assembles programs for bare boards, with the compiler that builds the port's kernel."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from elftools.elf.elffile import ELFFile

from emu.installation import firmware_directory

__all__ = ["NoTools", "Program", "Tools", "assemble", "labelled", "link_program", "tools"]


class NoTools(Exception):
    """The checkout has no such port, or the host has not its compiler. One line says which."""


class AssemblyFailed(Exception):
    """The assembler does not understand the text."""


class Program(NamedTuple):
    """Machine code and the addresses of its labels."""

    code: bytes
    symbols: Mapping[str, int]


class Tools(NamedTuple):
    """The compiler of a port, and flags."""

    prefix: str
    assembler_flags: tuple[str, ...]
    linker_flags: tuple[str, ...]


@functools.cache
def tools(arch: str) -> Tools:
    """What `firmware/arch/ARCH/Makefile` sets.

    Raises:
        NoTools: see there.
    """
    makefile = firmware_directory() / "arch" / arch / "Makefile"
    if not (firmware_directory() / "Makefile").is_file():
        raise NoTools("a port is checked in a checkout of emu, not in an installed package")
    if not makefile.is_file():
        raise NoTools(f"there is no {makefile}: `emu port new` begins a port")
    text = makefile.read_text().replace("\\\n", " ")

    def value(name: str) -> str:
        found = re.search(rf"^{name}\s*[:?]?=[ \t]*(.*)$", text, re.MULTILINE)
        return found[1].strip() if found else ""

    made = Tools(value("CROSS_COMPILE"), tuple(value("ARCH_ASFLAGS").split()), tuple(value("ARCH_LDFLAGS").split()))
    for name in ("gcc", "ld", "nm"):
        if shutil.which(made.prefix + name) is None:
            package = f"gcc-{made.prefix.rstrip('-').replace('_', '-')}" if made.prefix else "gcc"
            raise NoTools(f"checking {arch} needs {made.prefix}{name} (on Debian: apt-get install {package})")
    if shutil.which("make") is None:
        raise NoTools("checking a port needs make (on Debian: apt-get install make)")
    return made


def link_program(arch: str, source: str, file: Path) -> None:
    """Makes a static program of assembler text, which begins at _start.

    Raises: as `assemble`.
    """
    used = tools(arch)
    with tempfile.TemporaryDirectory(prefix="emu-port-") as name:
        (Path(name) / "a.S").write_text(source.replace(";", "\n") + "\n")
        _run(name, source, f"{used.prefix}gcc", "-c", *used.assembler_flags, "-o", "a.o", "a.S")
        _run(name, source, f"{used.prefix}ld", *used.linker_flags, "-z", "noexecstack", "-o", str(file), "a.o")


def labelled(text: str, name: str) -> str:
    """Text with a label before each instruction: NAME0, NAME1, ...; not before directives, and not where `~` stands instead."""
    found = []
    for n, statement in enumerate(part.strip() for part in text.replace("\n", ";").split(";")):
        instruction = re.sub(r"^(?:\w+:\s*)+", "", statement)
        if statement.startswith("~"):
            found.append(statement[1:])
        else:
            found.append(f"{name}{n}: {statement}" if instruction and not instruction.startswith(".") else statement)
    return "; ".join(filter(None, found))


def _run(folder: str, source: str, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssemblyFailed(f"{done.stderr.strip()}\nin: {source}")


@functools.lru_cache(256)
def assemble(arch: str, source: str, address: int) -> Program:
    """Assembles text that runs at a virtual address. Statements are separated by ';'.

    Raises:
        NoTools: the compiler is missing.
        AssemblyFailed: with the assembler's words.
    """
    used = tools(arch)
    with tempfile.TemporaryDirectory(prefix="emu-port-") as name:
        folder = Path(name)
        (folder / "a.S").write_text(source.replace(";", "\n") + "\n")
        linking = (*used.linker_flags, f"-Ttext={address:#x}", "-e", "0", "-o", "a.elf", "a.o")
        _run(name, source, f"{used.prefix}gcc", "-c", *used.assembler_flags, "-o", "a.o", "a.S")
        _run(name, source, f"{used.prefix}ld", "--no-warn-rwx-segments", *linking)
        with (folder / "a.elf").open("rb") as file:
            elf = ELFFile(file)
            code = bytes(elf.get_section_by_name(".text").data())
            symbols = {symbol.name: int(symbol["st_value"]) for symbol in elf.get_section_by_name(".symtab").iter_symbols()}
        return Program(code, symbols)
