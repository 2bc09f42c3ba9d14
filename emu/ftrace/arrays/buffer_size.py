# SPDX-License-Identifier: GPL-2.0-only
"""The size of one trace array's ring buffers."""

from __future__ import annotations

import errno

from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.options import Options
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.errors import TraceError

__all__ = ["INITIAL_KB", "BufferSize"]

INITIAL_KB = 7  # two pages: enough for markers until a tracer is set


class BufferSize:
    """Attributes:
    expanded: whether the buffers have left their initial size, because a tracer or a size was set.
    """

    def __init__(self, recorder: Recorder, ops: FtraceOps, options: Options, is_top: bool) -> None:
        self._recorder, self._ops, self._options = recorder, ops, options
        self.expanded = not is_top
        recorder.resize_rings(INITIAL_KB if is_top else recorder.globals.buffer_kb)

    def set(self, kb: int, cpu: int | None = None) -> None:
        """Resizes the ring buffer of one CPU, or of each. Raises TraceError: EINVAL for 0, ENOMEM."""
        if kb == 0:
            raise TraceError(errno.EINVAL, "a ring buffer cannot be empty")
        try:
            self._recorder.resize_rings(kb, cpu, spares=self._ops.tracer.print_max)
        except MemoryError:
            count = self._recorder.cpus if cpu is None else 1
            raise TraceError(errno.ENOMEM, f"no memory for {count} ring buffers of {kb} KiB") from None
        self.expanded = True

    def expand(self) -> None:
        """Gives the ring buffers the default size for tracing, unless a size was set. Raises TraceError: ENOMEM."""
        if not self.expanded:
            self.set(self._recorder.globals.buffer_kb)

    def free(self) -> None:
        """Shrinks the ring buffers as far as possible. With disable_on_free, it also stops recording."""
        if self._options["disable_on_free"]:
            self._recorder.record_off()
        self.set(1)
