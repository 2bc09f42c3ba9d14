# SPDX-License-Identifier: GPL-2.0-only
"""set_event: the enabled events, one per line. Written words enable or disable events."""

from __future__ import annotations

import errno
import re
from functools import partial

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.enable import available, lines, obey_word
from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import Pieces, TextHandle
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["SetEventFile"]

_LONGEST_WORD = 126  # bytes, as in Linux


class SetEventHandle(TextHandle):
    """An open set_event. A write consumes one word; programs write again for the next. Words before a wrong one take effect."""

    def __init__(self, flags: OpenFlags, file: SetEventFile) -> None:
        super().__init__(flags, file.show, None)
        self._file = file

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        taken = re.match(rb"\s*([^\s\0]*)[\s\0]?", data)
        assert taken is not None  # the pattern also matches the empty string
        if len(word := taken[1]) > _LONGEST_WORD:
            raise TraceError(errno.EINVAL, f"a word has at most {_LONGEST_WORD} bytes")
        if word:
            self._file.obey(word.decode(errors="backslashreplace"))
        return taken.end()


class SetEventFile(File):
    """The file. Opening it with truncation disables all events.

    Args:
        array: the trace array that records the events.
        catalogue: the existing events.
    """

    def __init__(self, array: TraceArray, catalogue: Catalogue) -> None:
        super().__init__(0o640)
        self._array = array
        self._catalogue = catalogue

    def show(self) -> Pieces:
        return partial(lines, [call for call in available(self._catalogue.values()) if self._array.ops.events.enabled(call)])

    def obey(self, word: str) -> None:
        obey_word(self._array, self._catalogue, word)

    def open(self, flags: OpenFlags) -> Handle:
        if OpenFlags.WRITE in flags and OpenFlags.TRUNCATE in flags:
            self._array.enable_events(available(self._catalogue.values()), False)
        return SetEventHandle(flags, self)
