# SPDX-License-Identifier: GPL-2.0-only
"""Everything that a port provides, as a list: docs/architecture-seam.md in a form that programs read.

The files `parts/*.toml` list the names by the file of a port that has them. Each entry `file` has

    place       the file, ARCH standing for the architecture's name
    section     the heading of docs/architecture-seam.md
    of          the class that declares the parts; what they have to do is said there, in docstrings and comments
    rungs       the parts by the rung of the ladder that tests them first, or
    rung        this rung, of all that `what` lists
    what        what a part has to do
    optional    a port can do without the parts

Declarations are read from the source: of the class, of the kernel's headers, or of a finished port.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from emu.port import declarations

__all__ = ["RUNGS", "Part", "parts", "sections"]

RUNGS: Final = (
    "state", "hello", "slices", "blocks", "traps", "interrupts", "sleep", "mmu", "user", "syscalls", "page-faults",
    "atomics", "ipis", "stale-code", "timing", "link", "boot", "programs", "sites", "nops", "one-site", "protocols",
    "function", "graph", "backtraces", "fp-test", "modules", "keys", "events", "kprobes", "uprobes", "syscall-metadata",
    "direct-calls", "live-patching", "race-lab", "suite",
)  # fmt: skip
"""The rungs of the ladder, from the first."""

_PARTS = Path(__file__).resolve().parent / "parts"
_FILES = ("host", "kernel", "headers", "programs")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a port provides."""

    name: str  # "CpuArch.translate", "ftrace.native.unwind.build", "setup_rt_frame", "asm/barrier.h"
    place: str  # the file of a port that has it, ARCH standing for the port's name
    rung: str  # the first rung that tests it; a rung before it may need a first version
    section: str  # heading of docs/architecture-seam.md
    what: str  # what it has to do, in a few sentences
    declaration: str  # C prototype or Python signature; "" for labels, macros, headers and other files
    optional: bool  # a port can do without it; in the guest, a fallback then refuses or does it slowly

    def in_port(self, arch: str) -> str:
        """The file in the port to an architecture."""
        return self.place.replace("ARCH", arch)


def parts(rung: str | None = None) -> Sequence[Part]:
    """All parts, or those that a rung tests first, in the order in which a port needs them.

    Raises:
        ValueError: there is no such rung.
    """
    if rung is not None and rung not in RUNGS:
        raise ValueError(f"unknown rung '{rung}' (known: {', '.join(RUNGS)})")
    return [part for part in _all() if rung in (None, part.rung)]


def sections() -> Mapping[str, Sequence[Part]]:
    """The parts by section of docs/architecture-seam.md."""
    found: dict[str, list[Part]] = {}
    for part in _all():
        found.setdefault(part.section, []).append(part)
    return found


@functools.cache
def _all() -> Sequence[Part]:
    found = [part for name in _FILES for part in _read(_PARTS / f"{name}.toml")]
    return sorted(found, key=lambda part: RUNGS.index(part.rung))


def _read(path: Path) -> Iterator[Part]:
    for entry in tomllib.loads(path.read_text())["file"]:
        place, what = entry["place"], entry.get("what", {})
        rungs = {name: rung for rung, names in entry.get("rungs", {}).items() for name in names}
        of = declarations.members(entry["of"]) if "of" in entry else {}
        for name in [*rungs, *(name for name in what if name not in rungs)]:
            full, declaration, said = name, "", ""
            if "of" in entry:
                full, (declaration, said) = f"{entry['of'].rpartition('.')[2]}.{name}", of[name]
            elif place.endswith(".py"):
                full = f"{_role(place)}.{name}"
                declaration = declarations.function(place, name)
            else:
                declaration = declarations.in_c(place, name)
            yield Part(
                name=full,
                place=place,
                rung=rungs.get(name) or entry["rung"],
                section=entry["section"],
                what=what.get(name, said).strip(),
                declaration=declaration,
                optional=entry.get("optional", False),
            )


def _role(place: str) -> str:
    """What a module of a port is called, without the port's name: "ftrace.native.unwind"."""
    stem = place.removeprefix("emu/").removesuffix(".py").replace("/arch/ARCH_", ".").replace("/arch/ARCH", "")
    return stem.replace("/", ".")
