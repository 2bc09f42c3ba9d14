# SPDX-License-Identifier: GPL-2.0-only
"""Files with a set of pids: set_ftrace_pid, set_event_pid, and their `notrace` counterparts."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable

from emu.ftrace.buffers.pid_filter import Pids
from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_c
from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import TextHandle
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["PidFile"]

_LARGEST = (1 << 31) - 1


class PidHandle(TextHandle):
    """An open pid file. Each write adds all of its numbers, or none."""

    def __init__(self, flags: OpenFlags, file: PidFile) -> None:
        super().__init__(flags, file.show, None)
        self._file = file

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        words = [word for word in re.split(r"[\s\0]+", data.decode(errors="backslashreplace")) if word]
        pids = (self._file.get() or frozenset()) | frozenset(map(_pid, words))
        self._file.put(pids or None)
        return len(data)


def _pid(word: str) -> int:
    pid = parse_c(word, _LARGEST)
    if pid is None:
        raise TraceError(errno.EINVAL, f"'{word}' is not a process number")
    return pid


class PidFile(File):
    """A file for one set of pids. None means that there is no filter; an empty set is a filter.

    `if_none`: the file's text if there is no filter.
    """

    def __init__(self, get: Callable[[], Pids], put: Callable[[Pids], None], if_none: str = "") -> None:
        super().__init__(0o640)
        self.get = get
        self.put = put
        self._if_none = if_none

    def show(self) -> str:
        pids = self.get()
        return self._if_none if pids is None else "".join(f"{pid}\n" for pid in sorted(pids))

    def open(self, flags: OpenFlags) -> Handle:
        if OpenFlags.WRITE in flags and OpenFlags.TRUNCATE in flags:
            self.put(None)
        return PidHandle(flags, self)
