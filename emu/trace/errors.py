# SPDX-License-Identifier: GPL-2.0-only
"""Errors in trace files."""

from __future__ import annotations

__all__ = ["TraceFileError"]


class TraceFileError(ValueError):
    """A file is not a trace.dat, or is damaged. The message is one line.

    Attributes:
        offset: the file position of the error.
    """

    def __init__(self, offset: int, problem: str) -> None:
        super().__init__(f"byte {offset}: {problem}")
        self.offset = offset
