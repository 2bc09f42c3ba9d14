# SPDX-License-Identifier: GPL-2.0-only
"""A rung of the ladder, and how it fails."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

__all__ = ["Check", "NotSupported", "Requirement", "Rung", "RungFailed", "expect", "fail", "shown"]

Requirement = str  # a name from the kernel's document about ftrace's design
Check = Callable[[str], str | None]  # called with the architecture's name; returns what to say besides that the rung passed
_PACKAGE = "emu.port.ladder"


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a port.

    Attributes:
        name: as for --only.
        title: what is checked, in one line.
        check: raises RungFailed, or anything else, if the port does not do this. "module.function" is imported when needed.
        requirements: the names in the kernel's document about ftrace's design that the rung checks.
        parts: names of parts that an earlier rung needs first, and that this one is about.
        limit: seconds of processor time, after which the rung has failed.
    """

    name: str
    title: str
    check: Check | str
    requirements: Sequence[Requirement] = ()
    parts: Sequence[str] = ()
    limit: int = 120

    def __call__(self, arch: str) -> str | None:
        """Checks an architecture's port, and then what is peculiar to it: the function with the rung's name in `ARCH_checks.py`
        beside the templates, if there is one.
        """
        check = self.check
        if isinstance(check, str):
            module, _, name = check.partition(".")
            imported: Check = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)
            check = imported
        note = check(arch)
        peculiar = f"{_PACKAGE}.arch.{arch}_checks"
        if importlib.util.find_spec(peculiar) is not None:
            further: Callable[[], None] | None = getattr(importlib.import_module(peculiar), self.name.replace("-", "_"), None)
            if further is not None:
                further()
        return note


class RungFailed(Exception):
    """What a rung expected, and what it has seen.

    Attributes:
        expected, seen: texts of one or more lines.
        registers: of the CPU concerned, by name.
        code: lines of disassembly around the program counter.
    """

    def __init__(self, expected: str, seen: str, registers: Mapping[str, int] | None = None, code: Sequence[str] = ()) -> None:
        super().__init__(f"expected {expected}, seen {seen}")
        self.expected, self.seen, self.registers, self.code = expected, seen, dict(registers or {}), list(code)


class NotSupported(Exception):
    """The port does not have what the rung checks, and says so. The rung has passed."""


def fail(expected: str, seen: str) -> NoReturn:
    """Fails without a CPU to show."""
    raise RungFailed(expected, seen)


def expect(what: str, expected: object, seen: object) -> None:
    """Fails unless the two are equal. Numbers are shown in hexadecimal."""
    if expected != seen:
        raise RungFailed(f"{what}: {shown(expected)}", shown(seen))


def shown(value: object) -> str:
    """A value, with numbers in hexadecimal."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    return value.hex(" ") if isinstance(value, bytes) else str(value)
