# SPDX-License-Identifier: GPL-2.0-only
"""How a command has ended."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Completed"]


@dataclass(frozen=True)
class Completed:
    """A command that has ended.

    Attributes:
        status: its exit status as a shell shows it.
        output: what it wrote to standard output; of emu's own kernel, to the console.
        errors: what it wrote to standard error, if that is apart from its output.
    """

    status: int
    output: bytes
    errors: bytes = b""
