# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: one event for each call."""

from __future__ import annotations

from collections.abc import Mapping

from emu.ftrace.native import array_record
from emu.ftrace.options import Option
from emu.ftrace.site_callback import Callback
from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["FUNCTION"]

_STACKS, _NO_REPEATS = "func_stack_trace", "func-no-repeats"


class _Function(Tracer):
    """Its options are its own: the functions that other tracers record have no stacks, and repeat as they will."""

    def start(self, array: TracedArray) -> None:
        self._record(array, array.options)

    def stop(self, array: TracedArray) -> None:
        self._record(array, {_STACKS: False, _NO_REPEATS: False})

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        if array.tracer is self:
            self._record(array, {**array.options, name: on})

    def _record(self, array: TracedArray, options: Mapping[str, bool]) -> None:
        """Has calls recorded as the options say."""
        trace_globals = array.globals
        stacks = trace_globals.stacks.callbacks().function_stack if options[_STACKS] else 0
        array.records.set(array_record.FUNC_STACKS, stacks)
        if bool(array.records.array.get(array_record.FUNC_REPEATS)) != options[_NO_REPEATS]:
            array.records.forget_calls()
            array.records.set(array_record.FUNC_REPEATS, trace_globals.repeat_test() if options[_NO_REPEATS] else 0)


FUNCTION = _Function(
    "function", Callback.ENTRY, options=(Option(_STACKS, False), Option(_NO_REPEATS, False)), in_instances=True
)
