# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with a file that should hold a trace."""

from __future__ import annotations

__all__ = ["TraceFileError"]


class TraceFileError(ValueError):
    """A file is no trace.dat, or is damaged. The message is one line.

    Attributes:
        offset: the byte of the file where that shows.
    """

    def __init__(self, offset: int, problem: str) -> None:
        super().__init__(f"byte {offset}: {problem}")
        self.offset = offset
