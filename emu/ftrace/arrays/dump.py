# SPDX-License-Identifier: GPL-2.0-only
"""Dumps: the contents of a trace buffer, consumed and printed as lines on the guest's console."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Self

from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.options import Options
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH

if TYPE_CHECKING:
    from emu.ftrace.text.taken_text import TakenText

__all__ = ["Dumps"]

_AT_ONCE = 4096  # events whose text a dump keeps in memory at once


class Dumps:
    """The dumps of one trace array."""

    def __init__(self, recorder: Recorder, ops: FtraceOps, options: Options) -> None:
        self._recorder, self._ops, self._options = recorder, ops, options
        self._requested = False

    def take(self, cpu: int | None) -> Iterator[str]:
        """Consumes the buffer of one CPU, or of each, as lines for the guest's console.

        The lines are those of trace_pipe with the option latency-format, which does not affect function_graph's lines here.
        Events recorded meanwhile stay. As in Linux, addresses of programs are not resolved.
        """
        latency = self._ops.tracer is not FUNCTION_GRAPH or self._options["latency-format"] or self._options["funcgraph-flat"]
        options = {**self._options, "latency-format": latency, "sym-userobj": False}
        reader, tracer = self._recorder.reader, self._ops.tracer
        from emu.ftrace.text.taken_text import TakenText  # imported when needed: few machines dump

        return _Dump(TakenText(lambda: reader.oldest_events(cpu, tracer, options), reader.consume), reader.entries(cpu))

    def request(self, cpu: int | None) -> None:
        """Stops recording, and makes the guest dump the buffer of one CPU, or of each, on its console.

        The guest prints in a task of its own, so shortly afterwards. While a dump is pending, another request is ignored: it
        would find nothing to print.
        """
        self._recorder.record_off()
        if not self._requested:
            self._requested = True
            self._recorder.globals.dump(cpu, self._dumped)

    def _dumped(self) -> None:
        self._requested = False


class _Dump:
    """Consumes a buffer's events, and iterates over their lines. Events recorded meanwhile stay.

    Args:
        text: consumes the events.
        entries: the number of events.
    """

    def __init__(self, text: TakenText, entries: int) -> None:
        self._text = text
        self._left = entries
        self._lines: deque[str] = deque()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        while not self._lines:
            taken = self._text.take(_up_to(min(self._left, _AT_ONCE)))
            if not taken:
                raise StopIteration
            self._left -= len(taken)
            for event in filter(None, taken):
                self._lines += event.decode(errors="surrogateescape").removesuffix("\n").split("\n")
        return self._lines.popleft()


def _up_to(count: int) -> Callable[[object], bool]:
    """A predicate that is True for its first `count` calls."""
    left = iter(range(count))
    return lambda thing: next(left, None) is not None
