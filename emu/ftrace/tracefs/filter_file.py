# SPDX-License-Identifier: GPL-2.0-only
"""Files with a function filter. Words written to an open file are collected, and take effect when it is closed."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Callable

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.sites.filters import FunctionFilter, ModuleFilters
from emu.ftrace.sites.function_commands import FunctionProbes
from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import TextHandle
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["FilterFile", "WordParser"]


LONGEST_WORD = 1024  # bytes: longer than any function name with its module's name


class WordParser:
    """Splits written data into words at white space and NUL. A word may be split over several writes.

    Raises:
        TraceError: EINVAL if a word is too long.

    >>> parser = WordParser()
    >>> parser.split(b"vfs_read vfs_wr"), parser.rest
    (['vfs_read'], b'vfs_wr')
    """

    def __init__(self) -> None:
        self.rest = b""

    def split(self, data: bytes) -> list[str]:
        *words, self.rest = re.split(rb"[\s\0]+", self.rest + data)
        if max(map(len, (*words, self.rest))) > LONGEST_WORD:
            raise TraceError(errno.EINVAL, f"a word has at most {LONGEST_WORD} bytes")
        return [word.decode(errors="backslashreplace") for word in words if word]

    def finish(self) -> list[str]:
        return self.split(b"\n")


class FilterHandle(TextHandle):
    """An open filter file. Reading shows the filter in force; writing edits a copy of it."""

    def __init__(self, flags: OpenFlags, file: FilterFile) -> None:
        super().__init__(flags, file.show, None)
        self._file = file
        self._words = WordParser()
        self._pending = file.get()
        self._accepted = False
        self._refused = False
        self._waited = bool(file.waiting)
        if OpenFlags.TRUNCATE in flags:
            self._pending = self._pending.cleared()
            if file.waiting is not None:
                file.waiting.clear()

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        self._edit(lambda: self._words.split(data))
        # A write that ends within a word is not accepted yet: the word may still be refused.
        self._accepted |= not self._words.rest
        return len(data)

    def release(self) -> None:
        """Puts the edited filter in force, unless all writes were refused: then even truncation has no effect."""
        if OpenFlags.WRITE not in self.flags:
            return
        # A last word without a newline is complete only now. If it is wrong, no write can return the error any more.
        with contextlib.suppress(TraceError):
            self._edit(self._words.finish)
        if self._refused and not self._accepted:
            return
        in_force = self._file.get()
        self._pending = self._pending.on(in_force.functions)
        if not self._pending.is_like(in_force) or bool(self._file.waiting) != self._waited:
            self._file.put(self._pending)

    def _edit(self, next_words: Callable[[], list[str]]) -> None:
        try:
            words = next_words()
            array = self._file.commanded
            names = [word for word in words if array is None or not FunctionProbes.understands(word)]
            # Modules may have come and gone since the file was opened.
            self._pending = self._pending.on(self._file.get().functions).edited(names, self._file.waiting)
            if array is not None:
                for command in filter(FunctionProbes.understands, words):
                    array.edit_probes(command)
        except TraceError:
            self._words = WordParser()
            self._refused = True
            raise
        self._accepted |= bool(words)


class FilterFile(File):
    """A file for one filter of the trace instance.

    Args:
        waiting: keeps words about modules that are not loaded; None: the file accepts only names.
        commanded: the array whose commands (traceon, traceoff) the file edits, immediately; None: it accepts no commands.
        is_set: returns whether there is a filter; default: whether the filter has any functions.
    """

    def __init__(
        self,
        get: Callable[[], FunctionFilter],
        put: Callable[[FunctionFilter], None],
        if_empty: str,
        waiting: ModuleFilters | None = None,
        commanded: TraceArray | None = None,
        is_set: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(0o640)
        self.get = get
        self.put = put
        self.waiting = waiting
        self.commanded = commanded
        self._if_empty = if_empty
        self._is_set = is_set or (lambda: bool(get()))

    def show(self) -> str:
        selected = self.get()
        lines = selected.selected_names() if self._is_set() else [f"#### {self._if_empty} ####"]
        if self.waiting is not None:
            lines += self.waiting.lines()
        if self.commanded is not None:
            lines += self.commanded.ops.probes.lines(self.commanded.ftrace.functions)
        return "".join(f"{line}\n" for line in lines)

    def open(self, flags: OpenFlags) -> Handle:
        return FilterHandle(flags, self)
