# SPDX-License-Identifier: GPL-2.0-only
"""Where the ports that are finished have a part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from emu.architectures import ARCHITECTURES
from emu.port.seam import Part

__all__ = ["where"]

_ROOT = Path(__file__).resolve().parent.parent.parent
_SOURCES = (".py", ".c", ".h", ".S", ".mk", ".in")


def where(part: Part, but: str = "") -> Sequence[str]:
    """FILE:LINE in each port but one, or FILE if the name is not in it. Ports that do without the part are left out."""
    found = (_place(part, arch) for arch in ARCHITECTURES if arch != but)
    return [place for place in found if place]


def _place(part: Part, arch: str) -> str:
    first = _ROOT / part.in_port(arch)
    name = part.name.removeprefix("asm/").removeprefix("sys_").removeprefix("struct ")
    if part.place.endswith(".py"):
        name = name.rpartition(".")[2]
    others = sorted(path for path in _folder(part, arch) if path.suffix in _SOURCES and path != first)
    for path in [*([first] if first.is_file() else []), *others]:
        if path.name == name:
            return str(path.relative_to(_ROOT))
        line = _definition(path.read_text(), name)
        if line:
            return f"{path.relative_to(_ROOT)}:{line}"
    return str(first.relative_to(_ROOT)) if first.is_file() else ""


def _folder(part: Part, arch: str) -> Sequence[Path]:
    """The files beside a part's that may have it instead."""
    before, _, _ = (_ROOT / part.place).as_posix().partition("ARCH")
    folder = Path(before) / arch
    if folder.is_dir():
        return [path for path in folder.rglob("*") if path.is_file()]
    stem = Path(part.in_port(arch)).stem
    return list(Path(before).glob(f"{stem}*.py"))


def _definition(text: str, name: str) -> int:
    """The line that defines a name, in Python, C or assembly; 0 if there is none."""
    word = re.escape(name)
    pattern = (
        rf"^\s*(?:def {word}\(|{word}(?:: .*)? = |#\s*define\s+{word}\b|SYM_FUNC_\w+\({word}\)|{word}:"
        rf"|\.globl\s+{word}\b|SYSCALL_DEFINE\d\({word}[,)]|struct {word} \{{|(?:[a-zA-Z_][\w\s*]*[\s*])?{word}(?:\([^;]*$|\[.*))"
    )
    found = re.search(pattern, text, re.MULTILINE)
    return text.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1 if found else 0
