# SPDX-License-Identifier: GPL-2.0-only
"""Writes the files of a port that begins, and registers it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from emu.port.skeleton import probe
from emu.port.skeleton.machine import Machine
from emu.port.skeleton.python_files import python_files
from emu.port.skeleton.text import filled

__all__ = ["write_port"]

_FILES = Path(__file__).resolve().parent / "files"
_BASE = 0xFFFF_8000_0000_0000


def write_port(root: Path, machine: Machine) -> Sequence[str]:
    """Writes the port to a checkout, and returns the paths of its files in it.

    Raises:
        ValueError: this is no checkout, or it has files of such a port. One line; nothing has been written then.
        OSError: a file cannot be written.
    """
    registry = root / "emu/architectures.py"
    if not registry.is_file() or not (root / "firmware/Makefile").is_file():
        raise ValueError(f"{root} is no checkout of emu, with the sources of its guest kernel")
    names = re.findall(r'"(\w+)"', _registered(registry.read_text())[0])
    if machine.arch in names:
        raise ValueError(f"there is a port called {machine.arch}")
    texts = dict(_texts(root, machine, names[0]))
    for path in texts:
        if (root / path).exists():
            raise ValueError(f"there is {path} already")
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return [*texts, *_register(root, machine)]


def _texts(root: Path, machine: Machine, finished: str) -> Iterator[tuple[str, str]]:
    values = _values(machine)
    yield from python_files(machine)
    for template in sorted(_FILES.rglob("*.in")):
        place = template.relative_to(_FILES).as_posix().removesuffix(".in")
        text = template.read_text()
        yield place.replace("ARCH", machine.arch), filled(text, place, machine.arch, values | {"file": text})
    yield f"firmware/arch/{machine.arch}/include/uapi/asm/syscalls_64.h", _system_calls(root, machine, finished)


def _values(machine: Machine) -> dict[str, str]:
    shift, index = machine.page_shift, machine.page_shift - 3
    general, pc = probe.general_and_pc(machine)
    return {
        "arch": machine.arch, "cross": machine.cross, "flags": machine.flags, "emulation": machine.emulation,
        "page_size": str(machine.page_size), "page_shift": str(shift), "large_shift": str(shift + index),
        "top_shift": str(shift + 2 * index), "user_shift": str(shift + 3 * index - 1), "direct_map": f"{_BASE:#x}",
        "machine": str(machine.machine), "stub": "PORT_STUB", "constants": machine.registers[0], **machine.instructions,
        "first_register": machine.registers[1], "unicorn_mode": ", ".join(machine.unicorn),
        "do_interrupt": f'external("{machine.deliver}", None, CpuState)' if machine.deliver else "code of your own",
        "general": "0" if general is None else str(general), "pc": "0" if pc is None else str(pc),
    }  # fmt: skip


def _system_calls(root: Path, machine: Machine, finished: str) -> str:
    """The numbers of a finished port, without system calls that it has alone: programs of the machine's own need others."""
    folder = root / "firmware/arch" / finished
    text = (folder / "include/uapi/asm/syscalls_64.h").read_text()
    own = re.findall(r"^SYSCALL_DEFINE\d\((\w+)", "".join(path.read_text() for path in folder.glob("*.c")), re.MULTILINE)
    others = {f"__SYSCALL({number}, {name})" for number, name in re.findall(r"^__SYSCALL\((\d+), (\w+)\)", text, re.MULTILINE)
              if name in {*own} - {"rt_sigreturn"}}  # fmt: skip
    lines = [line for line in text.splitlines() if line.startswith("__SYSCALL(") and line not in others]
    about = f"/* The system calls there are, by {finished}'s numbers: replace them by {machine.arch}'s. */"
    return "\n".join(["/* SPDX-License-Identifier: GPL-2.0-only */", about, *lines]) + "\n"


def _registered(text: str) -> tuple[str, int]:
    """What is in the parentheses of ARCHITECTURES, and where it ends."""
    found = re.search(r"^ARCHITECTURES: Final = \(([^)]*)\)", text, re.MULTILINE)
    if found is None:
        raise ValueError("emu/architectures.py has no list of architectures")
    return found[1], found.end(1)


# What an installed emu needs of the port, to build modules for it.
_INSTALLED = ("include", "Makefile", "asm-offsets.c.in", "recordmcount.sh")

_FACTS = '''    "{arch}": Facts(
        cpus=(1, 2, 4),
        arguments=(),  # the registers of a call's first two
        stack_pointer="sp",
        undefined=bytes(4),
        forbidden=128 + signal.SIGILL,
        system_call="",
        folds_resched=False,
        timer_interrupt="",
        page_fault="",
        stack_overflow="",
        compiler="{cross}gcc",
        version="",
    ),
}}
'''


def _register(root: Path, machine: Machine) -> Iterator[str]:
    registry = root / "emu/architectures.py"
    text = registry.read_text()
    _, end = _registered(text)
    registry.write_text(f'{text[:end].rstrip(" ,")}, "{machine.arch}"{text[end:]}')
    yield "emu/architectures.py"
    facts = root / "tests/lib/arches.py"
    if facts.is_file():
        facts.write_text(facts.read_text().removesuffix("}\n") + _FACTS.format(arch=machine.arch, cross=machine.cross))
        yield "tests/lib/arches.py"
    project = root / "pyproject.toml"
    text = project.read_text() if project.is_file() else ""
    lines = re.findall(r'^"firmware/arch/.*$', text, re.MULTILINE)
    if lines:
        folder = f"firmware/arch/{machine.arch}"
        own = [f'"{folder}/{name}" = "emu/{folder}/{name}"' for name in _INSTALLED]
        project.write_text(text.replace(lines[-1], "\n".join([lines[-1], *own])))
        yield "pyproject.toml"
