# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a port that nobody has written yet: they say what they have to do when they are reached."""

from __future__ import annotations

from typing import NoReturn

from emu.port import seam
from emu.port.finished import where

__all__ = ["NotWritten", "Value", "explained"]


def explained(arch: str, name: str) -> str:
    """What a part has to do, where it belongs, and where the finished ports have it."""
    (part,) = (part for part in seam.parts() if part.name == name)
    ports = "; ".join(where(part, but=arch)) or "nowhere yet"
    declared = f"{part.declaration}\n" if part.declaration else ""
    return (
        f"{name} is not written.\n{declared}{part.what}\n"
        f'docs/architecture-seam.md, "{part.section}". Write it in {part.in_port(arch)}; the finished ports have it in {ports}.'
    )


class NotWritten(NotImplementedError):
    """A part of a port that is not there yet. `name` is the part's name in emu.port.seam."""

    def __init__(self, arch: str, name: str) -> None:
        super().__init__(explained(arch, name))
        self.name = name


class Value:
    """An attribute of a class that has no value yet: reading it raises NotWritten."""

    def __init__(self, arch: str, name: str) -> None:
        self._arch, self._name = arch, name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise NotWritten(self._arch, self._name)
