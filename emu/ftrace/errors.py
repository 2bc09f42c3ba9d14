# SPDX-License-Identifier: GPL-2.0-only
"""The error of every tracing operation: an errno, as the guest gets it, and a sentence for people."""

from __future__ import annotations

import errno
import os

__all__ = ["TraceError"]


class TraceError(OSError):
    """An operation on tracing that failed and changed nothing.

    >>> TraceError(errno.EINVAL, "no tracer is called 'bogus'").errno == errno.EINVAL
    True
    """

    def __init__(self, code: int, why: str = "") -> None:
        super().__init__(code, os.strerror(code))
        self.code = code
        self.why = why
        self.path: str | None = None  # the tracefs file, if it was opened by its path

    def __str__(self) -> str:
        name = errno.errorcode.get(self.code, str(self.code))
        text = f"{self.why or self.strerror} ({name})"
        return f"{self.path}: {text}" if self.path else text
