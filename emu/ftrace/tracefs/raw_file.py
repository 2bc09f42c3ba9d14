# SPDX-License-Identifier: GPL-2.0-only
"""trace_pipe_raw, snapshot_raw: the pages of a CPU's ring buffer or snapshot, consumed as they are read."""

from __future__ import annotations

import errno

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.native.ring_record import PAGE_SIZE
from emu.ftrace.tracefs.pipe_file import ConsumingHandle
from emu.kernel.files.node import OpenFlags, WouldBlock

__all__ = ["RawHandle"]


class RawHandle(ConsumingHandle):
    """A reader of whole pages. A page can be read in several parts."""

    def __init__(self, flags: OpenFlags, trace_array: TraceArray, cpu: int, *, spare: bool = False) -> None:
        if spare:
            trace_array.snapshot.check_print_max()
        super().__init__(flags, trace_array, cpu, spare=spare)
        self._page_of = cpu
        self._woken = False  # whether waiting readers must stop waiting

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        """Reads data. `offset` is ignored: events that have been read are gone."""
        self._require(OpenFlags.READ)
        if not self._rest:
            page = self._trace_array.reader.take_page(self._page_of, spare=self._spare) if size else b""
            if page is None:
                return WouldBlock()
            self._rest = page
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes | WouldBlock:
        """Pages that the writer has finished. A waiting reader gets them when buffer_percent is reached.

        A wait ends with no data if recording is off or the file was told to wake its readers.
        """
        self._require(OpenFlags.READ)
        if self._rest or size < PAGE_SIZE:
            raise TraceError(errno.EINVAL, "only whole pages can be spliced")
        recorder = self._trace_array.recorder
        self._woken = self._woken and waited
        if waited and (self._woken or not recorder.recording):
            return b""
        if waited and not self._filled():
            return WouldBlock()
        pages: list[bytes] = []
        while len(pages) < size // PAGE_SIZE:
            page = recorder.reader.take_page(self._page_of, spare=self._spare, whole=True)
            if page is None:
                break
            pages.append(page)
        return b"".join(pages) or WouldBlock()

    def ioctl(self, command: int) -> int:
        """Command 0 wakes the readers that wait for pages of this file."""
        if command:
            return super().ioctl(command)
        self._woken = True
        self._trace_array.reader.wake()
        return 0
