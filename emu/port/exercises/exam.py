# SPDX-License-Identifier: GPL-2.0-only
"""What a check has in its hands: the learner's folder, machines of its emu, and a way to say what is wrong."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.machine import Machine

__all__ = ["Exam", "Wrong"]


class Wrong(Exception):
    """The exercise is not solved."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected: {expected}; seen: {seen}")
        self.expected, self.seen = expected, seen


class Exam:
    """One check of a folder. `expects` says what is looked at next; a panic of the guest is reported as the contrary."""

    def __init__(self, arch: str, folder: Path) -> None:
        self.arch, self.folder = arch, folder
        self.expected = "emu starts"

    def expects(self, text: str) -> None:
        """What must hold from here on."""
        self.expected = text

    def require(self, holds: bool, seen: str) -> None:
        """Raises Wrong with what is expected and `seen`, unless it holds."""
        if not holds:
            raise Wrong(self.expected, seen)

    def machine(self, **options: object) -> AbstractContextManager[Machine]:
        """A booted machine of the folder's emu. Parameters: see `Machine`."""
        from emu.machine import Machine

        return Machine(arch=self.arch, **options)  # type: ignore[arg-type]  # each is checked there
