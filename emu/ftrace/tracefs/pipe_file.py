# SPDX-License-Identifier: GPL-2.0-only
"""trace_pipe: reading consumes events, and waits if there are none."""

from __future__ import annotations

from emu.ftrace.arrays.trace_array import TraceArray
from emu.kernel.files.node import Handle, OpenFlags, Readiness, WouldBlock

__all__ = ["ConsumingHandle", "PipeHandle"]

_MOST_TEXT = 4095  # the most that one read can return


class ConsumingHandle(Handle):
    """A consuming reader of the buffer or the snapshot. While there is one, the tracer cannot be changed.

    Args:
        spare: whether it reads the snapshot.
    """

    stream = True

    def __init__(self, flags: OpenFlags, trace_array: TraceArray, cpu: int | None, *, spare: bool = False) -> None:
        super().__init__(flags)
        self._trace_array = trace_array
        self._cpu = cpu
        self._spare = spare
        self._rest = b""  # text or bytes that were consumed from the buffer but not read yet
        self._released = False
        trace_array.pipes += 1

    def poll(self) -> Readiness:
        """A pipe of one CPU is readable when the CPU's buffer is filled to buffer_percent.

        With the option `block` every pipe is always readable. The option's document says that poll does not block then.
        """
        if self._trace_array.options["block"]:
            return Readiness.READABLE
        _, limits = self._trace_array.pipe_view(self._cpu, spare=self._spare)
        return Readiness.READABLE if self._rest or (limits and self._filled()) else Readiness(0)

    def await_change(self, *, again: bool) -> None:
        self._trace_array.reader.await_event(again=again)

    def await_readiness(self, *, again: bool) -> None:
        if self._cpu is None or self._filled():
            self.await_change(again=again)
        else:
            self._trace_array.reader.await_filled(self._cpu, again=again)

    def _filled(self) -> bool:
        if self._cpu is None or self._spare:
            return True
        return self._trace_array.reader.filled(self._cpu)

    def release(self) -> None:
        if not self._released:
            self._released = True
            self._trace_array.pipes -= 1


class PipeHandle(ConsumingHandle):
    """A reader of text. After its first text, it ends when recording is off and the buffer is empty."""

    def __init__(self, flags: OpenFlags, trace_array: TraceArray, cpu: int | None) -> None:
        from emu.ftrace.text.taken_text import TakenText  # imported when needed: few runs read trace_pipe

        super().__init__(flags, trace_array, cpu)
        self._text = TakenText(lambda: trace_array.pipe_view(cpu), trace_array.reader.consume)
        self._rest = trace_array.ops.tracer.pipe_begins_with().encode()
        self._has_read = False

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        """Reads text. `offset` is ignored: events that have been read are gone."""
        self._require(OpenFlags.READ)
        if size == 0:
            return b""
        if not self._rest:
            told = self._trace_array.ops.tracer.pipe_tells(self._trace_array)
            self._rest = told.encode() or self._take(min(size, _MOST_TEXT))
        if not self._rest:
            if self._has_read and not self._trace_array.recorder.recording:
                return b""
            return WouldBlock()
        self._has_read = True
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes | WouldBlock:
        return self.read(offset, size)

    def _take(self, size: int) -> bytes:
        """The text of at least `size` bytes of events, but no more than fits into one read; b"" if there are none."""
        length = 0

        def wanted(line: bytes) -> bool:
            nonlocal length
            full = length >= size or (length > 0 and length + len(line) > _MOST_TEXT)
            length += len(line)
            return not full

        return b"".join(self._text.take(wanted))
