# SPDX-License-Identifier: GPL-2.0-only
"""Files whose reading is a text made on the spot and whose every write is one complete command."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable

from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs.node import File, Handle, OpenFlags

__all__ = ["Show", "Store", "TextFile", "TextHandle", "parse_unsigned"]

Show = Callable[[], str]
Store = Callable[[str], object]

UNSIGNED_LONG_MAX = (1 << 64) - 1


def parse_unsigned(text: str, maximum: int = UNSIGNED_LONG_MAX) -> int:
    """A decimal number as the kernel reads it: digits, perhaps a plus before them and one newline after.

    Raises:
        TraceError: EINVAL for anything else, ERANGE for more than `maximum`.
    """
    number = re.fullmatch(r"\+?([0-9]+)\n?", text)
    if number is None:
        raise TraceError(errno.EINVAL, f"'{text.strip()}' is not a number")
    value = int(number[1])
    if value > maximum:
        raise TraceError(errno.ERANGE, f"{value} is more than {maximum}")
    return value


class TextHandle(Handle):
    """A reader sees one text from beginning to end; reading from the beginning again makes a new one."""

    def __init__(self, flags: OpenFlags, show: Show | None, store: Store | None) -> None:
        super().__init__(flags)
        self._show = show
        self._store = store
        self._text: bytes | None = None

    def read(self, offset: int, size: int) -> bytes:
        self._require(OpenFlags.READ)
        if self._show is None:
            raise TraceError(errno.EINVAL, "this file cannot be read")
        if self._text is None or offset == 0:
            self._text = self._show().encode()
        return self._text[offset : offset + size]

    def write(self, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        if self._store is None:
            raise TraceError(errno.EINVAL, "this file cannot be written")
        try:
            self._store(data.decode())
        except UnicodeDecodeError:
            raise TraceError(errno.EINVAL, "not text") from None
        return len(data)


class TextFile(File):
    """A file made of two functions: `show` gives the text, `store` obeys one write.

    `truncate`, if there is one, is what opening the file for writing from scratch does.
    """

    def __init__(self, show: Show | None, store: Store | None = None, truncate: Callable[[], None] | None = None) -> None:
        super().__init__(0o440 if store is None else 0o640 if show is not None else 0o220)
        self._show = show
        self._store = store
        self._truncate = truncate

    def open(self, flags: OpenFlags) -> Handle:
        if self._truncate is not None and OpenFlags.TRUNCATE in flags and OpenFlags.WRITE in flags:
            self._truncate()
        return TextHandle(flags, self._show, self._store)
